//! What a search found, summed up: by device and name, and as a whole.

use super::operators::device_of;
use super::spans::Spans;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, TrackId};
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// Hits of one name on one device (engine, process).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HitRow {
    /// Name of the slices.
    pub name: String,
    /// Path of the group of tracks: as in the Operators view.
    pub device: String,
    /// Hits.
    pub n: u64,
    /// Hits as a share of all hits (0 to 1).
    pub share: f64,
    /// Their durations added up, at whole lengths.
    pub sum: DurationNs,
    /// Mean duration.
    pub mean: DurationNs,
    /// Time in which at least one of them ran, track by track, overlaps counted once.
    pub active: DurationNs,
}

/// All hits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HitSummary {
    /// Ordered by sum, longest first.
    pub rows: Vec<HitRow>,
    /// Hits.
    pub n: u64,
    /// From the start of the first to the end of the last; `None` without hits.
    pub extent: Option<TimeRange>,
    /// Durations added up.
    pub sum: DurationNs,
    /// Time in which at least one of them ran anywhere.
    pub active: DurationNs,
    /// `active` as a share of the extent (0 to 1); `None` where that has no length.
    pub active_share: Option<f64>,
}

/// Sums up `hits`, each of them once, in any order; ids of no slice are omitted.
pub fn summary(profile: &Profile, hits: &[SliceId]) -> HitSummary {
    let slices = &profile.slices;
    let mut keys: Vec<(TrackId, StrId, TrackId, i64, i64)> = Vec::with_capacity(hits.len());
    let mut sorted: Vec<SliceId> = hits.iter().copied().filter(|s| s.index() < slices.len()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    for lane in &profile.lanes {
        let first = sorted.partition_point(|s| s.0 < lane.first);
        let end = sorted.partition_point(|s| s.0 < lane.end);
        let device = device_of(profile, lane.track);
        let key = |s: &SliceId| (device, slices.name[s.index()], lane.track, slices.start[s.index()], slices.end(s.index()));
        keys.extend(sorted[first..end].iter().map(key));
    }
    keys.sort_unstable();
    let n = keys.len() as u64;
    let mut rows: Vec<HitRow> = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|part| row(profile, part, n)).collect();
    rows.order_by(|a, b| b.sum.cmp(&a.sum).then_with(|| (&a.name, &a.device).cmp(&(&b.name, &b.device))));
    let (first, last) = (keys.iter().map(|k| k.3).min(), keys.iter().map(|k| k.4).max());
    let extent = first.zip(last).map(|(first, last)| TimeRange::new(TimeNs(first), TimeNs(last)));
    let active = Spans::union(keys.iter().map(|k| (k.3, k.4))).total();
    let length = extent.map_or(0, |e| e.duration().0);
    HitSummary {
        n,
        extent,
        sum: DurationNs(rows.iter().map(|r| r.sum.0).fold(0, i64::saturating_add)),
        active: DurationNs(active),
        active_share: (length > 0).then(|| active as f64 / length as f64),
        rows,
    }
}

/// `part`: hits of one device and name, by (track, start).
fn row(profile: &Profile, part: &[(TrackId, StrId, TrackId, i64, i64)], n_all: u64) -> HitRow {
    let sum = part.iter().map(|k| k.4 - k.3).fold(0, i64::saturating_add);
    let active =
        part.chunk_by(|a, b| a.2 == b.2).map(|track| Spans::union(track.iter().map(|k| (k.3, k.4))).total()).fold(0, i64::saturating_add);
    let (device, name, ..) = part[0];
    HitRow {
        name: profile.strings.get(name).into(),
        device: profile.track_path(device),
        n: part.len() as u64,
        share: part.len() as f64 / n_all.max(1) as f64,
        sum: DurationNs(sum),
        mean: DurationNs(sum / part.len() as i64),
        active: DurationNs(active),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    #[test]
    fn hits_are_summed_by_device_and_name() {
        let profile = drawn("p / t: a 0+100, a 50+100, b 300+10\n p / u: a 20+10\n o / v: a 0+5");
        let all: Vec<SliceId> = (0..5).map(SliceId).chain([SliceId(0), SliceId(77)]).collect();
        let got = summary(&profile, &all);
        let rows: Vec<_> = got.rows.iter().map(|r| (r.name.as_str(), r.device.as_str(), r.n, r.sum.0, r.mean.0, r.active.0)).collect();
        assert_eq!(rows, [("a", "p", 3, 210, 70, 160), ("b", "p", 1, 10, 10, 10), ("a", "o", 1, 5, 5, 5)]);
        assert_eq!((got.n, got.sum.0, got.active.0, got.rows[0].share), (5, 225, 160, 0.6));
        assert_eq!(got.extent, Some(TimeRange::new(TimeNs(0), TimeNs(310))));
        assert_eq!(got.active_share, Some(160.0 / 310.0));
    }

    #[test]
    fn no_hits_are_no_figures() {
        let got = summary(&drawn("t: a 0+1"), &[]);
        assert_eq!(got, HitSummary::default());
    }
}
