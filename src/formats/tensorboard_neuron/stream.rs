//! A file of its own, fed block by block: its lanes are drawn while it is read.

use super::chrome::Chrome;
use super::claim::{Kind, kind, run_name};
use super::finish::{Found, finish};
use super::import;
use super::pieces::{TimelinePiece, TimelinePieces};
use crate::base::input::HEAD_LEN;
use crate::base::{InputSet, Ledger, MemberHead};
use crate::formats::file_name::file_name;
use crate::formats::json::Splitter;
use crate::formats::{ImportError, Piece, Preview, Split, Streamed};
use crate::model::Profile;
use std::any::Any;

/// Reads the only member of a run.
pub(super) struct Stream {
    path: String,
    state: State,
}

enum State {
    /// The beginning, until it is long enough to recognise the file.
    Beginning(Vec<u8>),
    /// A timeline or a trace.
    Events(Box<Events>),
    /// A table or an XSpace: read at once when all of it is there.
    Whole(Vec<u8>),
}

struct Events {
    splitter: Splitter,
    chrome: Chrome,
    is_trace: bool,
    n_bytes: u64,
}

impl Stream {
    /// Nothing read yet of the file at `path`.
    pub fn new(path: &str) -> Self {
        Stream { path: path.into(), state: State::Beginning(Vec::new()) }
    }

    /// Decides how to read on from the beginning of the text.
    fn begin(&self, head: &[u8]) -> Option<Events> {
        let n = head.len().min(HEAD_LEN);
        let head = MemberHead { name: self.path.clone(), len: head.len() as u64, head: head[..n].to_vec(), is_gzip: false };
        let kind = kind(&head).filter(|k| matches!(k, Kind::Timeline | Kind::Split | Kind::Trace))?;
        Some(Events { splitter: Splitter::default(), chrome: Chrome::default(), is_trace: kind == Kind::Trace, n_bytes: 0 })
    }

    /// Takes text before its kind may be known; `is_end`: no more follows.
    fn take(&mut self, block: &[u8], is_end: bool, ledger: &mut Ledger) -> Result<(), ImportError> {
        match &mut self.state {
            State::Events(events) => {
                events.feed(block, ledger);
                return Ok(());
            }
            State::Whole(text) => return hold(text, block),
            State::Beginning(text) => hold(text, block)?,
        }
        let State::Beginning(text) = &mut self.state else { return Ok(()) };
        if text.len() < HEAD_LEN && !is_end {
            return Ok(());
        }
        let text = std::mem::take(text);
        self.state = match self.begin(&text) {
            Some(mut events) => {
                events.feed(&text, ledger);
                State::Events(Box::new(events))
            }
            None => State::Whole(text),
        };
        Ok(())
    }
}

/// A table or an XSpace takes several times its size when it is taken apart.
const WHOLE_MAX: usize = 700 << 20;

/// Keeps a block of what must be there as a whole.
fn hold(text: &mut Vec<u8>, block: &[u8]) -> Result<(), ImportError> {
    if text.len() + block.len() > WHOLE_MAX {
        let sentence = "Expected an operator table or an XSpace of at most 700 MiB, the limit of a browser tab; found more.";
        return Err(ImportError::Unsupported(sentence.into()));
    }
    text.extend_from_slice(block);
    Ok(())
}

impl Events {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) {
        std::mem::swap(&mut self.chrome.ledger, ledger);
        self.n_bytes += block.len() as u64;
        self.splitter.feed(block, &mut self.chrome);
        std::mem::swap(&mut self.chrome.ledger, ledger);
    }

    /// Adds a piece that begins where this is; gives `false` where it does not, or cannot be added.
    fn add(&mut self, piece: TimelinePiece, ledger: &mut Ledger) -> bool {
        let TimelinePiece { splitter, chrome, from } = piece;
        if !self.splitter.meets(&splitter, from) || !self.chrome.can_absorb(&chrome) {
            return false;
        }
        self.n_bytes += splitter.n_read() - from;
        self.splitter.go_on_from(splitter);
        std::mem::swap(&mut self.chrome.ledger, ledger);
        self.chrome.absorb(chrome);
        std::mem::swap(&mut self.chrome.ledger, ledger);
        true
    }
}

impl Streamed for Stream {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError> {
        self.take(block, false, ledger)
    }

    fn split(&self) -> Option<&'static dyn Split> {
        Some(&TimelinePieces)
    }

    fn absorb(&mut self, piece: Box<dyn Piece>, ledger: &mut Ledger) -> bool {
        let piece: Box<dyn Any> = piece;
        match (piece.downcast::<TimelinePiece>(), &mut self.state) {
            (Ok(piece), State::Events(events)) => events.add(*piece, ledger),
            _ => false,
        }
    }

    fn n_records(&self) -> u64 {
        if let State::Events(events) = &self.state { events.chrome.n_records } else { 0 }
    }

    fn preview(&mut self) -> Preview {
        match &mut self.state {
            State::Events(events) => events.chrome.preview.take(),
            _ => Preview::default(),
        }
    }

    fn finish(mut self: Box<Self>, _is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        self.take(&[], true, ledger)?;
        match self.state {
            State::Events(events) => {
                let Events { mut splitter, mut chrome, is_trace, n_bytes } = *events;
                std::mem::swap(&mut chrome.ledger, ledger);
                splitter.finish(&mut chrome);
                if !splitter.is_at_end() {
                    import::cut(&mut chrome.ledger, &self.path, n_bytes);
                }
                std::mem::swap(&mut chrome.ledger, ledger);
                let (run, file) = (run_name(&self.path).into(), file_name(&self.path).into());
                finish(chrome, Found { run, file, is_trace, ..Found::default() })
            }
            State::Whole(text) | State::Beginning(text) => import::import(&InputSet::from_bytes(self.path.as_str(), text), ledger),
        }
    }
}
