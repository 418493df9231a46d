//! A trace read in pieces, each by a thread of its own.

use super::content::{Content, Pass};
use crate::base::Ledger;
use crate::formats::json::{Splitter, next_record};
use crate::formats::{Piece, Split};
use serde::{Deserialize, Serialize};

/// The fewest bytes a slice takes on average, in any trace that a program writes.
pub(super) const BYTES_PER_SLICE_MIN: f64 = 128.0;

/// Traces are cut before a record.
pub(super) struct TracePieces;

/// Records of a trace from one cut to the next.
#[derive(Serialize, Deserialize)]
pub(super) struct TracePiece {
    pub(super) splitter: Splitter,
    pub(super) content: Content,
    pub(super) ledger: Ledger,
    pub(super) from: u64,
}

impl Split for TracePieces {
    fn first_record(&self, text: &[u8]) -> Option<usize> {
        next_record(text)
    }

    fn piece(&self, head: &[u8], offset: u64) -> Option<Box<dyn Piece>> {
        let splitter = Splitter::of_piece(head, offset)?;
        Some(Box::new(TracePiece { splitter, content: Content::of_piece(), ledger: Ledger::default(), from: offset }))
    }

    fn unpacked(&self, bytes: &[u8]) -> Option<Box<dyn Piece>> {
        Some(Box::new(postcard::from_bytes::<TracePiece>(bytes).ok()?))
    }
}

impl Piece for TracePiece {
    fn feed(&mut self, block: &[u8]) {
        let TracePiece { splitter, content, ledger, .. } = self;
        splitter.feed(block, &mut Pass { content, ledger });
    }

    fn packed(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }

    fn expect(&mut self, read_bytes: u64, total_bytes: u64) {
        if read_bytes > 0 {
            self.content.expect(total_bytes as f64 / read_bytes as f64 * 1.02, total_bytes as f64 / BYTES_PER_SLICE_MIN);
        }
    }
}
