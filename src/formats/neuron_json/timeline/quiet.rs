//! Curves of throughput while nothing moves.

use crate::base::{TrackId, for_each_chunk};
use crate::model::{Counter, Profile, TrackKind};

/// Names of the rows of throughput that transfers record.
const ROW: &str = "DMA Throughput";

/// Puts a rate of 0 where a core's last transfer ended: profilers write a rate with each change, but often none when transfers stop, and the last one
/// would stay in force until the next begins. Cores without transfers keep their curve, and so do rows of `stepped`, which have 0 where nothing moves.
pub(super) fn quiet(profile: &mut Profile, stepped: &[TrackId]) {
    let mut counters = std::mem::take(&mut profile.counters);
    for counter in counters.iter_mut().filter(|counter| !stepped.contains(&counter.track)) {
        let track = &profile.tracks[counter.track.index()];
        if let (true, Some(core)) = (profile.strings.get(track.name) == ROW, track.parent) {
            let reach = reach(profile, core.0, &counter.times);
            insert(counter, &reach);
        }
    }
    profile.counters = counters;
}

/// For each sample the last end of the transfers that start before the next sample; `i64::MIN` if none.
fn reach(profile: &Profile, core: u32, times: &[i64]) -> Vec<i64> {
    let mut out = vec![i64::MIN; times.len()];
    let is_below = |mut track: u32| loop {
        match profile.tracks[track as usize].parent {
            Some(parent) if parent.0 == core => break true,
            // A group precedes its children.
            Some(parent) if parent.0 < track => track = parent.0,
            _ => break false,
        }
    };
    for lane in &profile.lanes {
        if profile.tracks[lane.track.index()].kind != TrackKind::Queue || !is_below(lane.track.0) {
            continue;
        }
        let (first, end) = (lane.first as usize, lane.end as usize);
        let mut at = 0;
        for_each_chunk(end - first, &mut |part| {
            for i in part.map(|k| first + k) {
                let start = profile.slices.start[i];
                at += ahead(&times[at..], start);
                // Before the first sample there is nothing in force.
                if let Some(most) = at.checked_sub(1).and_then(|sample| out.get_mut(sample)) {
                    *most = (*most).max(profile.slices.end(i));
                }
            }
        });
    }
    let mut most = i64::MIN;
    for end in &mut out {
        most = most.max(*end);
        *end = most;
    }
    out
}

/// How many of `times`, which ascend, are not after `time`; quick where these are few.
fn ahead(times: &[i64], time: i64) -> usize {
    let mut most = 1;
    while most < times.len() && times[most - 1] <= time {
        most *= 2;
    }
    times[..most.min(times.len())].partition_point(|t| *t <= time)
}

/// Makes samples 0 at which nothing moves, and puts a 0 where the last transfer ends before the next sample.
fn insert(counter: &mut Counter, reach: &[i64]) {
    // Without any transfer nothing is known of when they ran.
    if reach.last().is_none_or(|most| *most == i64::MIN) {
        return;
    }
    let times = &counter.times;
    let Some(rates) = counter.series.first_mut().map(|s| &mut s.values) else { return };
    let mut after: Vec<(usize, i64)> = Vec::new();
    for (i, rate) in rates.iter_mut().enumerate().filter(|r| *r.1 != 0.0) {
        let next = times.get(i + 1).copied().unwrap_or(i64::MAX);
        match reach.get(i) {
            Some(end) if *end <= times[i] => *rate = 0.0,
            Some(end) if *end < next => after.push((i, *end)),
            _ => (),
        }
    }
    if !after.is_empty() {
        *rates = with(rates, &after, |_| 0.0);
        counter.times = with(&counter.times, &after, |time| time);
    }
}

/// `values` with a further value after each position in `after`, made from its time.
fn with<T: Copy>(values: &[T], after: &[(usize, i64)], make: impl Fn(i64) -> T) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len() + after.len());
    let mut from = 0;
    for (at, time) in after {
        let to = (at + 1).min(values.len());
        out.extend_from_slice(&values[from.min(to)..to]);
        out.push(make(*time));
        from = to;
    }
    out.extend_from_slice(&values[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Series;

    #[test]
    fn a_rate_ends_with_the_last_transfer() {
        let check = |times: &[i64], rates: &[f64], reach: &[i64], want: &[(i64, f64)]| {
            let series = vec![Series { name: "transfer rate".into(), values: rates.into() }];
            let mut counter = Counter { track: TrackId(0), unit: "B/s".into(), is_stacked: false, times: times.into(), series };
            insert(&mut counter, reach);
            let got: Vec<(i64, f64)> = counter.times.iter().copied().zip(counter.series[0].values.iter().copied()).collect();
            assert_eq!(got, want);
        };
        // The first transfers end at 8, the next at 30; the last sample is after all of them.
        check(&[0, 5, 20, 40], &[1.0, 2.0, 3.0, 4.0], &[8, 8, 30, 30], &[(0, 1.0), (5, 2.0), (8, 0.0), (20, 3.0), (30, 0.0), (40, 0.0)]);
        // One that is running, or was asked to stop, is not changed.
        check(&[0, 5], &[1.0, 0.0], &[9, 9], &[(0, 1.0), (5, 0.0)]);
        check(&[0, 5], &[1.0, 2.0], &[i64::MIN, i64::MIN], &[(0, 1.0), (5, 2.0)]);
        check(&[], &[], &[], &[]);
    }

    #[test]
    fn the_next_time_is_found_from_any_place() {
        let times: Vec<i64> = (0..100).map(|t| t / 3 * 3).collect();
        for from in 0..times.len() {
            for time in -1..101 {
                assert_eq!(ahead(&times[from..], time), times[from..].partition_point(|t| *t <= time), "{from} {time}");
            }
        }
    }
}
