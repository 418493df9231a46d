//! The state of the timeline and what can be asked of it. Knows no browser.

pub mod arrows;
pub(crate) mod box_rows;
pub(crate) mod instants;
pub mod marks;
pub mod memory;
pub mod navigation;
pub mod row_labels;
pub mod timeline_state;
pub(crate) mod types;
