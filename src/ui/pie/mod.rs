//! A pie: what share each of a few has of a whole. Drawn on a canvas; its values are in the document as legend and table.

pub mod data;
mod draw;
mod view;

pub use data::{Part, Slice};
pub use view::{Pie, PieLimit, PieLimitProps, PieProps};
