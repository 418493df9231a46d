//! Parts of the tree of operators of a thread.

use super::super::View;
use super::super::core::events::{NONE, NodeKind};
use super::super::core::times::NodeTimes;
use super::{MAX_NODES, TreeNode, TreePart, TreeQuery, TreeThread};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange};
use crate::model::NO_SLICE;

/// Threads that have a tree: the main one first, the others in the order they began.
pub fn threads(view: &View<'_>) -> Vec<TreeThread> {
    let trees = &view.model.trees;
    let mut out: Vec<TreeThread> = trees
        .roots
        .iter()
        .enumerate()
        .map(|(i, root)| TreeThread {
            thread: i as u32,
            name: view.profile.track_path(root.track),
            track: root.track,
            n_nodes: u64::from(trees.end[root.node as usize] - root.node) - 1,
        })
        .collect();
    if let Some(main) = main(view) {
        out.order_by_key(|t| t.thread != main);
    }
    out
}

/// The main thread: by the plugin's rule the first one; else the first that has steps or modules, and for lack of these the one with most nodes.
pub fn main(view: &View<'_>) -> Option<u32> {
    let trees = &view.model.trees;
    if !view.model.rules.is_linked_by_time {
        return (!trees.roots.is_empty()).then_some(0);
    }
    let has = |root: u32| {
        (root..trees.end[root as usize])
            .any(|n| matches!(trees.kind[n as usize], NodeKind::Step | NodeKind::Module | NodeKind::LightningModule))
    };
    let marked = trees.roots.iter().position(|r| has(r.node));
    let largest = || (0..trees.roots.len()).rev().max_by_key(|&i| trees.end[trees.roots[i].node as usize] - trees.roots[i].node);
    marked.or_else(largest).map(|i| i as u32)
}

/// What a question names and the trees of a trace have not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The thread of that number.
    #[error("This trace has {n_threads} threads with operators, no number {thread}.")]
    NoThread {
        /// Threads with operators.
        n_threads: usize,
        /// The number, from 0.
        thread: u32,
    },
    /// The node.
    #[error("The tree of this thread has no such node.")]
    NoNode,
}

/// Answers [`TreeQuery`].
pub fn part(view: &View<'_>, query: &TreeQuery) -> Result<TreePart, TreeError> {
    let trees = &view.model.trees;
    let Some(thread) = query.thread.or_else(|| main(view)) else {
        return Ok(TreePart::default());
    };
    let root = trees.roots.get(thread as usize).ok_or(TreeError::NoThread { n_threads: trees.roots.len(), thread })?;
    let top = query.below.unwrap_or(root.node);
    if !(root.node..trees.end[root.node as usize]).contains(&top) {
        return Err(TreeError::NoNode);
    }
    let times = NodeTimes::new(view.profile, view.model);
    let limit = if query.limit == 0 { MAX_NODES } else { query.limit.min(MAX_NODES) } as usize;
    let mut out = TreePart::default();
    let mut level: Vec<u32> = vec![top];
    let first_depth = depth(view, top);
    let mut n_levels = 0;
    while !level.is_empty() && (query.levels == 0 || n_levels < query.levels) && out.nodes.len() < limit {
        let mut next = Vec::new();
        for &parent in &level {
            for child in trees.children(parent).filter(|&c| touches(view, c, query.range)) {
                if out.nodes.len() < limit {
                    out.nodes.push(node(view, &times, child, first_depth + n_levels));
                    next.push(child);
                } else {
                    out.n_more += 1;
                }
            }
        }
        level = next;
        n_levels += 1;
    }
    Ok(out)
}

fn touches(view: &View<'_>, node: u32, range: Option<TimeRange>) -> bool {
    let (start, end) = view.model.trees.span(&view.profile.slices, node);
    range.is_none_or(|r| r.touches(TimeNs(start), DurationNs(end.saturating_sub(start))))
}

/// How many nodes are between a node and its root: what the depth of its children is.
fn depth(view: &View<'_>, node: u32) -> u32 {
    let mut depth = 0;
    let mut at = view.model.trees.parent[node as usize];
    while at != NONE {
        depth += 1;
        at = view.model.trees.parent[at as usize];
    }
    depth
}

fn node(view: &View<'_>, times: &NodeTimes, node: u32, depth: u32) -> TreeNode {
    let trees = &view.model.trees;
    let i = node as usize;
    let (start, end) = trees.span(&view.profile.slices, node);
    let slice = trees.slice[i];
    let parent = trees.parent[i];
    let is_top = parent == NONE || trees.kind[parent as usize] == NodeKind::Root;
    TreeNode {
        node,
        parent: (!is_top).then_some(parent),
        depth,
        name: name(view, node),
        kind: kind(view, node).into(),
        start: TimeNs(start),
        duration: DurationNs(end.saturating_sub(start)),
        device_total: DurationNs(times.device_total[i]),
        n_children: trees.children(node).count() as u32,
        slice: (slice != NO_SLICE).then_some(SliceId(slice)),
        colour: view.slots.get(name_id(view, node).index()).copied().unwrap_or(0),
    }
}

/// String of a node's name; of a backward part the module's.
fn name_id(view: &View<'_>, node: u32) -> StrId {
    let slice = match view.model.trees.slice[node as usize] {
        NO_SLICE => view.model.trees.made(node).map_or(NO_SLICE, |made| made.module),
        slice => slice,
    };
    view.profile.slices.name.get(slice as usize).copied().unwrap_or(StrId(0))
}

/// Name of a node: the slice's, `<module>.backward` of a backward part, `CallTreeRoot` of a root.
pub fn name(view: &View<'_>, node: u32) -> String {
    let name = view.profile.strings.get(name_id(view, node));
    match view.model.trees.kind[node as usize] {
        NodeKind::Root => "CallTreeRoot".into(),
        NodeKind::Backward => format!("{name}.backward"),
        _ => name.into(),
    }
}

/// What a node is, in the plugin's words.
fn kind(view: &View<'_>, node: u32) -> &'static str {
    use super::super::core::class::Class;
    let trees = &view.model.trees;
    match trees.kind[node as usize] {
        NodeKind::Root => return "Python",
        NodeKind::Step => return "ProfilerStep",
        NodeKind::Module => return "Module",
        NodeKind::LightningModule => return "pl_module",
        NodeKind::Backward => return "backward",
        NodeKind::Operator | NodeKind::Range | NodeKind::DataLoader | NodeKind::Optimizer => {}
    }
    match view.model.class.get(trees.slice[node as usize] as usize) {
        Some(Class::Annotation) => "user_annotation",
        Some(Class::Python) => "Python",
        _ => "Operator",
    }
}
