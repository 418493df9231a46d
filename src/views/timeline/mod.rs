//! The timeline: every slice, counter and instant of a profile over time.

pub mod arrows;
pub mod core;
pub mod counter;
pub mod gesture;
pub mod hit_test;
pub mod index;
pub mod lane;
pub mod lod;
pub mod raster;
pub mod rows;
pub mod sample;
pub mod scene;
pub mod theme;
pub mod ticks;
pub mod viewport;
