//! What importers write: tracks, slices, counters, instants in any order; `finish` sorts, nests and freezes.

use super::blocks::Blocks;
use super::lanes::layout;
use super::{
    Attribute, Counter, Domain, FlowTable, GenericTable, InstantTable, Lane, Meta, NO_SLICE, Profile, RecordRef, Series, SliceTable, Track,
    TrackKind,
};
use crate::base::{Interner, SliceId, StrId, TimeNs, TimeRange, TrackId};

/// A slice in the order the importer wrote it.
pub type RawSliceId = u32;

/// A track to be.
#[derive(Debug, Clone)]
pub struct TrackSpec {
    /// Id of the group it belongs to, as returned by [`ProfileBuilder::track`].
    pub parent: Option<TrackId>,
    /// Name.
    pub name: String,
    /// What it shows.
    pub kind: TrackKind,
    /// Place among its siblings; equal ones stand by name, numbers in it counted as numbers.
    pub sort: i64,
}

/// A slice as an importer knows it.
#[derive(Debug, Clone, Copy)]
pub struct RawSlice {
    /// As returned by [`ProfileBuilder::track`].
    pub track: TrackId,
    /// Nanoseconds since the profile's origin (or any base: see [`ProfileBuilder::shift`]).
    pub start: i64,
    /// Nanoseconds; a negative one is taken for 0 (count it in the ledger first).
    pub duration: i64,
    /// Name.
    pub name: StrId,
    /// Where its record stands.
    pub record: RecordRef,
}

/// A counter to be: samples in any order.
#[derive(Debug, Clone, Default)]
pub struct CounterSpec {
    /// "B/s", "%", "bytes"; empty for a plain number.
    pub unit: String,
    /// Whether the series are drawn on top of each other.
    pub is_stacked: bool,
    /// Series names.
    pub series: Vec<String>,
    /// (time, one value per series).
    pub samples: Vec<(i64, Vec<f64>)>,
}

/// Writes a profile.
pub struct ProfileBuilder {
    /// Strings of the profile to be.
    pub strings: Interner,
    tracks: Vec<TrackSpec>,
    track: Blocks<u32>,
    start: Blocks<i64>,
    duration: Blocks<i64>,
    name: Blocks<StrId>,
    record: Blocks<RecordRef>,
    second: Vec<(RawSliceId, RecordRef)>,
    extras: Vec<Extra>,
    counters: Vec<(TrackId, CounterSpec)>,
    instants: Vec<(TrackId, i64, StrId)>,
    flows: Vec<(RawSliceId, RawSliceId, StrId)>,
    tables: Vec<GenericTable>,
}

/// A further per-slice column.
struct Extra {
    kind: ExtraKind,
    /// What a slice has that nothing was set for.
    default: u32,
    values: Blocks<u32>,
}

/// What a further per-slice column becomes.
enum ExtraKind {
    Attribute { id: String, label: String },
    Number,
}

/// A further per-slice column of the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnId(usize);

/// The finished profile and what the importer needs to finish its domain part.
pub struct Finished {
    /// The profile, with `domain` still plain.
    pub profile: Profile,
    /// Number columns in the order they were added, by slice.
    pub numbers: Vec<Vec<u32>>,
    /// Final track of each track id the builder handed out; `None` for those left out because nothing is on them.
    pub track_of_raw: Vec<Option<TrackId>>,
    /// Final slice of each raw slice.
    pub slice_of_raw: Vec<SliceId>,
}

impl Default for ProfileBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ProfileBuilder {
    /// An empty profile to be.
    pub fn new() -> Self {
        ProfileBuilder {
            strings: Interner::new(),
            tracks: Vec::new(),
            track: Blocks::default(),
            start: Blocks::default(),
            duration: Blocks::default(),
            name: Blocks::default(),
            record: Blocks::default(),
            second: Vec::new(),
            extras: Vec::new(),
            counters: Vec::new(),
            instants: Vec::new(),
            flows: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// About how many slices will come: their columns get that much room at once.
    pub fn expect_slices(&mut self, n: usize) {
        self.track.expect(n);
        self.start.expect(n);
        self.duration.expect(n);
        self.name.expect(n);
        self.record.expect(n);
        self.extras.iter_mut().for_each(|column| column.values.expect(n));
    }

    /// Adds a string column to group and colour by. Only before the first slice.
    pub fn attribute(&mut self, id: &str, label: &str) -> ColumnId {
        self.extra(ExtraKind::Attribute { id: id.into(), label: label.into() }, 0)
    }

    /// Adds a number column for the domain part; a slice has `default` until it is set. Only before the first slice.
    pub fn number(&mut self, default: u32) -> ColumnId {
        self.extra(ExtraKind::Number, default)
    }

    fn extra(&mut self, kind: ExtraKind, default: u32) -> ColumnId {
        debug_assert!(self.start.is_empty(), "columns come before slices");
        self.extras.push(Extra { kind, default, values: Blocks::default() });
        ColumnId(self.extras.len() - 1)
    }

    /// Adds a track; its final place is decided at the end.
    pub fn track(&mut self, spec: TrackSpec) -> TrackId {
        self.tracks.push(spec);
        TrackId(self.tracks.len() as u32 - 1)
    }

    /// Changes a track whose name, order or parent came late.
    pub fn track_mut(&mut self, track: TrackId) -> &mut TrackSpec {
        &mut self.tracks[track.index()]
    }

    /// Adds a slice.
    pub fn slice(&mut self, raw: RawSlice) -> RawSliceId {
        self.track.push(raw.track.0);
        self.start.push(raw.start);
        self.duration.push(raw.duration.max(0));
        self.name.push(raw.name);
        self.record.push(raw.record);
        for column in &mut self.extras {
            column.values.push(column.default);
        }
        self.start.len() as RawSliceId - 1
    }

    /// Sets a further column of a slice: a `StrId`'s number for an attribute, any number else.
    pub fn set(&mut self, column: ColumnId, slice: RawSliceId, value: u32) {
        self.extras[column.0].values.set(slice as usize, value);
    }

    /// Closes a slice whose end came later (B … E).
    pub fn end_slice(&mut self, slice: RawSliceId, end: i64, record: RecordRef) {
        let start = self.start.get(slice as usize);
        self.duration.set(slice as usize, end.saturating_sub(start).max(0));
        self.second.push((slice, record));
    }

    /// Start, duration and name of a slice already written.
    pub fn raw(&self, slice: RawSliceId) -> (i64, i64, StrId) {
        let i = slice as usize;
        (self.start.get(i), self.duration.get(i), self.name.get(i))
    }

    /// How many slices so far.
    pub fn n_slices(&self) -> usize {
        self.start.len()
    }

    /// How many tracks so far.
    pub fn n_tracks(&self) -> usize {
        self.tracks.len()
    }

    /// Gives a track values over time.
    pub fn counter(&mut self, track: TrackId, spec: CounterSpec) {
        self.counters.push((track, spec));
    }

    /// Adds a moment.
    pub fn instant(&mut self, track: TrackId, time: i64, name: StrId) {
        self.instants.push((track, time, name));
    }

    /// Adds an arrow between two slices already written.
    pub fn flow(&mut self, from: RawSliceId, to: RawSliceId, kind: StrId) {
        self.flows.push((from, to, kind));
    }

    /// Adds a table without a type of its own.
    pub fn table(&mut self, table: GenericTable) {
        self.tables.push(table);
    }

    /// The earliest slice, counter sample or instant so far.
    pub fn first_time(&self) -> Option<i64> {
        let slices = self.start.iter().copied().min();
        let samples = self.counters.iter().flat_map(|(_, c)| c.samples.iter().map(|s| s.0)).min();
        let instants = self.instants.iter().map(|i| i.1).min();
        [slices, samples, instants].into_iter().flatten().min()
    }

    /// Moves everything by `offset` nanoseconds; saturates.
    pub fn shift(&mut self, offset: i64) {
        self.start.iter_mut().for_each(|t| *t = t.saturating_add(offset));
        self.instants.iter_mut().for_each(|i| i.1 = i.1.saturating_add(offset));
        self.counters.iter_mut().flat_map(|(_, c)| &mut c.samples).for_each(|s| s.0 = s.0.saturating_add(offset));
    }

    /// Sorts, nests and freezes. Tracks without content and without children are left out. `meta.range` is computed here.
    pub fn finish(mut self, meta: Meta) -> Finished {
        let (tracks, track_of_raw) = self.order_tracks();
        let mut profile = Profile { meta, tracks, ..Profile::default() };
        let by_start = self.sort_by_start(&track_of_raw, profile.tracks.len());
        let (order, ranks) = self.lay_out(&mut profile, by_start);
        self.freeze(profile, order, ranks, track_of_raw)
    }

    /// Display order: depth first, siblings by (sort, name). Returns the tracks and the final id of each raw one.
    fn order_tracks(&mut self) -> (Vec<Track>, Vec<Option<TrackId>>) {
        let n = self.tracks.len();
        let mut keep = vec![false; n];
        let used = self.track.iter().map(|&t| t as usize);
        let used = used.chain(self.counters.iter().map(|c| c.0.index())).chain(self.instants.iter().map(|i| i.0.index()));
        for track in used {
            let mut at = Some(track);
            while let Some(i) = at.filter(|&i| !keep[i]) {
                keep[i] = true;
                at = self.tracks[i].parent.map(TrackId::index).filter(|&p| p < n && p != i);
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for i in (0..n).filter(|&i| keep[i]) {
            // A parent must be a smaller id: this rules out circles.
            let parent = self.tracks[i].parent.map(TrackId::index).filter(|&p| p < i);
            children[parent.unwrap_or(n)].push(i);
        }
        for list in &mut children {
            list.sort_by_cached_key(|&i| (self.tracks[i].sort, natural_key(&self.tracks[i].name), i));
        }
        let mut out = Vec::new();
        let mut final_of_raw = vec![None; n];
        let mut stack: Vec<(usize, Option<TrackId>, u16)> = children[n].iter().rev().map(|&i| (i, None, 0)).collect();
        while let Some((i, parent, level)) = stack.pop() {
            let id = TrackId(out.len() as u32);
            final_of_raw[i] = Some(id);
            let name = self.strings.intern(&self.tracks[i].name);
            out.push(Track { parent, level, name, kind: self.tracks[i].kind, lanes: 0..0 });
            stack.extend(children[i].iter().rev().map(|&c| (c, Some(id), level.saturating_add(1))));
        }
        (out, final_of_raw)
    }

    /// Raw slice ids by (final track, start, longest first, as written), and where each track's begin.
    fn sort_by_start(&self, track_of_raw: &[Option<TrackId>], n_tracks: usize) -> (Vec<u32>, Vec<usize>) {
        let mut first = vec![0usize; n_tracks + 1];
        for &t in self.track.iter() {
            first[placed(track_of_raw, t).index() + 1] += 1;
        }
        for t in 0..n_tracks {
            first[t + 1] += first[t];
        }
        let mut next = first.clone();
        let mut order = vec![0u32; self.start.len()];
        for (i, &t) in self.track.iter().enumerate() {
            let at = &mut next[placed(track_of_raw, t).index()];
            order[*at] = i as u32;
            *at += 1;
        }
        for t in 0..n_tracks {
            let part = &mut order[first[t]..first[t + 1]];
            let key = |&i: &u32| (self.start.get(i as usize), -self.duration.get(i as usize));
            if !part.is_sorted_by_key(key) {
                let mut keyed: Vec<(i64, i64, u32)> = part.iter().map(|i| (key(i).0, key(i).1, *i)).collect();
                keyed.sort();
                part.iter_mut().zip(keyed).for_each(|(to, from)| *to = from.2);
            }
        }
        (order, first)
    }

    /// Lanes, parents and the final order. Returns (raw id per final slice, final id per place in start order).
    fn lay_out(&self, profile: &mut Profile, (by_start, first): (Vec<u32>, Vec<usize>)) -> (Vec<u32>, Vec<u32>) {
        let n = by_start.len();
        let mut order = vec![0u32; n];
        let mut ranks = vec![0u32; n];
        profile.slices.parent = vec![NO_SLICE; n];
        for t in 0..profile.tracks.len() {
            let (from, to) = (first[t], first[t + 1]);
            let lanes_from = profile.lanes.len() as u32;
            if from < to {
                let part = &by_start[from..to];
                let layout = layout(part.iter().map(|&i| {
                    let start = self.start.get(i as usize);
                    (start, start.saturating_add(self.duration.get(i as usize)))
                }));
                let mut next = lane_starts(&layout.lane, layout.n_lanes, from as u32);
                for (depth, pair) in next.windows(2).enumerate() {
                    profile.lanes.push(Lane { track: TrackId(t as u32), depth: depth as u16, first: pair[0], end: pair[1] });
                }
                for (k, (&raw, &lane)) in part.iter().zip(&layout.lane).enumerate() {
                    let at = next[lane as usize];
                    next[lane as usize] += 1;
                    order[at as usize] = raw;
                    ranks[from + k] = at;
                }
                for (k, &parent) in layout.parent.iter().enumerate().filter(|(_, p)| **p != NO_SLICE) {
                    profile.slices.parent[ranks[from + k] as usize] = ranks[from + parent as usize];
                }
            }
            profile.tracks[t].lanes = lanes_from..profile.lanes.len() as u32;
        }
        (order, ranks)
    }

    fn freeze(self, mut profile: Profile, order: Vec<u32>, ranks: Vec<u32>, track_of_raw: Vec<Option<TrackId>>) -> Finished {
        drop(self.track);
        let mut slice_of_raw = vec![SliceId(0); order.len()];
        for (at, &raw) in order.iter().enumerate() {
            slice_of_raw[raw as usize] = SliceId(at as u32);
        }
        profile.slices = SliceTable {
            start: self.start.permuted(&order),
            duration: self.duration.permuted(&order),
            name: self.name.permuted(&order),
            record: self.record.permuted(&order),
            parent: std::mem::take(&mut profile.slices.parent),
            second_record: self.second.into_iter().map(|(raw, r)| (slice_of_raw[raw as usize], r)).collect(),
            by_start: ranks,
        };
        profile.slices.second_record.sort_by_key(|s| s.0);
        let mut numbers = Vec::new();
        for column in self.extras {
            let values = column.values.permuted(&order);
            match column.kind {
                ExtraKind::Number => numbers.push(values),
                ExtraKind::Attribute { id, label } => {
                    profile.attributes.push(Attribute { id, label, values: values.into_iter().map(StrId).collect() });
                }
            }
        }
        let arrows = self.flows.iter().map(|&(from, to, kind)| (slice_of_raw[from as usize], slice_of_raw[to as usize], kind));
        profile.flows = FlowTable::from_arrows(arrows.collect());
        profile.counters = self.counters.into_iter().map(|(t, spec)| counter(placed(&track_of_raw, t.0), spec)).collect();
        profile.counters.sort_by_key(|c| c.track);
        profile.instants = instants(self.instants, &track_of_raw);
        profile.tables = self.tables;
        profile.strings = self.strings.finish();
        profile.domain = Domain::Plain;
        profile.meta.range = range(&profile);
        Finished { profile, numbers, track_of_raw, slice_of_raw }
    }
}

/// The final track of a raw one that something is on: those are never left out.
fn placed(track_of_raw: &[Option<TrackId>], raw: u32) -> TrackId {
    track_of_raw[raw as usize].unwrap_or_default()
}

/// Where each lane of a track begins, and where the last ends.
fn lane_starts(lane: &[u16], n_lanes: usize, from: u32) -> Vec<u32> {
    let mut starts = vec![0u32; n_lanes + 1];
    for &l in lane {
        starts[l as usize + 1] += 1;
    }
    starts[0] = from;
    for l in 0..n_lanes {
        starts[l + 1] += starts[l];
    }
    starts
}

fn counter(track: TrackId, mut spec: CounterSpec) -> Counter {
    spec.samples.sort_by_key(|s| s.0);
    let series = spec
        .series
        .into_iter()
        .enumerate()
        .map(|(i, name)| Series { name, values: spec.samples.iter().map(|s| s.1.get(i).copied().unwrap_or(0.0)).collect() });
    Counter {
        track,
        unit: spec.unit,
        is_stacked: spec.is_stacked,
        series: series.collect(),
        times: spec.samples.iter().map(|s| s.0).collect(),
    }
}

fn instants(raw: Vec<(TrackId, i64, StrId)>, track_of_raw: &[Option<TrackId>]) -> InstantTable {
    let mut rows: Vec<_> = raw.into_iter().map(|(t, time, name)| (placed(track_of_raw, t.0), time, name)).collect();
    rows.sort();
    InstantTable {
        track: rows.iter().map(|r| r.0).collect(),
        time: rows.iter().map(|r| r.1).collect(),
        name: rows.iter().map(|r| r.2).collect(),
    }
}

fn range(profile: &Profile) -> TimeRange {
    let slices = &profile.slices;
    let starts = slices.start.iter().copied().chain(profile.instants.time.iter().copied());
    let ends = (0..slices.len()).map(|i| slices.end(i)).chain(profile.instants.time.iter().copied());
    let counters = || profile.counters.iter().flat_map(|c| c.times.iter().copied());
    let start = starts.chain(counters()).min().unwrap_or(0);
    let end = ends.chain(counters()).max().unwrap_or(0);
    TimeRange { start: TimeNs(start), end: TimeNs(end.max(start)) }
}

/// Text to sort by, digits padded so that `stream 7` stands before `stream 20`.
fn natural_key(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 16);
    let mut digits = String::new();
    for c in name.chars().chain(std::iter::once('\0')) {
        if c.is_ascii_digit() && digits.len() < 20 {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            out.push_str(&format!("{digits:0>20}"));
            digits.clear();
        }
        if c.is_ascii_digit() { digits.push(c) } else { out.push(c) }
    }
    out
}
