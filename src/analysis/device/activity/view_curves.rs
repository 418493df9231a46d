//! Curves of a core for the part of the run that is in view: means since its start, throughput smoothed to its width.

use crate::analysis::device::activity::curves::{throughput, utilization};
use crate::base::{TimeRange, TrackId};
use crate::model::{NeuronDevice, Profile};
use serde::{Deserialize, Serialize};

/// Parts of the view that smoothed throughput is the mean of.
pub const N_SMOOTH: i64 = 100;

/// Which curves are wanted instead of those of the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CurvesQuery {
    /// What is in view.
    pub window: TimeRange,
    /// Cumulative curves begin with the view, not with the run.
    pub is_from_view: bool,
    /// Throughput is the mean of each hundredth of the view, not each step of the file.
    pub is_smooth: bool,
}

/// A curve of the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewCurve {
    /// The core's group of rows.
    pub group: Option<TrackId>,
    /// Name of the row with the replaced curve.
    pub name: String,
    /// Times, ascending, nanoseconds; none is after the end of the view.
    pub times: Vec<i64>,
    /// One per time, in force until the next, in the unit of the row.
    pub values: Vec<f64>,
}

/// The curves that differ from those of the run.
pub fn view_curves(profile: &Profile, device: &NeuronDevice, query: &CurvesQuery) -> Vec<ViewCurve> {
    let (run, drawn) = (crate::analysis::device::waiting::gaps::whole(profile), profile.meta.range);
    let run = TimeRange { start: run.start.min(drawn.start), end: run.end.max(drawn.end) };
    let window = TimeRange::new(query.window.start.max(run.start), query.window.end.min(run.end));
    let mut out = Vec::new();
    if window.start >= window.end {
        return out;
    }
    for counter in &profile.counters {
        let track = &profile.tracks[counter.track.index()];
        let (name, Some(series)) = (profile.strings.get(track.name), counter.series.first()) else { continue };
        if !matches!(name, "HBM Throughput" | "DMA Throughput") {
            continue;
        }
        if query.is_smooth {
            let (times, values) = smooth(&counter.times, &series.values, window);
            out.push(ViewCurve { group: track.parent, name: name.into(), times, values });
        }
    }
    if query.is_from_view {
        let lines = throughput(profile, device, window).into_iter().chain(utilization(profile, device, window));
        out.extend(lines.filter(|l| l.name.contains("Cumulative")).map(|l| ViewCurve {
            group: l.group,
            name: l.name.into(),
            times: l.times,
            values: l.values,
        }));
    }
    out
}

/// The part of a curve that is in `window`, with the value in force at its start (0 before the first) and its end as the last time.
fn within(times: &[i64], values: &[f64], window: TimeRange) -> (Vec<i64>, Vec<f64>) {
    let (from, to) = (times.partition_point(|t| *t <= window.start.0), times.partition_point(|t| *t < window.end.0));
    let at = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let mut out = (vec![window.start.0], vec![from.checked_sub(1).map_or(0.0, at)]);
    let inner = times.get(from..to).unwrap_or_default();
    out.0.extend(inner);
    out.1.extend((from..from + inner.len()).map(at));
    out.0.push(window.end.0);
    out.1.push(*out.1.last().unwrap_or(&0.0));
    out
}

/// The mean of a curve over each hundredth of `window`; the last time is its end.
fn smooth(times: &[i64], values: &[f64], window: TimeRange) -> (Vec<i64>, Vec<f64>) {
    let (times, values) = within(times, values, window);
    let length = window.duration().0;
    let step = length / N_SMOOTH + i64::from(length % N_SMOOTH != 0);
    let mut out = (Vec::new(), Vec::new());
    let (mut at, mut i) = (window.start.0, 0);
    while at < window.end.0 {
        let end = at.saturating_add(step).min(window.end.0);
        let mut sum = 0.0;
        let mut from = at;
        while from < end {
            let until = times.get(i + 1).copied().unwrap_or(i64::MAX).min(end);
            sum += values[i] * (until - from) as f64;
            from = until;
            i += usize::from(until < end || times.get(i + 1) == Some(&end));
        }
        out.0.push(at);
        out.1.push(sum / (end - at) as f64);
        at = end;
    }
    out.0.push(window.end.0);
    out.1.push(*out.1.last().unwrap_or(&0.0));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn range(from: i64, to: i64) -> TimeRange {
        TimeRange::new(TimeNs(from), TimeNs(to))
    }

    #[test]
    fn a_curve_in_view_begins_with_what_is_in_force() {
        let (times, values) = ([0, 10, 20, 40], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(within(&times, &values, range(15, 30)), (vec![15, 20, 30], vec![2.0, 3.0, 3.0]));
        assert_eq!(within(&times, &values, range(-5, 10)), (vec![-5, 0, 10], vec![0.0, 1.0, 1.0]));
        assert_eq!(within(&[], &[], range(0, 5)), (vec![0, 5], vec![0.0, 0.0]));
    }

    #[test]
    fn smoothing_keeps_the_sum() {
        let (times, values) = ([0, 7, 250, 251, 900], [5.0, 0.0, 100.0, 1.0, 3.0]);
        let (at, means) = smooth(&times, &values, range(0, 1000));
        assert_eq!((at.len(), means.len(), at[1], at[100]), (101, 101, 10, 1000));
        assert_eq!((means[0], means[25], means[99]), (3.5, (100.0 + 9.0) / 10.0, 3.0));
        let sum: f64 = means[..100].iter().map(|m| m * 10.0).sum();
        assert!((sum - (35.0 + 100.0 + 649.0 + 300.0)).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn a_view_of_some_nanoseconds_has_fewer_parts() {
        let (at, means) = smooth(&[0, 2], &[1.0, 3.0], range(1, 4));
        assert_eq!((at, means), (vec![1, 2, 3, 4], vec![1.0, 3.0, 3.0, 3.0]));
    }

    #[test]
    fn a_view_of_all_time_has_no_more_parts() {
        let (at, means) = smooth(&[0], &[2.0], range(0, i64::MAX));
        assert_eq!((at.len(), means[0]), (101, 2.0));
    }
}
