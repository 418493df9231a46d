//! Curves that are worked out, not read: mean throughput since the start, and utilization of the tensor engine.

use super::metrics::Facts;
use crate::base::{SliceId, TimeRange, TrackId};
use crate::model::{NeuronDevice, Profile};

/// Parts of the run that utilization is told for.
const N_PARTS: i64 = 500;

/// A curve to be drawn below the rows of a core.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The core's group of rows.
    pub group: Option<TrackId>,
    /// Name of the row.
    pub name: &'static str,
    /// "%", "B/s".
    pub unit: &'static str,
    /// Times, ascending, nanoseconds.
    pub times: Vec<i64>,
    /// One per time, in force until the next.
    pub values: Vec<f64>,
}

/// All curves that the profile has what they need for.
pub fn lines(profile: &Profile, device: &NeuronDevice) -> Vec<Line> {
    let mut out = throughput(profile);
    out.extend(utilization(profile, device, profile.meta.range));
    out
}

/// Bytes so far ÷ time so far, from the curves of HBM and DMA throughput: the mean rate since the start of the profile.
fn throughput(profile: &Profile) -> Vec<Line> {
    let mut out = Vec::new();
    for (row, name) in [("HBM Throughput", "Cumulative HBM Throughput"), ("DMA Throughput", "Cumulative DMA Throughput")] {
        for counter in &profile.counters {
            let track = &profile.tracks[counter.track.index()];
            let (Some(series), true) = (counter.series.first(), profile.strings.get(track.name) == row) else { continue };
            let values = mean_so_far(&counter.times, &series.values, profile.meta.range.start.0);
            out.push(Line { group: track.parent, name, unit: "B/s", times: counter.times.clone(), values });
        }
    }
    out
}

/// At each time the mean since `start` of a rate that is in force until the next time. Where no time has passed it is 0: nothing has moved.
pub fn mean_so_far(times: &[i64], rates: &[f64], start: i64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut out = Vec::with_capacity(times.len());
    for (i, &time) in times.iter().enumerate() {
        if let (Some(before), Some(rate)) = (i.checked_sub(1).and_then(|b| times.get(b)), i.checked_sub(1).and_then(|b| rates.get(b))) {
            sum += rate * (time - before) as f64;
        }
        let passed = time.saturating_sub(start);
        out.push(if passed > 0 { sum / passed as f64 } else { 0.0 });
    }
    out
}

/// FLOPs of matrix products per part of `range` ÷ what one core can do in it, and the same from its start on; MFU without transposes, HFU
/// with them. A product's FLOPs (2 × elements) are spread evenly over its duration.
pub(super) fn utilization(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Vec<Line> {
    let Some(hardware) = Facts::of(profile).hardware() else { return Vec::new() };
    let length = range.duration().0;
    if length <= 0 || !device.elements.iter().any(|e| *e != NeuronDevice::ABSENT && *e > 0) {
        return Vec::new();
    }
    let step = (length + N_PARTS - 1) / N_PARTS;
    let n = usize::try_from((length + step - 1) / step).unwrap_or(1).max(1);
    let kind = profile.attribute("instruction_type");
    let is_transpose = |i: usize| kind.is_some_and(|a| profile.strings.get(a.values[i]).eq_ignore_ascii_case("TRANSPOSE"));
    let mut cores: Vec<(Option<TrackId>, Vec<f64>, Vec<f64>)> = Vec::new();
    for lane in &profile.lanes {
        let group = profile.tracks[lane.track.index()].parent;
        for i in lane.first as usize..lane.end as usize {
            let flops = match device.elements.get(i) {
                Some(&e) if e != NeuronDevice::ABSENT && e > 0 => 2.0 * f64::from(e),
                _ => continue,
            };
            let at = cores.iter().position(|c| c.0 == group).unwrap_or_else(|| {
                cores.push((group, vec![0.0; n], vec![0.0; n]));
                cores.len() - 1
            });
            spread(&mut cores[at].2, profile, SliceId(i as u32), flops, (range, step));
            if !is_transpose(i) {
                spread(&mut cores[at].1, profile, SliceId(i as u32), flops, (range, step));
            }
        }
    }
    let times: Vec<i64> = (0..n as i64).map(|k| range.start.0 + k * step).collect();
    let peak = hardware.core_flops * 1e-9;
    let mut out = Vec::new();
    for (group, useful, all) in cores {
        let names =
            [("Estimated Instant MFU", "Estimated Cumulative MFU", useful), ("Estimated Instant HFU", "Estimated Cumulative HFU", all)];
        for (instant, cumulative, flops) in names {
            let width = |k: usize| (length - k as i64 * step).min(step).max(1) as f64;
            let now: Vec<f64> = flops.iter().enumerate().map(|(k, f)| 100.0 * f / (peak * width(k))).collect();
            let mut sum = 0.0;
            let so_far = flops.iter().enumerate().map(|(k, f)| {
                sum += f;
                100.0 * sum / (peak * ((k as i64 + 1) * step).min(length) as f64)
            });
            let so_far: Vec<f64> = so_far.collect();
            out.push(Line { group, name: instant, unit: "%", times: times.clone(), values: now });
            out.push(Line { group, name: cumulative, unit: "%", times: times.clone(), values: so_far });
        }
    }
    out
}

/// Adds `amount` to the parts of `range` that a slice lies in, each as much as it has of the slice.
fn spread(parts: &mut [f64], profile: &Profile, slice: SliceId, amount: f64, (range, step): (TimeRange, i64)) {
    let origin = range.start.0;
    let (start, end) = (profile.slices.start[slice.index()] - origin, profile.slices.end(slice.index()).saturating_sub(origin));
    let (last, length) = (parts.len() - 1, range.duration().0);
    if start > length || end < 0 {
        return;
    }
    let part = |t: i64| usize::try_from(t.max(0) / step).unwrap_or(last).min(last);
    let (from, to) = (part(start), part(end));
    if end <= start {
        parts[from] += amount;
        return;
    }
    for (k, value) in parts.iter_mut().enumerate().take(to + 1).skip(from) {
        let (left, right) = (k as i64 * step, ((k as i64 + 1) * step).min(length));
        *value += amount * (end.min(right) - start.max(left)).max(0) as f64 / (end - start) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_so_far_is_bytes_by_time() {
        assert_eq!(mean_so_far(&[0, 10, 30], &[4.0, 1.0, 9.0], 0), [0.0, 4.0, (40.0 + 20.0) / 30.0]);
        assert_eq!(mean_so_far(&[10, 20], &[2.0, 2.0], 0), [0.0, 1.0]);
        assert!(mean_so_far(&[], &[], 0).is_empty());
    }
}
