//! The fields of one record of the plugin's timelines, when they are asked for.

use crate::base::{EventId, InputSet};
use crate::formats::json::{Cursor, Value, compact, unescape};
use crate::formats::{Field, ImportError};
use crate::model::Profile;

/// An entry of an object.
pub(super) fn entry<'a>(object: &'a [u8], wanted: &[u8]) -> Option<Value<'a>> {
    let mut cursor = Cursor::new(object);
    while let Ok(Some(key)) = cursor.key() {
        let value = cursor.value().ok()?;
        if key == wanted {
            return Some(value);
        }
    }
    None
}

/// Every field of a slice or an instant, read again.
pub(crate) fn record(input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
    let gone = || ImportError::Invalid("The record is not stored in a separate file: its fields are not available.".into());
    let record = profile.record_of(item).filter(|r| r.n_bytes() != Some(0)).ok_or_else(gone)?;
    let member = input.members.get(record.member()).ok_or_else(gone)?;
    let text = member.read(record.offset(), record.n_bytes().ok_or_else(gone)?)?;
    let mut out = Vec::new();
    fields(&text, "Event", &mut out);
    Ok(out)
}

/// Entries of an object as fields; those of `args` under a heading of their own.
pub(super) fn fields(object: &[u8], group: &str, out: &mut Vec<Field>) {
    let mut cursor = Cursor::new(object);
    while let Ok(Some(key)) = cursor.key() {
        let Ok(value) = cursor.value() else {
            return;
        };
        let key = unescape(key).into_owned();
        match value {
            Value::Object(inner) if group == "Event" && matches!(key.as_str(), "args" | "data") => fields(inner, "Args", out),
            _ => {
                let unit = match key.as_str() {
                    "ts" | "dur" | "tts" if group == "Event" => "µs",
                    k if k.ends_with("_ns") || k == "timestamp" || k == "duration" => "ns",
                    _ => "",
                };
                let text = match value {
                    Value::Object(text) | Value::List(text) => compact(text),
                    value => unescape(value.plain()).into_owned(),
                };
                out.push(Field { group: group.into(), key, value: text, unit: unit.into(), help: String::new() });
            }
        }
    }
}
