//! Graph replays as trees: what the importer attributed to the operators and modules of a capture.

use super::events::{Events, NodeKind};
use super::tree::{Root, Trees, ends};
use crate::base::TrackId;
use crate::base::radix_sort::order_many;
use crate::model::torch::ABSENT;
use crate::model::{NO_SLICE, Profile, Torch};
use rustc_hash::FxHashMap;

/// Adds a tree for each row of replayed operators; their kernels leave the nodes that launched the graphs. Nodes of replays take no host time.
pub fn add(profile: &Profile, torch: &Torch, events: &Events, mut trees: Trees) -> Trees {
    let replays = &torch.replays;
    if replays.work.is_empty() {
        return trees;
    }
    let node_of: FxHashMap<u32, u32> = replays.work.iter().copied().collect();
    trees.work.retain(|&(_, work)| !node_of.contains_key(&events.work[work as usize]));
    // By row: a replay is on the row of its first kernel's device.
    let track_of = super::events::tracks_by_slice(profile);
    let mut track: Vec<TrackId> = Vec::with_capacity(replays.nodes.len());
    for node in &replays.nodes {
        let of_parent = node.parent().and_then(|p| track.get(p as usize).copied());
        track.push(of_parent.unwrap_or_else(|| track_of(node.slice)));
    }
    let mut rows: Vec<TrackId> = Vec::new();
    let mut members: FxHashMap<TrackId, Vec<u32>> = FxHashMap::default();
    for (i, row) in track.iter().enumerate() {
        members.entry(*row).or_insert_with(|| {
            rows.push(*row);
            Vec::new()
        });
        members.entry(*row).or_default().push(i as u32);
    }
    let mut place = vec![ABSENT; replays.nodes.len()];
    for row in rows {
        let root = trees.len() as u32;
        trees.roots.push(Root { node: root, track: row, n_calls: 0 });
        push(&mut trees, NO_SLICE, NodeKind::Root, ABSENT);
        for &i in members.get(&row).map_or(&[][..], Vec::as_slice) {
            let node = replays.nodes[i as usize];
            place[i as usize] = trees.len() as u32;
            let parent = node.parent().and_then(|p| place.get(p as usize).copied()).filter(|p| *p != ABSENT).unwrap_or(root);
            push(&mut trees, node.slice, if node.is_module { NodeKind::Module } else { NodeKind::Operator }, parent);
        }
    }
    trees.end = ends(&trees.parent);
    let with_node = |(work, slice): (usize, &u32)| {
        let node = *place.get(*node_of.get(slice)? as usize)?;
        (node != ABSENT).then_some((node, work as u32))
    };
    trees.work.extend(events.work.iter().enumerate().filter_map(with_node));
    order_many(&mut trees.work, |w| i64::from(w.0));
    trees
}

fn push(trees: &mut Trees, slice: u32, kind: NodeKind, parent: u32) {
    trees.slice.push(slice);
    trees.kind.push(kind);
    trees.parent.push(parent);
    trees.host_self.push(0);
}
