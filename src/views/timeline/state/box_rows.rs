//! The rows under a dragged box, and those of the committed box. By path; a group includes all rows below it.

use super::timeline_state::{DragKind, TimelineState, Tool};
use super::types::BoxRows;
use crate::base::TrackId;
use crate::engine::page_columns::PageColumns;
use crate::views::timeline::rows::layout::{LANE, Row};
use std::collections::HashSet;
use std::sync::Arc;

impl BoxRows {
    /// The same rows in other columns.
    pub(crate) fn again(&mut self, core: &TimelineState) {
        self.is_inside.clear();
        if self.paths.is_empty() {
            return;
        }
        let all = (0u32..).zip(&core.index.tracks);
        let chosen: Vec<TrackId> = all.filter(|(_, t)| self.paths.contains(&t.path)).map(|(t, _)| TrackId(t)).collect();
        if !chosen.is_empty() {
            self.is_inside = core.columns.info.below(&chosen);
        }
    }
}

impl TimelineState {
    /// Notes the rows of the committed range.
    pub fn choose_rows(&mut self, is_on: bool, paths: Arc<Vec<String>>) {
        let mut rows = BoxRows { is_on, paths, is_inside: Vec::new() };
        rows.again(self);
        self.box_rows = rows;
    }

    /// Top and bottom of the dragged box, CSS pixels; `None` (all rows) while its height is below that of a lane.
    pub fn dragged_box(&self) -> Option<(f64, f64)> {
        let drag = self.drag.filter(|d| d.is_real && d.kind == DragKind::Tool(Tool::Select) && self.box_rows.is_on)?;
        let (top, bottom) = (drag.from.1.min(drag.to.1).max(0.0), drag.from.1.max(drag.to.1).min(self.height_px));
        (bottom - top >= f64::from(LANE)).then_some((top, bottom))
    }

    /// Tops and bottoms of what the committed range covers of the drawing area, CSS pixels.
    pub fn covered(&self) -> Vec<(f64, f64)> {
        let is_inside = &self.box_rows.is_inside;
        if is_inside.is_empty() {
            return vec![(0.0, self.height_px)];
        }
        let mut out: Vec<(f64, f64)> = Vec::new();
        for (row, top, bottom) in self.rows_between(0.0, self.height_px) {
            if is_inside.get(row.track.index()) == Some(&true) {
                match out.last_mut() {
                    Some(last) if last.1 >= top => last.1 = bottom,
                    _ => out.push((top, bottom)),
                }
            }
        }
        out
    }

    /// Visible rows between two heights, with their top and bottom on the screen.
    fn rows_between(&self, top: f64, bottom: f64) -> impl Iterator<Item = (&Row, f64, f64)> {
        let pinned = f64::from(self.rows.pinned_height);
        let shift = pinned - self.scroll;
        let (first, last) = ((self.scroll + (top - pinned).max(0.0)) as i32, (self.scroll + bottom - pinned).ceil() as i32);
        let scrolled = if last > first { self.rows.between(first, last) } else { &[] };
        let at = |row: &Row, shift: f64| (f64::from(row.y) + shift, f64::from(row.y + row.height) + shift);
        let block = self.rows.pinned.iter().map(move |row| (row, at(row, 0.0)));
        let rest = scrolled.iter().map(move |row| (row, at(row, shift))).map(move |(row, (y, end))| (row, (y.max(pinned), end)));
        block.chain(rest).filter(move |(_, (y, end))| *y < bottom && *end > top && end > y).map(|(row, (y, end))| (row, y, end))
    }

    /// Paths of the rows between two heights. A group replaces all its rows; empty if it is every row.
    pub fn paths_between(&self, top: f64, bottom: f64) -> Vec<String> {
        let touched: HashSet<TrackId> =
            self.rows_between(top, bottom).filter(|(row, ..)| !self.is_heading(row)).map(|(row, ..)| row.track).collect();
        let tops = tops(&self.columns, |t| touched.contains(&t), |t| self.index.tracks[t.index()].children.as_slice());
        if tops.len() == self.index.roots.len() && tops == self.index.roots {
            return Vec::new();
        }
        tops.iter().map(|t| self.index.tracks[t.index()].path.clone()).collect()
    }

    /// Whether a row is only the heading of rows that have their own below it.
    fn is_heading(&self, row: &Row) -> bool {
        row.header > 0 && row.is_open && !self.index.tracks[row.track.index()].children.is_empty()
    }
}

/// The outermost tracks that are wanted, as all their children are wanted.
fn tops<'a>(columns: &PageColumns, is_touched: impl Fn(TrackId) -> bool, children: impl Fn(TrackId) -> &'a [TrackId]) -> Vec<TrackId> {
    let tracks = &columns.info.tracks;
    let mut is_whole = vec![false; tracks.len()];
    for i in (0..tracks.len()).rev() {
        let track = TrackId(i as u32);
        let below = children(track);
        let has_all = !below.is_empty() && tracks[i].lanes.is_empty() && below.iter().all(|c| is_whole[c.index()]);
        is_whole[i] = has_all || is_touched(track);
    }
    let is_top = |i: &usize| is_whole[*i] && !tracks[*i].parent.is_some_and(|p| p.index() < *i && is_whole[p.index()]);
    (0..tracks.len()).filter(is_top).map(|i| TrackId(i as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::input::gesture::Press;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::state::timeline_state::Act;

    fn core() -> TimelineState {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        core.choose_rows(true, Arc::default());
        core
    }

    /// Rows of a box from height to height.
    fn boxed(c: &mut TimelineState, from: f64, to: f64) -> Vec<String> {
        c.press(100.0, from, Press { has_shift: true, ..Press::default() });
        c.moved(600.0, to, 0);
        match c.released(0) {
            Some(Act::Box(_, rows)) => rows,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_box_takes_the_rows_under_it() {
        let mut c = core();
        assert_eq!(boxed(&mut c, 30.0, 35.0), [] as [String; 0], "along the time: all rows");
        assert_eq!(boxed(&mut c, 30.0, 70.0), ["host / main", "host / waits"]);
        assert_eq!(boxed(&mut c, 5.0, 115.0), ["host"], "the group in place of its rows");
        assert_eq!(boxed(&mut c, 150.0, 5.0), [] as [String; 0], "from below, and every row");
        c.fold(|f, _, _| f.toggle(TrackId(4)));
        assert_eq!(boxed(&mut c, 100.0, 130.0), ["host / memory", "device"], "a closed group is all that it holds");
        c.box_rows.is_on = false;
        assert_eq!(boxed(&mut c, 30.0, 70.0), [] as [String; 0]);
    }

    #[test]
    fn the_rows_of_a_range_are_shaded() {
        let mut c = core();
        assert_eq!(c.covered(), [(0.0, 400.0)]);
        c.choose_rows(true, Arc::new(vec!["host / main".into(), "device".into()]));
        let parts = c.covered();
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert!(parts[0].0 >= 22.0 && parts[0].1 < parts[1].0);
        // Pinned, it is seen at the top.
        c.fold(|f, _, _| f.toggle_pin(TrackId(5)));
        assert_eq!(c.covered()[0].0, 0.0);
        // Paths of another profile mean all rows.
        c.choose_rows(true, Arc::new(vec!["elsewhere".into()]));
        assert_eq!(c.covered(), [(0.0, 400.0)]);
    }
}
