//! A table of a tree: rows open and close, siblings sort, any number of rows scrolls.

pub mod data;
mod state;
mod view;

pub use data::Branch;
pub use view::{TreeTable, TreeTableProps};
