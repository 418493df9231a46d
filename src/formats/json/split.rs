//! Splits JSON into records, block by block. Buffers at most one record.

mod elements;

use super::scan::Strings;
use serde::{Deserialize, Serialize};

/// How to handle the value of a root key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootKeyAction {
    /// Deliver each element of a list separately.
    Records,
    /// Deliver the value as a whole, if it is not too long.
    Value,
    /// Ignore the value.
    Skip,
}

/// Why text is not a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The sink could not read it, or it runs into the next record.
    Unreadable,
    /// The text ends inside it.
    Truncated,
    /// Longer than [`RECORD_MAX`]; `text` is its beginning.
    TooLong,
    /// Text between records that is neither an object nor a list.
    Stray,
}

/// Receives what a [`Splitter`] finds.
pub trait Sink {
    /// A root key whose value begins at `offset` with the byte `begins`.
    fn key(&mut self, key: &[u8], begins: u8, offset: u64) -> RootKeyAction;
    /// One element, with its brackets. `false`: it cannot be read as one record.
    fn record(&mut self, text: &[u8], offset: u64) -> bool;
    /// A whole value of a root key.
    fn value(&mut self, key: &[u8], text: &[u8], offset: u64);
    /// Text that is no whole record.
    fn damaged(&mut self, text: &[u8], offset: u64, damage: Damage);
}

/// Longest record or root value that is buffered, bytes.
pub const RECORD_MAX: usize = 64 << 20;
/// A longer record is checked for an unbalanced quote that merges it with the next one, bytes.
const LONG: usize = 64 << 10;
const KEY_MAX: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    /// Before the root's bracket.
    Start,
    /// Between the entries of the root object.
    Entries,
    /// In a key; whether the last byte was a backslash.
    Key(bool),
    /// After a key.
    Colon,
    /// After the colon.
    Begin,
    /// In a string (whether the last byte was a backslash) or a bare word of the root object.
    Text(bool),
    Bare,
    /// In the elements of a list, or in one value in brackets (a list of one, so to say).
    Elements,
    /// After the root.
    End,
}

/// Splits one JSON text.
#[derive(Serialize, Deserialize)]
pub struct Splitter {
    mode: Mode,
    is_list_root: bool,
    key: Vec<u8>,
    take: RootKeyAction,
    /// Text of the value or record that the block before ended in.
    carry: Vec<u8>,
    /// Whether a record or value is open, where it begins, and whether its text is kept.
    is_open: bool,
    open_at: u64,
    is_buffered: bool,
    strings: Strings,
    /// Brackets open in the value or record.
    depth: u64,
    /// Length at which an open record is looked at again.
    look_at: usize,
    n_read: u64,
    n_rescanned: u64,
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter {
            mode: Mode::Start,
            is_list_root: false,
            key: Vec::new(),
            take: RootKeyAction::Skip,
            carry: Vec::new(),
            is_open: false,
            open_at: 0,
            is_buffered: false,
            strings: Strings::default(),
            depth: 0,
            look_at: LONG,
            n_read: 0,
            n_rescanned: 0,
        }
    }
}

impl Splitter {
    /// A splitter of a piece that begins with a record at `offset`, in the list of records of the text that begins with `head`; `None` where that has no
    /// root.
    pub fn of_piece(head: &[u8], offset: u64) -> Option<Self> {
        let is_list_root = *head.iter().find(|b| matches!(b, b'{' | b'['))? == b'[';
        Some(Splitter { mode: Mode::Elements, is_list_root, take: RootKeyAction::Records, n_read: offset, ..Splitter::default() })
    }

    /// Whether this splitter is between two records at `from`, where `piece` began: then the piece was split as this one would have split it.
    pub fn meets(&self, piece: &Splitter, from: u64) -> bool {
        let is_between =
            self.mode == Mode::Elements && self.take == RootKeyAction::Records && !self.is_open && self.strings == Strings::default();
        // Damaged text that is read again is limited; below this no limit was near.
        let n_rescanned = self.n_rescanned + piece.n_rescanned;
        is_between && self.n_read == from && self.is_list_root == piece.is_list_root && n_rescanned < RECORD_MAX as u64
    }

    /// Continues after `piece`; [`Splitter::meets`] must hold.
    pub fn go_on_from(&mut self, piece: Splitter) {
        let n_rescanned = self.n_rescanned + piece.n_rescanned;
        *self = Splitter { n_rescanned, ..piece };
    }

    /// Bytes read, those before a piece included.
    pub fn n_read(&self) -> u64 {
        self.n_read
    }

    /// Whether the root was closed.
    pub fn is_at_end(&self) -> bool {
        self.mode == Mode::End
    }

    /// Whether the root is a list.
    pub fn is_list(&self) -> bool {
        self.is_list_root
    }

    /// Takes the next block.
    pub fn feed(&mut self, block: &[u8], sink: &mut dyn Sink) {
        let base = self.n_read;
        self.n_read += block.len() as u64;
        self.run(block, base, sink);
    }

    /// Ends the text; an open record is truncated.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        while self.is_open && self.mode == Mode::Elements {
            let text = std::mem::take(&mut self.carry);
            let offset = self.open_at;
            self.is_open = false;
            match self.boundary(&text).filter(|_| self.take == RootKeyAction::Records) {
                Some(cut) => self.split_at(text, cut, offset, sink),
                None => sink.damaged(&text, offset, Damage::Truncated),
            }
        }
    }

    fn run(&mut self, block: &[u8], base: u64, sink: &mut dyn Sink) {
        let mut at = 0;
        while at < block.len() {
            if self.mode == Mode::Elements {
                at = self.elements(block, at, base, sink);
            } else {
                self.byte(block[at], base + at as u64, sink);
                // A bracket opens a value: the scan begins with it.
                at += usize::from(!(self.mode == Mode::Elements && self.take != RootKeyAction::Records));
            }
        }
    }

    /// The root and its small values, byte by byte.
    fn byte(&mut self, b: u8, offset: u64, sink: &mut dyn Sink) {
        let is_space = b.is_ascii_whitespace();
        self.mode = match self.mode {
            Mode::Start if b == b'{' => Mode::Entries,
            Mode::Start if b == b'[' => {
                self.is_list_root = true;
                self.take = sink.key(b"", b'[', offset);
                self.begin_elements()
            }
            Mode::Entries if b == b'"' => {
                self.key.clear();
                Mode::Key(false)
            }
            Mode::Entries if b == b'}' => Mode::End,
            Mode::Key(false) if b == b'"' => Mode::Colon,
            Mode::Key(is_escaped) => {
                if self.key.len() < KEY_MAX {
                    self.key.push(b);
                }
                Mode::Key(!is_escaped && b == b'\\')
            }
            Mode::Colon if b == b':' => Mode::Begin,
            Mode::Begin if !is_space => self.begin_value(b, offset, sink),
            Mode::Text(is_escaped) => {
                self.keep(b);
                if b == b'"' && !is_escaped { self.end_value(sink) } else { Mode::Text(!is_escaped && b == b'\\') }
            }
            Mode::Bare if matches!(b, b',' | b'}') => {
                let next = self.end_value(sink);
                if b == b'}' { Mode::End } else { next }
            }
            Mode::Bare => {
                self.keep(b);
                Mode::Bare
            }
            mode => mode,
        };
    }

    fn begin_value(&mut self, b: u8, offset: u64, sink: &mut dyn Sink) -> Mode {
        self.take = sink.key(&self.key, b, offset);
        if self.take == RootKeyAction::Records && b != b'[' {
            self.take = RootKeyAction::Skip;
        }
        self.carry.clear();
        self.open_at = offset;
        self.is_buffered = self.take == RootKeyAction::Value;
        match b {
            b'[' | b'{' => self.begin_elements(),
            b'"' => {
                self.keep(b);
                Mode::Text(false)
            }
            b'}' => Mode::End,
            _ => {
                self.keep(b);
                Mode::Bare
            }
        }
    }

    fn keep(&mut self, b: u8) {
        if self.is_buffered && self.carry.len() < RECORD_MAX {
            self.carry.push(b);
        }
    }

    fn end_value(&mut self, sink: &mut dyn Sink) -> Mode {
        if self.is_buffered {
            let text = std::mem::take(&mut self.carry);
            sink.value(&self.key, text.trim_ascii_end(), self.open_at);
        }
        Mode::Entries
    }

    fn begin_elements(&mut self) -> Mode {
        self.strings = Strings::default();
        self.depth = 0;
        self.is_open = false;
        self.look_at = LONG;
        Mode::Elements
    }
}
