//! A record of the timeline: the values that have a use there, found in one pass.

use super::schema;
use super::value::{Fields, Raw};
use super::walk;
use crate::base::bytes::same;
use std::borrow::Cow;

/// Keys that the timeline reads.
macro_rules! keys {
    ($($key:ident = $name:literal,)*) => {
        /// A key of a record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Key { $($key,)* }

        impl Key {
            const ALL: &'static [(&'static str, Key)] = &[$(($name, Key::$key),)*];
        }
    };
}

keys! {
    Timestamp = "timestamp",
    Duration = "duration",
    Subgraph = "subgraph",
    Subgroup = "subgroup",
    Label = "label",
    Opcode = "opcode",
    Operands = "operands",
    Pc = "pc",
    EvtWaitTime = "evt_wait_time",
    InstructionType = "instruction_type",
    Layer = "layer",
    HloName = "hlo_name",
    NkiSourceLocation = "nki_source_location",
    BirInstructionName = "bir_instruction_name",
    PenguinId = "penguin_id",
    Id = "id",
    Predecessors = "predecessors",
    Elements = "elements",
    SbufReadBytes = "sbuf_read_bytes",
    SbufWriteBytes = "sbuf_write_bytes",
    HbmReadBytes = "hbm_read_bytes",
    HbmWriteBytes = "hbm_write_bytes",
    SpillSaveBytes = "spill_save_bytes",
    SpillReloadBytes = "spill_reload_bytes",
    TransferSize = "transfer_size",
    DmaEngine = "dma_engine",
    DmaQueue = "dma_queue",
    Variable = "variable",
    QueueType = "queue_type",
    Duplicate = "duplicate",
    IsCcDma = "is_cc_dma",
    Value = "value",
    TransferRate = "transfer_rate",
    HbmTransferRate = "hbm_transfer_rate",
    UsesHbm = "uses_hbm",
    K = "k",
    N = "n",
    Type = "type",
    Bank0 = "bank_0_usage",
    Bank1 = "bank_1_usage",
    Bank2 = "bank_2_usage",
    Bank3 = "bank_3_usage",
    Bank4 = "bank_4_usage",
    Bank5 = "bank_5_usage",
    Bank6 = "bank_6_usage",
    Bank7 = "bank_7_usage",
    Partition0 = "partition_0_usage",
    Partition32 = "partition_32_usage",
    Partition64 = "partition_64_usage",
    Partition96 = "partition_96_usage",
}

/// Values of a record by key; of a key that comes twice, the first.
pub(super) struct Values<'a> {
    text: &'a str,
    /// Whether strings hold no escapes.
    is_plain: bool,
    /// From and to in `text`; nothing where the record lacks the key.
    places: [(u32, u32); Key::ALL.len()],
}

impl<'a> Values<'a> {
    /// The value of a key, as written.
    pub fn get(&self, key: Key) -> Option<Raw<'a>> {
        let (from, to) = self.places[key as usize];
        self.text.get(from as usize..to as usize).filter(|text| !text.is_empty()).map(Raw)
    }

    /// The value as text; empty where there is none.
    pub fn text(&self, key: Key) -> Cow<'a, str> {
        match self.get(key) {
            None => Cow::Borrowed(""),
            Some(Raw(text)) if self.is_plain && text.len() > 1 && text.starts_with('"') => Cow::Borrowed(&text[1..text.len() - 1]),
            Some(raw) => raw.text(),
        }
    }

    /// The values of a record from its fields, which were read from `text`.
    pub fn of(text: &'a str, fields: &Fields<'a>) -> Self {
        let mut places = [(0, 0); Key::ALL.len()];
        for (name, value) in fields {
            let from = value.0.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
            let known = Key::ALL.iter().find(|k| k.0 == name.as_ref()).map(|k| k.1 as usize);
            if let (Some(key), Ok(from)) = (known.filter(|k| places[*k].1 == 0), u32::try_from(from)) {
                places[key] = (from, from.saturating_add(value.0.len() as u32));
            }
        }
        Values { text, is_plain: false, places }
    }
}

/// What a key is to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The timeline reads it.
    Read(Key),
    /// The key is shown in the details of the record.
    Shown,
}

/// The known keys of a section, found by their length and three of their letters.
pub(super) struct Table {
    places: Vec<Option<(&'static str, Known)>>,
}

impl Table {
    const N: usize = 512;

    /// The table of a section; `None` where all keys are known.
    pub fn of(section: &str) -> Option<Table> {
        let mut table = Table { places: vec![None; Self::N] };
        for name in schema::known_keys(section)? {
            let read = Key::ALL.iter().find(|k| k.0 == *name);
            let mut at = Self::place(name.as_bytes());
            while table.places[at].is_some() {
                at = (at + 1) % Self::N;
            }
            table.places[at] = Some((name, read.map_or(Known::Shown, |k| Known::Read(k.1))));
        }
        Some(table)
    }

    #[inline(always)]
    fn place(key: &[u8]) -> usize {
        let [Some(first), Some(middle), Some(last)] = [key.first(), key.get(key.len() / 2), key.last()] else { return 0 };
        (key.len() + usize::from(*first) * 11 + usize::from(*middle) * 37 + usize::from(*last) * 131) % Self::N
    }

    /// What a key is; `None` for an unknown one.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<Known> {
        let mut at = Self::place(key);
        while let Some((name, known)) = &self.places[at] {
            if same(name.as_bytes(), key) {
                return Some(*known);
            }
            at = (at + 1) % Self::N;
        }
        None
    }
}

/// The record that `text` begins with, its values, and the keys that `table` lacks; `None` where it needs a closer look.
pub(super) fn read<'a>(table: &Table, text: &'a [u8]) -> Option<(&'a [u8], Values<'a>, Vec<&'a str>)> {
    let mut places = [(0u32, 0u32); Key::ALL.len()];
    let mut others = Vec::new();
    let n = walk::entries(text, &mut |key, value| match table.find(&text[key.clone()]) {
        Some(Known::Read(key)) if places[key as usize].1 == 0 => places[key as usize] = (value.start as u32, value.end as u32),
        Some(_) => (),
        None => others.push(key),
    })?;
    let record = text.get(..n).filter(|_| u32::try_from(n).is_ok())?;
    let plain = std::str::from_utf8(record).ok()?;
    let unknown = others.into_iter().filter_map(|key| plain.get(key)).collect();
    Some((record, Values { text: plain, is_plain: true, places }, unknown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::neuron_json::value::fields;

    #[test]
    fn every_known_key_is_found() {
        for section in ["instruction", "dma", "semaphore_update", "dma_throughput", "instruction_usage"] {
            let table = Table::of(section).expect("a section of the timeline");
            for key in schema::known_keys(section).expect("known") {
                assert!(table.find(key.as_bytes()).is_some(), "{section}.{key}");
            }
            assert_eq!((table.find(b""), table.find(b"timestamps"), table.find(b"x")), (None, None, None));
        }
        assert!(Table::of("neff_node").is_none());
    }

    #[test]
    fn both_ways_of_reading_agree() {
        let text = r#"{"timestamp":5,"new":[1],"id":"7","timestamp":9,"operands":"","crc_in":1,"pc":null}"#;
        let table = Table::of("instruction").expect("known");
        let (record, one, unknown) = read(&table, text.as_bytes()).expect("plain");
        let other = Values::of(text, &fields(text).expect("an object"));
        for (_, key) in Key::ALL {
            assert_eq!(one.get(*key).map(|r| r.0), other.get(*key).map(|r| r.0), "{key:?}");
        }
        assert_eq!((one.get(Key::Timestamp).and_then(Raw::int), one.get(Key::Id).and_then(Raw::int)), (Some(5), Some(7)));
        assert_eq!((unknown, record.len()), (vec!["new"], text.len()));
    }
}
