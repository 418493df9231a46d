//! The bytes of a Parquet file as its library wants them.

use crate::base::{InputError, Member};
use bytes::{Buf, Bytes};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::cell::RefCell;
use std::io::Read;

/// Bytes of a read that the library makes without saying how long it is: page headers and footers.
const READ_AHEAD: u64 = 64 << 10;

thread_local! {
    /// Open files. The library wants its source to cross threads, which files of a browser cannot: it gets their place in this list.
    static FILES: RefCell<Vec<Option<Member>>> = const { RefCell::new(Vec::new()) };
}

/// A file of [`FILES`].
pub(super) struct Source {
    at: usize,
    len: u64,
}

impl Source {
    /// Keeps `member` open.
    pub fn new(member: &Member) -> Source {
        let at = FILES.with_borrow_mut(|files| match files.iter().position(Option::is_none) {
            Some(free) => {
                files[free] = Some(member.clone());
                free
            }
            None => {
                files.push(Some(member.clone()));
                files.len() - 1
            }
        });
        Source { at, len: member.len() }
    }

    fn read(&self, start: u64, n: u64) -> Result<Bytes, ParquetError> {
        let read = FILES.with_borrow(|files| match files.get(self.at).and_then(Option::as_ref) {
            Some(member) => member.read(start, n),
            None => Err(InputError::Unreadable { name: "a table".into(), why: "It is not open.".into() }),
        });
        read.map(Bytes::from).map_err(|e| ParquetError::General(e.to_string()))
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

/// Reads on from an offset, a piece at a time.
pub(super) struct Ahead {
    file: Source,
    offset: u64,
    bytes: Bytes,
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() {
            let n = READ_AHEAD.min(self.file.len.saturating_sub(self.offset));
            self.bytes = self.file.read(self.offset, n).map_err(std::io::Error::other)?;
            self.offset += n;
        }
        let n = out.len().min(self.bytes.len());
        self.bytes.copy_to_slice(&mut out[..n]);
        Ok(n)
    }
}

impl ChunkReader for Source {
    type T = Ahead;

    fn get_read(&self, start: u64) -> Result<Ahead, ParquetError> {
        let member = FILES.with_borrow(|files| files.get(self.at).cloned().flatten());
        let member = member.ok_or_else(|| ParquetError::General("the table is not open".into()))?;
        Ok(Ahead { file: Source::new(&member), offset: start.min(self.len), bytes: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.read(start, length as u64)
    }
}
