//! All accesses of a memory in the order of time, and what each value in it goes through.

use super::{MOST_RUNS, access_time, engine_tracks};
use crate::base::{TrackId, for_each_chunk};
use crate::model::accesses::{Access, AccessKind, Memory, N_PARTITIONS};
use crate::model::{NeuronDevice, Profile};
use std::collections::BTreeMap;

/// Largest number of distinct groups of partitions; beyond it, groups of 32 are used.
const MOST_GROUPS: usize = 8;
/// Partitions of a group then.
const GROUP: u16 = 32;

/// An interval of bytes with one value, from when it is written until it is overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value {
    /// First byte within the partition, and the byte after the last one.
    pub bytes: (u64, u64),
    /// First partition, and the one after the last.
    pub partitions: (u16, u16),
    /// The instruction that wrote it last; `None` for what was there before.
    pub writer: Option<u32>,
    /// When it was first written, or first seen.
    pub start: i64,
    /// When its last write ended.
    pub write_end: i64,
    /// Instructions that read it.
    pub n_reads: u32,
    /// The last of these, and when it ended.
    pub last_read: Option<(u32, i64)>,
    /// The instruction that overwrote it, and when; `None` at the end of the run.
    pub overwritten: Option<(u32, i64)>,
}

impl Value {
    /// When it is needed no more: after its last read, or once written if nobody reads it.
    pub fn live_end(&self) -> i64 {
        self.last_read.map_or(self.write_end, |r| r.1.max(self.write_end))
    }

    /// Bytes in all its partitions.
    pub fn n_bytes(&self) -> u64 {
        (self.bytes.1 - self.bytes.0) * u64::from(self.partitions.1 - self.partitions.0)
    }
}

/// An access at its time.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    start: i64,
    end: i64,
    pub slice: u32,
    pub access: &'a Access,
}

/// Accesses to a memory by start, of a core or of all; an instruction reads before it writes.
pub(super) fn events<'a>(profile: &Profile, device: &'a NeuronDevice, core: Option<TrackId>, memory: Memory) -> Vec<Event<'a>> {
    let is_wanted: Vec<bool> = device.access_sets.iter().map(|set| set.iter().any(|a| a.memory == memory)).collect();
    let sets = device.accesses.as_slice();
    let mut out = Vec::new();
    for (track, _) in engine_tracks(profile).filter(|t| core.is_none_or(|core| t.1 == core)) {
        let range = profile.slices_of(track);
        let first = range.start;
        for_each_chunk(range.len(), &mut |part| {
            for i in part.map(|k| first + k).filter(|i| sets.get(*i).is_some_and(|set| is_wanted.get(*set as usize) == Some(&true))) {
                let (start, end) = access_time(profile, device, i as u32);
                let all = device.accesses_of(i as u32).iter().filter(|a| a.memory == memory);
                out.extend(all.map(|access| Event { start, end, slice: i as u32, access }));
            }
        });
    }
    out.sort_unstable_by_key(|e| (e.start, e.slice, e.access.kind));
    out
}

/// The groups of partitions that accesses of a memory distinguish.
pub(super) fn groups(device: &NeuronDevice, memory: Memory) -> Vec<(u16, u16)> {
    let all = device.access_sets.iter().flatten().filter(|a| a.memory == memory);
    let mut edges: Vec<u16> = all.flat_map(|a| [a.partition, a.partition.saturating_add(a.n_partitions).min(N_PARTITIONS)]).collect();
    edges.sort_unstable();
    edges.dedup();
    if edges.len() > MOST_GROUPS + 1 {
        edges = (0..=N_PARTITIONS / GROUP).map(|at| at * GROUP).collect();
    }
    edges.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Values of a memory of a core, by start.
pub(super) fn values(profile: &Profile, device: &NeuronDevice, core: TrackId, memory: Memory) -> Vec<Value> {
    let events = events(profile, device, Some(core), memory);
    let mut out = Vec::new();
    for group in groups(device, memory) {
        let mut cells = Cells { group, held: BTreeMap::new(), out: &mut out };
        for event in &events {
            let last = event.access.partition.saturating_add(event.access.n_partitions);
            if event.access.partition >= group.1 || last <= group.0 {
                continue;
            }
            for run in event.access.runs(MOST_RUNS) {
                cells.access(event, run);
            }
        }
        let rest: Vec<Value> = std::mem::take(&mut cells.held).into_values().collect();
        out.extend(rest);
    }
    out.sort_unstable_by_key(|v| (v.start, v.bytes, v.partitions));
    join(out)
}

/// What a group of partitions holds, by the first byte.
struct Cells<'a> {
    group: (u16, u16),
    held: BTreeMap<u64, Value>,
    out: &'a mut Vec<Value>,
}

impl Cells<'_> {
    fn access(&mut self, event: &Event<'_>, (from, to): (u64, u64)) {
        self.cut(from);
        self.cut(to);
        let kind = event.access.kind;
        if kind == AccessKind::Write {
            let keys: Vec<u64> = self.held.range(from..to).map(|(key, _)| *key).collect();
            for value in keys.into_iter().filter_map(|key| self.held.remove(&key)) {
                self.out.push(Value { overwritten: Some((event.slice, event.start)), ..value });
            }
            self.held.insert(from, self.new_value(event, (from, to), Some(event.slice)));
            return;
        }
        let mut at = from;
        let mut gaps = Vec::new();
        for (start, value) in self.held.range_mut(from..to) {
            if at < *start {
                gaps.push((at, *start));
            }
            at = value.bytes.1;
            if kind == AccessKind::Accumulate {
                (value.writer, value.write_end) = (Some(event.slice), value.write_end.max(event.end));
            } else {
                value.n_reads = value.n_reads.saturating_add(1);
                value.last_read = value.last_read.filter(|read| read.1 > event.end).or(Some((event.slice, event.end)));
            }
        }
        if at < to {
            gaps.push((at, to));
        }
        for gap in gaps {
            // Nobody wrote this before: it was there when the run began, or a transfer that is not attributed brought it.
            let mut value = self.new_value(event, gap, (kind == AccessKind::Accumulate).then_some(event.slice));
            if kind == AccessKind::Read {
                (value.n_reads, value.last_read, value.write_end) = (1, Some((event.slice, event.end)), event.start);
            }
            self.held.insert(gap.0, value);
        }
    }

    fn new_value(&self, event: &Event<'_>, bytes: (u64, u64), writer: Option<u32>) -> Value {
        Value {
            bytes,
            partitions: self.group,
            writer,
            start: event.start,
            write_end: event.end,
            n_reads: 0,
            last_read: None,
            overwritten: None,
        }
    }

    /// Makes `at` the border of two values.
    fn cut(&mut self, at: u64) {
        let Some((_, value)) = self.held.range_mut(..at).next_back().filter(|(_, value)| value.bytes.1 > at) else { return };
        let above = Value { bytes: (at, value.bytes.1), ..*value };
        value.bytes.1 = at;
        self.held.insert(at, above);
    }
}

/// Joins values that differ only in partitions or in neighbouring bytes.
fn join(all: Vec<Value>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::with_capacity(all.len());
    let is_same = |a: &Value, b: &Value| Value { bytes: a.bytes, partitions: a.partitions, ..*b } == *a;
    for value in all {
        match out.last_mut().filter(|last| is_same(last, &value)) {
            Some(last) if last.bytes == value.bytes && last.partitions.1 == value.partitions.0 => last.partitions.1 = value.partitions.1,
            Some(last) if last.partitions == value.partitions && last.bytes.1 == value.bytes.0 => last.bytes.1 = value.bytes.1,
            _ => out.push(value),
        }
    }
    out
}
