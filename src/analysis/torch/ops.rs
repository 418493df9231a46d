//! Operators of a PyTorch trace: how often, how long on the host, how long on the device.

use super::unattributed::Unattributed;
use super::work::Roof;
use super::work::peaks::OwnPeaks;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use serde::{Deserialize, Serialize};

/// What makes two calls one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpGrouping {
    /// The name.
    #[default]
    Name,
    /// Name and input shapes.
    NameShape,
}

/// Which operators, and how to group them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OpsQuery {
    /// What makes two calls one row.
    pub grouping: OpGrouping,
    /// Calls that begin in this range. `None` is the whole trace.
    pub range: Option<TimeRange>,
    /// Peaks to use instead of the published ones.
    pub peaks: Option<OwnPeaks>,
}

/// Answer to [`OpsQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ops {
    /// Ordered by device self time (host self time where there is no device), longest first.
    pub rows: Vec<OpRow>,
    /// Sums over all rows: what "Time %" is a share of.
    pub totals: OpTimes,
    /// Device work that belongs to no operator, by reason; longest first.
    pub unattributed: Vec<Unattributed>,
    /// The device that the peaks are of, as its driver names it; empty where it is not recorded.
    pub device: String,
    /// Document of the peaks; `None` where no peaks are known.
    pub peaks: Option<String>,
    /// Whether anything ran on a device: if not, the device columns say nothing.
    pub has_device: bool,
    /// Whether shapes are in the trace.
    pub has_shapes: bool,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// The four times of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpTimes {
    /// Durations of the calls, those they contain included: recursion counts twice.
    pub host_total: DurationNs,
    /// Without the operators and runtime calls inside. Can be negative if a runtime call is attributed to an operator that did not contain it.
    pub host_self: DurationNs,
    /// Device work launched by the calls and what they contain; overlaps counted twice.
    pub device_total: DurationNs,
    /// Device work launched by the calls themselves.
    pub device_self: DurationNs,
}

/// The share (0 to 1) of a row in the sum of all rows, for each of [`OpTimes`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OpShares {
    /// Share of `host_total`.
    pub host_total: f64,
    /// Share of `host_self`.
    pub host_self: f64,
    /// Share of `device_total`.
    pub device_total: f64,
    /// Share of `device_self`.
    pub device_self: f64,
}

/// Work of the calls of a row that a model counts, and the device time that took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OpWork {
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes that must be read or written at least once.
    pub bytes: u64,
    /// Device time of these calls and what they contain.
    pub time: DurationNs,
    /// The time they take at the device's peaks.
    pub roof: Roof,
}

impl OpWork {
    /// Operations over device time, TFLOP/s.
    pub fn tflops(&self) -> f64 {
        // Operations a nanosecond are 10⁹ a second; 10³ of them are a TFLOP/s.
        self.flops as f64 / self.time.0.max(1) as f64 / 1e3
    }

    /// Bytes over device time, TB/s.
    pub fn tb_per_s(&self) -> f64 {
        self.bytes as f64 / self.time.0.max(1) as f64 / 1e3
    }

    /// Operations for each byte.
    pub fn intensity(&self) -> f64 {
        self.flops as f64 / self.bytes.max(1) as f64
    }

    /// Share (0 to 1) of the peak: the time the operations take at the peak of their types, over the device time.
    pub fn peak_share(&self) -> Option<f64> {
        Some(self.roof.compute_ns? / self.time.0.max(1) as f64)
    }

    /// Share (0 to 1) of the memory bandwidth; more than 1 where data stayed in caches.
    pub fn bandwidth_share(&self) -> Option<f64> {
        Some(self.roof.memory_ns? / self.time.0.max(1) as f64)
    }
}

/// One operator (with one input shape).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpRow {
    /// `aten::addmm`.
    pub name: String,
    /// `[[32, 3, 224, 224], [], []]`; `None` when grouped by name.
    pub shape: Option<String>,
    /// Calls.
    pub calls: u64,
    /// Its times.
    pub times: OpTimes,
    /// Their shares.
    pub shares: OpShares,
    /// Work of the calls that a model counts; `None` without such calls.
    pub work: Option<OpWork>,
    /// Whether it can use tensor cores, by its name (or an operator in it).
    pub tc_eligible: bool,
    /// Share (0 to 1) of `device_self` in kernels that use tensor cores; `None` without device time.
    pub tc_self_share: Option<f64>,
    /// Share (0 to 1) of `device_total` in kernels that use tensor cores; `None` without device time.
    pub tc_total_share: Option<f64>,
    /// Whether a call stack is known for any call.
    pub has_stack: bool,
    /// Its longest call on the host.
    pub longest: SliceId,
    /// Colour slot of its name.
    pub colour: u16,
}

/// The calls of one row of [`Ops`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OpMembersQuery {
    /// Name of the row.
    pub name: String,
    /// Shape of the row; `None` for any.
    pub shape: Option<String>,
    /// As in [`OpsQuery`].
    pub range: Option<TimeRange>,
}

/// Answer to [`OpMembersQuery`]: what one row is made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpMembers {
    /// Ordered by start; at most [`MAX_CALLS`].
    pub calls: Vec<OpCall>,
    /// How many there are.
    pub n_calls: u64,
    /// Device work its calls launched themselves, by name, longest total first.
    pub kernels: Vec<OpKernelRow>,
    /// One for each call stack, in the order of the rows of [`Ops`]. Empty where no stack is known.
    pub stacks: Vec<OpStackRow>,
}

/// Calls an answer lists one by one.
pub const MAX_CALLS: usize = 10_000;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpCall {
    /// The call.
    pub slice: SliceId,
    /// When it began.
    pub start: TimeNs,
    /// Its times.
    pub times: OpTimes,
}

/// Device work of one name launched by an operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpKernelRow {
    /// Name of the kernel, copy or set.
    pub name: String,
    /// How often.
    pub calls: u64,
    /// Sum of durations.
    pub total: DurationNs,
    /// Longest.
    pub max: DurationNs,
    /// Shortest.
    pub min: DurationNs,
    /// Whether it uses tensor cores, by its name.
    pub uses_tensor_cores: bool,
    /// Its longest run.
    pub longest: SliceId,
    /// Colour slot of its name.
    pub colour: u16,
}

/// Calls of an operator from one place in the program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpStackRow {
    /// Frames, outermost first: `path(line): function`. Empty for calls without a stack.
    pub frames: Vec<String>,
    /// Calls.
    pub calls: u64,
    /// Their times.
    pub times: OpTimes,
    /// As in [`OpRow`].
    pub tc_eligible: bool,
    /// As in [`OpRow`].
    pub tc_self_share: Option<f64>,
    /// As in [`OpRow`].
    pub tc_total_share: Option<f64>,
    /// The longest call on the host.
    pub longest: SliceId,
}
