//! A run of many ranks: merging the parts of its traces, and answers about the merged run. `docs/fleet.md` has the rules.

mod collectives;
mod compare;
mod findings;
mod map;
mod merge;
mod summary;
mod trace_name;

pub use collectives::{CollectiveRow, GroupRow, WaitPlace, bus_factor};
pub use compare::{FindingState, FleetChange, FleetCompareQuery, FleetComparison, RankChange, compare};
pub use findings::{Finding, FindingKind, Fraction, RULES};
pub use map::{FleetMap, Metric, RowOrder, map};
pub use merge::{MergeError, Merger, merge, totals};
pub use summary::{DeviceRow, Distribution, FleetSummary, HostRow, RankRow, SpreadRow, StepOutlier, summary};
pub use trace_name::TraceName;

use serde::{Deserialize, Serialize};

/// A value for each rank and step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetMapQuery {
    /// Which value.
    pub metric: Metric,
    /// Order of the rows.
    pub order: RowOrder,
}

#[cfg(test)]
mod tests;
