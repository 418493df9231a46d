//! Tracks that are computed for the timeline of a PyTorch trace: device counters and steps; and what one slice is linked to.

use crate::base::{DurationNs, SliceId, TimeNs};
use serde::{Deserialize, Serialize};

/// Counter tracks and step marks of the whole trace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TraceCounters {
    /// Ordered by device id.
    pub devices: Vec<DeviceCounters>,
    /// `ProfilerStep` marks of the host, by start; empty where the file has none.
    pub steps: Vec<StepMark>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// Counters of one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceCounters {
    /// Its id.
    pub device: u32,
    /// Length of a bucket of `utilization`: a power of ten of microseconds.
    pub bucket: DurationNs,
    /// Share (0 to 1) of each bucket in which a kernel ran; a step function that begins at the first bucket. Empty when no bucket fits.
    pub utilization: Line,
    /// Estimated share (0 to 1) of multiprocessors in use; a step function that is 0 between kernels. Empty when kernels do not record their blocks.
    pub sm_efficiency: Line,
}

/// A step function: `values[i]` holds from `times[i]` on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Line {
    /// Ascending.
    pub times: Vec<TimeNs>,
    /// One per time.
    pub values: Vec<f64>,
}

/// A step on the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepMark {
    /// Its number as text.
    pub name: String,
    /// The mark.
    pub slice: SliceId,
    /// Its start, as in the file.
    pub start: TimeNs,
    /// Its end, as in the file.
    pub end: TimeNs,
}

/// What a slice is linked to: where to jump from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Links {
    /// The runtime or driver call that launched this device work.
    pub launch: Option<SliceId>,
    /// The operator that launched this device work, or that holds this call.
    pub operator: Option<SliceId>,
    /// Device work this call or operator launched, by start; at most 1,000.
    pub kernels: Vec<SliceId>,
    /// How many there are.
    pub n_kernels: u64,
    /// The forward operator of this backward one.
    pub forward: Option<SliceId>,
    /// The backward operators of this forward one, by start.
    pub backward: Vec<SliceId>,
}
