//! The last step of a builder: sorts, nests, freezes.

use super::by_track::{by_track, counts, deal, first_of_tracks, placed};
use super::records::Records;
use super::slice_order::ByTrack;
use super::{ColumnId, CounterSpec, ExtraKind, Finished, ProfileBuilder, Shared};
use crate::base::Order as _;
use crate::base::threads::both;
use crate::base::{SliceId, StrId, TimeNs, TimeRange, TrackId, for_each_chunk, is_ascending};
use crate::model::lanes::may_overlap;
use crate::model::{Attribute, Blocks, Column, Counter, Domain, FlowTable, Meta, Profile, RecordRef, Series, Track};
use std::sync::Arc;

impl ProfileBuilder {
    /// Sorts, nests and freezes. Tracks without content and without children are left out. `meta.range` is computed here.
    pub fn finish(mut self, meta: Meta) -> Finished {
        let n_raw_tracks = self.tracks.len();
        let tracks = self.rows.by_entry(n_raw_tracks, |track| track.0);
        let n_slices = counts(self.track.len(), n_raw_tracks, |i| tracks.get(self.track.get(i)) as usize);
        let n_instants = self.instants.counts(n_raw_tracks);
        let (tracks, track_of_raw) = self.order_tracks(|track| n_slices[track] > 0 || n_instants[track] > 0);
        let mut profile = Profile { meta, tracks, ..Profile::default() };
        let (instants, n_tracks) = (std::mem::take(&mut self.instants), profile.tracks.len());
        let slices = || {
            let slices = self.by_final_track(&n_slices, &track_of_raw, n_tracks);
            if self.rows.is_empty() {
                self.track = Blocks::default();
            }
            let slice_of_raw = slices.lay_out(&mut profile);
            self.freeze(profile, slice_of_raw, &track_of_raw)
        };
        let (mut finished, instants) = both(instants.time.len(), slices, || instants.finish(&n_instants, &track_of_raw, n_tracks));
        finished.profile.instants = instants;
        finished.profile.meta.range = range(&finished.profile);
        finished
    }

    /// Display order: depth first, siblings by (sort, name). Returns the tracks and the final id of each raw one. `is_used`: whether slices or instants
    /// are on a raw track.
    fn order_tracks(&mut self, is_used: impl Fn(usize) -> bool) -> (Vec<Track>, Vec<Option<TrackId>>) {
        let n = self.tracks.len();
        let mut keep = vec![false; n];
        let used = (0..n).filter(|t| is_used(*t));
        let used = used.chain(self.counters.iter().map(|c| c.0.index())).chain(self.columns.iter().map(|c| c.track.index()));
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

    /// Slices by final track, in file order within a track; `counts` are those of raw tracks. Each column is freed once it is sorted: the sorted and the
    /// unsorted columns of a long trace do not fit in memory together.
    fn by_final_track(&mut self, counts: &[usize], track_of_raw: &[Option<TrackId>], n_tracks: usize) -> ByTrack {
        let n = self.start.len();
        let (entries, tracks) = (&self.track, self.rows.by_entry(track_of_raw.len(), |track| placed(track_of_raw, track.0).0));
        let track_of = |i: usize| tracks.get(entries.get(i)) as usize;
        let first = first_of_tracks(counts, track_of_raw, n_tracks);
        let (starts, durations) = (std::mem::take(&mut self.start), std::mem::take(&mut self.duration));
        let starts = || {
            let column = by_track(&first, n, &track_of, |i| starts.get(i));
            drop(starts);
            column
        };
        let others = || {
            let (mut column, mut raw) = (vec![0; n], vec![0; n]);
            deal(&first, n, &track_of, |at, i| (column[at], raw[at]) = (durations.get(i), i as u32));
            drop(durations);
            (column, raw)
        };
        let (start, (duration, raw)) = both(n, starts, others);
        ByTrack { raw, start, duration, first }
    }

    fn freeze(mut self, mut profile: Profile, slice_of_raw: Vec<SliceId>, track_of_raw: &[Option<TrackId>]) -> Finished {
        let (n, is_shared) = (slice_of_raw.len(), !self.rows.is_empty());
        let (names, own) = (std::mem::take(&mut self.name), std::mem::take(&mut self.own));
        let (entries, flows) = (std::mem::take(&mut self.track), std::mem::take(&mut self.flows));
        let ((names, own), (entries, flows)) = both(
            n,
            || {
                let names = if names.is_empty() { vec![StrId(0); n] } else { names.placed(&slice_of_raw, StrId(0)) };
                (names, is_shared.then(|| own.placed(&slice_of_raw, 0)))
            },
            || {
                let arrows = flows.into_iter().map(|(from, to, kind)| (slice_of_raw[from as usize], slice_of_raw[to as usize], kind));
                (is_shared.then(|| entries.placed(&slice_of_raw, 0)), FlowTable::from_arrows(arrows.collect()))
            },
        );
        profile.flows = flows;
        let n_columns = self.extras.iter().map(|column| column.id.0 + 1).max().unwrap_or(0);
        let shared = own.zip(entries).map(|(own, entries)| {
            let mut columns = vec![Arc::default(); n_columns];
            self.extras.iter_mut().for_each(|column| columns[column.id.0] = Arc::new(std::mem::take(&mut column.shared)));
            Arc::new(Shared { entries, own, rows: std::mem::take(&mut self.rows), columns })
        });
        let slice_of_raw = Arc::new(slice_of_raw);
        let records = self.record;
        let (names, records) = both(n, || named(names, shared.as_deref()), || recorded(records, &slice_of_raw));
        (profile.slices.name, profile.slices.record) = (names, records);
        profile.slices.second_record = self.second.into_iter().map(|(raw, r)| (slice_of_raw[raw as usize], r)).collect();
        profile.slices.second_record.order_by_key(|s| s.0);
        let mut numbers = Vec::new();
        for column in self.extras {
            let is_recorded = column.is_recorded(shared.as_ref().map_or(&[], |shared| shared.columns[column.id.0].as_slice()));
            let values = match &shared {
                Some(shared) if column.values.is_empty() => Values::Shared(Vec::new(), shared.clone()),
                Some(shared) => Values::Shared(column.values.placed(&slice_of_raw, column.default), shared.clone()),
                None => Values::Own(column.values),
            };
            let of = (column.id, column.default, is_recorded);
            match column.kind {
                ExtraKind::Number => numbers.push(values.later(of, &slice_of_raw, |number| number)),
                ExtraKind::Attribute { id, label } => {
                    profile.attributes.push(Attribute { id, label, values: values.later(of, &slice_of_raw, StrId) });
                }
            }
        }
        profile.counters = self.counters.into_iter().map(|(t, spec)| counter(placed(track_of_raw, t.0), spec)).collect();
        profile.counters.extend(self.columns.into_iter().map(|counter| ascending_counter(counter, track_of_raw)));
        profile.counters.order_by_key(|c| c.track);
        profile.tables = self.tables;
        profile.strings = self.strings.finish();
        profile.domain = Domain::Plain;
        Finished { profile, numbers, track_of_raw: track_of_raw.to_vec(), slice_of_raw, shared }
    }
}

/// Names of slices; a slice with a row of shared values has the name of the row.
fn named(mut names: Vec<StrId>, shared: Option<&Shared>) -> Vec<StrId> {
    if let Some(shared) = shared {
        for_each_chunk(names.len(), &mut |part| part.for_each(|i| names[i] = shared.rows.name(shared.entries[i]).unwrap_or(names[i])));
    }
    names
}

/// The records of slices in the final order.
fn recorded(records: Records, slice_of_raw: &Arc<Vec<SliceId>>) -> Column<RecordRef> {
    match records.into_places() {
        Ok(places) => later(places, slice_of_raw, RecordRef::default(), |record| record),
        Err(records) => {
            let (n, records) = (slice_of_raw.len(), records.placed(slice_of_raw));
            Column::later(n, true, move || (0..n).map(|i| records.get(i)).collect())
        }
    }
}

/// A column in the final order; it is permuted at the first read.
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

/// A further column that is complete.
enum Values {
    /// In the order written: each slice has its own value.
    Own(Blocks<u32>),
    /// In the final order: slices without an own value have what they share. They came to stand in that order at once, which frees what they were
    /// written to.
    Shared(Vec<u32>, Arc<Shared>),
}

impl Values {
    /// In the final order, when it is first read.
    fn later<U: Copy + Send + 'static>(
        self,
        (column, default, is_recorded): (ColumnId, u32, bool),
        places: &Arc<Vec<SliceId>>,
        form: impl Fn(u32) -> U + Send + Sync + 'static,
    ) -> Column<U> {
        let (own, shared) = match self {
            Values::Own(values) => return later(values, places, default, form),
            Values::Shared(own, shared) => (own, shared),
        };
        Column::by_value(places.len(), is_recorded, move |i| {
            let own = own.get(i).copied().filter(|own| *own != default);
            form(own.or_else(|| shared.value(i, column)).unwrap_or(default))
        })
    }
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
    if !is_ascending(counter.times.len(), |at| counter.times[at]) {
        let mut order: Vec<usize> = (0..counter.times.len()).collect();
        order.order_by_key(|at| counter.times[*at]);
        counter.times = order.iter().map(|at| counter.times[*at]).collect();
        for series in &mut counter.series {
            series.values = order.iter().map(|at| series.values.get(*at).copied().unwrap_or(0.0)).collect();
        }
    }
    counter
}

/// The first and the last moment of all, from the ends of what is sorted.
fn range(profile: &Profile) -> TimeRange {
    let (mut start, mut end) = (i64::MAX, i64::MIN);
    let mut add = |from: i64, to: i64| (start, end) = (start.min(from), end.max(to));
    let slices = &profile.slices;
    for lane in profile.lanes.iter().filter(|lane| lane.first < lane.end) {
        let (first, last) = (lane.first as usize, lane.end as usize - 1);
        add(slices.start[first], slices.end(last));
        if may_overlap(lane.depth) {
            (first..last).for_each(|i| add(slices.start[first], slices.end(i)));
        }
    }
    let instants = profile.instants.track.runs().map(|(_, run)| &profile.instants.time[run]);
    for times in instants.chain(profile.counters.iter().map(|counter| counter.times.as_slice())) {
        times.first().zip(times.last()).into_iter().for_each(|(first, last)| add(*first, *last));
    }
    if start > end {
        return TimeRange { start: TimeNs(0), end: TimeNs(0) };
    }
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

/// Sort key with padded digits, so that `stream 7` is before `stream 20`.
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
