//! Keys that this version does not know.

use super::record::Table;
use super::sections::Piece;
use crate::base::Order as _;
use crate::base::{Ledger, Severity};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Unknown keys that are distinguished.
const MOST: usize = 10_000;

/// What was found of keys so far.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Keys {
    /// In the order in which they were first met.
    unknown: Vec<Unknown>,
    /// Places among them, by (section, key).
    places: FxHashMap<(String, String), usize>,
    /// The section of the last record, and the keys known of it.
    #[serde(skip)]
    section: String,
    #[serde(skip)]
    table: Option<Table>,
}

#[derive(Serialize, Deserialize)]
struct Unknown {
    section: String,
    key: String,
    n_records: u64,
    /// Offset of the first record with it.
    first: u64,
}

impl Keys {
    /// The keys that are known of a section; `None` where all are columns of a table.
    pub fn of(&mut self, section: &str) -> Option<&Table> {
        if self.section != section {
            (self.section, self.table) = (section.into(), Table::of(section));
        }
        self.table.as_ref()
    }

    /// Counts a record's key that is not among those; its first record is noted in `ledger`, if there is one.
    pub fn unknown(&mut self, piece: &Piece<'_>, key: &str, ledger: Option<&mut Ledger>) {
        let met = Unknown { section: piece.section.into(), key: key.into(), n_records: 1, first: piece.offset };
        if let (Some(new), Some(ledger)) = (self.add(met), ledger) {
            new.note(ledger);
        }
    }

    /// Adds records of a key; returns it where it is new.
    fn add(&mut self, met: Unknown) -> Option<&Unknown> {
        if self.unknown.len() > MOST {
            return None;
        }
        let next = self.unknown.len();
        let at = *self.places.entry((met.section.clone(), met.key.clone())).or_insert(next);
        if let Some(known) = self.unknown.get_mut(at) {
            known.n_records += met.n_records;
            return None;
        }
        self.unknown.push(met);
        self.unknown.last()
    }

    /// Whether the keys of `later` can be added, all of them distinguished.
    pub fn have_room_for(&self, later: &Keys) -> bool {
        self.unknown.len() + later.unknown.len() <= MOST
    }

    /// Adds the keys of the next piece of the file. Calls `noted` with the ledger and the offset of the first record of each that is new.
    pub fn absorb(&mut self, later: Keys, ledger: &mut Ledger, noted: &mut dyn FnMut(&Ledger, u64)) {
        for met in later.unknown {
            let first = met.first;
            if let Some(new) = self.add(met) {
                new.note(ledger);
                noted(ledger, first);
            }
        }
    }

    /// (section, key) and records with it, in order.
    pub fn counted(self) -> Vec<((String, String), u64)> {
        let mut out: Vec<_> = self.unknown.into_iter().map(|u| ((u.section, u.key), u.n_records)).collect();
        out.order();
        out
    }
}

impl Unknown {
    fn note(&self, ledger: &mut Ledger) {
        let reason = "A key unknown to this version: shown in the details of its record and counted in the table `unknown_keys`.";
        ledger.skip(Severity::Info, "unknown_key", reason, self.first, || format!("{}.{}", self.section, self.key));
    }
}
