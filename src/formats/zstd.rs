//! Zstandard files (RFC 8878), decompressed from front to back, frame after frame. The format has no points at which reading could begin, so the page
//! has such a file decompressed into one of its own (`worker::unpack`) before it is sorted: importers and records never see the compressed one.
//!
//! The library is linked where [`install`] is called: in the worker `full`, which needs it for Parquet.

use super::gzip::INFLATED_MAX;
use std::sync::OnceLock;
use zstd::stream::raw::{Decoder, InBuffer, Operation as _, OutBuffer};

/// The first bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Frames without data may come first; their first byte is any of sixteen.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
const OUT_BLOCK: usize = 1 << 20;

/// Whether bytes begin as a Zstandard file does.
pub fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || (bytes.len() >= 4 && bytes[0] & 0xf0 == 0x50 && bytes[1..4] == SKIPPABLE)
}

/// Why decompressing stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The data breaks the rules of the format; what came before is good. Bytes of the file until there.
    Damaged(u64, String),
    /// More than [`INFLATED_MAX`].
    TooLong,
}

/// Decompresses a file that is fed block by block.
pub trait Unpack {
    /// Decompresses `input` and hands the data to `receive`, block by block.
    fn push(&mut self, input: &[u8], receive: &mut dyn FnMut(&[u8])) -> Result<(), Stop>;
    /// Bytes of data so far.
    fn n_out(&self) -> u64;
    /// Whether the bytes so far end where a frame does.
    fn is_whole(&self) -> bool;
}

/// Why there is no decompressor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoUnpacker {
    /// [`install`] was not called in this program.
    #[error("This program has no Zstandard library.")]
    NotLinked,
    /// The library could not start; its message.
    #[error("{0}")]
    Library(String),
}

type Make = fn() -> Result<Box<dyn Unpack>, NoUnpacker>;
static MAKE: OnceLock<Make> = OnceLock::new();

/// Links the library into this program.
pub fn install() {
    MAKE.get_or_init(|| make);
}

fn make() -> Result<Box<dyn Unpack>, NoUnpacker> {
    Ok(Box::new(Frames::new().map_err(|e| NoUnpacker::Library(e.to_string()))?))
}

/// A decompressor. Fails in a program without the library.
pub fn unpacker() -> Result<Box<dyn Unpack>, NoUnpacker> {
    MAKE.get().ok_or(NoUnpacker::NotLinked)?()
}

struct Frames {
    decoder: Decoder<'static>,
    out: Vec<u8>,
    n_in: u64,
    n_out: u64,
    is_whole: bool,
}

impl Frames {
    fn new() -> std::io::Result<Self> {
        Ok(Frames { decoder: Decoder::new()?, out: vec![0; OUT_BLOCK], n_in: 0, n_out: 0, is_whole: false })
    }
}

impl Unpack for Frames {
    fn push(&mut self, input: &[u8], receive: &mut dyn FnMut(&[u8])) -> Result<(), Stop> {
        let mut source = InBuffer::around(input);
        loop {
            let before = source.pos();
            let damaged = |at: usize, why: std::io::Error| Stop::Damaged(self.n_in + at as u64, why.to_string());
            let mut target = OutBuffer::around(self.out.as_mut_slice());
            let hint = self.decoder.run(&mut source, &mut target).map_err(|why| damaged(before, why))?;
            let n_out = target.pos();
            if hint == 0 {
                self.is_whole = true;
                self.decoder.reinit().map_err(|why| damaged(before, why))?;
            } else if n_out > 0 || source.pos() > before {
                self.is_whole = false;
            }
            self.n_out += n_out as u64;
            if self.n_out > INFLATED_MAX {
                return Err(Stop::TooLong);
            }
            receive(&self.out[..n_out]);
            // If the output block is full, this input may have more output.
            if source.pos() >= input.len() && (n_out < OUT_BLOCK || hint == 0) {
                self.n_in += input.len() as u64;
                return Ok(());
            }
        }
    }

    fn n_out(&self) -> u64 {
        self.n_out
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    /// Data, whether it ended with a frame, and why it stopped.
    fn unpack(file: &[u8], block: usize) -> (Vec<u8>, bool, Option<Stop>) {
        install();
        let mut unpacker = unpacker().unwrap();
        let mut out = Vec::new();
        for part in file.chunks(block) {
            if let Err(stop) = unpacker.push(part, &mut |data| out.extend_from_slice(data)) {
                return (out, unpacker.is_whole(), Some(stop));
            }
        }
        assert_eq!(unpacker.n_out(), out.len() as u64);
        (out, unpacker.is_whole(), None)
    }

    fn text() -> Vec<u8> {
        (0..400_000u32).flat_map(|i| format!("{{\"ts\":{},\"dur\":{}}},", i * 7, i % 911).into_bytes()).collect()
    }

    #[test]
    fn frames_follow_each_other_in_blocks_of_any_size() {
        let text = text();
        let (a, b) = text.split_at(1_000_001);
        let mut file = vec![0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        file.extend(::zstd::encode_all(a, 3).unwrap());
        file.extend(::zstd::encode_all(&b""[..], 3).unwrap());
        file.extend(::zstd::encode_all(b, 19).unwrap());
        assert!(is_zstd(&file) && is_zstd(&file[11..]) && !is_zstd(b"{\"a\"") && !is_zstd(&[0x50]));
        for block in [1_000, 65_537, file.len()] {
            let (out, is_whole, stop) = unpack(&file, block);
            assert_eq!((out.len(), is_whole, stop), (text.len(), true, None), "blocks of {block}");
            assert!(out == text);
        }
    }

    #[test]
    fn a_truncated_file_gives_what_is_there() {
        let text = text();
        let file = ::zstd::encode_all(&text[..], 3).unwrap();
        for share in [3, 5, 9] {
            let (out, is_whole, stop) = unpack(&file[..file.len() * share / 10], 4_096);
            assert!(!is_whole && stop.is_none() && text.starts_with(&out), "{share}");
            assert!(out.len() > text.len() * (share - 2) / 10, "{share}: {} of {}", out.len(), text.len());
        }
        assert_eq!(unpack(&file[..3], 3), (Vec::new(), false, None));
    }

    #[test]
    fn damage_is_a_reason_and_never_a_panic() {
        let text = text();
        let file = ::zstd::encode_all(&text[..], 3).unwrap();
        let mut n_stopped = 0;
        for at in (0..file.len()).step_by(file.len() / 97) {
            let mut bad = file.clone();
            bad[at] ^= 0xff;
            let (_, _, stop) = unpack(&bad, 8_192);
            n_stopped += usize::from(matches!(stop, Some(Stop::Damaged(..))));
        }
        assert!(n_stopped > 5, "{n_stopped}");
        let mut noise = Vec::new();
        std::io::repeat(7).take(5_000).read_to_end(&mut noise).unwrap();
        assert!(matches!(unpack(&noise, 100), (_, false, Some(Stop::Damaged(..)))));
    }
}
