//! Columns with DMA transfers in other rows. Slices get new ids; [`SliceIdMap`] maps the profile's ids to these and back.

use crate::analysis::device::transfers::dma_rows::DmaRows;
use crate::base::{SliceId, StrId, TrackId};
use crate::engine::page_columns::{PageColumns, PageMeta};
use crate::engine::{Lane, Track, TrackKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Ids of the profile (outside) and of the columns drawn (inside). Empty: they are the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceIdMap {
    /// Indexed by the profile's id.
    inside: Vec<u32>,
    /// Indexed by the id in the columns.
    outside: Vec<u32>,
}

impl SliceIdMap {
    /// Where the profile's slice is drawn: several may be drawn as one.
    pub fn inside(&self, slice: SliceId) -> SliceId {
        self.inside.get(slice.index()).map_or(slice, |&i| SliceId(i))
    }

    /// The profile's slice for a drawn one.
    pub fn outside(&self, slice: SliceId) -> SliceId {
        self.outside.get(slice.index()).map_or(slice, |&i| SliceId(i))
    }

    /// Where several are drawn: sorted, each once.
    pub fn all_inside(&self, slices: &[SliceId]) -> Arc<Vec<SliceId>> {
        let mut out: Vec<SliceId> = slices.iter().map(|s| self.inside(*s)).collect();
        out.sort_unstable();
        out.dedup();
        Arc::new(out)
    }

    /// The same with further bars after the first `n`; each represents these slices of the profile.
    pub fn with_more(mut self, n: usize, more: impl Iterator<Item = SliceId>) -> Self {
        if self.outside.is_empty() {
            self.outside = (0..n as u32).collect();
        }
        self.outside.extend(more.map(|s| s.0));
        self
    }

    /// Whether nothing has moved.
    pub fn is_same(&self) -> bool {
        self.outside.is_empty()
    }
}

/// The columns with the transfers in `rows`. Rows of another profile change nothing.
pub fn arrange(columns: &PageColumns, rows: &DmaRows) -> (PageColumns, SliceIdMap) {
    let n = columns.start.len();
    let is_whole = rows.members.iter().all(|s| s.index() < n);
    let is_one_each = rows.n_of.is_empty() || rows.n_of.iter().map(|n| *n as usize).sum::<usize>() == rows.members.len();
    let n_bars: usize = rows.rows.iter().flat_map(|r| &r.lanes).map(|n| *n as usize).sum();
    let n_recorded = if rows.n_of.is_empty() { rows.members.len() } else { rows.n_of.len() };
    if !is_whole || !is_one_each || n_bars != n_recorded || rows.rows.is_empty() {
        return (columns.clone(), SliceIdMap::default());
    }
    let info = PageMeta { tracks: Vec::new(), lanes: Vec::new(), ..columns.info.clone() };
    let out = Columns { info, ..Columns::default() };
    let ids = SliceIdMap { inside: vec![0; n], outside: Vec::new() };
    let mut moving = Moving { columns, rows, out, ids, firsts: firsts(rows), bar: 0, member: 0, names: HashMap::new() };
    moving.all();
    let Columns { info, start, duration, name, colour } = moving.out;
    let out = PageColumns { info, start: start.into(), duration: duration.into(), name: name.into(), colour: colour.into() };
    (out, moving.ids)
}

/// First bar of each row, and the first of its transfers.
fn firsts(rows: &DmaRows) -> Vec<(usize, usize)> {
    let (mut bar, mut member) = (0, 0);
    let first = |row: &crate::analysis::device::transfers::dma_rows::DmaRow| {
        let at = (bar, member);
        let n: usize = row.lanes.iter().map(|n| *n as usize).sum();
        member += if rows.n_of.is_empty() { n } else { rows.n_of[bar..bar + n].iter().map(|n| *n as usize).sum() };
        bar += n;
        at
    };
    rows.rows.iter().map(first).collect()
}

/// The columns to be.
#[derive(Default)]
struct Columns {
    info: PageMeta,
    start: Vec<i64>,
    duration: Vec<i64>,
    name: Vec<u32>,
    colour: Vec<u16>,
}

struct Moving<'a> {
    columns: &'a PageColumns,
    rows: &'a DmaRows,
    out: Columns,
    ids: SliceIdMap,
    /// First bar of each row, and the first of its transfers.
    firsts: Vec<(usize, usize)>,
    /// The next bar, and the next of all bars' transfers.
    bar: usize,
    member: usize,
    /// Names of bars that represent several slices.
    names: HashMap<(u32, u32), u32>,
}

impl Moving<'_> {
    fn all(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        let mut new_of: Vec<TrackId> = vec![TrackId::default(); columns.info.tracks.len()];
        let mut is_placed = vec![false; rows.rows.len()];
        for (t, track) in columns.info.tracks.iter().enumerate() {
            let is_queue = track.kind == TrackKind::Queue;
            if is_queue {
                // All rows of the group are placed at its first queue.
                for r in (0..rows.rows.len()).filter(|r| rows.rows[*r].group == track.parent) {
                    if !std::mem::replace(&mut is_placed[r], true) {
                        self.row(r, track.parent.map(|p| new_of[p.index()]), track.level);
                    }
                }
                new_of[t] = TrackId((self.out.info.tracks.len() as u32).saturating_sub(1));
                continue;
            }
            let at = TrackId(self.out.info.tracks.len() as u32);
            new_of[t] = at;
            let first = self.out.info.lanes.len() as u32;
            for lane in columns.info.lanes.get(track.lanes.start as usize..track.lanes.end as usize).unwrap_or_default() {
                self.copy(*lane, at);
            }
            let lanes = first..self.out.info.lanes.len() as u32;
            self.out.info.tracks.push(Track { parent: track.parent.map(|p| new_of[p.index()]), lanes, ..track.clone() });
        }
        let info = &mut self.out.info;
        info.counters.iter_mut().for_each(|c| c.track = new_of[c.track.index()]);
        Arc::make_mut(&mut info.instants).track.iter_mut().for_each(|t| *t = new_of[t.index()]);
        info.n_slices = self.out.start.len() as u64;
    }

    /// A lane as it was.
    fn copy(&mut self, lane: Lane, track: TrackId) {
        let first = self.out.start.len() as u32;
        let part = lane.first as usize..lane.end as usize;
        for (old, new) in part.clone().zip(first..) {
            self.ids.inside[old] = new;
        }
        self.ids.outside.extend(lane.first..lane.end);
        let (columns, out) = (self.columns, &mut self.out);
        out.start.extend_from_slice(&columns.start[part.clone()]);
        out.duration.extend_from_slice(&columns.duration[part.clone()]);
        out.name.extend_from_slice(&columns.name[part.clone()]);
        out.colour.extend_from_slice(columns.colour.get(part).unwrap_or_default());
        out.info.lanes.push(Lane { track, first, end: out.start.len() as u32, ..lane });
    }

    /// A row of DMA transfers.
    fn row(&mut self, row: usize, parent: Option<TrackId>, level: u16) {
        let track = TrackId(self.out.info.tracks.len() as u32);
        let first_lane = self.out.info.lanes.len() as u32;
        (self.bar, self.member) = self.firsts[row];
        let name = self.out.info.strings.push(&self.rows.rows[row].name);
        for (depth, n) in self.rows.rows[row].lanes.iter().enumerate() {
            let first = self.out.start.len() as u32;
            (0..*n).for_each(|_| self.bar(name));
            self.out.info.lanes.push(Lane { track, depth: depth as u16, first, end: self.out.start.len() as u32 });
        }
        let lanes = first_lane..self.out.info.lanes.len() as u32;
        self.out.info.tracks.push(Track { parent, level, name, kind: TrackKind::Queue, lanes });
    }

    /// The next bar of the row `row`. A bar for several slices of different names has the name of the row.
    fn bar(&mut self, row: StrId) {
        let n = self.rows.n_of.get(self.bar).map_or(1, |n| *n as usize);
        let members = &self.rows.members[self.member..self.member + n];
        (self.bar, self.member) = (self.bar + 1, self.member + n);
        let Some(&first) = members.first() else { return };
        let new = self.out.start.len() as u32;
        members.iter().for_each(|m| self.ids.inside[m.index()] = new);
        self.ids.outside.push(first.0);
        let (columns, at) = (self.columns, first.index());
        let end = members.iter().map(|m| columns.start[m.index()].saturating_add(columns.duration[m.index()])).max().unwrap_or(0);
        let is_one_name = members.iter().all(|m| columns.name[m.index()] == columns.name[at]);
        let name = match n {
            1 => columns.name[at],
            _ if is_one_name => self.name(columns.name[at], n as u32),
            _ => self.name(row.0, n as u32),
        };
        let out = &mut self.out;
        out.start.push(columns.start[at]);
        out.duration.push(end.saturating_sub(columns.start[at]));
        out.name.push(name);
        out.colour.push(columns.colour.get(at).copied().unwrap_or(0));
    }

    /// `x × 16`.
    fn name(&mut self, name: u32, n: u32) -> u32 {
        let strings = &mut self.out.info.strings;
        *self.names.entry((name, n)).or_insert_with(|| {
            let text = format!("{} × {n}", strings.get(StrId(name)));
            strings.push(&text).0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::transfers::dma_rows::DmaRow;
    use crate::views::timeline::lookup::sample::sample;

    /// Stream 7, with slices 6 and 7, is used as a queue.
    fn page_columns() -> PageColumns {
        let mut columns = sample();
        columns.info.tracks[5].kind = TrackKind::Queue;
        columns
    }

    fn row(name: &str, lanes: &[u32]) -> DmaRow {
        DmaRow { group: Some(TrackId(4)), name: name.into(), lanes: lanes.to_vec() }
    }

    #[test]
    fn transfers_move_and_ids_lead_both_ways() {
        let columns = page_columns();
        let rows = DmaRows { rows: vec![row("E1", &[1]), row("E2", &[1])], n_of: Vec::new(), members: vec![SliceId(7), SliceId(6)] };
        let (got, ids) = arrange(&columns, &rows);
        let names: Vec<&str> = got.info.tracks.iter().map(|t| got.info.strings.get(t.name)).collect();
        assert_eq!(names[4..], ["device", "E1", "E2"]);
        assert_eq!(got.info.lanes.iter().map(|l| (l.track.0, l.first, l.end)).collect::<Vec<_>>()[3..], [(5, 6, 7), (6, 7, 8)]);
        assert_eq!((ids.inside(SliceId(6)), ids.outside(SliceId(6)), ids.inside(SliceId(2))), (SliceId(7), SliceId(7), SliceId(2)));
        assert_eq!((got.start[6], got.name[6]), (columns.start[7], columns.name[7]));
        assert_eq!(got.info.counters[0].track, columns.info.counters[0].track);
    }

    #[test]
    fn merged_ones_are_one_bar_with_their_number() {
        let columns = page_columns();
        let rows = DmaRows { rows: vec![row("Q", &[1])], n_of: vec![2], members: vec![SliceId(6), SliceId(7)] };
        let (got, ids) = arrange(&columns, &rows);
        assert_eq!(got.start.len(), columns.start.len() - 1);
        let end = columns.start[7] + columns.duration[7];
        assert_eq!((got.start[6], got.start[6] + got.duration[6]), (columns.start[6], end.max(columns.start[6] + columns.duration[6])));
        assert!(got.info.strings.get(StrId(got.name[6])).ends_with(" × 2"));
        assert_eq!((ids.inside(SliceId(7)), ids.outside(SliceId(6))), (SliceId(6), SliceId(6)));
    }

    #[test]
    fn rows_that_do_not_fit_change_nothing() {
        let columns = page_columns();
        let odd = DmaRows { rows: vec![row("Q", &[2])], n_of: Vec::new(), members: vec![SliceId(99), SliceId(1)] };
        let (got, ids) = arrange(&columns, &odd);
        assert!(got == columns && ids.is_same());
    }
}
