//! Keys that this version does not know.

use super::record::Table;
use super::sections::Piece;
use crate::base::Order as _;
use crate::base::{Ledger, Severity};
use rustc_hash::FxHashMap;

/// Unknown keys that are distinguished.
const MOST: usize = 10_000;

/// What was found of keys so far.
#[derive(Default)]
pub(super) struct Keys {
    /// Records by (section, key).
    unknown: FxHashMap<(String, String), u64>,
    /// The section of the last record, and the keys known of it.
    section: String,
    table: Option<Table>,
}

impl Keys {
    /// The keys that are known of a section; `None` where all are columns of a table.
    pub fn of(&mut self, section: &str) -> Option<&Table> {
        if self.section != section {
            (self.section, self.table) = (section.into(), Table::of(section));
        }
        self.table.as_ref()
    }

    /// Notes a record's key that is not among those.
    pub fn unknown(&mut self, piece: &Piece<'_>, key: &str, ledger: &mut Ledger) {
        if self.unknown.len() > MOST {
            return;
        }
        let n = self.unknown.entry((piece.section.into(), key.into())).or_default();
        *n += 1;
        if *n == 1 {
            let reason = "A key unknown to this version: shown in the details of its record and counted in the table `unknown_keys`.";
            ledger.skip(Severity::Info, "unknown_key", reason, piece.offset, || format!("{}.{key}", piece.section));
        }
    }

    /// (section, key) and records with it, in order.
    pub fn counted(self) -> Vec<((String, String), u64)> {
        let mut out: Vec<_> = self.unknown.into_iter().collect();
        out.order();
        out
    }
}
