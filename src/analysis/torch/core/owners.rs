//! Which operator each record of memory belongs to: the innermost node of its thread that was open at its time.

use super::events::{NONE, Threads};
use super::rules::Rules;
use super::tree::Trees;
use crate::model::{Profile, Torch};
use rustc_hash::FxHashMap;

/// What each record belongs to.
#[derive(Debug, Default)]
pub struct Owners {
    /// The innermost node by record; [`NONE`] where none was open.
    pub node: Vec<u32>,
    /// Whether a record is in a node or below. By node.
    pub is_touched: Vec<bool>,
}

/// The nodes of one tree while its thread's records go by.
struct Sweep {
    /// (start, node), by start; of those that begin at once the outer first.
    nodes: Vec<(i64, u32)>,
    /// The next to begin.
    next: usize,
    /// Nodes that began, with their ends; those that are over leave when they come to the top.
    open: Vec<(u32, i64)>,
}

impl Owners {
    /// Walks the records (by time) along the trees of their threads.
    pub fn new(profile: &Profile, torch: &Torch, rules: &Rules, trees: &Trees) -> Self {
        let threads = Threads::new(profile, torch, rules);
        let mut root_of: FxHashMap<u64, u32> = FxHashMap::default();
        for root in &trees.roots {
            root_of.entry(threads.key(root.track)).or_insert(root.node);
        }
        let mut sweeps: FxHashMap<u64, Sweep> = FxHashMap::default();
        let mut out = Owners { node: Vec::with_capacity(torch.memory.len()), is_touched: vec![false; trees.len()] };
        let span = |node: u32| trees.span(&profile.slices, node);
        for record in &torch.memory {
            let key = threads.key(record.track);
            let owner = root_of.get(&key).and_then(|&root| {
                let sweep = sweeps.entry(key).or_insert_with(|| Sweep::new(trees, root, span));
                sweep.innermost(span, record.time)
            });
            let mut at = owner.unwrap_or(NONE);
            out.node.push(at);
            // Ancestors of a touched node are touched.
            while at != NONE && !std::mem::replace(&mut out.is_touched[at as usize], true) {
                at = trees.parent[at as usize];
            }
        }
        out
    }
}

impl Sweep {
    fn new(trees: &Trees, root: u32, span: impl Fn(u32) -> (i64, i64)) -> Self {
        let mut nodes: Vec<(i64, u32)> = (root + 1..trees.end[root as usize]).map(|n| (span(n).0, n)).collect();
        if !nodes.is_sorted() {
            // Nodes that overlap only partly, and backward parts.
            nodes.sort_unstable();
        }
        Sweep { nodes, next: 0, open: Vec::new() }
    }

    /// The last node to begin that is still open at `time`.
    fn innermost(&mut self, span: impl Fn(u32) -> (i64, i64), time: i64) -> Option<u32> {
        while let Some(&(start, node)) = self.nodes.get(self.next) {
            if start > time {
                break;
            }
            self.open.push((node, span(node).1));
            self.next += 1;
        }
        while self.open.pop_if(|(_, end)| *end <= time).is_some() {}
        self.open.last().map(|(node, _)| *node)
    }
}
