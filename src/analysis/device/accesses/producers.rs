//! Who produced what each instruction of a run reads in State Buffer and PSUM, for all instructions at once.

use super::sweep::{Event, events, groups};
use super::{MOST_RUNS, core_of, engine_tracks};
use crate::base::TrackId;
use crate::model::accesses::{AccessKind, Memory};
use crate::model::{NeuronDevice, Profile};
use std::collections::BTreeMap;

/// Pairs of producer and consumer of a run at most; later ones are left out.
const MOST_PAIRS: usize = 8_000_000;

/// Producers by consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Producers {
    /// (consumer, producer), sorted, each pair once.
    pairs: Vec<(u32, u32)>,
    /// Whether some pairs are left out, because there are too many.
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
                let events = events(profile, device, core, memory);
                for group in groups(device, memory) {
                    out.walk(&events, group);
                }
            }
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

    /// Follows the bytes of a group of partitions through time.
    fn walk(&mut self, events: &[Event<'_>], group: (u16, u16)) {
        // By the first byte: the byte after the last one, and the last writer.
        let mut held: BTreeMap<u64, (u64, u32)> = BTreeMap::new();
        for event in events {
            let access = event.access;
            if access.partition >= group.1 || access.partition.saturating_add(access.n_partitions) <= group.0 {
                continue;
            }
            for (from, to) in access.runs(MOST_RUNS) {
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

/// Makes `at` the border of two stretches.
fn cut(held: &mut BTreeMap<u64, (u64, u32)>, at: u64) {
    let Some((_, stretch)) = held.range_mut(..at).next_back().filter(|(_, stretch)| stretch.0 > at) else { return };
    let rest = *stretch;
    stretch.0 = at;
    held.insert(at, rest);
}
