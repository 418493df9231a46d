//! Kernels of a PyTorch trace, by name or by properties and launching operator.

use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use serde::{Deserialize, Serialize};

/// What makes two kernels one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelGrouping {
    /// The name.
    #[default]
    Name,
    /// Name, launching operator, grid, block, registers, shared memory.
    Properties,
}

/// Which kernels, and how to group them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KernelsQuery {
    /// What makes two kernels one row.
    pub grouping: KernelGrouping,
    /// Kernels that begin in this range. `None` is the whole trace.
    pub range: Option<TimeRange>,
    /// Only this device.
    pub device: Option<u32>,
}

/// Answer to [`KernelsQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Kernels {
    /// Ordered by total, longest first; equal ones by name.
    pub rows: Vec<KernelRow>,
    /// Sum of the rows' totals: what "Time %" is a share of.
    pub total: DurationNs,
    /// Time of kernels that use tensor cores, by their names.
    pub tensor_core: DurationNs,
    /// Whether any kernel records its blocks per multiprocessor.
    pub has_blocks_per_sm: bool,
    /// Whether any kernel records its estimated occupancy.
    pub has_occupancy: bool,
    /// Ids of the devices that ran kernels, ascending.
    pub devices: Vec<u32>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// One kernel (with one set of properties).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its name.
    pub name: String,
    /// What distinguishes the rows of one name; `None` when grouped by name.
    pub properties: Option<KernelProperties>,
    /// Whether it uses tensor cores, by its name.
    pub uses_tensor_cores: bool,
    /// Runs.
    pub calls: u64,
    /// Sum of durations.
    pub total: DurationNs,
    /// Mean duration, nanoseconds.
    pub mean_ns: f64,
    /// Longest.
    pub max: DurationNs,
    /// Shortest.
    pub min: DurationNs,
    /// Mean blocks per multiprocessor, weighted by duration. A run that does not record counts as 0; `None` if no kernel of the trace records it.
    pub blocks_per_sm: Option<f64>,
    /// Mean estimated occupancy in percent, weighted by duration. A run that does not record counts as 0; `None` if no kernel of the trace records it.
    pub occupancy_percent: Option<f64>,
    /// Share (0 to 1) of the total of all rows.
    pub share: f64,
    /// Its longest run.
    pub longest: SliceId,
    /// The operator of that run.
    pub longest_operator: Option<SliceId>,
    /// Colour slot of its name.
    pub colour: u16,
}

/// What distinguishes the rows of one kernel name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct KernelProperties {
    /// Launching operator; `None` where none is known.
    pub operator: Option<String>,
    /// `[256, 1, 1]`; empty if not recorded.
    pub grid: String,
    /// `[512, 1, 1]`; empty if not recorded.
    pub block: String,
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Shared memory, bytes.
    pub shared_memory: Option<u32>,
    /// Whether the launching operator can use tensor cores.
    pub is_operator_tc_eligible: bool,
}

/// The runs of one row of [`Kernels`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KernelMembersQuery {
    /// Name of the row.
    pub name: String,
    /// Properties of the row; `None` for any.
    pub properties: Option<KernelProperties>,
    /// As in [`KernelsQuery`].
    pub range: Option<TimeRange>,
    /// As in [`KernelsQuery`].
    pub device: Option<u32>,
}

/// Answer to [`KernelMembersQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelMembers {
    /// Ordered by start; at most [`MAX_RUNS`].
    pub runs: Vec<KernelRun>,
    /// How many there are.
    pub n_runs: u64,
}

/// Runs an answer lists one by one.
pub const MAX_RUNS: usize = 10_000;

/// One run of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelRun {
    /// The run.
    pub slice: SliceId,
    /// When it began.
    pub start: TimeNs,
    /// How long it took.
    pub duration: DurationNs,
    /// Its device.
    pub device: Option<u32>,
    /// Its stream.
    pub stream: Option<u32>,
    /// The call that launched it.
    pub launch: Option<SliceId>,
    /// The operator that launched it.
    pub operator: Option<SliceId>,
}
