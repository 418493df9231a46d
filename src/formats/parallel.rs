//! Reads one member on several threads: in pieces, or inflating beside parsing; and long tables by their rows. The result is that of reading it in order: a
//! piece of text is added only where it begins between two records ([`Streamed::absorb`](super::Streamed::absorb)); where it does not, its bytes are read in
//! order.

#[cfg(not(target_arch = "wasm32"))]
mod row_threads;
mod schedule;
#[cfg(not(target_arch = "wasm32"))]
mod threads;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use row_threads::at_random_access;
pub use schedule::{Due, Schedule};

use super::feeder::{Feeder, feed_range};
use super::{ImportError, Split};
use crate::base::Member;
use crate::base::threads::n_threads;
use std::ops::Range;

/// Pieces are at least as long: shorter ones cost more to add than they save, bytes.
pub const PIECE_MIN: u64 = 16 << 20;
/// And at most: a finished piece waits in memory until those before it were added.
const PIECE_MAX: u64 = 64 << 20;
/// Pieces for each thread, so that none waits long for the last one.
const PIECES_PER_THREAD: u64 = 4;
/// Bytes after a cut that are searched for a record; longer records are not cut.
pub const LOOK: u64 = 256 << 10;

/// Bytes of text that take about as long as a row of a table of columns: text of a device profile has some 370 bytes for each.
const BYTES_PER_ROW: u64 = 64;

/// Bytes of text in a byte of gzip, as traces have them.
#[cfg(not(target_arch = "wasm32"))]
const GZIP_RATIO: u64 = 10;

/// Sentence of the ledger when a worker that read a piece broke down.
pub const WORKER_STOPPED: &str = "A worker that read a part of the file stopped; that part was read by the worker of this profile.";

/// Sentence of the ledger when a thread that read a piece broke down.
pub const HELPER_STOPPED: &str = "A thread that read a part of the file stopped; that part was read on the main thread.";

/// How a member is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Threads, the calling one included.
    pub n_threads: usize,
    /// The least and the most bytes of a piece.
    pub piece_bytes: (u64, u64),
}

impl Plan {
    /// In order.
    pub const SERIAL: Plan = Plan { n_threads: 1, piece_bytes: (PIECE_MIN, PIECE_MAX) };

    /// On as many threads as the program may use.
    pub fn usual() -> Plan {
        Plan { n_threads: n_threads(), ..Plan::SERIAL }
    }

    /// As workers of a browser read a member of `len` bytes: with no more readers than there are pieces; pieces are short enough that a helper needs
    /// little memory.
    pub fn of_workers(n_readers: usize, len: u64) -> Plan {
        let n_threads = n_readers.min(usize::try_from(len / PIECE_MIN).unwrap_or(usize::MAX)).max(1);
        // Each reader gets the same number of pieces, where that makes them not too long.
        let n_rounds = (len / PIECE_MIN / n_threads as u64).max(1);
        let fair = len.div_ceil(n_rounds * n_threads as u64);
        Plan { n_threads, piece_bytes: (fair.clamp(PIECE_MIN, PIECE_MAX / 2), PIECE_MAX / 2) }
    }

    /// Least rows of a piece of a table.
    pub fn n_rows_min(&self) -> u64 {
        (self.piece_bytes.0 / BYTES_PER_ROW).max(1)
    }

    /// Bytes of a piece of a member of `len` bytes.
    pub fn bytes_of_piece(&self, len: u64) -> u64 {
        let fair = len / (self.n_threads as u64).saturating_mul(PIECES_PER_THREAD).max(1);
        fair.min(self.piece_bytes.1).max(self.piece_bytes.0).max(1)
    }
}

/// The pieces of a member: they begin with records, follow each other, and make up all of it. Each cut is looked for when it is asked for; one
/// that cannot be read is none, and what is wrong shows when the piece is read.
pub struct Cuts<'a> {
    split: &'a dyn Split,
    member: &'a Member,
    piece_bytes: u64,
    /// Where the next piece begins; `None` after the last.
    from: Option<u64>,
}

impl<'a> Cuts<'a> {
    /// Approximate size of pieces, bytes.
    pub fn new(split: &'a dyn Split, member: &'a Member, piece_bytes: u64) -> Self {
        Cuts { split, member, piece_bytes: piece_bytes.max(1), from: Some(0) }
    }
}

impl Iterator for Cuts<'_> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let from = self.from.take()?;
        let mut at = from + self.piece_bytes;
        while at < self.member.len() {
            // A record longer than this is not cut.
            let first = self.member.read_up_to(at, LOOK).ok().and_then(|text| self.split.first_record(&text));
            if let Some(first) = first {
                let to = at + first as u64;
                self.from = Some(to);
                return Some(from..to);
            }
            at += self.piece_bytes;
        }
        Some(from..self.member.len())
    }
}

/// All of them.
pub fn pieces(split: &dyn Split, member: &Member, piece_bytes: u64) -> Vec<Range<u64>> {
    Cuts::new(split, member, piece_bytes).collect()
}

/// Feeds all of a member.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn feed(feeder: &mut Feeder, member: &Member, plan: Plan) -> Result<(), ImportError> {
    if let Some(split) = feeder.split().filter(|_| plan.n_threads > 1) {
        let pieces = pieces(split, member, plan.bytes_of_piece(member.len()));
        if pieces.len() > 1 {
            return threads::side_by_side(feeder, split, member, &pieces, plan.n_threads.min(pieces.len()));
        }
    }
    if feeder.is_gzip() && plan.n_threads > 1 && member.len() >= plan.piece_bytes.0 / GZIP_RATIO {
        return threads::inflate_beside(feeder, member);
    }
    feed_range(feeder, member, 0..member.len())
}

/// Feeds all of a member, in order.
#[cfg(target_arch = "wasm32")]
pub(super) fn feed(feeder: &mut Feeder, member: &Member, _plan: Plan) -> Result<(), ImportError> {
    feed_range(feeder, member, 0..member.len())
}
