//! Finds where records begin and end in JSON that is fed block by block. Holds one record at a time, whatever the size of the file.

use super::resync;
use super::scan::{STEP, Strings};

/// What to do with the value of a root key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// It is a list: each element by itself.
    Records,
    /// The value as a whole, if it is not too long.
    Value,
    /// Nothing.
    Skip,
}

/// What is wrong with a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The sink could not read it, or it runs into the next record.
    Unreadable,
    /// The text ends inside it.
    Truncated,
    /// Longer than [`RECORD_MAX`]; `text` is its beginning.
    TooLong,
    /// Something between records that is no object or list.
    Stray,
}

/// Receives what a [`Splitter`] finds.
pub trait Sink {
    /// A root key whose value begins with the byte `begins`.
    fn key(&mut self, key: &[u8], begins: u8) -> Take;
    /// One element, with its brackets. `false`: it cannot be read as one record.
    fn record(&mut self, text: &[u8], offset: u64) -> bool;
    /// A whole value of a root key.
    fn value(&mut self, key: &[u8], text: &[u8], offset: u64);
    /// Text that is no whole record.
    fn damaged(&mut self, text: &[u8], offset: u64, damage: Damage);
}

/// The longest record, and the longest root value, that is held.
pub const RECORD_MAX: usize = 64 << 20;
/// A record longer than this is looked at again: does it run into the next one, because of a quote too many?
const LONG: usize = 64 << 10;
const KEY_MAX: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
pub struct Splitter {
    mode: Mode,
    is_list_root: bool,
    key: Vec<u8>,
    take: Take,
    /// Text of the value or record that the block before ended in.
    carry: Vec<u8>,
    /// Whether a record or value is open, where it begins, and whether its text is kept.
    is_open: bool,
    open_at: u64,
    is_kept: bool,
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
            take: Take::Skip,
            carry: Vec::new(),
            is_open: false,
            open_at: 0,
            is_kept: false,
            strings: Strings::default(),
            depth: 0,
            look_at: LONG,
            n_read: 0,
            n_rescanned: 0,
        }
    }
}

/// Why the scan of elements stopped.
enum Stopped {
    /// The block is used up.
    BlockEnd,
    /// The list, or the single value, ended before this position.
    Closed(usize),
    /// An open record is suspiciously long; scanned up to here.
    Long(usize),
    /// Go on at this position with fresh state.
    Restart(usize),
}

impl Splitter {
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

    /// The text is over: what is still open is cut.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        while self.is_open && self.mode == Mode::Elements {
            let text = std::mem::take(&mut self.carry);
            let offset = self.open_at;
            self.is_open = false;
            match self.boundary(&text).filter(|_| self.take == Take::Records) {
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
                at += usize::from(!(self.mode == Mode::Elements && self.take != Take::Records));
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
                self.take = sink.key(b"", b'[');
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
        self.take = sink.key(&self.key, b);
        if self.take == Take::Records && b != b'[' {
            self.take = Take::Skip;
        }
        self.carry.clear();
        self.open_at = offset;
        self.is_kept = self.take == Take::Value;
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
        if self.is_kept && self.carry.len() < RECORD_MAX {
            self.carry.push(b);
        }
    }

    fn end_value(&mut self, sink: &mut dyn Sink) -> Mode {
        if self.is_kept {
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

    /// Scans elements from `at`; returns where to go on.
    fn elements(&mut self, block: &[u8], at: usize, base: u64, sink: &mut dyn Sink) -> usize {
        // Where in the block the open record's text begins.
        let mut from = at;
        match self.scan(block, at, &mut from, base, sink) {
            Stopped::BlockEnd => {
                self.carry_over(&block[from.min(block.len())..]);
                block.len()
            }
            Stopped::Closed(next) => {
                self.mode = if self.is_list_root { Mode::End } else { Mode::Entries };
                next
            }
            Stopped::Restart(next) => next,
            Stopped::Long(scanned) => {
                self.carry_over(&block[from..scanned]);
                self.look_again(sink);
                scanned
            }
        }
    }

    /// Keeps a part of the open record.
    fn carry_over(&mut self, part: &[u8]) {
        if self.is_open && self.is_kept {
            let room = RECORD_MAX.saturating_sub(self.carry.len());
            self.carry.extend_from_slice(&part[..part.len().min(room)]);
        }
    }

    /// The open record is long: cuts it where the next one begins, if it does.
    fn look_again(&mut self, sink: &mut dyn Sink) {
        self.look_at = self.carry.len().saturating_mul(2);
        if self.take != Take::Records {
            return;
        }
        let Some(cut) = self.boundary(&self.carry) else {
            return;
        };
        let text = std::mem::take(&mut self.carry);
        self.is_open = false;
        self.split_at(text, cut, self.open_at, sink);
    }

    /// Where the next record begins in the text of a damaged one; `None` when there is none or too much was read twice already.
    fn boundary(&self, text: &[u8]) -> Option<usize> {
        let allowed = (64 << 20) + self.n_read * 2;
        if self.n_rescanned + text.len() as u64 > allowed { None } else { resync::next_record(text) }
    }

    /// `text` is a damaged record up to `cut`, and others after it: reads those again.
    fn split_at(&mut self, text: Vec<u8>, cut: usize, offset: u64, sink: &mut dyn Sink) {
        sink.damaged(&text[..cut], offset, Damage::Unreadable);
        self.n_rescanned += (text.len() - cut) as u64;
        let look_at = self.look_at;
        self.begin_elements();
        self.look_at = look_at.max(LONG);
        self.run(&text[cut..], offset + cut as u64, sink);
    }

    /// The loop over 64 bytes at a time. `from` is where the open record's text begins in the block.
    fn scan(&mut self, block: &[u8], mut at: usize, from: &mut usize, base: u64, sink: &mut dyn Sink) -> Stopped {
        let mut gap = at;
        while at < block.len() {
            let part = &block[at..];
            let (brackets, n) = match part.first_chunk::<STEP>() {
                Some(whole) => (self.strings.step(whole), STEP),
                None => (self.strings.tail(part), part.len()),
            };
            let n_closes = u64::from(brackets.closes.count_ones());
            if self.is_open && n_closes < self.depth {
                self.depth = self.depth + u64::from(brackets.opens.count_ones()) - n_closes;
                at += n;
                if self.carry.len() + (at - *from) > self.look_at && self.is_kept && self.carry.len() < RECORD_MAX {
                    return Stopped::Long(at);
                }
                continue;
            }
            let mut bits = brackets.opens | brackets.closes;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                let here = at + bit as usize;
                if brackets.opens >> bit & 1 == 1 {
                    if !self.is_open {
                        self.open(block, gap, here, base, sink);
                        *from = here;
                    }
                    self.depth += 1;
                } else if !self.is_open {
                    // The list's own closing bracket.
                    stray(block, gap, here, base, sink);
                    return Stopped::Closed(here + 1);
                } else {
                    self.depth -= 1;
                    if self.depth == 0 {
                        gap = here + 1;
                        if let Some(stopped) = self.close(&block[*from..gap], base, gap, sink) {
                            return stopped;
                        }
                        *from = gap;
                    }
                }
                bits &= bits - 1;
            }
            at += n;
        }
        if !self.is_open {
            stray(block, gap, block.len(), base, sink);
        }
        Stopped::BlockEnd
    }

    #[inline]
    fn open(&mut self, block: &[u8], gap: usize, here: usize, base: u64, sink: &mut dyn Sink) {
        if self.take == Take::Records {
            stray(block, gap, here, base, sink);
            self.is_kept = true;
        }
        self.is_open = true;
        self.open_at = base + here as u64;
        self.look_at = LONG;
    }

    /// The record or value that ends with `part` is complete.
    #[inline]
    fn close(&mut self, part: &[u8], base: u64, next: usize, sink: &mut dyn Sink) -> Option<Stopped> {
        self.is_open = false;
        if self.take != Take::Records {
            self.is_open = true;
            self.carry_over(part);
            self.is_open = false;
            self.end_value(sink);
            return Some(Stopped::Closed(next));
        }
        if self.carry.is_empty() {
            if sink.record(part, self.open_at) {
                return None;
            }
            return self.close_damaged(part, base, sink);
        }
        let mut text = std::mem::take(&mut self.carry);
        if text.len() + part.len() > RECORD_MAX {
            sink.damaged(&text, self.open_at, Damage::TooLong);
            return None;
        }
        text.extend_from_slice(part);
        if sink.record(&text, self.open_at) {
            text.clear();
            self.carry = text;
            return None;
        }
        match self.boundary(&text) {
            Some(cut) => {
                self.split_at(text, cut, self.open_at, sink);
                Some(Stopped::Restart(next))
            }
            None => {
                sink.damaged(&text, self.open_at, Damage::Unreadable);
                None
            }
        }
    }

    /// A record within the block that cannot be read: goes on where the next one begins in it.
    fn close_damaged(&mut self, part: &[u8], base: u64, sink: &mut dyn Sink) -> Option<Stopped> {
        let cut = self.boundary(part);
        sink.damaged(&part[..cut.unwrap_or(part.len())], self.open_at, Damage::Unreadable);
        let next = (self.open_at - base) as usize + cut?;
        self.n_rescanned += (part.len() - cut?) as u64;
        self.begin_elements();
        Some(Stopped::Restart(next))
    }
}

/// Reports what stands between two records beside commas.
#[inline(always)]
fn stray(block: &[u8], from: usize, to: usize, base: u64, sink: &mut dyn Sink) {
    let gap = &block[from..to];
    if let Some(at) = gap.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b',')) {
        sink.damaged(&gap[at..], base + (from + at) as u64, Damage::Stray);
    }
}
