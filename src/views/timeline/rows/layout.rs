//! Which tracks have a row, where, and how high: folding, pinning, order and filter.

use super::folding::ordered;
use crate::base::TrackId;
use crate::engine::TrackKind;
use crate::engine::page_columns::PageColumns;
use crate::views::timeline::lookup::index::Index;
use std::sync::Arc;

pub use super::folding::Folding;

/// Height of a lane of slices.
pub const LANE: i32 = 18;
/// Height of a group's row.
pub const GROUP: i32 = 22;
/// Height of a counter.
pub const COUNTER: i32 = 36;
/// Distance of the lanes of a wait track beyond the first.
pub const WAIT: i32 = 6;

/// One row. Heights and places in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its track.
    pub track: TrackId,
    /// Top, from the top of all rows (pinned ones: from the top of the pinned block).
    pub y: i32,
    /// Height of everything.
    pub height: i32,
    /// Height of the group's header; 0 for a plain track.
    pub header: i32,
    /// Groups above.
    pub level: u16,
    /// Whether it can be closed.
    pub can_fold: bool,
    /// Whether its children or lanes are shown.
    pub is_open: bool,
    /// First lane and how many are drawn below each other.
    pub lanes: (u32, u32),
    /// The lanes that are drawn, where they are not all from the first on: Python functions are collapsed.
    pub picked: Option<Arc<[u32]>>,
    /// Lanes painted into the first one when folded.
    pub n_folded: u32,
    /// Distance from lane to lane.
    pub lane_height: i32,
    /// Whether slices are thin lines.
    pub is_thin: bool,
    /// Whether slices of some names are waits and drawn thin among the others.
    pub has_waits: bool,
    /// Whether it is pinned.
    pub is_pinned: bool,
}

impl Row {
    /// Top of the `i`-th lane.
    pub fn lane_y(&self, i: u32) -> i32 {
        self.y + self.header + i as i32 * self.lane_height
    }

    /// The `i`-th lane that is drawn.
    pub fn lane(&self, i: u32) -> u32 {
        let picked = self.picked.as_ref().and_then(|lanes| lanes.get(i as usize));
        picked.copied().unwrap_or(self.lanes.0 + i)
    }

    /// Where a lane is drawn: its own place, or that of the nearest one above it.
    pub fn place_of(&self, lane: u32) -> u32 {
        let place = match &self.picked {
            Some(lanes) => lanes.partition_point(|l| *l <= lane).saturating_sub(1) as u32,
            None => lane.saturating_sub(self.lanes.0),
        };
        place.min(self.lanes.1.saturating_sub(1))
    }

    /// Number of drawn lanes, including those painted into another one.
    pub fn drawn_lanes(&self) -> impl Iterator<Item = u32> {
        (0..self.lanes.1).flat_map(move |i| (self.lane(i)..).take(self.n_folded.max(1) as usize))
    }

    /// Height of all lanes.
    pub fn lanes_height(&self) -> i32 {
        match self.lanes.1 as i32 {
            0 => 0,
            n if self.is_thin => LANE + (n - 1) * WAIT,
            n => n * LANE,
        }
    }

    /// Top of the first counter, below header and lanes.
    pub fn counters_y(&self) -> i32 {
        self.y + self.header + self.lanes_height()
    }
}

/// All rows, laid out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// The block that stays at the top.
    pub pinned: Vec<Row>,
    /// The scrolled rows below the pinned ones.
    pub rows: Vec<Row>,
    /// Height of the pinned block.
    pub pinned_height: i32,
    /// Height of the scrolled rows.
    pub height: i32,
}

impl Rows {
    /// Index of a track's row among the scrolled rows.
    pub fn find(&self, track: TrackId) -> Option<&Row> {
        self.rows.iter().find(|r| r.track == track)
    }

    /// Scrolled rows that touch `top..bottom`.
    pub fn between(&self, top: i32, bottom: i32) -> &[Row] {
        let first = self.rows.partition_point(|r| r.y + r.height <= top);
        let n = self.rows[first..].partition_point(|r| r.y < bottom);
        &self.rows[first..first + n]
    }

    /// The row at a height of the scrolled ones.
    pub fn at(&self, y: i32) -> Option<&Row> {
        self.between(y, y + 1).first()
    }
}

/// Lays out the rows.
pub fn rows(columns: &PageColumns, index: &Index, folding: &Folding) -> Rows {
    let needle = folding.filter.trim().to_lowercase();
    let mut walk = Walk {
        columns,
        index,
        folding,
        shown: shown(columns, index, &needle, &folding.hidden),
        is_filtered: !needle.is_empty(),
        out: Rows::default(),
    };
    for &track in &folding.pinned {
        if let Some(row) = walk.row(track, walk.out.pinned_height, true) {
            walk.out.pinned_height += row.height;
            walk.out.pinned.push(row);
        }
    }
    walk.walk(&index.roots);
    walk.out
}

/// Tracks whose path matches, those above and those below them; `None` = all.
fn shown(columns: &PageColumns, index: &Index, needle: &str, hidden: &[String]) -> Option<Vec<bool>> {
    if needle.is_empty() && hidden.is_empty() {
        return None;
    }
    let is_hidden = |kind: Option<&str>| kind.is_some_and(|kind| hidden.iter().any(|h| h == kind));
    let kinds = columns.info.tracks.iter().map(|t| super::kinds::kind_of(&columns.info, t));
    let is_wanted = |path: &str| needle.is_empty() || path.to_lowercase().contains(needle);
    // A group is shown if a row in it matches. If the group itself matches, all its rows that are not hidden are shown.
    let rows = index.tracks.iter().zip(kinds);
    let mut shown: Vec<bool> = rows
        .map(|(t, kind)| is_wanted(&t.path) && !is_hidden(kind) && (!needle.is_empty() || t.children.is_empty() || kind.is_some()))
        .collect();
    for i in (0..shown.len()).rev() {
        shown[i] = shown[i] || index.tracks[i].children.iter().any(|c| shown[c.index()]);
    }
    Some(shown)
}

struct Walk<'a> {
    columns: &'a PageColumns,
    index: &'a Index,
    folding: &'a Folding,
    shown: Option<Vec<bool>>,
    is_filtered: bool,
    out: Rows,
}

impl Walk<'_> {
    fn walk(&mut self, siblings: &[TrackId]) {
        for track in ordered(siblings, &self.folding.rank) {
            if self.shown.as_ref().is_some_and(|s| !s[track.index()]) {
                continue;
            }
            let is_pinned = self.folding.pinned.contains(&track);
            let Some(row) = self.row(track, self.out.height, false) else { continue };
            let is_open = row.is_open;
            if !is_pinned {
                self.out.height += row.height;
                self.out.rows.push(row);
            }
            if is_open {
                let children = self.index.tracks[track.index()].children.clone();
                self.walk(&children);
            }
        }
    }

    fn row(&self, id: TrackId, y: i32, is_pinned: bool) -> Option<Row> {
        let track = self.columns.info.tracks.get(id.index())?;
        let info = &self.index.tracks[id.index()];
        let is_group = track.kind == TrackKind::Group || !info.children.is_empty();
        let n_lanes = track.lanes.end.saturating_sub(track.lanes.start);
        let is_closed = self.folding.closed.contains(&id);
        let is_open = !is_closed || (is_group && self.is_filtered);
        let picked = info.work_lanes.clone().filter(|_| !is_open && !is_group);
        let n_closed = picked.as_ref().map_or(u32::from(n_lanes > 0 && !is_group), |lanes| lanes.len() as u32);
        let is_thin = track.kind == TrackKind::Wait;
        let mut row = Row {
            track: id,
            y,
            height: 0,
            header: if is_group { GROUP } else { 0 },
            level: track.level,
            can_fold: is_group || n_lanes > 1,
            is_open,
            lanes: (track.lanes.start, if is_open { n_lanes } else { n_closed }),
            n_folded: if is_open || picked.is_some() { 1 } else { n_lanes },
            picked,
            lane_height: if is_thin { WAIT } else { LANE },
            is_thin,
            has_waits: track.kind == TrackKind::Engine,
            is_pinned,
        };
        let n_counters = if is_open || !is_group { info.counters.len() as i32 } else { 0 };
        row.height = row.header + row.lanes_height() + n_counters * COUNTER;
        row.height = row.height.max(LANE);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;

    fn layout(folding: &Folding) -> (Vec<(u32, i32, i32)>, i32) {
        let columns = sample();
        let index = Index::new(&columns);
        let r = rows(&columns, &index, folding);
        (r.rows.iter().map(|r| (r.track.0, r.y, r.height)).collect(), r.pinned_height)
    }

    #[test]
    fn open_rows_stand_below_each_other() {
        let want = vec![(0, 0, 22), (1, 22, 36), (2, 58, 18), (3, 76, 36), (4, 112, 22), (5, 134, 18)];
        assert_eq!(layout(&Folding::default()), (want, 0));
    }

    #[test]
    fn closed_groups_hide_children_and_folded_tracks_have_one_lane() {
        let mut f = Folding::default();
        f.toggle(TrackId(4));
        f.toggle(TrackId(1));
        assert_eq!(layout(&f).0, [(0, 0, 22), (1, 22, 18), (2, 40, 18), (3, 58, 36), (4, 94, 22)]);
        f.open_up_to(&sample(), TrackId(5));
        assert_eq!(layout(&f).0.len(), 6);
    }

    #[test]
    fn pinned_rows_leave_their_place() {
        let mut f = Folding::default();
        f.toggle_pin(TrackId(3));
        let (rows, pinned) = layout(&f);
        assert_eq!(pinned, 36);
        assert!(rows.iter().all(|r| r.0 != 3));
    }

    #[test]
    fn the_filter_keeps_ancestors_and_opens_them() {
        let mut f = Folding { filter: "STREAM".into(), ..Folding::default() };
        f.toggle(TrackId(4));
        assert_eq!(layout(&f).0, [(4, 0, 22), (5, 22, 18)]);
    }
}
