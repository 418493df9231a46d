//! Where records are in the input.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Where the record of a slice or an instant is in the input: member, offset and length packed in 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
pub struct RecordRef(pub u64);

impl RecordRef {
    const OFFSET_BITS: u32 = 40;
    const LEN_BITS: u32 = 20;
    const LEN_MAX: u64 = (1 << Self::LEN_BITS) - 1;

    /// A record of `n_bytes` at `offset` of member `member` (position in the claim; at most 15). Longer than 1 MiB is kept as "unknown".
    pub fn new(member: usize, offset: u64, n_bytes: u64) -> Self {
        let offset = offset & ((1 << Self::OFFSET_BITS) - 1);
        RecordRef((member.min(15) as u64) << 60 | n_bytes.min(Self::LEN_MAX) << Self::OFFSET_BITS | offset)
    }

    /// Position of the member in the claim.
    pub fn member(self) -> usize {
        (self.0 >> 60) as usize
    }

    /// First byte in the (inflated) member.
    pub fn offset(self) -> u64 {
        self.0 & ((1 << Self::OFFSET_BITS) - 1)
    }

    /// Bytes; `None` if it was too long to note.
    pub fn n_bytes(self) -> Option<u64> {
        let n = (self.0 >> Self::OFFSET_BITS) & Self::LEN_MAX;
        (n < Self::LEN_MAX).then_some(n)
    }
}
