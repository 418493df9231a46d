//! Repeated lookups in a sorted column.

use std::ops::Range;

/// log2 of the numbers in one bucket.
const BITS: u32 = 4;

/// For a sorted column that is stored elsewhere: the position where each bucket of numbers begins. A lookup reads one bucket instead of
/// bisecting the whole column. An empty index (`default`) bisects the whole column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SortedIndex {
    /// Indexed by bucket: the first position whose number is at least `bucket << BITS`.
    firsts: Vec<u32>,
}

impl SortedIndex {
    /// The index of a column of `n` numbers in ascending order.
    pub fn of(n: usize, number: impl Fn(usize) -> u32) -> Self {
        let mut firsts = Vec::new();
        super::for_each_chunk(n, &mut |part| {
            for at in part {
                let bucket = (number(at) >> BITS) as usize;
                if firsts.len() <= bucket {
                    firsts.resize(bucket + 1, at as u32);
                }
            }
        });
        SortedIndex { firsts }
    }

    /// The positions of `wanted` in that column.
    pub fn find(&self, n: usize, wanted: u32, number: impl Fn(usize) -> u32) -> Range<usize> {
        let bucket = (wanted >> BITS) as usize;
        let note = |bucket: usize| self.firsts.get(bucket).map_or(n, |first| *first as usize);
        let (from, to) = if self.firsts.is_empty() { (0, n) } else { (note(bucket), note(bucket + 1)) };
        let first = first_position(from..to, |at| number(at) >= wanted);
        first..first_position(first..to, |at| number(at) > wanted)
    }

    /// The same, where `near` is likely the first of them: the end of what was found last, when numbers are asked for in order.
    pub fn find_near(&self, n: usize, near: usize, wanted: u32, number: impl Fn(usize) -> u32) -> Range<usize> {
        let is_first = |at: usize| (at == n || number(at) >= wanted) && (at == 0 || number(at - 1) < wanted);
        if near > n || !is_first(near) {
            return self.find(n, wanted, number);
        }
        near..near + (near..n).take_while(|at| number(*at) == wanted).count()
    }
}

/// The first position of `range` at which `is_it` holds, or its end. It must hold at every later position too.
pub fn first_position(range: Range<usize>, is_it: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (range.start, range.end);
    while from < to {
        let middle = from + (to - from) / 2;
        if is_it(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

/// The same where the position is likely near `near`: looks there first, and then in steps that double.
pub fn first_position_near(range: Range<usize>, near: usize, is_it: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to, mut step) = (range.start, range.end, 1);
    let near = near.clamp(from, to);
    if near < to && !is_it(near) {
        from = near + 1;
        while from + step < to && !is_it(from + step) {
            from += step + 1;
            step *= 2;
        }
        to = to.min(from + step);
    } else {
        to = near;
        while from + step < to && is_it(to - step) {
            to -= step;
            step *= 2;
        }
        from = from.max(to.saturating_sub(step));
    }
    first_position(from..to, is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_from_anywhere() {
        let list: Vec<usize> = (0..40).map(|i| i * i / 3).collect();
        for (from, to) in [(0, 0), (0, 1), (3, 40), (7, 8), (0, 40)] {
            for wanted in 0..600 {
                let want = first_position(from..to, |at| list[at] >= wanted);
                for near in 0..45 {
                    assert_eq!(first_position_near(from..to, near, |at| list[at] >= wanted), want, "{wanted} in {from}..{to} from {near}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_found_with_and_without_notes() {
        for list in [vec![], vec![0], vec![5, 5, 5], vec![0, 15, 16, 16, 17, 300], (0..1000).map(|i| i * i / 7).collect::<Vec<u32>>()] {
            let number = |at: usize| list[at];
            let places = SortedIndex::of(list.len(), number);
            for wanted in 0..400 {
                let want = list.partition_point(|n| *n < wanted)..list.partition_point(|n| *n <= wanted);
                let found = places.find(list.len(), wanted, number);
                assert_eq!((found.len(), found.is_empty() || found == want), (want.len(), true), "{wanted} in {list:?}");
                assert_eq!(SortedIndex::default().find(list.len(), wanted, number), want);
                for near in [0, 1, 2, want.start, want.end, list.len(), list.len() + 1] {
                    let found = places.find_near(list.len(), near, wanted, number);
                    assert_eq!((found.len(), found.is_empty() || found == want), (want.len(), true), "{wanted} in {list:?} from {near}");
                }
            }
        }
    }
}
