//! Selection of instants: conversion of ids, position on the screen, the next and previous one.

use super::timeline_state::{EventRect, TimelineState};
use crate::base::{InstantId, TimeNs, TimeRange, TrackId, text};
use crate::views::timeline::lookup::drawn::{BarId, DrawnEvent};
use crate::views::timeline::rows::layout::LANE;

/// How wide the place of an instant is, CSS pixels: a little more than it is drawn.
const WIDE_PX: f64 = 7.0;

impl TimelineState {
    /// The profile's instant at a position of the columns.
    pub fn instant_id(&self, at: usize) -> InstantId {
        self.columns.info.instant_ids.get(at).copied().unwrap_or(InstantId(at as u32))
    }

    /// Position of the profile's instant in the columns.
    fn instant_position(&self, instant: InstantId) -> Option<usize> {
        let ids = &self.columns.info.instant_ids;
        let at = if ids.is_empty() { instant.index() } else { ids.iter().position(|i| *i == instant)? };
        (at < self.columns.info.instants.time.len()).then_some(at)
    }

    /// The selected slice; nothing while an instant is selected.
    pub fn selected_bar(&self) -> Option<BarId> {
        self.selection.and_then(DrawnEvent::bar)
    }

    /// The time that a slice or an instant takes: none for an instant.
    pub fn span_of_item(&self, item: DrawnEvent) -> Option<TimeRange> {
        match item {
            DrawnEvent::Bar(bar) => self.span_of(bar),
            DrawnEvent::Instant(instant) => {
                let time = TimeNs(self.columns.info.instants.time.get(self.instant_position(instant)?)?);
                Some(TimeRange { start: time, end: time })
            }
        }
    }

    /// The track of a slice or an instant.
    pub(crate) fn track_of_item(&self, item: DrawnEvent) -> Option<TrackId> {
        match item {
            DrawnEvent::Bar(bar) => self.index.track_of(&self.columns, bar),
            DrawnEvent::Instant(instant) => self.columns.info.instants.track.get(self.instant_position(instant)?),
        }
    }

    /// Where a slice or an instant is drawn; in a closed group, where the group is.
    pub fn place_of(&self, item: DrawnEvent) -> Option<EventRect> {
        let DrawnEvent::Instant(_) = item else {
            return self.place(item.bar()?);
        };
        let (span, track) = (self.span_of_item(item)?, self.track_of_item(item)?);
        let middle = self.view.px_from_time(span.start.0).floor() + 0.5;
        let (left, right) = (middle - WIDE_PX / 2.0, middle + WIDE_PX / 2.0);
        let (row, offset) = self.row_of_nearest(track)?;
        let is_own = row.track == track;
        let top = f64::from(row.y) + offset + if is_own { f64::from(row.header) } else { 0.0 };
        // Over slices a tick is short.
        let height = if is_own && row.lanes.1 > 0 { f64::from(LANE) / 3.0 } else { f64::from(LANE) };
        Some(EventRect { left, right, top, height, is_pinned: row.is_pinned })
    }

    /// Shows the selection, else the committed range, with some room around it.
    pub(crate) fn fit(&mut self) {
        match (self.selection.and_then(|s| self.span_of_item(s)), self.range) {
            // A moment has no length to fit: it comes to the middle.
            (Some(range), _) if range.start == range.end && self.selected_bar().is_none() => {
                self.view.pan(self.view.px_from_time(range.start.0) - self.view.width_px / 2.0);
            }
            (Some(span), _) | (None, Some(span)) => self.view.fit(span),
            (None, None) => {}
        }
    }

    /// What `[` and `]` go to: the next of the highlighted or of the same name.
    pub(crate) fn neighbour(&self, is_next: bool) -> Option<DrawnEvent> {
        match self.selection? {
            DrawnEvent::Bar(_) => self.occurrence(is_next).map(Into::into),
            DrawnEvent::Instant(_) => self.same_instant(is_next),
        }
    }

    /// The instant of the same name before or after the selected one.
    fn same_instant(&self, is_next: bool) -> Option<DrawnEvent> {
        let all = &self.columns.info.instants;
        let selected = self.instant_position(self.selection?.instant()?)?;
        let (name, at) = (all.name.value_at(selected), (all.time.value_at(selected), selected));
        let same = (0..all.time.len()).filter(|&i| all.name.value_at(i) == name).map(|i| (all.time.value_at(i), i));
        let found = if is_next { same.filter(|&k| k > at).min() } else { same.filter(|&k| k < at).max() };
        found.map(|(_, i)| self.instant_id(i).into())
    }

    /// One slice or instant in a sentence.
    pub fn sentence_of(&self, item: DrawnEvent) -> String {
        let DrawnEvent::Instant(instant) = item else {
            return item.bar().map(|s| self.sentence(s)).unwrap_or_default();
        };
        let Some(at) = self.instant_position(instant) else { return String::new() };
        let all = &self.columns.info.instants;
        let path = self.index.tracks.get(all.track[at].index()).map_or("", |t| t.path.as_str());
        format!(
            "{}, at {}, on {path}",
            text::brief(self.columns.info.strings.get(all.name.value_at(at))),
            text::time(TimeNs(all.time.value_at(at)))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::input::gesture::Press;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::state::timeline_state::Act;
    use std::sync::Arc;

    fn core() -> TimelineState {
        TimelineState::new(Arc::new(sample()), 1000.0, 400.0)
    }

    #[test]
    fn a_click_on_a_tick_selects_the_instant_and_below_it_the_slice() {
        let mut c = core();
        let mut click = |y: f64| {
            c.press(26.0, y, Press::default());
            c.released(0)
        };
        assert_eq!(click(25.0), Some(Act::Select(Some(InstantId(0).into()))));
        assert_eq!(click(32.0), Some(Act::Select(Some(BarId(0).into()))));
    }

    #[test]
    fn in_other_rows_it_is_still_the_profiles() {
        let mut columns = sample();
        columns.info.instant_ids = vec![InstantId(1), InstantId(0)];
        let mut c = TimelineState::new(Arc::new(columns), 1000.0, 400.0);
        c.press(26.0, 25.0, Press::default());
        assert_eq!(c.released(0), Some(Act::Select(Some(InstantId(1).into()))));
        assert_eq!(c.span_of_item(InstantId(1).into()).map(|s| s.start), Some(TimeNs(50)));
    }

    #[test]
    fn a_selected_instant_is_walked_framed_and_named() {
        let mut c = core();
        c.selection = Some(InstantId(0).into());
        let place = c.place_of(InstantId(0).into()).expect("a place");
        assert!(place.left < 25.0 && place.right > 25.0 && place.height < f64::from(LANE), "{place:?}");
        assert_eq!(c.key("BracketRight", false), Some(Some(Act::Select(Some(InstantId(1).into())))));
        c.selection = Some(InstantId(1).into());
        assert_eq!(c.key("BracketRight", false), None);
        assert_eq!(c.sentence_of(InstantId(1).into()), "mark, at 1.50 µs, on host / main");
        assert_eq!(c.key("Escape", false), Some(Some(Act::Select(None))));
        assert_eq!((c.place_of(InstantId(9).into()), c.sentence_of(InstantId(9).into())), (None, String::new()));
    }

    #[test]
    fn going_to_an_instant_opens_its_row_and_keeps_the_zoom() {
        let mut c = core();
        c.fold(|f, _, _| f.toggle(TrackId(0)));
        c.view.show(TimeRange::new(TimeNs(0), TimeNs(200)));
        c.reveal(InstantId(1));
        assert_eq!(c.view.window().duration().0, 200);
        assert!(c.view.window().start.0 < 1500 && c.view.window().end.0 > 1500);
        assert!(c.place_of(InstantId(1).into()).is_some_and(|p| p.height < f64::from(LANE)));
    }
}
