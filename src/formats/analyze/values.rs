//! Values of a report as text and numbers.

use crate::formats::json::{Cursor, Value, compact, unescape};

/// `60.00%`, `60.00` or `60` as a number from 0 to 100.
pub(super) fn percent(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p))
}

/// A value as text; `None` for `null`.
pub(super) fn text(value: Value<'_>) -> Option<String> {
    (value != Value::Bare(b"null")).then(|| lines(value))
}

/// As text: of a list, its items as lines.
pub(super) fn lines(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => unescape(text).into_owned(),
        Value::Bare(b"null") => String::new(),
        Value::Bare(text) | Value::Object(text) => String::from_utf8_lossy(text).into_owned(),
        Value::List(list) => {
            let mut cursor = Cursor::new(list);
            let mut out = Vec::new();
            while let Ok(Some(item)) = cursor.item() {
                out.push(match item {
                    Value::List(text) | Value::Object(text) => String::from_utf8_lossy(text).into_owned(),
                    item => lines(item),
                });
            }
            out.join("\n")
        }
    }
}

/// A value for an example.
pub(super) fn shown(value: Value<'_>) -> String {
    match value {
        Value::Object(text) | Value::List(text) => compact(text),
        value => lines(value),
    }
}
