//! The hover card of a slice: its self time and the three most informative fields of its record.

use crate::base::DurationNs;
use crate::formats::Field;
use serde::{Deserialize, Serialize};

/// Short facts of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SliceSummary {
    /// Self time: duration minus children on its track; `None` if slices do not nest.
    pub self_time: Option<DurationNs>,
    /// (key, value with unit), most informative first; at most three.
    pub fields: Vec<(String, String)>,
}

/// Preferred keys, in this order: what was computed, how much, where it came from.
const TELLING: [&str; 26] = [
    "Input Dims",
    "Input dims",
    "Bytes",
    "bytes",
    "transfer_size",
    "read_bytes",
    "operands",
    "Collective name",
    "In msg nelems",
    "grid",
    "block",
    "Module Hierarchy",
    "hlo_name",
    "layer",
    "variable",
    "queue_name",
    "opcode",
    "nki_source_location",
    "source_location",
    "evt_wait_time_ns",
    "semaphore_id",
    "Call stack",
    "Input type",
    "stream",
    "Name",
    "External id",
];
/// Most fields on a card.
const MOST: usize = 3;
/// A value is cut beyond this, characters.
const LONGEST: usize = 80;

/// The most informative fields of a record. Empty values and repetitions of the name are omitted. Without a preferred key: the first arguments.
pub fn distinctive_fields(fields: &[Field], name: &str) -> Vec<(String, String)> {
    let is_said = |f: &&Field| {
        let value = f.value.trim();
        !value.is_empty() && value != name && value != "[]" && value != "null"
    };
    let known = TELLING.iter().filter_map(|key| fields.iter().filter(is_said).find(|f| f.key == *key));
    let args = fields.iter().filter(is_said).filter(|f| f.group == "Args");
    let mut out: Vec<(String, String)> = Vec::new();
    for field in known.chain(args) {
        if out.len() < MOST && out.iter().all(|o| o.0 != field.key) {
            let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
            out.push((field.key.clone(), format!("{}{unit}", crate::base::text::middle_ellipsis(&field.value, LONGEST))));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fields: &[(&str, &str, &str, &str)], want: &[(&str, &str)]) {
        let fields: Vec<Field> = fields
            .iter()
            .map(|f| Field { group: f.0.into(), key: f.1.into(), value: f.2.into(), unit: f.3.into(), help: String::new() })
            .collect();
        let got = distinctive_fields(&fields, "op");
        let got: Vec<(&str, &str)> = got.iter().map(|g| (g.0.as_str(), g.1.as_str())).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn what_was_computed_comes_before_ids() {
        let event = ("Event", "ts", "1", "µs");
        let id = ("Args", "External id", "7", "");
        let dims = ("Args", "Input Dims", "[[2, 3]]", "");
        check(&[event, id, dims], &[("Input Dims", "[[2, 3]]"), ("External id", "7")]);
        check(
            &[event, ("Args", "Input Dims", "[]", ""), ("Args", "Bytes", "4096", "bytes"), id],
            &[("Bytes", "4096 bytes"), ("External id", "7")],
        );
    }

    #[test]
    fn unknown_arguments_are_listed_in_the_order_of_the_file() {
        check(
            &[("Event", "x", "1", ""), ("Args", "b", "op", ""), ("Args", "c", "2", ""), ("Args", "a", "3", "ms")],
            &[("c", "2"), ("a", "3 ms")],
        );
        check(&[], &[]);
    }
}
