//! Tables without a type of their own: columns by name.

use serde::{Deserialize, Serialize};

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// The record has no such key.
    Absent,
    /// A whole number, exact.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text; nested values as their JSON.
    Text(String),
}

/// A table as it was in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GenericTable {
    /// Its name in the file: `nc_mem_usage`.
    pub id: String,
    /// Column names, in the order first seen.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns` (shorter rows end in absent cells).
    pub rows: Vec<Vec<Cell>>,
    /// Rows of the file that are not kept because the table is longer than the memory set aside for it.
    pub n_more: u64,
    /// Number of rows that are read from the file on demand; then `rows` is empty.
    pub n_in_file: u64,
}
