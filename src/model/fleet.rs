//! A run of many ranks: the part of each trace, and what merged parts hold. Integers only, so that merging gives the same bytes in any order.

use super::check::BrokenRule;
use serde::{Deserialize, Serialize};

mod histogram;
pub use histogram::{Histogram, bucket, bucket_value};

/// Version of the tables of a part and of a run; other versions are refused.
pub const SCHEMA_VERSION: u32 = 1;

/// Categories of a step, in the order of `Category::ALL` of the overview.
pub const N_CATEGORIES: usize = 8;
/// Causes of idle time: see [`IDLE_CAUSES`].
pub const N_CAUSES: usize = 5;
/// Stable words for the causes of device idle time, in order.
pub const IDLE_CAUSES: [&str; N_CAUSES] = ["host_late", "host_waited", "host_loaded", "queued", "unknown"];

/// Values of a step that the heat map can show: duration, the eight categories, idle.
pub const N_METRICS: usize = N_CATEGORIES + 2;

/// Metadata of a trace. Unrecorded values are `None` or empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct TraceMeta {
    /// Rank in the run.
    pub rank: Option<u32>,
    /// Name of the machine.
    pub host: String,
    /// Path of the file, below the directory that was given.
    pub name: String,
    /// Hash of the content: equal for copies of a file.
    pub id: u64,
    /// Name of the run.
    pub run: String,
    /// World size.
    pub n_ranks: Option<u32>,
    /// Name of the device: "NVIDIA H100".
    pub device: String,
    /// Ids of the devices with work.
    pub devices: Vec<u32>,
    /// Wall-clock time of the trace's origin, nanoseconds since 1970.
    pub origin_epoch_ns: Option<i64>,
    /// First moment, nanoseconds since the origin.
    pub start_ns: i64,
    /// Last moment, nanoseconds since the origin.
    pub end_ns: i64,
    /// Most memory that was allocated at a time, bytes.
    pub memory_peak: Option<u64>,
    /// Records in the file.
    pub n_read: u64,
    /// Records that were used.
    pub n_shown: u64,
    /// Records that were skipped with a warning or a loss.
    pub n_concerns: u64,
    /// Collectives without a group or a number, which cannot be matched across ranks.
    pub n_unnumbered: u64,
    /// Rows of long tables that were omitted of the part.
    pub n_left_out: u64,
}

/// Time of a step, or of all steps of a trace, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct StepTimes {
    /// Duration.
    pub total: i64,
    /// Indexed by category; sums to the duration.
    pub categories: [i64; N_CATEGORIES],
    /// Idle time of the devices by cause.
    pub idle: [i64; N_CAUSES],
}

impl StepTimes {
    /// Idle time of all causes.
    pub fn idle_total(&self) -> i64 {
        self.idle.iter().fold(0, |sum, t| sum.saturating_add(*t))
    }

    /// Adds another; saturates.
    pub fn add(&mut self, other: &StepTimes) {
        self.total = self.total.saturating_add(other.total);
        self.categories.iter_mut().zip(other.categories).for_each(|(sum, t)| *sum = sum.saturating_add(t));
        self.idle.iter_mut().zip(other.idle).for_each(|(sum, t)| *sum = sum.saturating_add(t));
    }

    /// The values of the heat map: duration, categories, idle.
    pub fn metrics(&self) -> [i64; N_METRICS] {
        let mut out = [0; N_METRICS];
        out[0] = self.total;
        out[1..=N_CATEGORIES].copy_from_slice(&self.categories);
        out[N_METRICS - 1] = self.idle_total();
        out
    }
}

/// A step of one trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartStep {
    /// Its number, as in `ProfilerStep#5`; its place where the name is no number.
    pub number: u32,
    /// Start, nanoseconds since the trace's origin.
    pub start_ns: i64,
    /// Its time.
    pub times: StepTimes,
}

/// Calls of an operator with one input shape, or of a kernel, in one trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartOperator {
    /// `aten::mm`.
    pub name: String,
    /// `[[32, 3], [3, 8]]`; empty for kernels and where it is not recorded.
    pub shape: String,
    /// Calls.
    pub calls: u64,
    /// Time on the host without operators inside, nanoseconds; 0 for kernels.
    pub host_self: i64,
    /// Time of the kernels it launched itself; of a kernel its duration. Nanoseconds.
    pub device_self: i64,
}

/// A collective of one trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartCollective {
    /// Process group.
    pub group: String,
    /// `nccl:all_reduce`.
    pub op: String,
    /// Number of the operation in its group.
    pub seq: u32,
    /// Bytes of its tensors.
    pub bytes: Option<u64>,
    /// Number of the step it is in.
    pub step: Option<u32>,
    /// Start, nanoseconds since the trace's origin.
    pub start_ns: i64,
    /// From its start to its end, nanoseconds.
    pub duration_ns: i64,
}

/// A recommendation of the overview of one trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartAdvice {
    /// Stable word.
    pub id: String,
    /// What was found, short.
    pub title: String,
    /// Cost, nanoseconds.
    pub cost_ns: Option<i64>,
}

/// Records of one trace that were skipped, by reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartSkip {
    /// Stable word.
    pub kind: String,
    /// How much it matters: `info`, `warning`, `data_loss`.
    pub severity: String,
    /// A sentence.
    pub reason: String,
    /// Records.
    pub count: u64,
}

/// What one trace contributes to a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunPart {
    /// Its metadata.
    pub meta: TraceMeta,
    /// Ordered by start.
    pub steps: Vec<PartStep>,
    /// Longest first.
    pub operators: Vec<PartOperator>,
    /// Longest first.
    pub kernels: Vec<PartOperator>,
    /// Ordered by start; those that can be matched.
    pub collectives: Vec<PartCollective>,
    /// Most costly first.
    pub advice: Vec<PartAdvice>,
    /// The ledger of the import.
    pub skipped: Vec<PartSkip>,
}

/// A trace of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct FleetTrace {
    /// Its metadata; the first field, because traces are sorted by it.
    pub meta: TraceMeta,
    /// Sum over its steps.
    pub totals: StepTimes,
    /// Number of each step.
    pub steps: Vec<u32>,
    /// Its kernels with most time, those of collectives omitted: (hash of the name, calls, nanoseconds).
    pub kernels: Vec<(u64, u64, i64)>,
    /// Its collectives by group and operation: (hash of both, calls, nanoseconds).
    pub groups: Vec<(u64, u64, i64)>,
    /// [`N_METRICS`] values of each step, metric by metric, in buckets of [`bucket`]. A file stores them separately.
    #[serde(skip)]
    pub cells: Vec<u16>,
}

/// A value and the trace it is of. The largest wins; of equal ones the trace with the smaller id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extreme {
    /// Nanoseconds.
    pub value: i64,
    /// [`TraceMeta::id`].
    pub trace: u64,
}

impl Extreme {
    /// The larger.
    pub fn max(self, other: Extreme) -> Extreme {
        if (other.value, std::cmp::Reverse(other.trace)) > (self.value, std::cmp::Reverse(self.trace)) { other } else { self }
    }

    /// The smaller.
    pub fn min(self, other: Extreme) -> Extreme {
        if (other.value, other.trace) < (self.value, self.trace) { other } else { self }
    }
}

/// An operator or kernel over the traces of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// Name.
    pub name: String,
    /// Input shape; empty for kernels.
    pub shape: String,
    /// Traces that have it.
    pub n_traces: u64,
    /// Calls.
    pub calls: u64,
    /// Sum of [`PartOperator::host_self`].
    pub host_self: i64,
    /// Sum of [`PartOperator::device_self`].
    pub device_self: i64,
    /// Device time of each trace (host time in traces without device time).
    pub by_trace: Histogram,
    /// The trace with least of it.
    pub least: Extreme,
    /// The trace with most of it.
    pub most: Extreme,
}

/// A collective over the ranks of its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetCollective {
    /// Process group, a place in [`FleetRun::texts`].
    pub group: u32,
    /// Operation, likewise.
    pub op: u32,
    /// Number in the group.
    pub seq: u32,
    /// Traces that have it.
    pub n: u32,
    /// Bytes; the largest that a trace states.
    pub bytes: Option<u64>,
    /// Number of the step; the smallest that a trace states.
    pub step: Option<u32>,
    /// Sum of its durations.
    pub total_ns: i64,
    /// The shortest: the trace that arrived last, and the time of the transfer.
    pub shortest: Extreme,
    /// The longest: the trace that waited most.
    pub longest: Extreme,
    /// Latest start and earliest end on the clocks of the traces, nanoseconds since 1970; `None` where one has no clock.
    pub common: Option<(i64, i64)>,
}

/// A recommendation over the traces of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAdvice {
    /// Stable word.
    pub id: String,
    /// What was found; of several titles the first by text.
    pub title: String,
    /// Traces that have it.
    pub n_traces: u64,
    /// Sum of the costs, nanoseconds.
    pub cost_ns: i64,
    /// The trace with the highest cost.
    pub most: Extreme,
}

/// Skipped records over the traces of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetSkip {
    /// Kind and sentence; of several sentences the first by text.
    pub skip: PartSkip,
    /// Traces that have it.
    pub n_traces: u64,
}

/// Merged parts of a run. Equal sets of parts give equal values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetRun {
    /// Ordered by rank, host, name and content.
    pub traces: Vec<FleetTrace>,
    /// Names of groups and operations of collectives, sorted.
    pub texts: Vec<String>,
    /// Ordered by name and shape.
    pub operators: Vec<Spread>,
    /// Ordered by name.
    pub kernels: Vec<Spread>,
    /// Ordered by group, operation and number.
    pub collectives: Vec<FleetCollective>,
    /// Ordered by id.
    pub advice: Vec<FleetAdvice>,
    /// Ordered by kind and severity.
    pub skipped: Vec<FleetSkip>,
}

/// A hash of text that is the same on every machine and in every version (FNV-1a, 64 bits).
pub fn stable_hash(parts: &[&str]) -> u64 {
    let mut out = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            out = (out ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    out
}

impl FleetRun {
    /// Checks every index and length.
    pub(super) fn check(&self) -> Result<(), BrokenRule> {
        let n = self.texts.len() as u32;
        if let Some(at) = self.collectives.iter().position(|c| c.group >= n || c.op >= n) {
            return Err(("collectives", at, "names a text beyond the table").into());
        }
        match self.traces.iter().position(|t| t.cells.len() != t.steps.len() * N_METRICS) {
            Some(at) => Err(("traces", at, "has not one cell for each step and metric").into()),
            None => Ok(()),
        }
    }
}
