//! Where the time went, by operator (or any attribute): the Operators view's rows.

use crate::base::{DurationNs, TimeRange, TrackId};
use serde::{Deserialize, Serialize};

/// What to sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OperatorsQuery {
    /// `name` or an attribute's id. Empty is `name`.
    pub group_by: String,
    /// Only what lies in this range; slices are clipped to it. `None` is the whole profile.
    pub range: Option<TimeRange>,
    /// Only this track and those below it.
    pub track: Option<TrackId>,
}

/// One operator on one device row (the top-level group of its track).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorRow {
    /// Name or attribute value.
    pub name: String,
    /// Path of the group of tracks it ran on: a process, a device, a NeuronCore engine.
    pub device: String,
    /// Slices that touch the range.
    pub occurrences: u64,
    /// Time in which one of its slices was the innermost of its track; sums to the busy time of the tracks.
    pub self_time: DurationNs,
    /// Time covered by its slices, per track, overlaps counted once; children included.
    pub total: DurationNs,
    /// Self time as a share of the busy time of all rows (0 to 1).
    pub time_share: f64,
    /// Shortest occurrence, whole durations.
    pub min: DurationNs,
    /// Mean of whole durations.
    pub mean: DurationNs,
    /// Longest occurrence.
    pub max: DurationNs,
    /// Members of a fused operator; empty for others.
    pub members: Vec<String>,
    /// Colour slot.
    pub colour: u16,
}

/// Rows by self time, longest first, and what they were made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Operators {
    /// The rows.
    pub rows: Vec<OperatorRow>,
    /// Busy time of all tracks looked at: the denominator of `time_share`.
    pub busy: DurationNs,
    /// Ids and labels one can group by in this profile, `name` first.
    pub groupings: Vec<(String, String)>,
}
