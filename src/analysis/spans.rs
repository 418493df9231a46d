//! Sets of times as sorted, disjoint spans (start, end): unions of slices, and how two such sets lie to each other.

use crate::base::{for_each_chunk, is_ascending};

/// A set of times: disjoint spans (start, end), ascending, nanoseconds.
pub type Ranges = Vec<(i64, i64)>;

/// Adds a span to some; one that touches the last and begins no earlier extends it, so that what comes by start takes little room.
pub fn push(spans: &mut Vec<(i64, i64)>, span: (i64, i64)) {
    match spans.last_mut() {
        Some(last) if last.0 <= span.0 && span.0 <= last.1 => last.1 = last.1.max(span.1),
        _ => spans.push(span),
    }
}

/// The union of spans in any order; what touches is joined, what has no length stays.
pub fn union(mut all: Ranges) -> Ranges {
    // The slices of a lane come in order; several lanes are as many runs, which a stable sort merges.
    if !is_ascending(all.len(), |i| all[i]) {
        all.sort();
    }
    // Joined in place: the write position never passes the read position.
    let mut n = 0;
    for_each_chunk(all.len(), &mut |part| {
        for i in part {
            let (start, end) = all[i];
            if n > 0 && start <= all[n - 1].1 {
                all[n - 1].1 = all[n - 1].1.max(end);
            } else {
                all[n] = (start, end);
                n += 1;
            }
        }
    });
    all.truncate(n);
    all.shrink_to_fit();
    all
}

/// The union of several sets.
pub fn union_of(mut sets: Vec<Ranges>) -> Ranges {
    // Two by two: what covers the same time gets shorter on the way.
    while sets.len() > 1 {
        let mut rest = std::mem::take(&mut sets).into_iter();
        while let Some(a) = rest.next() {
            sets.push(match rest.next() {
                Some(b) => union_of_two(a, b),
                None => a,
            });
        }
    }
    sets.pop().unwrap_or_default()
}

/// The same for the lanes of a track: the first sets cover most of the time, each further one adds little.
pub fn union_of_lanes(sets: Vec<Ranges>) -> Ranges {
    sets.into_iter().reduce(union_of_two).unwrap_or_default()
}

/// The union of two sets.
pub fn union_of_two(a: Ranges, b: Ranges) -> Ranges {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut out: Ranges = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    for_each_chunk(a.len() + b.len(), &mut |part| {
        for _ in part {
            if i == a.len() && j == b.len() {
                return;
            }
            let is_a = j == b.len() || i < a.len() && a[i].0 <= b[j].0;
            let span = if is_a { a[i] } else { b[j] };
            if is_a {
                i += 1
            } else {
                j += 1
            }
            push(&mut out, span);
            // What is in it adds nothing.
            let until = out.last().map_or(i64::MIN, |last| last.1);
            while i < a.len() && a[i].1 <= until {
                i += 1;
            }
            while j < b.len() && b[j].1 <= until {
                j += 1;
            }
        }
    });
    out.shrink_to_fit();
    out
}

/// What two sets have in common.
pub fn common(a: &[(i64, i64)], b: &[(i64, i64)]) -> Ranges {
    // There cannot be more; what is not used costs nothing but addresses, and growing would take fresh memory again and again.
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    for_each_chunk(a.len() + b.len(), &mut |part| {
        for _ in part {
            let (Some(x), Some(y)) = (a.get(i), b.get(j)) else { return };
            let (start, end) = (x.0.max(y.0), x.1.min(y.1));
            if start < end {
                out.push((start, end));
            }
            if x.1 < y.1 { i += 1 } else { j += 1 }
        }
    });
    out.shrink_to_fit();
    out
}

/// What is in `a` and not in `b`.
pub fn without(a: &[(i64, i64)], b: &[(i64, i64)]) -> Ranges {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let mut j = 0;
    for_each_chunk(a.len(), &mut |part| {
        for &(start, end) in &a[part] {
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
    });
    out.shrink_to_fit();
    out
}

/// The parts of a set inside `start..end`, one by one; found without a look at what is before it.
pub fn inside(a: &[(i64, i64)], start: i64, end: i64) -> impl Iterator<Item = (i64, i64)> {
    let first = a.partition_point(|s| s.1 <= start);
    let touching = a[first..].iter().take_while(move |s| s.0 < end);
    touching.map(move |s| (s.0.max(start), s.1.min(end))).filter(|s| s.0 < s.1)
}

/// Length of a set.
pub fn length(a: &[(i64, i64)]) -> i64 {
    a.iter().fold(0, |sum, s| sum.saturating_add(s.1.saturating_sub(s.0)))
}

/// Length of the part of a set in `start..end`.
pub fn length_in(a: &[(i64, i64)], start: i64, end: i64) -> i64 {
    inside(a, start, end).fold(0, |sum, s| sum.saturating_add(s.1.saturating_sub(s.0)))
}

/// Takes some of `spans`, without those that have no length; whether more may come. Called again and again, for the reason of [`for_each_chunk`].
#[inline(never)]
fn some(spans: &mut impl Iterator<Item = (i64, i64)>, all: &mut Ranges) -> bool {
    for _ in 0..1 << 14 {
        let Some(span) = spans.next() else { return false };
        if span.1 > span.0 {
            all.push(span);
        }
    }
    true
}

/// A set of times made of spans that have a length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans(pub Ranges);

impl Spans {
    /// The union of some spans; those without length add nothing.
    pub fn union(spans: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut spans = spans.into_iter();
        let mut all = Vec::with_capacity(spans.size_hint().1.unwrap_or(0));
        while some(&mut spans, &mut all) {}
        Spans(union(all))
    }

    /// Time in it.
    pub fn total(&self) -> i64 {
        length(&self.0)
    }

    /// First and last moment.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// What both hold.
    pub fn intersection(&self, other: &Spans) -> Spans {
        Spans(common(&self.0, &other.0))
    }

    /// The part inside a span.
    pub fn within(&self, start: i64, end: i64) -> Spans {
        Spans(inside(&self.0, start, end).collect())
    }

    /// Time of it inside a span.
    pub fn total_within(&self, start: i64, end: i64) -> i64 {
        length_in(&self.0, start, end)
    }

    /// Whether any of it is in `start..end`.
    pub fn touches(&self, start: i64, end: i64) -> bool {
        let at = self.0.partition_point(|s| s.1 <= start);
        self.0.get(at).is_some_and(|s| s.0 < end)
    }

    /// What of `start..end` is not in it.
    pub fn gaps(&self, start: i64, end: i64) -> Spans {
        let first = self.0.partition_point(|s| s.1 <= start);
        let n = self.0[first..].partition_point(|s| s.0 < end);
        Spans(without(&[(start, end)], &self.0[first..first + n]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_intersections_and_gaps() {
        let a = Spans::union([(10, 20), (0, 5), (18, 30), (7, 7)]);
        assert_eq!((a.0.clone(), a.total(), a.bounds()), (vec![(0, 5), (10, 30)], 25, Some((0, 30))));
        let b = Spans::union([(3, 12), (29, 40)]);
        assert_eq!(a.intersection(&b).0, [(3, 5), (10, 12), (29, 30)]);
        assert_eq!(a.gaps(-5, 35).0, [(-5, 0), (5, 10), (30, 35)]);
        assert!(a.touches(4, 6) && a.touches(29, 99) && !a.touches(5, 10) && !a.touches(30, 99));
        assert_eq!(Spans::default().gaps(0, 4).0, [(0, 4)]);
        assert_eq!((a.within(2, 12).0, a.total_within(2, 12)), (vec![(2, 5), (10, 12)], 5));
        assert_eq!((a.within(5, 10).0, a.total_within(9, 9), a.within(12, 2).0), (vec![], 0, vec![]));
    }

    #[test]
    fn sets_of_time() {
        let a = union(vec![(20, 30), (0, 10), (10, 12), (25, 40), (50, 50)]);
        assert_eq!(a, [(0, 12), (20, 40), (50, 50)]);
        let b = [(5, 22), (30, 31), (39, 60)];
        assert_eq!(common(&a, &b), [(5, 12), (20, 22), (30, 31), (39, 40)]);
        assert_eq!(without(&a, &b), [(0, 5), (22, 30), (31, 39)]);
        assert_eq!(length(&a), 32);
        assert_eq!(inside(&a, 11, 21).collect::<Vec<_>>(), [(11, 12), (20, 21)]);
        assert_eq!(length_in(&a, 11, 21), 2);
        assert_eq!(without(&[(0, 10), (20, 30)], &[(5, 25)]), [(0, 5), (25, 30)]);
        assert_eq!(without(&[(0, 10)], &[]), [(0, 10)]);
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn parts_sum_to_the_whole(a in proptest::collection::vec((0i64..100, 0i64..30), 0..20), b in proptest::collection::vec((0i64..100, 0i64..30), 0..20)) {
            let set = |v: &[(i64, i64)]| union(v.iter().map(|&(s, d)| (s, s + d)).collect());
            let (a, b) = (set(&a), set(&b));
            let (both, rest) = (common(&a, &b), without(&a, &b));
            proptest::prop_assert_eq!(length(&both) + length(&rest), length(&a));
            proptest::prop_assert!(common(&rest, &b).is_empty());
            let all: Ranges = a.iter().chain(&b).chain(&[(40, 60)]).copied().collect();
            let sets = vec![a, b, vec![(40, 60)], vec![]];
            proptest::prop_assert_eq!(union_of_lanes(sets.clone()), union(all.clone()));
            proptest::prop_assert_eq!(union_of(sets), union(all));
        }
    }
}
