//! Points under ceilings, on axes that are both logarithmic.

pub mod data;
mod draw;
mod view;

pub use data::{Ceiling, Dot, Mark};
pub use view::Scatter;
