//! FLOPs of groups of instructions, and what share of the device's peak they are: what Operators shows by row, with the rule of Layers.

use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::analysis::device::share;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange, TrackId, for_each_chunk};
use crate::model::{Domain, NeuronDevice, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// FLOPs of a group of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Flops {
    /// Two for each element of the matrix products, transposes included.
    pub all: u64,
    /// FLOPs that only transpose; included in `all`.
    pub transposes: u64,
    /// `all ÷ (peak of all cores × (last end − first start))`; `None` where the metadata do not record the peak.
    pub hfu: Option<f64>,
    /// The same without transposes.
    pub mfu: Option<f64>,
}

/// `flops ÷ (peak × time)`, with the peak in FLOP/s and the time in nanoseconds; `None` without a peak or a length.
pub fn share_of_peak(flops: u64, time_ns: i64, peak: Option<f64>) -> Option<f64> {
    let seconds = time_ns as f64 / 1e9;
    peak.filter(|_| seconds > 0.0).map(|peak| flops as f64 / (peak * seconds))
}

/// Why FLOPs or their shares are not available in the profile of a device; `None` where they are.
pub fn missing(profile: &Profile) -> Option<String> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    if !device.elements.any(|e| *e != NeuronDevice::ABSENT) {
        return Some("FLOPs, MFU and HFU are not available: the elements of matrix products are not recorded in this file.".into());
    }
    let is_known = MetricSource::of(profile).peak_flops().is_some();
    (!is_known).then(|| {
        "MFU and HFU are not available: the metadata do not record the clock or size of the tensor engine, or the number of cores.".into()
    })
}

/// What is summed of a group.
struct Sum {
    start: i64,
    end: i64,
    flops: Option<(u64, u64)>,
}

/// FLOPs by (device, value of `column`) of the slices of `tracks` (with the device of each) that touch `range`, parted over their time. Groups without a matrix product are omitted. `None` where the file
/// states no elements of products, or is not the profile of a device.
pub fn by_group(
    profile: &Profile,
    column: &[StrId],
    tracks: &[(TrackId, TrackId)],
    range: Option<TimeRange>,
) -> Option<FxHashMap<(TrackId, StrId), Flops>> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    let recorded = |i: usize| device.elements.at(i).filter(|e| *e != NeuronDevice::ABSENT).map(|e| 2 * u64::from(e));
    if !device.elements.any(|e| *e != NeuronDevice::ABSENT) {
        return None;
    }
    let kinds = profile.attribute("instruction_type");
    let transpose = profile.strings.iter().find(|(_, text)| *text == "TRANSPOSE").map(|(id, _)| id);
    let is_transpose = |i: usize| transpose.is_some() && kinds.and_then(|kinds| kinds.values.at(i)) == transpose;
    let range = range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
    let mut sums: FxHashMap<(TrackId, StrId), Sum> = FxHashMap::default();
    // Sums are computed only for engines with any FLOPs.
    for &(owner, track) in tracks.iter().filter(|t| profile.slices_of(t.1).any(|i| recorded(i).is_some())) {
        let slices = profile.slices_of(track);
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|at| slices.start + at) {
                let (start, end) = (profile.slices.start[i], profile.slices.end(i));
                if !range.touches(TimeNs(start), DurationNs(profile.slices.duration[i])) {
                    continue;
                }
                let (from, to) = (start.max(range.start.0), end.min(range.end.0));
                let sum = sums.entry((owner, column[i])).or_insert(Sum { start: from, end: to, flops: None });
                (sum.start, sum.end) = (sum.start.min(from), sum.end.max(to));
                if let Some(flops) = recorded(i).map(|flops| share::within(flops, (start, end), range)) {
                    let (all, moved) = sum.flops.unwrap_or_default();
                    sum.flops = Some((all.saturating_add(flops), moved.saturating_add(if is_transpose(i) { flops } else { 0 })));
                }
            }
        });
    }
    let peak = MetricSource::of(profile).peak_flops();
    let finish = |(key, sum): ((TrackId, StrId), Sum)| {
        let (all, transposes) = sum.flops?;
        let share = |flops| share_of_peak(flops, sum.end.saturating_sub(sum.start), peak);
        Some((key, Flops { all, transposes, hfu: share(all), mfu: share(all - transposes) }))
    };
    Some(sums.into_iter().filter_map(finish).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_needs_a_peak_and_a_length() {
        assert_eq!(share_of_peak(50, 1_000_000_000, Some(200.0)), Some(0.25));
        assert_eq!(share_of_peak(50, 0, Some(200.0)), None);
        assert_eq!(share_of_peak(50, 5, None), None);
    }
}
