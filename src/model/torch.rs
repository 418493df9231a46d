//! Tables of a PyTorch trace besides its timeline: sparse, with a slice in each row, sorted by slice unless noted.
//!
//! Slices are sorted by (track, lane, start). Where a question depends on the order of the events in the file (torch's own tools sort them by
//! time alone, and stably), sort by (start, record offset): see [`super::SliceTable::record`].

use super::replays::Replays;
use super::{Column, RecordRef};
use crate::base::{StrId, TrackId};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

pub use super::absent::ABSENT;

/// Group of the facts that describe process groups: their names are those of [`Collective::group`].
pub const PROCESS_GROUPS: &str = "Process groups";

/// The typed part of a PyTorch trace.
#[derive(Debug, Default)]
pub struct Torch {
    /// Launch and kernel share it; [`ABSENT`] where there is none. As long as the slice table.
    pub correlation: Column<u32>,
    /// Operator id as written, 0 included; [`ABSENT`] where there is none. As long as the slice table.
    pub external_id: Column<u32>,
    /// Rank and world size, where the trace is distributed.
    pub rank: Option<(u32, u32)>,
    /// Calls with external id 0 have a thread id as text, as in old traces.
    pub has_text_thread_ids: bool,
    /// Root key `Framework`: `pytorch-lightning`; empty elsewhere.
    pub framework: String,
    /// Root list `deviceProperties`, in its order.
    pub devices: Vec<Device>,
    /// Ids of each track that is a thread or stream, as written. By track.
    pub threads: Vec<Thread>,
    /// Work on a device: kernels, copies, sets. By slice.
    pub kernels: Vec<Kernel>,
    /// Events `[memory]`, by (time, place in the file).
    pub memory: Vec<MemoryEvent>,
    /// Collective operations and their kernels, if their args are recorded. By slice.
    pub collectives: Vec<Collective>,
    /// Python functions and modules: category `python_function`. By slice.
    pub functions: Vec<Function>,
    /// Arg `Call stack` of operators (old traces). By slice.
    pub stacks: Vec<(u32, StrId)>,
    /// Flows `fwdbwd`, as (start of the forward operator, start of the backward one), nanoseconds, in the order in which their ids are in the
    /// file; of several ends with one id the last counts.
    pub backward: Vec<(i64, i64)>,
    /// Types and concrete values of the inputs of operators with recorded shapes. By slice.
    pub inputs: Vec<OperatorInputs>,
    /// Arg `kernel` of launches: only in the capture of a graph. By slice.
    pub launch_kernels: Vec<(u32, StrId)>,
    /// Operators and modules of graph replays, from their captures.
    pub replays: Replays,
}

/// A device of `deviceProperties`. What is not written is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Device {
    /// Its id; else its place in the list.
    pub id: u32,
    /// "NVIDIA H100".
    pub name: String,
    /// `totalGlobalMem`.
    pub memory_bytes: Option<u64>,
    /// `computeMajor`, `computeMinor`.
    pub compute: Option<(u32, u32)>,
    /// `numSms`.
    pub n_sms: Option<u32>,
}

/// Ids of a thread or stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Its track.
    pub track: TrackId,
    /// `pid` as text.
    pub pid: StrId,
    /// `tid` as text: `25738`, `stream 7`.
    pub tid: StrId,
}

/// One kernel, copy or set. NaN and [`ABSENT`] where the record does not record it. Without a gap between its fields, so that rows are plain bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, packed(4))]
pub struct Kernel {
    /// The slice.
    pub slice: u32,
    /// Arg `device`.
    pub device: u32,
    /// Arg `stream`.
    pub stream: u32,
    /// `grid`, as the text of the list: `[1, 2, 3]`.
    pub grid: StrId,
    /// `block`, likewise.
    pub block: StrId,
    /// `registers per thread`.
    pub registers: u32,
    /// `shared memory`, bytes.
    pub shared_memory: u32,
    /// `blocks per SM`.
    pub blocks_per_sm: f32,
    /// `est. achieved occupancy %`.
    pub occupancy: f32,
    /// `bytes` of a copy or set; `u64::MAX` if not recorded.
    pub bytes: u64,
    /// `graph node id`, 0 where there is none.
    pub graph_node: u64,
}

/// An allocation (positive) or release (negative).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryEvent {
    /// Nanoseconds.
    pub time: i64,
    /// Thread it is on.
    pub track: TrackId,
    /// `Device Type` of torch's numbering: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, 19 MTIA; [`MemoryEvent::NO_DEVICE`] if not recorded.
    pub device_type: i32,
    /// `Device Id`; −1 for the CPU, [`MemoryEvent::NO_DEVICE`] if not recorded.
    pub device_id: i32,
    /// `Addr`; `None` in traces older than torch 1.10.
    pub address: Option<u64>,
    /// `Bytes`, signed.
    pub bytes: i64,
    /// `Total Allocated`, bytes.
    pub allocated: Option<u64>,
    /// `Total Reserved`, bytes.
    pub reserved: Option<u64>,
    /// Position of its record.
    pub record: RecordRef,
}

impl MemoryEvent {
    /// "Not recorded" in a device's type or id.
    pub const NO_DEVICE: i32 = i32::MIN;
}

/// What the args of a collective say. Empty and [`ABSENT`] where they do not. Without a gap, as [`Kernel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, packed(4))]
pub struct Collective {
    /// The slice: a host range (`nccl:all_reduce`, `record_param_comms`) or a kernel.
    pub slice: u32,
    /// `Collective name`.
    pub name: StrId,
    /// `dtype`.
    pub dtype: StrId,
    /// `In msg nelems`; `u64::MAX` if not recorded.
    pub n_in: u64,
    /// `Out msg nelems`; `u64::MAX` if not recorded.
    pub n_out: u64,
    /// `Group size`.
    pub group_size: u32,
    /// `Process Group Name`.
    pub group: StrId,
    /// `Seq`.
    pub seq: u32,
    /// `Input type`, the text of the list, of host ranges.
    pub input_types: StrId,
}

/// Recorded data of an operator's inputs, except their shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct OperatorInputs {
    /// The slice.
    pub slice: u32,
    /// `Input type`, the text of the list.
    pub types: StrId,
    /// `Concrete Inputs`, as text.
    pub concrete: StrId,
}

/// A Python function or module call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Function {
    /// The slice.
    pub slice: u32,
    /// `Python id`.
    pub id: u32,
    /// `Python parent id`.
    pub parent: u32,
    /// `Python module id`, of modules.
    pub module: u32,
}
