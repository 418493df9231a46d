//! Summaries of blocks of a device's history, so that a part can be read without the other parts.

use crate::model::snapshot::SnapshotDevice;
use std::ops::Range;

/// States or allocations in a block.
const BLOCK: usize = 256;

/// Summaries of one device.
#[derive(Debug, Default)]
pub struct HistoryPyramid {
    /// Most allocated bytes of each block of states.
    highest: Vec<u64>,
    /// Last end of each block of allocations.
    last_end: Vec<u32>,
}

impl HistoryPyramid {
    /// Sums up a device.
    pub fn new(device: &SnapshotDevice) -> Self {
        let most = |block: &[u64]| block.iter().copied().max().unwrap_or(0);
        let last = |block: &[u32]| block.iter().copied().max().unwrap_or(0);
        HistoryPyramid {
            highest: device.allocated.chunks(BLOCK).map(most).collect(),
            last_end: device.allocations.to.chunks(BLOCK).map(last).collect(),
        }
    }

    /// The state of a range, which is not empty, with the most allocated bytes; the first of equal ones.
    pub fn highest(&self, allocated: &[u64], range: Range<usize>) -> usize {
        let mut best = range.start;
        let mut look = |part: Range<usize>| {
            for state in part {
                if allocated[state] > allocated[best] {
                    best = state;
                }
            }
            allocated[best]
        };
        let (first, last) = (range.start.div_ceil(BLOCK), range.end / BLOCK);
        if first >= last {
            look(range);
            return best;
        }
        let mut most = look(range.start..first * BLOCK);
        for block in first..last {
            if self.highest[block] > most {
                most = look(block * BLOCK..(block + 1) * BLOCK);
            }
        }
        look(last * BLOCK..range.end);
        best
    }

    /// The allocations among the first `n` that are live after a state.
    pub fn live_after<'a>(&'a self, ends: &'a [u32], n: usize, state: u32) -> impl Iterator<Item = usize> + 'a {
        let blocks = (0..n.div_ceil(BLOCK)).filter(move |&block| self.last_end.get(block).is_some_and(|end| *end > state));
        blocks.flat_map(move |block| block * BLOCK..((block + 1) * BLOCK).min(n)).filter(move |&id| ends[id] > state)
    }
}

/// Finds the first column with a state at or after another one, in near constant time.
pub struct ColumnLookup<'a> {
    states: &'a [u32],
    first: u32,
    /// States of a bucket, as a power of two.
    shift: u32,
    /// The column of the first state of each bucket.
    buckets: Vec<u16>,
}

impl<'a> ColumnLookup<'a> {
    /// For columns that never go back, at most 65,535.
    pub fn new(states: &'a [u32]) -> Self {
        let (first, last) = (states.first().copied().unwrap_or(0), states.last().copied().unwrap_or(0));
        let mut shift = 0;
        while ((last - first) >> shift) as usize > states.len() * 4 {
            shift += 1;
        }
        let n_buckets = ((last - first) >> shift) + 2;
        let mut column = 0;
        let buckets = (0..n_buckets).map(|bucket| {
            let state = u64::from(first) + (u64::from(bucket) << shift);
            column += states[column..].partition_point(|s| u64::from(*s) < state);
            column as u16
        });
        ColumnLookup { states, first, shift, buckets: buckets.collect() }
    }

    /// The column of a state.
    pub fn column(&self, state: u32) -> u16 {
        let Some(offset) = state.checked_sub(self.first) else { return 0 };
        let bucket = (offset >> self.shift) as usize;
        let (Some(&from), Some(&to)) = (self.buckets.get(bucket), self.buckets.get(bucket + 1)) else { return self.states.len() as u16 };
        from + self.states[usize::from(from)..usize::from(to)].partition_point(|s| *s < state) as u16
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::model::snapshot::Allocations;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_highest_state_is_that_of_a_scan(allocated in prop::collection::vec(0u64..9, 1..2000), a in 0usize..2000, b in 0usize..2000) {
            let (a, b) = (a % allocated.len(), b % allocated.len());
            let range = a.min(b)..a.max(b) + 1;
            let mut want = range.start;
            for state in range.clone() {
                if allocated[state] > allocated[want] {
                    want = state;
                }
            }
            let device = SnapshotDevice { allocated, ..SnapshotDevice::default() };
            prop_assert_eq!(HistoryPyramid::new(&device).highest(&device.allocated, range), want);
        }

        #[test]
        fn live_allocations_are_those_of_a_scan(to in prop::collection::vec(0u32..3000, 0..2000), n in 0usize..2000, state in 0u32..3000) {
            let n = n.min(to.len());
            let device = SnapshotDevice { allocations: Allocations { to, ..Allocations::default() }, ..SnapshotDevice::default() };
            let ends = &device.allocations.to;
            let want: Vec<usize> = (0..n).filter(|&id| ends[id] > state).collect();
            let pyramid = HistoryPyramid::new(&device);
            prop_assert_eq!(pyramid.live_after(ends, n, state).collect::<Vec<_>>(), want);
        }

        #[test]
        fn columns_are_those_of_a_search(mut states in prop::collection::vec(0u32..100_000, 1..300), asked in prop::collection::vec(0u32..110_000, 1..50)) {
            states.sort_unstable();
            let lookup = ColumnLookup::new(&states);
            for state in asked.into_iter().chain([0, u32::MAX]).chain(states.clone()) {
                prop_assert_eq!(usize::from(lookup.column(state)), states.partition_point(|s| *s < state), "{}", state);
            }
        }
    }
}
