//! Some rows of some columns, and what is in them.

use crate::model::Cell;
use parquet::data_type::ByteArray;

/// Some rows of some columns. A column that the file does not have is absent in every row.
pub(super) struct Batch {
    pub columns: Vec<Values>,
    /// Rows of it.
    pub n_rows: usize,
}

/// Values of a column, row by row.
pub(super) enum Values {
    Missing,
    Ints(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Texts(Vec<Option<ByteArray>>),
    Flags(Vec<Option<bool>>),
    /// Lists, as text.
    Lists(Vec<Option<String>>),
}

impl Batch {
    /// A whole number; a fraction or other text is none.
    pub fn int(&self, column: usize, row: usize) -> Option<i64> {
        match &self.columns[column] {
            Values::Ints(v) => *v.get(row)?,
            Values::Floats(v) => v.get(row)?.filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15).map(|f| f as i64),
            Values::Flags(v) => v.get(row)?.map(i64::from),
            Values::Texts(v) => v.get(row)?.as_ref()?.as_utf8().ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// A finite number.
    pub fn float(&self, column: usize, row: usize) -> Option<f64> {
        let value = match &self.columns[column] {
            Values::Ints(v) => v.get(row)?.map(|v| v as f64),
            Values::Floats(v) => *v.get(row)?,
            Values::Texts(v) => v.get(row)?.as_ref()?.as_utf8().ok()?.trim().parse().ok(),
            _ => None,
        };
        value.filter(|v| v.is_finite())
    }

    /// A text; empty where there is none, or where it is no UTF-8.
    pub fn text(&self, column: usize, row: usize) -> &str {
        match &self.columns[column] {
            Values::Texts(v) => v.get(row).and_then(Option::as_ref).and_then(|t| t.as_utf8().ok()).unwrap_or(""),
            Values::Lists(v) => v.get(row).and_then(Option::as_deref).unwrap_or(""),
            _ => "",
        }
    }

    /// Whatever it is, as a cell of a table.
    pub fn cell(&self, column: usize, row: usize) -> Cell {
        let found = match &self.columns[column] {
            Values::Missing => None,
            Values::Ints(v) => v.get(row).copied().flatten().map(Cell::Int),
            Values::Floats(v) => v.get(row).copied().flatten().filter(|f| f.is_finite()).map(Cell::Float),
            Values::Texts(v) => v.get(row).and_then(Option::as_ref).map(|t| Cell::Text(String::from_utf8_lossy(t.data()).into_owned())),
            Values::Flags(v) => v.get(row).copied().flatten().map(|f| Cell::Text(if f { "true" } else { "false" }.into())),
            Values::Lists(v) => v.get(row).cloned().flatten().map(Cell::Text),
        };
        found.unwrap_or(Cell::Absent)
    }
}
