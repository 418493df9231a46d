//! Times that two tables of one run share: a curve changes where a row begins or ends, a semaphore where the instruction ends that sets it.

use super::culprits::Pair;
use crate::base::first_position;
use crate::model::{Domain, Profile, SemaphoreRole, TrackKind};
use std::collections::HashSet;

/// Times that are looked at, of each table.
const MOST: usize = 512;
/// Fewer say nothing.
const FEWEST: usize = 4;
/// Fewer instructions that set a semaphore say nothing.
const FEWEST_SETS: usize = 20;
/// From the end of an instruction to the semaphore's new value.
const SET_WITHIN_NS: i64 = 50;

/// Some times of a table.
pub struct SampledTimes {
    pub table: &'static str,
    times: Vec<i64>,
}

impl SampledTimes {
    /// An even choice of them.
    pub fn of(table: &'static str, all: impl ExactSizeIterator<Item = i64>) -> SampledTimes {
        let step = all.len().div_ceil(MOST).max(1);
        SampledTimes { table, times: all.step_by(step).collect() }
    }

    /// Whether they are taken at regular intervals, as a sampled curve's: then they say nothing.
    fn are_regular(&self) -> bool {
        let Some(first) = self.times.first() else { return true };
        let apart = |a: u64, t: &i64| gcd(a, t.abs_diff(*first));
        self.times.iter().fold(0, apart) != 1
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What the times say of the tables beside each other; nothing where they are few, or it may be chance.
pub(super) fn pairs(profile: &Profile, all: &[SampledTimes], has: &dyn Fn(&str) -> bool) -> Vec<Pair> {
    let mut out = Vec::new();
    for sampled in all {
        let (rows, kind) = match sampled.table {
            "DmaUsage" => ("DmaPacket", TrackKind::Queue),
            _ => ("Instruction", TrackKind::Engine),
        };
        if !has(rows) || sampled.times.len() < FEWEST || sampled.are_regular() {
            continue;
        }
        let n = sampled.times.iter().filter(|t| touches(profile, kind, **t)).count();
        let share = n as f64 / sampled.times.len() as f64;
        let of = sampled.times.len();
        out.extend((!(0.5..0.8).contains(&share)).then(|| Pair {
            tables: [sampled.table, rows],
            is_fit: share >= 0.8,
            is_strong: true,
            why: [format!("{n} of {of} of its times match `{rows}`"), format!("{n} of {of} times of `{}` match it", sampled.table)],
        }));
    }
    out.extend(semaphores(profile).filter(|_| has("Instruction") && has("SemaphoreUpdate")));
    out
}

/// Whether a row of these tracks begins or ends then, to the nanosecond by which times are rounded. Instructions are on tracks of waits as well.
fn touches(profile: &Profile, kind: TrackKind, time: i64) -> bool {
    let is_queue = kind == TrackKind::Queue;
    let mut lanes = profile.lanes.iter().filter(|l| (profile.tracks[l.track.index()].kind == TrackKind::Queue) == is_queue);
    let slices = &profile.slices;
    lanes.any(|lane| {
        let later = first_position(lane.first as usize..lane.end as usize, |at| slices.start[at] > time.saturating_add(1));
        // Slices of a lane do not overlap: only the last that has begun can end then.
        let last = later.checked_sub(1).filter(|last| *last >= lane.first as usize);
        last.is_some_and(|at| slices.start[at].abs_diff(time) <= 1 || slices.end(at).abs_diff(time) <= 1)
    })
}

/// Whether the semaphores that instructions set get a value when those end.
fn semaphores(profile: &Profile) -> Option<Pair> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    let known = ids(profile);
    let sets = || device.semaphores.iter().filter(|u| u.role == SemaphoreRole::Sets && known.contains(profile.strings.get(u.id)));
    let step = sets().count().div_ceil(MOST).max(1);
    let (mut of, mut n) = (0usize, 0usize);
    for set in sets().step_by(step) {
        of += 1;
        n += usize::from(is_set(profile, profile.strings.get(set.id), profile.slices.end(set.slice as usize)));
    }
    let share = n as f64 / of.max(1) as f64;
    (of >= FEWEST_SETS && !(0.6..0.8).contains(&share)).then(|| Pair {
        tables: ["SemaphoreUpdate", "Instruction"],
        is_fit: share >= 0.8,
        is_strong: true,
        why: [
            format!("{n} of {of} instructions of `Instruction` that set a semaphore match it"),
            format!("{n} of {of} of its semaphores have a value in `SemaphoreUpdate`"),
        ],
    })
}

/// `S[5] = 3` → `5`.
fn id(name: &str) -> Option<&str> {
    Some(name.strip_prefix("S[")?.split_once(']')?.0)
}

/// The semaphores that have values.
fn ids(profile: &Profile) -> HashSet<&str> {
    let mut is_name = vec![false; profile.strings.len()];
    profile.instants.name.iter().for_each(|name| is_name[name.index()] = true);
    profile.strings.iter().filter(|s| is_name[s.0.index()]).filter_map(|s| id(s.1)).collect()
}

/// Whether a semaphore of that number gets a value about then, on whatever core.
fn is_set(profile: &Profile, wanted: &str, time: i64) -> bool {
    let instants = &profile.instants;
    // By track, then by time.
    instants.track.runs().any(|(_, part)| {
        let from = part.start + instants.time[part.clone()].partition_point(|t| *t < time.saturating_sub(SET_WITHIN_NS));
        let is_near = |at: &usize| instants.time[*at] <= time.saturating_add(SET_WITHIN_NS);
        (from..part.end).take_while(is_near).any(|at| id(profile.strings.get(instants.name[at])) == Some(wanted))
    })
}
