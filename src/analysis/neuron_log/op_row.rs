//! A row of a table of operators.

use crate::base::{DurationNs, SliceId};
use serde::{Deserialize, Serialize};

/// One operator on one core.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpRow {
    /// `aten__addmm_dot`, `dot`, `fused_3`.
    pub name: String,
    /// How often it ran; `None` where the file does not record it.
    pub occurrences: Option<u64>,
    /// NeuronDevice; empty where it is not recorded.
    pub neuron_device: String,
    /// NeuronCore; empty where it is not recorded.
    pub neuron_core: String,
    /// Its time; `None` where it cannot be computed.
    pub time: Option<DurationNs>,
    /// As a share of the sum, 0 to 1.
    pub time_share: Option<f64>,
    /// Members of a fused operator.
    pub members: Vec<String>,
    /// Time of its data transfers; only computed from the timeline.
    pub transfer: Option<DurationNs>,
    /// Time of its control work (tables, set-up); only computed from the timeline.
    pub control: Option<DurationNs>,
    /// HLO operators beneath an operator of the framework: (name, time).
    pub below: Vec<(String, Option<DurationNs>)>,
    /// Further cells, as text.
    pub more: Vec<String>,
    /// Slices of it in the timeline, by start; at most ten thousand.
    pub slices: Vec<SliceId>,
    /// Colour slot, the same for a name at both levels and in both pies.
    pub colour: u16,
}
