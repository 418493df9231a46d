//! Rows of a range of time: what touches it.

use super::{Part, Table, Values};
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use crate::model::Profile;

/// Tables that sum the entire run: a range of it has none.
pub(super) const OF_THE_RUN: [&str; 4] = ["Summary", "OpcodeSummary", "ThrottleSummary", "HbmUsageSummaryByType"];

/// Names of columns with a start and with an end or a duration.
const TIMES: [(&str, Option<&str>, Option<&str>); 4] =
    [("start_ts", Some("end_ts"), None), ("ts", None, Some("dur")), ("timestamp", None, None), ("ts", None, None)];

/// Whether a slice touches the range.
pub(super) fn touches(profile: &Profile, range: TimeRange, slice: SliceId) -> bool {
    let slices = &profile.slices;
    let times = slices.start.get(slice.index()).zip(slices.duration.get(slice.index()));
    times.is_some_and(|(start, duration)| range.touches(TimeNs(*start), DurationNs(*duration)))
}

/// Keeps the rows that touch the range by their times. A table of slices' ids alone keeps those of slices that touch it; one without times all rows.
pub(super) fn keep(profile: &Profile, table: &Table, part: &mut Part, range: TimeRange) {
    let ints = |name: &str| {
        let at = table.columns.iter().position(|c| c.name == name)?;
        match part.columns.get(at) {
            Some(Values::Ints(values)) => Some(values),
            _ => None,
        }
    };
    let by_times = TIMES.iter().find_map(|(start, end, duration)| {
        let starts = ints(start)?;
        let ends = end.and_then(ints);
        let durations = duration.and_then(ints);
        if (end.is_some() && ends.is_none()) || (duration.is_some() && durations.is_none()) {
            return None;
        }
        let duration = |row: usize, start: i64| match (ends, durations) {
            (Some(ends), _) => ends.get(row).copied().flatten().map_or(0, |end| end.saturating_sub(start)),
            (_, Some(durations)) => durations.get(row).copied().flatten().unwrap_or(0),
            _ => 0,
        };
        let touches = |(row, start): (usize, &Option<i64>)| {
            start.is_some_and(|start| range.touches(TimeNs(start), DurationNs(duration(row, start).max(0))))
        };
        Some(starts.iter().enumerate().map(touches).collect::<Vec<bool>>())
    });
    let by_slices = || {
        let of = |id: Option<i64>| id.and_then(|id| u32::try_from(id).ok()).is_some_and(|id| touches(profile, range, SliceId(id)));
        let (out, into) = (ints("slice_out")?, ints("slice_in")?);
        Some(out.iter().zip(into).map(|(a, b)| of(*a) && of(*b)).collect::<Vec<bool>>())
    };
    if let Some(mask) = by_times.or_else(by_slices) {
        part.n_rows = mask.iter().filter(|is_within| **is_within).count();
        part.columns.iter_mut().for_each(|values| values.retain(&mask));
    }
}
