//! Numbers in an instruction word: 64 bytes, little endian.

use crate::formats::ntff::proto::little_endian;

/// Bytes of an instruction word.
pub(crate) const WORD_BYTES: usize = 64;

/// An instruction word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a>(pub &'a [u8; WORD_BYTES]);

impl Word<'_> {
    /// `n_bytes` (at most 8) from byte `at` on; bytes beyond the word are 0.
    pub fn number(self, at: usize, n_bytes: usize) -> u64 {
        little_endian(self.0.get(at..(at + n_bytes).min(WORD_BYTES)).unwrap_or_default())
    }

    pub fn u8(self, at: usize) -> u8 {
        self.number(at, 1) as u8
    }

    pub fn u16(self, at: usize) -> u16 {
        self.number(at, 2) as u16
    }

    pub fn i16(self, at: usize) -> i16 {
        self.u16(at) as i16
    }

    pub fn u32(self, at: usize) -> u32 {
        self.number(at, 4) as u32
    }

    pub fn i32(self, at: usize) -> i32 {
        self.u32(at) as i32
    }

    pub fn f32(self, at: usize) -> f32 {
        f32::from_bits(self.u32(at))
    }

    pub fn u64(self, at: usize) -> u64 {
        self.number(at, 8)
    }
}
