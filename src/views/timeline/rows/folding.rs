//! What the user did to the rows: closed, pinned, moved, filtered.

use crate::base::Order as _;
use crate::base::TrackId;
use crate::engine::page_columns::PageColumns;
use crate::engine::{Track, TrackKind};
use crate::views::timeline::lookup::deep_stacks::deep_stacks;
use crate::views::timeline::lookup::index::Index;
use std::collections::{HashMap, HashSet};

/// A row: its path, and the number of rows with the same path before it.
pub(crate) type Key = (String, u32);

/// What was done to rows that are there, and to some that are not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ByPath {
    /// Whether rows are closed that are not as at first.
    pub(crate) closed: HashMap<Key, bool>,
    /// Pinned rows from the top.
    pub(crate) pinned: Vec<Key>,
    /// Rows of a group in order, where it is not that of the file; `None`: those in no group.
    pub(crate) order: HashMap<Option<Key>, Vec<Key>>,
}

/// What the user did to the rows.
#[derive(Debug, Clone, Default)]
pub struct Folding {
    /// Groups that are closed and slice tracks that are folded to one lane.
    pub closed: HashSet<TrackId>,
    /// At the top, in this order.
    pub pinned: Vec<TrackId>,
    /// Place among siblings by track; empty = as in the file.
    pub rank: Vec<u32>,
    /// Only tracks whose path contains this text.
    pub filter: String,
    /// Kinds of rows that are left out: see [`super::kinds::kind_of`].
    pub hidden: Vec<String>,
    /// What was done to rows that are not there now.
    pub past: ByPath,
}

/// Siblings by rank, or in the order of the file without ranks.
pub(crate) fn ordered(siblings: &[TrackId], rank: &[u32]) -> Vec<TrackId> {
    let mut out = siblings.to_vec();
    out.order_by_key(|t| rank.get(t.index()).copied().unwrap_or(t.0));
    out
}

/// DMA queues with more lanes are collapsed at first, as in other profilers: otherwise engines would be a screen below.
const LANES_OF_A_QUEUE: u32 = 4;

impl Folding {
    /// How a profile is shown at first.
    pub fn at_first(columns: &PageColumns) -> Self {
        let is_deep = |t: &Track| t.kind == TrackKind::Queue && t.lanes.end.saturating_sub(t.lanes.start) > LANES_OF_A_QUEUE;
        let tracks = columns.info.tracks.iter().enumerate();
        let queues = tracks.filter(|(_, t)| is_deep(t)).map(|(i, _)| TrackId(i as u32));
        let closed = queues.chain(deep_stacks(columns).into_iter().map(|found| found.0)).collect();
        Folding { closed, ..Folding::default() }
    }

    /// Opens or closes a track.
    pub fn toggle(&mut self, track: TrackId) {
        if !self.closed.remove(&track) {
            self.closed.insert(track);
        }
    }

    /// Pins a track to the top, or lets it go.
    pub fn toggle_pin(&mut self, track: TrackId) {
        match self.pinned.iter().position(|&t| t == track) {
            Some(i) => drop(self.pinned.remove(i)),
            None => self.pinned.push(track),
        }
    }

    /// Moves a track one place up or down: among the pinned if it is pinned, else among its siblings.
    pub fn shift(&mut self, index: &Index, columns: &PageColumns, track: TrackId, is_up: bool) {
        if let Some(i) = self.pinned.iter().position(|&t| t == track) {
            let j = if is_up { i.wrapping_sub(1) } else { i + 1 };
            if j < self.pinned.len() {
                self.pinned.swap(i, j);
            }
            return;
        }
        if self.rank.is_empty() {
            self.rank = (0..index.tracks.len() as u32).collect();
        }
        let parent = columns.info.tracks.get(track.index()).and_then(|t| t.parent).filter(|p| *p < track);
        let siblings = parent.map_or(&index.roots, |p| &index.tracks[p.index()].children);
        let order = ordered(siblings, &self.rank);
        let Some(i) = order.iter().position(|&t| t == track) else { return };
        let j = if is_up { i.wrapping_sub(1) } else { i + 1 };
        if let Some(other) = order.get(j) {
            self.rank.swap(track.index(), other.index());
        }
    }

    /// Puts a track where another one stands, or the group of the same level that holds that one: before it when it comes from below, behind it
    /// when it comes from above. Nothing happens when the two have no group in common to be moved in.
    pub fn move_to(&mut self, index: &Index, columns: &PageColumns, track: TrackId, over: TrackId) {
        let place = |list: &[TrackId], t: TrackId| list.iter().position(|&other| other == t);
        if let (Some(from), Some(to)) = (place(&self.pinned, track), place(&self.pinned, over)) {
            let moved = self.pinned.remove(from);
            self.pinned.insert(to, moved);
            return;
        }
        let parent_of = |t: TrackId| columns.info.tracks.get(t.index()).and_then(|row| row.parent).filter(|p| *p < t);
        let parent = parent_of(track);
        let mut sibling = Some(over);
        while let Some(at) = sibling.filter(|s| parent_of(*s) != parent) {
            sibling = parent_of(at);
        }
        let siblings = parent.map_or(&index.roots, |p| &index.tracks[p.index()].children);
        let mut order = ordered(siblings, &self.rank);
        let (Some(from), Some(to)) = (place(&order, track), sibling.and_then(|s| place(&order, s))) else { return };
        if self.rank.is_empty() {
            self.rank = (0..index.tracks.len() as u32).collect();
        }
        let mut ranks: Vec<u32> = order.iter().filter_map(|t| self.rank.get(t.index()).copied()).collect();
        ranks.order();
        let moved = order.remove(from);
        order.insert(to, moved);
        for (t, rank) in order.iter().zip(ranks) {
            if let Some(own) = self.rank.get_mut(t.index()) {
                *own = rank;
            }
        }
    }

    /// One lane for each track, without curves and moments; of several groups side by side only the one with most slices stays open.
    pub fn in_brief(&mut self, index: &Index, columns: &PageColumns) {
        let info = &columns.info;
        let is_lane =
            |t: &Track| matches!(t.kind, TrackKind::Engine | TrackKind::Queue | TrackKind::Thread | TrackKind::Stream | TrackKind::Async);
        let bare = info.tracks.iter().filter(|t| t.kind != TrackKind::Group && !is_lane(t)).filter_map(|t| super::kinds::kind_of(info, t));
        self.hidden = bare.map(Into::into).collect();
        self.closed = (0..info.tracks.len() as u32).map(TrackId).filter(|t| info.tracks[t.index()].lanes.len() > 1).collect();
        let n_slices = |t: TrackId| -> u64 {
            let mut open = vec![t];
            let mut n = 0;
            while let Some(at) = open.pop() {
                let lanes = info.tracks[at.index()].lanes.clone();
                n += lanes.filter_map(|l| info.lanes.get(l as usize)).map(|l| u64::from(l.end - l.first)).sum::<u64>();
                open.extend(&index.tracks[at.index()].children);
            }
            n
        };
        for &root in &index.roots {
            let groups = || index.tracks[root.index()].children.iter().copied().filter(|t| info.tracks[t.index()].kind == TrackKind::Group);
            let most = groups().max_by_key(|t| n_slices(*t));
            self.closed.extend(groups().filter(|t| Some(*t) != most));
        }
    }

    /// Opens every group above a track, and the track itself, so that all its lanes are seen.
    pub fn open_up_to(&mut self, columns: &PageColumns, track: TrackId) {
        let mut at = Some(track);
        while let Some(id) = at {
            self.closed.remove(&id);
            at = columns.info.tracks.get(id.index()).and_then(|t| t.parent).filter(|p| *p < id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::rows::layout::rows;

    #[test]
    fn rows_move_among_their_siblings() {
        let columns = sample();
        let index = Index::new(&columns);
        let mut f = Folding::default();
        f.shift(&index, &columns, TrackId(2), true);
        let order: Vec<u32> = rows(&columns, &index, &f).rows.iter().map(|r| r.track.0).collect();
        assert_eq!(order, [0, 2, 1, 3, 4, 5]);
        f.shift(&index, &columns, TrackId(0), false);
        assert_eq!(rows(&columns, &index, &f).rows[0].track.0, 4);
    }

    #[test]
    fn deep_queues_are_folded_at_first() {
        let mut columns = sample();
        assert!(Folding::at_first(&columns).closed.is_empty());
        let queue = &mut columns.info.tracks[5];
        (queue.kind, queue.lanes) = (TrackKind::Queue, 3..8);
        let mut f = Folding::at_first(&columns);
        assert_eq!(f.closed, [TrackId(5)].into());
        f.open_up_to(&columns, TrackId(5));
        assert!(f.closed.is_empty());
    }

    #[test]
    fn in_brief_there_are_few_rows() {
        let columns = sample();
        let index = Index::new(&columns);
        let all = rows(&columns, &index, &Folding::default());
        let mut f = Folding::default();
        f.in_brief(&index, &columns);
        let brief = rows(&columns, &index, &f);
        let height = |r: &crate::views::timeline::rows::layout::Rows| r.rows.iter().map(|r| r.height).fold(0.0, |a, b| a + f64::from(b));
        assert!(brief.rows.len() <= all.rows.len() && height(&brief) < height(&all));
        assert!(index.roots.iter().all(|r| !f.closed.contains(r)), "every profile stays open");
    }

    #[test]
    fn a_row_is_dragged_to_the_place_of_another() {
        let columns = sample();
        let index = Index::new(&columns);
        let order = |f: &Folding| rows(&columns, &index, f).rows.iter().map(|r| r.track.0).collect::<Vec<_>>();
        let mut f = Folding::default();
        f.move_to(&index, &columns, TrackId(3), TrackId(1));
        assert_eq!(order(&f), [0, 3, 1, 2, 4, 5]);
        f.move_to(&index, &columns, TrackId(3), TrackId(2));
        assert_eq!(order(&f), [0, 1, 2, 3, 4, 5]);
        // Over a row of another group: its group is meant, where that is a sibling.
        f.move_to(&index, &columns, TrackId(0), TrackId(5));
        assert_eq!(order(&f), [4, 5, 0, 1, 2, 3]);
        f.move_to(&index, &columns, TrackId(1), TrackId(5));
        assert_eq!(order(&f), [4, 5, 0, 1, 2, 3]);
        f.pinned = vec![TrackId(1), TrackId(2), TrackId(3)];
        f.move_to(&index, &columns, TrackId(1), TrackId(3));
        assert_eq!(f.pinned, [TrackId(2), TrackId(3), TrackId(1)]);
    }
}
