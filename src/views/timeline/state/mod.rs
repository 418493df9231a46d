//! The state of the timeline and what can be asked of it. Knows no browser.

pub mod arrows;
pub(crate) mod box_rows;
pub mod core;
pub(crate) mod instants;
pub mod marks;
pub mod memory;
pub mod navigation;
pub mod row_labels;
pub(crate) mod types;
