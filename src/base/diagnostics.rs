//! The ledger: what an import read, what it shows, and what it omitted and why. Nothing is dropped in silence.

use crate::base::Order as _;
use serde::{Deserialize, Serialize};

/// How much a skipped record matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Read and understood, but nothing to show (an unknown key, a note).
    Info,
    /// Something is shown other than written (a clamped time, a repaired escape).
    Warning,
    /// Records are missing from what is shown: sums are too small.
    DataLoss,
}

/// One reason for skipping records, with its count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkipReason {
    /// How much it matters.
    pub severity: Severity,
    /// Stable word for tests and grouping: `missing_ts`, `unknown_section`.
    pub kind: String,
    /// A sentence for the user.
    pub reason: String,
    /// How many records.
    pub count: u64,
    /// The first few of them, with their offsets.
    pub examples: Vec<Example>,
}

/// The offset and the beginning of a skipped record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Byte offset in the (inflated) member.
    pub offset: u64,
    /// The beginning of the record, or its wrong value.
    pub text: String,
}

/// What one import read, showed and skipped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// How the format was recognised, one sentence.
    pub recognised: String,
    /// Names of the members that were used.
    pub members: Vec<String>,
    /// Records read from the file.
    pub read: u64,
    /// Records that are on screen or feed a value that is.
    pub shown: u64,
    /// All other records by reason, in order of first occurrence.
    pub skipped: Vec<SkipReason>,
    /// Remarks on the profile as a whole: experimental format, not available columns.
    pub notes: Vec<String>,
}

const N_EXAMPLES: usize = 3;
const EXAMPLE_LEN: usize = 160;

impl Ledger {
    /// Counts one record under `kind`. `reason` is a sentence; it and `example` are built only while examples are still kept.
    pub fn skip(&mut self, severity: Severity, kind: &str, reason: &str, offset: u64, example: impl FnOnce() -> String) {
        self.skip_n(severity, kind, reason, 1, offset, example);
    }

    /// Like [`Ledger::skip`], for `n` records at once.
    pub fn skip_n(&mut self, severity: Severity, kind: &str, reason: &str, n: u64, offset: u64, example: impl FnOnce() -> String) {
        let at = self.skipped.iter().position(|s| s.kind == kind).unwrap_or_else(|| {
            self.skipped.push(SkipReason { severity, kind: kind.into(), reason: reason.into(), count: 0, examples: Vec::new() });
            self.skipped.len() - 1
        });
        let entry = &mut self.skipped[at];
        entry.count = entry.count.saturating_add(n);
        if entry.examples.len() < N_EXAMPLES {
            let mut text = example();
            if text.len() > EXAMPLE_LEN {
                let end = (0..=EXAMPLE_LEN).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
                text.truncate(end);
                text.push('…');
            }
            entry.examples.push(Example { offset, text });
        }
    }

    /// Adds the ledger of a later part of the same file.
    pub fn absorb(&mut self, later: Ledger) {
        self.read += later.read;
        self.shown += later.shown;
        for reason in later.skipped {
            match self.skipped.iter_mut().find(|s| s.kind == reason.kind) {
                Some(known) => {
                    known.count = known.count.saturating_add(reason.count);
                    let room = N_EXAMPLES.saturating_sub(known.examples.len());
                    known.examples.extend(reason.examples.into_iter().take(room));
                }
                None => self.skipped.push(reason),
            }
        }
        later.notes.into_iter().for_each(|note| self.note(note));
    }

    /// Merges the ledger of a second pass over the same part of a file, as if there had been one pass. `first_met`: the byte offset at which each
    /// reason of `other` first occurred.
    pub fn interleave(&mut self, other: Ledger, first_met: &[u64]) {
        // A reason without a record (offset 0) keeps its place after the reason before it.
        let mut last = 0;
        let mut keyed: Vec<(u64, SkipReason)> = Vec::with_capacity(self.skipped.len());
        for reason in std::mem::take(&mut self.skipped) {
            last = reason.examples.first().map_or(0, |e| e.offset).max(last);
            keyed.push((last, reason));
        }
        for (mut reason, &met) in other.skipped.into_iter().zip(first_met) {
            match keyed.iter_mut().find(|k| k.1.kind == reason.kind) {
                Some((first, known)) => {
                    *first = met.min(*first);
                    known.count = known.count.saturating_add(reason.count);
                    known.examples.append(&mut reason.examples);
                    known.examples.order_by_key(|e| e.offset);
                    known.examples.truncate(N_EXAMPLES);
                }
                None => keyed.push((met, reason)),
            }
        }
        keyed.order_by_key(|k| k.0);
        self.skipped = keyed.into_iter().map(|k| k.1).collect();
        self.read += other.read;
        self.shown += other.shown;
    }

    /// A remark on the whole profile.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// The worst severity so far; `None` if nothing was skipped.
    pub fn worst(&self) -> Option<Severity> {
        self.skipped.iter().map(|s| s.severity).max()
    }

    /// Records skipped with [`Severity::DataLoss`] or [`Severity::Warning`].
    pub fn n_concerns(&self) -> u64 {
        self.skipped.iter().filter(|s| s.severity > Severity::Info).map(|s| s.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_of_one_part_of_a_file_are_in_its_order() {
        let mut one = Ledger::default();
        let add = |ledger: &mut Ledger, kind: &str, offset: u64| ledger.skip(Severity::Info, kind, "A reason.", offset, String::new);
        [("a", 10), ("b", 50), ("a", 60), ("root", 0)].iter().for_each(|(kind, at)| add(&mut one, kind, *at));
        let mut other = Ledger::default();
        [("c", 5), ("b", 20), ("b", 70), ("b", 80)].iter().for_each(|(kind, at)| add(&mut other, kind, *at));
        one.interleave(other, &[30, 20]);
        let kinds: Vec<(&str, u64)> = one.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect();
        assert_eq!(kinds, [("a", 2), ("b", 4), ("c", 1), ("root", 1)]);
        assert_eq!(one.skipped[1].examples.iter().map(|e| e.offset).collect::<Vec<_>>(), [20, 50, 70]);
    }

    #[test]
    fn reasons_are_counted_with_few_examples() {
        let mut ledger = Ledger::default();
        for i in 0..10 {
            ledger.skip(Severity::DataLoss, "missing_ts", "The record has no time.", i, || "ä".repeat(200));
        }
        assert_eq!(ledger.skipped[0].count, 10);
        assert_eq!(ledger.skipped[0].examples.len(), N_EXAMPLES);
        assert!(ledger.skipped[0].examples[0].text.ends_with('…'));
        assert_eq!(ledger.worst(), Some(Severity::DataLoss));
    }
}
