//! The ledger: what an import read, what it shows, and what it left out and why. Nothing is dropped in silence.

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

/// One reason with how often it struck.
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
    /// The first few, with where they stand.
    pub examples: Vec<Example>,
}

/// Where a skipped record stands, and how it looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Byte offset in the (inflated) member.
    pub offset: u64,
    /// The beginning of the record, or what of it was wrong.
    pub text: String,
}

/// The account of one import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// How the format was recognised, one sentence.
    pub recognised: String,
    /// Names of the members that were used.
    pub members: Vec<String>,
    /// Records met in the file.
    pub read: u64,
    /// Records that are on screen or feed a figure that is.
    pub shown: u64,
    /// Everything else, by reason, in the order first met.
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

    /// As [`Ledger::skip`], for `n` records at once.
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

    /// A remark on the whole profile.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// The worst severity met; `None` when nothing was skipped.
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
