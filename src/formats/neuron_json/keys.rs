//! Keys that this version does not know.

use super::schema;
use super::split::Piece;
use super::value::Fields;
use crate::base::Order as _;
use crate::base::{Ledger, Severity};
use rustc_hash::FxHashMap;

/// Unknown keys that are told apart.
const MOST: usize = 10_000;

/// What was met of keys so far.
#[derive(Default)]
pub(super) struct Keys {
    /// Records by (section, key).
    unknown: FxHashMap<(String, String), u64>,
    /// The section of the last record, and known keys by their place in it.
    usual: (String, Vec<&'static str>),
}

impl Keys {
    /// Looks through the keys of a record.
    pub fn note(&mut self, piece: &Piece<'_>, fields: &Fields<'_>, ledger: &mut Ledger) {
        let Some(known) = schema::known_keys(piece.section) else {
            return;
        };
        if self.usual.0 != piece.section {
            self.usual = (piece.section.into(), Vec::new());
        }
        for (i, (key, _)) in fields.iter().enumerate() {
            // The records of a section have the same keys, one like the other.
            if self.usual.1.get(i).is_some_and(|usual| usual == key) {
                continue;
            }
            if let Some(known) = known.get(key.as_ref()) {
                self.usual.1.resize(self.usual.1.len().max(i + 1), "");
                self.usual.1[i] = known;
                continue;
            }
            if self.unknown.len() > MOST {
                continue;
            }
            let n = self.unknown.entry((piece.section.into(), key.to_string())).or_default();
            *n += 1;
            if *n == 1 {
                let reason =
                    "A key this version does not know: shown in the details of its record, and counted in the table `unknown_keys`.";
                ledger.skip(Severity::Info, "unknown_key", reason, piece.offset, || format!("{}.{key}", piece.section));
            }
        }
    }

    /// (section, key) and records with it, in order.
    pub fn unknown(self) -> Vec<((String, String), u64)> {
        let mut out: Vec<_> = self.unknown.into_iter().collect();
        out.order();
        out
    }
}
