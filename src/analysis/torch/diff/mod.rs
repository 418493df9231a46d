//! Two PyTorch traces beside each other: step by step along their operator trees, and operator by operator.

mod align;
mod flat;
mod part;

use crate::base::DurationNs;
use serde::{Deserialize, Serialize};

pub use align::{PathError, diff};
pub use flat::flat_diff;
pub use part::part;

/// What the base contributes: asked from its worker, then sent to the worker of the other trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffPart {
    /// Name of the trace.
    pub title: String,
    /// Names and shapes.
    pub names: Vec<String>,
    /// Runs and landmarks in pre-order: each item is followed by its descendants.
    pub items: Vec<DiffItem>,
    /// Operators below items; each item has a range of it.
    pub sums: Vec<DiffSum>,
    /// Operators by (name, shape).
    pub operators: Vec<FlatSum>,
    /// Kernels, copies and sets by name.
    pub kernels: Vec<FlatSum>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// A landmark (a node that both traces are expected to have) or a run of other nodes between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffItem {
    /// Name of the landmark, or of the first node of a run. A position in [`DiffPart::names`].
    pub name: u32,
    /// Kind of node the landmark is; `None` of a run.
    pub landmark: Option<Landmark>,
    /// Nodes: 1, or as many as the run has.
    pub n_nodes: u32,
    /// Items that follow and are below this one, at any depth.
    pub n_below: u32,
    /// Sum of durations.
    pub host_ns: i64,
    /// Sum of device times.
    pub device_ns: i64,
    /// Sum over nodes of the device time, or of the duration if that is 0.
    pub total_ns: i64,
    /// First of its own sums: the operators of its nodes and below, those of items below omitted.
    pub sums_from: u32,
    /// How many.
    pub n_sums: u32,
}

/// Kinds of nodes that are matched between traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Landmark {
    /// Backward pass of a module.
    Backward,
    /// A data loader fetches.
    DataLoader,
    /// A module's call.
    Module,
    /// A step of the optimizer.
    Optimizer,
    /// A step of the profiler.
    Step,
}

/// Calls of one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffSum {
    /// A position in [`DiffPart::names`].
    pub name: u32,
    /// The values.
    pub figures: DiffFigures,
}

/// Values of an operator, or of a kernel (then the host's are 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffFigures {
    /// Calls.
    pub calls: u64,
    /// Host time, what the calls contain included.
    pub host_total: DurationNs,
    /// Host time of the calls themselves.
    pub host_self: DurationNs,
    /// Device work launched, what the calls contain included.
    pub device_total: DurationNs,
    /// Device work launched by the calls themselves.
    pub device_self: DurationNs,
}

/// Calls of one operator with one input shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FlatSum {
    /// A position in [`DiffPart::names`].
    pub name: u32,
    /// A position in [`DiffPart::names`]; `None` of kernels.
    pub shape: Option<u32>,
    /// The values.
    pub figures: DiffFigures,
}

/// How the two are to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffQuery {
    /// The base.
    pub base: DiffPart,
    /// The part to look into: `0` is all, `0-2` its third part. Empty is all.
    pub path: String,
}

/// Answer to [`DiffQuery`]: the base beside this trace, in one part of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diff {
    /// Title of the base.
    pub base: String,
    /// Title of this trace.
    pub experiment: String,
    /// The way from the whole to this part: (path, label).
    pub crumbs: Vec<(String, String)>,
    /// This part.
    pub part: DiffRow,
    /// What it consists of, in order.
    pub parts: Vec<DiffRow>,
    /// Operators of this part, by the greatest change of device time (of host time where there is none).
    pub operators: Vec<OperatorDiff>,
    /// Sentences on what cannot be compared.
    pub notes: Vec<String>,
}

/// A part of both traces.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiffRow {
    /// `0-2`.
    pub path: String,
    /// Short name for a bar: `DataLoader`, `Net_0`, `Optimizer: SGD`, or the name; empty for no bar.
    pub label: String,
    /// In the base.
    pub base: DiffSide,
    /// In this trace.
    pub experiment: DiffSide,
    /// This trace less the base, by `total`; nanoseconds.
    pub delta_ns: i64,
    /// Sum of the deltas up to here.
    pub accumulated_ns: i64,
    /// Parts it consists of.
    pub n_parts: u32,
}

/// A part of one trace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiffSide {
    /// Name of the node; `CompositeNodes` of several; `Blank` of none.
    pub name: String,
    /// Nodes.
    pub n_nodes: u64,
    /// Sum of durations.
    pub host: DurationNs,
    /// Sum of device times.
    pub device: DurationNs,
    /// Sum over nodes of the device time, or of the duration if that is 0.
    pub total: DurationNs,
}

/// One operator in both traces.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OperatorDiff {
    /// `aten::addmm`.
    pub name: String,
    /// Input shape, in a flat diff by shape.
    pub shape: Option<String>,
    /// In the base; `None` if it is not there.
    pub base: Option<DiffFigures>,
    /// In this trace; `None` if it is not there.
    pub experiment: Option<DiffFigures>,
}

/// What a flat diff lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlatBy {
    /// Operators by name.
    #[default]
    Operator,
    /// Operators by name and input shape.
    OperatorShape,
    /// Kernels, copies and sets by name.
    Kernel,
}

/// A flat diff: it works on any two traces, whatever their trees.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FlatDiffQuery {
    /// The base.
    pub base: DiffPart,
    /// What to list.
    pub by: FlatBy,
}

/// Answer to [`FlatDiffQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FlatDiff {
    /// Title of the base.
    pub base: String,
    /// Title of this trace.
    pub experiment: String,
    /// Ordered by the greatest change of device self time (of host self time where neither has a device).
    pub rows: Vec<OperatorDiff>,
    /// Sentences on what cannot be compared.
    pub notes: Vec<String>,
}

/// This trace less the base, as a share of the base: `None` where the base is 0 or absent.
pub fn delta_share(base: DurationNs, experiment: DurationNs) -> Option<f64> {
    (base.0 != 0).then(|| (experiment.0 - base.0) as f64 / base.0 as f64)
}

impl DiffFigures {
    /// The sum of both; saturates.
    pub fn plus(self, other: DiffFigures) -> DiffFigures {
        let sum = |a: DurationNs, b: DurationNs| DurationNs(a.0.saturating_add(b.0));
        DiffFigures {
            calls: self.calls.saturating_add(other.calls),
            host_total: sum(self.host_total, other.host_total),
            host_self: sum(self.host_self, other.host_self),
            device_total: sum(self.device_total, other.device_total),
            device_self: sum(self.device_self, other.device_self),
        }
    }
}
