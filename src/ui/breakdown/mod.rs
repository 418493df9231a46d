//! One bar cut into parts that sum to a total, with a legend; the order of the parts can be changed.

mod data;
mod draw;
mod view;

pub use data::Share;
pub use view::{Breakdown, BreakdownProps};
