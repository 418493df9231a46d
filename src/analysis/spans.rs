//! Sets of moments: unions of slices, and how two such sets lie to each other.

use crate::base::in_parts;

/// Disjoint spans (start, end), ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans(pub Vec<(i64, i64)>);

/// Adds a span to some; one that touches the last and begins no earlier extends it, so that what comes by start takes little room.
pub fn push(spans: &mut Vec<(i64, i64)>, span: (i64, i64)) {
    match spans.last_mut() {
        Some(last) if last.0 <= span.0 && span.0 <= last.1 => last.1 = last.1.max(span.1),
        _ => spans.push(span),
    }
}

/// Takes some of `spans`, without those that have no length; whether more may come. Called again and again, for the reason of [`in_parts`].
#[inline(never)]
fn some(spans: &mut impl Iterator<Item = (i64, i64)>, all: &mut Vec<(i64, i64)>) -> bool {
    for _ in 0..1 << 14 {
        let Some(span) = spans.next() else { return false };
        if span.1 > span.0 {
            all.push(span);
        }
    }
    true
}

impl Spans {
    /// The union of some spans; those without length add nothing.
    pub fn union(spans: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut spans = spans.into_iter();
        let mut all = Vec::with_capacity(spans.size_hint().1.unwrap_or(0));
        while some(&mut spans, &mut all) {}
        // The slices of a lane come in order; several lanes are as many runs, which a stable sort merges.
        if !all.is_sorted() {
            all.sort();
        }
        // Joined where they stand: what is written never passes what is read.
        let mut n = 0;
        in_parts(all.len(), &mut |part| {
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
        Spans(all)
    }

    /// Time in it.
    pub fn total(&self) -> i64 {
        self.0.iter().fold(0, |sum, s| sum.saturating_add(s.1.saturating_sub(s.0)))
    }

    /// First and last moment.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// What both hold.
    pub fn intersection(&self, other: &Spans) -> Spans {
        let (mut i, mut j) = (0, 0);
        let mut out = Vec::new();
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            let (start, end) = (a.0.max(b.0), a.1.min(b.1));
            if start < end {
                out.push((start, end));
            }
            if a.1 <= b.1 { i += 1 } else { j += 1 }
        }
        Spans(out)
    }

    /// The part inside a span.
    pub fn within(&self, start: i64, end: i64) -> Spans {
        Spans(self.inside(start, end).collect())
    }

    /// Time of it inside a span.
    pub fn total_within(&self, start: i64, end: i64) -> i64 {
        self.inside(start, end).fold(0, |sum, s| sum.saturating_add(s.1.saturating_sub(s.0)))
    }

    /// The parts inside a span, one by one; found without a look at what stands before it.
    fn inside(&self, start: i64, end: i64) -> impl Iterator<Item = (i64, i64)> {
        let first = self.0.partition_point(|s| s.1 <= start);
        let touching = self.0[first..].iter().take_while(move |s| s.0 < end);
        touching.map(move |s| (s.0.max(start), s.1.min(end))).filter(|s| s.0 < s.1)
    }

    /// Whether any of it lies in `start..end`.
    pub fn touches(&self, start: i64, end: i64) -> bool {
        let at = self.0.partition_point(|s| s.1 <= start);
        self.0.get(at).is_some_and(|s| s.0 < end)
    }

    /// What of `start..end` is not in it.
    pub fn gaps(&self, start: i64, end: i64) -> Spans {
        let mut at = start;
        let mut out = Vec::new();
        for (from, to) in self.inside(start, end) {
            if from > at {
                out.push((at, from));
            }
            at = to;
        }
        if end > at {
            out.push((at, end));
        }
        Spans(out)
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
}
