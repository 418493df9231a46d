//! Reads chosen fields of many records from the file, in batches of neighbouring records: what an export needs beside the profile's columns.

use super::scan::{Cursor, place, with_window};
use crate::base::{InputSet, SliceId};
use crate::formats::{Field, Format, ImportError};
use crate::model::Profile;

/// Largest gap between two records of one batch, bytes of the file.
const MOST_BETWEEN: u64 = 16 << 10;
/// Most bytes of one batch.
const INTERVAL: u64 = 1 << 20;

/// For each of `slices` its fields, as text: of each of `keys` the first name that its record has; empty where it has none.
pub(super) fn fields(
    format: &dyn Format,
    input: &InputSet,
    profile: &Profile,
    slices: &[SliceId],
    keys: &[&[&str]],
) -> Result<Vec<Vec<String>>, ImportError> {
    if let Some(read) = format.columns(input, profile, slices, keys) {
        return read;
    }
    let mut out = vec![vec![String::new(); keys.len()]; slices.len()];
    records(format, input, profile, slices, &mut |i, record| {
        for (value, names) in out[i].iter_mut().zip(keys) {
            let found = names.iter().find_map(|name| record.iter().find(|f| f.key == *name));
            *value = found.map(|f| f.value.clone()).unwrap_or_default();
        }
    })?;
    Ok(out)
}

/// Calls `each` with the fields of each of `slices` in file order; the first argument is the index in `slices`.
pub(super) fn records(
    format: &dyn Format,
    input: &InputSet,
    profile: &Profile,
    slices: &[SliceId],
    each: &mut dyn FnMut(usize, Vec<Field>),
) -> Result<(), ImportError> {
    let at = |(i, slice): (usize, &SliceId)| (Cursor { place: place(profile.slices.record[slice.index()]), slice: slice.0 }, i);
    let mut order: Vec<(Cursor, usize)> = slices.iter().enumerate().map(at).collect();
    order.sort_unstable();
    for interval in order.chunk_by(|a, b| b.0.place - a.0.place <= MOST_BETWEEN) {
        for part in pieces(interval) {
            let batch: Vec<Cursor> = part.iter().map(|p| p.0).collect();
            let input = with_window(input, &batch);
            for (cursor, i) in part {
                each(*i, format.record(&input, profile, SliceId(cursor.slice).into())?);
            }
        }
    }
    Ok(())
}

/// Splits a batch that is too long to hold in memory.
fn pieces(mut rest: &[(Cursor, usize)]) -> Vec<&[(Cursor, usize)]> {
    let mut out = Vec::new();
    while let Some(first) = rest.first() {
        let n = rest.partition_point(|p| p.0.place - first.0.place < INTERVAL).max(1);
        let (piece, after) = rest.split_at(n);
        out.push(piece);
        rest = after;
    }
    out
}
