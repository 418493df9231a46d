//! Places in memory that instructions read and write, and the DMA packets that each transfer is made of.

use serde::{Deserialize, Serialize};

/// Partitions of the State Buffer and of PSUM.
pub const N_PARTITIONS: u16 = 128;

/// A memory that an operand is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Memory {
    /// The State Buffer of the core.
    StateBuffer,
    /// The accumulation memory of the core.
    Psum,
    /// A device address outside of both.
    Device,
    /// An entry of the table of the model's tensors, which are in device memory.
    Table,
}

/// What an instruction does with a place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Adds to what is there: a product that accumulates in PSUM.
    Accumulate,
}

impl AccessKind {
    /// Whether the earlier value is used.
    pub fn reads(self) -> bool {
        self != AccessKind::Write
    }

    /// Whether there is a new value afterwards.
    pub fn writes(self) -> bool {
        self != AccessKind::Read
    }
}

/// One operand in memory: `n_runs` runs of `run` bytes, `step` bytes from the start of one to the start of the next, in each of its partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// What is done.
    pub kind: AccessKind,
    /// Where.
    pub memory: Memory,
    /// First partition; 0 in device memory.
    pub partition: u16,
    /// Partitions; 0 in device memory.
    pub n_partitions: u16,
    /// Entry of the table of tensors; 0 in other memories.
    pub table: u32,
    /// First byte: within a partition of State Buffer or PSUM, a device address, or within the tensor of the table.
    pub address: u64,
    /// Bytes of a run, in one partition.
    pub run: u32,
    /// Bytes from run to run; 0 where there is one.
    pub step: u32,
    /// Runs; at least one.
    pub n_runs: u32,
    /// False where the pattern has more dimensions than runs express: it then counts as one run that spans it.
    pub is_exact: bool,
}

impl Access {
    /// The byte after the last one.
    pub fn end(&self) -> u64 {
        let last = u64::from(self.step).saturating_mul(u64::from(self.n_runs.saturating_sub(1)));
        self.address.saturating_add(last).saturating_add(u64::from(self.run))
    }

    /// Bytes in all its partitions.
    pub fn n_bytes(&self) -> u64 {
        let one = u64::from(self.run).saturating_mul(u64::from(self.n_runs));
        one.saturating_mul(u64::from(self.n_partitions.max(1)))
    }

    /// Its runs as (first byte, byte after the last one), at most `most`; beyond that one that spans all.
    pub fn runs(&self, most: u32) -> impl Iterator<Item = (u64, u64)> + use<> {
        let (n, run) = if self.n_runs > most { (1, self.end() - self.address) } else { (self.n_runs, u64::from(self.run)) };
        let (first, step) = (self.address, u64::from(self.step));
        (0..u64::from(n)).map(move |i| (first.saturating_add(i * step), first.saturating_add(i * step).saturating_add(run)))
    }
}

/// A DMA packet, and the instruction that asked for its transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// The packet: a slice of a DMA queue.
    pub slice: u32,
    /// The instruction.
    pub instruction: u32,
}

/// A DMA transfer with known packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The instruction that asked for it.
    pub instruction: u32,
    /// Packets, including the last ones of each ring.
    pub n_packets: u32,
    /// Bytes of its packets, without those that end it.
    pub bytes: u64,
    /// Start of its first packet, nanoseconds.
    pub start: i64,
    /// End of its last packet, nanoseconds.
    pub end: i64,
}

/// Instructions by what they access: the executions of each set of accesses, by time.
#[derive(Debug, Default)]
pub struct Executions {
    /// Where the executions of each set begin, and where those of the last one end.
    first: Vec<u32>,
    /// (start of the access, slice), by set, then ascending.
    all: Vec<(i64, u32)>,
}

impl Executions {
    /// Indexes (set, start of the access, slice) in any order; sets are below `n_sets`.
    pub fn new(n_sets: usize, mut found: Vec<(u32, i64, u32)>) -> Self {
        found.retain(|f| (f.0 as usize) < n_sets);
        found.sort_unstable();
        let mut first = vec![0u32; n_sets + 1];
        found.iter().for_each(|f| first[f.0 as usize + 1] += 1);
        for set in 0..n_sets {
            first[set + 1] += first[set];
        }
        Executions { first, all: found.into_iter().map(|f| (f.1, f.2)).collect() }
    }

    /// The executions of a set, by time; none of an unknown one.
    pub fn of(&self, set: u32) -> &[(i64, u32)] {
        let bound = |at: usize| self.first.get(at).map(|n| *n as usize);
        let range = bound(set as usize).zip(bound(set as usize + 1));
        range.and_then(|(from, to)| self.all.get(from..to)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_found_by_set_and_time() {
        let executions = Executions::new(3, vec![(2, 9, 1), (0, 5, 4), (2, 3, 7), (7, 1, 1), (2, 3, 2)]);
        assert_eq!((executions.of(0), executions.of(1)), (&[(5, 4)][..], &[][..]));
        assert_eq!(executions.of(2), [(3, 2), (3, 7), (9, 1)]);
        assert!(executions.of(3).is_empty() && Executions::default().of(0).is_empty());
    }

    #[test]
    fn runs_and_bytes() {
        let access = Access {
            kind: AccessKind::Read,
            memory: Memory::StateBuffer,
            partition: 0,
            n_partitions: 128,
            table: 0,
            address: 100,
            run: 8,
            step: 32,
            n_runs: 3,
            is_exact: true,
        };
        assert_eq!((access.end(), access.n_bytes()), (172, 3072));
        assert_eq!(access.runs(8).collect::<Vec<_>>(), [(100, 108), (132, 140), (164, 172)]);
        assert_eq!(access.runs(2).collect::<Vec<_>>(), [(100, 172)]);
        assert!(AccessKind::Accumulate.reads() && AccessKind::Accumulate.writes() && !AccessKind::Write.reads());
    }
}
