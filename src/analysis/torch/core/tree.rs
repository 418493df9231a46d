//! The host ranges of each thread as a tree: nodes in pre-order, so that what a node holds is the run of nodes after it.

mod forest;

use super::events::{Events, HostNodes, NONE, NodeKind};
pub use super::link::Raw;
use super::link::{Links, Sources};
use crate::base::radix_sort::order_many;
use crate::base::{TrackId, for_each_chunk, for_each_of};
use crate::model::NO_SLICE;
use forest::Forest;

/// The tree of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// Its root node.
    pub node: u32,
    /// A track of the thread.
    pub track: TrackId,
    /// Calls that depend on the root itself.
    pub n_calls: u32,
}

/// The backward part of a module: a node without a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModuleBackward {
    /// The node.
    pub node: u32,
    /// The module's slice.
    pub module: u32,
    /// Start, nanoseconds.
    pub start: i64,
    /// End, nanoseconds.
    pub end: i64,
}

/// All trees.
#[derive(Debug, Default)]
pub struct Trees {
    /// In the order first seen.
    pub roots: Vec<Root>,
    /// Slice of each node; [`NO_SLICE`] for roots and for nodes in `made`.
    pub slice: Vec<u32>,
    /// Kind of each node.
    pub kind: Vec<NodeKind>,
    /// Parent of each node; [`NONE`] for roots.
    pub parent: Vec<u32>,
    /// One after the last node below each node.
    pub end: Vec<u32>,
    /// Duration without children and own calls, nanoseconds; 0 for roots.
    pub host_self: Vec<i64>,
    /// Nodes without a slice, by node.
    pub made: Vec<ModuleBackward>,
    /// (node, work), by node; work as a position in `Events::work`.
    pub work: Vec<(u32, u32)>,
}

impl Trees {
    /// How many nodes, roots included.
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slice.is_empty()
    }

    /// Children of a node, in order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[node as usize];
        let mut at = node + 1;
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.end[child as usize];
            Some(child)
        })
    }

    /// Nodes of a tree with children before their parents; the root last.
    pub fn post_order(&self, root: u32) -> Vec<u32> {
        let mut out = Vec::with_capacity((self.end[root as usize] - root) as usize);
        let mut open: Vec<u32> = Vec::new();
        for node in root..self.end[root as usize] {
            while let Some(done) = open.pop_if(|o| self.end[*o as usize] <= node) {
                out.push(done);
            }
            open.push(node);
        }
        out.extend(open.into_iter().rev());
        out
    }

    /// Data of a node that has no slice.
    pub fn made(&self, node: u32) -> Option<&ModuleBackward> {
        self.made.binary_search_by_key(&node, |m| m.node).ok().map(|at| &self.made[at])
    }

    /// Start and end of a node, nanoseconds; a root lasts from its first child to the end of its last.
    pub fn span(&self, slices: &crate::model::SliceTable, node: u32) -> (i64, i64) {
        match self.slice[node as usize] {
            NO_SLICE => match self.made(node) {
                Some(made) => (made.start, made.end),
                None => {
                    let first = self.children(node).next().map_or(0, |c| self.span(slices, c).0);
                    let last = self.children(node).last().map_or(0, |c| self.span(slices, c).1);
                    (first, last)
                }
            },
            slice => (slices.start[slice as usize], slices.end(slice as usize)),
        }
    }

    /// Work of a node itself.
    pub fn work_of(&self, node: u32) -> &[(u32, u32)] {
        let first = self.work.partition_point(|w| w.0 < node);
        let n = self.work[first..].partition_point(|w| w.0 == node);
        &self.work[first..first + n]
    }
}

/// Makes the trees of all lists.
pub fn trees(s: &Sources<'_>, events: &Events, nodes: &HostNodes, links: &Links) -> Trees {
    let forest = Forest::new(s, nodes);
    let (owner, head) = forest.merged(s, nodes);
    let at = forest.places(&head);
    let mut out = forest.written(nodes, &head, &at);
    let place = |raw: Raw| match owner[raw as usize] {
        NONE => NONE,
        owner => at[owner as usize],
    };
    host_times(s, events, links, &mut out, place);
    out.work = node_work(links, place);
    out
}

/// One after the last node below each node, for parents in pre-order.
pub fn ends(parent: &[u32]) -> Vec<u32> {
    let mut end: Vec<u32> = (1..=parent.len() as u32).collect();
    for i in (0..parent.len()).rev() {
        if let Some(of_parent) = end.get(parent[i] as usize).copied() {
            end[parent[i] as usize] = of_parent.max(end[i]);
        }
    }
    end
}

/// Fills `host_self` and counts the calls of roots.
fn host_times(s: &Sources<'_>, events: &Events, links: &Links, out: &mut Trees, place: impl Fn(Raw) -> u32) {
    let slices = &s.profile.slices;
    let duration = |slice: u32| if slice == NO_SLICE { 0 } else { slices.duration[slice as usize] };
    out.host_self = out.slice.iter().map(|&slice| duration(slice)).collect();
    for_each_chunk(out.len(), &mut |part| {
        for node in part {
            if let Some(of_parent) = out.host_self.get_mut(out.parent[node] as usize) {
                *of_parent = of_parent.saturating_sub(duration(out.slice[node]));
            }
        }
    });
    let mut n_calls = vec![0; out.roots.len()];
    for_each_of(&links.calls, |&(raw, call)| {
        let node = place(raw);
        if let Some(time) = out.host_self.get_mut(node as usize) {
            *time = time.saturating_sub(duration(events.runtimes[call as usize]));
            if out.kind[node as usize] == NodeKind::Root {
                n_calls[out.roots.partition_point(|r| r.node < node)] += 1;
            }
        }
    });
    // Work without a launch counts as one more call of the root it is attributed to.
    let mut with_work: Vec<u32> = links.work.iter().map(|w| place(w.0)).collect();
    with_work.dedup();
    for (root, n) in out.roots.iter_mut().zip(n_calls) {
        root.n_calls = n + u32::from(with_work.contains(&root.node));
        out.host_self[root.node as usize] = 0;
    }
}

/// (node, work), by node.
fn node_work(links: &Links, place: impl Fn(Raw) -> u32) -> Vec<(u32, u32)> {
    let mut by_call: Vec<(u32, u32)> = Vec::with_capacity(links.launch.len());
    for (w, &call) in links.launch.iter().enumerate() {
        if call != NONE && !links.is_matched_by_id.get(w).is_some_and(|recorded| *recorded) {
            by_call.push((call, w as u32));
        }
    }
    by_call.sort_unstable();
    let mut out = Vec::with_capacity(by_call.len());
    for &(raw, call) in links.calls.iter().chain(&links.inner_calls) {
        let node = place(raw);
        let first = by_call.partition_point(|p| p.0 < call);
        if node != NONE {
            out.extend(by_call[first..].iter().take_while(|p| p.0 == call).map(|p| (node, p.1)));
        }
    }
    out.extend(links.work.iter().map(|&(raw, work)| (place(raw), work)).filter(|p| p.0 != NONE));
    // Stable: a node's work stays in the order of its calls.
    order_many(&mut out, |p| i64::from(p.0));
    out
}
