//! One record of the plugin's timelines: borrowed while it is read, and its fields when they are asked for.

use crate::base::{InputSet, Item};
use crate::formats::json::cursor::Broken;
use crate::formats::json::{Cursor, Keys, Value, compact, unescape};
use crate::formats::{Field, ImportError};
use crate::model::Profile;

/// A record, borrowed.
#[derive(Default)]
pub(super) struct Event<'a> {
    pub phase: u8,
    pub name: &'a [u8],
    pub pid: &'a [u8],
    pub tid: &'a [u8],
    pub ts: Option<&'a [u8]>,
    pub dur: Option<&'a [u8]>,
    pub args: &'a [u8],
}

/// What a key of a record means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Phase,
    Process,
    Thread,
    Start,
    Duration,
    Name,
    Args,
    Other,
}

impl Key {
    fn of(key: &[u8]) -> Key {
        match key {
            b"ph" => Key::Phase,
            b"pid" => Key::Process,
            b"tid" => Key::Thread,
            b"ts" => Key::Start,
            b"dur" => Key::Duration,
            b"name" => Key::Name,
            b"args" => Key::Args,
            _ => Key::Other,
        }
    }
}

impl<'a> Event<'a> {
    /// Reads the object `text`; `keys` are those of the records before.
    pub fn read(text: &'a [u8], keys: &mut Keys<Key>) -> Result<Self, Broken> {
        if text.first() != Some(&b'{') {
            return Err(Broken { at: 0 });
        }
        let mut event = Event::default();
        let mut cursor = Cursor::new(text);
        let mut at = 0;
        while let Some(key) = keys.next(&mut cursor, &mut at, Key::of)? {
            let value = plain(cursor.value()?);
            match key {
                Key::Phase => event.phase = if value.len() == 1 { value[0] } else { 0 },
                Key::Process => event.pid = value,
                Key::Thread => event.tid = value,
                Key::Start => event.ts = Some(value),
                Key::Duration => event.dur = Some(value),
                Key::Name => event.name = value,
                Key::Args => event.args = value,
                Key::Other => {}
            }
        }
        if cursor.at() + 1 == text.len() { Ok(event) } else { Err(Broken { at: cursor.at() }) }
    }
}

/// A value's text without quotes.
pub(super) fn plain(value: Value<'_>) -> &[u8] {
    match value {
        Value::Text(text) | Value::Bare(text) | Value::Object(text) | Value::List(text) => text,
    }
}

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
pub(crate) fn record(input: &InputSet, profile: &Profile, item: Item) -> Result<Vec<Field>, ImportError> {
    let gone = || ImportError::Invalid("The record is not in a file of its own: its fields are not available.".into());
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
                    value => unescape(plain(value)).into_owned(),
                };
                out.push(Field { group: group.into(), key, value: text, unit: unit.into(), help: String::new() });
            }
        }
    }
}
