//! Reads one member on several threads: in pieces, or inflating beside parsing. The result is that of reading it in order: a piece is added only where it begins between two
//! records ([`Streamed::absorb`](super::Streamed::absorb)); where it does not, its bytes are read in order.

#[cfg(not(target_arch = "wasm32"))]
mod threads;

use super::import::{Feeder, feed_range};
use super::{ImportError, Split};
use crate::base::{InputError, Member};
use std::ops::Range;

/// Pieces are at least as long: shorter ones cost more to add than they save, bytes.
pub const PIECE_MIN: u64 = 16 << 20;
/// And at most: a finished piece waits in memory until those before it were added.
const PIECE_MAX: u64 = 64 << 20;
/// Pieces for each thread, so that none waits long for the last one.
const PIECES_PER_THREAD: u64 = 4;
/// How far behind a cut a record is looked for, bytes; a longer one is not cut.
const LOOK: u64 = 256 << 10;

/// Bytes of text in a byte of gzip, as traces have them.
#[cfg(not(target_arch = "wasm32"))]
const GZIP_RATIO: u64 = 10;

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

    /// As many threads as `AXONSCOPE_THREADS` says, else as many as the machine runs at once.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn usual() -> Plan {
        let wanted = std::env::var("AXONSCOPE_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
        let n_threads = wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Plan { n_threads, ..Plan::SERIAL }
    }

    /// In order: the program of a worker has one thread.
    #[cfg(target_arch = "wasm32")]
    pub fn usual() -> Plan {
        Plan::SERIAL
    }

    /// Bytes of a piece of a member of `len` bytes.
    pub fn bytes_of_piece(&self, len: u64) -> u64 {
        let fair = len / (self.n_threads as u64).saturating_mul(PIECES_PER_THREAD).max(1);
        fair.min(self.piece_bytes.1).max(self.piece_bytes.0).max(1)
    }
}

/// The pieces of a member: they begin with records, follow each other, and make up all of it.
pub fn pieces(split: &dyn Split, member: &Member, piece_bytes: u64) -> Result<Vec<Range<u64>>, InputError> {
    let mut out = Vec::new();
    let (mut from, mut at) = (0, piece_bytes);
    while at < member.len() {
        // A record longer than this is not cut.
        if let Some(first) = split.first_record(&member.read_up_to(at, LOOK)?) {
            out.push(from..at + first as u64);
            from = at + first as u64;
        }
        at = from.max(at) + piece_bytes;
    }
    out.push(from..member.len());
    Ok(out)
}

/// Feeds all of a member.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn feed(feeder: &mut Feeder, member: &Member, plan: Plan) -> Result<(), ImportError> {
    if let Some(split) = feeder.split().filter(|_| plan.n_threads > 1) {
        let pieces = pieces(split, member, plan.bytes_of_piece(member.len()))?;
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
