//! Parents of slices, and a lane for each slice such that slices of a lane do not overlap.

use super::NO_SLICE;
use crate::base::for_each_chunk;

/// Most lanes of a track: `u16::MAX`, the range of a depth. Real traces have some hundreds. Beyond it slices of one lane may overlap.
const MAX_LANES: usize = u16::MAX as usize;
/// How many open slices are searched for the parent of a slice that partly overlaps.
const MAX_LOOK: usize = 64;

/// Whether slices of a lane may overlap; of any other lane the last one ends last.
pub(super) fn may_overlap(depth: u16) -> bool {
    usize::from(depth) == MAX_LANES - 1
}

/// Lane and parent of each slice of one track.
pub(super) struct Layout {
    /// Lane per slice, in the order given.
    pub lane: Vec<u16>,
    /// Parent per slice: position in the order given, or [`NO_SLICE`].
    pub parent: Vec<u32>,
    /// How many lanes.
    pub n_lanes: usize,
}

/// Lays out one track's `n` slices: the `i`-th has the (start, end) of `span`, by (start, longest first).
///
/// A slice inside an open one becomes its child, one lane deeper. A slice that only partly overlaps goes to the first deeper lane that is free:
/// a sub-row. Slices that touch share a lane.
pub(super) fn layout(n: usize, span: impl Fn(usize) -> (i64, i64)) -> Layout {
    let mut out = Layout { lane: Vec::with_capacity(n), parent: Vec::with_capacity(n), n_lanes: 0 };
    let mut open: Vec<(i64, u32, u16)> = Vec::new();
    // Slices that ended under one that has not are left where they are until they are many.
    let mut most_open = MAX_LOOK / 4;
    let mut lanes = FreeLanes::default();
    let mut last_end = i64::MIN;
    for_each_chunk(n, &mut |part| {
        for i in part {
            let (start, end) = span(i);
            while open.last().is_some_and(|&(open_end, ..)| open_end <= start) {
                open.pop();
            }
            if open.len() > most_open {
                open.retain(|&(open_end, ..)| open_end > start);
                most_open = (2 * open.len()).max(MAX_LOOK / 4);
            }
            // None holds what ends after all before it, as each transfer of a deep queue does: no need to look.
            let holder = if end > last_end { None } else { open.iter().rev().take(MAX_LOOK).find(|&&(open_end, ..)| open_end >= end) };
            last_end = last_end.max(end);
            let (parent, from) = holder.map_or((NO_SLICE, 0), |&(_, id, lane)| (id, lane as usize + 1));
            let lane = lanes.take(from, start, end);
            out.n_lanes = out.n_lanes.max(lane + 1);
            out.lane.push(lane as u16);
            out.parent.push(parent);
            open.push((end, i as u32, lane as u16));
        }
    });
    out
}

/// The end of the last slice in each lane, in a tree of minima: the first free lane from a depth on costs log n.
#[derive(Debug, Default)]
pub struct FreeLanes {
    /// A complete binary tree; leaves at `size..`. Unused leaves are free from the beginning of time.
    min_end: Vec<i64>,
    size: usize,
}

impl FreeLanes {
    /// The first lane from depth `from` on that is free at `start`; it is in use until `end`. Starts do not descend.
    pub fn take(&mut self, from: usize, start: i64, end: i64) -> usize {
        let lane = self.first_free(from, start).or_else(|| {
            self.grow(from);
            self.first_free(from, start)
        });
        let lane = lane.unwrap_or(MAX_LANES - 1).min(MAX_LANES - 1);
        let mut at = self.size + lane;
        self.min_end[at] = end;
        while at > 1 {
            at /= 2;
            let least = self.min_end[2 * at].min(self.min_end[2 * at + 1]);
            if self.min_end[at] == least {
                // Nor does anything above change.
                break;
            }
            self.min_end[at] = least;
        }
        lane
    }

    fn first_free(&self, from: usize, start: i64) -> Option<usize> {
        if self.size == 0 || from >= self.size {
            return None;
        }
        let mut at = self.size + from;
        // Up until a subtree at or right of `from` holds a free lane, then down its left side.
        while self.min_end[at] > start {
            while at % 2 == 1 {
                at /= 2;
                if at <= 1 {
                    return None;
                }
            }
            at += 1;
        }
        while at < self.size {
            at = if self.min_end[2 * at] <= start { 2 * at } else { 2 * at + 1 };
        }
        Some(at - self.size)
    }

    fn grow(&mut self, from: usize) {
        let old = std::mem::take(&mut self.min_end);
        let old_size = self.size;
        self.size = (old_size * 2).max(from + 1).next_power_of_two().max(8);
        self.min_end = vec![i64::MIN; 2 * self.size];
        if old_size > 0 {
            self.min_end[self.size..self.size + old_size].copy_from_slice(&old[old_size..]);
        }
        for at in (1..self.size).rev() {
            self.min_end[at] = self.min_end[2 * at].min(self.min_end[2 * at + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spans: &[(i64, i64)], lanes: &[u16], parents: &[i64]) {
        let got = layout(spans.len(), |i| spans[i]);
        assert_eq!(got.lane, lanes);
        let parent: Vec<i64> = got.parent.iter().map(|&p| if p == NO_SLICE { -1 } else { i64::from(p) }).collect();
        assert_eq!(parent, parents);
    }

    #[test]
    fn children_lie_one_deeper() {
        check(&[(0, 10), (1, 5), (2, 3), (5, 9), (10, 12)], &[0, 1, 2, 1, 0], &[-1, 0, 1, 0, -1]);
    }

    #[test]
    fn partial_overlap_gets_a_sub_row() {
        check(&[(0, 10), (5, 15), (8, 20), (10, 12)], &[0, 1, 2, 3], &[-1, -1, -1, 2]);
        check(&[(0, 10), (5, 15), (10, 20)], &[0, 1, 0], &[-1, -1, -1]);
    }

    #[test]
    fn a_staircase_of_many_is_quick() {
        assert_eq!(layout(50_000, |i| (i as i64, i as i64 + 100_000)).n_lanes, 50_000);
    }
}
