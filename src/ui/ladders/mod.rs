//! Ladders: bars below each other that get shorter from one to the next, and the gap between each and the one above it.

mod data;
mod draw;
mod view;

pub use data::{Gap, Ladder, Rung};
pub use view::{Ladders, LaddersProps};
