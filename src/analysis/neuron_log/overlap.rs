//! A clicked bar: what runs at the same time, and the members of a fused one.

use super::{Level, operator_name, slices, span, tracks};
use crate::base::{DurationNs, SliceId, StrId, TrackId};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Role};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What is over and in a slice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogOverlap {
    /// The slice.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// Operators that run meanwhile, most of the time in common first.
    pub overlapping: Vec<Overlapping>,
    /// Members of a fused slice, depth first; empty for others.
    pub members: Vec<Member>,
}

/// A slice that runs at the same time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overlapping {
    /// The slice.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// Path of its row.
    pub track: String,
    /// Time in common.
    pub overlap: DurationNs,
    /// As a share of the clicked slice, 0 to 1; `None` for one without length.
    pub share: Option<f64>,
}

/// A member of a fused slice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// As the fused slice names it.
    pub path: String,
    /// Its operator.
    pub name: String,
    /// Its bar, nearest in time; `None` when it has none and is hidden inside another operation.
    pub slice: Option<SliceId>,
    /// Path of that bar's row; empty without one.
    pub track: String,
    /// How deep: members of a member that is fused itself are one deeper.
    pub depth: u32,
}

const MAX_OVERLAPPING: usize = 500;
const MAX_MEMBERS: usize = 500;
const MAX_DEPTH: u32 = 16;

/// What overlaps `slice`, which exists.
pub fn overlap(profile: &Profile, log: &NeuronLog, slice: SliceId) -> LogOverlap {
    let (start, end) = span(profile, slice);
    let own = profile.track_of(slice);
    let rows = tracks(log, |r| Level::Framework.is_row(r) || Level::Hlo.is_row(r));
    let mut overlapping = Vec::new();
    for track in rows.iter().copied().filter(|t| Some(*t) != own) {
        for other in meanwhile(profile, track, (start, end)) {
            let (from, to) = span(profile, other);
            let common = end.min(to).saturating_sub(start.max(from));
            if common > 0 {
                overlapping.push((common, other, track));
            }
        }
    }
    overlapping.sort_unstable_by_key(|o: &(i64, SliceId, TrackId)| (std::cmp::Reverse(o.0), o.1));
    overlapping.truncate(MAX_OVERLAPPING);
    let row = |(common, other, track): (i64, SliceId, TrackId)| Overlapping {
        slice: other,
        name: profile.name_of(other).into(),
        track: profile.track_path(track),
        overlap: DurationNs(common),
        share: (end > start).then(|| common as f64 / (end - start) as f64),
    };
    let overlapping = overlapping.into_iter().map(row).collect();
    let mut members = Vec::new();
    if log.fused.binary_search_by_key(&slice, |f| f.0).is_ok() {
        Bars::new(profile, log).expand(slice, 0, &mut vec![slice], &mut members);
    }
    LogOverlap { slice, name: profile.name_of(slice).into(), overlapping, members }
}

/// Slices of a track that run at some time of a span. Slices of a lane never overlap: they are found without a look at the others.
fn meanwhile(profile: &Profile, track: TrackId, (start, end): (i64, i64)) -> impl Iterator<Item = SliceId> {
    let lanes = profile.tracks[track.index()].lanes.clone();
    lanes.flat_map(move |lane| {
        let lane = profile.lanes[lane as usize];
        let (first, last) = (lane.first as usize, lane.end as usize);
        // The last to start before the span may still run in it.
        let from = first + profile.slices.start[first..last].partition_point(|&s| s <= start);
        let from = from.saturating_sub(1).max(first);
        (from..last).take_while(move |&i| profile.slices.start[i] < end).map(|i| SliceId(i as u32))
    })
}

/// Bars of the operator rows by name.
struct Bars<'a> {
    profile: &'a Profile,
    log: &'a NeuronLog,
    /// Names of bars: each with its string.
    strings: FxHashMap<&'a str, StrId>,
    /// Bars of each string.
    of_string: Vec<Vec<(Role, SliceId)>>,
}

impl<'a> Bars<'a> {
    fn new(profile: &'a Profile, log: &'a NeuronLog) -> Self {
        let mut of_string: Vec<Vec<(Role, SliceId)>> = vec![Vec::new(); profile.strings.len()];
        let mut strings = FxHashMap::default();
        for track in tracks(log, |r| Level::Framework.is_row(r) || Level::Hlo.is_row(r)) {
            for slice in slices(profile, track) {
                let string = profile.slices.name[slice.index()];
                let bars = &mut of_string[string.index()];
                if bars.is_empty() {
                    strings.insert(profile.strings.get(string), string);
                }
                bars.push((log.roles[track.index()], slice));
            }
        }
        Bars { profile, log, strings, of_string }
    }

    /// Members of a fused slice, and of those that are fused themselves.
    fn expand(&self, slice: SliceId, depth: u32, open: &mut Vec<SliceId>, out: &mut Vec<Member>) {
        let profile = self.profile;
        let Ok(at) = self.log.fused.binary_search_by_key(&slice, |f| f.0) else {
            return;
        };
        for &id in &self.log.fused[at].1 {
            if out.len() >= MAX_MEMBERS || depth >= MAX_DEPTH {
                return;
            }
            let path = profile.strings.get(id);
            let bar = self.bar_of(slice, path);
            out.push(Member {
                path: path.into(),
                name: operator_name(path),
                slice: bar,
                track: bar.and_then(|b| profile.track_of(b)).map(|t| profile.track_path(t)).unwrap_or_default(),
                depth,
            });
            if let Some(inner) = bar.filter(|b| !open.contains(b)) {
                open.push(inner);
                self.expand(inner, depth + 1, open, out);
            }
        }
    }

    /// The bar of a member: of its name, on an operator row, the one nearest to the fused slice; rows of the same kind and part first.
    fn bar_of(&self, fused: SliceId, path: &str) -> Option<SliceId> {
        let last = path.rsplit('/').next().unwrap_or(path).trim();
        let string = self.strings.get(path.trim()).or_else(|| self.strings.get(last))?;
        let bars = &self.of_string[string.index()];
        let (start, end) = span(self.profile, fused);
        let own = self.profile.track_of(fused).and_then(|t| self.log.roles.get(t.index()).copied());
        let key = |(role, slice): &(Role, SliceId)| {
            let (from, to) = span(self.profile, *slice);
            (Some(*role) != own, from.saturating_sub(end).max(start.saturating_sub(to)).max(0), *slice)
        };
        bars.iter().filter(|b| b.1 != fused).min_by_key(|b| key(b)).map(|b| b.1)
    }
}
