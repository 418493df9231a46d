//! Where slices are on the screen, how to get to one, and which comes next.

use super::timeline_state::{EventRect, TimelineState};
use crate::base::{TimeNs, TimeRange, TrackId};
use crate::views::timeline::lookup::drawn::{BarId, DrawnEvent};
use crate::views::timeline::lookup::index::SliceText;
use crate::views::timeline::rows::layout::{LANE, Row};

impl TimelineState {
    /// The time a slice takes; `None` for an id that is not of this profile.
    pub fn span_of(&self, bar: BarId) -> Option<TimeRange> {
        let start = self.columns.start.get(bar.index())?;
        Some(TimeRange::new(TimeNs(start), TimeNs(self.columns.end_of(bar))))
    }

    /// Opens, scrolls and pans so that a slice or an instant is seen.
    pub fn reveal(&mut self, item: impl Into<DrawnEvent>) {
        let item = item.into();
        let (Some(span), Some(track)) = (self.span_of_item(item), self.track_of_item(item)) else { return };
        self.fold(|folding, _, columns| folding.open_up_to(columns, track));
        if self.row_of(track).is_none() {
            self.fold(|folding, _, _| folding.filter.clear());
        }
        self.view.reveal(span, if item.bar().is_some() { 24.0 } else { 0.0 });
        self.bring_into_sight(item);
    }

    /// Scrolls the row of a slice or an instant to the middle, unless it is seen.
    pub(crate) fn bring_into_sight(&mut self, item: DrawnEvent) {
        if let Some(place) = self.place_of(item).filter(|_| !self.is_in_sight(item)) {
            let pinned = f64::from(self.rows.pinned_height);
            self.scroll_to(self.scroll + place.top - pinned - (self.height_px - pinned) / 2.0 + place.height / 2.0);
        }
    }

    /// Whether the row that a slice or an instant is drawn in is on the screen.
    pub(crate) fn is_in_sight(&self, item: DrawnEvent) -> bool {
        let pinned = f64::from(self.rows.pinned_height);
        let is_inside = |p: EventRect| p.is_pinned || (p.top >= pinned && p.top + p.height <= self.height_px - 8.0);
        self.place_of(item).is_some_and(is_inside)
    }

    /// The row of a track and the distance from its layout to the screen.
    fn row_of(&self, track: TrackId) -> Option<(&Row, f64)> {
        if let Some(row) = self.rows.pinned.iter().find(|r| r.track == track) {
            return Some((row, 0.0));
        }
        self.rows.find(track).map(|row| (row, f64::from(self.rows.pinned_height) - self.scroll))
    }

    /// Where a slice is drawn; in a closed group, where the group is.
    pub fn place(&self, bar: BarId) -> Option<EventRect> {
        let span = self.span_of(bar)?;
        let lane = self.index.lane_of(&self.columns, bar)?;
        let (left, right) = (self.view.px_from_time(span.start.0), self.view.px_from_time(span.end.0));
        let track = self.columns.info.lanes[lane as usize].track;
        if let Some((row, offset)) = self.row_of(track).filter(|r| r.0.lanes.1 > 0) {
            let i = row.place_of(lane);
            let top = f64::from(row.lane_y(i)) + offset;
            let (top, height) = if row.is_thin { (top + 6.0, 6.0) } else { (top, f64::from(LANE)) };
            return Some(EventRect { left, right, top, height, is_pinned: row.is_pinned });
        }
        let (row, offset) = self.row_of_nearest(track)?;
        let (top, height) = (f64::from(row.y) + offset, f64::from(row.header.max(LANE)));
        Some(EventRect { left, right, top, height, is_pinned: row.is_pinned })
    }

    /// The row of a track or of the innermost group above it that has one, as in `row_of`.
    pub(crate) fn row_of_nearest(&self, track: TrackId) -> Option<(&Row, f64)> {
        let mut at = Some(track);
        while let Some(id) = at {
            if let Some(found) = self.row_of(id) {
                return Some(found);
            }
            at = self.columns.info.tracks.get(id.index())?.parent.filter(|p| *p < id);
        }
        None
    }

    /// The slice of the same name before or after the selection, by start.
    pub fn same_name(&self, is_next: bool) -> Option<BarId> {
        let selected = self.selected_bar()?.index();
        let (name, at) = (self.columns.name.get(selected)?, (self.columns.start.get(selected)?, selected));
        let same =
            (0..self.columns.start.len()).filter(|&i| self.columns.name.value_at(i) == name).map(|i| (self.columns.start.value_at(i), i));
        let found = if is_next { same.filter(|&k| k > at).min() } else { same.filter(|&k| k < at).max() };
        found.map(|(_, i)| BarId(i as u32))
    }

    /// The highlighted slice before or after the selection, by start, when the selection is one of them; else that of the same name.
    pub fn occurrence(&self, is_next: bool) -> Option<BarId> {
        let selected = self.selected_bar()?;
        if self.highlights.binary_search(&selected).is_err() {
            return self.same_name(is_next);
        }
        let key = |s: BarId| (self.columns.start.get(s.index()).unwrap_or(0), s);
        let others = self.highlights.iter().map(|&s| key(s));
        let found = if is_next { others.filter(|k| *k > key(selected)).min() } else { others.filter(|k| *k < key(selected)).max() };
        found.map(|(_, slice)| slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    fn core() -> TimelineState {
        TimelineState::new(Arc::new(sample()), 1000.0, 60.0)
    }

    #[test]
    fn revealing_opens_scrolls_and_zooms() {
        let mut c = core();
        c.fold(|f, _, _| f.toggle(TrackId(4)));
        assert_eq!(c.place(BarId(7)).map(|p| p.height), Some(22.0));
        c.reveal(BarId(7));
        let place = c.place(BarId(7)).expect("revealed");
        assert_eq!(place.height, 18.0);
        assert!(place.top >= 0.0 && place.top + place.height <= 60.0, "{place:?}");
        c.reveal(BarId(3));
        let place = c.place(BarId(3)).expect("revealed");
        assert!(place.right - place.left >= 24.0 && place.left > 0.0 && place.right < 1000.0, "{place:?}");
        c.reveal(BarId(12345));
    }

    #[test]
    fn revealing_lifts_a_filter_that_hides_the_row() {
        let mut c = core();
        c.fold(|f, _, _| f.filter = "stream".into());
        c.reveal(BarId(0));
        assert!(c.folding.filter.is_empty() && c.place(BarId(0)).is_some());
    }

    #[test]
    fn same_names_are_walked_by_start() {
        let mut c = core();
        assert_eq!(c.same_name(true), None);
        c.selection = Some(BarId(3).into());
        assert_eq!(c.same_name(true), Some(BarId(4)));
        assert_eq!(c.same_name(false), None);
    }

    #[test]
    fn occurrences_are_walked_where_some_are_highlighted() {
        let mut c = core();
        c.selection = Some(BarId(3).into());
        c.highlights = Arc::new(vec![BarId(1), BarId(3), BarId(7)]);
        assert_eq!(c.occurrence(true), Some(BarId(1)));
        assert_eq!(c.occurrence(false), None);
        c.selection = Some(BarId(6).into());
        assert_eq!(c.occurrence(true), Some(BarId(7)));
    }
}
