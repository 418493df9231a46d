//! Rows of a table as a stream of Arrow.

use super::{Kind, Part, Table, Values, Words};
use crate::base::arrow::{Array, stream as ipc};

/// A stream with the schema of `table` and one batch of `part`.
pub(super) fn stream(table: &Table, part: &Part) -> Vec<u8> {
    let array = |(values, kind): (&Values, Kind)| match (values, kind) {
        (Values::Ints(v), Kind::Int32) => Array::ints32(v.iter().map(|n| n.and_then(|n| i32::try_from(n).ok()))),
        (Values::Ints(v), _) => Array::ints(v.iter().copied()),
        (Values::Floats(v), Kind::Float) => Array::floats32(v.iter().map(|n| n.map(|n| n as f32))),
        (Values::Floats(v), _) => Array::floats(v.iter().copied()),
        (Values::Flags(v), _) => Array::flags(v.iter().copied()),
        (Values::Texts(v), _) => Array::texts(v.iter().map(Option::as_deref)),
        (Values::Words(v), _) => {
            Array::words(v.codes.iter().map(|c| (*c != Words::ABSENT).then_some(*c)), v.words.iter().map(String::as_str))
        }
    };
    let columns: Vec<(&str, Array)> =
        table.columns.iter().zip(&part.columns).map(|(c, values)| (c.name.as_ref(), array((values, c.kind)))).collect();
    ipc(&columns, part.n_rows)
}
