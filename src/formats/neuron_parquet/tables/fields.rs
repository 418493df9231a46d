//! Some fields of many rows: each table is read once, not once per row.

use super::generic::{UNREADABLE, opened};
use super::rows::table_of_record;
use crate::base::{InputSet, SliceId};
use crate::formats::neuron_parquet::pages::errors::RowsError;
use crate::formats::neuron_parquet::pages::reader::File;
use crate::formats::{Columns, ImportError};
use crate::model::{Cell, Profile};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Rows that are wanted of a table, ascending: (row, place in the answer).
type Rows = Vec<(u64, usize)>;

/// Of each of `slices` the fields of `keys`: of each key the first name that is a column of its table.
pub fn read(input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Columns {
    let mut out = vec![vec![String::new(); keys.len()]; slices.len()];
    let mut by_table: BTreeMap<&str, Rows> = BTreeMap::new();
    for (i, slice) in slices.iter().enumerate() {
        let place = profile.record_of((*slice).into());
        if let Some((table, row)) = place.and_then(|place| Some((table_of_record(place.member())?, place.offset()))) {
            by_table.entry(table).or_default().push((row, i));
        }
    }
    for (table, mut rows) in by_table {
        rows.sort_unstable();
        let mut begins = 0u64;
        // As on import, a file that cannot be opened has no rows.
        for file in &opened(input, table).files {
            let after = begins.saturating_add(file.n_rows);
            let end = rows.partition_point(|r| r.0 < after);
            of_file(file, begins, &rows[..end], keys, &mut out)
                .map_err(|why| ImportError::Invalid(format!("The table `{table}` cannot be read: {why}.")))?;
            rows.drain(..end);
            begins = after;
        }
    }
    Ok(out)
}

/// `rows` are in this file; its first row is row `begins` of the table.
fn of_file(file: &File, begins: u64, rows: &[(u64, usize)], keys: &[&[&str]], out: &mut [Vec<String>]) -> Result<(), RowsError> {
    let wanted: Vec<&str> = keys.iter().map(|names| named(file, names)).collect();
    let (Some(first), Some(last), true) = (rows.first(), rows.last(), wanted.iter().any(|name| !name.is_empty())) else { return Ok(()) };
    let mut left = rows;
    file.rows(&wanted, (first.0 - begins, last.0 - first.0 + 1), |batch, at| {
        let at = begins + at;
        let n = left.partition_point(|r| r.0 < at + batch.n_rows as u64);
        let (here, after) = left.split_at(n);
        for (row, i) in here {
            for (c, value) in out[*i].iter_mut().enumerate() {
                *value = if batch.is_broken(c) { UNREADABLE.into() } else { text(batch.cell(c, (row - at) as usize)) };
            }
        }
        left = after;
        if left.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// The first of `names` that is a column of the file; the empty name is none.
fn named<'a>(file: &File, names: &[&'a str]) -> &'a str {
    names.iter().find(|name| file.columns.iter().any(|c| c == *name)).copied().unwrap_or_default()
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Absent => String::new(),
        Cell::Int(v) => v.to_string(),
        Cell::Float(v) => v.to_string(),
        Cell::Text(v) => v,
    }
}
