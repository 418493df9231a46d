//! What each operator did to the memory of each device.

use super::super::View;
use super::super::core::events::{NONE, NodeKind};
use super::super::core::owners::Owners;
use super::{DeviceKey, MemoryRow};
use crate::base::Order as _;
use crate::base::{SliceId, StrId, TimeRange};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// Rows of one device and what is in none of them.
#[derive(Debug, Default)]
pub struct DeviceRows {
    /// Ordered by name.
    pub rows: Vec<MemoryRow>,
    /// Records in the range.
    pub n_records: u64,
    /// Allocations outside operators.
    pub n_outside: u64,
    /// Their bytes.
    pub outside_bytes: i64,
}

/// Running sums over records sorted by node.
struct Sums {
    /// Nodes of the records, ascending.
    nodes: Vec<u32>,
    /// Before each record: bytes, bytes allocated, allocations. One longer than `nodes`.
    before: Vec<(i64, i64, u64)>,
}

impl Sums {
    fn new(mut records: Vec<(u32, i64)>) -> Self {
        records.order_by_key(|r| r.0);
        let mut before = Vec::with_capacity(records.len() + 1);
        let mut sum = (0i64, 0i64, 0u64);
        before.push(sum);
        for &(_, bytes) in &records {
            let is_allocation = bytes > 0;
            sum = (sum.0.saturating_add(bytes), sum.1.saturating_add(bytes.max(0)), sum.2 + u64::from(is_allocation));
            before.push(sum);
        }
        Sums { nodes: records.into_iter().map(|r| r.0).collect(), before }
    }

    fn of(&self, from: u32, to: u32) -> (i64, i64, u64) {
        let first = self.nodes.partition_point(|&n| n < from);
        let last = first + self.nodes[first..].partition_point(|&n| n < to);
        let (a, b) = (self.before[first], self.before[last]);
        (b.0.saturating_sub(a.0), b.1.saturating_sub(a.1), b.2 - a.2)
    }
}

/// Rows of every device that has records; records and nodes outside `range` are omitted (both ends belong to it).
pub fn operators(view: &View<'_>, owners: &Owners, range: Option<TimeRange>) -> FxHashMap<DeviceKey, DeviceRows> {
    let is_in = |time: i64| range.is_none_or(|r| r.start.0 <= time && time <= r.end.0);
    let is_operator = |node: u32| node != NONE && view.model.is_operator(view.profile, node);
    let mut out: FxHashMap<DeviceKey, DeviceRows> = FxHashMap::default();
    let mut owned: FxHashMap<DeviceKey, Vec<(u32, i64)>> = FxHashMap::default();
    for (record, &node) in view.torch.memory.iter().zip(&owners.node) {
        let key = DeviceKey::of(record);
        let device = out.entry(key).or_default();
        if !is_in(record.time) {
            continue;
        }
        device.n_records += 1;
        if is_operator(node) {
            owned.entry(key).or_insert_with(|| Vec::with_capacity(owners.node.len())).push((node, record.bytes));
        } else {
            device.n_outside += 1;
            device.outside_bytes = device.outside_bytes.saturating_add(record.bytes);
        }
    }
    let (calls, touched) = visited(view, owners, range);
    for (key, records) in owned {
        if let Some(device) = out.get_mut(&key) {
            device.rows = rows(view, &Sums::new(records), &calls, &touched);
        }
    }
    out
}

/// Calls by name of operators that are beside or below a node with records, and the operators with records.
fn visited(view: &View<'_>, owners: &Owners, range: Option<TimeRange>) -> (FxHashMap<StrId, u64>, Vec<u32>) {
    let (trees, slices) = (&view.model.trees, &view.profile.slices);
    let mut calls: FxHashMap<StrId, u64> = FxHashMap::default();
    let mut touched = Vec::with_capacity(owners.is_touched.iter().filter(|t| **t).count());
    for root in &view.model.trees.roots {
        let mut node = root.node + 1;
        while node < trees.end[root.node as usize] {
            let i = node as usize;
            let is_outside = range.is_some_and(|r| {
                let (start, end) = trees.span(slices, node);
                end < r.start.0 || start > r.end.0
            });
            if is_outside {
                node = trees.end[i];
                continue;
            }
            if trees.slice[i] != NO_SLICE && trees.kind[i] != NodeKind::Root && view.model.is_operator(view.profile, node) {
                *calls.entry(slices.name[trees.slice[i] as usize]).or_default() += 1;
                if owners.is_touched[i] {
                    touched.push(node);
                }
            }
            node = if owners.is_touched[i] { node + 1 } else { trees.end[i] };
        }
    }
    (calls, touched)
}

fn rows(view: &View<'_>, sums: &Sums, calls: &FxHashMap<StrId, u64>, touched: &[u32]) -> Vec<MemoryRow> {
    let trees = &view.model.trees;
    let mut by_name: FxHashMap<StrId, (MemoryRow, i64)> = FxHashMap::default();
    for &node in touched {
        let own = sums.of(node, node + 1);
        let all = sums.of(node, trees.end[node as usize]);
        if all == (0, 0, 0) {
            continue;
        }
        let slice = trees.slice[node as usize];
        let name = view.profile.slices.name[slice as usize];
        let (row, largest) = by_name.entry(name).or_insert_with(|| (MemoryRow::default(), -1));
        row.increase_bytes = row.increase_bytes.saturating_add(all.0);
        row.self_increase_bytes = row.self_increase_bytes.saturating_add(own.0);
        row.allocations += all.2;
        row.self_allocations += own.2;
        row.allocated_bytes = row.allocated_bytes.saturating_add(all.1);
        row.self_allocated_bytes = row.self_allocated_bytes.saturating_add(own.1);
        if all.1 > *largest {
            (*largest, row.largest) = (all.1, SliceId(slice));
        }
    }
    let mut out: Vec<MemoryRow> = by_name
        .into_iter()
        .map(|(name, (row, _))| MemoryRow {
            name: view.profile.strings.get(name).into(),
            calls: calls.get(&name).copied().unwrap_or(0),
            ..row
        })
        .filter(|row| row.increase_bytes != 0 || row.self_increase_bytes != 0 || row.allocations != 0)
        .collect();
    out.order_by(|a, b| a.name.cmp(&b.name));
    out
}
