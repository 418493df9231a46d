//! Modules of a PyTorch trace (`nn.Module`, Lightning): what each costs, and the tree of operators of a thread.

use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId};
use serde::{Deserialize, Serialize};

/// Rows of [`Modules`] at most.
pub const MAX_MODULES: usize = 20_000;

/// Modules, as a tree in one list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Modules {
    /// Whether the names are those of PyTorch Lightning.
    pub is_lightning: bool,
    /// Parents before children, siblings by name. At most [`MAX_MODULES`].
    pub rows: Vec<ModuleRow>,
    /// Rows there are.
    pub n_total: u64,
    /// Whether anything ran on a device: if not, the device columns say nothing.
    pub has_device: bool,
    /// Threads that have a tree of operators; the main one first.
    pub threads: Vec<TreeThread>,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// One module. Figures are of all its calls in the trace, wherever it stands in the tree: the same module under two parents repeats them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModuleRow {
    /// `Conv2d_3`.
    pub name: String,
    /// Its number among modules of its class.
    pub id: u32,
    /// Position of its parent in the list.
    pub parent: Option<u32>,
    /// 0 for a root.
    pub depth: u32,
    /// Calls.
    pub occurrences: u64,
    /// Operators called by the module itself.
    pub operators: u64,
    /// Host time of the calls.
    pub host_total: DurationNs,
    /// Without what the calls contain.
    pub host_self: DurationNs,
    /// Device work launched in the calls.
    pub device_total: DurationNs,
    /// Device work of its own operators and launches, without modules inside.
    pub device_self: DurationNs,
    /// Mean per call of device time (of host time where there is none), nanoseconds: width in the flame graph.
    pub mean_ns: f64,
    /// Its first call; `None` if that is not in the tree of any thread.
    pub first: Option<SliceId>,
    /// Its longest call on the host.
    pub longest: Option<SliceId>,
    /// Colour slot of its name.
    pub colour: u16,
}

/// A thread with a tree of operators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TreeThread {
    /// Position among the threads of the trace: what [`TreeQuery::thread`] takes.
    pub thread: u32,
    /// Path of its track.
    pub name: String,
    /// The track.
    pub track: TrackId,
    /// Nodes of its tree.
    pub n_nodes: u64,
}

/// A part of a thread's tree of operators.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TreeQuery {
    /// [`TreeThread::thread`]. `None` is the main thread.
    pub thread: Option<u32>,
    /// Only what is below this node. `None` is from the root.
    pub below: Option<u32>,
    /// So many levels; 0 is all.
    pub levels: u32,
    /// Only nodes that touch this range.
    pub range: Option<TimeRange>,
    /// At most so many nodes, level by level; 0 is [`MAX_NODES`].
    pub limit: u32,
}

/// Nodes of a [`TreePart`] at most.
pub const MAX_NODES: u32 = 20_000;

/// Answer to [`TreeQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TreePart {
    /// Level by level, each by start.
    pub nodes: Vec<TreeNode>,
    /// Nodes that fit the question but not the limit. Counted on the levels that were reached.
    pub n_more: u64,
}

/// A node of the tree of operators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TreeNode {
    /// Its number: what [`TreeQuery::below`] takes.
    pub node: u32,
    /// The number of its parent. `None` at the top.
    pub parent: Option<u32>,
    /// 0 at the top of the thread.
    pub depth: u32,
    /// `aten::addmm`.
    pub name: String,
    /// `Operator`, `Module`, `ProfilerStep`, …
    pub kind: String,
    /// When it began.
    pub start: TimeNs,
    /// How long it took on the host.
    pub duration: DurationNs,
    /// Device work launched in it.
    pub device_total: DurationNs,
    /// Children, listed or not.
    pub n_children: u32,
    /// Its slice; `None` of a backward module, which no record tells of.
    pub slice: Option<SliceId>,
    /// Colour slot of its name.
    pub colour: u16,
}
