//! DMA transfers in other rows: which slice each position of the drawn columns shows. No value is copied; bars for several transfers are made
//! and stand behind the values. [`SliceIdMap`] maps the slices of the profile to these bars and back.

use crate::analysis::colour::NO_VALUE;
use crate::analysis::device::transfers::dma_rows::{DmaRow, DmaRows};
use crate::base::{SliceId, StrId, TrackId};
use crate::engine::page_columns::{PageColumns, PageMeta};
use crate::engine::{Lane, Track, TrackKind};
use crate::views::timeline::lookup::drawn::BarId;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Slices of the profile and the bars that show them, and back. Empty: they are in the same order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceIdMap {
    /// Indexed by position: the number of what is there: of a slice of the profile, then of `merged`, then of `names`.
    order: Option<Arc<Vec<u32>>>,
    /// Slices of the profile.
    n_slices: usize,
    merged: Arc<Merged>,
    /// The slice that each bar behind all others leads to.
    names: Vec<SliceId>,
    /// Indexed by slice of the profile: its position. Made when it is first asked for, as nothing may be selected.
    positions: Arc<OnceLock<Vec<u32>>>,
}

/// Bars for several slices each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Merged {
    /// Indexed by bar: the end of its slices in `slices`.
    ends: Vec<u32>,
    slices: Vec<SliceId>,
}

impl Merged {
    /// The slices of a bar, by start.
    fn of(&self, bar: usize) -> Option<&[SliceId]> {
        let end = *self.ends.get(bar)? as usize;
        let first = bar.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.slices.get(first..end)
    }
}

impl SliceIdMap {
    /// The bar of a slice: several slices may be one bar.
    pub fn bar_of(&self, slice: SliceId) -> BarId {
        let Some(order) = &self.order else { return BarId::as_recorded(slice) };
        let positions = self.positions.get_or_init(|| self.all_positions(order));
        positions.get(slice.index()).map_or(BarId::as_recorded(slice), |&i| BarId(i))
    }

    fn all_positions(&self, order: &[u32]) -> Vec<u32> {
        let mut out = vec![0; self.n_slices];
        for (number, position) in order.iter().zip(0..) {
            let number = *number as usize;
            match number.checked_sub(self.n_slices) {
                None => out[number] = position,
                Some(bar) => self.merged.of(bar).unwrap_or_default().iter().for_each(|slice| out[slice.index()] = position),
            }
        }
        out
    }

    /// The slice that a bar shows: of several the first, of a name the one that it leads to.
    pub fn slice_of(&self, bar: BarId) -> SliceId {
        let number = SliceId(self.order.as_ref().and_then(|order| order.get(bar.index())).copied().unwrap_or(bar.0));
        let Some(made) = number.index().checked_sub(self.n_slices) else { return number };
        let name = || self.names.get(made - self.merged.ends.len());
        self.merged.of(made).map_or_else(name, |slices| slices.first()).copied().unwrap_or(number)
    }

    /// The bars of slices, which are sorted: sorted, each once.
    pub fn bars_of(&self, slices: &[SliceId]) -> Vec<BarId> {
        let mut out: Vec<BarId> = slices.iter().map(|s| self.bar_of(*s)).collect();
        if self.order.is_some() {
            out.sort_unstable();
            out.dedup();
        }
        out
    }

    /// The same for `columns` with further bars behind all others; each leads to a slice.
    pub fn with_bars(mut self, columns: &PageColumns, slices: impl ExactSizeIterator<Item = SliceId>) -> Self {
        if self.is_same() {
            self.n_slices = columns.start.len() - slices.len();
        }
        self.order = columns.start.order().cloned();
        self.names.extend(slices);
        self
    }

    /// Whether nothing has moved.
    pub fn is_same(&self) -> bool {
        self.order.is_none() && self.names.is_empty()
    }
}

/// Bars that are no slices of the profile, column by column.
#[derive(Debug, Default)]
pub(super) struct Bars {
    pub start: Vec<i64>,
    pub duration: Vec<i64>,
    pub name: Vec<u32>,
    pub colour: Vec<u16>,
}

impl Bars {
    /// `columns` and these bars, position by position as in `order`; see [`SharedColumn::with_more`](crate::base::SharedColumn::with_more).
    pub fn among(self, columns: &PageColumns, info: PageMeta, order: Option<Arc<Vec<u32>>>) -> PageColumns {
        PageColumns {
            info,
            start: columns.start.with_more(order.clone(), self.start),
            duration: columns.duration.with_more(order.clone(), self.duration),
            name: columns.name.with_more(order.clone(), self.name),
            colour: columns.colour.with_more(order, self.colour),
        }
    }
}

/// The columns with the transfers in `rows`. Rows of another profile change nothing.
pub fn arrange(columns: &PageColumns, rows: &DmaRows) -> (PageColumns, SliceIdMap) {
    let n = columns.start.len();
    let is_as_recorded = columns.start.order().is_none() && columns.colour.is_for(n);
    let is_whole = is_as_recorded && rows.members.iter().all(|s| s.index() < n);
    let is_one_each = rows.n_of.is_empty() || rows.n_of.iter().map(|n| *n as usize).sum::<usize>() == rows.members.len();
    let n_bars: usize = rows.rows.iter().map(n_bars).sum();
    let n_recorded = if rows.n_of.is_empty() { rows.members.len() } else { rows.n_of.len() };
    if !is_whole || !is_one_each || n_bars != n_recorded || rows.rows.is_empty() {
        return (columns.clone(), SliceIdMap::default());
    }
    let moving = Moving {
        columns,
        rows,
        firsts: firsts(rows),
        info: PageMeta { tracks: Vec::new(), lanes: Vec::new(), ..columns.info.clone() },
        order: Vec::with_capacity(n),
        bars: Bars::default(),
        merged: Merged::default(),
        names: HashMap::new(),
    };
    moving.all()
}

/// Bars of all lanes.
fn n_bars(row: &DmaRow) -> usize {
    row.lanes.iter().map(|n| *n as usize).sum()
}

/// First bar of each row, and the first of its transfers.
fn firsts(rows: &DmaRows) -> Vec<(usize, usize)> {
    let (mut bar, mut member) = (0, 0);
    let first = |row: &DmaRow| {
        let at = (bar, member);
        let n = n_bars(row);
        member += if rows.n_of.is_empty() { n } else { rows.n_of[bar..bar + n].iter().map(|n| *n as usize).sum() };
        bar += n;
        at
    };
    rows.rows.iter().map(first).collect()
}

/// The rows to be.
struct Moving<'a> {
    columns: &'a PageColumns,
    rows: &'a DmaRows,
    /// First bar of each row, and the first of its transfers.
    firsts: Vec<(usize, usize)>,
    info: PageMeta,
    /// Indexed by position: the slice, or from their number on a bar.
    order: Vec<u32>,
    bars: Bars,
    merged: Merged,
    /// Names of bars for several slices.
    names: HashMap<(u32, u32), u32>,
}

impl Moving<'_> {
    fn all(mut self) -> (PageColumns, SliceIdMap) {
        let (columns, rows) = (self.columns, self.rows);
        let mut new_of: Vec<TrackId> = vec![TrackId::default(); columns.info.tracks.len()];
        let mut is_placed = vec![false; rows.rows.len()];
        for (t, track) in columns.info.tracks.iter().enumerate() {
            if track.kind == TrackKind::Queue {
                // All rows of the group are placed at its first queue.
                for r in (0..rows.rows.len()).filter(|r| rows.rows[*r].group == track.parent) {
                    if !std::mem::replace(&mut is_placed[r], true) {
                        self.row(r, track.parent.map(|p| new_of[p.index()]), track.level);
                    }
                }
                new_of[t] = TrackId((self.info.tracks.len() as u32).saturating_sub(1));
                continue;
            }
            let at = TrackId(self.info.tracks.len() as u32);
            new_of[t] = at;
            let first = self.info.lanes.len() as u32;
            for lane in columns.info.lanes.get(track.lanes.start as usize..track.lanes.end as usize).unwrap_or_default() {
                self.lane(Lane { track: at, ..*lane }, lane.first..lane.end);
            }
            let lanes = first..self.info.lanes.len() as u32;
            self.info.tracks.push(Track { parent: track.parent.map(|p| new_of[p.index()]), lanes, ..track.clone() });
        }
        let mut info = self.info;
        info.counters.iter_mut().for_each(|c| c.track = new_of[c.track.index()]);
        info.instants.track = info.instants.track.map(|t| new_of[t.index()]);
        info.n_slices = self.order.len() as u64;
        let order = Some(Arc::new(self.order));
        let drawn = self.bars.among(columns, info, order.clone());
        let merged = Arc::new(self.merged);
        (drawn, SliceIdMap { order, n_slices: columns.start.len(), merged, ..SliceIdMap::default() })
    }

    /// A lane with these slices.
    fn lane(&mut self, lane: Lane, slices: impl Iterator<Item = u32>) {
        let first = self.order.len() as u32;
        self.order.extend(slices);
        self.info.lanes.push(Lane { first, end: self.order.len() as u32, ..lane });
    }

    /// A row of DMA transfers.
    fn row(&mut self, row: usize, parent: Option<TrackId>, level: u16) {
        let track = TrackId(self.info.tracks.len() as u32);
        let first_lane = self.info.lanes.len() as u32;
        let (mut bar, mut member) = self.firsts[row];
        let rows = self.rows;
        let name = self.info.strings.push(&rows.rows[row].name);
        for (depth, n) in rows.rows[row].lanes.iter().enumerate() {
            let first = self.order.len() as u32;
            let lane = Lane { track, depth: depth as u16, first, end: first };
            let n = *n as usize;
            if rows.n_of.is_empty() {
                self.lane(lane, rows.members[member..member + n].iter().map(|s| s.0));
                member += n;
            } else {
                for n in &rows.n_of[bar..bar + n] {
                    let n = *n as usize;
                    self.bar(&rows.members[member..member + n], name);
                    member += n;
                }
                self.info.lanes.push(Lane { end: self.order.len() as u32, ..lane });
            }
            bar += n;
        }
        let lanes = first_lane..self.info.lanes.len() as u32;
        self.info.tracks.push(Track { parent, level, name, kind: TrackKind::Queue, lanes });
    }

    /// The next bar, for these slices. One for several slices of different names has the name of the row.
    fn bar(&mut self, members: &[SliceId], row: StrId) {
        let Some(&first) = members.first() else { return };
        if members.len() == 1 {
            self.order.push(first.0);
            return;
        }
        self.order.push((self.columns.start.len() + self.merged.ends.len()) as u32);
        self.merged.slices.extend_from_slice(members);
        self.merged.ends.push(self.merged.slices.len() as u32);
        let (columns, at) = (self.columns, first.index());
        let end = members
            .iter()
            .map(|m| columns.start.value_at(m.index()).saturating_add(columns.duration.value_at(m.index())))
            .max()
            .unwrap_or(0);
        let is_one_name = members.iter().all(|m| columns.name.value_at(m.index()) == columns.name.value_at(at));
        let name = self.name(if is_one_name { columns.name.value_at(at) } else { row.0 }, members.len() as u32);
        self.bars.start.push(columns.start.value_at(at));
        self.bars.duration.push(end.saturating_sub(columns.start.value_at(at)));
        self.bars.name.push(name);
        self.bars.colour.push(columns.colour_of(at).unwrap_or(NO_VALUE));
    }

    /// `x × 16`.
    fn name(&mut self, name: u32, n: u32) -> u32 {
        let strings = &mut self.info.strings;
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
        assert_eq!((ids.bar_of(SliceId(6)), ids.slice_of(BarId(6)), ids.bar_of(SliceId(2))), (BarId(7), SliceId(7), BarId(2)));
        assert_eq!((got.start.value_at(6), got.name.value_at(6)), (columns.start.value_at(7), columns.name.value_at(7)));
        assert_eq!(got.info.counters[0].track, columns.info.counters[0].track);
    }

    #[test]
    fn merged_ones_are_one_bar_with_their_number() {
        let columns = page_columns();
        let rows = DmaRows { rows: vec![row("Q", &[1])], n_of: vec![2], members: vec![SliceId(6), SliceId(7)] };
        let (got, ids) = arrange(&columns, &rows);
        assert_eq!(got.start.len(), columns.start.len() - 1);
        let end = columns.start.value_at(7) + columns.duration.value_at(7);
        assert_eq!(
            (got.start.value_at(6), got.start.value_at(6) + got.duration.value_at(6)),
            (columns.start.value_at(6), end.max(columns.start.value_at(6) + columns.duration.value_at(6)))
        );
        assert!(got.info.strings.get(StrId(got.name.value_at(6))).ends_with(" × 2"));
        assert_eq!(got.colour_of(6), columns.colour_of(6), "the first one's, though the bar's own name has no slot");
        assert_eq!((got.colour_of(0), got.colour_of(7)), (columns.colour_of(0), None));
        assert_eq!((ids.bar_of(SliceId(7)), ids.slice_of(BarId(6))), (BarId(6), SliceId(6)));
    }

    #[test]
    fn rows_that_do_not_fit_change_nothing() {
        let columns = page_columns();
        let odd = DmaRows { rows: vec![row("Q", &[2])], n_of: Vec::new(), members: vec![SliceId(99), SliceId(1)] };
        let (got, ids) = arrange(&columns, &odd);
        assert!(got == columns && ids.is_same());
    }
}
