//! Values of an operator's record.

use super::keys::time_with_unit;
use crate::formats::json::{Value, compact, number, unescape};
use crate::model::Cell;

/// A time as written, before its unit is known.
#[derive(Clone, Copy)]
pub(super) enum Raw {
    /// A whole number.
    Whole(i64),
    /// One with a fraction.
    Broken(f64),
    /// Value and nanoseconds in its unit.
    WithUnit(f64, i64),
}

/// A time, if the text is one.
pub(super) fn raw_time(value: Value<'_>) -> Option<Raw> {
    let written = value.plain();
    if let Some(whole) = std::str::from_utf8(written).ok().and_then(|t| t.trim().parse::<i64>().ok()) {
        return Some(Raw::Whole(whole));
    }
    if let Some(v) = number::float(written) {
        return Some(if v.fract() == 0.0 && v.abs() < 9e15 { Raw::Whole(v as i64) } else { Raw::Broken(v) });
    }
    time_with_unit(&unescape(written)).map(|(v, unit)| Raw::WithUnit(v, unit))
}

/// A value as text; empty for `null`.
pub(super) fn text(value: Value<'_>) -> String {
    if value == Value::Bare(b"null") { String::new() } else { unescape(value.plain()).into_owned() }
}

/// A value as a cell.
pub(super) fn cell(value: Value<'_>) -> Cell {
    match value {
        Value::Bare(b"null") => Cell::Absent,
        Value::Bare(word) => {
            let word = String::from_utf8_lossy(word);
            let whole = word.parse::<i64>().ok().map(Cell::Int);
            whole
                .or_else(|| word.parse::<f64>().ok().filter(|v| v.is_finite()).map(Cell::Float))
                .unwrap_or_else(|| Cell::Text(word.into_owned()))
        }
        Value::Text(text) => Cell::Text(unescape(text).into_owned()),
        Value::Object(text) | Value::List(text) => Cell::Text(compact(text)),
    }
}
