//! Producers of all data that instructions read from State Buffer, PSUM and device memory, for all instructions at once.

use super::sweep::{Event, events, groups};
use super::{DEVICE_GROUP, MOST_RUNS, core_of, engine_tracks, partitions};
use crate::base::TrackId;
use crate::model::accesses::{AccessKind, Memory};
use crate::model::{NeuronDevice, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of producer and consumer of a run at most; later ones are omitted.
const MOST_PAIRS: usize = 8_000_000;

/// Runs of one access to device memory that are looked at one by one.
const MOST_DEVICE_RUNS: u32 = 4096;

/// Producers by consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Producers {
    /// (consumer, producer), sorted, each pair once.
    pairs: Vec<(u32, u32)>,
    /// Whether some pairs are omitted, because there are too many.
    pub is_cut: bool,
}

impl Producers {
    /// All pairs of a profile.
    pub fn of(profile: &Profile, device: &NeuronDevice) -> Self {
        let mut out = Producers::default();
        let mut cores: Vec<TrackId> = engine_tracks(profile).map(|(track, _)| core_of(profile, track)).collect();
        cores.sort_unstable();
        cores.dedup();
        for core in cores {
            for memory in [Memory::StateBuffer, Memory::Psum] {
                let events = events(profile, device, Some(core), memory);
                for group in groups(device, memory) {
                    out.walk(events.iter(), group, MOST_RUNS);
                }
            }
        }
        // What a transfer wrote to device memory and a later one reads, on whichever core.
        let device_events = events(profile, device, None, Memory::Device);
        out.walk(device_events.iter(), DEVICE_GROUP, MOST_DEVICE_RUNS);
        let table_events = events(profile, device, None, Memory::Table);
        let tables: BTreeSet<u32> = table_events.iter().map(|e| e.access.table).collect();
        for table in tables {
            out.walk(table_events.iter().filter(|e| e.access.table == table), DEVICE_GROUP, MOST_DEVICE_RUNS);
        }
        out.pairs.sort_unstable();
        out.pairs.dedup();
        out
    }

    /// The instructions that wrote what a slice reads.
    pub fn of_slice(&self, slice: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.pairs.partition_point(|p| p.0 < slice);
        self.pairs[first..].iter().take_while(move |p| p.0 == slice).map(|p| p.1)
    }

    /// Pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no instruction reads what another one wrote.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Follows the bytes of a group of partitions through time; an access of more than `most_runs` counts as one run that spans them.
    fn walk<'a>(&mut self, events: impl Iterator<Item = &'a Event<'a>>, group: (u16, u16), most_runs: u32) {
        // Keyed by the first byte: the byte after the last one, and the last writer.
        let mut held: BTreeMap<u64, (u64, u32)> = BTreeMap::new();
        for event in events {
            let access = event.access;
            let of = partitions(access);
            if of.0 >= group.1 || of.1 <= group.0 {
                continue;
            }
            for (from, to) in access.runs(most_runs) {
                if from >= to {
                    continue;
                }
                if access.kind != AccessKind::Write {
                    // The one that begins before the run and reaches into it counts too.
                    let first = held.range(..=from).next_back().map_or(from, |(key, _)| *key);
                    for (_, (end, writer)) in held.range(first..to) {
                        if *end <= from || *writer == event.slice {
                            continue;
                        }
                        match self.pairs.len() < MOST_PAIRS {
                            true => self.pairs.push((event.slice, *writer)),
                            false => self.is_cut = true,
                        }
                    }
                }
                if access.kind != AccessKind::Read {
                    cut(&mut held, from);
                    cut(&mut held, to);
                    let keys: Vec<u64> = held.range(from..to).map(|(key, _)| *key).collect();
                    keys.into_iter().for_each(|key| {
                        held.remove(&key);
                    });
                    held.insert(from, (to, event.slice));
                }
            }
        }
    }
}

/// Makes `at` the border of two intervals.
fn cut(held: &mut BTreeMap<u64, (u64, u32)>, at: u64) {
    let Some((_, interval)) = held.range_mut(..at).next_back().filter(|(_, interval)| interval.0 > at) else { return };
    let rest = *interval;
    interval.0 = at;
    held.insert(at, rest);
}
