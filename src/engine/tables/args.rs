//! The table `args`: every field of the records of slices, read back from the file.

use super::{Column, Values, Words};
use crate::base::SliceId;
use crate::engine::{Refusal, Session, record_fields};
use crate::formats;

/// Slices of one part: the record of each is read.
pub(super) const SLICES: usize = 16_384;

/// Columns of `args` of these slices. A value is text, as the file has it.
pub(super) fn args(session: &Session, columns: &[Column], slices: &[SliceId]) -> Result<Vec<Values>, Refusal> {
    let format = session.format()?;
    let mut rows: Vec<(u32, formats::Field)> = Vec::new();
    record_fields::records(format, &session.input, &session.profile, slices, &mut |at, fields| {
        rows.extend(fields.into_iter().map(|field| (slices[at].0, field)));
    })?;
    // Keys, units and groups repeat, values seldom do.
    let words = |of: fn(&formats::Field) -> &String| Words::of_texts(rows.iter().map(|(_, field)| of(field).as_str()));
    let column = |c: &Column| match c.name.as_ref() {
        "slice_id" => Values::Ints(rows.iter().map(|(slice, _)| Some(i64::from(*slice))).collect()),
        "key" => words(|f| &f.key),
        "value" => Values::Texts(rows.iter().map(|(_, f)| Some(f.value.clone()).filter(|text| !text.is_empty())).collect()),
        "unit" => words(|f| &f.unit),
        "group" => words(|f| &f.group),
        _ => Values::absent(c.kind, rows.len()),
    };
    Ok(columns.iter().map(column).collect())
}
