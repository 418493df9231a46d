//! What a frame looks things up in, built once per profile: pyramids of lanes and counters, the tree of tracks, where its instants are.

use super::boxes::{Boxes, boxes};
use super::counter::CounterLod;
use super::deep_stacks::deep_stacks;
use super::lod::LaneLod;
use crate::base::Order as _;
use crate::base::{StrId, TrackId, short_name};
use crate::engine::Lane;
use crate::engine::page_columns::PageColumns;
use crate::views::timeline::lookup::drawn::BarId;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Lookups over one profile's columns.
#[derive(Debug, Default)]
pub struct Index {
    /// Indexed by lane; made when it is first drawn. The same slices in other rows or colours share them.
    lods: Vec<Arc<OnceLock<LaneLod>>>,
    /// Indexed by track.
    pub tracks: Vec<TrackInfo>,
    /// Tracks without a parent, in display order.
    pub roots: Vec<TrackId>,
    /// Indexed by counter.
    pub counters: Vec<CounterLod>,
    /// Indexed by string: whether a slice of that name on an engine is a wait, not work.
    pub is_wait: Vec<bool>,
    /// Keyed by string: the name for reading, where it differs.
    pub short_names: FxHashMap<u32, Box<str>>,
    /// Boxes that some rows lay over others.
    pub boxes: Vec<Boxes>,
}

/// Instructions by which an engine waits for others: drawn thin, so that idle time is seen.
const WAITS: [&str; 2] = ["EVENT_SEMAPHORE", "DRAIN"];

/// What a track has besides slices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrackInfo {
    /// Tracks directly below, in display order.
    pub children: Vec<TrackId>,
    /// Positions in the table of counters.
    pub counters: Vec<u32>,
    /// Positions in the table of instants.
    pub instants: Range<usize>,
    /// Outermost lanes of this track and all below it: what a closed group sums up.
    pub outer_lanes: Vec<u32>,
    /// Busy share of the profile's range, mean over `outer_lanes`; `None` without any.
    pub busy_share: Option<f64>,
    /// The lanes of a thread in which something other than Python functions ran, where its stack is deep: what is drawn when it is closed.
    pub work_lanes: Option<Arc<[u32]>>,
    /// Names from the root, joined by ` / `.
    pub path: String,
    /// Length of the prefix, in bytes, that its name shares with another row of its group; 0 if none.
    pub n_alike: usize,
}

/// Bytes, of whole characters, that two names have in common at their beginning.
fn alike(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
}

/// Positions of a lane's slices.
fn slices_of(lane: &Lane) -> Range<usize> {
    lane.first as usize..lane.end as usize
}

impl Index {
    /// The name of a slice for reading.
    pub fn short_name<'a>(&'a self, columns: &'a PageColumns, bar: BarId) -> &'a str {
        let short = columns.name.get(bar.index()).and_then(|name| self.short_names.get(&name)).map(AsRef::as_ref);
        short.unwrap_or_else(|| columns.name_of(bar))
    }

    /// Walks the columns once.
    pub fn new(columns: &PageColumns) -> Self {
        Index::following(columns, None)
    }

    /// The same; what other columns have that share their lanes and durations is taken from their lookups.
    pub fn following(columns: &PageColumns, old: Option<(&PageColumns, &Index)>) -> Self {
        let info = &columns.info;
        let old_lods = old.into_iter().flat_map(|(old, index)| old.info.lanes.iter().zip(&index.lods));
        let known: FxHashMap<(u32, u32), &Arc<OnceLock<LaneLod>>> = old_lods.map(|(lane, lod)| ((lane.first, lane.end), lod)).collect();
        let shared = |lane: &Lane| {
            let is_same = || old.is_some_and(|(old, _)| old.duration.is_same_in(&columns.duration, slices_of(lane)));
            known.get(&(lane.first, lane.end)).filter(|_| is_same()).map(|lod| Arc::clone(lod))
        };
        let lods = info.lanes.iter().map(|lane| shared(lane).unwrap_or_default()).collect();
        let counters = info.counters.iter().map(CounterLod::new).collect();
        let is_wait = info.strings.iter().map(|(_, name)| WAITS.contains(&name)).collect();
        let tracks = vec![TrackInfo::default(); info.tracks.len()];
        let short = |(id, name)| match short_name(name) {
            Cow::Owned(short) => Some((id, short)),
            Cow::Borrowed(_) => None,
        };
        let short_names = info.strings.iter().filter_map(short).map(|(id, short): (StrId, String)| (id.0, short.into())).collect();
        let mut index = Index { lods, tracks, roots: Vec::new(), counters, is_wait, short_names, boxes: boxes(columns) };
        index.link(columns);
        index.sum_up(columns);
        index.compare_names(columns);
        for (track, lanes) in deep_stacks(columns) {
            index.tracks[track.index()].work_lanes = Some(lanes.into());
        }
        index
    }

    fn link(&mut self, columns: &PageColumns) {
        let info = &columns.info;
        for (i, track) in info.tracks.iter().enumerate() {
            let id = TrackId(i as u32);
            let name = info.strings.get(track.name);
            match track.parent.filter(|p| p.index() < i) {
                Some(parent) => {
                    self.tracks[parent.index()].children.push(id);
                    self.tracks[i].path = format!("{} / {name}", self.tracks[parent.index()].path);
                }
                None => {
                    self.roots.push(id);
                    self.tracks[i].path = name.to_string();
                }
            }
        }
        for (i, counter) in info.counters.iter().enumerate() {
            if let Some(track) = self.tracks.get_mut(counter.track.index()) {
                track.counters.push(i as u32);
            }
        }
        for (track, part) in info.instants.track.runs() {
            if let Some(track) = self.tracks.get_mut(track.index()) {
                track.instants = part;
            }
        }
    }

    /// The common prefixes of the rows of a group: after sorting by name the most similar ones are neighbours.
    fn compare_names(&mut self, columns: &PageColumns) {
        let name = |t: &TrackId| columns.info.strings.get(columns.info.tracks[t.index()].name);
        let families = self.tracks.iter().map(|t| &t.children).chain(std::iter::once(&self.roots));
        let mut found: Vec<(TrackId, usize)> = Vec::new();
        for family in families.filter(|f| f.len() > 1) {
            let mut sorted = family.clone();
            sorted.order_by(|a, b| name(a).cmp(name(b)));
            for pair in sorted.windows(2) {
                let n = alike(name(&pair[0]), name(&pair[1]));
                found.extend([(pair[0], n), (pair[1], n)]);
            }
        }
        for (track, n) in found {
            let info = &mut self.tracks[track.index()];
            info.n_alike = info.n_alike.max(n);
        }
    }

    /// Levels of detail of a lane of these columns.
    pub fn lod(&self, columns: &PageColumns, lane: u32) -> Option<&LaneLod> {
        let (lod, lane) = (self.lods.get(lane as usize)?, columns.info.lanes.get(lane as usize)?);
        Some(lod.get_or_init(|| LaneLod::new(&columns.duration, slices_of(lane))))
    }

    /// Outer lanes and busy shares, children before parents.
    fn sum_up(&mut self, columns: &PageColumns) {
        let length = columns.range().duration().0 as f64;
        for i in (0..self.tracks.len()).rev() {
            let track = &columns.info.tracks[i];
            let mut outer: Vec<u32> = Vec::new();
            // Bars that were made are no work of their own: a group is as busy with them as without.
            let first = columns.info.lanes.get(track.lanes.start as usize).map_or(0, |l| u64::from(l.first));
            let is_made = columns.info.n_slices > 0 && first >= columns.info.n_slices;
            if !track.lanes.is_empty() && !is_made {
                outer.push(track.lanes.start);
            }
            for child in std::mem::take(&mut self.tracks[i].children) {
                outer.extend_from_slice(&self.tracks[child.index()].outer_lanes);
                self.tracks[i].children.push(child);
            }
            let busy: f64 = outer.iter().filter_map(|&l| self.lod(columns, l)).map(|l| l.total() as f64).sum();
            let n = outer.len() as f64;
            self.tracks[i].busy_share = (n > 0.0 && length > 0.0).then(|| (busy / n / length).clamp(0.0, 1.0));
            self.tracks[i].outer_lanes = outer;
        }
    }

    /// The lane of a slice.
    pub fn lane_of(&self, columns: &PageColumns, bar: BarId) -> Option<u32> {
        let at = columns.info.lanes.partition_point(|lane| lane.end <= bar.0);
        columns.info.lanes.get(at).filter(|lane| lane.first <= bar.0).map(|_| at as u32)
    }

    /// The track of a slice.
    pub fn track_of(&self, columns: &PageColumns, bar: BarId) -> Option<TrackId> {
        self.lane_of(columns, bar).map(|lane| columns.info.lanes[lane as usize].track)
    }

    /// The slice of a shallower lane of the same track that holds this one.
    pub fn parent_of(&self, columns: &PageColumns, bar: BarId) -> Option<BarId> {
        let lane = self.lane_of(columns, bar)?;
        let track = columns.info.lanes[lane as usize].track;
        let first = columns.info.tracks.get(track.index())?.lanes.start;
        let (start, end) = (columns.start.value_at(bar.index()), columns.end_of(bar));
        (first..lane).rev().find_map(|l| {
            let lane = columns.info.lanes.get(l as usize)?;
            let range = lane.first as usize..lane.end as usize;
            let i = columns.start.partition_point(range.clone(), |s| s <= start).checked_sub(1).filter(|i| *i >= range.start)?;
            (columns.end_of(BarId(i as u32)) >= end).then_some(BarId(i as u32))
        })
    }
}

/// Short ways to what the columns say of a slice.
pub trait SliceText {
    /// First moment after the slice; saturates.
    fn end_of(&self, bar: BarId) -> i64;
    /// Its name.
    fn name_of(&self, bar: BarId) -> &str;
}

impl SliceText for PageColumns {
    fn end_of(&self, bar: BarId) -> i64 {
        self.start.value_at(bar.index()).saturating_add(self.duration.value_at(bar.index()))
    }

    fn name_of(&self, bar: BarId) -> &str {
        self.name.get(bar.index()).map_or("", |id| self.info.strings.get(crate::base::StrId(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;

    #[test]
    fn the_tree_and_what_hangs_on_it() {
        let columns = sample();
        let index = Index::new(&columns);
        assert_eq!(index.roots, [TrackId(0), TrackId(4)]);
        assert_eq!(index.tracks[0].children, [TrackId(1), TrackId(2), TrackId(3)]);
        assert_eq!(index.tracks[1].path, "host / main");
        assert_eq!(index.tracks[3].counters, [0]);
        assert_eq!(index.tracks[1].instants, 0..2);
        assert_eq!(index.tracks[0].outer_lanes, [0, 2]);
    }

    #[test]
    fn slices_know_lane_track_and_parent() {
        let columns = sample();
        let index = Index::new(&columns);
        assert_eq!(index.lane_of(&columns, BarId(2)), Some(1));
        assert_eq!(index.track_of(&columns, BarId(2)), Some(TrackId(1)));
        assert_eq!(index.parent_of(&columns, BarId(2)), Some(BarId(0)));
        assert_eq!(index.parent_of(&columns, BarId(0)), None);
        assert_eq!(index.lane_of(&columns, BarId(999)), None);
    }
}
