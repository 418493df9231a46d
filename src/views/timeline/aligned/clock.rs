//! One clock for several profiles.

use crate::base::{DurationNs, Order as _, TimeNs, TimeRange, text};
use crate::engine::page_columns::PageColumns;
use std::sync::Arc;

/// A range, moved; times that do not fit end at the largest.
pub(crate) fn shifted(range: TimeRange, by: i64) -> TimeRange {
    TimeRange { start: TimeNs(range.start.0.saturating_add(by)), end: TimeNs(range.end.0.saturating_add(by)) }
}

/// What is added to each profile's times, and how that was found.
///
/// With wall-clock times of all origins, zero is the earliest of them; if then no two traces run at the same time, the clocks say nothing of what
/// belongs together. Then all begin at zero, as without recorded wall-clock times.
pub(crate) fn align(all: &[(String, Arc<PageColumns>)]) -> (Vec<i64>, String) {
    let metas = || all.iter().map(|(_, h)| &h.info.meta);
    let from_start: Vec<i64> = metas().map(|m| m.range.start.0.saturating_neg()).collect();
    let epochs: Option<Vec<i64>> = metas().map(|m| m.origin_epoch_ns).collect();
    let Some(epochs) = epochs else {
        return (
            from_start,
            "Not every trace records its wall-clock time: each starts at zero, so times of different workers are not comparable.".into(),
        );
    };
    let first = epochs.iter().copied().min().unwrap_or(0);
    let shifts: Vec<i64> = epochs.iter().map(|e| e.saturating_sub(first)).collect();
    let mut ranges: Vec<TimeRange> = metas().zip(&shifts).map(|(m, &s)| shifted(m.range, s)).collect();
    ranges.order_by_key(|r| r.start);
    let is_apart = ranges.windows(2).all(|w| w[0].end < w[1].start) && ranges.len() > 1;
    if is_apart {
        let gap = text::duration(ranges[ranges.len() - 1].start.since(ranges[0].end));
        return (from_start, format!("The traces do not overlap in wall-clock time (gap {gap}): each starts at zero."));
    }
    let spread = shifts.iter().copied().max().unwrap_or(0);
    (
        shifts,
        format!("Aligned by the wall-clock time of each trace's origin; the origins differ by {}.", text::duration(DurationNs(spread))),
    )
}
