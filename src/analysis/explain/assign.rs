//! Assigns time to what ran: every instant of a set to one slice.

/// Assigns each instant of `set` to the slice that started last among those that run then, and calls `with` for each assigned span: (what, start,
/// end). `slices` are (start, end, what), by start. What no slice covers is assigned to none, so spans sum to the set where the slices cover it.
pub fn innermost<K: Copy>(set: &[(i64, i64)], slices: impl Iterator<Item = (i64, i64, K)>, mut with: impl FnMut(K, i64, i64)) {
    let mut sweep = Sweep::new(set);
    for (start, end, what) in slices {
        sweep.slice((start, end), what, &mut with);
    }
    sweep.finish(&mut with);
}

/// [`innermost`] with slices that come one by one.
pub struct Sweep<'a, K> {
    set: &'a [(i64, i64)],
    /// The first span of the set that may reach beyond `now`.
    at: usize,
    now: i64,
    /// Slices that started, with their ends; those that ended leave when they are on top.
    open: Vec<(i64, K)>,
}

impl<'a, K: Copy> Sweep<'a, K> {
    /// Before the first slice.
    pub fn new(set: &'a [(i64, i64)]) -> Self {
        Sweep { set, at: 0, now: i64::MIN, open: Vec::new() }
    }

    /// The next slice, which starts no earlier than the last one.
    pub fn slice(&mut self, (start, end): (i64, i64), what: K, with: &mut impl FnMut(K, i64, i64)) {
        self.advance(start, with);
        if end > start {
            self.open.push((end, what));
        }
    }

    /// Assigns what is left.
    pub fn finish(mut self, with: &mut impl FnMut(K, i64, i64)) {
        self.advance(i64::MAX, with);
    }

    /// Assigns the time until `to`.
    fn advance(&mut self, to: i64, with: &mut impl FnMut(K, i64, i64)) {
        while let Some(&(end, what)) = self.open.last() {
            let until = end.min(to);
            if until > self.now {
                self.assign(what, until, with);
            }
            if end > to {
                break;
            }
            self.open.pop();
        }
        self.now = self.now.max(to);
    }

    fn assign(&mut self, what: K, until: i64, with: &mut impl FnMut(K, i64, i64)) {
        while let Some(&(start, end)) = self.set.get(self.at).filter(|s| s.0 < until) {
            let (from, to) = (start.max(self.now), end.min(until));
            if from < to {
                with(what, from, to);
            }
            if end > until {
                break;
            }
            self.at += 1;
        }
        self.now = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(set: &[(i64, i64)], slices: &[(i64, i64, char)]) -> Vec<(char, i64, i64)> {
        let mut out = Vec::new();
        innermost(set, slices.iter().copied(), |what, start, end| out.push((what, start, end)));
        out
    }

    #[test]
    fn the_last_to_start_has_the_time() {
        let slices = [(0, 100, 'a'), (10, 30, 'b'), (20, 40, 'c'), (120, 130, 'd'), (125, 125, 'e')];
        let got = assigned(&[(0, 200)], &slices);
        assert_eq!(got, [('a', 0, 10), ('b', 10, 20), ('c', 20, 40), ('a', 40, 100), ('d', 120, 125), ('d', 125, 130)]);
        let got = assigned(&[(5, 12), (35, 45), (99, 121)], &slices);
        assert_eq!(got, [('a', 5, 10), ('b', 10, 12), ('c', 35, 40), ('a', 40, 45), ('a', 99, 100), ('d', 120, 121)]);
        assert_eq!(assigned(&[], &slices), []);
        assert_eq!(assigned(&[(0, 9)], &[]), []);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use super::*;
    use crate::analysis::spans;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spans_sum_to_what_slices_cover_of_the_set(
            slices in prop::collection::vec((0i64..200, 0i64..50), 0..60), set in prop::collection::vec((0i64..250, 1i64..30), 0..20)
        ) {
            let mut slices: Vec<(i64, i64, usize)> = slices.iter().enumerate().map(|(i, s)| (s.0, s.0 + s.1, i)).collect();
            slices.sort();
            let set = spans::union(set.iter().map(|s| (s.0, s.0 + s.1)).collect());
            let covered = spans::union(slices.iter().filter(|s| s.0 < s.1).map(|s| (s.0, s.1)).collect());
            let mut sum = 0;
            let mut last = i64::MIN;
            innermost(&set, slices.iter().copied(), |i, start, end| {
                assert!(start < end && start >= last, "in order and without overlap");
                let own = slices.iter().find(|s| s.2 == i).expect("a slice");
                assert!(own.0 <= start && end <= own.1, "inside its slice");
                (sum, last) = (sum + end - start, end);
            });
            prop_assert_eq!(sum, spans::length(&spans::common(&set, &covered)));
        }
    }
}
