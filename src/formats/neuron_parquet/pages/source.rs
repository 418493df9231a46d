//! The bytes of a Parquet file as its library wants them.

use crate::base::{InputError, Member, SourceError};
use bytes::{Buf, Bytes};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::cell::RefCell;
use std::io::Read;

/// Bytes of a read that the library makes without saying how long it is: page headers and footers.
const READ_AHEAD: u64 = 64 << 10;
/// Maximum bytes read ahead of a file: compressed chunks of some row groups.
const MAX_READ_AHEAD: u64 = 64 << 20;
/// Row groups are read together up to this size, bytes.
const BLOCK: u64 = 8 << 20;
/// Bytes between two parts that are read with them: less than the way to the browser's process and back takes.
const MOST_BETWEEN: u64 = 64 << 10;

thread_local! {
    /// Open files. The library wants its source to cross threads, which files of a browser cannot: it gets their place in this list.
    static FILES: RefCell<Vec<Option<Open>>> = const { RefCell::new(Vec::new()) };
}

struct Open {
    member: Member,
    /// Parts that were read ahead, by offset: (offset, bytes).
    read_ahead: Vec<(u64, Bytes)>,
}

impl Open {
    /// What is held from `start` on.
    fn read_ahead(&self, start: u64) -> Option<Bytes> {
        let at = self.read_ahead.partition_point(|part| part.0 <= start).checked_sub(1)?;
        let (offset, bytes) = self.read_ahead.get(at)?;
        let from = usize::try_from(start - offset).ok()?;
        (from < bytes.len()).then(|| bytes.slice(from..))
    }
}

/// Reads of the file at a place of [`FILES`].
fn reads<T>(at: usize, read: impl FnOnce(&Open) -> Result<T, InputError>) -> Result<T, ParquetError> {
    let done = FILES.with_borrow(|files| match files.get(at).and_then(Option::as_ref) {
        Some(open) => read(open),
        None => Err(InputError::Unreadable { name: "a table".into(), why: SourceError::Platform("It is not open.".into()) }),
    });
    done.map_err(|e| ParquetError::External(Box::new(e)))
}

/// Bytes from `start` of the file at a place of [`FILES`]: `n`, or as many as are held if that `may_be_less`.
fn read(at: usize, start: u64, n: u64, may_be_less: bool) -> Result<Bytes, ParquetError> {
    reads(at, |open| match open.read_ahead(start).filter(|read_ahead| may_be_less || read_ahead.len() as u64 >= n) {
        Some(read_ahead) => Ok(read_ahead.slice(..read_ahead.len().min(usize::try_from(n).unwrap_or(usize::MAX)))),
        None => open.member.read(start, n).map(Bytes::from),
    })
}

/// A file of [`FILES`].
pub struct Source {
    at: usize,
    len: u64,
}

impl Source {
    /// Keeps `member` open.
    pub fn new(member: &Member) -> Source {
        let open = Some(Open { member: member.clone(), read_ahead: Vec::new() });
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
        // At the end of a thread the list may be dropped before the open files.
        let _ = FILES.try_with(|files| files.borrow_mut()[self.at] = None);
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.len
    }
}

/// Reads on from an offset, a piece at a time. Lives no longer than its [`Source`].
pub struct Ahead {
    at: usize,
    /// Length of the whole file.
    pub len: u64,
    offset: u64,
    bytes: Bytes,
}

impl Ahead {
    /// Reads the chunks of `leaves` in the first of `groups` and in those after it that make a block with it; gives how many groups that are.
    /// A row group larger than a block is only read if `are_large_wanted`.
    pub fn hold_groups(
        &self,
        groups: &[RowGroupMetaData],
        leaves: &[Option<usize>],
        are_large_wanted: bool,
    ) -> Result<usize, ParquetError> {
        let (mut parts, mut n_bytes, mut n_groups) = (Vec::new(), 0u64, 0);
        for group in groups {
            let chunks = leaves.iter().flatten().map(|leaf| group.column(*leaf).byte_range());
            parts.extend(chunks);
            let of_group = &parts[parts.len() - leaves.iter().flatten().count()..];
            n_bytes = of_group.iter().fold(n_bytes, |sum, part| sum.saturating_add(part.1));
            // A group beyond the end fails when it is read, not together with earlier ones.
            let is_inside = of_group.iter().all(|(start, n)| start.saturating_add(*n) <= self.len);
            if n_groups == 0 && n_bytes > BLOCK && !are_large_wanted {
                self.replace(Vec::new());
                return Ok(1);
            }
            if n_groups > 0 && (n_bytes > BLOCK || !is_inside) {
                parts.truncate(parts.len() - of_group.len());
                break;
            }
            n_groups += 1;
        }
        self.hold(parts).map(|()| n_groups)
    }

    /// Reads parts (offset, length) of the file in one go, for the many small reads to come; they replace those of before.
    /// Where they are too long together, nothing is held.
    fn hold(&self, parts: Vec<(u64, u64)>) -> Result<(), ParquetError> {
        self.replace(Vec::new());
        let joined = joined(parts);
        if joined.iter().fold(0, |sum: u64, part| sum.saturating_add(part.1 as u64)) > MAX_READ_AHEAD {
            return Ok(());
        }
        let mut bytes = Bytes::from(reads(self.at, |open| open.member.read_parts(&joined))?);
        self.replace(joined.into_iter().map(|(offset, n)| (offset, bytes.split_to(n))).collect());
        Ok(())
    }

    fn replace(&self, read_ahead: Vec<(u64, Bytes)>) {
        FILES.with_borrow_mut(|files| {
            if let Some(open) = files.get_mut(self.at).and_then(Option::as_mut) {
                open.read_ahead = read_ahead;
            }
        });
    }
}

/// Parts by offset; adjacent and nearly adjacent ones are merged.
fn joined(mut parts: Vec<(u64, u64)>) -> Vec<(u64, usize)> {
    parts.sort_unstable();
    let mut out: Vec<(u64, usize)> = Vec::new();
    for (start, n) in parts {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        match out.last_mut() {
            Some((from, len)) if start - *from <= (*len as u64).saturating_add(MOST_BETWEEN) => {
                let end = usize::try_from(start - *from).unwrap_or(usize::MAX).saturating_add(n);
                *len = end.max(*len);
            }
            _ => out.push((start, n)),
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_nearly_touch_are_read_as_one() {
        assert_eq!(joined(Vec::new()), []);
        let gap = MOST_BETWEEN;
        let parts = vec![(10 + gap, 7), (0, 10), (2, 3), (18 + 2 * gap, 1)];
        assert_eq!(joined(parts), [(0, 17 + gap as usize), (18 + 2 * gap, 1)]);
        assert_eq!(joined(vec![(5, u64::MAX), (u64::MAX, 3)]).len(), 1);
    }

    #[test]
    fn what_is_held_is_what_the_file_holds() {
        let bytes: Vec<u8> = (0..400_000u32).map(|i| ((i * 7) >> 3) as u8).collect();
        let source = Source::new(&Member::from_bytes("T.parquet", bytes.clone()));
        let ahead = source.ahead();
        ahead.hold(vec![(300_000, 50), (1000, 500), (1600, 40)]).expect("inside the file");
        for (start, n) in [(1000, 500), (1600, 40), (300_000, 50), (300_049, 1), (0, 10), (1640, 3), (299_990, 20), (399_999, 1)] {
            assert_eq!(source.get_bytes(start, n).expect("inside")[..], bytes[start as usize..start as usize + n], "{n} from {start}");
        }
        assert!(ahead.hold(vec![(399_999, 2)]).is_err());
        assert!(ahead.hold(vec![(0, u64::MAX)]).is_ok(), "too long: nothing is held");
        assert_eq!(source.get_bytes(0, 1).expect("inside")[..], bytes[..1]);
    }
}
