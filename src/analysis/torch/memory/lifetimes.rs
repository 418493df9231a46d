//! Pieces of memory: allocation and release of one address paired.

use super::super::View;
use super::super::core::events::{NONE, NodeKind};
use super::super::core::owners::Owners;
use super::{DeviceKey, MAX_EVENTS, MemoryEvents, MemoryEventsQuery, MemoryLife};
use crate::base::{SliceId, TimeNs, TrackId};
use crate::model::torch::MemoryEvent;
use crate::model::{NO_SLICE, Profile};
use rustc_hash::FxHashMap;

/// Answers [`MemoryEventsQuery`].
pub fn events(view: &View<'_>, owners: &Owners, query: &MemoryEventsQuery) -> MemoryEvents {
    let mut pairs = pairs(view, query);
    let records = &view.torch.memory;
    let size = |pair: &Pair| pair.0.or(pair.1).map_or(0, |r| records[r as usize].bytes.unsigned_abs());
    let largest_bytes = pairs.iter().map(size).max().unwrap_or(0);
    let (min, max) = (query.min_bytes.unwrap_or(0), query.max_bytes.unwrap_or(u64::MAX));
    pairs.retain(|pair| (min..=max).contains(&size(pair)));
    let n_total = pairs.len() as u64;
    let limit = if query.limit == 0 { MAX_EVENTS } else { query.limit.min(MAX_EVENTS) } as usize;
    if pairs.len() > limit {
        let mut sizes: Vec<u64> = pairs.iter().map(size).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let least = sizes[limit - 1];
        let mut n_least = limit - sizes.iter().take_while(|s| **s > least).count();
        pairs.retain(|pair| {
            let is_least = size(pair) == least;
            let stays = size(pair) > least || is_least && n_least > 0;
            n_least -= usize::from(is_least && stays);
            stays
        });
    }
    let allocation_of = allocations(view);
    let life = |&(allocated, released): &Pair| {
        let first = allocated.or(released).unwrap_or(0);
        // A release without its allocation in the range knows its operator from the allocation before.
        let source = allocated.or_else(|| allocation_of.get(first as usize).copied().filter(|&a| a != NONE));
        let node = source.map_or(NONE, |a| owners.node[a as usize]);
        let (operator, slice) = operator(view, node);
        let time = |record: Option<u32>| record.map(|r| TimeNs(records[r as usize].time));
        MemoryLife {
            operator,
            size_bytes: size(&(allocated, released)),
            allocated: time(allocated),
            released: time(released),
            slice,
            track: records.get(first as usize).map_or(TrackId(0), |r| r.track),
        }
    };
    MemoryEvents { rows: pairs.iter().map(life).collect(), n_total, largest_bytes }
}

/// Records of an allocation and a release.
type Pair = (Option<u32>, Option<u32>);

/// Address on a device; the plugin pairs by address alone, so that devices share one key.
type AddressKey = (Option<DeviceKey>, u64);

fn place(view: &View<'_>, record: &MemoryEvent) -> Option<AddressKey> {
    Some((view.model.rules.is_linked_by_time.then(|| DeviceKey::of(record)), record.address?))
}

/// Pairs of the device and range asked for: released ones by release, then the unreleased by allocation, then releases alone. A pair is
/// of the device of its allocation.
fn pairs(view: &View<'_>, query: &MemoryEventsQuery) -> Vec<Pair> {
    let is_in = |r: &MemoryEvent| query.range.is_none_or(|range| range.start.0 <= r.time && r.time <= range.end.0);
    let mut open: FxHashMap<AddressKey, u32> = FxHashMap::default();
    let (mut released, mut unreleased, mut alone): (Vec<Pair>, Vec<Pair>, Vec<Pair>) = Default::default();
    for (i, record) in view.torch.memory.iter().enumerate().filter(|(_, r)| is_in(r)) {
        let Some(place) = place(view, record) else { continue };
        let i = i as u32;
        if record.bytes > 0 {
            // A second allocation of an address without a release between: the first one's release is not in the trace.
            unreleased.extend(open.insert(place, i).map(|before| (Some(before), None)));
        } else {
            match open.remove(&place) {
                Some(allocation) => released.push((Some(allocation), Some(i))),
                None => alone.push((None, Some(i))),
            }
        }
    }
    unreleased.extend(open.into_values().map(|a| (Some(a), None)));
    unreleased.sort_unstable();
    released.extend(unreleased);
    released.extend(alone);
    let is_here = |pair: &Pair| {
        pair.0.or(pair.1).and_then(|r| view.torch.memory.get(r as usize)).is_some_and(|r| DeviceKey::of(r).name() == query.device)
    };
    released.retain(is_here);
    released
}

/// The allocation that each release ends, by record of the whole trace; [`NONE`] where there is none.
fn allocations(view: &View<'_>) -> Vec<u32> {
    let records = &view.torch.memory;
    let mut open: FxHashMap<AddressKey, u32> = FxHashMap::default();
    let mut out = vec![NONE; records.len()];
    for (i, record) in records.iter().enumerate() {
        let Some(place) = place(view, record) else { continue };
        if record.bytes > 0 {
            open.insert(place, i as u32);
        } else if let Some(allocation) = open.get(&place) {
            out[i] = *allocation;
        }
    }
    out
}

/// Name and slice of an operator node; a bare allocation is named with the node it is in.
fn operator(view: &View<'_>, node: u32) -> (Option<String>, Option<SliceId>) {
    let trees = &view.model.trees;
    if node == NONE || !view.model.is_operator(view.profile, node) {
        return (None, None);
    }
    let slice = trees.slice[node as usize];
    let name = name_of(view.profile, slice);
    let parent = trees.parent[node as usize];
    let shown = if name.starts_with("aten::empty") && parent != NONE {
        let around = match trees.kind[parent as usize] {
            NodeKind::Root => "CallTreeRoot",
            _ => name_of(view.profile, trees.slice[parent as usize]),
        };
        format!("{around} ({name})")
    } else {
        name.into()
    };
    (Some(shown), Some(SliceId(slice)))
}

fn name_of(profile: &Profile, slice: u32) -> &str {
    if slice == NO_SLICE { "" } else { profile.name_of(SliceId(slice)) }
}
