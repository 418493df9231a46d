//! The timeline's state and what changes it, without a browser: window, rows, pointer, drag.

use super::in_view::Curves;
use super::index::{Index, SliceText};
use super::rows::{Folding, LANE, Row, Rows, rows};
use super::viewport::Viewport;
use crate::analysis::flows::Flows;
use crate::base::{SliceId, TimeNs, TimeRange, TrackId};
use crate::engine::hot::HotColumns;
use crate::state::annotations::AnnotationSet;
use std::sync::Arc;

pub use super::parts::{Act, Drag, DragKind, Place, Tool};

/// No screen is wider or higher.
const MOST_PX: f64 = 8192.0;

/// Everything the timeline remembers of an open profile.
#[derive(Debug)]
pub struct Core {
    /// The columns.
    pub hot: Arc<HotColumns>,
    /// Lookups over them.
    pub index: Index,
    /// What the user did to the rows.
    pub folding: Folding,
    /// The rows, laid out.
    pub rows: Rows,
    /// The visible window.
    pub view: Viewport,
    /// How far the rows are scrolled, CSS pixels.
    pub scroll: f64,
    /// Height of the drawing area, CSS pixels.
    pub height_px: f64,
    /// What dragging does.
    pub tool: Tool,
    /// The drag in progress.
    pub drag: Option<Drag>,
    /// Where the pointer hovers.
    pub pointer: Option<(f64, f64)>,
    /// Fingers on the screen: (id, x, y).
    pub fingers: Vec<(i32, f64, f64)>,
    /// What was measured last.
    pub measured: Option<TimeRange>,
    /// The selected slice.
    pub selection: Option<SliceId>,
    /// The committed range.
    pub range: Option<TimeRange>,
    /// Yellow slices, sorted.
    pub highlights: Arc<Vec<SliceId>>,
    /// (from, to, whether into the selection).
    pub arrows: Vec<(SliceId, SliceId, bool)>,
    /// Arrows of the window.
    pub flows: Arc<Flows>,
    /// Markers and regions.
    pub annotations: Arc<AnnotationSet>,
    /// The chosen one of them.
    pub chosen_mark: Option<u32>,
    /// Whether names are written on slices.
    pub has_text: bool,
    /// By string: instants of that name are drawn; `None`: all.
    pub picked: Option<Vec<bool>>,
    /// Whether made bars that are short in the window are left out.
    pub hides_tiny: bool,
    /// Curves for what is in view, in place of those of the run.
    pub curves: Arc<Curves>,
    /// Counts layouts, so that the labels know when to follow.
    pub layout_version: u32,
}

impl Core {
    /// The whole of a profile, its rows as they are shown at first.
    pub fn new(hot: Arc<HotColumns>, width_px: f64, height_px: f64) -> Self {
        let index = Index::new(&hot);
        let folding = Folding::at_first(&hot);
        let rows = rows(&hot, &index, &folding);
        let view = Viewport::whole(hot.range(), width_px);
        Core {
            index,
            folding,
            rows,
            view,
            hot,
            scroll: 0.0,
            height_px,
            tool: Tool::default(),
            drag: None,
            pointer: None,
            fingers: Vec::new(),
            measured: None,
            selection: None,
            range: None,
            highlights: Arc::default(),
            arrows: Vec::new(),
            flows: Arc::default(),
            annotations: Arc::default(),
            chosen_mark: None,
            has_text: true,
            picked: None,
            hides_tiny: false,
            curves: Arc::default(),
            layout_version: 0,
        }
    }

    /// New columns in place of old ones: the window and the rows stay where they are if they still make sense.
    pub fn following(hot: Arc<HotColumns>, old: Option<Core>) -> Self {
        let Some(old) = old else { return Core::new(hot, 1000.0, 400.0) };
        let mut core = Core::new(hot, old.view.width_px, old.height_px);
        core.tool = old.tool;
        core.layout_version = old.layout_version.wrapping_add(1);
        (core.range, core.selection) = (old.range, old.selection);
        (core.highlights, core.arrows) = (old.highlights, old.arrows);
        (core.annotations, core.chosen_mark) = (old.annotations, old.chosen_mark);
        (core.curves, core.hides_tiny) = (old.curves, old.hides_tiny);
        let is_same = core.hot.info.tracks == old.hot.info.tracks;
        let is_kin = is_same || (core.hot.info.meta.title == old.hot.info.meta.title && !old.hot.info.meta.title.is_empty());
        let (window, data) = (old.view.window(), core.hot.range());
        if is_kin && window != old.hot.range() && window.start >= data.start && window.end <= data.end {
            core.view.show(window);
        }
        if is_same {
            core.fold(|folding, _, _| *folding = old.folding);
            core.scroll_to(old.scroll);
        }
        core
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.hot.start.is_empty() && self.hot.info.counters.is_empty() && self.hot.info.instants.time.is_empty()
    }

    /// Changes the rows and lays them out again.
    pub fn fold(&mut self, change: impl FnOnce(&mut Folding, &Index, &HotColumns)) {
        change(&mut self.folding, &self.index, &self.hot);
        self.rows = rows(&self.hot, &self.index, &self.folding);
        self.layout_version += 1;
        self.scroll_to(self.scroll);
    }

    /// The size of the drawing area. Without its style sheet it would grow with what is drawn, without end.
    pub fn resize(&mut self, width_px: f64, height_px: f64) {
        self.view.resize(width_px.min(MOST_PX));
        self.height_px = height_px.min(MOST_PX);
        self.scroll_to(self.scroll);
    }

    /// Scrolls, within the rows.
    pub fn scroll_to(&mut self, y: f64) {
        let room = f64::from(self.rows.height + self.rows.pinned_height) - self.height_px;
        self.scroll = y.clamp(0.0, room.max(0.0));
    }

    /// The time a slice takes; `None` for an id that is not of this profile.
    pub fn span_of(&self, slice: SliceId) -> Option<TimeRange> {
        let start = *self.hot.start.get(slice.index())?;
        Some(TimeRange::new(TimeNs(start), TimeNs(self.hot.end_of(slice))))
    }

    /// Opens, scrolls and pans so that a slice is seen.
    pub fn reveal(&mut self, slice: SliceId) {
        let (Some(span), Some(track)) = (self.span_of(slice), self.index.track_of(&self.hot, slice)) else { return };
        self.fold(|folding, _, hot| folding.open_up_to(hot, track));
        if self.row_of(track).is_none() {
            self.fold(|folding, _, _| folding.filter.clear());
        }
        self.view.reveal(span, 24.0);
        let pinned = f64::from(self.rows.pinned_height);
        let Some(place) = self.place(slice) else { return };
        if !self.folding.pinned.contains(&track) && (place.top < pinned || place.top + place.height > self.height_px - 8.0) {
            self.scroll_to(self.scroll + place.top - pinned - (self.height_px - pinned) / 2.0 + place.height / 2.0);
        }
    }

    /// The row of a track and the distance from its layout to the screen.
    fn row_of(&self, track: TrackId) -> Option<(&Row, f64)> {
        if let Some(row) = self.rows.pinned.iter().find(|r| r.track == track) {
            return Some((row, 0.0));
        }
        self.rows.find(track).map(|row| (row, f64::from(self.rows.pinned_height) - self.scroll))
    }

    /// Where a slice is drawn; in a closed group, where the group is.
    pub fn place(&self, slice: SliceId) -> Option<Place> {
        let span = self.span_of(slice)?;
        let lane = self.index.lane_of(&self.hot, slice)?;
        let (left, right) = (self.view.px_from_time(span.start.0), self.view.px_from_time(span.end.0));
        let track = self.hot.info.lanes[lane as usize].track;
        if let Some((row, offset)) = self.row_of(track).filter(|r| r.0.lanes.1 > 0) {
            let i = lane.saturating_sub(row.lanes.0).min(row.lanes.1 - 1);
            let top = f64::from(row.lane_y(i)) + offset;
            let (top, height) = if row.is_thin { (top + 6.0, 6.0) } else { (top, f64::from(LANE)) };
            return Some(Place { left, right, top, height, is_pinned: row.is_pinned });
        }
        let mut at = Some(track);
        while let Some(id) = at {
            if let Some((row, offset)) = self.row_of(id) {
                let (top, height) = (f64::from(row.y) + offset, f64::from(row.header.max(LANE)));
                return Some(Place { left, right, top, height, is_pinned: row.is_pinned });
            }
            at = self.hot.info.tracks.get(id.index())?.parent.filter(|p| *p < id);
        }
        None
    }

    /// The slice of the same name before or after the selection, by start.
    pub fn same_name(&self, is_next: bool) -> Option<SliceId> {
        let selected = self.selection?.index();
        let (name, at) = (*self.hot.name.get(selected)?, (*self.hot.start.get(selected)?, selected));
        let same = (0..self.hot.start.len()).filter(|&i| self.hot.name[i] == name).map(|i| (self.hot.start[i], i));
        let found = if is_next { same.filter(|&k| k > at).min() } else { same.filter(|&k| k < at).max() };
        found.map(|(_, i)| SliceId(i as u32))
    }

    /// The highlighted slice before or after the selection, by start, when the selection is one of them; else that of the same name.
    pub fn occurrence(&self, is_next: bool) -> Option<SliceId> {
        let selected = self.selection?;
        if self.highlights.binary_search(&selected).is_err() {
            return self.same_name(is_next);
        }
        let key = |s: SliceId| (self.hot.start.get(s.index()).copied().unwrap_or(0), s);
        let others = self.highlights.iter().map(|&s| key(s));
        let found = if is_next { others.filter(|k| *k > key(selected)).min() } else { others.filter(|k| *k < key(selected)).max() };
        found.map(|(_, slice)| slice)
    }

    /// The part of the screen that a drag marks, and for what.
    pub fn marked(&self) -> Option<(TimeRange, DragKind)> {
        let drag = self.drag.filter(|d| d.is_real)?;
        let to = self.snap(self.view.time_from_px(drag.to.0));
        match drag.kind {
            DragKind::Tool(Tool::Pan) | DragKind::Mark(..) => None,
            DragKind::Tool(_) => Some((TimeRange::new(TimeNs(self.snap(drag.time)), TimeNs(to)), drag.kind)),
            DragKind::Edge(other) => Some((TimeRange::new(TimeNs(other), TimeNs(to)), drag.kind)),
        }
    }

    /// A moment held inside the data.
    fn snap(&self, t: i64) -> i64 {
        t.clamp(self.hot.range().start.0, self.hot.range().end.0.max(self.hot.range().start.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    fn core() -> Core {
        Core::new(Arc::new(sample()), 1000.0, 60.0)
    }

    #[test]
    fn revealing_opens_scrolls_and_zooms() {
        let mut c = core();
        c.fold(|f, _, _| f.toggle(TrackId(4)));
        assert_eq!(c.place(SliceId(7)).map(|p| p.height), Some(22.0));
        c.reveal(SliceId(7));
        let place = c.place(SliceId(7)).expect("revealed");
        assert_eq!(place.height, 18.0);
        assert!(place.top >= 0.0 && place.top + place.height <= 60.0, "{place:?}");
        c.reveal(SliceId(3));
        let place = c.place(SliceId(3)).expect("revealed");
        assert!(place.right - place.left >= 24.0 && place.left > 0.0 && place.right < 1000.0, "{place:?}");
        c.reveal(SliceId(12345));
    }

    #[test]
    fn revealing_lifts_a_filter_that_hides_the_row() {
        let mut c = core();
        c.fold(|f, _, _| f.filter = "stream".into());
        c.reveal(SliceId(0));
        assert!(c.folding.filter.is_empty() && c.place(SliceId(0)).is_some());
    }

    #[test]
    fn same_names_are_walked_by_start() {
        let mut c = core();
        assert_eq!(c.same_name(true), None);
        c.selection = Some(SliceId(3));
        assert_eq!(c.same_name(true), Some(SliceId(4)));
        assert_eq!(c.same_name(false), None);
    }

    #[test]
    fn occurrences_are_walked_where_some_are_highlighted() {
        let mut c = core();
        c.selection = Some(SliceId(3));
        c.highlights = Arc::new(vec![SliceId(1), SliceId(3), SliceId(7)]);
        assert_eq!(c.occurrence(true), Some(SliceId(1)));
        assert_eq!(c.occurrence(false), None);
        c.selection = Some(SliceId(6));
        assert_eq!(c.occurrence(true), Some(SliceId(7)));
    }

    #[test]
    fn scrolling_ends_with_the_rows() {
        let mut c = core();
        c.scroll_to(1e9);
        assert_eq!(c.scroll, 152.0 - 60.0);
        c.resize(500.0, 400.0);
        assert_eq!(c.scroll, 0.0);
    }
}
