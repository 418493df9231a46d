//! Values of a span of time: busy share and slices per track, recorded bytes, statistics of each counter.

use super::device::share;
use super::self_time::self_times;
use crate::base::{DurationNs, TimeNs, TimeRange, TrackId};
use crate::model::{Counter, Domain, NeuronDevice, Profile};
use serde::{Deserialize, Serialize};

/// Values of a span.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SpanFigures {
    /// The span.
    pub range: TimeRange,
    /// Tracks on which anything is within the span, in display order.
    pub tracks: Vec<TrackSpan>,
    /// Counters with a value within the span, in display order.
    pub counters: Vec<CounterSpan>,
    /// Slices that touch the span, on all tracks.
    pub n_slices: u64,
    /// Instants within it.
    pub n_instants: u64,
}

/// One track within a span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackSpan {
    /// The track.
    pub track: TrackId,
    /// Names from the root.
    pub path: String,
    /// Time in which at least one slice ran, overlaps counted once.
    pub busy: DurationNs,
    /// `busy` as a share of the span (0 to 1); `None` for a span without length.
    pub busy_share: Option<f64>,
    /// Slices that touch the span.
    pub n_slices: u64,
    /// Slices that lie wholly within it.
    pub n_whole: u64,
    /// Mean length of those that touch it, at their whole lengths.
    pub mean: DurationNs,
    /// Bytes that transfers move within the span, spread over their duration; `None` if no bytes are recorded.
    pub bytes: Option<u64>,
}

/// One series of a counter within a span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterSpan {
    /// Path of its track, and the series where there are several.
    pub path: String,
    /// As in the file.
    pub unit: String,
    /// Least value in force within the span.
    pub min: f64,
    /// Mean over time.
    pub mean: f64,
    /// Largest value in force within the span.
    pub max: f64,
    /// Value at its end less the value at its beginning; `None` where the counter begins later.
    pub change: Option<f64>,
}

/// Values of `range`.
pub fn span(profile: &Profile, range: TimeRange) -> SpanFigures {
    let bytes = transfer_bytes(profile);
    let tracks: Vec<TrackSpan> =
        (0..profile.tracks.len() as u32).filter_map(|t| track_span(profile, TrackId(t), range, bytes.as_deref())).collect();
    let counters = profile.counters.iter().flat_map(|c| counter_spans(profile, c, range)).collect();
    let is_inside = |t: i64| range.start.0 <= t && t < range.end.0;
    SpanFigures {
        range,
        n_slices: tracks.iter().map(|t| t.n_slices).sum(),
        n_instants: profile.instants.time.iter().filter(|t| is_inside(**t)).count() as u64,
        tracks,
        counters,
    }
}

/// (slice, bytes) of each transfer with recorded bytes, by slice.
fn transfer_bytes(profile: &Profile) -> Option<Vec<(u32, u64)>> {
    match &profile.domain {
        Domain::NeuronDevice(device) => {
            let recorded = device.bytes.iter().zip(0u32..).filter(|(b, _)| **b != NeuronDevice::ABSENT);
            Some(recorded.map(|(b, slice)| (slice, u64::from(*b))).collect())
        }
        Domain::Torch(torch) => Some(torch.kernels.iter().filter(|k| k.bytes != u64::MAX).map(|k| (k.slice, k.bytes)).collect()),
        _ => None,
    }
}

fn track_span(profile: &Profile, track: TrackId, range: TimeRange, bytes: Option<&[(u32, u64)]>) -> Option<TrackSpan> {
    let slices = &profile.slices;
    let of = profile.slices_of(track);
    let by_start = slices.by_start.get(of.clone())?;
    let before = by_start.partition_point(|&i| slices.start[i as usize] < range.end.0);
    let mut sums = (0u64, 0u64, 0i128);
    for &i in &by_start[..before] {
        let (start, duration) = (slices.start[i as usize], slices.duration[i as usize]);
        if range.touches(TimeNs(start), DurationNs(duration)) {
            sums.0 += 1;
            sums.1 += u64::from(start >= range.start.0 && slices.end(i as usize) <= range.end.0);
            sums.2 += i128::from(duration);
        }
    }
    if sums.0 == 0 {
        return None;
    }
    let mut busy = 0i64;
    self_times(profile, track, Some(range), |_, owned| busy = busy.saturating_add(owned));
    let length = range.duration().0;
    Some(TrackSpan {
        track,
        path: profile.track_path(track),
        busy: DurationNs(busy),
        busy_share: (length > 0).then(|| busy as f64 / length as f64),
        n_slices: sums.0,
        n_whole: sums.1,
        mean: DurationNs((sums.2 / i128::from(sums.0)) as i64),
        bytes: bytes.and_then(|recorded| moved(profile, recorded, of, range)),
    })
}

/// Bytes that the transfers of a track move within the range; `None` if the track has no transfers at all.
fn moved(profile: &Profile, recorded: &[(u32, u64)], of: std::ops::Range<usize>, range: TimeRange) -> Option<u64> {
    let first = recorded.partition_point(|t| (t.0 as usize) < of.start);
    let end = recorded.partition_point(|t| (t.0 as usize) < of.end);
    let within = |&(slice, bytes): &(u32, u64)| {
        share::within(bytes, (profile.slices.start[slice as usize], profile.slices.end(slice as usize)), range)
    };
    (first < end).then(|| recorded[first..end].iter().map(within).fold(0, u64::saturating_add))
}

fn counter_spans(profile: &Profile, counter: &Counter, range: TimeRange) -> Vec<CounterSpan> {
    let (from, to) = (range.start.0, range.end.0);
    // The sample in force when the span begins, and all that follow within it.
    let first = counter.times.partition_point(|&t| t <= from);
    let has_first = first > 0;
    let first = first.saturating_sub(1);
    let end = counter.times.partition_point(|&t| t < to);
    if first >= end {
        return Vec::new();
    }
    let path = profile.track_path(counter.track);
    let one = |series: &crate::model::Series| {
        let values = series.values.get(first..end)?;
        let (mut sum, mut length) = (0.0, 0.0);
        for (i, value) in values.iter().enumerate() {
            let start = counter.times[first + i].max(from);
            let stop = counter.times.get(first + i + 1).map_or(to, |&t| t.min(to));
            let held = stop.saturating_sub(start) as f64;
            sum += value * held;
            length += held;
        }
        let (first, last) = (values.first()?, values.last()?);
        let path = if counter.series.len() > 1 { format!("{path} / {}", series.name) } else { path.clone() };
        Some(CounterSpan {
            path,
            unit: counter.unit.clone(),
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean: if length > 0.0 { sum / length } else { *first },
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            change: has_first.then(|| last - first),
        })
    };
    counter.series.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::model::Series;

    fn range(a: i64, b: i64) -> TimeRange {
        TimeRange::new(TimeNs(a), TimeNs(b))
    }

    #[test]
    fn tracks_are_clipped_to_the_span() {
        let profile = drawn("p / t: a 0+100, b 10+20, c 120+5\n p / u: d 40+10\n p / v: e 500+1");
        let got = span(&profile, range(20, 120));
        let rows: Vec<_> = got.tracks.iter().map(|t| (t.path.as_str(), t.busy.0, t.n_slices, t.n_whole, t.mean.0)).collect();
        assert_eq!(rows, [("p / t", 80, 2, 0, 60), ("p / u", 10, 1, 1, 10)]);
        assert_eq!((got.tracks[0].busy_share, got.tracks[0].bytes, got.n_slices), (Some(0.8), None, 3));
        assert!(span(&profile, range(200, 300)).tracks.is_empty());
    }

    #[test]
    fn bytes_are_of_transfers_that_begin_in_the_span() {
        let mut profile = drawn("NC / queue: d 0+10, d 20+10, d 40+10\n NC / qTensor: m 0+50");
        let absent = NeuronDevice::ABSENT;
        profile.domain = Domain::NeuronDevice(NeuronDevice { bytes: vec![100, 20, absent, absent].into(), ..NeuronDevice::default() });
        let got = span(&profile, range(10, 45));
        assert_eq!(got.tracks.iter().map(|t| t.bytes).collect::<Vec<_>>(), [Some(20), None]);
    }

    #[test]
    fn counters_hold_their_value_until_the_next_sample() {
        let mut profile = drawn("t: a 0+100");
        let series = vec![Series { name: "x".into(), values: vec![4.0, 8.0, 0.0] }];
        profile.counters = vec![Counter { track: TrackId(0), unit: "bytes".into(), is_stacked: false, times: vec![10, 20, 50], series }];
        let of = |a, b| span(&profile, range(a, b)).counters.into_iter().map(|c| (c.min, c.mean, c.max, c.change)).collect::<Vec<_>>();
        assert_eq!(of(15, 25), [(4.0, 6.0, 8.0, Some(4.0))]);
        assert_eq!(of(30, 40), [(8.0, 8.0, 8.0, Some(0.0))]);
        assert_eq!(of(0, 20), [(4.0, 4.0, 4.0, None)]);
        assert_eq!(of(0, 5), []);
    }
}
