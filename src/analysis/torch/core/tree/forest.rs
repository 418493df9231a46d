//! The order in which nodes are written: every list with its root first, merged where a function spans several.

use super::{Raw, Root, Trees, ends};
use crate::analysis::torch::core::events::{HostNodes, NONE, NodeKind, by_list};
use crate::analysis::torch::core::link::Sources;
use crate::model::NO_SLICE;

/// Every list's nodes in pre-order, its root first; parents as raw nodes.
pub(super) struct Forest {
    order: Vec<Raw>,
    parent: Vec<Raw>,
}

impl Forest {
    pub(super) fn new(s: &Sources<'_>, nodes: &HostNodes) -> Self {
        let n = nodes.slice.len();
        let slices = &s.profile.slices;
        let lists = by_list(&nodes.list, nodes.track.len());
        let span = |node: Raw| {
            let slice = nodes.slice[node as usize] as usize;
            (slices.start[slice], slices.end(slice))
        };
        let mut out = Forest { order: Vec::with_capacity(n + lists.len()), parent: vec![NONE; n + lists.len()] };
        for (l, mut list) in lists.into_iter().enumerate() {
            let root = (n + l) as Raw;
            out.order.push(root);
            list.sort_by_key(|&node| (span(node).0, std::cmp::Reverse(span(node).1)));
            let mut open: Vec<(Raw, i64)> = Vec::new();
            for node in list {
                let (start, end) = span(node);
                while open.last().is_some_and(|&(_, open_end)| start >= open_end) {
                    open.pop();
                }
                if s.rules.keeps_overlapping {
                    while open.last().is_some_and(|&(_, open_end)| end > open_end) {
                        open.pop();
                    }
                } else if open.last().is_some_and(|&(_, open_end)| end > open_end) {
                    continue;
                }
                out.parent[node as usize] = open.last().map_or(root, |o| o.0);
                out.order.push(node);
                open.push((node, end));
            }
        }
        out
    }

    /// An operator and its only child of the same name are one: (node that receives each node's calls, node it is merged with).
    pub(super) fn merged(&self, s: &Sources<'_>, nodes: &HostNodes) -> (Vec<u32>, Vec<Raw>) {
        let n_raw = self.parent.len();
        let mut n_children = vec![0u32; n_raw];
        for &node in &self.order {
            if let Some(n) = n_children.get_mut(self.parent[node as usize] as usize) {
                *n += 1;
            }
        }
        let mut owner = vec![NONE; n_raw];
        for &node in &self.order {
            owner[node as usize] = node;
        }
        let mut heads = owner.clone();
        let is_twin = |a: Raw, b: Raw| {
            let (Some(&x), Some(&y)) = (nodes.slice.get(a as usize), nodes.slice.get(b as usize)) else { return false };
            let is_operator = |r: Raw| nodes.kind[r as usize] == NodeKind::Operator;
            is_operator(a) && is_operator(b) && s.profile.slices.name[x as usize] == s.profile.slices.name[y as usize]
        };
        let mut at = 0;
        while at < self.order.len() {
            let head = self.order[at];
            let mut last = head;
            while let Some(&child) = self.order.get(at + 1) {
                if n_children[last as usize] != 1 || self.parent[child as usize] != last || !is_twin(head, child) {
                    break;
                }
                if !s.rules.is_linked_by_time {
                    // The plugin forgets the calls of the outer one.
                    owner[last as usize] = NONE;
                }
                heads[child as usize] = head;
                owner[child as usize] = head;
                last = child;
                at += 1;
            }
            at += 1;
        }
        (owner, heads)
    }

    /// Place of each node that stays.
    pub(super) fn places(&self, head: &[Raw]) -> Vec<u32> {
        let mut at = vec![NONE; self.parent.len()];
        let stay = self.order.iter().filter(|&&node| head[node as usize] == node);
        for (place, &node) in stay.enumerate() {
            at[node as usize] = place as u32;
        }
        at
    }

    /// The nodes that stay, in pre-order.
    pub(super) fn written(&self, nodes: &HostNodes, head: &[Raw], at: &[u32]) -> Trees {
        let n_hosts = nodes.slice.len();
        let n = self.order.len();
        let mut out =
            Trees { slice: Vec::with_capacity(n), kind: Vec::with_capacity(n), parent: Vec::with_capacity(n), ..Trees::default() };
        for &node in self.order.iter().filter(|&&node| head[node as usize] == node) {
            let i = node as usize;
            if i >= n_hosts {
                out.roots.push(Root { node: out.slice.len() as u32, track: nodes.track[i - n_hosts], n_calls: 0 });
            }
            out.slice.push(nodes.slice.get(i).copied().unwrap_or(NO_SLICE));
            out.kind.push(nodes.kind.get(i).copied().unwrap_or(NodeKind::Root));
            let parent = head.get(self.parent[i] as usize).copied().unwrap_or(NONE);
            out.parent.push(at.get(parent as usize).copied().unwrap_or(NONE));
        }
        out.end = ends(&out.parent);
        out
    }
}
