//! Modules of a PyTorch trace (`nn.Module`, Lightning): what each costs, and the tree of operators of a thread.

mod calls;
mod hierarchy;
mod tree;

use super::View;
use super::core::events::NodeKind;
use super::unattributed;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, TrackId};
use calls::Calls;
use hierarchy::{Hierarchy, ModuleKey};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use tree::{TreeError, main as main_thread, name as node_name, part as tree};

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

/// One module. Values are of all its calls in the trace, wherever it is in the tree: the same module under two parents repeats them.
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
    /// Levels; 0 is all.
    pub levels: u32,
    /// Only nodes that touch this range.
    pub range: Option<TimeRange>,
    /// Maximum nodes, level by level; 0 is [`MAX_NODES`].
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
    /// Slice of the node; `None` for a backward module, which has no record.
    pub slice: Option<SliceId>,
    /// Colour slot of its name.
    pub colour: u16,
}

/// Modules of the trace and what they cost.
pub fn modules(view: &View<'_>) -> Modules {
    let is_lightning = view.model.trees.kind.contains(&NodeKind::LightningModule)
        && (view.model.rules.is_linked_by_time || view.torch.framework == "pytorch-lightning");
    let (calls, order) = calls::by_module(view, if is_lightning { NodeKind::LightningModule } else { NodeKind::Module });
    let hierarchy = if is_lightning {
        let names: Vec<StrId> = order.iter().map(|key| key.0).collect();
        hierarchy::of_dotted(view.profile, &names)
    } else {
        let name = |f: &crate::model::torch::Function| view.profile.slices.name.get(f.slice as usize).copied().unwrap_or(StrId(0));
        hierarchy::of_functions(view.profile, &view.torch.functions, name)
    };
    // As in the plugin, a trace whose module calls are in no thread's tree has no module view.
    let hierarchy = if calls.is_empty() { Hierarchy::default() } else { hierarchy };
    let (rows, n_total) = rows(view, &hierarchy, &calls, is_lightning);
    let threads = tree::threads(view);
    let mut notes = notes(&rows, n_total, &threads);
    notes.extend(unattributed::sentences(&unattributed::unattributed(view, None)));
    Modules { is_lightning, rows, n_total, has_device: !view.model.events.work.is_empty(), threads, notes }
}

/// The hierarchy as a list: roots by name, children in the order of their calls. With it the number of rows without the limit.
fn rows(view: &View<'_>, hierarchy: &Hierarchy, calls: &FxHashMap<ModuleKey, Calls>, is_lightning: bool) -> (Vec<ModuleRow>, u64) {
    let text = |key: ModuleKey| {
        let name = view.profile.strings.get(key.0);
        if is_lightning { hierarchy::dotted(name) } else { name.strip_prefix("nn.Module: ").unwrap_or(name) }
    };
    let mut size = vec![1u64; hierarchy.shapes.len()];
    for (i, shape) in hierarchy.shapes.iter().enumerate() {
        size[i] = shape.children.iter().fold(1u64, |sum, &c| sum.saturating_add(size[c as usize]));
    }
    let mut roots = hierarchy.roots.clone();
    roots.order_by_key(|&r| text(hierarchy.shapes[r as usize].key));
    let mut out: Vec<ModuleRow> = Vec::new();
    let mut open: Vec<(u32, Option<u32>, u32)> = roots.iter().rev().map(|&r| (r, None, 0)).collect();
    while let Some((shape, parent, depth)) = open.pop() {
        if out.len() >= MAX_MODULES {
            break;
        }
        let shape = &hierarchy.shapes[shape as usize];
        let at = out.len() as u32;
        let sums = calls.get(&shape.key).copied().unwrap_or_default();
        let colour = view.slots.get(shape.key.0.index()).copied().unwrap_or(0);
        out.push(ModuleRow { parent, depth, colour, ..row(text(shape.key), shape.key.1, &sums) });
        open.extend(shape.children.iter().rev().map(|&c| (c, Some(at), depth + 1)));
    }
    (out, roots.iter().fold(0u64, |sum, &r| sum.saturating_add(size[r as usize])))
}

fn row(name: &str, id: u32, sums: &Calls) -> ModuleRow {
    let mean_ns = if sums.device_total > 0 { sums.device_total } else { sums.host_total } as f64 / sums.n.max(1) as f64;
    ModuleRow {
        name: name.into(),
        id,
        occurrences: sums.n,
        operators: sums.operators,
        host_total: DurationNs(sums.host_total),
        host_self: DurationNs(sums.host_self),
        device_total: DurationNs(sums.device_total),
        device_self: DurationNs(sums.device_self),
        mean_ns,
        first: sums.first.map(|f| f.1),
        longest: sums.longest.map(|l| l.1),
        ..ModuleRow::default()
    }
}

fn notes(rows: &[ModuleRow], n_total: u64, threads: &[TreeThread]) -> Vec<String> {
    let mut out = Vec::new();
    if rows.is_empty() {
        out.push(
            "No module calls are recorded in this trace: record with `with_stack=True` (`with_modules` alone records none in eager mode)."
                .into(),
        );
    }
    if n_total > rows.len() as u64 {
        out.push(format!("The first {} of {n_total} modules are listed.", rows.len()));
    }
    if threads.is_empty() {
        out.push("No operators are recorded in this trace, so there is no tree.".into());
    }
    out
}
