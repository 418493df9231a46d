//! Where the time went, by operator (or any attribute): the Operators view's rows.

use super::device::run_metrics::flops::{self, Flops};
use super::device::waiting::waits;
use super::groupings::with_depths;
use super::self_time::self_times;
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange, TrackId, for_each_chunk, text};
use crate::model::{Domain, Profile, TrackKind};
use serde::{Deserialize, Serialize};

/// What to sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct OperatorsQuery {
    /// `name` or an attribute's id. Empty is `name`.
    pub group_by: String,
    /// Only what is in this range; slices are clipped to it. `None` is the whole profile.
    pub range: Option<TimeRange>,
    /// Only these tracks and those below them; empty is all.
    pub tracks: Vec<TrackId>,
}

/// One operator on one device row (the top-level group of its track).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorRow {
    /// Name or attribute value.
    pub name: String,
    /// Path of the group of tracks it ran on: a process, a device, a NeuronCore engine.
    pub device: String,
    /// Slices that touch the range.
    pub occurrences: u64,
    /// Time in which one of its slices was the innermost of its track; sums to the busy time of the tracks.
    pub self_time: DurationNs,
    /// Time covered by its slices, per track, overlaps counted once; children included.
    pub total: DurationNs,
    /// Self time as a share of the busy time of all rows (0 to 1).
    pub time_share: f64,
    /// Shortest occurrence, whole durations.
    pub min: DurationNs,
    /// Mean of whole durations.
    pub mean: DurationNs,
    /// Longest occurrence.
    pub max: DurationNs,
    /// Colour slot.
    pub colour: u16,
    /// On a Neuron device: FLOPs of its matrix products; `None` where it has none, or the file does not record them.
    pub flops: Option<Flops>,
}

/// Rows by self time, longest first, and what they were made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Operators {
    /// The rows.
    pub rows: Vec<OperatorRow>,
    /// Busy time of all tracks looked at: the denominator of `time_share`.
    pub busy: DurationNs,
    /// Ids and labels one can group by in this profile, `name` first.
    pub groupings: Vec<(String, String)>,
    /// Whether the file records FLOPs of matrix products, as that of a Neuron device can.
    pub has_flops: bool,
    /// What cannot be determined, in sentences.
    pub notes: Vec<String>,
}

/// The slice column of that id: `name`, or an attribute's.
pub fn column<'a>(profile: &'a Profile, by: &str) -> Option<&'a [StrId]> {
    if by == "name" { Some(&profile.slices.name) } else { profile.attribute(by).map(|a| a.values.as_slice()) }
}

/// `tracks` and all below them; all tracks when it is empty.
pub fn tracks_below(profile: &Profile, tracks: &[TrackId]) -> Vec<TrackId> {
    let mut wanted = vec![tracks.is_empty(); profile.tracks.len()];
    for track in tracks {
        if let Some(w) = wanted.get_mut(track.index()) {
            *w = true;
        }
    }
    for i in 0..wanted.len() {
        wanted[i] |= profile.tracks[i].parent.is_some_and(|p| p.index() < i && wanted[p.index()]);
    }
    (0..wanted.len() as u32).map(TrackId).filter(|t| wanted[t.index()]).collect()
}

/// Whether a track's slices are work: not waits, and not what a profiler records of itself.
fn is_work(profile: &Profile, track: TrackId) -> bool {
    !matches!(profile.tracks[track.index()].kind, TrackKind::Wait | TrackKind::Other)
}

/// The row's device of a track: the nearest Neuron engine or queue at or above it, else its top-level group.
pub fn device_of(profile: &Profile, track: TrackId) -> TrackId {
    let mut at = track;
    loop {
        let t = &profile.tracks[at.index()];
        match t.parent.filter(|p| p.0 < at.0) {
            Some(_) if matches!(t.kind, TrackKind::Engine | TrackKind::Queue) => return at,
            Some(parent) => at = parent,
            None => return at,
        }
    }
}

/// Rows over those of `tracks` that hold work, clipped to `range`, grouped by `column`; `slots` holds a colour slot per string. An instruction of a
/// Neuron device that only waits for a semaphore is no work: it is counted in a note.
pub fn operators(profile: &Profile, column: &[StrId], tracks: &[TrackId], range: Option<TimeRange>, slots: &[u16]) -> Operators {
    let mut by_device: Vec<(TrackId, TrackId)> =
        tracks.iter().filter(|t| is_work(profile, **t)).map(|&t| (device_of(profile, t), t)).collect();
    by_device.order();
    let is_wait = if matches!(profile.domain, Domain::NeuronDevice(_)) { waits::names(profile) } else { Vec::new() };
    let mut sums = Sums { row_of: vec![u32::MAX; profile.strings.len()], rows: Vec::new(), begun: 0, is_wait, n_waits: 0 };
    let mut devices: Vec<(TrackId, usize)> = Vec::new();
    for part in by_device.chunk_by(|a, b| a.0 == b.0) {
        sums.begin_device();
        for &(_, track) in part {
            sums.add_track(profile, column, track, range);
        }
        devices.push((part[0].0, sums.rows.len()));
    }
    let work = flops::by_group(profile, column, &by_device, range);
    let busy: i64 = sums.rows.iter().map(|r| r.self_time).sum();
    let mut rows = Vec::with_capacity(sums.rows.len());
    let mut from = 0;
    for (device, to) in devices {
        let (name, track) = (profile.track_path(device), device);
        rows.extend(sums.rows[from..to].iter().map(|sum| OperatorRow {
            name: profile.strings.get(sum.key).into(),
            device: name.clone(),
            occurrences: sum.n,
            self_time: DurationNs(sum.self_time),
            total: DurationNs(sum.total),
            time_share: if busy > 0 { sum.self_time as f64 / busy as f64 } else { 0.0 },
            min: DurationNs(sum.min),
            mean: DurationNs((sum.durations / i128::from(sum.n.max(1))) as i64),
            max: DurationNs(sum.max),
            colour: slots.get(sum.key.index()).copied().unwrap_or(0),
            flops: work.as_ref().and_then(|w| w.get(&(track, sum.key)).copied()),
        }));
        from = to;
    }
    rows.order_by(|a, b| (b.self_time, b.total).cmp(&(a.self_time, a.total)).then_with(|| (&a.name, &a.device).cmp(&(&b.name, &b.device))));
    let mut notes: Vec<String> = flops::missing(profile).into_iter().collect();
    if sums.n_waits > 0 {
        notes.push(format!(
            "Instructions that only wait for a semaphore are excluded: {}. Causes of waits are listed in Gaps.",
            text::count(sums.n_waits)
        ));
    }
    Operators { rows, busy: DurationNs(busy), groupings: with_depths(profile), has_flops: work.is_some(), notes }
}

/// One row to be.
struct Sum {
    key: StrId,
    n: u64,
    self_time: i64,
    total: i64,
    /// On the current track, time up to here is in `total`.
    covered_until: i64,
    track: u32,
    durations: i128,
    min: i64,
    max: i64,
}

/// Rows device by device; `row_of` finds the current device's row of a string.
struct Sums {
    row_of: Vec<u32>,
    rows: Vec<Sum>,
    begun: usize,
    /// Indexed by string: whether it names a wait; empty where nothing does.
    is_wait: Vec<bool>,
    /// Waits omitted.
    n_waits: u64,
}

impl Sums {
    fn begin_device(&mut self) {
        for row in &self.rows[self.begun..] {
            self.row_of[row.key.index()] = u32::MAX;
        }
        self.begun = self.rows.len();
    }

    fn is_wait(&self, name: StrId) -> bool {
        self.is_wait.get(name.index()).is_some_and(|is| *is)
    }

    fn row(&mut self, key: StrId) -> &mut Sum {
        let at = &mut self.row_of[key.index()];
        if *at == u32::MAX {
            *at = self.rows.len() as u32;
            self.rows.push(Sum {
                key,
                n: 0,
                self_time: 0,
                total: 0,
                covered_until: i64::MIN,
                track: u32::MAX,
                durations: 0,
                min: i64::MAX,
                max: 0,
            });
        }
        &mut self.rows[*at as usize]
    }

    fn add_track(&mut self, profile: &Profile, column: &[StrId], track: TrackId, range: Option<TimeRange>) {
        let slices = &profile.slices;
        let range = range.unwrap_or(TimeRange { start: TimeNs(i64::MIN), end: TimeNs(i64::MAX) });
        let by_start = &slices.by_start[profile.slices_of(track)];
        for_each_chunk(by_start.len(), &mut |part| {
            for i in by_start[part].iter().map(|i| *i as usize) {
                let (start, duration) = (slices.start[i], slices.duration[i]);
                if start >= range.end.0 {
                    return;
                }
                if !range.touches(TimeNs(start), DurationNs(duration)) {
                    continue;
                }
                if self.is_wait(slices.name[i]) {
                    self.n_waits += 1;
                    continue;
                }
                let row = self.row(column[i]);
                if row.track != track.0 {
                    row.track = track.0;
                    row.covered_until = i64::MIN;
                }
                let (from, to) = (start.max(range.start.0), slices.end(i).min(range.end.0));
                row.total += (to - from.max(row.covered_until)).max(0);
                row.covered_until = row.covered_until.max(to);
                row.n += 1;
                row.durations += i128::from(duration);
                row.min = row.min.min(duration);
                row.max = row.max.max(duration);
            }
        });
        self_times(profile, track, Some(range), |i, owned| {
            if !self.is_wait(slices.name[i]) {
                self.row(column[i]).self_time += owned;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    fn rows(text: &str, by: &str, range: Option<(i64, i64)>) -> Vec<String> {
        let profile = drawn(text);
        let range = range.map(|(a, b)| TimeRange::new(TimeNs(a), TimeNs(b)));
        let column = column(&profile, by).expect("column");
        let got = operators(&profile, column, &tracks_below(&profile, &[]), range, &[]);
        assert_eq!(got.busy.0, got.rows.iter().map(|r| r.self_time.0).sum::<i64>());
        let line = |r: &OperatorRow| {
            let figures = (r.occurrences, r.self_time.0, r.total.0, r.min.0, r.mean.0, r.max.0);
            format!("{} on {}: {figures:?}", r.name, r.device)
        };
        got.rows.iter().map(line).collect()
    }

    #[test]
    fn operators_are_listed_longest_first() {
        let text = "p / t: a 0+100, b 10+20, b 15+5, b 50+10
 p / u: a 0+20";
        assert_eq!(rows(text, "name", None), ["a on p: (2, 90, 120, 20, 60, 100)", "b on p: (3, 30, 30, 5, 11, 20)"]);
    }

    #[test]
    fn engines_are_devices_of_their_own() {
        let text = "NC 0 / qTensor: a 0+10
 NC 0 / qVector: a 0+5";
        assert_eq!(rows(text, "name", None), ["a on NC 0 / qTensor: (1, 10, 10, 10, 10, 10)", "a on NC 0 / qVector: (1, 5, 5, 5, 5, 5)"]);
    }

    #[test]
    fn a_range_clips_times_but_not_the_extremes() {
        let text = "p / t: a 0+100, b 10+20, c 90+5";
        assert_eq!(rows(text, "name", Some((20, 50))), ["a on p: (1, 20, 30, 100, 100, 100)", "b on p: (1, 10, 10, 20, 20, 20)"]);
    }

    #[test]
    fn attributes_group() {
        assert_eq!(rows("p / t: a 0+100, b 10+20, c 120+5", "category", None), ["compute on p: (3, 105, 105, 5, 41, 100)"]);
    }

    #[test]
    fn a_track_brings_those_below_it() {
        let profile = drawn(
            "p / t: a 0+1
 p / u: a 0+1
 o / v: a 0+1",
        );
        let n = tracks_below(&profile, &[TrackId(0)]).len();
        assert_eq!(n, 3);
        assert_eq!(tracks_below(&profile, &[]).len(), 5);
    }
}
