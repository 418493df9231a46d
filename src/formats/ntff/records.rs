//! Notification records: 16 bytes each, the last eight a time in picoseconds.

use crate::model::RecordRef;

/// Bytes of a record.
pub(super) const RECORD: u64 = 16;

/// Kinds of records, as the file numbers them.
pub(super) const INSTRUCTIONS: u64 = 0;
pub(super) const EVENTS: u64 = 1;
pub(super) const ERRORS: u64 = 2;
pub(super) const TRANSFERS: u64 = 4;
pub(super) const THROTTLES: u64 = 5;

/// One record and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub bytes: [u8; 16],
    pub offset: u64,
}

impl Record {
    /// The records of a block that begins at `offset`; the last one may be cut.
    pub fn all(block: &[u8], offset: u64) -> impl Iterator<Item = Record> + '_ {
        block
            .chunks_exact(RECORD as usize)
            .enumerate()
            .filter_map(move |(i, chunk)| Some(Record { bytes: chunk.try_into().ok()?, offset: offset + i as u64 * RECORD }))
    }

    /// Where it stands: an NTFF is the first member of its claim.
    #[inline]
    pub fn place(&self) -> RecordRef {
        RecordRef::new(0, self.offset, RECORD)
    }

    /// From this record to a later one, in records; `None` if that is before it, or too far away.
    #[inline]
    pub fn distance(&self, end: &Record) -> Option<u32> {
        u32::try_from(end.offset.checked_sub(self.offset)? / RECORD).ok().filter(|n| *n < u32::MAX)
    }

    /// The new value of a semaphore, and which; `None` if it is no such record.
    #[inline]
    pub fn semaphore(&self) -> Option<(u8, i64)> {
        let value = i64::from(self.half(4)) | i64::from(self.half(6)) << 16;
        (self.bytes[1] & 1 == 1).then_some((self.bytes[0], value))
    }

    /// Picoseconds on the device clock.
    #[inline]
    pub fn time(&self) -> u64 {
        (u128::from_le_bytes(self.bytes) >> 64) as u64
    }

    /// Two bytes as a number.
    #[inline]
    pub fn half(&self, at: usize) -> u32 {
        u32::from(self.bytes[at]) | u32::from(self.bytes[at + 1]) << 8
    }
}

/// What an instruction record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub engine: usize,
    /// Address of the instruction word / 64, 20 bits.
    pub word: u32,
    pub is_end: bool,
    /// The last record of a run.
    pub is_last: bool,
}

impl Step {
    /// `None` for a record of another kind.
    #[inline]
    pub fn read(record: &Record) -> Option<Step> {
        let [low, high, flags, kind, ..] = record.bytes;
        let from_first = kind.checked_sub(0x84).filter(|k| *k <= 0x11 && *k & 2 == 0)?;
        let word = u32::from(low) | u32::from(high) << 8 | u32::from(flags & 0xf) << 16;
        Some(Step { engine: usize::from(from_first >> 2), word, is_end: from_first & 1 == 1, is_last: flags & 0x20 != 0 })
    }
}

/// What a DMA record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet {
    /// Engine within its core.
    pub engine: u64,
    pub queue: u64,
    /// 1 start, 5 data written, 6 completed.
    pub kind: u8,
    pub bytes: u32,
}

impl Packet {
    /// `None` for a record of another kind.
    #[inline]
    pub fn read(record: &Record) -> Option<Packet> {
        let flags = record.bytes[3];
        let kind = record.bytes[4] & 0xf;
        let is_known = flags & 0xc0 == 0x80 && matches!(kind, 1 | 5 | 6) && record.bytes[5] == 0;
        let packet = Packet { engine: u64::from(flags & 0x3f), queue: u64::from(record.bytes[4] >> 4), kind, bytes: record.half(0) };
        is_known.then_some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(first: [u8; 8]) -> Record {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&first);
        Record { bytes, offset: 0 }
    }

    #[test]
    fn instruction_records_name_engine_and_word() {
        let step = Step::read(&record([0x34, 0x12, 0x25, 0x8d, 0, 0, 0, 0]));
        assert_eq!(step, Some(Step { engine: 2, word: 0x51234, is_end: true, is_last: true }));
        assert_eq!(Step::read(&record([0, 0, 0, 0x98, 0, 0, 0, 0])), None);
        assert_eq!(Step::read(&record([0, 0, 0, 0x86, 0, 0, 0, 0])), None);
        assert_eq!(Step::read(&record([0, 0, 0, 0x83, 0, 0, 0, 0])), None);
    }

    #[test]
    fn dma_records_name_engine_and_queue() {
        let packet = Packet::read(&record([0, 0x10, 0, 0x91, 0x25, 0, 0, 0]));
        assert_eq!(packet, Some(Packet { engine: 0x11, queue: 2, kind: 5, bytes: 4096 }));
        assert_eq!(Packet::read(&record([0, 0x10, 0, 0x91, 0x27, 0, 0, 0])), None);
    }
}
