//! Sets of time as sorted, disjoint ranges (start, end), nanoseconds.

/// A set of time.
pub type Ranges = Vec<(i64, i64)>;

/// The union of ranges in any order; ranges that touch are joined.
pub fn union(mut ranges: Ranges) -> Ranges {
    if !ranges.is_sorted() {
        ranges.sort_unstable();
    }
    let mut n = 0;
    for i in 0..ranges.len() {
        let (start, end) = ranges[i];
        if n > 0 && start <= ranges[n - 1].1 {
            ranges[n - 1].1 = ranges[n - 1].1.max(end);
        } else {
            ranges[n] = (start, end);
            n += 1;
        }
    }
    ranges.truncate(n);
    ranges
}

/// What `a` and `b` have in common.
pub fn common(a: &[(i64, i64)], b: &[(i64, i64)]) -> Ranges {
    // There cannot be more; what is not used costs nothing but addresses, and growing would take fresh memory again and again.
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (start, end) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if start < end {
            out.push((start, end));
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    out.shrink_to_fit();
    out
}

/// The part of `a` in `start..end`.
pub fn clipped(a: &[(i64, i64)], start: i64, end: i64) -> Ranges {
    let first = a.partition_point(|r| r.1 <= start);
    let n = a[first..].partition_point(|r| r.0 < end);
    a[first..first + n].iter().map(|r| (r.0.max(start), r.1.min(end))).collect()
}

/// What is in `a` and not in `b`.
pub fn without(a: &[(i64, i64)], b: &[(i64, i64)]) -> Ranges {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let mut j = 0;
    for &(start, end) in a {
        let mut from = start;
        while j < b.len() && b[j].1 <= from {
            j += 1;
        }
        let mut k = j;
        while k < b.len() && b[k].0 < end {
            if b[k].0 > from {
                out.push((from, b[k].0));
            }
            from = from.max(b[k].1);
            k += 1;
        }
        if from < end {
            out.push((from, end));
        }
    }
    out.shrink_to_fit();
    out
}

/// Length of a set.
pub fn length(a: &[(i64, i64)]) -> i64 {
    a.iter().fold(0i64, |sum, (start, end)| sum.saturating_add(end.saturating_sub(*start)))
}

/// Length of the part of `a` in `start..end`.
pub fn length_in(a: &[(i64, i64)], start: i64, end: i64) -> i64 {
    let first = a.partition_point(|r| r.1 <= start);
    let inside = a[first..].iter().take_while(|r| r.0 < end);
    inside.fold(0i64, |sum, r| sum.saturating_add(r.1.min(end).saturating_sub(r.0.max(start)).max(0)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn sets_of_time() {
        let a = union(vec![(20, 30), (0, 10), (10, 12), (25, 40), (50, 50)]);
        assert_eq!(a, [(0, 12), (20, 40), (50, 50)]);
        let b = [(5, 22), (30, 31), (39, 60)];
        assert_eq!(common(&a, &b), [(5, 12), (20, 22), (30, 31), (39, 40)]);
        assert_eq!(without(&a, &b), [(0, 5), (22, 30), (31, 39)]);
        assert_eq!(length(&a), 32);
        assert_eq!(clipped(&a, 11, 21), [(11, 12), (20, 21)]);
        assert_eq!(length_in(&a, 11, 21), 2);
        assert_eq!(without(&[(0, 10), (20, 30)], &[(5, 25)]), [(0, 5), (25, 30)]);
        assert_eq!(without(&[(0, 10)], &[]), [(0, 10)]);
    }

    proptest::proptest! {
        #[test]
        fn parts_sum_to_the_whole(a in proptest::collection::vec((0i64..100, 0i64..30), 0..20), b in proptest::collection::vec((0i64..100, 0i64..30), 0..20)) {
            let set = |v: &[(i64, i64)]| union(v.iter().map(|&(s, d)| (s, s + d)).collect());
            let (a, b) = (set(&a), set(&b));
            let (both, rest) = (common(&a, &b), without(&a, &b));
            proptest::prop_assert_eq!(length(&both) + length(&rest), length(&a));
            proptest::prop_assert!(common(&rest, &b).is_empty());
        }
    }
}
