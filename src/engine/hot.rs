//! What the page holds for drawing: the columns a frame needs, in slice order, and the names they point at.

use crate::base::{SliceId, StrId, StringTable, TimeRange};
use crate::model::{Counter, Domain, InstantTable, Lane, Meta, Profile, Track};
use serde::{Deserialize, Serialize};

/// The small part, sent as a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HotMeta {
    /// What the file says of itself.
    pub meta: Meta,
    /// Display order.
    pub tracks: Vec<Track>,
    /// By (track, lane).
    pub lanes: Vec<Lane>,
    /// Ids as in the profile; texts only for names of slices, tracks and instants.
    pub strings: StringTable,
    /// By track.
    pub counters: Vec<Counter>,
    /// By (track, time).
    pub instants: InstantTable,
    /// (id, label) one can colour by, `name` first.
    pub colourings: Vec<(String, String)>,
    /// (id, label) of fields that a search can ask for: `colourings` and numbers.
    pub search_fields: Vec<(String, String)>,
    /// (id, label, slices) of the categories that a search can be limited to.
    pub categories: Vec<(String, String, u64)>,
    /// (group id, label) of generic tables with their row counts.
    pub tables: Vec<(String, u64)>,
    /// Kinds of arrows between slices with how many there are of each, by name.
    pub flow_kinds: Vec<(String, u64)>,
    /// Steps of the program, by start; empty where none are marked.
    pub steps: Vec<Step>,
    /// Slices in the columns.
    pub n_slices: u64,
    /// Ids of the views that this profile can fill, in no order.
    pub views: Vec<String>,
}

/// A step of the program, as it is marked on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its number as text.
    pub name: String,
    /// The mark.
    pub slice: SliceId,
    /// From when to when.
    pub range: TimeRange,
}

/// The columns, as long as the slice table; slice `i` of the profile is element `i`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HotColumns {
    /// The small part.
    pub info: HotMeta,
    /// Nanoseconds since the origin.
    pub start: Vec<i64>,
    /// Nanoseconds.
    pub duration: Vec<i64>,
    /// String ids.
    pub name: Vec<u32>,
    /// Colour slots: 0–11 the top dozen by time, then muted ones to 43, then those of durations.
    pub colour: Vec<u16>,
}

impl HotColumns {
    /// First and last moment of anything.
    pub fn range(&self) -> TimeRange {
        self.info.meta.range
    }

    /// The first of `slices` that reaches into `range`.
    pub fn first_within(&self, slices: &[SliceId], range: TimeRange) -> Option<SliceId> {
        let is_inside = |slice: &&SliceId| {
            let (start, duration) = (self.start.get(slice.index()), self.duration.get(slice.index()));
            start.zip(duration).is_some_and(|(&start, &duration)| start < range.end.0 && start.saturating_add(duration) > range.start.0)
        };
        slices.iter().find(is_inside).copied()
    }
}

/// What slices can be coloured by: (id, label).
fn colourings(profile: &Profile) -> Vec<(String, String)> {
    let (id, label) = crate::analysis::colouring::CORE;
    let mut out = crate::analysis::operators::groupings(profile);
    if matches!(profile.domain, Domain::NeuronDevice(_)) {
        out.push((id.into(), label.into()));
    }
    let (id, label) = crate::analysis::colouring::DURATION;
    out.push((id.into(), label.into()));
    out
}

/// The small part of `profile`.
pub(super) fn hot_meta(profile: &Profile) -> HotMeta {
    let mut used = vec![false; profile.strings.len()];
    let names = profile.slices.name.iter().chain(profile.tracks.iter().map(|t| &t.name)).chain(&profile.instants.name);
    for id in names {
        used[id.index()] = true;
    }
    HotMeta {
        meta: profile.meta.clone(),
        tracks: profile.tracks.clone(),
        lanes: profile.lanes.clone(),
        strings: profile.strings.reduced(|id: StrId| used[id.index()]),
        counters: profile.counters.clone(),
        instants: profile.instants.clone(),
        colourings: colourings(profile),
        search_fields: crate::analysis::filter::fields(profile),
        categories: crate::analysis::filter::categories(profile),
        tables: profile.tables.iter().map(|t| (t.id.clone(), t.rows.len() as u64 + t.n_in_file)).collect(),
        flow_kinds: crate::analysis::flows::flow_kinds(profile),
        steps: Vec::new(),
        n_slices: profile.slices.len() as u64,
        views: super::views::views(profile).into_iter().map(Into::into).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn a_slice_of_a_range_reaches_into_it() {
        let hot = HotColumns { start: vec![0, 10, 20, 30], duration: vec![5, 5, 15, 5], ..HotColumns::default() };
        let first = |slices: &[u32], from, to| {
            let slices: Vec<SliceId> = slices.iter().map(|&s| SliceId(s)).collect();
            hot.first_within(&slices, TimeRange::new(TimeNs(from), TimeNs(to))).map(|s| s.0)
        };
        assert_eq!(first(&[0, 1, 2, 3], 15, 25), Some(2));
        assert_eq!(first(&[0, 2, 3], 30, 40), Some(2));
        assert_eq!(first(&[0, 1], 15, 25), None);
        assert_eq!(first(&[9], 0, 25), None);
    }
}
