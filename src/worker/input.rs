//! The files of a drop as an input set. Many are read together: a browser takes two milliseconds for each read, however short.

use super::blob::{FileSource, joined};
use super::error::refused;
use super::{buffers, remote};
use crate::base::input::HEAD_LEN;
use crate::base::{ByteSource, InputSet, Member, SourceError};
use js_sys::Uint8Array;
use std::sync::Arc;
use web_sys::{File, FileReaderSync};

/// Many files: from here on they are read together.
const MANY: usize = 4;
/// Files whose heads are read together: they take 64 KiB of memory each.
const MOST_HEADS: usize = 512;

/// The files as an input set.
pub(super) fn input(names: &[String], files: &[File]) -> Result<InputSet, SourceError> {
    let is_local = files.iter().all(|file| !remote::is_remote(file));
    let heads = (is_local && files.len() >= MANY).then(|| read_together(&files[..files.len().min(MOST_HEADS)], HEAD_LEN as u64));
    // Where one file cannot be read, each is asked for its own bytes, so that the sentence names it.
    let mut heads = heads.and_then(Result::ok).unwrap_or_default().into_iter();
    let member = |(name, file): (&String, &File)| -> Result<Member, SourceError> {
        let head = heads.next();
        if remote::is_remote(file) {
            return Ok(Member::new(name.clone(), Arc::new(remote::RemoteSource(file.clone()))));
        }
        let file = FileSource::new(file)?;
        Ok(match head {
            Some(head) => Member::new(name.clone(), Arc::new(WithHead { head, file })),
            None => Member::new(name.clone(), Arc::new(file)),
        })
    };
    Ok(InputSet { members: names.iter().zip(files).map(member).collect::<Result<_, SourceError>>()? })
}

/// The same with all bytes in memory, where the files are of this machine and each can be read.
pub(super) fn input_at_hand(names: &[String], files: &[File]) -> Result<InputSet, SourceError> {
    let is_local = files.iter().all(|file| !remote::is_remote(file));
    match is_local.then(|| read_together(files, u64::MAX)) {
        Some(Ok(read)) => {
            Ok(InputSet { members: names.iter().zip(read).map(|(name, bytes)| Member::from_bytes(name.clone(), bytes)).collect() })
        }
        _ => input(names, files),
    }
}

/// At most `most_each` bytes of each file, by one blob of all.
fn read_together(files: &[File], most_each: u64) -> Result<Vec<Vec<u8>>, SourceError> {
    let lengths: Vec<u64> = files.iter().map(|file| (file.size() as u64).min(most_each)).collect();
    let blob = joined(files.iter().zip(&lengths).map(|(file, n_bytes)| (file, 0, *n_bytes)))?;
    let buffer = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(&blob)).map_err(|e| refused(&e))?;
    let all = Uint8Array::new(&buffer);
    let wanted = lengths.iter().sum();
    if u64::from(all.length()) != wanted {
        return Err(SourceError::Length { wanted, found: all.length().into() });
    }
    let mut at = 0;
    let mut next = |n_bytes: &u64| {
        let (from, to) = (at, at + *n_bytes as u32);
        at = to;
        all.subarray(from, to).to_vec()
    };
    let out = lengths.iter().map(&mut next).collect();
    buffers::free(&buffer);
    Ok(out)
}

/// A file whose first bytes are there already. Works in a worker only.
struct WithHead {
    /// The first bytes, or all.
    head: Vec<u8>,
    /// The whole file.
    file: FileSource,
}

impl ByteSource for WithHead {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let in_head = usize::try_from(offset).ok().and_then(|from| self.head.get(from..from.checked_add(out.len())?));
        match in_head {
            Some(bytes) => out.copy_from_slice(bytes),
            None => self.file.read_at(offset, out)?,
        }
        Ok(())
    }

    fn read_parts(&self, parts: &[(u64, usize)], out: &mut [u8]) -> Result<(), SourceError> {
        self.file.read_parts(parts, out)
    }
}
