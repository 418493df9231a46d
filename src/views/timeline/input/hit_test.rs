//! What is under the pointer.

use crate::base::TrackId;
use crate::engine::Lane;
use crate::engine::page_columns::{PageColumns, PageInstants};
use crate::views::timeline::lookup::drawn::BarId;
use crate::views::timeline::lookup::lod::LaneLod;
use crate::views::timeline::lookup::viewport::Scale;
use crate::views::timeline::rows::layout::{COUNTER, LANE, Row, WAIT};
use crate::views::timeline::state::timeline_state::TimelineState;

/// How far from a slice the pointer may be, CSS pixels.
const SLACK_PX: f64 = 3.0;
/// How far down a lane with slices its instants can be hit: a little more than they are drawn.
const TICK_REACH: i32 = LANE / 3;

/// What was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The row's track.
    pub track: TrackId,
    /// The lane under the pointer.
    pub lane: Option<u32>,
    /// A bar.
    pub bar: Option<BarId>,
    /// A counter: position in the table.
    pub counter: Option<u32>,
    /// An instant: position in the table.
    pub instant: Option<usize>,
}

impl TimelineState {
    /// The row at a height of the drawing area, and how far below its top that is.
    pub fn row_at(&self, y: f64) -> Option<(&Row, i32)> {
        let pinned = f64::from(self.rows.pinned_height);
        if y < 0.0 || y >= self.height_px {
            return None;
        }
        if y < pinned {
            let row = self.rows.pinned.iter().find(|r| y < f64::from(r.y + r.height))?;
            return Some((row, y as i32 - row.y));
        }
        let y = (y - pinned + self.scroll) as i32;
        self.rows.at(y).map(|row| (row, y - row.y))
    }

    /// What is drawn at a position, CSS pixels.
    pub fn hit(&self, x: f64, y: f64) -> Option<Hit> {
        if x < 0.0 || x > self.view.width_px {
            return None;
        }
        let (row, below) = self.row_at(y)?;
        let mut hit = Hit { track: row.track, lane: None, bar: None, counter: None, instant: None };
        let in_lanes = below - row.header;
        if in_lanes < 0 {
            return Some(hit);
        }
        if in_lanes < LANE {
            hit.instant = self.instant_at(row, x);
        }
        if in_lanes < row.lanes_height() {
            let i = if row.is_thin { ((in_lanes - 6) / WAIT).max(0) as u32 } else { (in_lanes / LANE) as u32 };
            let first = row.lane(i.min(row.lanes.1 - 1));
            hit.lane = Some(first);
            hit.bar = (first..first + row.n_folded).find_map(|lane| self.bar_in(lane, x));
            // Over slices ticks are short: what is below them is the slice.
            if hit.bar.is_some() && in_lanes > TICK_REACH {
                hit.instant = None;
            }
            // A box over the row is that of a slice in another.
            let is_free = hit.bar.is_none() && hit.instant.is_none();
            hit.bar = hit.bar.or_else(|| is_free.then(|| self.box_over(row.track, x)).flatten());
        } else if row.height > row.header + row.lanes_height() {
            let i = (in_lanes - row.lanes_height()) / COUNTER;
            hit.counter = self.index.tracks[row.track.index()].counters.get(i as usize).copied();
        }
        Some(hit)
    }

    /// The slice with a box over a row.
    fn box_over(&self, track: TrackId, x: f64) -> Option<BarId> {
        let mut boxes = self.index.boxes.iter().filter(|b| b.over.contains(&track));
        boxes.find_map(|b| self.columns.info.tracks.get(b.of.index())?.lanes.clone().find_map(|lane| self.bar_in(lane, x)))
    }

    fn bar_in(&self, lane: u32, x: f64) -> Option<BarId> {
        let (l, lod) = (self.columns.info.lanes.get(lane as usize)?, self.index.lod(&self.columns, lane)?);
        let scale = self.view.scale(self.view.width_px as usize);
        let is_shown = |s: &BarId| !self.is_made(*s) || self.columns.duration.get(s.index()).is_some_and(|d| d >= self.least_ns());
        bar_at(&self.columns, lod, *l, &scale, x, SLACK_PX).filter(is_shown)
    }

    /// Whether a bar is no slice of the profile but was made for the row of names.
    pub fn is_made(&self, bar: BarId) -> bool {
        let n = self.columns.info.n_slices;
        n > 0 && u64::from(bar.0) >= n
    }

    /// Made bars shorter than this are not drawn, nanoseconds: a twentieth of the window where that is wanted.
    pub fn least_ns(&self) -> i64 {
        if self.hides_tiny { self.view.window().duration().0 / 20 } else { 0 }
    }

    fn instant_at(&self, row: &Row, x: f64) -> Option<usize> {
        let range = self.index.tracks[row.track.index()].instants.clone();
        let PageInstants { time, name, .. } = &self.columns.info.instants;
        let t = self.view.time_from_px(x);
        let i = time.partition_point(range.clone(), |s| s < t);
        let distance = |i: usize| (self.view.px_from_time(time.value_at(i)) - x).abs();
        // Among drawn ones, the nearest on either side.
        let is_drawn = |i: &usize| self.picked.as_ref().is_none_or(|picked| picked.get(name.value_at(*i).index()) == Some(&true));
        let near = |i: &usize| distance(*i) <= SLACK_PX;
        let before = (range.start..i).rev().take_while(near).find(is_drawn);
        let after = (i..range.end).take_while(near).find(is_drawn);
        before.into_iter().chain(after).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// Up to `n` visible slices of a lane, for those who cannot see it.
    pub fn bars_of_lane(&self, lane: u32, n: usize) -> Vec<BarId> {
        let Some(l) = self.columns.info.lanes.get(lane as usize) else { return Vec::new() };
        let window = self.view.window();
        let first = self.columns.start.partition_point(l.first as usize..l.end as usize, |s| s < window.start.0);
        let first = first.saturating_sub(1).max(l.first as usize);
        let touches = |i: &usize| self.span_of(BarId(*i as u32)).is_some_and(|s| s.end > window.start && s.start < window.end);
        (first..l.end as usize).take(n + 1).filter(touches).take(n).map(|i| BarId(i as u32)).collect()
    }
}

/// The slice drawn at device column `x` of a lane, as [`Ink::paint`](crate::views::timeline::paint::lane::Ink::paint) would, or one within `slack` columns.
fn bar_at(columns: &PageColumns, lod: &LaneLod, lane: Lane, scale: &Scale, x: f64, slack: f64) -> Option<BarId> {
    let (first, end) = (lane.first as usize, lane.end as usize);
    let find = |t: i64| columns.start.partition_point(first..end, |s| s < t);
    let column = x.floor();
    let (from, to) = (scale.time(column), scale.time(column + 1.0));
    let end_px = |i: usize| scale.px(columns.start.value_at(i).saturating_add(columns.duration.value_at(i)));
    let run = find(from)..find(to);
    if run.start > first && end_px(run.start - 1) >= column + 1.0 {
        return Some(BarId(run.start as u32 - 1));
    }
    if !run.is_empty() {
        return Some(BarId(lod.longest(&columns.duration, run) as u32));
    }
    let near = find(scale.time(column - slack))..find(scale.time(column + 1.0 + slack));
    if run.start > first && end_px(run.start - 1) > column - slack {
        return Some(BarId(run.start as u32 - 1));
    }
    near.into_iter().next().map(|i| BarId(i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{TimeNs, TimeRange};
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::lookup::viewport::Viewport;
    use std::sync::Arc;

    fn check(x: f64, y: f64, slice: Option<u32>, counter: Option<u32>, instant: Option<usize>) {
        let c = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        let hit = c.hit(x, y).expect("a row");
        assert_eq!((hit.bar.map(|s| s.0), hit.counter, hit.instant), (slice, counter, instant), "at {x}, {y}");
    }

    #[test]
    fn lanes_counters_and_instants_are_hit() {
        check(100.0, 5.0, None, None, None);
        check(100.0, 30.0, Some(0), None, None);
        check(100.0, 45.0, Some(2), None, None);
        check(251.0, 45.0, Some(4), None, None);
        check(26.0, 25.0, Some(0), None, Some(0));
        // Below its tick there is only the slice.
        check(26.0, 32.0, Some(0), None, None);
        check(220.0, 66.0, Some(5), None, None);
        check(220.0, 90.0, None, Some(0), None);
        check(900.0, 150.0, Some(7), None, None);
    }

    #[test]
    fn a_box_is_hit_where_its_rows_have_no_slice() {
        let mut columns = sample();
        for (track, name) in [(1, "Collectives stream 0"), (2, "CC-core 8")] {
            columns.info.tracks[track].name = columns.info.strings.push(name);
        }
        let core = TimelineState::new(Arc::new(columns), 1000.0, 400.0);
        let slice = |x: f64| core.hit(x, 66.0).and_then(|h| h.bar).map(|s| s.0);
        assert_eq!((slice(220.0), slice(100.0), slice(600.0)), (Some(5), Some(0), Some(1)));
        let card = core.hit(100.0, 66.0).and_then(|hit| core.card(&hit, 100.0)).expect("a card");
        assert!(card.lines.iter().any(|l| l.1 == "host / Collectives stream 0"), "{:?}", card.lines);
    }

    #[test]
    fn outside_nothing_is_hit() {
        let c = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        assert_eq!(c.hit(10.0, 390.0), None);
        assert_eq!(c.hit(-1.0, 30.0), None);
        assert_eq!(c.hit(10.0, 500.0), None);
    }

    #[test]
    fn visible_slices_are_listed() {
        let mut c = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        assert_eq!(c.bars_of_lane(1, 9).len(), 3);
        c.view.show(TimeRange::new(TimeNs(450), TimeNs(550)));
        assert_eq!(c.bars_of_lane(1, 9), [BarId(3), BarId(4)]);
        assert_eq!(c.bars_of_lane(1, 1), [BarId(3)]);
    }

    #[test]
    fn the_pointer_finds_what_is_drawn() {
        let slices = [(0i64, 20i64), (31, 2), (34, 4), (60, 1)];
        let columns = PageColumns {
            start: slices.iter().map(|s| s.0).collect(),
            duration: slices.iter().map(|s| s.1).collect(),
            ..PageColumns::default()
        };
        let lod = LaneLod::new(&columns.duration, 0..4);
        let lane = Lane { track: TrackId(0), depth: 0, first: 0, end: 4 };
        let scale = Viewport::whole(TimeRange::new(TimeNs(0), TimeNs(100)), 10.0).scale(10);
        let at = |x: f64, slack: f64| bar_at(&columns, &lod, lane, &scale, x, slack).map(|s| s.0);
        assert_eq!(at(1.5, 0.0), Some(0));
        assert_eq!(at(3.2, 0.0), Some(2));
        assert_eq!(at(5.0, 0.0), None);
        assert_eq!(at(5.0, 1.0), Some(3));
        assert_eq!(at(9.0, 1.0), None);
    }
}
