//! Widgets: table, chart, dialog and the small things. They know no profile and read no context.

pub mod advice;
pub mod bars;
pub mod boxes;
pub mod breakdown;
pub mod chart;
pub mod commands;
pub mod controls;
pub mod curve;
pub mod dom;
pub mod effect;
pub mod flame;
pub mod ladders;
pub mod palette;
pub mod pie;
pub mod raster;
pub mod scatter;
pub mod table;
pub mod tree;
