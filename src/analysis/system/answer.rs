//! What is answered about a system profile, as rows: `overview` fills them, `advice` reads them.

use super::Spans;
use super::executions::ExecutionRow;
use super::figures::{CpuRow, TransferRow};
use super::memory::{HbmCurve, HbmRow};
use crate::base::{DurationNs, SliceId, TimeRange, TrackId};
use crate::model::system::Clock;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A system profile in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct System {
    /// Servers.
    pub instances: Vec<String>,
    /// Processes: instance and id.
    pub processes: Vec<(String, String)>,
    /// From the first to the last moment of anything, or of the range that was asked about.
    pub duration: DurationNs,
    /// Time in which any device executes; `None` when the profile has no executions.
    pub device_runtime: Option<DurationNs>,
    /// Time in each combination of busy layers: (bits: 1 device, 2 runtime, 4 framework; time). Exclusive parts in any order follow from it.
    pub combinations: Vec<(u32, DurationNs)>,
    /// Device profiles: those in the profile's list, else those named by executions. `None` if neither is recorded.
    pub n_device_profiles: Option<u64>,
    /// NeuronCores by busy time.
    pub cores: Vec<CoreRow>,
    /// Device executions by model and core, most time first.
    pub executions: Vec<ExecutionRow>,
    /// Transfers by core and direction.
    pub transfers: Vec<TransferRow>,
    /// Each HBM at its fullest.
    pub hbm: Vec<HbmRow>,
    /// Each HBM over time, by category.
    pub hbm_curves: Vec<HbmCurve>,
    /// HBM of one NeuronCore, bytes.
    pub hbm_capacity: Option<u64>,
    /// CPUs, busiest first.
    pub cpus: Vec<CpuRow>,
    /// How the device's clock was put on the host's.
    pub clock: Clock,
    /// What to do, most expensive first.
    pub advice: Vec<Finding>,
    /// What cannot be shown, and why.
    pub notes: Vec<String>,
}

/// A NeuronCore.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreRow {
    /// Path of its row.
    pub name: String,
    /// Executions.
    pub count: u64,
    /// Time in which one runs.
    pub busy: DurationNs,
    /// From the first start to the last end.
    pub wall: DurationNs,
    /// Time of the wall in which none runs.
    pub idle: DurationNs,
    /// The longest such time.
    pub longest_gap: Option<TimeRange>,
}

/// One piece of advice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable word: `host-gaps`, `device-bound`, `transfers`, `busy-cpu`, `compile`, `hbm-full`.
    pub id: String,
    /// `warning` or `info`.
    pub severity: String,
    /// What it is about.
    pub title: String,
    /// What was found and what to do.
    pub text: String,
    /// Time that could be won; `None` where it cannot be computed.
    pub cost: Option<DurationNs>,
    /// The condition for it.
    pub threshold: String,
    /// Where to look.
    pub places: Vec<Location>,
}

/// A place that a finding points at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// What is there.
    pub label: String,
    /// When.
    pub range: TimeRange,
    /// A slice that shows it.
    pub slice: Option<SliceId>,
}

/// Spans of the executions of each row of the device: how many, when.
pub(super) type Cores = BTreeMap<TrackId, (u64, Spans)>;
