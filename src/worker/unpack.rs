//! Decompresses a Zstandard file into a file of the browser, which may keep that on the disk: nothing of it stays in the worker.

use super::blob::{Blocks, words};
use super::host::Host;
use super::protocol::{Progress, ToPage};
use crate::base::text;
use crate::formats::gzip::INFLATED_MAX;
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
    error: Option<String>,
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
            Err(error) => self.error = Some(words(&error)),
        }
        self.open.clear();
    }
}

/// Sends the decompressed file. Fails with a sentence where nothing can be read; what is before damage is sent with a sentence on it.
pub(super) async fn run(host: &Host, name: &str, file: &File) -> Result<(), String> {
    let mut unpacker = zstd::unpacker().map_err(|e| e.to_string())?;
    let mut blocks = Blocks::new(file).map_err(|e| e.to_string())?;
    let (mut parts, mut bytes, mut stop) = (Parts::default(), 0u64, None);
    while let Some(block) = blocks.next().await.map_err(|e| e.to_string())? {
        if bytes == 0 && !zstd::is_zstd(block) {
            return Err("Expected Zstandard data: a file that ends in .zst begins with the bytes 28 b5 2f fd.".into());
        }
        let pushed = unpacker.push(block, &mut |data| parts.add(data));
        if let Some(error) = parts.error.take() {
            return Err(format!("The decompressed file could not be stored: {error}"));
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
        Some(Stop::TooLong) => {
            let most = text::bytes(INFLATED_MAX);
            return Err(format!(
                "The Zstandard file decompresses to more than {most}; expected at most this size. Record fewer steps or split the file."
            ));
        }
        Some(Stop::Damaged(at, why)) => {
            Some(format!("The Zstandard data is damaged near byte {at} ({why}); data after the damage is not read."))
        }
        None if unpacker.is_whole() => None,
        None if has_data => Some("The Zstandard file is truncated; the data before its end is read.".into()),
        None => Some("The Zstandard file is truncated: it ends before its first data.".into()),
    };
    if let Some(note) = note.as_ref().filter(|_| !has_data && !unpacker.is_whole()) {
        return Err(note.clone());
    }
    parts.close();
    let made = File::new_with_blob_sequence(&parts.blobs, name).map_err(|e| words(&e))?;
    host.post_file(&ToPage::Unpacked(note), &made);
    Ok(())
}
