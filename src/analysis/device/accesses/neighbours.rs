//! Who produced what an instruction reads, and who reads what it produced: by overlap of addresses, in the order of time.

use super::{MOST_RUNS, access_time, core_of, engine_tracks, overlap, transfer_times};
use crate::analysis::details::Neighbour;
use crate::base::{SliceId, StrId, in_parts};
use crate::model::accesses::{Access, Memory};
use crate::model::{Domain, NeuronDevice, Profile};

/// Neighbours of each side.
const MOST: usize = 64;

/// An instruction with the time of its accesses.
type Timed = (i64, i64, u32);

/// Bytes of partitions that are still looked for.
struct Wanted(Vec<Stretch>);

/// Memory, partitions and bytes, each from the first to the one after the last.
type Stretch = (Memory, (u16, u16), (u64, u64));

impl Wanted {
    fn of<'a>(accesses: impl Iterator<Item = &'a Access>) -> Self {
        let on_chip = accesses.filter(|a| matches!(a.memory, Memory::StateBuffer | Memory::Psum));
        Wanted(on_chip.flat_map(|a| a.runs(MOST_RUNS).map(|run| (a.memory, (a.partition, a.partition + a.n_partitions), run))).collect())
    }

    fn meets(&self, access: &Access) -> bool {
        let partitions = (access.partition, access.partition + access.n_partitions);
        let is_met = |(memory, of, bytes): &Stretch| {
            *memory == access.memory
                && partitions.0 < of.1
                && of.0 < partitions.1
                && access.runs(MOST_RUNS).any(|(from, to)| from < bytes.1 && bytes.0 < to)
        };
        self.0.iter().any(is_met)
    }

    /// Takes away what a write covers in all partitions.
    fn cover(&mut self, access: &Access) {
        for (from, to) in access.runs(MOST_RUNS) {
            let mut left = Vec::with_capacity(self.0.len());
            for (memory, of, bytes) in self.0.drain(..) {
                let is_apart = memory != access.memory || to <= bytes.0 || bytes.1 <= from;
                let is_part = access.partition > of.0 || access.partition + access.n_partitions < of.1;
                if is_apart || is_part {
                    left.push((memory, of, bytes));
                    continue;
                }
                left.extend((bytes.0 < from).then_some((memory, of, (bytes.0, from))));
                left.extend((to < bytes.1).then_some((memory, of, (to, bytes.1))));
            }
            self.0 = left;
        }
    }
}

/// Producers of what `slice` reads, the latest first, and consumers of what it writes, by time.
pub fn neighbours(profile: &Profile, slice: SliceId) -> (Vec<Neighbour>, Vec<Neighbour>) {
    let Domain::NeuronDevice(device) = &profile.domain else { return Default::default() };
    let own = device.accesses_of(slice.0);
    let Some(core) = profile.track_of(slice).map(|t| core_of(profile, t)).filter(|_| !own.is_empty()) else { return Default::default() };
    let times = transfer_times(profile, device);
    let (start, end) = access_time(profile, &times, slice.0);
    // Whether a set of accesses writes what is read here, or reads what is written here: judged once for all its executions.
    let pairs = |mine: fn(&Access) -> bool, theirs: fn(&Access) -> bool| -> Vec<bool> {
        let is_met = |set: &Vec<Access>| set.iter().filter(|a| theirs(a)).any(|b| own.iter().filter(|a| mine(a)).any(|a| overlap(a, b)));
        device.access_sets.iter().map(is_met).collect()
    };
    let gives = pairs(|a| a.kind.reads(), |b| b.kind.writes());
    let takes = pairs(|a| a.kind.writes(), |b| b.kind.reads() || b.kind.writes());
    let (mut before, mut after): (Vec<Timed>, Vec<Timed>) = Default::default();
    let sets = device.accesses.as_slice();
    for (track, _) in engine_tracks(profile).filter(|t| t.1 == core) {
        let range = profile.slices_of(track);
        let first = range.start;
        in_parts(range.len(), &mut |part| {
            for i in part.map(|k| first + k).filter(|i| *i != slice.index()) {
                let Some(set) = sets.get(i).filter(|set| **set != NeuronDevice::ABSENT) else { continue };
                let is = |all: &[bool]| all.get(*set as usize) == Some(&true);
                if !is(&gives) && !is(&takes) {
                    continue;
                }
                let time = access_time(profile, &times, i as u32);
                let is_before = (time.0, i as u32) < (start, slice.0);
                if is_before && is(&gives) {
                    before.push((time.0, time.1, i as u32));
                } else if !is_before && is(&takes) {
                    after.push((time.0, time.1, i as u32));
                }
            }
        });
    }
    before.sort_unstable_by_key(|t| std::cmp::Reverse((t.0, t.2)));
    after.sort_unstable_by_key(|t| (t.0, t.2));
    let neighbour = |other: u32, what: &str, gap: i64| Neighbour {
        kind: what.into(),
        ..crate::analysis::details::neighbour(profile, SliceId(other), StrId(0), gap)
    };
    let mut wanted = Wanted::of(own.iter().filter(|a| a.kind.reads()));
    let mut producers = Vec::new();
    for (_, their_end, other) in before {
        if wanted.0.is_empty() || producers.len() == MOST {
            break;
        }
        let writes = || device.accesses_of(other).iter().filter(|a| a.kind.writes());
        if writes().any(|a| wanted.meets(a)) {
            producers.push(neighbour(other, "writes what this reads", start.saturating_sub(their_end)));
            // What an accumulation adds to has earlier producers too.
            writes().filter(|a| !a.kind.reads()).for_each(|a| wanted.cover(a));
        }
    }
    let mut wanted = Wanted::of(own.iter().filter(|a| a.kind.writes()));
    let mut consumers = Vec::new();
    for (their_start, _, other) in after {
        if wanted.0.is_empty() || consumers.len() == MOST {
            break;
        }
        let theirs = device.accesses_of(other);
        if theirs.iter().filter(|a| a.kind.reads()).any(|a| wanted.meets(a)) {
            consumers.push(neighbour(other, "reads what this writes", their_start.saturating_sub(end)));
        }
        theirs.iter().filter(|a| a.kind.writes() && !a.kind.reads()).for_each(|a| wanted.cover(a));
    }
    (producers, consumers)
}
