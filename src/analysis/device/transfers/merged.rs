//! The transfers of one merged bar: the rule of [`crate::analysis::device::transfers::dma_rows`] for one bar, without making all others.

use crate::analysis::device::transfers::dma_rows::{DmaDetail, DmaRowsQuery, row_name};
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TrackId};
use crate::model::{Domain, NeuronDevice, Profile, TrackKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A bar and what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedBar {
    /// Name of its row.
    pub row: String,
    /// Variable that all of it belongs to; empty where the file records none.
    pub variable: String,
    /// Transfers.
    pub n: u64,
    /// Their bytes, duplicates omitted; `None` where the file does not record them.
    pub bytes: Option<u64>,
    /// Transfers that the file marks as duplicates of others.
    pub n_duplicates: u64,
    /// Start of the first.
    pub start: TimeNs,
    /// End of the last.
    pub end: TimeNs,
    /// Time in which one of them ran.
    pub busy: DurationNs,
    /// Bytes ÷ (end − start), per second.
    pub rate: Option<f64>,
    /// Shortest, mean and longest of them.
    pub durations: [DurationNs; 3],
    /// Smallest and largest of them, bytes.
    pub sizes: Option<(u64, u64)>,
    /// DMA engines that took part, and queues.
    pub n_engines: u64,
    /// See `n_engines`.
    pub n_queues: u64,
    /// The first by start.
    pub first: SliceId,
    /// The last by start.
    pub last: SliceId,
}

/// The bar of a transfer with the rows of `query`. `None` for other slices, or if each transfer is a bar.
pub fn merged_bar(profile: &Profile, query: DmaRowsQuery, slice: SliceId) -> Option<MergedBar> {
    let own = profile.track_of(slice).filter(|_| query.detail == DmaDetail::Merged)?;
    if profile.tracks[own.index()].kind != TrackKind::Queue {
        return None;
    }
    let columns = Columns::of(profile, query);
    let (row, variable) = (columns.row(own, slice.index()), columns.variable(slice.index()));
    let mut known: FxHashMap<(TrackId, StrId, StrId), bool> = FxHashMap::default();
    let mut all: Vec<SliceId> = Vec::new();
    for (t, track) in profile.tracks.iter().enumerate() {
        let id = TrackId(t as u32);
        if track.kind != TrackKind::Queue || track.parent != profile.tracks[own.index()].parent {
            continue;
        }
        let is_in = |i: &usize| {
            let key = (id, columns.engine(*i), columns.queue(*i));
            columns.variable(*i) == variable && *known.entry(key).or_insert_with(|| columns.row(id, *i) == row)
        };
        all.extend(profile.slices_of(id).filter(is_in).map(|i| SliceId(i as u32)));
    }
    all.sort_unstable_by_key(|s| (profile.slices.start[s.index()], *s));
    let (mut from, mut until) = (0, i64::MIN);
    let mut is_found = false;
    let mut to = all.len();
    for (i, s) in all.iter().enumerate() {
        if profile.slices.start[s.index()] > until {
            if is_found {
                to = i;
                break;
            }
            from = i;
        }
        is_found |= *s == slice;
        until = until.max(profile.slices.end(s.index()));
    }
    columns.sum(row, &all[from..to])
}

/// What is read of each transfer.
struct Columns<'a> {
    profile: &'a Profile,
    query: DmaRowsQuery,
    engines: &'a [StrId],
    queues: &'a [StrId],
    variables: &'a [StrId],
}

impl<'a> Columns<'a> {
    fn of(profile: &'a Profile, query: DmaRowsQuery) -> Self {
        let column = |id: &str| profile.attribute(id).map_or(&[][..], |a| a.values.as_slice());
        Columns { profile, query, engines: column("engine"), queues: column("queue"), variables: column("variable") }
    }

    fn engine(&self, i: usize) -> StrId {
        self.engines.get(i).copied().unwrap_or_default()
    }

    fn queue(&self, i: usize) -> StrId {
        self.queues.get(i).copied().unwrap_or_default()
    }

    fn variable(&self, i: usize) -> StrId {
        self.variables.get(i).copied().unwrap_or_default()
    }

    /// The name of the row that a transfer of a track is in.
    fn row(&self, track: TrackId, i: usize) -> String {
        let text = |id: StrId| self.profile.strings.get(id);
        row_name(text(self.profile.tracks[track.index()].name), text(self.engine(i)), text(self.queue(i)), self.query)
    }

    fn sum(&self, row: String, members: &[SliceId]) -> Option<MergedBar> {
        let Domain::NeuronDevice(device) = &self.profile.domain else { return None };
        let (slices, (first, last)) = (&self.profile.slices, (*members.first()?, *members.last()?));
        let start = slices.start[first.index()];
        let end = members.iter().map(|s| slices.end(s.index())).max()?;
        let (mut until, mut busy) = (i64::MIN, 0);
        for s in members {
            let (from, to) = (slices.start[s.index()], slices.end(s.index()));
            busy += (to - from.max(until)).max(0);
            until = until.max(to);
        }
        let lengths = || members.iter().map(|s| slices.duration[s.index()]);
        let sum: i128 = lengths().map(i128::from).sum();
        let mean = (sum / members.len() as i128) as i64;
        let durations = [lengths().min()?, mean, lengths().max()?].map(DurationNs);
        let is_duplicate = |s: &&SliceId| device.duplicates.binary_search(&s.0).is_ok();
        let recorded = |s: &SliceId| device.bytes.get(s.index()).filter(|b| **b != NeuronDevice::ABSENT).map(|b| u64::from(*b));
        let sizes: Vec<u64> = members.iter().filter(|s| !is_duplicate(s)).filter_map(recorded).collect();
        let bytes = (!sizes.is_empty()).then(|| sizes.iter().sum::<u64>());
        let count = |of: &dyn Fn(usize) -> StrId| {
            let mut all: Vec<StrId> = members.iter().map(|s| of(s.index())).collect();
            all.sort_unstable();
            all.dedup();
            all.len() as u64
        };
        Some(MergedBar {
            row,
            variable: self.profile.strings.get(self.variable(first.index())).into(),
            n: members.len() as u64,
            bytes,
            n_duplicates: members.iter().filter(is_duplicate).count() as u64,
            start: TimeNs(start),
            end: TimeNs(end),
            busy: DurationNs(busy),
            rate: bytes.filter(|_| end > start).map(|b| b as f64 * 1e9 / (end - start) as f64),
            durations,
            sizes: sizes.iter().min().copied().zip(sizes.iter().max().copied()),
            n_engines: count(&|i| self.engine(i)),
            n_queues: count(&|i| self.queue(i)),
            first,
            last,
        })
    }
}
