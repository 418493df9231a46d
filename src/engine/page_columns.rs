//! The columns that the page draws from, in slice order, and the names that they index.

use super::views::{MissingView, missing_views, views};
use crate::analysis::colour::NO_VALUE;
use crate::analysis::hit_tables::Within;
use crate::base::{InstantId, SharedColumn, SliceId, StrId, StringTable, TimeNs, TimeRange, TrackId, for_each_of};
use crate::model::tracks;
use crate::model::{Counter, Domain, Lane, Meta, Profile, ProfileKind, Track, TrackRuns};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The small part, sent as a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageMeta {
    /// Metadata of the file.
    pub meta: Meta,
    /// Display order.
    pub tracks: Vec<Track>,
    /// Ordered by (track, lane).
    pub lanes: Vec<Lane>,
    /// Ids as in the profile; texts only for names of slices, tracks and instants.
    pub strings: StringTable,
    /// Ordered by track.
    pub counters: Vec<Counter>,
    /// Ordered by (track, time). Sent as columns, like those of slices: a device trace has millions.
    #[serde(skip)]
    pub instants: PageInstants,
    /// The profile's instant by position in `instants`; empty where they are the same.
    pub instant_ids: Vec<InstantId>,
    /// (id, label) one can colour by, `name` first.
    pub colourings: Vec<(String, String)>,
    /// (id, label) of fields that a search can ask for: `colourings` and numbers.
    pub search_fields: Vec<(String, String)>,
    /// (id, label, slices) of the categories that a search can be limited to.
    pub categories: Vec<(String, String, u64)>,
    /// Generic tables: (table id, rows).
    pub tables: Vec<(String, u64)>,
    /// Kinds of arrows between slices with how many there are of each, by name.
    pub flow_kinds: Vec<(String, u64)>,
    /// Steps of the program, by start; empty where none are marked.
    pub steps: Vec<Step>,
    /// Slices in the columns.
    pub n_slices: u64,
    /// Ids of the views that this profile can fill, in no order.
    pub views: Vec<String>,
    /// What the profile is.
    pub kind: ProfileKind,
    /// Views without data in this profile, and what they need.
    pub missing_views: Vec<MissingView>,
}

/// A step of the program, as marked on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its number as text.
    pub name: String,
    /// The mark.
    pub slice: SliceId,
    /// Start and end.
    pub range: TimeRange,
}

/// Instants as they are drawn. The same ones in other rows share times and names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageInstants {
    /// Track.
    pub track: TrackRuns,
    /// Nanoseconds since the origin.
    pub time: SharedColumn<i64>,
    /// Name.
    pub name: SharedColumn<StrId>,
}

/// The columns, as long as the slice table; slice `i` of the profile is element `i`. The same slices in other rows or colours share the values; in other
/// rows an element is a position of the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageColumns {
    /// The small part.
    pub info: PageMeta,
    /// Nanoseconds since the origin.
    pub start: SharedColumn<i64>,
    /// Nanoseconds.
    pub duration: SharedColumn<i64>,
    /// String ids.
    pub name: SharedColumn<u32>,
    /// Colours.
    pub colour: SliceColours,
}

/// Colour slots: those of values (`base::colour_slots`), then those of durations; from 60,000 on, those that mean the same in every profile.
#[derive(Debug, Clone, PartialEq)]
pub enum SliceColours {
    /// A slice has the slot of its name.
    ByName {
        /// Indexed by string id; [`NO_VALUE`] of what no slice is named.
        slots: Arc<Vec<u16>>,
        /// Those of bars that are no slices, in the order of their names behind those of the slices.
        bars: Arc<Vec<u16>>,
    },
    /// A slot for each position.
    Each(SharedColumn<u16>),
}

impl SliceColours {
    /// Slots by string id.
    pub fn by_name(slots: Vec<u16>) -> Self {
        SliceColours::ByName { slots: Arc::new(slots), bars: Arc::default() }
    }

    /// The slot of a name; `None` where names have none.
    pub fn of_name(&self, name: StrId) -> Option<u16> {
        match self {
            SliceColours::ByName { slots, .. } => slots.get(name.index()).copied(),
            SliceColours::Each(_) => None,
        }
    }

    /// Whether each of `n` slices has one.
    pub fn is_for(&self, n: usize) -> bool {
        match self {
            SliceColours::ByName { .. } => true,
            SliceColours::Each(slots) => slots.len() == n,
        }
    }

    /// The same with those of more bars; see [`SharedColumn::with_more`].
    pub fn with_more(&self, order: Option<Arc<Vec<u32>>>, more: Vec<u16>) -> Self {
        match self {
            SliceColours::ByName { slots, bars } => {
                SliceColours::ByName { slots: slots.clone(), bars: Arc::new(bars.iter().copied().chain(more).collect()) }
            }
            SliceColours::Each(slots) => SliceColours::Each(slots.with_more(order, more)),
        }
    }
}

impl Default for SliceColours {
    fn default() -> Self {
        SliceColours::Each(SharedColumn::default())
    }
}

impl From<Vec<u16>> for SliceColours {
    fn from(slots: Vec<u16>) -> Self {
        SliceColours::Each(slots.into())
    }
}

impl FromIterator<u16> for SliceColours {
    fn from_iter<I: IntoIterator<Item = u16>>(slots: I) -> Self {
        SliceColours::Each(slots.into_iter().collect())
    }
}

impl PageMeta {
    /// Names from the root to the track, as in the profile.
    pub fn track_path(&self, track: TrackId) -> String {
        tracks::path(&self.tracks, &self.strings, track)
    }

    /// The tracks with these paths. A path without a track gives its nearest parent group, or nothing.
    pub fn tracks_of(&self, paths: &[String]) -> Vec<TrackId> {
        if paths.is_empty() {
            return Vec::new();
        }
        let known: Vec<String> = (0..self.tracks.len() as u32).map(|t| self.track_path(TrackId(t))).collect();
        let all = |wanted: &str| (0u32..).zip(&known).filter(|(_, path)| *path == wanted).map(|(t, _)| TrackId(t)).collect::<Vec<_>>();
        let mut out = Vec::new();
        for path in paths {
            let mut above = Some(path.as_str());
            while let Some(at) = above {
                let found = all(at);
                out.extend(&found);
                above = at.rsplit_once(" / ").map(|p| p.0).filter(|_| found.is_empty());
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// For each track: whether it is one of these or below one.
    pub fn below(&self, tracks: &[TrackId]) -> Vec<bool> {
        let mut is_inside = vec![false; self.tracks.len()];
        for (i, track) in self.tracks.iter().enumerate() {
            let is_below = track.parent.is_some_and(|p| p.index() < i && is_inside[p.index()]);
            is_inside[i] = is_below || tracks.contains(&TrackId(i as u32));
        }
        is_inside
    }

    /// Number of tracks with slices among these and their descendants.
    pub fn n_rows(&self, tracks: &[TrackId]) -> usize {
        let is_inside = self.below(tracks);
        (0..is_inside.len()).filter(|&i| is_inside[i] && !self.tracks[i].lanes.is_empty()).count()
    }

    /// The track of a slice.
    pub fn track_of(&self, slice: SliceId) -> Option<TrackId> {
        tracks::lane_of(&self.lanes, slice).map(|lane| lane.track)
    }
}

impl PageColumns {
    /// The colour slot of what is at a position; `None` where nothing is.
    pub fn colour_of(&self, i: usize) -> Option<u16> {
        match &self.colour {
            SliceColours::ByName { slots, bars } => match self.name.place_behind(i) {
                Some(bar) => bars.get(bar).copied(),
                None => self.name.get(i).map(|name| slots.get(name as usize).copied().unwrap_or(NO_VALUE)),
            },
            SliceColours::Each(slots) => slots.get(i),
        }
    }

    /// First and last moment of anything.
    pub fn range(&self) -> TimeRange {
        self.info.meta.range
    }

    /// From the first start to the last end of slices, and the tracks that they are on; `None` without any.
    pub fn extent(&self, slices: &[SliceId]) -> Option<(TimeRange, Vec<TrackId>)> {
        let (mut from, mut to) = (i64::MAX, i64::MIN);
        let mut tracks = std::collections::BTreeSet::new();
        for slice in slices {
            let Some((start, duration)) = self.start.get(slice.index()).zip(self.duration.get(slice.index())) else { continue };
            (from, to) = (from.min(start), to.max(start.saturating_add(duration.max(1))));
            tracks.extend(self.info.track_of(*slice));
        }
        (from < to).then(|| (TimeRange::new(TimeNs(from), TimeNs(to)), tracks.into_iter().collect()))
    }

    /// The first of `slices` that overlaps the range on the tracks of `within`.
    pub fn first_within(&self, slices: &[SliceId], within: &Within) -> Option<SliceId> {
        let tracks = (!within.tracks.is_empty()).then(|| self.info.below(&within.tracks));
        let is_inside = |slice: &&SliceId| {
            let (start, duration) = (self.start.get(slice.index()), self.duration.get(slice.index()));
            let in_time = |range: TimeRange| {
                start.zip(duration).is_some_and(|(start, duration)| start < range.end.0 && start.saturating_add(duration) > range.start.0)
            };
            let on_tracks = |is_there: &Vec<bool>| self.info.track_of(**slice).is_some_and(|t| is_there.get(t.index()) == Some(&true));
            within.range.is_none_or(in_time) && tracks.as_ref().is_none_or(on_tracks)
        };
        slices.iter().find(is_inside).copied()
    }
}

/// What slices can be coloured by: (id, label).
fn colourings(profile: &Profile) -> Vec<(String, String)> {
    let (id, label) = crate::analysis::colouring::CORE;
    let mut out = crate::analysis::groupings::groupings(profile);
    if matches!(profile.domain, Domain::NeuronDevice(_)) {
        out.push((id.into(), label.into()));
    }
    let (id, label) = crate::analysis::colouring::DURATION;
    out.push((id.into(), label.into()));
    out
}

/// The small part of `profile`, without its instants.
pub(super) fn page_meta(profile: &Profile) -> PageMeta {
    let mut used = vec![false; profile.strings.len()];
    profile.tracks.iter().for_each(|track| used[track.name.index()] = true);
    for names in [&profile.slices.name, &profile.instants.name] {
        for_each_of(names, |name| used[name.index()] = true);
    }
    PageMeta {
        meta: profile.meta.clone(),
        tracks: profile.tracks.clone(),
        lanes: profile.lanes.clone(),
        strings: profile.strings.reduced(|id: StrId| used[id.index()]),
        counters: profile.counters.clone(),
        instants: PageInstants::default(),
        instant_ids: Vec::new(),
        colourings: colourings(profile),
        search_fields: crate::analysis::filter::fields(profile),
        categories: crate::analysis::filter::categories(profile),
        tables: profile.tables.iter().map(|t| (t.id.clone(), t.rows.len() as u64 + t.n_in_file)).collect(),
        flow_kinds: crate::analysis::flows::flow_kinds(profile),
        steps: Vec::new(),
        n_slices: profile.slices.len() as u64,
        kind: profile.domain.kind(),
        missing_views: missing_views(profile),
        views: views(profile).into_iter().map(Into::into).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_a_range_reaches_into_it() {
        let columns = PageColumns { start: vec![0, 10, 20, 30].into(), duration: vec![5, 5, 15, 5].into(), ..PageColumns::default() };
        let first = |slices: &[u32], from, to| {
            let slices: Vec<SliceId> = slices.iter().map(|&s| SliceId(s)).collect();
            let range = Some(TimeRange::new(TimeNs(from), TimeNs(to)));
            columns.first_within(&slices, &Within { range, ..Within::default() }).map(|s| s.0)
        };
        assert_eq!(first(&[0, 1, 2, 3], 15, 25), Some(2));
        assert_eq!(first(&[0, 2, 3], 30, 40), Some(2));
        assert_eq!(first(&[0, 1], 15, 25), None);
        assert_eq!(first(&[9], 0, 25), None);
    }

    /// Two groups with a row each: `p / t` with slices 0 and 1, `q / t` with 2 and 3.
    fn rows() -> PageColumns {
        use crate::model::TrackKind;
        let mut info = PageMeta::default();
        let mut add = |name: &str, parent: Option<u32>, lanes| {
            let name = info.strings.push(name);
            let kind = TrackKind::Thread;
            info.tracks.push(Track { parent: parent.map(TrackId), level: 0, name, kind, lanes });
        };
        add("p", None, 0..0);
        add("t", Some(0), 0..1);
        add("q", None, 1..1);
        add("t", Some(2), 1..2);
        let lane = |track, first| Lane { track: TrackId(track), depth: 0, first, end: first + 2 };
        info.lanes = vec![lane(1, 0), lane(3, 2)];
        PageColumns { info, start: vec![0, 10, 0, 10].into(), duration: vec![5; 4].into(), ..PageColumns::default() }
    }

    #[test]
    fn rows_are_found_by_path_or_by_the_group_that_is_left() {
        let info = rows().info;
        let of = |paths: &[&str]| info.tracks_of(&paths.iter().map(|p| p.to_string()).collect::<Vec<_>>());
        assert_eq!(of(&["q / t"]), [TrackId(3)]);
        assert_eq!(of(&["q / made by engine / 5", "q", "gone"]), [TrackId(2)]);
        assert!(of(&[]).is_empty() && of(&["gone / t"]).is_empty());
        assert_eq!((info.n_rows(&of(&["q"])), info.n_rows(&of(&["p", "q / t"])), info.n_rows(&[])), (1, 2, 0));
    }

    #[test]
    fn the_first_of_a_box_lies_on_its_rows() {
        let columns = rows();
        let all: Vec<SliceId> = (0..4).map(SliceId).collect();
        let first = |range, track| columns.first_within(&all, &Within { range, tracks: vec![TrackId(track)] }).map(|s| s.0);
        assert_eq!((first(None, 2), first(Some(TimeRange::new(TimeNs(7), TimeNs(12))), 2)), (Some(2), Some(3)));
    }
}
