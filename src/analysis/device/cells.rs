//! Reading generic tables by the names that the formats have for one thing.

use crate::model::{Cell, GenericTable, Profile};

/// The first table that has one of these names.
pub fn table<'a>(profile: &'a Profile, names: &[&str]) -> Option<&'a GenericTable> {
    profile.tables.iter().find(|t| names.contains(&t.id.as_str()))
}

/// Positions of columns, each under the first of its names that the table has.
pub fn columns<const N: usize>(table: &GenericTable, names: [&[&str]; N]) -> [Option<usize>; N] {
    names.map(|names| names.iter().find_map(|name| table.columns.iter().position(|c| c == name)))
}

/// A cell as text; `None` where there is nothing.
pub fn text(row: &[Cell], column: Option<usize>) -> Option<String> {
    match row.get(column?)? {
        Cell::Text(text) if !text.is_empty() => Some(text.clone()),
        Cell::Int(n) => Some(n.to_string()),
        Cell::Float(n) => Some(n.to_string()),
        _ => None,
    }
}

/// A cell as a whole number, also when it is written as text.
pub fn int(row: &[Cell], column: Option<usize>) -> Option<i64> {
    match row.get(column?)? {
        Cell::Int(n) => Some(*n),
        Cell::Float(n) if n.is_finite() && n.abs() < 9e15 => Some(n.floor() as i64),
        Cell::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A cell as a count of bytes or of things.
pub fn count(row: &[Cell], column: Option<usize>) -> Option<u64> {
    u64::try_from(int(row, column)?).ok()
}

/// A cell as a number.
pub fn float(row: &[Cell], column: Option<usize>) -> Option<f64> {
    match row.get(column?)? {
        Cell::Int(n) => Some(*n as f64),
        Cell::Float(n) => Some(*n).filter(|n| n.is_finite()),
        Cell::Text(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}
