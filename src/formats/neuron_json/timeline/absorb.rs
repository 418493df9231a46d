//! Adds what another timeline took from the next piece of the file. The result equals that of taking its records here.

use super::{Samples, Timeline};
use crate::base::{StrId, TrackId};
use crate::model::domain::{HbmTraffic, Shape, Throttle};
use crate::model::{RawSliceId, Renamed, SemaphoreUse};

/// What a row of a piece shows: its core, by number there, and its name in the file.
#[derive(Clone, Copy)]
enum Row<'a> {
    Core(usize),
    Engine(usize, &'a str),
    Dma(usize),
    Queue(usize, &'a str),
    Semaphores(usize),
}

impl Timeline {
    /// Adds `later`, which was written record by record from a device JSON, and returns the ids of its strings and its first slice.
    ///
    /// Strings and rows get their ids in the order in which they are first seen in the file: those of `later` in its order, after all before it.
    pub fn absorb(&mut self, mut later: Timeline) -> (Vec<StrId>, RawSliceId) {
        debug_assert!(later.operand_sets.is_empty() && later.operations.is_empty(), "no other file is read in pieces");
        let strings = self.builder.strings.absorb(later.builder.strings.table());
        let (tracks, cores) = self.place_rows(&later);
        self.absorb_access_sets(&mut later);
        let renamed = Renamed { strings: &strings, tracks: &tracks };
        let first = self.builder.append(later.builder, &renamed);
        for (core, from) in cores.into_iter().zip(later.cores) {
            self.cores[core].nc = from.nc.or(self.cores[core].nc);
            for (curve, samples) in from.curves {
                self.samples(core, curve).absorb(samples);
            }
        }
        let placed = |slices: Vec<RawSliceId>| slices.into_iter().map(move |slice| slice + first);
        self.duplicates.extend(placed(later.duplicates));
        self.collective.extend(placed(later.collective));
        self.starters.extend(placed(later.starters));
        self.hbm.extend(later.hbm.into_iter().map(|h| HbmTraffic { slice: h.slice + first, ..h }));
        self.shapes.extend(later.shapes.into_iter().map(|s| Shape { slice: s.slice + first, ..s }));
        self.uses.extend(later.uses.into_iter().map(|used| SemaphoreUse {
            slice: used.slice + first,
            id: renamed.string(used.id),
            owner: renamed.string(used.owner),
            ..used
        }));
        self.throttles.extend(later.throttles.into_iter().map(|t| Throttle { core: renamed.track(t.core), ..t }));
        (strings, first)
    }

    /// Finds or makes the rows of `later` in its order; returns their tracks and the numbers of its cores here.
    fn place_rows(&mut self, later: &Timeline) -> (Vec<TrackId>, Vec<usize>) {
        let specs = later.builder.track_specs();
        let mut rows: Vec<Option<Row<'_>>> = vec![None; specs.len()];
        for (at, core) in later.cores.iter().enumerate() {
            rows[core.group.index()] = Some(Row::Core(at));
            core.rows.iter().for_each(|(label, track)| rows[track.index()] = Some(Row::Engine(at, label)));
            core.dma.iter().for_each(|track| rows[track.index()] = Some(Row::Dma(at)));
            core.queues.iter().for_each(|(queue, track)| rows[track.index()] = Some(Row::Queue(at, queue)));
            core.semaphores.iter().for_each(|track| rows[track.index()] = Some(Row::Semaphores(at)));
        }
        let (mut tracks, mut cores) = (Vec::with_capacity(specs.len()), vec![0; later.cores.len()]);
        for row in rows {
            tracks.push(match row {
                Some(Row::Core(at)) => {
                    cores[at] = self.core(&later.cores[at].subgraph);
                    self.cores[cores[at]].group
                }
                Some(Row::Engine(at, label)) => self.row(cores[at], label),
                Some(Row::Dma(at)) => self.dma_row(cores[at]),
                Some(Row::Queue(at, queue)) => self.queue_row(cores[at], queue),
                Some(Row::Semaphores(at)) => self.semaphore_row(cores[at]),
                // Curves get their rows at the end.
                None => TrackId::default(),
            });
        }
        (tracks, cores)
    }

    /// Adds the sets of accesses of `later` in its order, and writes their numbers here into its column.
    fn absorb_access_sets(&mut self, later: &mut Timeline) {
        let mut sets: Vec<_> = std::mem::take(&mut later.access_sets).into_iter().collect();
        sets.sort_unstable_by_key(|set| set.1);
        let mut numbers = Vec::with_capacity(sets.len());
        for (set, _) in sets {
            let next = self.access_sets.len() as u32;
            numbers.push(*self.access_sets.entry(set).or_insert(next));
        }
        later.builder.renumber(later.numbers[5], |number| numbers.get(number as usize).copied().unwrap_or(number));
    }
}

impl Samples {
    /// Adds the values of `later`; series without one have 0.
    fn absorb(&mut self, later: Samples) {
        let (n, n_later) = (self.times.len(), later.times.len());
        self.times.extend(later.times);
        let n_series = self.series.len().max(later.series.len());
        self.series.resize_with(n_series, || vec![0.0; n]);
        let mut more = later.series.into_iter();
        for series in &mut self.series {
            match more.next() {
                Some(values) => series.extend(values),
                None => series.resize(n + n_later, 0.0),
            }
        }
    }
}
