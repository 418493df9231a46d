//! A table that sorts, filters and scrolls through any number of rows.

pub mod csv;
pub mod data;
pub mod order;
pub mod window;
