//! Decompresses a Zstandard file into a `File` of the browser, which may keep it on disk instead of the worker's memory.

use super::blob::Blocks;
use super::error::{BrowserError, Incomplete, Sentence, UnpackError, WorkerError};
use super::profile_host::Host;
use super::protocol::{Progress, ToPage};
use crate::formats::zstd::{self, Stop};
use js_sys::{Array, Uint8Array};
use web_sys::{Blob, File};

/// Bytes of a part of the file that is made.
const PART: usize = 16 << 20;

/// The parts made so far, and the beginning of the next.
#[derive(Default)]
struct Parts {
    blobs: Array,
    open: Vec<u8>,
    error: Option<BrowserError>,
}

impl Parts {
    fn add(&mut self, bytes: &[u8]) {
        self.open.extend_from_slice(bytes);
        if self.open.len() >= PART {
            self.close();
        }
    }

    fn close(&mut self) {
        let bytes = Array::of1(&Uint8Array::from(self.open.as_slice()));
        match Blob::new_with_u8_array_sequence(&bytes) {
            Ok(blob) => drop(self.blobs.push(&blob)),
            Err(error) => self.error = Some(error.into()),
        }
        self.open.clear();
    }
}

/// Sends the decompressed file. Fails without any data; data before damage is sent with a note.
pub(super) async fn run(host: &Host, name: &str, file: &File) -> Result<(), WorkerError> {
    let mut unpacker = zstd::unpacker().map_err(UnpackError::from)?;
    let mut blocks = Blocks::new(file)?;
    let (mut parts, mut bytes, mut stop) = (Parts::default(), 0u64, None);
    while let Some(block) = blocks.next().await? {
        if bytes == 0 && !zstd::is_zstd(block) {
            return Err(UnpackError::NotZstandard.into());
        }
        let pushed = unpacker.push(block, &mut |data| parts.add(data));
        if let Some(error) = parts.error.take() {
            return Err(UnpackError::NotStored(error).into());
        }
        bytes += block.len() as u64;
        if let Err(reason) = pushed {
            stop = Some(reason);
            break;
        }
        host.post(&ToPage::Progress(Progress { bytes, total: file.size() as u64, ..Progress::default() }));
    }
    let has_data = unpacker.n_out() > 0;
    let note = match stop {
        Some(Stop::TooLong) => return Err(UnpackError::TooLong.into()),
        Some(Stop::Damaged(at, why)) => Some(Incomplete::Damaged(at, why)),
        None if unpacker.is_whole() => None,
        None if has_data => Some(Incomplete::Truncated),
        None => Some(Incomplete::Empty),
    };
    if let Some(note) = note.as_ref().filter(|_| !has_data && !unpacker.is_whole()) {
        return Err(UnpackError::from(note.clone()).into());
    }
    parts.close();
    let made = File::new_with_blob_sequence(&parts.blobs, name).map_err(BrowserError::from)?;
    host.post_file(&ToPage::Unpacked(note.as_ref().map(Sentence::of)), &made);
    Ok(())
}
