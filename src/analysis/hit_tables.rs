//! What slices have in common: for each row of the timeline and each field, how often each value occurs and how long its slices run.

use super::filter;
use super::operators::{column, tracks_below};
use crate::base::{DurationNs, Order as _, SliceId, StrId, TimeRange, TrackId};
use crate::model::{Domain, NeuronDevice, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Values of one field that are listed; all are counted.
const MOST_VALUES: usize = 100;

/// One value of a field on one row of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueRow {
    /// The value.
    pub value: String,
    /// Slices that have it.
    pub n: u64,
    /// Those as a share of the row's slices (0 to 1).
    pub n_share: f64,
    /// For numbers: value × count as a share of the sum over all values (0 to 1); `None` for text, and where the sum is 0.
    pub sum_share: Option<f64>,
    /// Durations added up, clipped to the range.
    pub sum: DurationNs,
    /// Those as a share of the row's (0 to 1); `None` where that is 0.
    pub share: Option<f64>,
    /// Mean duration.
    pub mean: DurationNs,
    /// Time in which at least one of them ran.
    pub active: DurationNs,
}

/// The values of one field on one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldTable {
    /// Id of the field.
    pub field: String,
    /// For people.
    pub label: String,
    /// Ordered by duration, longest first; at most 100.
    pub rows: Vec<ValueRow>,
    /// Values there are.
    pub n_values: u64,
}

/// The fields of the slices on one row of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackTables {
    /// Path of the track.
    pub track: String,
    /// Slices.
    pub n: u64,
    /// Durations added up, clipped to the range.
    pub sum: DurationNs,
    /// Time in which at least one of them ran.
    pub active: DurationNs,
    /// `active` as a share of the range, or of the whole profile (0 to 1); `None` where that has no length.
    pub active_share: Option<f64>,
    /// Fields that any of the slices has.
    pub fields: Vec<FieldTable>,
}

/// A part of the profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Within {
    /// A range of time; `None` is the whole.
    pub range: Option<TimeRange>,
    /// Only these tracks and those below them; empty is all.
    pub tracks: Vec<TrackId>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    n: u64,
    time: i64,
    active: i64,
    until: Option<i64>,
}

impl Sum {
    /// Adds a span; spans come by start.
    fn add(&mut self, start: i64, end: i64) {
        let from = self.until.map_or(start, |until| start.max(until));
        self.n += 1;
        self.time = self.time.saturating_add(end - start);
        self.active = self.active.saturating_add((end - from).max(0));
        self.until = Some(self.until.map_or(end, |until| until.max(end)));
    }
}

enum Column<'a> {
    Text(&'a [StrId]),
    Number(&'a [u32]),
}

/// Tables of the slices that `is_wanted` holds on the tracks of `within`, clipped to its range where there is one; those outside are omitted.
pub fn tables(profile: &Profile, within: &Within, is_wanted: impl Fn(SliceId) -> bool) -> Vec<TrackTables> {
    let fields = fields(profile);
    let range = within.range;
    let length = range.unwrap_or(profile.meta.range).duration().0;
    let tracks = tracks_below(profile, &within.tracks).into_iter();
    tracks.filter_map(|track| of_track(profile, track, range, &is_wanted, &fields, length)).collect()
}

/// Those of the conformance of classic's tables: names, attributes, bytes of a transfer.
fn fields(profile: &Profile) -> Vec<(String, String, Column<'_>)> {
    let fields = filter::fields(profile);
    let mut out = Vec::new();
    for (id, label) in fields {
        match (column(profile, &id), &profile.domain) {
            (Some(values), _) => out.push((id, label, Column::Text(values))),
            (None, Domain::NeuronDevice(device)) if id == "bytes" => out.push((id, label, Column::Number(&device.bytes))),
            _ => (),
        }
    }
    out
}

fn of_track(
    profile: &Profile,
    track: TrackId,
    range: Option<TimeRange>,
    is_wanted: &impl Fn(SliceId) -> bool,
    fields: &[(String, String, Column<'_>)],
    length: i64,
) -> Option<TrackTables> {
    let by_start = &profile.slices.by_start[profile.slices_of(track)];
    let mut sums: Vec<FxHashMap<u32, Sum>> = fields.iter().map(|_| FxHashMap::default()).collect();
    let mut all = Sum::default();
    for &i in by_start {
        let (mut start, mut end) = (profile.slices.start[i as usize], profile.slices.end(i as usize));
        if let Some(range) = range {
            if start > range.end.0 {
                break;
            }
            // What only touches the range is outside, but a moment inside is not.
            let is_outside = end < range.start.0 || (end == range.start.0 && start < end) || (start == range.end.0 && start < end);
            if is_outside {
                continue;
            }
            (start, end) = (start.max(range.start.0), end.min(range.end.0));
        }
        if !is_wanted(SliceId(i)) {
            continue;
        }
        all.add(start, end);
        for ((_, _, column), sums) in fields.iter().zip(&mut sums) {
            let key = match column {
                Column::Text(values) => Some(values[i as usize].0).filter(|v| *v != 0),
                Column::Number(values) => values.get(i as usize).copied().filter(|v| *v != NeuronDevice::ABSENT),
            };
            if let Some(key) = key {
                sums.entry(key).or_default().add(start, end);
            }
        }
    }
    let tables = fields.iter().zip(sums).filter(|(_, sums)| !sums.is_empty());
    (all.n > 0).then(|| TrackTables {
        track: profile.track_path(track),
        n: all.n,
        sum: DurationNs(all.time),
        active: DurationNs(all.active),
        active_share: (length > 0).then(|| all.active as f64 / length as f64),
        fields: tables.map(|(field, sums)| table(profile, field, sums, all)).collect(),
    })
}

fn table(profile: &Profile, field: &(String, String, Column<'_>), sums: FxHashMap<u32, Sum>, all: Sum) -> FieldTable {
    let n_values = sums.len() as u64;
    let is_number = matches!(field.2, Column::Number(_));
    let total: f64 = if is_number { sums.iter().map(|(v, s)| f64::from(*v) * s.n as f64).sum() } else { 0.0 };
    let mut rows: Vec<(u32, Sum)> = sums.into_iter().collect();
    rows.order_by_key(|(value, s)| (std::cmp::Reverse((s.time, s.n)), *value));
    rows.truncate(MOST_VALUES);
    let row = |(value, s): (u32, Sum)| ValueRow {
        value: if is_number { value.to_string() } else { profile.strings.get(StrId(value)).to_string() },
        n: s.n,
        n_share: s.n as f64 / all.n.max(1) as f64,
        sum_share: (total > 0.0).then(|| f64::from(value) * s.n as f64 / total),
        sum: DurationNs(s.time),
        share: (all.time > 0).then(|| s.time as f64 / all.time as f64),
        mean: DurationNs(s.time / s.n.max(1) as i64),
        active: DurationNs(s.active),
    };
    FieldTable { field: field.0.clone(), label: field.1.clone(), rows: rows.into_iter().map(row).collect(), n_values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::TimeNs;

    #[test]
    fn values_are_counted_by_row_and_clipped_to_the_range() {
        let profile = drawn("p / t: a 0+100, a 50+100, b 300+10\n p / u: a 20+10");
        let got = tables(&profile, &Within::default(), |_| true);
        assert_eq!(
            got.iter().map(|t| (t.track.as_str(), t.n, t.sum.0, t.active.0)).collect::<Vec<_>>(),
            [("p / t", 3, 210, 160), ("p / u", 1, 10, 10)]
        );
        let names = got[0].fields.iter().find(|f| f.field == "name").expect("names");
        let rows: Vec<_> = names.rows.iter().map(|r| (r.value.as_str(), r.n, r.sum.0, r.mean.0, r.active.0)).collect();
        assert_eq!(rows, [("a", 2, 200, 100, 150), ("b", 1, 10, 10, 10)]);
        assert_eq!(names.rows[0].share, Some(200.0 / 210.0));
        let range = Some(TimeRange::new(TimeNs(90), TimeNs(305)));
        let cut = tables(&profile, &Within { range, ..Within::default() }, |_| true);
        assert_eq!((cut.len(), cut[0].n, cut[0].sum.0), (1, 3, 10 + 60 + 5));
        assert!(tables(&profile, &Within::default(), |_| false).is_empty());
        // Only the rows under a box; a group includes the rows below it.
        let of = |tracks: &[u32]| {
            let within = Within { range: None, tracks: tracks.iter().map(|t| TrackId(*t)).collect() };
            tables(&profile, &within, |_| true).into_iter().map(|t| t.track).collect::<Vec<_>>()
        };
        assert_eq!((of(&[2]), of(&[0]), of(&[1, 2])), (vec!["p / u".into()], vec!["p / t".to_string(), "p / u".into()], of(&[])));
    }
}
