//! Markers and regions on the timeline: where they are drawn, what grabs them, and the event edge that a moment snaps to. Knows no canvas.

use super::timeline_state::{DragKind, TimelineState};
pub use super::types::MarkAct;
use crate::base::Order as _;
use crate::base::{TimeNs, TimeRange};
use crate::state::annotations::{Annotation, Part};
use crate::views::timeline::lookup::drawn::BarId;
use crate::views::timeline::lookup::index::SliceText;
use crate::views::timeline::rows::layout::Row;

/// How near the edge of an event a moment has to be to snap to it, CSS pixels.
const SNAP_PX: f64 = 8.0;
/// How near a line counts as on it, CSS pixels.
const GRAB_PX: f64 = 4.0;
/// The same for a finger.
const GRAB_TOUCH_PX: f64 = 14.0;
/// Height of the flags at the top, CSS pixels: a whole flag can be grabbed.
pub const FLAG_PX: f64 = 14.0;
/// Width of a character on a flag, CSS pixels.
const CHAR_PX: f64 = 6.7;
/// Characters of a name on a flag.
const FLAG_CHARS: usize = 24;

/// An annotation on the screen, CSS pixels; may lie outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Names it.
    pub id: u32,
    /// Slot of the palette.
    pub colour: u16,
    /// A marker, or where a region begins.
    pub left: f64,
    /// Where a region ends.
    pub right: Option<f64>,
    /// Text of its flag.
    pub label: String,
    /// Whether it is the chosen one.
    pub is_chosen: bool,
}

impl Mark {
    /// How wide its flag is.
    pub fn flag_px(&self) -> f64 {
        self.label.chars().count() as f64 * CHAR_PX + 8.0
    }
}

/// Shortens labels, in their middle, that would reach under the next flag: of `Marker 4` the number stays.
fn make_room(marks: &mut [Mark]) {
    let mut lefts: Vec<f64> = marks.iter().map(|m| m.left).collect();
    lefts.order_by(f64::total_cmp);
    for mark in marks {
        let next = lefts.partition_point(|left| *left <= mark.left);
        let Some(room) = lefts.get(next).map(|left| left - mark.left) else { continue };
        if mark.flag_px() > room {
            let n = ((room - 8.0) / CHAR_PX).floor().max(0.0) as usize;
            mark.label = if n < 3 { String::new() } else { crate::base::text::middle_ellipsis(&mark.label, n) };
        }
    }
}

impl TimelineState {
    /// The annotations on screen, with the one that is dragged where it is dragged to.
    pub fn marks(&self) -> Vec<Mark> {
        let held = match self.drag.filter(|d| d.is_real) {
            Some(drag) => match drag.kind {
                DragKind::Mark(id, part) => Some((id, part, self.snapped(drag.to.0, drag.to.1))),
                _ => None,
            },
            None => None,
        };
        let mark = |a: &Annotation| {
            let (mut start, mut end) = (a.start, a.end);
            match held {
                Some((id, Part::Start, to)) if id == a.id => start = to,
                Some((id, Part::End, to)) if id == a.id => end = Some(to),
                _ => {}
            }
            let range = TimeRange::new(start, end.unwrap_or(start));
            let left = self.view.px_from_time(range.start.0);
            let right = end.map(|_| self.view.px_from_time(range.end.0));
            let is_seen = right.unwrap_or(left) >= -300.0 && left <= self.view.width_px + 4.0;
            let label = crate::base::text::middle_ellipsis(&a.name, FLAG_CHARS);
            is_seen.then(|| Mark { id: a.id, colour: a.colour, left, right, label, is_chosen: self.chosen_mark == Some(a.id) })
        };
        let mut marks: Vec<Mark> = self.annotations.items.iter().filter_map(mark).collect();
        make_room(&mut marks);
        marks
    }

    /// The annotation, and which part of it, under a place; the chosen one first, then the latest.
    pub fn mark_at(&self, x: f64, y: f64, is_touch: bool) -> Option<(u32, Part)> {
        let near = if is_touch { GRAB_TOUCH_PX } else { GRAB_PX };
        let on = |m: &Mark| {
            if (x - m.left).abs() <= near {
                return Some(Part::Start);
            }
            if m.right.is_some_and(|right| (x - right).abs() <= near) {
                return Some(Part::End);
            }
            (y <= FLAG_PX && x >= m.left && x <= m.left + m.flag_px()).then_some(Part::Start)
        };
        let marks = self.marks();
        let chosen = marks.iter().filter(|m| m.is_chosen).chain(marks.iter().rev());
        chosen.into_iter().find_map(|m| on(m).map(|part| (m.id, part)))
    }

    /// The moment at a place: that of the nearest edge of an event within a few pixels, those of the row under it first.
    pub fn snapped(&self, x: f64, y: f64) -> TimeNs {
        let at = self.view.time_from_px(x);
        let own = self.hit(x, y).and_then(|h| h.lane);
        if let Some(edge) = own.and_then(|lane| self.nearest_edge(std::iter::once(lane), at)) {
            return TimeNs(edge);
        }
        let pinned = self.rows.pinned_height;
        let visible = self.rows.between(self.scroll as i32, (self.scroll + self.height_px) as i32 - pinned);
        let lanes = visible.iter().chain(&self.rows.pinned).flat_map(Row::drawn_lanes);
        TimeNs(self.nearest_edge(lanes, at).unwrap_or(at))
    }

    /// The start or end of a slice that is nearest to a moment, if it is within reach.
    fn nearest_edge(&self, lanes: impl Iterator<Item = u32>, at: i64) -> Option<i64> {
        let reach = (SNAP_PX * self.view.span / self.view.width_px) as u64;
        let mut best: Option<i64> = None;
        for lane in lanes.filter_map(|l| self.columns.info.lanes.get(l as usize)) {
            let (first, end) = (lane.first as usize, lane.end as usize);
            let after = self.columns.start.partition_point(first..end, |s| s <= at);
            // Slices of a lane do not overlap: the nearest edges are those of the neighbours on both sides.
            for i in after.saturating_sub(1).max(first)..(after + 1).min(end) {
                for edge in [self.columns.start.value_at(i), self.columns.end_of(BarId(i as u32))] {
                    if edge.abs_diff(at) <= reach && best.is_none_or(|b| edge.abs_diff(at) < b.abs_diff(at)) {
                        best = Some(edge);
                    }
                }
            }
        }
        best
    }

    /// A marker where the pointer is, else in the middle of the window.
    pub fn drop_marker(&self) -> MarkAct {
        let (x, y) = self.pointer.unwrap_or((self.view.width_px / 2.0, -1.0));
        MarkAct::Add(if self.pointer.is_some() { self.snapped(x, y) } else { TimeNs(self.view.time_from_px(x)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::annotations::AnnotationSet;
    use crate::views::timeline::input::gesture::Press;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    /// 2 ns a pixel; on `host / main` a `step` from 0 and below it a `matmul` from 100 to 400.
    fn core() -> TimelineState {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        let mut set = AnnotationSet::default();
        set.add_marker(TimeNs(600));
        set.add_region(TimeRange::new(TimeNs(1000), TimeNs(1200)));
        core.annotations = Arc::new(set);
        core
    }

    #[test]
    fn moments_snap_to_the_edge_of_an_event_near_by() {
        let core = core();
        assert_eq!(core.snapped(47.0, 45.0), TimeNs(100));
        assert_eq!(core.snapped(203.0, 45.0), TimeNs(400));
        assert_eq!(core.snapped(120.0, 45.0), TimeNs(240));
    }

    #[test]
    fn lines_and_flags_are_grabbed() {
        let core = core();
        assert_eq!(core.mark_at(303.0, 200.0, false), Some((1, Part::Start)));
        assert_eq!(core.mark_at(310.0, 200.0, false), None);
        assert_eq!(core.mark_at(310.0, 200.0, true), Some((1, Part::Start)));
        assert_eq!(core.mark_at(330.0, 5.0, false), Some((1, Part::Start)));
        assert_eq!(core.mark_at(599.0, 200.0, false), Some((2, Part::End)));
        assert_eq!(core.mark_at(550.0, 200.0, false), None);
    }

    #[test]
    fn a_label_ends_before_the_next_flag() {
        let mut core = core();
        let mut set = AnnotationSet::default();
        for at in [600, 680, 690, 1400] {
            set.add_marker(TimeNs(at));
        }
        core.annotations = Arc::new(set);
        let marks = core.marks();
        assert!(marks[0].label.ends_with('1') && marks[0].label.contains('…') && marks[0].flag_px() <= 40.0, "{}", marks[0].label);
        assert_eq!((marks[1].label.as_str(), marks[2].label.as_str()), ("", "Marker 3"));
    }

    #[test]
    fn a_drag_moves_and_a_click_chooses() {
        let mut core = core();
        core.press(300.0, 200.0, Press::default());
        core.moved(320.0, 200.0, 0);
        core.moved(52.0, 45.0, 0);
        let marks = core.marks();
        assert_eq!(marks[0].left, 50.0);
        assert_eq!(
            core.released(0),
            Some(crate::views::timeline::state::timeline_state::Act::Mark(MarkAct::Move(1, Part::Start, TimeNs(100))))
        );
        core.press(500.0, 200.0, Press::default());
        assert_eq!(core.released(0), Some(crate::views::timeline::state::timeline_state::Act::Mark(MarkAct::Choose(2))));
        core.press(300.0, 200.0, Press { has_shift: true, ..Press::default() });
        core.moved(400.0, 200.0, 0);
        assert!(matches!(core.released(0), Some(crate::views::timeline::state::timeline_state::Act::Box(..))));
    }

    #[test]
    fn a_marker_is_dropped_at_the_pointer() {
        let mut core = core();
        assert_eq!(core.drop_marker(), MarkAct::Add(TimeNs(1000)));
        core.pointer = Some((47.0, 45.0));
        assert_eq!(core.drop_marker(), MarkAct::Add(TimeNs(100)));
    }
}
