//! Splits a large JSON object of sections into records, block by block, holding no more than one record.
//!
//! Not the splitter of [`crate::formats::json`]: that one repairs damaged traces and reports the damage, this one refuses a file that is no object of
//! sections, delivers elements of any type, and lets its sink measure an element while parsing it.

use crate::formats::ImportError;
use crate::formats::json::nested_len;
use serde::{Deserialize, Serialize};

/// Longest record and longest key that are taken.
const MAX_RECORD: usize = 64 << 20;
const MAX_KEY: usize = 64 << 10;

/// One value of the file.
pub(super) struct Piece<'a> {
    /// The root key it is under, escapes as written.
    pub section: &'a str,
    /// Whether it is an element of the section's array; else it is the section itself.
    pub is_element: bool,
    /// The value's text.
    pub text: &'a [u8],
    /// Offset of its first byte in the member.
    pub offset: u64,
}

/// What takes the values of a file.
pub(super) trait Sink {
    /// Parses the element at the start of `begun` and returns its length; `None`: the splitter finds its end.
    fn whole(&mut self, _begun: &Piece<'_>) -> Option<usize> {
        None
    }

    /// Learns that a section begins; it may be empty.
    fn section(&mut self, _name: &str) {}

    /// Takes a value.
    fn piece(&mut self, piece: &Piece<'_>);
}

impl<F: FnMut(&Piece<'_>)> Sink for F {
    fn piece(&mut self, piece: &Piece<'_>) {
        self(piece);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Start,
    /// Before a root key, or at the root's end.
    Root,
    Key,
    Colon,
    /// Before a section's value.
    Value,
    /// Before an element, or at the array's end.
    Elements,
    /// Inside a value; `is_element`.
    Record(bool),
    Done,
}

/// Where the scan is inside a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Inside {
    depth: u32,
    is_string: bool,
    is_escaped: bool,
    is_scalar: bool,
}

/// The splitter. Feed it blocks in order.
#[derive(Serialize, Deserialize)]
pub(super) struct SectionSplitter {
    state: State,
    inside: Inside,
    section: String,
    /// Beginning of the key or record that the last block cut.
    carry: Vec<u8>,
    /// Offset of the next block.
    offset: u64,
    /// Offset of the record in work.
    record_at: u64,
    /// Bytes after the object's end that are not white space.
    pub n_trailing: u64,
}

impl SectionSplitter {
    pub fn new() -> Self {
        SectionSplitter {
            state: State::Start,
            inside: Inside::default(),
            section: String::new(),
            carry: Vec::new(),
            offset: 0,
            record_at: 0,
            n_trailing: 0,
        }
    }

    /// One that begins between two elements of `section`, at `offset` of the member.
    pub fn of_piece(section: &str, offset: u64) -> Self {
        SectionSplitter { state: State::Elements, section: section.into(), offset, ..Self::new() }
    }

    /// Whether this splitter is where a piece of `section` began at `from`: then the piece was split as this one would have split it.
    pub fn meets(&self, section: &str, from: u64) -> bool {
        self.state == State::Elements && self.section == section && self.offset == from
    }

    /// Goes on after `piece`; [`SectionSplitter::meets`] must hold.
    pub fn go_on_from(&mut self, piece: SectionSplitter) {
        let n_trailing = self.n_trailing + piece.n_trailing;
        *self = SectionSplitter { n_trailing, ..piece };
    }

    /// Whether the object has been closed.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Current root key and offset.
    pub fn position(&self) -> (&str, u64) {
        (&self.section, self.offset)
    }

    /// Takes the next block; `sink` gets every value that ends in it.
    pub fn feed(&mut self, block: &[u8], sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut at = 0;
        while at < block.len() {
            at = match self.state {
                State::Key => self.key(block, at, sink)?,
                State::Record(is_element) => self.record(block, at, is_element, sink)?,
                State::Elements if block[at] == b'{' => self.element(block, at, sink)?,
                _ => self.between(block[at], at)?,
            };
        }
        self.offset += block.len() as u64;
        Ok(())
    }

    /// An element that is an object: taken whole, or begun.
    fn element(&mut self, block: &[u8], at: usize, sink: &mut dyn Sink) -> Result<usize, ImportError> {
        let offset = self.offset + at as u64;
        match sink.whole(&Piece { section: &self.section, is_element: true, text: &block[at..], offset }) {
            Some(len) => Ok(at + len),
            None => self.between(b'{', at),
        }
    }

    /// One byte outside keys and values. Returns the next position: the same one where a value begins.
    fn between(&mut self, byte: u8, at: usize) -> Result<usize, ImportError> {
        let is_space = byte.is_ascii_whitespace() || (self.state == State::Start && matches!(byte, 0xEF | 0xBB | 0xBF));
        if is_space {
            return Ok(at + 1);
        }
        self.state = match (self.state, byte) {
            (State::Start, b'{') => State::Root,
            (State::Root, b',') => State::Root,
            (State::Root, b'"') => {
                self.carry.clear();
                self.inside = Inside::default();
                State::Key
            }
            (State::Root, b'}') => State::Done,
            (State::Colon, b':') => State::Value,
            (State::Value, b'[') => State::Elements,
            (State::Elements, b',') => State::Elements,
            (State::Elements, b']') => State::Root,
            (State::Value | State::Elements, b',' | b']' | b'}' | b':') => return Err(self.unexpected(byte, at)),
            (State::Value | State::Elements, _) => {
                self.carry.clear();
                self.inside = Inside::default();
                self.record_at = self.offset + at as u64;
                self.state = State::Record(self.state == State::Elements);
                return Ok(at);
            }
            (State::Done, _) => {
                self.n_trailing += 1;
                State::Done
            }
            _ => return Err(self.unexpected(byte, at)),
        };
        Ok(at + 1)
    }

    fn unexpected(&self, byte: u8, at: usize) -> ImportError {
        let wanted = match self.state {
            State::Start => "a JSON object of sections (`{`)",
            State::Root => "a section's name or the object's end",
            State::Colon => "`:` after a section's name",
            State::Value => "a section's value",
            _ => "a record or the section's end",
        };
        let offset = self.offset + at as u64;
        ImportError::Invalid(format!("Expected {wanted}, found `{}` at byte {offset}.", byte.escape_ascii()))
    }

    fn key(&mut self, block: &[u8], from: usize, sink: &mut dyn Sink) -> Result<usize, ImportError> {
        let mut at = from;
        while at < block.len() {
            let byte = block[at];
            if self.inside.is_escaped {
                self.inside.is_escaped = false;
            } else if byte == b'\\' {
                self.inside.is_escaped = true;
            } else if byte == b'"' {
                self.keep(&block[from..at], MAX_KEY, "section's name")?;
                self.section = String::from_utf8_lossy(&self.carry).into_owned();
                sink.section(&self.section);
                self.carry.clear();
                self.state = State::Colon;
                return Ok(at + 1);
            }
            at += 1;
        }
        self.keep(&block[from..], MAX_KEY, "section's name")?;
        Ok(at)
    }

    fn keep(&mut self, bytes: &[u8], max: usize, what: &str) -> Result<(), ImportError> {
        if self.carry.len() + bytes.len() > max {
            let at = self.offset;
            return Err(ImportError::Unsupported(format!("Expected no {what} longer than {max} bytes, found one before byte {at}.")));
        }
        self.carry.extend_from_slice(bytes);
        Ok(())
    }

    fn record(&mut self, block: &[u8], from: usize, is_element: bool, sink: &mut dyn Sink) -> Result<usize, ImportError> {
        let Some(end) = self.end_of_value(block, from) else {
            self.keep(&block[from..], MAX_RECORD, "record")?;
            return Ok(block.len());
        };
        let tail = &block[from..end];
        if !self.carry.is_empty() {
            self.keep(tail, MAX_RECORD, "record")?;
        }
        let text = if self.carry.is_empty() { tail } else { self.carry.as_slice() };
        sink.piece(&Piece { section: &self.section, is_element, text, offset: self.record_at });
        self.carry.clear();
        self.state = if is_element { State::Elements } else { State::Root };
        Ok(end)
    }

    /// One past the value's last byte, if it ends in this block.
    fn end_of_value(&mut self, block: &[u8], from: usize) -> Option<usize> {
        if self.inside == Inside::default()
            && matches!(block[from], b'{' | b'[')
            && let Some(len) = nested_len(&block[from..])
        {
            return Some(from + len);
        }
        let inside = &mut self.inside;
        let mut at = from;
        while at < block.len() {
            // Outside strings as well, as `nested_len` does: damaged text ends at the same byte whatever the blocks.
            if std::mem::take(&mut inside.is_escaped) && (inside.is_string || matches!(block[at], b'"' | b'\\')) {
                at += 1;
                continue;
            }
            if inside.is_string {
                at += memchr::memchr2(b'"', b'\\', &block[at..])?;
                inside.is_escaped = block[at] == b'\\';
                inside.is_string = inside.is_escaped;
                at += 1;
                if !inside.is_string && inside.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            match block[at] {
                b'"' if !inside.is_scalar => inside.is_string = true,
                b'\\' if inside.depth > 0 => inside.is_escaped = true,
                b'{' | b'[' if !inside.is_scalar => inside.depth += 1,
                b'}' | b']' if inside.depth > 0 => {
                    inside.depth -= 1;
                    if inside.depth == 0 {
                        return Some(at + 1);
                    }
                }
                b'}' | b']' | b',' if inside.depth == 0 => return Some(at),
                c if inside.depth == 0 && c.is_ascii_whitespace() => return Some(at),
                _ => inside.is_scalar = inside.depth == 0,
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, block: usize) -> Vec<(String, bool, String, u64)> {
        let mut splitter = SectionSplitter::new();
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(block) {
            let mut sink = |p: &Piece<'_>| {
                out.push((p.section.into(), p.is_element, String::from_utf8_lossy(p.text).into_owned(), p.offset));
            };
            splitter.feed(chunk, &mut sink).expect("well formed");
        }
        assert!(splitter.is_done());
        out
    }

    #[test]
    fn blocks_of_any_size_give_the_same_records() {
        let text = r#" {"a":[{"x":"}\"]"},{"y":[1,{}]} ,7, "s"],"b":{"c":"]"},"d":NaN,"e":[]}"#;
        let whole = pieces(text, 1000);
        assert_eq!(whole[0], ("a".into(), true, r#"{"x":"}\"]"}"#.into(), 7));
        assert_eq!(whole.iter().map(|p| p.2.as_str()).collect::<Vec<_>>()[2..], ["7", "\"s\"", r#"{"c":"]"}"#, "NaN"]);
        for block in 1..20 {
            assert_eq!(pieces(text, block), whole);
        }
        let damaged = r#"{"a":[{"x" \"}, {"y" \\"}"} ,{"z\\" \"}]}"#;
        let whole = pieces(damaged, 1000);
        assert_eq!(whole.len(), 3);
        for block in 1..20 {
            assert_eq!(pieces(damaged, block), whole);
        }
    }

    #[test]
    fn what_is_no_object_is_refused_with_the_place() {
        let error = SectionSplitter::new().feed(b"  [1]", &mut |_: &Piece<'_>| ()).expect_err("an array");
        assert!(error.to_string().contains("found `[` at byte 2"), "{error}");
    }
}
