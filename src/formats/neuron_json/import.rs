//! From sections to a profile.

use super::pieces::{DevicePiece, DevicePieces};
use super::reader::{Feed, Reader};
use super::sections::SectionSplitter;
use crate::base::{Ledger, Severity};
use crate::formats::{ImportError, Piece, Preview, Split, Streamed};
use crate::model::Profile;
use std::any::Any;

/// An import in progress.
pub(super) struct Importer {
    splitter: SectionSplitter,
    state: Reader,
}

impl Importer {
    pub fn new(title: &str) -> Self {
        Importer { splitter: SectionSplitter::new(), state: Reader::new(title, None) }
    }

    /// Adds a piece that begins where this importer is; gives `false` where it does not, or cannot be added.
    fn add_piece(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
        let piece: Box<dyn Any> = piece;
        let Ok(piece) = piece.downcast::<DevicePiece>() else { return false };
        let Some(part) = piece.part.filter(|part| self.splitter.meets(&part.section, piece.from) && self.state.can_absorb(&part.state))
        else {
            return false;
        };
        self.splitter.go_on_from(part.splitter);
        self.state.absorb(part.state, part.ledger, ledger);
        true
    }
}

impl Streamed for Importer {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError> {
        let Importer { splitter, state } = self;
        splitter.feed(block, &mut Feed { state, ledger })
    }

    fn split(&self) -> Option<&'static dyn Split> {
        Some(&DevicePieces)
    }

    fn absorb(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
        self.add_piece(piece, ledger)
    }

    fn n_records(&self) -> u64 {
        self.state.n_records()
    }

    fn preview(&mut self) -> Preview {
        self.state.preview()
    }

    fn finish(self: Box<Self>, is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        let (section, offset) = self.splitter.position();
        if self.state.n_records() == 0 && !self.splitter.is_done() {
            let text = format!("Expected a Neuron device profile, a JSON object of sections, found the end of the file at byte {offset}.");
            return Err(ImportError::Invalid(text));
        }
        if is_truncated || !self.splitter.is_done() {
            let reason = "The file ends inside its JSON object: it is truncated. Everything before the end is shown.";
            ledger.skip(Severity::DataLoss, "truncated", reason, offset, || format!("in section {section}"));
        }
        if self.splitter.n_trailing > 0 {
            let n = self.splitter.n_trailing;
            ledger
                .skip(Severity::Warning, "trailing_text", "Text after the end of the profile is skipped.", offset, || format!("{n} bytes"));
        }
        Ok(self.state.finish(ledger))
    }
}
