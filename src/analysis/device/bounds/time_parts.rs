//! Time that adds up: sets of times cut into parts that do not overlap, and how sets overlap.

use crate::analysis::combinations::{each_stretch, in_order};
use crate::analysis::spans::{self, Ranges};
use crate::base::{DurationNs, TimeRange, first_position_near};
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

/// The sets by [`Part::place`], as combinations take them.
pub fn views(sets: &[Ranges; 6]) -> [&[(i64, i64)]; 6] {
    sets.each_ref().map(Vec::as_slice)
}

/// Calls `found` with spans that cover `range`, by start, and the place in `order` of the part that each belongs to: the first that is busy then;
/// that behind the last one is idle. Several spans that follow each other can have one part.
fn each_owned(sets: &[Ranges; 6], order: &[Part], range: TimeRange, mut found: impl FnMut((i64, i64), usize)) {
    let owner = |bits: usize| order.iter().position(|part| bits >> part.place() & 1 == 1).unwrap_or(order.len());
    let owners: [usize; 1 << 6] = std::array::from_fn(owner);
    each_stretch(&views(sets), range, |start, end, bits| found((start, end), owners[bits as usize]));
}

/// Parts in an order, with idle time behind them.
fn with_idle(order: &[Part]) -> impl Iterator<Item = Option<Part>> {
    order.iter().copied().map(Some).chain([None])
}

/// Cuts `range` into the times of each part: an instant belongs to the first part of `order` that is busy then; what is left is idle, and comes
/// last. The sets do not overlap, and cover the range. `sets` by [`Part::place`].
pub fn cut(sets: &[Ranges; 6], order: &[Part], range: TimeRange) -> Vec<(Option<Part>, Ranges)> {
    let mut out: Vec<(Option<Part>, Ranges)> = with_idle(order).map(|part| (part, Ranges::new())).collect();
    each_owned(sets, order, range, |span, owner| spans::push(&mut out[owner].1, span));
    out.iter_mut().for_each(|part| part.1.shrink_to_fit());
    out
}

/// Which part each instant of a range belongs to, for looks at many windows of it.
pub struct Owners {
    order: Vec<Part>,
    /// Where each span begins, ascending; the last one ends with the range.
    starts: Vec<i64>,
    /// The place of each one's part in `order`; that behind the last is idle.
    owners: Vec<u8>,
    range: TimeRange,
}

/// Time of each part, in the order of its [`Owners`], and of none.
pub type OwnedTimes = [i64; 7];

impl Owners {
    /// Those of a range; `order` as [`order`] gives it.
    pub fn of(sets: &[Ranges; 6], order: Vec<Part>, range: TimeRange) -> Self {
        // There cannot be more; what is not used costs nothing but addresses.
        let most = sets.iter().map(|set| 2 * set.len()).sum::<usize>() + 1;
        let (mut starts, mut owners) = (Vec::with_capacity(most), Vec::with_capacity(most));
        each_owned(sets, &order, range, |span, owner| {
            if owners.last() != Some(&(owner as u8)) {
                starts.push(span.0);
                owners.push(owner as u8);
            }
        });
        Owners { order, starts, owners, range }
    }

    /// Adds the time of each part in a window; what is outside of the range counts for none. `near` is where to look first: 0, or what the look at a
    /// window nearby has left there.
    pub fn add_within(&self, window: (i64, i64), near: &mut usize, times: &mut OwnedTimes) {
        let (mut from, end) = (window.0.max(self.range.start.0), window.1.min(self.range.end.0));
        if from >= end {
            return;
        }
        *near = first_position_near(0..self.starts.len(), *near, |k| self.starts[k] > from);
        // The span that holds the start of the window.
        let mut at = near.saturating_sub(1);
        while let Some(owner) = self.owners.get(at).filter(|_| from < end) {
            let until = self.starts.get(at + 1).map_or(end, |next| end.min(*next));
            let time = &mut times[usize::from(*owner)];
            *time = time.saturating_add(until.saturating_sub(from));
            (from, at) = (until, at + 1);
        }
    }

    /// Sums of [`Owners::add_within`] with their parts, idle last.
    pub fn named(&self, times: &OwnedTimes) -> Vec<ExclusiveTime> {
        with_idle(&self.order).zip(times).map(|(part, time)| ExclusiveTime { part, time: DurationNs(*time) }).collect()
    }
}

/// How long each part has of the time in all combinations of busy parts, in an order as [`order`] gives it, idle last. The times add up to it exactly.
pub fn exclusive(all: &[(u32, DurationNs)], order: &[Part]) -> Vec<ExclusiveTime> {
    let places: Vec<u32> = order.iter().map(|part| part.place() as u32).collect();
    with_idle(order).zip(in_order(all, &places)).map(|(part, time)| ExclusiveTime { part, time }).collect()
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

/// Every pair of parts once, from the time in all combinations of busy parts.
pub fn overlaps(all: &[(u32, DurationNs)]) -> Vec<Overlap> {
    let time_where = |is_it: &dyn Fn(u32) -> bool| {
        let sum = all.iter().filter(|(bits, _)| is_it(*bits)).fold(0i64, |sum, t| sum.saturating_add(t.1.0));
        DurationNs(sum)
    };
    let is_busy = |part: Part, bits: u32| bits >> part.place() & 1 == 1;
    let mut out = Vec::with_capacity(15);
    for (i, a) in Part::ALL.into_iter().enumerate() {
        for b in Part::ALL.into_iter().skip(i + 1) {
            let busy = |of_a, of_b| time_where(&|bits| is_busy(a, bits) == of_a && is_busy(b, bits) == of_b);
            out.push(Overlap {
                a,
                b,
                both: busy(true, true),
                only_a: busy(true, false),
                only_b: busy(false, true),
                none: busy(false, false),
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
            let all = exclusive(&combinations(&views(&sets), range(0, 40)), &super::order(order));
            let of = |part| all.iter().find(|t| t.part == part).map(|t| t.time.0);
            (of(Some(Part::Tensor)), of(Some(Part::Dma)), of(Some(Part::Vector)), of(None))
        };
        assert_eq!(times(&[]), (Some(20), Some(10), Some(0), Some(10)));
        assert_eq!(times(&[Part::Dma]), (Some(10), Some(20), Some(0), Some(10)));
        let pair = overlaps(&combinations(&views(&sets), range(0, 40))).into_iter().find(|o| (o.a, o.b) == (Part::Tensor, Part::Dma));
        assert_eq!(pair.map(|o| [o.both.0, o.only_a.0, o.only_b.0, o.none.0]), Some([10, 10, 10, 10]));
    }

    #[test]
    fn an_empty_range_has_no_time() {
        let sets: [Ranges; 6] = Default::default();
        assert!(exclusive(&combinations(&views(&sets), range(7, 7)), &Part::ALL).iter().all(|t| t.time.0 == 0));
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
                let parts = exclusive(&combinations(&views(sets), within), &order(&[Part::ALL[first]]));
                let cut: Vec<(Option<Part>, i64)> = cut(sets, &order(&[Part::ALL[first]]), within).iter().map(|p| (p.0, spans::length(&p.1))).collect();
                prop_assert_eq!(&cut, &parts.iter().map(|p| (p.part, p.time.0)).collect::<Vec<_>>());
                prop_assert_eq!(parts.iter().map(|p| p.time.0).sum::<i64>(), length);
                // The first one has all its busy time.
                prop_assert_eq!(parts[0].time.0, spans::length(&clipped[first]));
            }
            let sets: [Ranges; 6] = std::array::from_fn(|i| sets[i].clone());
            let parts = order(&[Part::ALL[first]]);
            let owners = Owners::of(&sets, parts.clone(), within);
            let (mut times, mut near) = (OwnedTimes::default(), 0);
            owners.add_within((i64::MIN, i64::MAX), &mut near, &mut times);
            prop_assert_eq!(owners.named(&times), exclusive(&combinations(&views(&sets), within), &parts));
            // Windows as another set has them.
            let (mut times, mut want) = (OwnedTimes::default(), OwnedTimes::default());
            for window in sets[5].iter().rev().chain(&sets[5]) {
                owners.add_within(*window, &mut near, &mut times);
                let window = range(window.0.max(start), window.1.min(start + length));
                let of_window = exclusive(&combinations(&views(&sets), window), &parts);
                want.iter_mut().zip(of_window).for_each(|(sum, part)| *sum += part.time.0);
            }
            prop_assert_eq!(times, want);
            let all = combinations(&views(&sets), within);
            let busy = |k: usize| all.iter().filter(|s| s.0 & (1 << k) != 0).map(|s| s.1.0).sum::<i64>();
            for (k, set) in clipped.iter().enumerate() {
                prop_assert_eq!(busy(k), spans::length(set));
            }
            for o in overlaps(&all) {
                let both = spans::length(&spans::common(&clipped[o.a.place()], &clipped[o.b.place()]));
                prop_assert_eq!((o.both.0, o.both.0 + o.only_a.0), (both, busy(o.a.place())));
                prop_assert!([o.both, o.only_a, o.only_b, o.none].iter().all(|t| t.0 >= 0));
                prop_assert_eq!(o.both.0 + o.only_a.0 + o.only_b.0 + o.none.0, length);
            }
        }
    }
}
