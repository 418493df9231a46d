//! Seekable gzip: inflates block by block, and keeps access points from which single records can be read later.

mod source;

pub use source::InflatedSource;

use flate2::Crc;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// Largest inflated size, bytes.
pub const INFLATED_MAX: u64 = 8 << 30;
/// Distance between access points in the inflated text.
const POINT_EVERY: u64 = 16 << 20;
const OUT_BLOCK: usize = 1 << 20;

/// Whether the bytes begin with the magic of gzip.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Why inflating stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop<E> {
    /// The compressed data is invalid from here on; the text before is valid.
    Damaged {
        /// Byte in the compressed file.
        offset: u64,
        /// What is wrong there.
        why: Damage,
    },
    /// More text than [`INFLATED_MAX`].
    TooLong,
    /// The receiver returned an error.
    Receiver(E),
}

/// What is wrong with gzip data. The message is the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// A fixed byte of a header has another value.
    #[error("expected the byte {expected:#04x} of a gzip header, found {found:#04x}")]
    Header {
        /// By RFC 1952.
        expected: u8,
        /// In the file.
        found: u8,
    },
    /// The deflate data breaks its rules.
    #[error("the compressed data is damaged")]
    Deflate,
    /// The decoder reads and writes nothing more.
    #[error("the decompression makes no progress")]
    NoProgress,
    /// The trailer does not fit the text: (CRC-32, length modulo 2³²).
    #[error("the checksum or length at the end ({:08x}, {}) is not that of the text ({:08x}, {})", .stated.0, .stated.1, .found.0, .found.1)]
    Trailer {
        /// In the file.
        stated: (u32, u32),
        /// CRC-32 and length of the inflated text.
        found: (u32, u32),
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GzipState {
    /// The ten fixed bytes of a member's header: how many are read, and the flags among them.
    Fixed(u8),
    /// Two bytes with the length of the extra field, then the field.
    ExtraLen(bool),
    Extra(u16),
    /// Zero-terminated name and comment.
    Name,
    Comment,
    /// Two bytes of header checksum.
    HeaderCrc(u8),
    Body,
    /// Eight bytes: checksum and length.
    Trailer(u8),
    /// After a member: a further member, padding, or the end.
    Between,
    /// Trailing bytes that are not a gzip member; ignored, as by other tools.
    Rest,
}

const FLAG_HCRC: u8 = 2;
const FLAG_EXTRA: u8 = 4;
const FLAG_NAME: u8 = 8;
const FLAG_COMMENT: u8 = 16;

/// The decoder between two bytes: can be cloned and continued.
#[derive(Clone)]
struct Decoder {
    stage: GzipState,
    flags: u8,
    extra_len: u16,
    state: Box<InflateState>,
    trailer: [u8; 8],
    n_members: u32,
    /// Bytes of the file read, bytes of text written, and where the member's text began.
    n_in: u64,
    n_out: u64,
    member_from: u64,
}

impl Decoder {
    fn new() -> Self {
        Decoder {
            stage: GzipState::Fixed(0),
            flags: 0,
            extra_len: 0,
            state: InflateState::new_boxed(DataFormat::Raw),
            trailer: [0; 8],
            n_members: 0,
            n_in: 0,
            n_out: 0,
            member_from: 0,
        }
    }

    /// Takes one byte outside a body. Returns the expected (checksum, length) at the end of a member, or what is wrong.
    fn byte(&mut self, b: u8) -> Result<Option<(u32, u32)>, Damage> {
        self.n_in += 1;
        let flags = self.flags;
        let after = |from: u8| match flags {
            f if from < 1 && f & FLAG_EXTRA != 0 => GzipState::ExtraLen(false),
            f if from < 2 && f & FLAG_NAME != 0 => GzipState::Name,
            f if from < 3 && f & FLAG_COMMENT != 0 => GzipState::Comment,
            f if from < 4 && f & FLAG_HCRC != 0 => GzipState::HeaderCrc(0),
            _ => GzipState::Body,
        };
        self.stage = match self.stage {
            GzipState::Fixed(i) => {
                if let Some(&expected) = [0x1f, 0x8b, 8].get(usize::from(i)).filter(|expected| **expected != b) {
                    return Err(Damage::Header { expected, found: b });
                }
                self.flags = if i == 3 { b } else { self.flags };
                if i < 9 { GzipState::Fixed(i + 1) } else { after(0) }
            }
            GzipState::ExtraLen(false) => {
                self.extra_len = u16::from(b);
                GzipState::ExtraLen(true)
            }
            GzipState::ExtraLen(true) => match self.extra_len | u16::from(b) << 8 {
                0 => after(1),
                n => GzipState::Extra(n),
            },
            GzipState::Extra(n) if n > 1 => GzipState::Extra(n - 1),
            GzipState::Extra(_) => after(1),
            GzipState::Name if b == 0 => after(2),
            GzipState::Comment if b == 0 => after(3),
            GzipState::HeaderCrc(0) => GzipState::HeaderCrc(1),
            GzipState::HeaderCrc(_) => GzipState::Body,
            GzipState::Trailer(i) => {
                self.trailer[usize::from(i & 7)] = b;
                if i == 7 {
                    let [a, b, c, d, e, f, g, h] = self.trailer;
                    self.stage = GzipState::Between;
                    self.n_members += 1;
                    return Ok(Some((u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))));
                }
                GzipState::Trailer(i + 1)
            }
            GzipState::Between if b == 0x1f => {
                self.state.reset(DataFormat::Raw);
                self.member_from = self.n_out;
                self.flags = 0;
                GzipState::Fixed(1)
            }
            GzipState::Between if b != 0 => GzipState::Rest,
            stage => stage,
        };
        Ok(None)
    }

    /// Inflates some of `input` into `out`. Returns (bytes read, bytes written).
    fn body(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Damage> {
        let result = inflate(&mut self.state, input, out, MZFlush::None);
        self.n_in += result.bytes_consumed as u64;
        self.n_out += result.bytes_written as u64;
        match result.status {
            Ok(MZStatus::StreamEnd) => self.stage = GzipState::Trailer(0),
            Ok(_) | Err(MZError::Buf) => {}
            // The error comes again with the next call; first the text before it.
            Err(_) if result.bytes_written > 0 => {}
            Err(_) => return Err(Damage::Deflate),
        }
        Ok((result.bytes_consumed, result.bytes_written))
    }
}

/// Access points into the inflated text.
pub struct GzipIndex {
    points: Vec<Decoder>,
    /// Bytes of inflated text.
    pub len: u64,
}

/// Inflates a file that is fed block by block.
pub struct Inflater {
    decoder: Decoder,
    points: Vec<Decoder>,
    crc: Crc,
    out: Vec<u8>,
}

impl Default for Inflater {
    fn default() -> Self {
        Inflater { decoder: Decoder::new(), points: vec![Decoder::new()], crc: Crc::new(), out: vec![0; OUT_BLOCK] }
    }
}

impl Inflater {
    /// Bytes of text so far.
    pub fn n_out(&self) -> u64 {
        self.decoder.n_out
    }

    /// Inflates `input` and hands the text to `receive`, block by block.
    pub fn push<E>(&mut self, mut input: &[u8], receive: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), Stop<E>> {
        while !input.is_empty() && self.decoder.stage != GzipState::Rest {
            let offset = self.decoder.n_in;
            let damaged = |why| Stop::Damaged { offset, why };
            if self.decoder.stage != GzipState::Body {
                if let Some((crc, len)) = self.decoder.byte(input[0]).map_err(damaged)? {
                    self.end_member(crc, len).map_err(damaged)?;
                }
                input = &input[1..];
                continue;
            }
            self.mark();
            let (n_in, n_out) = self.decoder.body(input, &mut self.out).map_err(damaged)?;
            input = &input[n_in..];
            self.deliver(n_out, receive)?;
            if n_in == 0 && n_out == 0 && self.decoder.stage == GzipState::Body {
                return Err(damaged(Damage::NoProgress));
            }
        }
        // What the decoder still holds back though its input is used up.
        while self.decoder.stage == GzipState::Body {
            let offset = self.decoder.n_in;
            match self.decoder.body(&[], &mut self.out).map_err(|why| Stop::Damaged { offset, why })? {
                (_, 0) => break,
                (_, n_out) => self.deliver(n_out, receive)?,
            }
        }
        Ok(())
    }

    /// The index, and whether the file ended at the end of a member.
    pub fn finish(self) -> (GzipIndex, bool) {
        let is_whole = matches!(self.decoder.stage, GzipState::Between | GzipState::Rest);
        (GzipIndex { points: self.points, len: self.decoder.n_out }, is_whole)
    }

    fn mark(&mut self) {
        if self.points.last().is_none_or(|p| self.decoder.n_out - p.n_out >= POINT_EVERY) {
            self.points.push(self.decoder.clone());
        }
    }

    fn deliver<E>(&mut self, n_out: usize, receive: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), Stop<E>> {
        if self.decoder.n_out > INFLATED_MAX {
            return Err(Stop::TooLong);
        }
        let text = &self.out[..n_out];
        self.crc.update(text);
        if text.is_empty() { Ok(()) } else { receive(text).map_err(Stop::Receiver) }
    }

    fn end_member(&mut self, crc: u32, len: u32) -> Result<(), Damage> {
        let found = (self.crc.sum(), (self.decoder.n_out - self.decoder.member_from) as u32);
        self.crc.reset();
        if found == (crc, len) {
            return Ok(());
        }
        Err(Damage::Trailer { stated: (crc, len), found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn text_beyond_the_limit_is_refused() -> std::io::Result<()> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&[b' '; 1000])?;
        let packed = packer.finish()?;
        // As if all but the last of eight gibibytes were behind it.
        let mut inflater = Inflater::default();
        inflater.decoder.n_out = INFLATED_MAX - 500;
        assert_eq!(inflater.push(&packed, &mut |_| Ok::<_, ()>(())), Err(Stop::TooLong));
        assert_eq!(Inflater::default().push(&packed, &mut |_| Ok::<_, ()>(())), Ok(()));
        Ok(())
    }
}
