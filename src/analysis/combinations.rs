//! Time in each combination of busy sets: from it follow the exclusive parts of a time in any order.

use crate::base::{DurationNs, TimeRange, for_each_chunk};

/// [`combinations`] distinguishes no more sets than these.
pub const MOST_SETS: usize = 16;

/// Calls `found` with each stretch of `range` in which the same sets are busy: start, end, bits of the busy sets. Stretches come in order, without
/// gaps between them. Only the first [`MOST_SETS`] sets count.
pub fn each_stretch(sets: &[&[(i64, i64)]], range: TimeRange, mut found: impl FnMut(i64, i64, u32)) {
    let sets = &sets[..sets.len().min(MOST_SETS)];
    // The next start or end of each set.
    let mut edges = [i64::MAX; MOST_SETS];
    let edges = &mut edges[..sets.len()];
    let mut next = [0; MOST_SETS];
    let (mut at, mut bits) = (range.start.0, 0u32);
    for (k, set) in sets.iter().enumerate() {
        next[k] = set.partition_point(|x| x.1 <= at);
        if let Some(&(start, end)) = set.get(next[k]) {
            bits |= u32::from(start <= at) << k;
            edges[k] = if start <= at { end } else { start };
        }
    }
    let mut step = || {
        let (mut k, mut edge) = (0, i64::MAX);
        for (of, own) in edges.iter().enumerate() {
            if *own < edge {
                (k, edge) = (of, *own);
            }
        }
        let until = edge.min(range.end.0);
        if until > at {
            found(at, until, bits);
            at = until;
        }
        if at >= range.end.0 {
            return false;
        }
        bits ^= 1 << k;
        let is_busy = bits >> k & 1 == 1;
        next[k] += usize::from(!is_busy);
        edges[k] = sets[k].get(next[k]).map_or(i64::MAX, |span| if is_busy { span.1 } else { span.0 });
        true
    };
    // At most a step to each start and end, and one to the end of the range.
    let n_edges = sets.iter().map(|set| 2 * set.len()).sum::<usize>();
    let mut is_inside = range.start < range.end;
    for_each_chunk(n_edges + 1, &mut |part| part.for_each(|_| is_inside = is_inside && step()));
}

/// Time in each combination of busy sets that occurs in `range`: (bits of the busy sets, nanoseconds), by bits. The times add up to the length of
/// the range. Only the first [`MOST_SETS`] sets count.
pub fn combinations(sets: &[&[(i64, i64)]], range: TimeRange) -> Vec<(u32, DurationNs)> {
    let mut times = vec![0i64; 1 << sets.len().min(MOST_SETS)];
    each_stretch(sets, range, |start, end, bits| {
        let time = &mut times[bits as usize];
        *time = time.saturating_add(end.saturating_sub(start));
    });
    times.into_iter().enumerate().filter(|t| t.1 > 0).map(|(bits, ns)| (bits as u32, DurationNs(ns))).collect()
}

/// Adds combinations to others, by bits.
pub fn add(sum: &mut Vec<(u32, DurationNs)>, more: &[(u32, DurationNs)]) {
    for &(bits, time) in more {
        match sum.binary_search_by_key(&bits, |s| s.0) {
            Ok(at) => sum[at].1 = DurationNs(sum[at].1.0.saturating_add(time.0)),
            Err(at) => sum.insert(at, (bits, time)),
        }
    }
}

/// Exclusive time of each set of `order` (numbers of sets): every instant belongs to the first set that is busy; last comes the time in which none
/// is. The times add up to that of all combinations.
pub fn in_order(all: &[(u32, DurationNs)], order: &[u32]) -> Vec<DurationNs> {
    let mut out = vec![DurationNs(0); order.len() + 1];
    for (bits, time) in all {
        let at = order.iter().position(|set| bits.checked_shr(*set).is_some_and(|b| b & 1 == 1)).unwrap_or(order.len());
        out[at] = DurationNs(out[at].0.saturating_add(time.0));
    }
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::spans::{self, Ranges};
    use crate::base::TimeNs;
    use proptest::prelude::*;

    fn range(start: i64, end: i64) -> TimeRange {
        TimeRange { start: TimeNs(start), end: TimeNs(end) }
    }

    #[test]
    fn combinations_are_distinguished() {
        let (a, b): (Ranges, Ranges) = (vec![(0, 10), (20, 30)], vec![(5, 25)]);
        let found: Vec<(u32, i64)> = combinations(&[&a, &b], range(0, 40)).into_iter().map(|s| (s.0, s.1.0)).collect();
        assert_eq!(found, [(0, 10), (1, 10), (2, 10), (3, 10)]);
        assert_eq!(combinations(&[&[(0, 10)]], range(7, 7)), []);
    }

    #[test]
    fn the_first_of_the_order_has_all_its_time() {
        let all = [(0, DurationNs(10)), (1, DurationNs(20)), (2, DurationNs(30)), (3, DurationNs(40))];
        let times = |order: &[u32]| in_order(&all, order).into_iter().map(|t| t.0).collect::<Vec<_>>();
        assert_eq!(times(&[0, 1]), [60, 30, 10]);
        assert_eq!(times(&[1, 0]), [70, 20, 10]);
        assert_eq!(times(&[]), [100]);
        assert_eq!(times(&[40]), [0, 100]);
        let mut sum = vec![(1, DurationNs(5))];
        add(&mut sum, &all);
        assert_eq!(sum.iter().map(|s| (s.0, s.1.0)).collect::<Vec<_>>(), [(0, 10), (1, 25), (2, 30), (3, 40)]);
    }

    proptest! {
        #[test]
        fn combinations_add_up(
            sets in prop::collection::vec(prop::collection::vec((-50i64..150, 1i64..30), 0..12), 5), start in -60i64..160, length in 0i64..120, turn in 0usize..5
        ) {
            let within = range(start, start + length);
            let sets: Vec<Ranges> = sets.into_iter().map(|s| spans::union(s.into_iter().map(|(s, n)| (s, s + n)).collect())).collect();
            let views: Vec<&[(i64, i64)]> = sets.iter().map(|s| s.as_slice()).collect();
            let found = combinations(&views, within);
            prop_assert_eq!(found.iter().map(|s| s.1.0).sum::<i64>(), length);
            // Each instant by itself.
            let mut want = vec![0i64; 32];
            for at in start..start + length {
                want[(0..5).map(|k| usize::from(sets[k].iter().any(|s| s.0 <= at && at < s.1)) << k).sum::<usize>()] += 1;
            }
            let want: Vec<(u32, DurationNs)> = (0..).zip(want).filter(|t| t.1 > 0).map(|t| (t.0, DurationNs(t.1))).collect();
            prop_assert_eq!(&found, &want);
            let mut order: Vec<u32> = (0..5).collect();
            order.rotate_left(turn);
            let parts = in_order(&found, &order);
            prop_assert_eq!(parts.iter().map(|p| p.0).sum::<i64>(), length);
            prop_assert_eq!(parts[0].0, spans::length_in(&sets[order[0] as usize], within.start.0, within.end.0));
        }
    }
}
