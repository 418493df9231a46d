//! Widgets: table, chart, dialog and the small things. They know no profile and read no context.

pub mod dom;
pub mod palette;
pub mod pie;
pub mod small;
pub mod table;
