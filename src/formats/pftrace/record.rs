//! Every field of an event, read back from its packets.

use super::super::ntff::{Message, Value};
use super::args::{ANNOTATION_NAMES, ANNOTATION_TEXTS, CATEGORIES, EVENT_NAMES};
use crate::base::{EventId, InputSet};
use crate::formats::{Field, ImportError};
use crate::model::{Domain, PerfettoGeneration, Profile, RecordRef};

/// Arguments in arguments are followed so deep.
const DEPTH_MAX: usize = 32;
/// The most fields that one event shows.
const FIELDS_MAX: usize = 2000;

/// The fields of an event: of both packets where its end has one of its own.
pub fn fields(input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
    let none = || ImportError::Invalid("The event was in a compressed packet: its fields cannot be read again.".into());
    let first = profile.record_of(item).filter(|r| *r != RecordRef::default()).ok_or_else(none)?;
    let mut out = Vec::new();
    read(input, profile, first, "", &mut out)?;
    if let Some(second) = profile.end_record_of(item).filter(|r| *r != RecordRef::default()) {
        read(input, profile, second, "End: ", &mut out)?;
    }
    Ok(out)
}

fn read(input: &InputSet, profile: &Profile, record: RecordRef, prefix: &str, out: &mut Vec<Field>) -> Result<(), ImportError> {
    let member = input.members.get(record.member()).ok_or_else(|| ImportError::Invalid("The record's file is not open.".into()))?;
    let length =
        record.n_bytes().ok_or_else(|| ImportError::Unsupported("The packet is longer than 1 MiB; its fields are not shown.".into()))?;
    let packet = member.read(record.offset(), length)?;
    let sequence = Message::field(&packet, 10).number();
    let names = match &profile.domain {
        Domain::Perfetto(names) => names.at(sequence, record.offset()),
        _ => None,
    };
    let mut reader = Reader { names, out, event: format!("{prefix}Event"), args: format!("{prefix}Args") };
    for (field, value) in Message::new(&packet) {
        match field {
            8 => reader.event("timestamp", value.number().to_string(), "", "Time on the packet's clock, as written."),
            10 => reader.event("trusted_packet_sequence_id", value.number().to_string(), "", "The writer of the packet."),
            58 => reader.event("timestamp_clock_id", value.number().to_string(), "", "The packet's clock."),
            _ => {}
        }
    }
    reader.track_event(Message::field(&packet, 11).bytes());
    Ok(())
}

struct Reader<'a> {
    names: Option<&'a PerfettoGeneration>,
    out: &'a mut Vec<Field>,
    event: String,
    args: String,
}

impl Reader<'_> {
    fn push(&mut self, group: String, key: &str, value: String, unit: &str, help: &str) {
        if self.out.len() < FIELDS_MAX {
            self.out.push(Field { group, key: key.into(), value, unit: unit.into(), help: help.into() });
        }
    }

    fn event(&mut self, key: &str, value: String, unit: &str, help: &str) {
        self.push(self.event.clone(), key, value, unit, help);
    }

    fn named(&self, field: u64, number: u64) -> String {
        self.names.and_then(|n| n.text(field, number)).map_or_else(|| format!("number {number}"), str::to_string)
    }

    fn track_event(&mut self, bytes: &[u8]) {
        for (field, value) in Message::new(bytes) {
            match field {
                3 => {
                    for number in value.numbers() {
                        let text = self.named(CATEGORIES, number);
                        self.event("category", text, "", "Category.");
                    }
                }
                4 => self.annotation("debug", value.bytes(), 0),
                9 => {
                    let text = ["unspecified", "slice begin", "slice end", "instant", "counter"].get(value.number() as usize).copied();
                    self.event(
                        "type",
                        text.map_or_else(|| value.number().to_string(), str::to_string),
                        "",
                        "What the event does on its track.",
                    );
                }
                10 => {
                    let text = self.named(EVENT_NAMES, value.number());
                    self.event("name", text, "", "Name.");
                }
                11 => self.event("track_uuid", value.number().to_string(), "", "The track, by the number of its descriptor."),
                22 => self.event("category", value.text(), "", "Category."),
                23 => self.event("name", value.text(), "", "Name."),
                36 | 47 => self.event("flow_ids", ids(value), "", "Flows that pass through the event."),
                42 | 48 => self.event("terminating_flow_ids", ids(value), "", "Flows that end at the event."),
                6 => self.event("legacy_event", format!("{} bytes", value.bytes().len()), "", "Fields of the Chrome trace format."),
                _ => {
                    let text = if let Value::Number(n) = value { n.to_string() } else { format!("{} bytes", value.bytes().len()) };
                    self.event(&format!("field {field}"), text, "", "A typed field; its name is not recorded in this file.");
                }
            }
        }
    }

    /// An annotation as `path` and value; lists and entries get paths of their own.
    fn annotation(&mut self, path: &str, bytes: &[u8], depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let mut name = String::new();
        let mut n_items = 0;
        for (field, value) in Message::new(bytes) {
            match field {
                1 => name = self.named(ANNOTATION_NAMES, value.number()),
                10 => name = value.text(),
                _ => {}
            }
        }
        let path = if name.is_empty() { path.to_string() } else { format!("{path}.{name}") };
        for (field, value) in Message::new(bytes) {
            let text = match field {
                2 => {
                    if value.number() != 0 {
                        "true".into()
                    } else {
                        "false".into()
                    }
                }
                3 => value.number().to_string(),
                4 => (value.number() as i64).to_string(),
                5 => f64::from_bits(value.number()).to_string(),
                6 | 9 => value.text(),
                7 => format!("{:#x}", value.number()),
                8 => {
                    self.nested(&path, value.bytes(), depth + 1);
                    continue;
                }
                11 => {
                    self.annotation(&path, value.bytes(), depth + 1);
                    continue;
                }
                12 => {
                    self.annotation(&format!("{path}[{n_items}]"), value.bytes(), depth + 1);
                    n_items += 1;
                    continue;
                }
                17 => self.named(ANNOTATION_TEXTS, value.number()),
                _ => continue,
            };
            let key = path.strip_prefix("debug.").unwrap_or(&path).to_string();
            self.push(self.args.clone(), &key, text, "", "");
        }
    }

    /// A `NestedValue`: keys and values in two lists, items, or one value.
    fn nested(&mut self, path: &str, bytes: &[u8], depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let keys: Vec<String> = Message::new(bytes).filter(|f| f.0 == 2).map(|f| f.1.text()).collect();
        let (mut n_values, mut n_items) = (0, 0);
        for (field, value) in Message::new(bytes) {
            let text = match field {
                3 => {
                    let key = keys.get(n_values).cloned().unwrap_or_default();
                    n_values += 1;
                    self.nested(&format!("{path}.{key}"), value.bytes(), depth + 1);
                    continue;
                }
                4 => {
                    self.nested(&format!("{path}[{n_items}]"), value.bytes(), depth + 1);
                    n_items += 1;
                    continue;
                }
                5 => (value.number() as i64).to_string(),
                6 => f64::from_bits(value.number()).to_string(),
                7 => (value.number() != 0).to_string(),
                8 => value.text(),
                _ => continue,
            };
            let key = path.strip_prefix("debug.").unwrap_or(path).to_string();
            self.push(self.args.clone(), &key, text, "", "");
        }
    }
}

fn ids(value: Value<'_>) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Bytes(bytes) => {
            bytes.chunks_exact(8).map(|c| super::super::ntff::little_endian(c).to_string()).collect::<Vec<_>>().join(", ")
        }
    }
}
