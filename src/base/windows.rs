//! Parts of a profile's time, set end to end: the time of a region that has several windows.
//!
//! Condensed time begins at the start of the first window and runs only inside windows: what is between two of them has no length.

use super::{DurationNs, Order as _, TimeNs, TimeRange};

/// Ranges of time by start; none overlaps or touches another, none is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Windows {
    ranges: Vec<TimeRange>,
    /// Length of all ranges before each.
    before: Vec<i64>,
}

impl Windows {
    /// The union of ranges in any order.
    pub fn new(mut ranges: Vec<TimeRange>) -> Self {
        ranges.retain(|r| r.start < r.end);
        ranges.order_by_key(|r| (r.start, r.end));
        let mut out = Windows::default();
        for range in ranges {
            match out.ranges.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => out.ranges.push(range),
            }
        }
        let mut sum = 0i64;
        for range in &out.ranges {
            out.before.push(sum);
            sum = sum.saturating_add(range.duration().0);
        }
        out
    }

    /// The ranges, by start.
    pub fn ranges(&self) -> &[TimeRange] {
        &self.ranges
    }

    /// From the first start to the last end; `None` without a window.
    pub fn wall(&self) -> Option<TimeRange> {
        Some(TimeRange { start: self.ranges.first()?.start, end: self.ranges.last()?.end })
    }

    /// Length of all windows.
    pub fn length(&self) -> DurationNs {
        let last = self.ranges.last().zip(self.before.last());
        last.map_or(DurationNs(0), |(range, before)| DurationNs(before.saturating_add(range.duration().0)))
    }

    /// Whether a moment is in a window.
    pub fn holds(&self, time: TimeNs) -> bool {
        let after = self.ranges.partition_point(|r| r.start <= time);
        after.checked_sub(1).is_some_and(|at| time < self.ranges[at].end)
    }

    /// The condensed time of a moment; one between two windows has that of the second one's start.
    pub fn condensed(&self, time: TimeNs) -> TimeNs {
        let Some(first) = self.ranges.first() else { return time };
        let Some(at) = self.ranges.partition_point(|r| r.start <= time).checked_sub(1) else { return first.start };
        let inside = time.min(self.ranges[at].end).since(self.ranges[at].start);
        first.start.after(DurationNs(self.before[at])).after(inside)
    }

    /// The moment of a condensed time. Where two windows meet, the end of the first one if it `is_end`, else the start of the second one.
    pub fn expanded(&self, time: TimeNs, is_end: bool) -> TimeNs {
        let Some(first) = self.ranges.first() else { return time };
        if time < first.start {
            return time;
        }
        let offset = time.since(first.start).0;
        let is_before = |before: &i64| if is_end { *before < offset } else { *before <= offset };
        let at = self.before.partition_point(is_before).saturating_sub(1);
        self.ranges[at].start.after(DurationNs(offset - self.before[at]))
    }

    /// The time that both have.
    pub fn common(&self, other: &Windows) -> Windows {
        let cut = |a: &TimeRange, b: &TimeRange| {
            (a.start.max(b.start) < a.end.min(b.end)).then(|| TimeRange { start: a.start.max(b.start), end: a.end.min(b.end) })
        };
        let (mut at, mut out) = (0, Vec::new());
        for range in &self.ranges {
            while other.ranges.get(at).is_some_and(|o| o.end <= range.start) {
                at += 1;
            }
            out.extend(other.ranges[at..].iter().take_while(|o| o.start < range.end).filter_map(|o| cut(range, o)));
        }
        Windows::new(out)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(start: i64, end: i64) -> TimeRange {
        TimeRange { start: TimeNs(start), end: TimeNs(end) }
    }

    #[test]
    fn time_runs_only_inside_windows() {
        let windows = Windows::new(vec![range(40, 50), range(10, 20), range(15, 30), range(60, 60)]);
        assert_eq!(windows.ranges(), [range(10, 30), range(40, 50)]);
        assert_eq!((windows.wall(), windows.length()), (Some(range(10, 50)), DurationNs(30)));
        let condensed = |t| windows.condensed(TimeNs(t)).0;
        assert_eq!([0, 10, 25, 30, 35, 40, 45, 50, 99].map(condensed), [10, 10, 25, 30, 30, 30, 35, 40, 40]);
        let expanded = |t, is_end| windows.expanded(TimeNs(t), is_end).0;
        assert_eq!([expanded(10, false), expanded(30, false), expanded(30, true), expanded(40, true)], [10, 40, 30, 50]);
        assert!(windows.holds(TimeNs(10)) && !windows.holds(TimeNs(30)) && !windows.holds(TimeNs(9)));
        assert_eq!(
            windows.common(&Windows::new(vec![range(0, 12), range(28, 45)])).ranges(),
            [range(10, 12), range(28, 30), range(40, 45)]
        );
        let none = Windows::default();
        assert_eq!(
            (none.wall(), none.length(), none.condensed(TimeNs(5)), none.expanded(TimeNs(5), true)),
            (None, DurationNs(0), TimeNs(5), TimeNs(5))
        );
    }

    proptest! {
        /// A moment in a window comes back, and lengths are those of the common part.
        #[test]
        fn moments_come_back(parts in prop::collection::vec((-50i64..500, 0i64..40), 1..12), from in -80i64..600, length in 0i64..300) {
            let windows = Windows::new(parts.into_iter().map(|(start, n)| range(start, start + n)).collect());
            prop_assume!(windows.wall().is_some());
            let (start, end) = (TimeNs(from), TimeNs(from + length));
            let inside: i64 = windows.ranges().iter().map(|r| r.overlap(start, DurationNs(length)).0).sum();
            prop_assert_eq!(windows.condensed(end).since(windows.condensed(start)).0, inside);
            if windows.holds(start) {
                prop_assert_eq!(windows.expanded(windows.condensed(start), false), start);
            }
        }
    }
}
