//! Communication between the workers of a run: a part from each worker, and what follows from all of them.

mod calls;
mod matching;
mod merge;
mod part;
mod size;
mod straggler;
mod waits;

use crate::base::{DurationNs, SliceId, TimeNs};
use serde::{Deserialize, Serialize};

pub use merge::merge;
pub use part::part;

/// What the worker is called in its run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct DistributedPartQuery {
    /// `host_1234`, from the file's name.
    pub worker: String,
    /// The span of the run; empty where there is one only.
    pub span: String,
}

/// What one worker contributes: asked from each, then sent to any one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DistributedPart {
    /// As the run names it: `host_1234`.
    pub worker: String,
    /// The span of the run; empty where there is one only.
    pub span: String,
    /// Rank and world size, where the trace records it.
    pub rank: Option<(u32, u32)>,
    /// Devices it used.
    pub devices: Vec<WorkerDevice>,
    /// Whether anything ran on a device.
    pub has_device: bool,
    /// In order.
    pub steps: Vec<PartStep>,
    /// Names of operations and groups.
    pub names: Vec<String>,
    /// Ordered by start.
    pub calls: Vec<CommunicationCall>,
    /// `NCCL`, `RCCL`, `Gloo`, `MPI`.
    pub backends: Vec<String>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// A device that a worker used. What is not written is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkerDevice {
    /// Its id.
    pub id: u32,
    /// "NVIDIA A100-PG509-200".
    pub name: Option<String>,
    /// Bytes.
    pub memory_bytes: Option<u64>,
    /// Compute capability.
    pub compute: Option<(u32, u32)>,
}

/// A step of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartStep {
    /// `3`.
    pub name: String,
    /// Start on the worker's own clock.
    pub start: TimeNs,
    /// How its time was spent.
    pub times: OverlapTimes,
}

/// One communication operation of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommunicationCall {
    /// Position in [`DistributedPart::names`].
    pub name: u32,
    /// Position in [`DistributedPart::steps`]; `None` outside all steps.
    pub step: Option<u32>,
    /// Bytes of its tensors; `None` where the trace does not record it.
    pub size_bytes: Option<u64>,
    /// Process group, a position in [`DistributedPart::names`].
    pub group: Option<u32>,
    /// Number of the operation in its group.
    pub seq: Option<u32>,
    /// The host call, or the kernel where there is no host call.
    pub slice: SliceId,
    /// When it ran: its kernels, or the host call where it has none. Start and end on the worker's own clock.
    pub ranges: Vec<(TimeNs, TimeNs)>,
}

/// Computation and communication in one step. `computation_only + overlap + communication_only + other` is the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OverlapTimes {
    /// Only computation.
    pub computation_only: DurationNs,
    /// Both at once.
    pub overlap: DurationNs,
    /// Only communication.
    pub communication_only: DurationNs,
    /// Neither.
    pub other: DurationNs,
}

/// Communication in one step: moving data, and waiting for the other workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WaitTimes {
    /// Data transfer.
    pub transfer: DurationNs,
    /// Synchronising: until the last worker came.
    pub synchronizing: DurationNs,
}

/// What follows from the parts of all workers of a span.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Distributed {
    /// Machines, their processes, their devices.
    pub nodes: Vec<NodeInfo>,
    /// Ordered by worker name.
    pub workers: Vec<WorkerTimes>,
    /// Steps that a worker has, in order: labels of the charts beside `all`.
    pub steps: Vec<String>,
    /// Whether operations of the workers could be matched, so that waiting is distinguished from moving data.
    pub is_matched: bool,
    /// Stragglers, most expensive first. Empty if calls could not be matched.
    pub stragglers: Vec<Straggler>,
    /// Sentences on what cannot be shown, and why.
    pub notes: Vec<String>,
}

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeInfo {
    /// Its name: the worker's name before the last `_` and digits.
    pub name: String,
    /// Ordered by number.
    pub processes: Vec<ProcessInfo>,
}

/// A process of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProcessInfo {
    /// `Process 1234`.
    pub name: String,
    /// The worker it is.
    pub worker: String,
    /// Its rank and the world size.
    pub rank: Option<(u32, u32)>,
    /// Devices it used.
    pub devices: Vec<WorkerDevice>,
}

/// Times of one worker.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkerTimes {
    /// Its name.
    pub worker: String,
    /// Its rank.
    pub rank: Option<u32>,
    /// Mean over its steps.
    pub overlap: OverlapTimes,
    /// Step by step: (name, times).
    pub overlap_steps: Vec<(String, OverlapTimes)>,
    /// Mean over its steps. `None` unless matched.
    pub wait: Option<WaitTimes>,
    /// Step by step: (name, times). Empty unless matched.
    pub wait_steps: Vec<(String, WaitTimes)>,
    /// One for each name, in the order first seen.
    pub operations: Vec<CommunicationRow>,
}

/// The calls of one communication operation of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommunicationRow {
    /// `nccl:all_reduce`.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Bytes of their tensors; `None` where the trace does not record for any call.
    pub size_bytes: Option<u64>,
    /// Mean of the calls.
    pub mean_size_bytes: Option<u64>,
    /// Time in which any of them ran.
    pub latency: DurationNs,
    /// Mean of the calls.
    pub mean_latency: DurationNs,
    /// Time in which any of them moved data. `None` unless matched.
    pub transfer: Option<DurationNs>,
    /// Mean of the calls.
    pub mean_transfer: Option<DurationNs>,
    /// Its longest call: host call or kernel.
    pub longest: SliceId,
}

/// A worker that the others wait for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Straggler {
    /// The worker that waited least: it came last.
    pub worker: String,
    /// The step, or `None` for the whole trace.
    pub step: Option<String>,
    /// How long it waited itself.
    pub waited: DurationNs,
    /// How long the others waited, on average.
    pub others_waited: DurationNs,
    /// What it cost each of the others: the difference.
    pub cost: DurationNs,
    /// Operations in which it came last.
    pub n_last: u64,
    /// Operations.
    pub n_operations: u64,
}
