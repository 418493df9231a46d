//! Feeds the splitter and turns its finds into a profile.

use super::content::{Content, Pass};
use super::graphs::{Captures, claim};
use super::pieces::{BYTES_PER_SLICE_MIN, TracePiece, TracePieces};
use crate::base::{Ledger, Severity, text};
use crate::formats::file_name::file_name;
use crate::formats::json::Splitter;
use crate::formats::wording;
use crate::formats::{Companion, ImportError, Piece, Preview, Split, Streamed};
use crate::model::Profile;
use std::any::Any;

/// Imports one trace.
pub struct Importer {
    pub(super) splitter: Splitter,
    pub(super) content: Content,
    title: String,
    /// What companions say of graph replays.
    captures: Option<Captures>,
    pub(super) n_read: u64,
    has_expectation: bool,
    /// The first bytes, for the sentence when they are no JSON.
    beginning: Vec<u8>,
}

impl Importer {
    /// An importer of a trace that is to be called `title`.
    pub fn new(title: &str) -> Self {
        Importer {
            splitter: Splitter::default(),
            content: Content::new(),
            title: title.into(),
            captures: None,
            n_read: 0,
            has_expectation: false,
            beginning: Vec::new(),
        }
    }

    /// An importer of a trace that is read for its graph captures.
    fn of_captures(title: &str) -> Self {
        let mut out = Importer::new(title);
        out.content.tables.keeps_launch_kernels = true;
        out
    }

    fn no_events(&self) -> ImportError {
        let size = text::bytes(self.n_read);
        let keys = &self.content.facts.keys;
        if keys.is_empty() {
            let beginning = String::from_utf8_lossy(&self.beginning);
            return ImportError::Invalid(format!(
                "Expected a JSON object with the list `traceEvents`, found {size} that start with `{}` and have no root key.",
                beginning.trim()
            ));
        }
        let keys: Vec<String> = keys.iter().take(8).map(|k| format!("`{k}`")).collect();
        ImportError::Invalid(format!(
            "Expected the list `traceEvents` in the root of the trace, found only the keys {} in {size}.",
            keys.join(", ")
        ))
    }

    /// Adds a piece that begins where this importer is; gives `false` where it does not, or cannot be added.
    fn add_piece(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
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

impl Streamed for Importer {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError> {
        const BEGINNING: usize = 24;
        let missing = BEGINNING - self.beginning.len();
        self.beginning.extend_from_slice(&block[..block.len().min(missing)]);
        self.n_read += block.len() as u64;
        let Importer { splitter, content, .. } = self;
        splitter.feed(block, &mut Pass { content, ledger });
        Ok(())
    }

    fn expect(&mut self, read_bytes: u64, total_bytes: u64) {
        // The share is too small for an estimate, or the estimate was made.
        if read_bytes == 0 || self.has_expectation || total_bytes <= read_bytes {
            return;
        }
        self.has_expectation = true;
        let scale = total_bytes as f64 / read_bytes as f64;
        // No trace has more slices per byte, so a misleading beginning cannot reserve more memory.
        let most = self.n_read as f64 * scale / BYTES_PER_SLICE_MIN;
        self.content.expect(scale * 1.02, most);
    }

    fn split(&self) -> Option<&'static dyn Split> {
        Some(&TracePieces)
    }

    fn absorb(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
        self.add_piece(piece, ledger)
    }

    fn n_records(&self) -> u64 {
        self.content.n_records
    }

    fn preview(&mut self) -> Preview {
        self.content.preview()
    }

    fn companion(&self, path: &str) -> Option<Box<dyn Streamed>> {
        (!claim::is_details(path)).then(|| Box::new(Importer::of_captures(file_name(path))) as Box<dyn Streamed>)
    }

    fn join(&mut self, member: usize, path: &str, companion: Companion, ledger: &mut Ledger) {
        let captures = self.captures.get_or_insert_default();
        captures.join(&mut self.content, member, path, companion, ledger);
    }

    fn finish(mut self: Box<Self>, is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        let Importer { splitter, content, .. } = &mut *self;
        splitter.finish(&mut Pass { content, ledger });
        if !self.content.has_events {
            return Err(self.no_events());
        }
        if !self.splitter.is_at_end() && !is_truncated {
            let reason = wording::JSON_ENDS_EARLY;
            ledger.skip(Severity::DataLoss, "truncated_json", reason, self.n_read, || {
                "Expected the closing bracket of the root, found the end of the file.".into()
            });
        }
        Ok(self.content.finish(self.title, self.captures, ledger))
    }
}
