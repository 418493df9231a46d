//! Texts that only details show, kept by sequence and reset.

use super::super::ntff::Message;
use crate::base::Order as _;
use crate::model::{PerfettoGeneration, PerfettoNames};
use rustc_hash::FxHashMap;

/// Fields of `InternedData` that details need: categories, event names, names and texts of debug annotations.
pub const CATEGORIES: u64 = 1;
/// Names of events.
pub const EVENT_NAMES: u64 = 2;
/// Names of debug annotations.
pub const ANNOTATION_NAMES: u64 = 3;
/// Texts of debug annotations.
pub const ANNOTATION_TEXTS: u64 = 29;

/// Where a sequence's texts begin anew.
#[derive(Debug, Clone, Copy)]
pub struct Generation {
    /// Packet sequence.
    pub sequence: u64,
    /// Offset of the packet in the file.
    pub offset: u64,
}

/// Texts read so far.
#[derive(Default)]
pub struct Names {
    done: Vec<PerfettoGeneration>,
    open: FxHashMap<u64, PerfettoGeneration>,
}

impl Names {
    /// A sequence's texts begin anew.
    pub fn begin(&mut self, at: Generation) {
        let fresh = PerfettoGeneration { sequence: at.sequence, offset: at.offset, texts: Vec::new() };
        if let Some(before) = self.open.insert(at.sequence, fresh) {
            self.done.push(before);
        }
    }

    /// Reads `InternedData`.
    pub fn intern(&mut self, sequence: u64, bytes: &[u8]) {
        let generation = self.open.entry(sequence).or_insert_with(|| PerfettoGeneration { sequence, ..PerfettoGeneration::default() });
        for (field, value) in Message::new(bytes) {
            if [CATEGORIES, EVENT_NAMES, ANNOTATION_NAMES, ANNOTATION_TEXTS].contains(&field) {
                let entry = value.bytes();
                generation.texts.push((field, Message::field(entry, 1).number(), Message::field(entry, 2).text()));
            }
        }
    }

    /// All of them, sorted for look-up. Of texts with equal numbers the last counts.
    pub fn finish(self) -> PerfettoNames {
        let mut generations = self.done;
        generations.extend(self.open.into_values());
        generations.retain(|g| !g.texts.is_empty());
        generations.order_by_key(|g| (g.sequence, g.offset));
        for generation in &mut generations {
            generation.texts.reverse();
            generation.texts.order_by_key(|t| (t.0, t.1));
            generation.texts.dedup_by_key(|t| (t.0, t.1));
        }
        PerfettoNames { generations }
    }
}
