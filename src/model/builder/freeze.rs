//! The last step of a builder: sorts, nests, freezes.

use super::{CounterSpec, Extra, ExtraKind, Finished, ProfileBuilder};
use crate::base::{Order as _, SliceId, StrId, TimeNs, TimeRange, TrackId, for_each_chunk, radix_order};
use crate::model::lanes::layout;
use crate::model::{
    Attribute, Blocks, Column, Counter, Domain, FlowTable, InstantTable, Lane, Meta, NO_SLICE, Profile, RecordRef, Series, Track,
};
use std::ops::Range;
use std::sync::Arc;

impl ProfileBuilder {
    /// Sorts, nests and freezes. Tracks without content and without children are left out. `meta.range` is computed here.
    pub fn finish(mut self, meta: Meta) -> Finished {
        let (tracks, track_of_raw) = self.order_tracks();
        let mut profile = Profile { meta, tracks, ..Profile::default() };
        let sorted = self.sort_by_start(&track_of_raw, profile.tracks.len());
        self.track = Blocks::default();
        let slice_of_raw = sorted.lay_out(&mut profile);
        self.freeze(profile, slice_of_raw, track_of_raw)
    }

    /// Display order: depth first, siblings by (sort, name). Returns the tracks and the final id of each raw one.
    fn order_tracks(&mut self) -> (Vec<Track>, Vec<Option<TrackId>>) {
        let n = self.tracks.len();
        let mut has_slices = vec![false; n];
        for_each_chunk(self.track.len(), &mut |part| part.for_each(|i| has_slices[self.track.get(i) as usize] = true));
        let mut keep = vec![false; n];
        let used = (0..n).filter(|t| has_slices[*t]);
        let used = used
            .chain(self.counters.iter().map(|c| c.0.index()))
            .chain(self.columns.iter().map(|c| c.track.index()))
            .chain(self.instants.iter().map(|i| i.0.index()));
        for track in used {
            let mut at = Some(track);
            while let Some(i) = at.filter(|&i| !keep[i]) {
                keep[i] = true;
                at = self.tracks[i].parent.map(TrackId::index).filter(|&p| p < n && p != i);
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for i in (0..n).filter(|&i| keep[i]) {
            // A parent must be a smaller id or a root: this rules out circles.
            let is_root = |p: usize| p != i && self.tracks.get(p).is_some_and(|t| t.parent.is_none());
            let parent = self.tracks[i].parent.map(TrackId::index).filter(|&p| p < i || is_root(p));
            children[parent.unwrap_or(n)].push(i);
        }
        for list in &mut children {
            list.order_by_cached_key(|&i| (self.tracks[i].sort, natural_key(&self.tracks[i].name), i));
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

    /// Slices by (final track, start, longest first, as written). What is read again and again comes to stand in that order first.
    fn sort_by_start(&mut self, track_of_raw: &[Option<TrackId>], n_tracks: usize) -> Sorted {
        let (starts, durations) = (std::mem::take(&mut self.start), std::mem::take(&mut self.duration));
        let n = starts.len();
        let mut first = vec![0usize; n_tracks + 1];
        for_each_chunk(n, &mut |part| part.for_each(|i| first[placed(track_of_raw, self.track.get(i)).index() + 1] += 1));
        for t in 0..n_tracks {
            first[t + 1] += first[t];
        }
        let mut next = first.clone();
        let mut out = Sorted { raw: vec![0; n], start: vec![0; n], duration: vec![0; n], first };
        let mut last = vec![((i64::MIN, i64::MIN), true); n_tracks];
        for_each_chunk(n, &mut |part| {
            for i in part {
                let t = placed(track_of_raw, self.track.get(i)).index();
                let (at, start, duration) = (next[t], starts.get(i), durations.get(i));
                (out.raw[at], out.start[at], out.duration[at]) = (i as u32, start, duration);
                next[t] += 1;
                let key = (start, -duration);
                last[t] = (key, last[t].1 && last[t].0 <= key);
            }
        });
        for t in (0..n_tracks).filter(|t| !last[*t].1) {
            out.sort_part(out.first[t]..out.first[t + 1]);
        }
        out
    }

    fn freeze(self, mut profile: Profile, slice_of_raw: Vec<SliceId>, track_of_raw: Vec<Option<TrackId>>) -> Finished {
        profile.slices.name = self.name.placed(&slice_of_raw, StrId(0));
        let slice_of_raw = Arc::new(slice_of_raw);
        profile.slices.record = later(self.record, &slice_of_raw, RecordRef::default(), |record| record);
        profile.slices.second_record = self.second.into_iter().map(|(raw, r)| (slice_of_raw[raw as usize], r)).collect();
        profile.slices.second_record.order_by_key(|s| s.0);
        let mut numbers = Vec::new();
        let sharing = Arc::new(self.sharing);
        for column in self.extras {
            let is_told = column.is_told();
            let column = match column.is_shared() {
                true => Values::Shared(column, sharing.clone()),
                false => Values::Own(column),
            };
            match column.kind() {
                ExtraKind::Number => numbers.push(column.later(is_told, &slice_of_raw, |number| number)),
                ExtraKind::Attribute { id, label } => {
                    let (id, label) = (id.clone(), label.clone());
                    profile.attributes.push(Attribute { id, label, values: column.later(is_told, &slice_of_raw, StrId) });
                }
            }
        }
        let arrows = self.flows.iter().map(|&(from, to, kind)| (slice_of_raw[from as usize], slice_of_raw[to as usize], kind));
        profile.flows = FlowTable::from_arrows(arrows.collect());
        profile.counters = self.counters.into_iter().map(|(t, spec)| counter(placed(&track_of_raw, t.0), spec)).collect();
        profile.counters.extend(self.columns.into_iter().map(|counter| ascending_counter(counter, &track_of_raw)));
        profile.counters.order_by_key(|c| c.track);
        profile.instants = instants(self.instants, &track_of_raw);
        profile.tables = self.tables;
        profile.strings = self.strings.finish();
        profile.domain = Domain::Plain;
        profile.meta.range = range(&profile);
        Finished { profile, numbers, track_of_raw, slice_of_raw }
    }
}

/// A column in the final order, which it comes to stand in when it is first read.
fn later<T, U>(values: Blocks<T>, places: &Arc<Vec<SliceId>>, default: T, form: impl Fn(T) -> U + Send + 'static) -> Column<U>
where
    T: Copy + Send + 'static,
    U: Copy + Send + 'static,
{
    let places = places.clone();
    Column::later(places.len(), !values.is_empty(), move || match values.is_empty() {
        true => vec![form(default); places.len()],
        false => values.placed(&places, default).into_iter().map(form).collect(),
    })
}

/// A further column that is complete, in the order written.
enum Values {
    /// Each slice has its own value.
    Own(Extra),
    /// Slices without an own value have that of their shared row.
    Shared(Extra, Arc<Blocks<u32>>),
}

impl Values {
    fn kind(&self) -> &ExtraKind {
        let (Values::Own(column) | Values::Shared(column, _)) = self;
        &column.kind
    }

    /// In the final order, when it is first read.
    fn later<U: Copy + Send + 'static>(
        self,
        is_told: bool,
        places: &Arc<Vec<SliceId>>,
        form: impl Fn(u32) -> U + Send + 'static,
    ) -> Column<U> {
        let (column, sharing) = match self {
            Values::Own(column) => return later(column.values, places, column.default, form),
            Values::Shared(column, sharing) => (column, sharing),
        };
        let places = places.clone();
        Column::later(places.len(), is_told, move || {
            let Extra { default, values, shared, .. } = column;
            let mut out = vec![form(default); places.len()];
            for_each_chunk(sharing.len().max(values.len()), &mut |part| {
                for i in part {
                    let own = if i < values.len() { values.get(i) } else { default };
                    let row = if own == default && i < sharing.len() { sharing.get(i) as usize } else { 0 };
                    out[places[i].index()] = form(if row > 0 { shared[row] } else { own });
                }
            });
            out
        })
    }
}

/// Slices by (track, start).
struct Sorted {
    raw: Vec<u32>,
    start: Vec<i64>,
    duration: Vec<i64>,
    /// Where each track's begin, and where the last one's end.
    first: Vec<usize>,
}

impl Sorted {
    /// Sorts by (start, longest first, as written).
    fn sort_part(&mut self, part: Range<usize>) {
        let mut order = radix_order(part.len(), |k| self.start[part.start + k]);
        let (start, duration) = (self.start[part.clone()].to_vec(), self.duration[part.clone()].to_vec());
        let raw = self.raw[part.clone()].to_vec();
        let mut first = 0;
        for_each_chunk(order.len() + 1, &mut |some| {
            for k in some {
                let is_same = order.get(k).is_some_and(|at| start[*at as usize] == start[order[first] as usize]);
                if !is_same && k > first + 1 {
                    order[first..k].order_by_key(|at| std::cmp::Reverse(duration[*at as usize]));
                }
                first = if is_same { first } else { k };
            }
        });
        for_each_chunk(order.len(), &mut |some| {
            for k in some {
                let (at, from) = (part.start + k, order[k] as usize);
                (self.raw[at], self.start[at], self.duration[at]) = (raw[from], start[from], duration[from]);
            }
        });
    }

    /// Lanes, parents, starts and durations in the final order. Returns the final slice per raw id.
    fn lay_out(mut self, profile: &mut Profile) -> Vec<SliceId> {
        let n = self.raw.len();
        let mut ranks = vec![0u32; n];
        let mut slice_of_raw = vec![SliceId(0); n];
        profile.slices.parent = vec![NO_SLICE; n];
        for t in 0..profile.tracks.len() {
            let lanes_from = profile.lanes.len() as u32;
            let part = self.first[t]..self.first[t + 1];
            if !part.is_empty() {
                self.lay_out_track(profile, TrackId(t as u32), part, (&mut ranks, &mut slice_of_raw));
            }
            profile.tracks[t].lanes = lanes_from..profile.lanes.len() as u32;
        }
        (profile.slices.start, profile.slices.duration, profile.slices.by_start) = (self.start, self.duration, ranks);
        slice_of_raw
    }

    /// One track. `ranks` are the final slices by (track, start).
    fn lay_out_track(
        &mut self,
        profile: &mut Profile,
        track: TrackId,
        part: Range<usize>,
        (ranks, slice_of_raw): (&mut [u32], &mut [SliceId]),
    ) {
        let (start, duration) = (self.start[part.clone()].to_vec(), self.duration[part.clone()].to_vec());
        let layout = layout(part.len(), |at| (start[at], start[at].saturating_add(duration[at])));
        let mut next = lane_starts(&layout.lane, layout.n_lanes, part.start as u32);
        for (depth, pair) in next.windows(2).enumerate() {
            profile.lanes.push(Lane { track, depth: depth as u16, first: pair[0], end: pair[1] });
        }
        let (raw, ranks) = (&self.raw[part.clone()], &mut ranks[part]);
        for_each_chunk(raw.len(), &mut |some| {
            for k in some {
                let next = &mut next[layout.lane[k] as usize];
                let at = *next as usize;
                (self.start[at], self.duration[at]) = (start[k], duration[k]);
                slice_of_raw[raw[k] as usize] = SliceId(*next);
                ranks[k] = *next;
                *next += 1;
            }
        });
        for_each_chunk(raw.len(), &mut |some| {
            for k in some.filter(|k| layout.parent[*k] != NO_SLICE) {
                profile.slices.parent[ranks[k] as usize] = ranks[layout.parent[k] as usize];
            }
        });
    }
}

/// The final track of a raw one that something is on: those are never left out.
fn placed(track_of_raw: &[Option<TrackId>], raw: u32) -> TrackId {
    track_of_raw[raw as usize].unwrap_or_default()
}

/// Where each lane of a track begins, and where the last ends.
fn lane_starts(lane: &[u16], n_lanes: usize, from: u32) -> Vec<u32> {
    let mut starts = vec![0u32; n_lanes + 1];
    for_each_chunk(lane.len(), &mut |part| lane[part].iter().for_each(|l| starts[*l as usize + 1] += 1));
    starts[0] = from;
    for l in 0..n_lanes {
        starts[l + 1] += starts[l];
    }
    starts
}

fn counter(track: TrackId, mut spec: CounterSpec) -> Counter {
    spec.samples.order_by_key(|s| s.0);
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

/// A counter that came as columns, by time.
fn ascending_counter(mut counter: Counter, track_of_raw: &[Option<TrackId>]) -> Counter {
    counter.track = placed(track_of_raw, counter.track.0);
    if !counter.times.is_sorted() {
        let mut order: Vec<usize> = (0..counter.times.len()).collect();
        order.order_by_key(|at| counter.times[*at]);
        counter.times = order.iter().map(|at| counter.times[*at]).collect();
        for series in &mut counter.series {
            series.values = order.iter().map(|at| series.values.get(*at).copied().unwrap_or(0.0)).collect();
        }
    }
    counter
}

fn instants(raw: Vec<(TrackId, i64, StrId, RecordRef)>, track_of_raw: &[Option<TrackId>]) -> InstantTable {
    let mut rows = raw;
    rows.iter_mut().for_each(|row| row.0 = placed(track_of_raw, row.0.0));
    let key = |r: &(TrackId, i64, StrId, RecordRef)| (r.0, r.1, r.2, r.3.0);
    if !rows.is_sorted_by_key(key) {
        rows.sort_unstable_by_key(key);
    }
    InstantTable {
        track: rows.iter().map(|r| r.0).collect(),
        time: rows.iter().map(|r| r.1).collect(),
        name: rows.iter().map(|r| r.2).collect(),
        record: rows.iter().map(|r| r.3).collect(),
    }
}

fn range(profile: &Profile) -> TimeRange {
    let slices = &profile.slices;
    let (mut start, mut end) = (i64::MAX, i64::MIN);
    for_each_chunk(slices.len(), &mut |part| {
        for i in part {
            (start, end) = (start.min(slices.start[i]), end.max(slices.end(i)));
        }
    });
    for &time in profile.instants.time.iter().chain(profile.counters.iter().flat_map(|c| &c.times)) {
        (start, end) = (start.min(time), end.max(time));
    }
    if start > end {
        return TimeRange { start: TimeNs(0), end: TimeNs(0) };
    }
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
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
