//! A memory snapshot of PyTorch's caching allocator: allocations of each device over its events, segments with their blocks, stacks.

use crate::base::StrId;

/// Not recorded, in columns of 64 bits.
pub const NO_VALUE: u64 = u64::MAX;
/// No such state, in columns of states.
pub const NO_STATE: u32 = u32::MAX;

/// A frame of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotFrame {
    /// Function.
    pub name: StrId,
    /// File as written.
    pub file: StrId,
    /// Line; 0 where it is not known.
    pub line: u32,
}

/// What a memory snapshot holds.
#[derive(Debug, Default)]
pub struct MemorySnapshot {
    /// Frames, each once.
    pub frames: Vec<SnapshotFrame>,
    /// End of each stack in `stack_frames`; stack 0 has no frames.
    pub stack_ends: Vec<u32>,
    /// Frames of all stacks, innermost first.
    pub stack_frames: Vec<u32>,
    /// Devices with events or segments, ascending.
    pub devices: Vec<SnapshotDevice>,
    /// Whether events have times; without them their order is all there is.
    pub has_times: bool,
}

/// One device.
///
/// Its history is a row of states: state 0 is before the first event, state k after k events.
#[derive(Debug, Default)]
pub struct SnapshotDevice {
    /// Its number.
    pub device: u32,
    /// Requested bytes that are allocated in each state.
    pub allocated: Vec<u64>,
    /// Time of each event, nanoseconds since the profile's origin, never going back; empty without times.
    pub times: Vec<i64>,
    /// (state, bytes reserved from it on), by state; the first is state 0.
    pub reserved: Vec<(u32, u64)>,
    /// Allocations: those before the first event, then by their event.
    pub allocations: Allocations,
    /// Segments at the moment of the snapshot, by address.
    pub segments: Vec<Segment>,
    /// Blocks of all segments, by address within their segment.
    pub blocks: Vec<Block>,
    /// Failed allocations.
    pub ooms: Vec<Oom>,
    /// Events by what they did, as the file calls it.
    pub actions: Vec<(StrId, u64)>,
}

/// Allocations, column by column.
#[derive(Debug, Default)]
pub struct Allocations {
    /// Address; [`NO_VALUE`] never occurs.
    pub address: Vec<u64>,
    /// Bytes asked for.
    pub size: Vec<u64>,
    /// First state in which it is live; 0 for those before the first event.
    pub from: Vec<u32>,
    /// First state in which it is no longer live; [`NO_STATE`] if it is live in the last one.
    pub to: Vec<u32>,
    /// State after its release was asked for, which other streams may delay; [`NO_STATE`] where it was not.
    pub requested: Vec<u32>,
    /// Stream, as the file calls it.
    pub stream: Vec<u64>,
    /// Stack that allocated it.
    pub stack: Vec<u32>,
    /// Further texts of the record: (allocation, key, text), by allocation.
    pub extras: Vec<(u32, StrId, StrId)>,
}

impl Allocations {
    /// How many.
    pub fn len(&self) -> usize {
        self.size.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.size.is_empty()
    }

    /// Whether allocation `i` is live in `state`.
    pub fn is_live(&self, i: usize, state: u32) -> bool {
        self.from[i] <= state && state < self.to[i]
    }
}

/// Memory that the allocator got from the device.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Stream, as the file calls it.
    pub stream: u64,
    /// `large` or `small`.
    pub kind: StrId,
    /// Private pool, as the file calls it.
    pub pool: StrId,
    /// Whether it can grow.
    pub is_expandable: bool,
    /// Stack that asked for it.
    pub stack: u32,
    /// Its blocks in [`SnapshotDevice::blocks`].
    pub blocks: std::ops::Range<u32>,
}

/// State of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockState {
    /// In use.
    Allocated,
    /// Released, and still in use on another stream.
    PendingFree,
    /// Free.
    Free,
}

/// A part of a segment.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Address.
    pub address: u64,
    /// Bytes with rounding.
    pub size: u64,
    /// Bytes asked for; `size` where that is not recorded.
    pub requested: u64,
    /// State.
    pub state: BlockState,
    /// Stack that allocated it.
    pub stack: u32,
}

/// An allocation that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Oom {
    /// State in which it failed.
    pub state: u32,
    /// Bytes asked for.
    pub size: u64,
    /// Free bytes of the device at that moment.
    pub device_free: Option<u64>,
    /// Stack that asked.
    pub stack: u32,
}

impl MemorySnapshot {
    /// Frames of a stack, innermost first.
    pub fn stack(&self, stack: u32) -> impl DoubleEndedIterator<Item = &SnapshotFrame> {
        let end = |at: u32| self.stack_ends.get(at as usize).copied().unwrap_or(0) as usize;
        let range = if stack == 0 { 0..0 } else { end(stack - 1)..end(stack) };
        self.stack_frames.get(range).unwrap_or_default().iter().filter_map(|&frame| self.frames.get(frame as usize))
    }
}

impl SnapshotDevice {
    /// Time of a state: of the event that made it; of state 0 that of the first event.
    pub fn time(&self, state: u32) -> Option<i64> {
        self.times.get((state as usize).saturating_sub(1)).or(self.times.last()).copied()
    }

    /// Bytes reserved in a state.
    pub fn reserved_at(&self, state: u32) -> u64 {
        let after = self.reserved.partition_point(|r| r.0 <= state);
        self.reserved[..after].last().map_or(0, |r| r.1)
    }
}
