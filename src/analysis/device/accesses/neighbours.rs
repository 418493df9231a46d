//! Who produced what an instruction reads, and who reads what it produced: by overlap of addresses, in the order of time.
//!
//! Executions are looked up by what they access ([`Executions`]), so that a selection costs as much as it has neighbours, however long the run is.

use super::{MOST_RUNS, access_time, core_of, engine_tracks, is_on_chip, overlap, partitions};
use crate::analysis::details::Neighbour;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk};
use crate::model::accesses::{Access, Executions, Memory};
use crate::model::{Domain, NeuronDevice, Profile};
use std::collections::BinaryHeap;

/// Neighbours of each side.
const MOST: usize = 64;
/// Executions of a side that are looked at.
const MOST_LOOKED_AT: usize = 100_000;

/// Bytes of partitions that are still looked for.
struct Wanted(Vec<Interval>);

/// A memory, or an entry of the table of tensors.
type Space = (Memory, u32);

/// Memory, partitions and bytes, each from the first to the one after the last.
type Interval = (Space, (u16, u16), (u64, u64));

impl Wanted {
    fn of<'a>(accesses: impl Iterator<Item = &'a Access>) -> Self {
        Wanted(accesses.flat_map(|a| a.runs(MOST_RUNS).map(|run| ((a.memory, a.table), partitions(a), run))).collect())
    }

    fn meets(&self, access: &Access) -> bool {
        let own = partitions(access);
        let is_met = |(space, of, bytes): &Interval| {
            *space == (access.memory, access.table)
                && own.0 < of.1
                && of.0 < own.1
                && access.runs(MOST_RUNS).any(|(from, to)| from < bytes.1 && bytes.0 < to)
        };
        self.0.iter().any(is_met)
    }

    /// Takes away what a write covers in all partitions.
    fn cover(&mut self, access: &Access) {
        let own = partitions(access);
        for (from, to) in access.runs(MOST_RUNS) {
            let mut left = Vec::with_capacity(self.0.len());
            for (space, of, bytes) in self.0.drain(..) {
                let is_apart = space != (access.memory, access.table) || to <= bytes.0 || bytes.1 <= from;
                let is_part = own.0 > of.0 || own.1 < of.1;
                if is_apart || is_part {
                    left.push((space, of, bytes));
                    continue;
                }
                left.extend((bytes.0 < from).then_some((space, of, (bytes.0, from))));
                left.extend((to < bytes.1).then_some((space, of, (to, bytes.1))));
            }
            self.0 = left;
        }
    }
}

/// All executions by what they access, and when.
fn executions(profile: &Profile, device: &NeuronDevice) -> Executions {
    let sets = device.accesses.as_slice();
    let mut found = Vec::new();
    for (track, _) in engine_tracks(profile) {
        let range = profile.slices_of(track);
        let first = range.start;
        for_each_chunk(range.len(), &mut |part| {
            for i in part.map(|k| first + k) {
                let set = sets.get(i).copied().filter(|set| *set != NeuronDevice::ABSENT);
                found.extend(set.map(|set| (set, access_time(profile, device, i as u32).0, i as u32)));
            }
        });
    }
    Executions::new(device.access_sets.len(), found)
}

/// Executions of some sets from a time on, by time.
struct Walk<'a> {
    executions: &'a Executions,
    is_back: bool,
    /// The next of each set: (start and slice, reversed where time runs forward, set, its place among the executions of the set).
    heap: BinaryHeap<((i64, i64), u32, usize)>,
}

impl<'a> Walk<'a> {
    /// Executions before (start, slice), latest first, or from it on.
    fn new(executions: &'a Executions, sets: impl Iterator<Item = u32>, at: (i64, u32), is_back: bool) -> Self {
        let mut walk = Walk { executions, is_back, heap: BinaryHeap::new() };
        for set in sets {
            let all = executions.of(set);
            let from = all.partition_point(|e| *e < at);
            let first = if is_back { from.checked_sub(1) } else { Some(from) };
            first.into_iter().for_each(|place| walk.push(set, place));
        }
        walk
    }

    fn push(&mut self, set: u32, place: usize) {
        if let Some((start, slice)) = self.executions.of(set).get(place) {
            let key = (*start, i64::from(*slice));
            // The larger key comes first: forward the earlier one must.
            self.heap.push((if self.is_back { key } else { (!key.0, !key.1) }, set, place));
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = (i64, u32);

    fn next(&mut self) -> Option<(i64, u32)> {
        let (_, set, place) = self.heap.pop()?;
        let next = if self.is_back { place.checked_sub(1) } else { Some(place + 1) };
        next.into_iter().for_each(|place| self.push(set, place));
        self.executions.of(set).get(place).copied()
    }
}

/// Producers of what `slice` reads, the latest first, and consumers of what it writes, by time.
pub fn neighbours(profile: &Profile, slice: SliceId) -> (Vec<Neighbour>, Vec<Neighbour>) {
    let Domain::NeuronDevice(device) = &profile.domain else { return Default::default() };
    let own = device.accesses_of(slice.0);
    let of_slice = |slice: SliceId| profile.track_of(slice).map(|t| core_of(profile, t));
    let Some(core) = of_slice(slice).filter(|_| !own.is_empty()) else { return Default::default() };
    let executions = device.executions.get_or_init(|| executions(profile, device));
    let (start, end) = access_time(profile, device, slice.0);
    // Which sets of accesses write what is read here, or touch what is written here: judged once for all their executions.
    let sets = |mine: fn(&Access) -> bool, theirs: fn(&Access) -> bool| {
        let is_met =
            move |set: &Vec<Access>| set.iter().filter(|a| theirs(a)).any(|b| own.iter().filter(|a| mine(a)).any(|a| overlap(a, b)));
        (0u32..).zip(&device.access_sets).filter(move |(_, set)| is_met(set)).map(|(at, _)| at)
    };
    // On-chip memory of another core is another memory.
    let theirs = |other: u32| {
        let is_same: bool = of_slice(SliceId(other)).is_some_and(|of: TrackId| of == core);
        device.accesses_of(other).iter().filter(move |a| is_same || !is_on_chip(a.memory))
    };
    let neighbour = |other: u32, what: &str, gap: i64| Neighbour {
        kind: what.into(),
        ..crate::analysis::details::neighbour(profile, SliceId(other), StrId(0), gap)
    };
    let gives = Walk::new(executions, sets(|a| a.kind.reads(), |b| b.kind.writes()), (start, slice.0), true);
    let mut wanted = Wanted::of(own.iter().filter(|a| a.kind.reads()));
    let mut producers = Vec::new();
    for (_, other) in gives.filter(|e| e.1 != slice.0).take(MOST_LOOKED_AT) {
        if wanted.0.is_empty() || producers.len() == MOST {
            break;
        }
        let writes = || theirs(other).filter(|a| a.kind.writes());
        if writes().any(|a| wanted.meets(a)) {
            let their_end = access_time(profile, device, other).1;
            producers.push(neighbour(other, "writes what this reads", start.saturating_sub(their_end)));
            // What an accumulation adds to has earlier producers too.
            writes().filter(|a| !a.kind.reads()).for_each(|a| wanted.cover(a));
        }
    }
    let takes = Walk::new(executions, sets(|a| a.kind.writes(), |b| b.kind.reads() || b.kind.writes()), (start, slice.0), false);
    let mut wanted = Wanted::of(own.iter().filter(|a| a.kind.writes()));
    let mut consumers = Vec::new();
    for (their_start, other) in takes.filter(|e| e.1 != slice.0).take(MOST_LOOKED_AT) {
        if wanted.0.is_empty() || consumers.len() == MOST {
            break;
        }
        if theirs(other).filter(|a| a.kind.reads()).any(|a| wanted.meets(a)) {
            consumers.push(neighbour(other, "reads what this writes", their_start.saturating_sub(end)));
        }
        theirs(other).filter(|a| a.kind.writes() && !a.kind.reads()).for_each(|a| wanted.cover(a));
    }
    (producers, consumers)
}
