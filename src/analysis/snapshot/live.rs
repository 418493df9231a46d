//! What is live in one state of a device: by frame, and allocation by allocation.

use super::labels::{GroupBy, frame_label, label};
use super::{View, peak_state};
use crate::base::text;
use crate::model::snapshot::{NO_STATE, SnapshotDevice};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Live allocations of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LiveQuery {
    /// Device.
    pub device: u32,
    /// State; `None` is the peak.
    pub state: Option<u32>,
    /// What to group by.
    pub by: GroupBy,
}

/// What is live.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Live {
    /// The state.
    pub state: u32,
    /// Its time.
    pub time: Option<i64>,
    /// Bytes in total.
    pub bytes: u64,
    /// Allocations in total.
    pub n: u64,
    /// Bytes reserved.
    pub reserved: u64,
    /// Groups, most bytes first; at most [`GROUPS_MAX`].
    pub groups: Vec<LiveGroup>,
    /// Groups there are.
    pub n_groups: u64,
}

/// Allocations of one name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LiveGroup {
    /// Frame or stack.
    pub label: String,
    /// Bytes.
    pub bytes: u64,
    /// Allocations.
    pub n: u64,
    /// The largest of these allocations.
    pub largest: u32,
    /// Its bytes.
    pub largest_bytes: u64,
    /// Colour slot of the largest allocation's frame.
    pub slot: u16,
}

/// Groups in an answer at most.
pub const GROUPS_MAX: usize = 5000;

fn state_of(device: &SnapshotDevice, state: Option<u32>) -> u32 {
    state.unwrap_or_else(|| peak_state(device)).min(device.allocated.len().saturating_sub(1) as u32)
}

/// What is live in a state, by name.
pub fn live(view: &View<'_>, device: &SnapshotDevice, query: &LiveQuery) -> Live {
    let (state, all) = (state_of(device, query.state), &device.allocations);
    // Summed by stack, then by the names of stacks: there are far fewer.
    let mut by_stack: FxHashMap<u32, LiveGroup> = FxHashMap::default();
    let mut n = 0;
    for i in (0..all.len()).filter(|&i| all.is_live(i, state)) {
        n += 1;
        let group = by_stack.entry(all.stack[i]).or_default();
        group.bytes = group.bytes.saturating_add(all.size[i]);
        group.n += 1;
        if group.n == 1 || all.size[i] > group.largest_bytes {
            (group.largest, group.largest_bytes) = (i as u32, all.size[i]);
        }
    }
    let mut by_name: FxHashMap<String, LiveGroup> = FxHashMap::default();
    let mut stacks: Vec<(u32, LiveGroup)> = by_stack.into_iter().collect();
    stacks.sort_unstable_by_key(|s| s.0);
    for (stack, part) in stacks {
        let name = match query.by {
            GroupBy::Frame => view.model.named(stack).0.to_string(),
            by => label(view.profile, view.snapshot, stack, by),
        };
        let group = by_name.entry(name).or_default();
        group.bytes = group.bytes.saturating_add(part.bytes);
        group.n += part.n;
        if group.n == part.n || part.largest_bytes > group.largest_bytes {
            (group.largest, group.largest_bytes, group.slot) = (part.largest, part.largest_bytes, view.model.named(stack).1);
        }
    }
    let mut groups: Vec<LiveGroup> = by_name.into_iter().map(|(label, group)| LiveGroup { label, ..group }).collect();
    groups.sort_unstable_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.label.cmp(&b.label)));
    let n_groups = groups.len() as u64;
    groups.truncate(GROUPS_MAX);
    let bytes = device.allocated.get(state as usize).copied().unwrap_or(0);
    Live { state, time: device.time(state), bytes, n, reserved: device.reserved_at(state), groups, n_groups }
}

/// Allocations that are live in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AllocationsQuery {
    /// Device.
    pub device: u32,
    /// State; `None` is the peak.
    pub state: Option<u32>,
    /// The most that are listed.
    pub limit: u32,
}

/// The largest of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LiveAllocations {
    /// The state.
    pub state: u32,
    /// Largest first.
    pub rows: Vec<Allocation>,
    /// Allocations that are live in it.
    pub n_total: u64,
}

/// An allocation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Allocation {
    /// Its number on the device.
    pub id: u32,
    /// Address.
    pub address: u64,
    /// Bytes asked for.
    pub size: u64,
    /// Innermost Python frame.
    pub frame: String,
    /// Colour slot of the frame.
    pub slot: u16,
    /// Stream.
    pub stream: u64,
    /// First state in which it is live; `None` if it was there before the first event.
    pub from: Option<u32>,
    /// First state in which it is no longer live; `None` if it is live at the end.
    pub to: Option<u32>,
    /// Times of both, where recorded.
    pub times: (Option<i64>, Option<i64>),
}

fn row(view: &View<'_>, device: &SnapshotDevice, i: usize) -> Allocation {
    let all = &device.allocations;
    let (from, to) = (Some(all.from[i]).filter(|s| *s > 0), Some(all.to[i]).filter(|s| *s != NO_STATE));
    let (frame, slot) = view.model.named(all.stack[i]);
    Allocation {
        id: i as u32,
        address: all.address[i],
        size: all.size[i],
        frame: frame.into(),
        slot,
        stream: all.stream[i],
        from,
        to,
        times: (from.and_then(|s| device.time(s)), to.and_then(|s| device.time(s))),
    }
}

/// The largest allocations that are live in a state.
pub fn allocations(view: &View<'_>, device: &SnapshotDevice, query: &AllocationsQuery) -> LiveAllocations {
    let (state, all) = (state_of(device, query.state), &device.allocations);
    let mut live: Vec<u32> = (0..all.len() as u32).filter(|&i| all.is_live(i as usize, state)).collect();
    let n_total = live.len() as u64;
    live.sort_unstable_by_key(|&i| (std::cmp::Reverse(all.size[i as usize]), i));
    live.truncate(query.limit as usize);
    LiveAllocations { state, rows: live.into_iter().map(|i| row(view, device, i as usize)).collect(), n_total }
}

/// One allocation with its stack.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AllocationDetail {
    /// What a row has.
    pub row: Allocation,
    /// State and time in which its release was asked for, where that was before its end.
    pub requested: Option<(u32, Option<i64>)>,
    /// Frames, innermost first.
    pub frames: Vec<String>,
    /// How many of them, from the innermost on, are of the allocator and of C++.
    pub first_python: usize,
    /// Further texts: `compile_context`, `user_metadata`, `category`.
    pub texts: Vec<(String, String)>,
}

/// One allocation.
pub fn allocation(view: &View<'_>, device: &SnapshotDevice, id: u32) -> Option<AllocationDetail> {
    let (all, i) = (&device.allocations, id as usize);
    if i >= all.len() {
        return None;
    }
    let requested = Some(all.requested[i]).filter(|s| *s != NO_STATE);
    let written = |frame: &crate::model::snapshot::SnapshotFrame| {
        let file = view.profile.strings.get(frame.file);
        // The file is not known of many frames of C++.
        if matches!(file, "" | "??") { view.profile.strings.get(frame.name).to_string() } else { frame_label(view.profile, frame) }
    };
    let frames: Vec<String> = view.snapshot.stack(all.stack[i]).map(|f| text::middle_ellipsis(&written(f), 400)).collect();
    let is_python = |f: &crate::model::snapshot::SnapshotFrame| view.profile.strings.get(f.file).ends_with(".py");
    let first_python = view.snapshot.stack(all.stack[i]).position(is_python).unwrap_or(0);
    let from = all.extras.partition_point(|e| e.0 < id);
    let texts = all.extras[from..].iter().take_while(|e| e.0 == id);
    Some(AllocationDetail {
        row: row(view, device, i),
        requested: requested.map(|state| (state, device.time(state))),
        frames,
        first_python,
        texts: texts.map(|e| (view.profile.strings.get(e.1).to_string(), view.profile.strings.get(e.2).to_string())).collect(),
    })
}
