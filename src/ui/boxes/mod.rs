//! Boxes of values that are alike: least, quartiles, most and mean of each group, one below the other on one axis.

mod data;
mod draw;
mod view;

pub use data::Boxed;
pub use view::{Boxes, BoxesProps};
