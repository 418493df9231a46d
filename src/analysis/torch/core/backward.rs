//! Backward parts of modules: what autograd ran for the operators of a module, gathered under a node of its own.

use super::events::{NONE, NodeKind};
use super::link::Sources;
use super::names;
use super::tree::{ModuleBackward, Trees, ends};
use crate::base::Order as _;
use crate::base::radix_sort::order_many;
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Moves autograd's functions below `<module>.backward` nodes of the main thread, if flows identify their module.
pub fn gather(s: &Sources<'_>, trees: Trees) -> Trees {
    let forward: FxHashMap<i64, i64> = s.torch.backward.iter().copied().collect();
    let tops: Vec<u32> = (0..trees.len() as u32).filter(|&n| trees.kind[n as usize] == NodeKind::Module && is_top(&trees, n)).collect();
    let Some(main) = main_root(s, &trees).filter(|_| !forward.is_empty() && !tops.is_empty()) else {
        return trees;
    };
    let groups = Groups::new(s, &trees);
    let bound = groups.bound(s, &trees, &forward);
    let mut plan = Plan::new(&trees);
    for top in tops {
        plan.module(s, &trees, top, &groups, &bound);
    }
    plan.place(s, &trees, main);
    if !s.rules.keeps_unmatched_backward {
        plan.forget(&groups);
    }
    plan.rebuilt(s, trees)
}

/// Whether a node is directly below a root or a step.
fn is_top(trees: &Trees, node: u32) -> bool {
    let parent = trees.parent[node as usize];
    parent != NONE && matches!(trees.kind[parent as usize], NodeKind::Root | NodeKind::Step)
}

/// The thread that has steps, or the only one, or the longest without autograd.
fn main_root(s: &Sources<'_>, trees: &Trees) -> Option<u32> {
    let nodes = |root: u32| root..trees.end[root as usize];
    let with_steps = trees.roots.iter().rev().find(|r| nodes(r.node).any(|n| trees.kind[n as usize] == NodeKind::Step));
    if let Some(root) = with_steps.or(trees.roots.first().filter(|_| trees.roots.len() == 1)) {
        return Some(root.node);
    }
    let length = |root: u32| {
        let (start, end) = trees.span(&s.profile.slices, root);
        end.saturating_sub(start)
    };
    let forward = trees.roots.iter().filter(|r| !trees.children(r.node).any(|n| is_function(s, trees, n)));
    forward.map(|r| r.node).max_by_key(|&root| (length(root), std::cmp::Reverse(root)))
}

fn flags(s: &Sources<'_>, trees: &Trees, node: u32) -> names::Flags {
    match trees.slice[node as usize] {
        NO_SLICE => 0,
        slice => s.names.of(s.profile.slices.name[slice as usize]),
    }
}

fn is_function(s: &Sources<'_>, trees: &Trees, node: u32) -> bool {
    flags(s, trees, node) & names::EVALUATE != 0
}

/// Functions of autograd; one that accumulates a gradient goes with the one before it.
struct Groups {
    /// Nodes, group by group.
    members: Vec<Vec<u32>>,
    /// Group of each member.
    of: FxHashMap<u32, usize>,
}

impl Groups {
    fn new(s: &Sources<'_>, trees: &Trees) -> Self {
        let mut out = Groups { members: Vec::new(), of: FxHashMap::default() };
        for root in &trees.roots {
            let mut has_head = false;
            for node in root.node..trees.end[root.node as usize] {
                if !is_top(trees, node) || !is_function(s, trees, node) {
                    continue;
                }
                if has_head && flags(s, trees, node) & names::ACCUMULATE != 0 {
                    out.of.insert(node, out.members.len() - 1);
                    if let Some(last) = out.members.last_mut() {
                        last.push(node);
                    }
                } else {
                    out.of.insert(node, out.members.len());
                    out.members.push(vec![node]);
                }
                has_head = true;
            }
        }
        out
    }

    /// The group of each forward operator, by its start.
    fn bound(&self, s: &Sources<'_>, trees: &Trees, forward: &FxHashMap<i64, i64>) -> FxHashMap<i64, usize> {
        let mut by_start: FxHashMap<i64, usize> = FxHashMap::default();
        for (&top, &group) in &self.of {
            for node in top..trees.end[top as usize] {
                by_start.insert(trees.span(&s.profile.slices, node).0, group);
            }
        }
        forward.iter().filter_map(|(&start, backward)| Some((start, *by_start.get(backward)?))).collect()
    }
}

/// The trees to be: old nodes keep their numbers, made ones come after.
struct Plan {
    n_old: usize,
    parent: Vec<u32>,
    made: Vec<ModuleBackward>,
    is_gone: Vec<bool>,
    is_moved: FxHashMap<u32, u32>,
}

impl Plan {
    fn new(trees: &Trees) -> Self {
        let parent = trees.parent.clone();
        Plan { n_old: trees.len(), parent, made: Vec::new(), is_gone: vec![false; trees.len()], is_moved: FxHashMap::default() }
    }

    /// Makes the backward node of a module and of those below it; children before parents.
    fn module(&mut self, s: &Sources<'_>, trees: &Trees, top: u32, groups: &Groups, bound: &FxHashMap<i64, usize>) {
        let slices = &s.profile.slices;
        let mut made_of: FxHashMap<u32, u32> = FxHashMap::default();
        let is_module = |n: u32| trees.kind[n as usize] == NodeKind::Module;
        // A module counts when all between it and the top are modules.
        let mut nested = vec![top];
        let mut at = 0;
        while let Some(&module) = nested.get(at) {
            nested.extend(trees.children(module).filter(|&c| is_module(c)));
            at += 1;
        }
        for &module in nested.iter().rev() {
            let mut children: Vec<u32> = Vec::new();
            for child in trees.children(module) {
                if let Some(&made) = made_of.get(&child) {
                    children.push(made);
                } else if trees.kind[child as usize] == NodeKind::Operator {
                    // The flow may begin in an operator inside: `aten::convolution` in `aten::conv2d`.
                    for node in child..trees.end[child as usize] {
                        if let Some(&group) = bound.get(&trees.span(slices, node).0) {
                            children.extend(groups.members[group].iter().filter(|m| !self.is_moved.contains_key(m)));
                        }
                    }
                }
            }
            if children.is_empty() && s.rules.keeps_unmatched_backward {
                continue;
            }
            let span = |n: u32| match self.made.get((n as usize).wrapping_sub(self.n_old)) {
                Some(made) => (made.start, made.end),
                None => trees.span(slices, n),
            };
            children.order_by_key(|&c| (span(c), c));
            children.dedup();
            let own = trees.span(slices, module);
            let start = children.first().map_or(own.0, |&c| span(c).0);
            let end = children.last().map_or(own.1, |&c| span(c).1);
            let node = (self.n_old + self.made.len()) as u32;
            for &child in &children {
                self.parent[child as usize] = node;
                self.is_moved.insert(child, node);
            }
            self.made.push(ModuleBackward { node, module: trees.slice[module as usize], start, end });
            self.parent.push(NONE);
            self.is_gone.push(false);
            made_of.insert(module, node);
        }
    }

    /// Puts what was made on top into the main thread: below the step that holds its start, else below the root.
    fn place(&mut self, s: &Sources<'_>, trees: &Trees, main: u32) {
        let steps: Vec<(u32, i64, i64)> = trees
            .children(main)
            .filter(|&n| trees.kind[n as usize] == NodeKind::Step)
            .map(|n| {
                let (start, end) = trees.span(&s.profile.slices, n);
                (n, start, end)
            })
            .collect();
        for i in 0..self.made.len() {
            let made = self.made[i];
            if self.parent[made.node as usize] == NONE {
                let step = steps.iter().find(|(_, start, end)| *start <= made.start && made.start < *end);
                self.parent[made.node as usize] = step.map_or(main, |step| step.0);
            }
        }
    }

    /// Takes out the functions that belong to no module.
    fn forget(&mut self, groups: &Groups) {
        for member in groups.of.keys().filter(|m| !self.is_moved.contains_key(m)) {
            self.is_gone[*member as usize] = true;
        }
    }

    /// The trees as planned, in pre-order again.
    fn rebuilt(self, s: &Sources<'_>, old: Trees) -> Trees {
        let n = self.parent.len();
        let slices = &s.profile.slices;
        let span = |node: u32| match self.made.get((node as usize).wrapping_sub(self.n_old)) {
            Some(made) => (made.start, made.end),
            None => old.span(slices, node),
        };
        let mut children: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut n_children = vec![0u32; n];
        for node in (0..n).filter(|&node| self.parent[node] != NONE && !self.is_gone[node]) {
            children.entry(self.parent[node]).or_default().push(node as u32);
            n_children[self.parent[node] as usize] += 1;
        }
        let mut new_of = vec![NONE; n];
        let mut out = Trees::default();
        let mut host_self = Vec::new();
        for root in old.roots.iter().filter(|r| n_children[r.node as usize] > 0) {
            out.roots.push(super::tree::Root { node: out.slice.len() as u32, ..*root });
            let mut open = vec![(root.node, NONE)];
            while let Some((node, parent)) = open.pop() {
                let place = out.slice.len() as u32;
                new_of[node as usize] = place;
                let made = self.made.get((node as usize).wrapping_sub(self.n_old));
                out.slice.push(if made.is_some() { NO_SLICE } else { old.slice[node as usize] });
                out.kind.push(if made.is_some() { NodeKind::Backward } else { old.kind[node as usize] });
                out.parent.push(parent);
                let mut below = children.remove(&node).unwrap_or_default();
                below.order_by_key(|&c| (span(c).0, std::cmp::Reverse(span(c).1)));
                host_self.push(match made {
                    Some(made) => below.iter().fold(made.end - made.start, |rest, &c| rest - (span(c).1 - span(c).0)),
                    None => old.host_self[node as usize],
                });
                if let Some(made) = made {
                    out.made.push(ModuleBackward { node: place, ..*made });
                }
                open.extend(below.into_iter().rev().map(|c| (c, place)));
            }
        }
        out.host_self = host_self;
        out.end = ends(&out.parent);
        out.work = old.work.iter().map(|&(node, work)| (new_of[node as usize], work)).filter(|w| w.0 != NONE).collect();
        order_many(&mut out.work, |w| i64::from(w.0));
        out
    }
}
