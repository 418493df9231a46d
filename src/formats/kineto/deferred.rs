//! What a piece of a file defers until the text before it was read.

use crate::base::{StrId, TrackId};
use crate::model::RecordRef;
use serde::{Deserialize, Serialize};

/// What one piece defers, in file order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Deferred {
    /// Keys of the root, and their values where they are wanted.
    pub roots: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// Events `Record Window End`: track, time, name, record, beginning of the text.
    pub window_ends: Vec<(TrackId, i64, StrId, RecordRef, Vec<u8>)>,
    /// Ends of slices that begin before the piece.
    pub ends: Vec<End>,
}

/// The end of a slice.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct End {
    /// What began it.
    pub opener: Opener,
    /// When, nanoseconds as in the file.
    pub time: i64,
    /// First byte of the record.
    pub offset: u64,
    /// Bytes of the record.
    pub n_bytes: u64,
    /// The beginning of the record.
    pub text: Vec<u8>,
}

/// Which slices an end can belong to: those of a thread, or of a process, category and id.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Opener {
    Thread(usize),
    Async((usize, StrId, u64)),
}

/// Ends that a piece keeps. A deeper nesting than this at a cut is read without pieces.
const ENDS_MAX: usize = 4096;
/// Bytes of a record that an example of the ledger can show.
const TEXT_MAX: usize = 200;

impl Deferred {
    /// Keeps an end; of too many one more than allowed, so that `is_small` sees it.
    pub fn push_end(&mut self, end: impl FnOnce() -> End) {
        if self.ends.len() <= ENDS_MAX {
            self.ends.push(end());
        }
    }

    /// The same for the end of a recording.
    pub fn push_window_end(&mut self, track: TrackId, time: i64, name: StrId, record: RecordRef, text: &[u8]) {
        if self.window_ends.len() <= ENDS_MAX {
            self.window_ends.push((track, time, name, record, beginning(text)));
        }
    }

    /// Whether the amount is small enough for a real trace.
    pub fn is_small(&self) -> bool {
        self.ends.len() <= ENDS_MAX && self.window_ends.len() <= ENDS_MAX
    }
}

/// The part of a record that the ledger shows.
pub(super) fn beginning(text: &[u8]) -> Vec<u8> {
    text[..text.len().min(TEXT_MAX)].to_vec()
}
