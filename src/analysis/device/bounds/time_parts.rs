//! Time that adds up: sets of times cut into parts that do not overlap, and how sets overlap.

use crate::analysis::spans::{self, Ranges};
use crate::base::{DurationNs, TimeRange};
use serde::{Deserialize, Serialize};

/// What can be busy on a physical core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// The Tensor engine.
    Tensor,
    /// The Vector engine.
    Vector,
    /// The Scalar engine.
    Scalar,
    /// The GpSimd engine.
    GpSimd,
    /// Any DMA queue.
    Dma,
    /// The Sync engine.
    Sync,
}

impl Part {
    /// All, in the order in which time is assigned unless the user chooses another one.
    pub const ALL: [Part; 6] = [Part::Tensor, Part::Vector, Part::Scalar, Part::GpSimd, Part::Dma, Part::Sync];

    /// As on the timeline.
    pub fn label(self) -> &'static str {
        match self {
            Part::Tensor => "Tensor",
            Part::Vector => "Vector",
            Part::Scalar => "Scalar",
            Part::GpSimd => "GpSimd",
            Part::Dma => "DMA",
            Part::Sync => "Sync",
        }
    }

    /// As answers of the command line name it.
    pub fn id(self) -> &'static str {
        match self {
            Part::Tensor => "tensor",
            Part::Vector => "vector",
            Part::Scalar => "scalar",
            Part::GpSimd => "gpsimd",
            Part::Dma => "dma",
            Part::Sync => "sync",
        }
    }

    /// The part of that id or label.
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|p| p.id().eq_ignore_ascii_case(name))
    }

    /// Its place in [`Part::ALL`].
    pub fn place(self) -> usize {
        self as usize
    }
}

/// A complete order of the parts: those of `wanted` first, each once, then the others as in [`Part::ALL`].
pub fn order(wanted: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in wanted.iter().copied().chain(Part::ALL) {
        if !out.contains(&part) {
            out.push(part);
        }
    }
    out
}

/// Time assigned to one part, or to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusiveTime {
    /// `None` is idle time.
    pub part: Option<Part>,
    /// How long.
    pub time: DurationNs,
}

/// Cuts `range` into the times of each part: an instant belongs to the first part of `order` that is busy then; what is left is idle, and comes
/// last. The sets do not overlap, and cover the range. `sets` by [`Part::place`].
pub fn cut(sets: &[Ranges; 6], order: &[Part], range: TimeRange) -> Vec<(Option<Part>, Ranges)> {
    let mut left = if range.start < range.end { vec![(range.start.0, range.end.0)] } else { Ranges::new() };
    let mut out = Vec::with_capacity(order.len() + 1);
    for part in order {
        let set = &sets[part.place()];
        out.push((Some(*part), spans::common(&left, set)));
        left = spans::without(&left, set);
    }
    out.push((None, left));
    out
}

/// How long the parts of [`cut`] are in several windows of that range, as a disjoint set. The times add up to the length of the windows exactly.
pub fn lengths_within(parts: &[(Option<Part>, Ranges)], windows: &[(i64, i64)]) -> Vec<ExclusiveTime> {
    parts.iter().map(|(part, set)| ExclusiveTime { part: *part, time: DurationNs(spans::length_of_common(set, windows)) }).collect()
}

/// How long the parts of [`cut`] are. The times add up to the length of the range exactly.
pub fn exclusive(sets: &[Ranges; 6], order: &[Part], range: TimeRange) -> Vec<ExclusiveTime> {
    lengths(cut(sets, order, range))
}

fn lengths(parts: Vec<(Option<Part>, Ranges)>) -> Vec<ExclusiveTime> {
    parts.into_iter().map(|(part, set)| ExclusiveTime { part, time: DurationNs(spans::length(&set)) }).collect()
}

/// How long two parts were busy at the same time, one of them alone, and neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The first one.
    pub a: Part,
    /// The second one.
    pub b: Part,
    /// Both busy.
    pub both: DurationNs,
    /// Only `a` busy.
    pub only_a: DurationNs,
    /// Only `b` busy.
    pub only_b: DurationNs,
    /// Neither busy.
    pub none: DurationNs,
}

/// Every pair of parts once. `sets` by [`Part::place`], clipped to the range.
pub fn overlaps(sets: &[Ranges; 6], range: TimeRange) -> Vec<Overlap> {
    let total = range.duration().0;
    let busy: Vec<i64> = sets.iter().map(|s| spans::length(s)).collect();
    let mut out = Vec::with_capacity(15);
    for (i, a) in Part::ALL.into_iter().enumerate() {
        for b in Part::ALL.into_iter().skip(i + 1) {
            let both = spans::length_of_common(&sets[a.place()], &sets[b.place()]);
            let (only_a, only_b) = (busy[a.place()] - both, busy[b.place()] - both);
            let none = total - both - only_a - only_b;
            out.push(Overlap {
                a,
                b,
                both: DurationNs(both),
                only_a: DurationNs(only_a),
                only_b: DurationNs(only_b),
                none: DurationNs(none),
            });
        }
    }
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::combinations::combinations;
    use crate::base::TimeNs;
    use proptest::prelude::*;

    fn range(start: i64, end: i64) -> TimeRange {
        TimeRange { start: TimeNs(start), end: TimeNs(end) }
    }

    fn clipped(set: &[(i64, i64)], within: TimeRange) -> Ranges {
        spans::inside(set, within.start.0, within.end.0).collect()
    }

    #[test]
    fn time_belongs_to_the_first_busy_part_of_the_order() {
        let mut sets: [Ranges; 6] = Default::default();
        sets[Part::Tensor.place()] = vec![(0, 10), (20, 30)];
        sets[Part::Dma.place()] = vec![(5, 25)];
        let times = |order: &[Part]| {
            let all = exclusive(&sets, &super::order(order), range(0, 40));
            let of = |part| all.iter().find(|t| t.part == part).map(|t| t.time.0);
            (of(Some(Part::Tensor)), of(Some(Part::Dma)), of(Some(Part::Vector)), of(None))
        };
        assert_eq!(times(&[]), (Some(20), Some(10), Some(0), Some(10)));
        assert_eq!(times(&[Part::Dma]), (Some(10), Some(20), Some(0), Some(10)));
        let pair = overlaps(&sets, range(0, 40)).into_iter().find(|o| (o.a, o.b) == (Part::Tensor, Part::Dma));
        assert_eq!(pair.map(|o| [o.both.0, o.only_a.0, o.only_b.0, o.none.0]), Some([10, 10, 10, 10]));
    }

    #[test]
    fn an_empty_range_has_no_time() {
        let sets: [Ranges; 6] = Default::default();
        assert!(exclusive(&sets, &Part::ALL, range(7, 7)).iter().all(|t| t.time.0 == 0));
    }

    #[test]
    fn an_order_is_complete_and_names_each_part_once() {
        assert_eq!(order(&[Part::Sync, Part::Sync])[..2], [Part::Sync, Part::Tensor]);
        assert_eq!(order(&[]), Part::ALL);
        assert_eq!(Part::named("gpsimd"), Some(Part::GpSimd));
        assert!(Part::ALL.into_iter().enumerate().all(|(i, p)| p.place() == i));
    }

    fn sets() -> impl Strategy<Value = Vec<Ranges>> {
        let set = prop::collection::vec((-50i64..150, 1i64..30), 0..12)
            .prop_map(|all| spans::union(all.into_iter().map(|(s, n)| (s, s + n)).collect()));
        prop::collection::vec(set, 6)
    }

    proptest! {
        #[test]
        fn parts_and_overlaps_add_up(sets in sets(), start in -60i64..160, length in 0i64..120, first in 0usize..6) {
            let within = range(start, start + length);
            let clipped: [Ranges; 6] = std::array::from_fn(|i| clipped(&sets[i], within));
            for sets in [&clipped, &std::array::from_fn(|i| sets[i].clone())] {
                let parts = exclusive(sets, &order(&[Part::ALL[first]]), within);
                prop_assert_eq!(parts.iter().map(|p| p.time.0).sum::<i64>(), length);
                // The first one has all its busy time.
                prop_assert_eq!(parts[0].time.0, spans::length(&clipped[first]));
            }
            let views: Vec<&[(i64, i64)]> = sets.iter().map(|s| s.as_slice()).collect();
            let all = combinations(&views, within);
            let busy = |k: usize| all.iter().filter(|s| s.0 & (1 << k) != 0).map(|s| s.1.0).sum::<i64>();
            for (k, set) in clipped.iter().enumerate() {
                prop_assert_eq!(busy(k), spans::length(set));
            }
            for o in overlaps(&clipped, within) {
                prop_assert!([o.both, o.only_a, o.only_b, o.none].iter().all(|t| t.0 >= 0));
                prop_assert_eq!(o.both.0 + o.only_a.0 + o.only_b.0 + o.none.0, length);
            }
        }
    }
}
