//! The table `args`: every field of the records of slices, read back from the file.

use super::{Column, Values};
use crate::base::SliceId;
use crate::engine::{Session, told};
use crate::formats;

/// Slices of one part: the record of each is read.
pub(super) const SLICES: usize = 16_384;

/// Columns of `args` of these slices. A value is text, as the file has it.
pub(super) fn args(session: &Session, columns: &[Column], slices: &[SliceId]) -> Result<Vec<Values>, String> {
    let format = formats::by_id(&session.claim.format).ok_or_else(|| format!("The format `{}` is not known.", session.claim.format))?;
    let mut rows: Vec<(u32, formats::Field)> = Vec::new();
    told::records(format, &session.input, &session.profile, slices, &mut |at, fields| {
        rows.extend(fields.into_iter().map(|field| (slices[at].0, field)));
    })?;
    let texts = |of: &dyn Fn(&formats::Field) -> &String| {
        Values::Texts(rows.iter().map(|(_, field)| Some(of(field).clone()).filter(|text| !text.is_empty())).collect())
    };
    let column = |c: &Column| match c.name.as_ref() {
        "slice_id" => Values::Ints(rows.iter().map(|(slice, _)| Some(i64::from(*slice))).collect()),
        "key" => texts(&|f| &f.key),
        "value" => texts(&|f| &f.value),
        "unit" => texts(&|f| &f.unit),
        "group" => texts(&|f| &f.group),
        _ => Values::absent(c.kind, rows.len()),
    };
    Ok(columns.iter().map(column).collect())
}
