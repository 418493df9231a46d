//! Values of the nodes: each instruction is counted with the node it is under, and at the end with all above that.

use super::LayerNode;
use crate::analysis::device::share::{self, add_recorded};
use crate::analysis::recent_cache::RecentCache;
use crate::base::{DurationNs, SortedIndex, StrId, TimeNs, TimeRange};
use crate::model::{Column, NeuronDevice, Profile};
use rustc_hash::FxHashMap;

/// What a node is known by: the node above, the level, the name.
pub(super) type Key = (u32, u8, StrId);

/// A tree as it grows.
#[derive(Default)]
pub(super) struct LayerTree<'a> {
    pub nodes: Vec<LayerNode>,
    /// (slice, its innermost node).
    pub leaf_of: Vec<(u32, u32)>,
    pub max_depth: u32,
    /// Instructions that found no room for a node of their own.
    pub n_cut: u64,
    /// The compiler's word for each instruction; empty for those of the runtime.
    pub(super) types: Option<&'a Column<StrId>>,
    pub(super) marks: Vec<NodeCoverage>,
    pub(super) child: FxHashMap<(u32, &'static str, String), u32>,
    pub(super) known: FxHashMap<Key, u32>,
    pub(super) recent: RecentCache<Key>,
}

/// Time that is covered: up to when, and how much of it.
#[derive(Clone, Copy)]
struct Cover {
    until: i64,
    sum: i64,
}

impl Cover {
    const NONE: Cover = Cover { until: i64::MIN, sum: 0 };

    fn add(&mut self, from: i64, to: i64) {
        self.sum += (to - from.max(self.until)).max(0);
        self.until = self.until.max(to);
    }
}

/// Time that a node covers: by engine, by any engine, and including waits. Overlaps count once, so each node has its own sets.
#[derive(Clone)]
pub(super) struct NodeCoverage {
    parent: Option<u32>,
    engines: [Cover; 5],
    active: Cover,
    covered: Cover,
    /// Whether a matrix product without a recorded type was found.
    is_untyped: bool,
}

/// Parts of values.
pub(super) struct Context<'a> {
    pub profile: &'a Profile,
    pub device: &'a NeuronDevice,
    pub range: TimeRange,
    /// The word for instructions that only transpose.
    pub transpose: Option<StrId>,
    /// Where instructions are in [`NeuronDevice::hbm`].
    pub hbm: SortedIndex,
}

/// One instruction.
pub(super) struct Step {
    pub slice: usize,
    pub start: i64,
    pub end: i64,
    pub engine: Option<usize>,
    pub is_wait: bool,
}

impl LayerTree<'_> {
    /// Whether a node contains a matrix product without a recorded type.
    pub fn is_untyped(&self, at: u32) -> bool {
        self.marks[at as usize].is_untyped
    }

    /// A new node.
    pub fn node(&mut self, node: LayerNode) -> u32 {
        let engines = [Cover::NONE; 5];
        self.marks.push(NodeCoverage { parent: node.parent, engines, active: Cover::NONE, covered: Cover::NONE, is_untyped: false });
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Counts an instruction: its time with its node and all above it, all else with its node alone.
    pub fn add(&mut self, given: &Context<'_>, step: &Step, leaf: u32) {
        let mut next = Some(leaf);
        while let Some(at) = next {
            let marks = &mut self.marks[at as usize];
            marks.covered.add(step.start, step.end);
            if !step.is_wait {
                marks.active.add(step.start, step.end);
                if let Some(engine) = step.engine {
                    marks.engines[engine].add(step.start, step.end);
                }
            }
            next = marks.parent;
        }
        let node = &mut self.nodes[leaf as usize];
        let is_first = node.occurrences == 0;
        node.start = if is_first { TimeNs(step.start) } else { node.start.min(TimeNs(step.start)) };
        node.end = if is_first { TimeNs(step.end) } else { node.end.max(TimeNs(step.end)) };
        node.occurrences += 1;
        if let Some(engine) = step.engine {
            node.engines[engine].count += 1;
        }
        self.add_work(given, step.slice, leaf as usize);
    }

    fn add_work(&mut self, given: &Context<'_>, slice: usize, leaf: usize) {
        let (node, device, slices) = (&mut self.nodes[leaf], given.device, &given.profile.slices);
        let within = |amount: u64| share::within(amount, (slices.start[slice], slices.end(slice)), given.range);
        if let Some(flops) = recorded(&device.elements, slice).map(|e| within(2 * e)) {
            let is_transpose = given.transpose.is_some() && self.types.and_then(|types| types.at(slice)) == given.transpose;
            let adjusted = if is_transpose { Some(0) } else { super::adjusted(device, slice, flops) };
            add_recorded(&mut node.flops, Some(flops));
            add_recorded(&mut node.transpose_flops, Some(if is_transpose { flops } else { 0 }));
            self.marks[leaf].is_untyped |= adjusted.is_none();
            add_recorded(&mut node.adjusted_flops, adjusted);
        }
        let hbm = given.hbm.find(device.hbm.len(), slice as u32, |at| device.hbm[at].slice).next().map(|at| device.hbm[at]);
        // It only starts the transfer: its bytes are not parted over its own time.
        if let Some(hbm) = hbm.filter(|_| slices.start[slice] >= given.range.start.0) {
            add_recorded(&mut node.hbm_read, Some(hbm.read));
            add_recorded(&mut node.hbm_written, Some(hbm.written));
            add_recorded(&mut node.spilled, hbm.spilled);
        }
        add_recorded(&mut node.sbuf_bytes, recorded(&device.sbuf_bytes, slice).map(within));
    }

    /// What was counted with a node alone is added to all above it.
    pub fn roll_up(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let marks = &self.marks[at];
            let (parent, is_untyped) = (marks.parent, marks.is_untyped);
            let node = &mut self.nodes[at];
            (node.covered, node.active) = (DurationNs(marks.covered.sum), DurationNs(marks.active.sum));
            node.engines.iter_mut().zip(&marks.engines).for_each(|(share, cover)| share.active = DurationNs(cover.sum));
            let node = &self.nodes[at];
            let Some(parent) = parent.map(|p| p as usize).filter(|p| *p < at && node.occurrences > 0) else { continue };
            let (above, below) = self.nodes.split_at_mut(at);
            merge(&mut above[parent], &below[0]);
            self.marks[parent].is_untyped |= is_untyped;
        }
    }
}

/// Adds the instructions of a node to the one above it.
fn merge(above: &mut LayerNode, node: &LayerNode) {
    let is_first = above.occurrences == 0;
    above.start = if is_first { node.start } else { above.start.min(node.start) };
    above.end = if is_first { node.end } else { above.end.max(node.end) };
    above.occurrences += node.occurrences;
    above.engines.iter_mut().zip(&node.engines).for_each(|(sum, share)| sum.count += share.count);
    add_recorded(&mut above.flops, node.flops);
    add_recorded(&mut above.transpose_flops, node.transpose_flops);
    add_recorded(&mut above.adjusted_flops, node.adjusted_flops);
    add_recorded(&mut above.hbm_read, node.hbm_read);
    add_recorded(&mut above.hbm_written, node.hbm_written);
    add_recorded(&mut above.spilled, node.spilled);
    add_recorded(&mut above.sbuf_bytes, node.sbuf_bytes);
}

fn recorded(column: &Column<u32>, at: usize) -> Option<u64> {
    column.at(at).filter(|v| *v != NeuronDevice::ABSENT).map(u64::from)
}
