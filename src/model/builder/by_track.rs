//! Columns by track, and in other orders.

use crate::base::{TrackId, for_each_chunk};

/// How many of `n` items are on each of `n_tracks` tracks.
pub(super) fn counts(n: usize, n_tracks: usize, track_of: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut counts = vec![0; n_tracks];
    for_each_chunk(n, &mut |part| part.for_each(|i| counts[track_of(i)] += 1));
    counts
}

/// First index of each final track among items sorted by track, and the end of the last one. `counts` are those of raw tracks.
pub(super) fn first_of_tracks(counts: &[usize], track_of_raw: &[Option<TrackId>], n_tracks: usize) -> Vec<usize> {
    let mut first = vec![0usize; n_tracks + 1];
    for (raw, n) in (0..).zip(counts).filter(|(_, n)| **n > 0) {
        first[placed(track_of_raw, raw).index() + 1] += n;
    }
    for t in 0..n_tracks {
        first[t + 1] += first[t];
    }
    first
}

/// Calls `put` with the place of each item by track, in the order written within each, and the item; `first` has the first place of each track.
pub(super) fn deal(first: &[usize], n: usize, track_of: &impl Fn(usize) -> usize, mut put: impl FnMut(usize, usize)) {
    let mut next = first.to_vec();
    for_each_chunk(n, &mut |part| {
        for i in part {
            let at = &mut next[track_of(i)];
            put(*at, i);
            *at += 1;
        }
    });
}

/// A column sorted by track, in the order written within each; `first` has the first index of each track.
pub(super) fn by_track<T: Copy + Default>(
    first: &[usize],
    n: usize,
    track_of: &impl Fn(usize) -> usize,
    value: impl Fn(usize) -> T,
) -> Vec<T> {
    let mut out = vec![T::default(); n];
    deal(first, n, track_of, |at, i| out[at] = value(i));
    out
}

/// The values of a part of a column in another order: the `k`-th is the one that was at `order[k]`.
pub(super) fn reorder<T: Copy>(values: &mut [T], order: &[u32]) {
    let old = values.to_vec();
    for_each_chunk(order.len(), &mut |part| {
        for (value, from) in values[part.clone()].iter_mut().zip(&order[part]) {
            *value = old[*from as usize];
        }
    });
}

/// The final track of a raw one that something is on: those are never left out.
pub(super) fn placed(track_of_raw: &[Option<TrackId>], raw: u32) -> TrackId {
    track_of_raw[raw as usize].unwrap_or_default()
}
