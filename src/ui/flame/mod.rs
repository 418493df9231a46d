//! A flame graph that hangs from its roots: a tree whose widths are shares, zoomed by click.

pub mod data;
mod draw;
mod view;

pub use data::Node;
pub use view::{Flame, FlameProps};
