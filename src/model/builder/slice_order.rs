//! The order of slices: by track, then by lane, then by start; and parents.

use super::by_track::reorder;
use crate::base::Order as _;
use crate::base::radix_sort::order_ties;
use crate::base::threads::for_each;
use crate::base::{SliceId, TrackId, for_each_chunk, is_ascending, radix_order};
use crate::model::lanes::layout;
use crate::model::{Lane, NO_SLICE, Profile};
use std::cmp::Reverse;

/// Slices by final track, in the order written within each.
pub(super) struct ByTrack {
    /// As written.
    pub raw: Vec<u32>,
    pub start: Vec<i64>,
    pub duration: Vec<i64>,
    /// Where each track's begin, and where the last one's end.
    pub first: Vec<usize>,
}

impl ByTrack {
    /// Sorts each track; gives lanes, parents, starts and durations in the final order. Returns the final slice per raw id.
    pub fn lay_out(mut self, profile: &mut Profile) -> Vec<SliceId> {
        let n = self.raw.len();
        let mut ranks = vec![0u32; n];
        profile.slices.parent = vec![NO_SLICE; n];
        let mut lanes = vec![Vec::new(); profile.tracks.len()];
        for_each(n, self.tracks((&mut ranks, &mut profile.slices.parent, &mut lanes)), TrackSlices::lay_out);
        for (track, starts) in (0..).zip(lanes) {
            let lanes_from = profile.lanes.len() as u32;
            let lanes = starts.windows(2).zip(0..).map(|(pair, depth)| Lane { track: TrackId(track), depth, first: pair[0], end: pair[1] });
            profile.lanes.extend(lanes);
            profile.tracks[track as usize].lanes = lanes_from..profile.lanes.len() as u32;
        }
        let mut slice_of_raw = vec![SliceId(0); n];
        for_each_chunk(n, &mut |part| part.for_each(|k| slice_of_raw[self.raw[k] as usize] = SliceId(ranks[k])));
        (profile.slices.start, profile.slices.duration, profile.slices.by_start) = (self.start, self.duration, ranks);
        slice_of_raw
    }

    /// The slices of each track that has any, the most first. They get final slices by (track, start), their parents, and where their lanes begin.
    fn tracks<'a>(&'a mut self, (ranks, parent, lanes): (&'a mut [u32], &'a mut [u32], &'a mut [Vec<u32>])) -> Vec<TrackSlices<'a>> {
        let first = &self.first;
        let times = parts(&mut self.start, first).zip(parts(&mut self.duration, first));
        let ids = parts(&mut self.raw, first).zip(parts(ranks, first)).zip(parts(parent, first));
        let all = times.zip(ids).zip(lanes.iter_mut().zip(first)).map(|(((start, duration), ((raw, ranks), parent)), (lanes, first))| {
            TrackSlices { first: *first as u32, start, duration, raw, ranks, parent, lanes }
        });
        let mut all: Vec<TrackSlices<'a>> = all.filter(|track| !track.raw.is_empty()).collect();
        all.order_by_key(|track| Reverse(track.raw.len()));
        all
    }
}

/// The parts of a column that belong to each track.
fn parts<'a, T>(mut values: &'a mut [T], first: &[usize]) -> impl Iterator<Item = &'a mut [T]> {
    first.windows(2).map(move |pair| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(pair[1] - pair[0]);
        values = rest;
        part
    })
}

/// The slices of one track.
struct TrackSlices<'a> {
    /// The first of them in the final order.
    first: u32,
    start: &'a mut [i64],
    duration: &'a mut [i64],
    raw: &'a mut [u32],
    /// Final slices by start.
    ranks: &'a mut [u32],
    parent: &'a mut [u32],
    /// Where each lane begins, and where the last ends.
    lanes: &'a mut Vec<u32>,
}

impl TrackSlices<'_> {
    /// Whether they are sorted by (start, longest first).
    fn is_sorted(&self) -> bool {
        is_ascending(self.start.len(), |i| (self.start[i], Reverse(self.duration[i])))
    }

    /// Sorts by (start, longest first, as written).
    fn sort(&mut self) {
        let mut order = radix_order(self.start.len(), |k| self.start[k]);
        order_ties(&mut order, |at| self.start[*at as usize], |at| Reverse(self.duration[*at as usize]));
        reorder(self.start, &order);
        reorder(self.duration, &order);
        reorder(self.raw, &order);
    }

    /// Sorts and nests them.
    fn lay_out(mut self) {
        if !self.is_sorted() {
            self.sort();
        }
        let (n, first) = (self.raw.len(), self.first as usize);
        let layout = layout(n, |at| (self.start[at], self.start[at].saturating_add(self.duration[at])));
        *self.lanes = lane_starts(&layout.lane, layout.n_lanes, self.first);
        let mut next = self.lanes.clone();
        for_each_chunk(n, &mut |part| {
            for k in part {
                let next = &mut next[layout.lane[k] as usize];
                self.ranks[k] = *next;
                *next += 1;
            }
        });
        for_each_chunk(n, &mut |part| {
            for k in part.filter(|k| layout.parent[*k] != NO_SLICE) {
                self.parent[self.ranks[k] as usize - first] = self.ranks[layout.parent[k] as usize];
            }
        });
        if layout.n_lanes > 1 {
            drop(layout);
            scatter(self.start, self.ranks, first);
            scatter(self.duration, self.ranks, first);
        }
    }
}

/// The values of a part of a column in another order: the `k`-th comes to `places[k]`, counted from where the whole column begins.
fn scatter(values: &mut [i64], places: &[u32], first: usize) {
    let old = values.to_vec();
    for_each_chunk(places.len(), &mut |part| {
        for (place, value) in places[part.clone()].iter().zip(&old[part]) {
            values[*place as usize - first] = *value;
        }
    });
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
