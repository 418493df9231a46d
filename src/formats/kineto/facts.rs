//! Values in the root of a trace, except its events.

use crate::formats::json::{Cursor, Value, compact, number, unescape};
use crate::model::Fact;
use crate::model::torch::{Device, PROCESS_GROUPS};

/// The known root values.
#[derive(Debug, Default)]
pub struct TraceMetadata {
    /// For the profile's page of facts.
    pub facts: Vec<Fact>,
    /// What times are counted from, nanoseconds since 1970.
    pub base_ns: Option<i64>,
    /// Time of the file at which the trace that this one is a part of begins, nanoseconds.
    pub origin_ns: Option<i64>,
    /// Rank and world size.
    pub rank: Option<(u32, u32)>,
    /// `Framework`: a library that drives the training; mostly empty.
    pub framework: String,
    /// Devices, in the order of the list.
    pub devices: Vec<Device>,
    /// Root keys in the order of the file.
    pub keys: Vec<String>,
}

/// Facts beyond this number are not kept; a hostile root could hold millions.
const FACTS_MAX: usize = 1000;
const VALUE_MAX: usize = 4096;
/// PyTorch's text for a group without a description.
const NO_DESCRIPTION: [&str; 3] = ["", "default_pg", "undefined"];
/// No machine has more; bounds what a hostile root can make us hold.
const DEVICES_MAX: usize = 4096;

impl TraceMetadata {
    /// Notes a root key.
    pub fn key(&mut self, key: &[u8]) {
        if self.keys.len() < 64 {
            self.keys.push(unescape(key).into_owned());
        }
    }

    /// Whether the root has that key.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|k| k == key)
    }

    /// Takes the value of a root key.
    pub fn value(&mut self, key: &[u8], text: &[u8]) {
        match key {
            b"baseTimeNanoseconds" => self.base_ns = number::scaled(text.trim_ascii().trim_prefix_quote(), 0),
            b"axonscopeOrigin" => return self.origin_ns = number::micros_to_nanos(text.trim_ascii().trim_prefix_quote()),
            b"Framework" => self.framework = shown(text),
            b"deviceProperties" => return self.devices(text),
            b"distributedInfo" => {
                self.rank = rank(text);
                self.entries("Distributed", text);
                return self.process_groups(text);
            }
            b"metadata" if text.starts_with(b"{") => return self.entries("Metadata", text),
            _ => {}
        }
        self.push("Trace", &unescape(key), shown(text));
    }

    /// What frameworks call the process groups: `pg_desc` by `pg_name`.
    fn process_groups(&mut self, text: &[u8]) {
        let mut info = Cursor::new(text);
        while let Ok(Some(key)) = info.key() {
            match info.value() {
                Ok(Value::List(list)) if key == b"pg_config" => {
                    let mut groups = Cursor::new(list);
                    while let Ok(Some(Value::Object(group))) = groups.item() {
                        let described = field(group, b"pg_name").zip(field(group, b"pg_desc"));
                        if let Some((name, words)) = described.filter(|(_, words)| !NO_DESCRIPTION.contains(&words.as_str())) {
                            self.push(PROCESS_GROUPS, &name, words);
                        }
                    }
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn devices(&mut self, text: &[u8]) {
        let mut cursor = Cursor::new(text);
        let mut n = 0;
        while let Ok(Some(Value::Object(device))) = cursor.item() {
            let id = field(device, b"id").unwrap_or_else(|| n.to_string());
            self.entries(&format!("Device {id}"), device);
            if self.devices.len() < DEVICES_MAX {
                self.devices.push(properties(device, n));
            }
            n += 1;
        }
    }

    fn entries(&mut self, group: &str, text: &[u8]) {
        if !text.starts_with(b"{") {
            return self.push("Trace", group, shown(text));
        }
        let mut cursor = Cursor::new(text);
        while let Ok(Some(key)) = cursor.key() {
            let Ok(value) = cursor.value() else {
                return;
            };
            self.push(group, &unescape(key), value_text(value));
        }
    }

    fn push(&mut self, group: &str, name: &str, mut value: String) {
        if self.facts.len() >= FACTS_MAX {
            return;
        }
        if value.len() > VALUE_MAX {
            let end = (0..=VALUE_MAX).rev().find(|&i| value.is_char_boundary(i)).unwrap_or(0);
            value.truncate(end);
            value.push('…');
        }
        self.facts.push(Fact { group: group.into(), name: name.into(), value });
    }
}

trait Unquoted {
    fn trim_prefix_quote(&self) -> &Self;
}

impl Unquoted for [u8] {
    fn trim_prefix_quote(&self) -> &[u8] {
        self.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")).unwrap_or(self)
    }
}

/// A value as text: strings without quotes, nested ones on one line.
pub fn value_text(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => unescape(text).into_owned(),
        Value::Bare(text) => String::from_utf8_lossy(text).into_owned(),
        Value::Object(text) | Value::List(text) => compact(text),
    }
}

fn shown(text: &[u8]) -> String {
    let text = text.trim_ascii();
    match text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")) {
        Some(inner) => unescape(inner).into_owned(),
        None => compact(text),
    }
}

/// One entry of an object, as text.
fn field(object: &[u8], name: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(object);
    while let Ok(Some(key)) = cursor.key() {
        let value = cursor.value().ok()?;
        if key == name {
            return Some(value_text(value));
        }
    }
    None
}

/// What an analysis needs of the device at `place` in the list.
fn properties(device: &[u8], place: u32) -> Device {
    fn of<T: std::str::FromStr>(device: &[u8], name: &[u8]) -> Option<T> {
        field(device, name)?.parse().ok()
    }
    Device {
        id: of(device, b"id").unwrap_or(place),
        name: field(device, b"name").unwrap_or_default(),
        memory_bytes: of(device, b"totalGlobalMem"),
        compute: of(device, b"computeMajor").zip(of(device, b"computeMinor")),
        n_sms: of(device, b"numSms"),
    }
}

fn rank(text: &[u8]) -> Option<(u32, u32)> {
    let of = |name: &[u8]| field(text, name)?.parse().ok();
    text.starts_with(b"{").then(|| Some((of(b"rank")?, of(b"world_size")?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_process_groups_are_facts() {
        let mut facts = TraceMetadata::default();
        let text = br#"{"rank": 1, "world_size": 4, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [0]}, {"pg_name": "3", "pg_desc": "mesh_tp"}, 7]}"#;
        facts.value(b"distributedInfo", text);
        let groups: Vec<(&str, &str)> =
            facts.facts.iter().filter(|f| f.group == PROCESS_GROUPS).map(|f| (f.name.as_str(), f.value.as_str())).collect();
        assert_eq!((facts.rank, groups), (Some((1, 4)), vec![("3", "mesh_tp")]));
    }

    #[test]
    fn root_values_become_facts() {
        let mut facts = TraceMetadata::default();
        facts.value(b"baseTimeNanoseconds", b"1790857026000000000");
        facts.value(b"deviceProperties", br#"[{"id": 3, "name": "H100"}, {"totalGlobalMem": 9, "computeMajor": 9, "computeMinor": 0}]"#);
        facts.value(b"Framework", br#""pytorch-lightning""#);
        facts.value(b"distributedInfo", br#"{"backend": "nccl", "rank": 1, "world_size": 8}"#);
        facts.value(b"host_name", br#""vm""#);
        assert_eq!((facts.base_ns, facts.rank), (Some(1_790_857_026_000_000_000), Some((1, 8))));
        let device = |id, name: &str| Device { id, name: name.into(), ..Device::default() };
        let second = Device { memory_bytes: Some(9), compute: Some((9, 0)), ..device(1, "") };
        assert_eq!((&*facts.framework, facts.devices), ("pytorch-lightning", vec![device(3, "H100"), second]));
        let shown: Vec<String> = facts.facts.iter().map(|f| format!("{}/{}={}", f.group, f.name, f.value)).collect();
        assert_eq!(
            shown,
            [
                "Trace/baseTimeNanoseconds=1790857026000000000",
                "Device 3/id=3",
                "Device 3/name=H100",
                "Device 1/totalGlobalMem=9",
                "Device 1/computeMajor=9",
                "Device 1/computeMinor=0",
                "Trace/Framework=pytorch-lightning",
                "Distributed/backend=nccl",
                "Distributed/rank=1",
                "Distributed/world_size=8",
                "Trace/host_name=vm"
            ]
        );
    }
}
