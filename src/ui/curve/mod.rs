//! Curves over time or over a count: lines, steps and areas of several series, a range that can be dragged out of them, marked peaks.

pub mod data;
mod draw;
mod view;

pub use data::{Line, Mark, Shape};
pub use view::{Curve, CurveProps};
