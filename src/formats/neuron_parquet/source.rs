//! The bytes of a Parquet file as its library wants them.

use crate::base::{InputError, Member};
use bytes::{Buf, Bytes};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::cell::RefCell;
use std::io::Read;

/// Bytes of a read that the library makes without saying how long it is: page headers and footers.
const READ_AHEAD: u64 = 64 << 10;
/// Bytes held at most of a file: its chunks of one row group, as they stand packed in it.
const MOST_HELD: u64 = 64 << 20;

thread_local! {
    /// Open files. The library wants its source to cross threads, which files of a browser cannot: it gets their place in this list.
    static FILES: RefCell<Vec<Option<Open>>> = const { RefCell::new(Vec::new()) };
}

struct Open {
    member: Member,
    /// Parts that were read ahead: (offset, bytes).
    held: Vec<(u64, Bytes)>,
}

impl Open {
    /// What is held from `start` on.
    fn held(&self, start: u64) -> Option<Bytes> {
        let after = |(offset, bytes): &(u64, Bytes)| {
            let from = start.checked_sub(*offset).and_then(|from| usize::try_from(from).ok())?;
            (from < bytes.len()).then(|| bytes.slice(from..))
        };
        self.held.iter().find_map(after)
    }
}

/// Bytes from `start` of the file at a place of [`FILES`]: `n`, or as many as are held if that `may_be_less`.
fn read(at: usize, start: u64, n: u64, may_be_less: bool) -> Result<Bytes, ParquetError> {
    let done = FILES.with_borrow(|files| {
        let Some(open) = files.get(at).and_then(Option::as_ref) else {
            return Err(InputError::Unreadable { name: "a table".into(), why: "It is not open.".into() });
        };
        match open.held(start).filter(|held| may_be_less || held.len() as u64 >= n) {
            Some(held) => Ok(held.slice(..held.len().min(usize::try_from(n).unwrap_or(usize::MAX)))),
            None => open.member.read(start, n).map(Bytes::from),
        }
    });
    done.map_err(|e| ParquetError::General(e.to_string()))
}

/// A file of [`FILES`].
pub(super) struct Source {
    at: usize,
    len: u64,
}

impl Source {
    /// Keeps `member` open.
    pub fn new(member: &Member) -> Source {
        let open = Some(Open { member: member.clone(), held: Vec::new() });
        let at = FILES.with_borrow_mut(|files| match files.iter().position(Option::is_none) {
            Some(free) => {
                files[free] = open;
                free
            }
            None => {
                files.push(open);
                files.len() - 1
            }
        });
        Source { at, len: member.len() }
    }

    /// For reads of this file while it is lent to the library.
    pub fn ahead(&self) -> Ahead {
        Ahead { at: self.at, len: self.len, offset: 0, bytes: Bytes::new() }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        FILES.with_borrow_mut(|files| files[self.at] = None);
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.len
    }
}

/// Reads on from an offset, a piece at a time. Lives no longer than its [`Source`].
pub(super) struct Ahead {
    at: usize,
    /// Of the whole file.
    pub len: u64,
    offset: u64,
    bytes: Bytes,
}

impl Ahead {
    /// Reads parts (offset, length) of the file in one go each, for the many small reads to come; they replace those of before.
    /// Where they are too long together, nothing is held.
    pub fn hold(&self, parts: &[(u64, u64)]) -> Result<(), ParquetError> {
        self.replace(Vec::new());
        if parts.iter().map(|p| p.1).fold(0, u64::saturating_add) <= MOST_HELD {
            let part = |&(start, n): &(u64, u64)| read(self.at, start, n, false).map(|bytes| (start, bytes));
            self.replace(parts.iter().map(part).collect::<Result<_, _>>()?);
        }
        Ok(())
    }

    fn replace(&self, held: Vec<(u64, Bytes)>) {
        FILES.with_borrow_mut(|files| {
            if let Some(open) = files.get_mut(self.at).and_then(Option::as_mut) {
                open.held = held;
            }
        });
    }
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() {
            let n = READ_AHEAD.min(self.len.saturating_sub(self.offset));
            self.bytes = read(self.at, self.offset, n, true).map_err(std::io::Error::other)?;
            self.offset += self.bytes.len() as u64;
        }
        let n = out.len().min(self.bytes.len());
        self.bytes.copy_to_slice(&mut out[..n]);
        Ok(n)
    }
}

impl ChunkReader for Source {
    type T = Ahead;

    fn get_read(&self, start: u64) -> Result<Ahead, ParquetError> {
        Ok(Ahead { offset: start.min(self.len), ..self.ahead() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        read(self.at, start, length as u64, false)
    }
}
