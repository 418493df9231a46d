//! The last step of a builder: sorts, nests, freezes.

use super::{CounterSpec, ExtraKind, Finished, ProfileBuilder};
use crate::base::{SliceId, StrId, TimeNs, TimeRange, TrackId};
use crate::model::lanes::layout;
use crate::model::{Attribute, Counter, Domain, FlowTable, InstantTable, Lane, Meta, NO_SLICE, Profile, Series, SliceTable, Track};

impl ProfileBuilder {
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
        for mut column in self.extras {
            let values = if column.values.is_empty() {
                vec![column.default; order.len()]
            } else {
                column.values.pad(order.len(), column.default);
                column.values.permuted(&order)
            };
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
