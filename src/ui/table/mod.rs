//! A table that sorts, filters and scrolls through any number of rows.

mod body;
pub mod choices;
pub mod csv;
pub mod data;
mod head;
pub mod json;
mod missing_rows;
pub mod order;
mod spec;
mod state;
mod view;
pub mod window;

pub(super) use body::{Name, copied, plain_cell};
pub use data::{Cell, Column, Heat, Kind, Row, is_whole};
pub(super) use head::HeadCell;
pub use missing_rows::MissingRows;
pub use spec::Columns;
pub use view::{Table, TableProps};
