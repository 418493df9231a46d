//! A flame graph with the roots at the top: widths in proportion to values, zoom by click.

pub mod data;
mod draw;
mod view;

pub use data::Node;
pub use view::{Flame, FlameProps};
