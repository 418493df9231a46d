//! Every field of a slice or an instant, read back from the file.

use super::facts::value_text;
use crate::base::{EventId, InputSet};
use crate::formats::json::{Cursor, Value, nested_len, unescape};
use crate::formats::wording;
use crate::formats::{Field, ImportError};
use crate::model::{Profile, RecordRef};

/// Bytes of the first part in which the end of a record with unknown length is searched; parts grow.
const FIRST_PART: u64 = 4 << 20;

/// The fields of a slice or an instant: of both records where it has two.
pub fn fields(input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
    let gone = || ImportError::Invalid(wording::NO_RECORD.into());
    let first = profile.record_of(item).ok_or_else(gone)?;
    let mut out = Vec::new();
    read(input, first, "", &mut out)?;
    if let Some(second) = profile.end_record_of(item) {
        read(input, second, "End: ", &mut out)?;
    }
    Ok(out)
}

fn read(input: &InputSet, record: RecordRef, prefix: &str, out: &mut Vec<Field>) -> Result<(), ImportError> {
    let text = text(input, record)?;
    let mut cursor = Cursor::new(&text);
    let mut args = Vec::new();
    let broken = |at: usize| {
        let at = record.offset() + at as u64;
        ImportError::Invalid(format!(
            "Expected a trace event at byte {at}, found something else. The file may have changed after it was opened."
        ))
    };
    while let Some(key) = cursor.key().map_err(|b| broken(b.at))? {
        let value = cursor.value().map_err(|b| broken(b.at))?;
        match value {
            Value::Object(object) if key == b"args" => args = entries(object, &format!("{prefix}Args")),
            _ => out.push(field(&format!("{prefix}Event"), key, value)),
        }
    }
    out.append(&mut args);
    Ok(())
}

fn entries(object: &[u8], group: &str) -> Vec<Field> {
    let mut cursor = Cursor::new(object);
    let mut out = Vec::new();
    while let Ok(Some(key)) = cursor.key() {
        let Ok(value) = cursor.value() else {
            break;
        };
        out.push(field(group, key, value));
    }
    out
}

fn field(group: &str, key: &[u8], value: Value<'_>) -> Field {
    let is_event = group.ends_with("Event");
    let (unit, help) = match key {
        b"ts" if is_event => ("µs", "Start, as written; counted from the trace's time base."),
        b"dur" if is_event => ("µs", "Duration, as written."),
        b"ph" if is_event => ("", "Phase: X is a complete slice, B and E are its start and end."),
        b"cat" if is_event => ("", "Category."),
        b"Bytes" | b"bytes" => ("bytes", ""),
        b"memory bandwidth (GB/s)" => ("GB/s", ""),
        b"External id" | b"external id" => ("", "Links a kernel to the operator that launched it."),
        b"correlation" => ("", "Shared by a launch and its kernel."),
        b"Input Dims" => ("", "Shapes of the operator's inputs."),
        b"Input type" => ("", "Types of the operator's inputs."),
        b"est. achieved occupancy %" => ("%", "Estimated occupancy of the multiprocessors."),
        _ => ("", ""),
    };
    Field { group: group.into(), key: unescape(key).into_owned(), value: value_text(value), unit: unit.into(), help: help.into() }
}

/// The text of a record.
fn text(input: &InputSet, record: RecordRef) -> Result<Vec<u8>, ImportError> {
    let member = input.members.get(record.member()).ok_or_else(|| ImportError::Invalid(wording::RECORD_FILE_NOT_OPEN.into()))?;
    if let Some(n_bytes) = record.n_bytes() {
        return Ok(member.read(record.offset(), n_bytes)?);
    }
    let mut part = FIRST_PART;
    loop {
        let mut text = member.read_up_to(record.offset(), part)?;
        if let Some(len) = nested_len(&text) {
            text.truncate(len);
            return Ok(text);
        }
        if (text.len() as u64) < part || part >= crate::formats::json::split::RECORD_MAX as u64 {
            return Err(ImportError::Invalid(format!("The record at byte {} does not end.", record.offset())));
        }
        part *= 4;
    }
}
