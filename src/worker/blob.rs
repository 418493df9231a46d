//! Bytes of a `File`: at random access through `FileReaderSync`, and as blocks that are read ahead.

use super::buffers::copy_out;
use super::error::{refused, sentence};
use super::reader::Reader;
use super::remote;
use crate::base::hash::{self, ContentHash};
use crate::base::{ByteSource, InputError, Member, SourceError};
use crate::formats::read_ahead::{ReadAhead, Waiting, take};
use futures_channel::oneshot;
use js_sys::{Array, ArrayBuffer, Promise};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileReaderSync};

/// A file as a member of an input set. Works in a worker only.
pub struct FileSource {
    file: File,
    reader: FileReaderSync,
}

impl FileSource {
    /// A source over `file`.
    pub fn new(file: &File) -> Result<Self, SourceError> {
        Ok(FileSource { file: file.clone(), reader: FileReaderSync::new().map_err(|e| refused(&e))? })
    }
}

impl ByteSource for FileSource {
    fn len(&self) -> u64 {
        self.file.size() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let blob = part(&self.file, offset, out.len() as u64)?;
        let buffer = self.reader.read_as_array_buffer(&blob).map_err(|e| refused(&e))?;
        move_out(&buffer, out)
    }

    /// One blob of all parts: one way to the browser's process and back, where each part by itself would take its own.
    fn read_parts(&self, parts: &[(u64, usize)], out: &mut [u8]) -> Result<(), SourceError> {
        let blob = joined(parts.iter().map(|&(offset, n_bytes)| (&self.file, offset, n_bytes as u64)))?;
        let buffer = self.reader.read_as_array_buffer(&blob).map_err(|e| refused(&e))?;
        move_out(&buffer, out)
    }
}

/// The bytes of a buffer, which is freed: until the browser collects garbage, blocks that were read would take tens of megabytes.
fn move_out(buffer: &ArrayBuffer, out: &mut [u8]) -> Result<(), SourceError> {
    copy_out(buffer, out)?;
    super::buffers::free(buffer);
    Ok(())
}

/// The block sizes: small ones first, so that something is on screen at once.
const FIRST_BLOCK: u64 = 1 << 20;
const BLOCK: u64 = 4 << 20;
/// Blocks that a reader reads ahead.
const N_AHEAD: usize = 4;
/// Files that are shorter than this are read before a reader could help, bytes.
const READER_MIN: u64 = 16 << 20;

/// Source of the blocks.
enum Source {
    /// While a block is worked on the next ones are on their way.
    File(File, Option<Rc<Reader>>),
    /// A member of an archive, read on demand.
    Member(Member),
}

/// A block on its way.
struct Coming {
    offset: u64,
    n_bytes: u64,
    by: By,
}

/// Who reads it.
enum By {
    Reader(Rc<Reader>, oneshot::Receiver<Result<ArrayBuffer, SourceError>>),
    Own(Promise),
}

/// Reads a file, or a member of an archive, from front to back.
pub struct Blocks {
    source: Source,
    /// What has not been asked for yet.
    ranges: VecDeque<Range<u64>>,
    /// Bytes of the next block.
    size: u64,
    coming: VecDeque<Coming>,
    /// Number of blocks that may be requested ahead. Until the first is read: that one, and the next by the reader.
    n_ahead: usize,
    bytes: Vec<u8>,
}

impl Blocks {
    /// From the beginning.
    pub fn new(file: &File) -> Result<Self, SourceError> {
        let len = file.size() as u64;
        let reader = if len >= READER_MIN && !remote::is_remote(file) { Reader::shared() } else { None };
        Blocks::of_range(file, 0..len, reader)
    }

    /// The bytes of `range` alone.
    pub fn of_range(file: &File, range: Range<u64>, reader: Option<Rc<Reader>>) -> Result<Self, SourceError> {
        let size = if range.start > 0 { BLOCK } else { FIRST_BLOCK };
        let mut blocks = Blocks::over(Source::File(file.clone(), reader), range, size);
        blocks.read_ahead()?;
        Ok(blocks)
    }

    /// From the beginning of a member.
    pub fn of_member(member: &Member) -> Self {
        Blocks::over(Source::Member(member.clone()), 0..member.len(), FIRST_BLOCK)
    }

    fn over(source: Source, range: Range<u64>, size: u64) -> Self {
        let n_ahead = if matches!(source, Source::File(_, Some(_))) { 2 } else { 1 };
        Blocks { source, ranges: VecDeque::from([range]), size, coming: VecDeque::new(), n_ahead, bytes: Vec::new() }
    }

    /// Asks for the next blocks. The first one is read without the reader, which may not have started yet.
    fn read_ahead(&mut self) -> Result<(), SourceError> {
        let Source::File(file, reader) = &self.source else { return Ok(()) };
        let reader = reader.as_ref().filter(|r| r.is_running());
        let n_ahead = if reader.is_some() || remote::is_remote(file) { self.n_ahead } else { 1 };
        while self.coming.len() < n_ahead {
            let Some(range) = take(&mut self.ranges, self.size) else { break };
            self.size = (self.size * 4).min(BLOCK);
            let (offset, n_bytes) = (range.start, range.end - range.start);
            let by = match reader.filter(|_| offset > 0) {
                Some(reader) => By::Reader(reader.clone(), reader.read(file, range)),
                None => By::Own(part(file, offset, n_bytes)?.array_buffer()),
            };
            self.coming.push_back(Coming { offset, n_bytes, by });
        }
        Ok(())
    }

    /// The next block; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<&[u8]>, SourceError> {
        Ok(self.next_at().await?.map(|_| self.bytes.as_slice()))
    }

    /// Brings the next block into `bytes`; returns where it stands, or `None` at the end.
    async fn next_at(&mut self) -> Result<Option<u64>, SourceError> {
        if let Source::Member(member) = &self.source {
            let Some(range) = take(&mut self.ranges, self.size) else { return Ok(None) };
            member.read_into(range.start, range.end - range.start, &mut self.bytes)?;
            self.size = (self.size * 4).min(BLOCK);
            return Ok(Some(range.start));
        }
        let Some(coming) = self.coming.pop_front() else {
            return Ok(None);
        };
        self.n_ahead = N_AHEAD;
        self.read_ahead()?;
        let offset = coming.offset;
        let (buffer, reader) = self.arrived(coming).await?;
        self.bytes.resize(buffer.byte_length() as usize, 0);
        match reader {
            Some(reader) => {
                copy_out(&buffer, &mut self.bytes)?;
                reader.give_back(&buffer);
            }
            None => move_out(&buffer, &mut self.bytes)?,
        }
        Ok(Some(offset))
    }

    /// The bytes of a block, and the reader whose buffer they are in. What a reader that broke down was asked for is read without it.
    async fn arrived(&self, coming: Coming) -> Result<(ArrayBuffer, Option<Rc<Reader>>), SourceError> {
        let own = match coming.by {
            By::Own(promise) => promise,
            By::Reader(reader, answer) => match (answer.await, &self.source) {
                (Ok(part), _) => return part.map(|buffer| (buffer, Some(reader))),
                (Err(_), Source::File(file, _)) => part(file, coming.offset, coming.n_bytes)?.array_buffer(),
                (Err(_), Source::Member(_)) => return Err(SourceError::Platform(sentence(""))),
            },
        };
        Ok((JsFuture::from(own).await.map_err(|e| refused(&e))?.unchecked_into(), None))
    }
}

/// Reads the ranges of a file that an importer plans.
pub(super) struct Planned {
    name: String,
    blocks: Blocks,
}

impl Planned {
    /// Reads a file that has that name in sentences.
    pub fn new(name: &str, file: &File) -> Self {
        let source = Source::File(file.clone(), Reader::shared());
        let blocks = Blocks { source, ranges: VecDeque::new(), size: BLOCK, coming: VecDeque::new(), n_ahead: N_AHEAD, bytes: Vec::new() };
        Planned { name: name.into(), blocks }
    }

    fn unreadable(&self, why: SourceError) -> InputError {
        InputError::Unreadable { name: self.name.clone(), why }
    }
}

impl ReadAhead for Planned {
    fn plan(&mut self, ranges: Vec<Range<u64>>) -> Result<(), InputError> {
        self.blocks.ranges = ranges.into();
        self.blocks.read_ahead().map_err(|why| self.unreadable(why))
    }

    fn next<'a>(&'a mut self, block: &'a mut Vec<u8>) -> Waiting<'a, Option<u64>> {
        Box::pin(async {
            let at = self.blocks.next_at().await.map_err(|why| self.unreadable(why))?;
            std::mem::swap(&mut self.blocks.bytes, block);
            Ok(at)
        })
    }
}

/// Parts of files, (file, offset, bytes), one after the other, not read yet.
pub(super) fn joined<'a>(parts: impl Iterator<Item = (&'a File, u64, u64)>) -> Result<Blob, SourceError> {
    let blobs = Array::new();
    for (file, offset, n_bytes) in parts {
        let blob: JsValue = part(file, offset, n_bytes)?.into();
        blobs.push(&blob);
    }
    Blob::new_with_blob_sequence(&blobs).map_err(|e| refused(&e))
}

/// The content hash of files of this machine, whose sampled bytes come while something else is done.
pub(super) struct PendingHash(Vec<(u64, JsFuture)>);

impl PendingHash {
    /// Asks for the bytes.
    pub fn of<'a>(files: impl Iterator<Item = &'a File>) -> Result<Self, SourceError> {
        let asked = |file: &'a File| {
            let len = file.size() as u64;
            // A future, not its promise: one that is refused while nobody waits would end the worker.
            let sampled = joined(hash::parts(len).into_iter().map(|(offset, n_bytes)| (file, offset, n_bytes as u64)))?;
            Ok((len, JsFuture::from(sampled.array_buffer())))
        };
        Ok(PendingHash(files.map(asked).collect::<Result<_, SourceError>>()?))
    }

    /// The hash, once all have come.
    pub async fn finish(self) -> Result<String, SourceError> {
        let (mut hash, mut bytes) = (ContentHash::default(), Vec::new());
        for (len, coming) in self.0 {
            let buffer: ArrayBuffer = coming.await.map_err(|e| refused(&e))?.unchecked_into();
            bytes.resize(hash::parts(len).iter().map(|part| part.1).sum(), 0);
            move_out(&buffer, &mut bytes)?;
            hash.add(len, &bytes);
        }
        Ok(hash.digits())
    }
}

/// Some bytes of a file, not read yet.
pub(super) fn part(file: &File, offset: u64, n_bytes: u64) -> Result<Blob, SourceError> {
    file.slice_with_f64_and_f64(offset as f64, (offset + n_bytes) as f64).map_err(|e| refused(&e))
}
