//! A trace read in pieces, each by a thread of its own.

use super::content::{Content, Pass};
use super::importer::{BYTES_PER_SLICE_MIN, Importer};
use crate::base::Ledger;
use crate::formats::json::{Splitter, next_record};
use crate::formats::{Piece, Split};
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Traces are cut before a record.
pub(super) struct TracePieces;

/// Records of a trace from one cut to the next.
#[derive(Serialize, Deserialize)]
pub(super) struct TracePiece {
    splitter: Splitter,
    content: Content,
    ledger: Ledger,
    from: u64,
}

impl Split for TracePieces {
    fn first_record(&self, text: &[u8]) -> Option<usize> {
        next_record(text)
    }

    fn piece(&self, head: &[u8], offset: u64) -> Option<Box<dyn Piece>> {
        let is_list_root = *head.iter().find(|b| matches!(b, b'{' | b'['))? == b'[';
        let splitter = Splitter::of_piece(offset, is_list_root);
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

impl Importer {
    /// Adds a piece that begins where this importer is; gives `false` where it does not, or cannot be added.
    pub(super) fn add_piece(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
        let piece: Box<dyn Any> = piece;
        let Ok(piece) = piece.downcast::<TracePiece>() else { return false };
        let TracePiece { splitter, content, ledger: account, from } = *piece;
        if !self.splitter.meets(&splitter, from) || !self.content.can_absorb(&content) {
            return false;
        }
        self.n_read += splitter.n_read() - from;
        self.splitter.go_on_from(splitter);
        self.content.absorb(content, account, ledger);
        true
    }
}
