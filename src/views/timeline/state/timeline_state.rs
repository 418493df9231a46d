//! The timeline's state and what changes it, without a browser: window, rows, pointer, drag.

use super::types::BoxRows;
use crate::base::{TimeNs, TimeRange};
use crate::engine::page_columns::PageColumns;
use crate::state::annotations::AnnotationSet;
use crate::views::timeline::lookup::counter::Curves;
use crate::views::timeline::lookup::drawn::{BarId, DrawnEvent, DrawnFlow};
use crate::views::timeline::lookup::index::Index;
use crate::views::timeline::lookup::viewport::Viewport;
use crate::views::timeline::rows::by_path::ByPath;
use crate::views::timeline::rows::layout::{Folding, Rows, rows};
use std::sync::Arc;

pub use super::types::{Act, Drag, DragKind, EventRect, Tool};

/// No screen is wider or higher.
const MOST_PX: f64 = 8192.0;

/// Everything the timeline remembers of an open profile.
#[derive(Debug)]
pub struct TimelineState {
    /// The columns.
    pub columns: Arc<PageColumns>,
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
    /// The selected slice or instant; a slice as it is in the columns, an instant as it is in the profile.
    pub selection: Option<DrawnEvent>,
    /// The committed range.
    pub range: Option<TimeRange>,
    /// Its rows.
    pub box_rows: BoxRows,
    /// Yellow slices, sorted.
    pub highlights: Arc<Vec<BarId>>,
    /// Whether no other slices are drawn.
    pub is_alone: bool,
    /// (from, to, whether into the selection).
    pub arrows: Vec<(BarId, BarId, bool)>,
    /// Arrows of the window.
    pub flows: Vec<DrawnFlow>,
    /// Markers and regions.
    pub annotations: Arc<AnnotationSet>,
    /// The chosen one of them.
    pub chosen_mark: Option<u32>,
    /// Whether names are written on slices.
    pub has_text: bool,
    /// Indexed by string: instants of that name are drawn; `None`: all.
    pub picked: Option<Vec<bool>>,
    /// Whether made bars that are short in the window are left out.
    pub hides_tiny: bool,
    /// Curves of the visible window; they replace those of the run.
    pub curves: Arc<Curves>,
    /// Counts layouts, so that the labels know when to follow.
    pub layout_version: u32,
}

impl TimelineState {
    /// The entire profile with the default rows.
    pub fn new(columns: Arc<PageColumns>, width_px: f64, height_px: f64) -> Self {
        let index = Index::new(&columns);
        TimelineState::with_index(columns, index, width_px, height_px)
    }

    fn with_index(columns: Arc<PageColumns>, index: Index, width_px: f64, height_px: f64) -> Self {
        let folding = Folding::at_first(&columns);
        let rows = rows(&columns, &index, &folding);
        let view = Viewport::whole(columns.range(), width_px);
        TimelineState {
            index,
            folding,
            rows,
            view,
            columns,
            scroll: 0.0,
            height_px,
            tool: Tool::default(),
            drag: None,
            pointer: None,
            fingers: Vec::new(),
            measured: None,
            selection: None,
            range: None,
            box_rows: BoxRows::default(),
            highlights: Arc::default(),
            is_alone: false,
            arrows: Vec::new(),
            flows: Vec::new(),
            annotations: Arc::default(),
            chosen_mark: None,
            has_text: true,
            picked: None,
            hides_tiny: false,
            curves: Arc::default(),
            layout_version: 0,
        }
    }

    /// Replaces the columns. Window and rows are kept if they are still valid.
    pub fn following(columns: Arc<PageColumns>, old: Option<TimelineState>) -> Self {
        let Some(old) = old else { return TimelineState::new(columns, 1000.0, 400.0) };
        let index = Index::following(&columns, Some((&old.columns, &old.index)));
        let mut core = TimelineState::with_index(columns, index, old.view.width_px, old.height_px);
        core.tool = old.tool;
        core.layout_version = old.layout_version.wrapping_add(1);
        (core.range, core.selection) = (old.range, old.selection);
        (core.highlights, core.is_alone, core.arrows) = (old.highlights, old.is_alone, old.arrows);
        (core.annotations, core.chosen_mark) = (old.annotations, old.chosen_mark);
        (core.curves, core.hides_tiny) = (old.curves, old.hides_tiny);
        let mut box_rows = old.box_rows;
        box_rows.again(&core);
        core.box_rows = box_rows;
        let is_same = core.columns.info.tracks == old.columns.info.tracks;
        let is_regrouped = !is_same && core.columns.info.meta == old.columns.info.meta;
        let is_kin = is_same || (core.columns.info.meta.title == old.columns.info.meta.title && !old.columns.info.meta.title.is_empty());
        let (window, data) = (old.view.window(), core.columns.range());
        if is_kin && window != old.columns.range() && window.start >= data.start && window.end <= data.end {
            core.view.show(window);
        }
        if is_same {
            core.fold(|folding, _, _| *folding = old.folding);
        } else if is_regrouped {
            let past = ByPath::of(&old.folding, &old.index, &old.columns);
            core.fold(|folding, index, columns| *folding = past.rows(index, columns, (old.folding.filter, old.folding.hidden)));
        }
        if is_same || is_regrouped {
            core.scroll_to(old.scroll);
        }
        core
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.columns.start.is_empty() && self.columns.info.counters.is_empty() && self.columns.info.instants.time.is_empty()
    }

    /// Changes the rows and lays them out again.
    pub fn fold(&mut self, change: impl FnOnce(&mut Folding, &Index, &PageColumns)) {
        change(&mut self.folding, &self.index, &self.columns);
        self.rows = rows(&self.columns, &self.index, &self.folding);
        self.layout_version += 1;
        self.scroll_to(self.scroll);
    }

    /// Pins, order and folds of the rows, as the address has them.
    pub fn placed(&self) -> String {
        ByPath::of(&self.folding, &self.index, &self.columns).to_text(&self.index)
    }

    /// Applies the pinned, moved and collapsed rows of the address, if they differ.
    pub fn place_rows(&mut self, text: &str) {
        if self.placed() != text {
            let placed = ByPath::from_text(text, &self.index);
            self.fold(|folding, index, columns| *folding = placed.rows(index, columns, (folding.filter.clone(), folding.hidden.clone())));
        }
    }

    /// The size of the drawing area. Without its style sheet it would grow with what is drawn, without end. A selected slice that was seen
    /// stays in sight: its details open below, and would cover it.
    pub fn resize(&mut self, width_px: f64, height_px: f64) {
        let seen = self.selection.filter(|s| self.is_in_sight(*s));
        self.view.resize(width_px.min(MOST_PX));
        self.height_px = height_px.min(MOST_PX);
        self.scroll_to(self.scroll);
        if let Some(item) = seen {
            self.bring_into_sight(item);
        }
    }

    /// Scrolls, within the rows.
    pub fn scroll_to(&mut self, y: f64) {
        let room = f64::from(self.rows.height + self.rows.pinned_height) - self.height_px;
        self.scroll = y.clamp(0.0, room.max(0.0));
    }

    /// The part of the screen that a drag marks, and its purpose.
    pub fn marked(&self) -> Option<(TimeRange, DragKind)> {
        let drag = self.drag.filter(|d| d.is_real)?;
        let to = self.snap(self.view.time_from_px(drag.to.0));
        match drag.kind {
            DragKind::Tool(Tool::Pan) | DragKind::Mark(..) => None,
            DragKind::Tool(_) => Some((TimeRange::new(TimeNs(self.snap(drag.time)), TimeNs(to)), drag.kind)),
            DragKind::Edge(other) => Some((TimeRange::new(TimeNs(other), TimeNs(to)), drag.kind)),
        }
    }

    /// A time, clamped to the data.
    fn snap(&self, t: i64) -> i64 {
        t.clamp(self.columns.range().start.0, self.columns.range().end.0.max(self.columns.range().start.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TrackId;
    use crate::engine::{Track, TrackKind};
    use crate::views::timeline::lookup::sample::sample;

    fn core() -> TimelineState {
        TimelineState::new(Arc::new(sample()), 1000.0, 60.0)
    }

    #[test]
    fn other_rows_of_a_profile_are_as_they_were_put() {
        let mut old = core();
        old.fold(|f, _, _| {
            (f.filter, f.pinned) = ("e".into(), vec![TrackId(5)]);
            f.toggle(TrackId(0));
        });
        let mut columns = sample();
        let name = columns.info.strings.push("made");
        columns.info.tracks.push(Track { parent: None, level: 0, name, kind: TrackKind::Other, lanes: 4..4 });
        let new = TimelineState::following(Arc::new(columns.clone()), Some(old));
        assert_eq!((new.folding.filter.as_str(), new.folding.pinned.as_slice()), ("e", [TrackId(5)].as_slice()));
        assert!(new.folding.closed.contains(&TrackId(0)));
        columns.info.meta.title = "another profile".into();
        columns.info.tracks.pop();
        assert!(TimelineState::following(Arc::new(columns), Some(new)).folding.pinned.is_empty());
    }

    #[test]
    fn scrolling_ends_with_the_rows() {
        let mut c = core();
        c.scroll_to(1e9);
        assert_eq!(c.scroll, 152.0 - 60.0);
        c.resize(500.0, 400.0);
        assert_eq!(c.scroll, 0.0);
    }

    #[test]
    fn a_selected_bar_stays_in_sight_when_there_is_less_room() {
        let mut c = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        c.selection = Some(crate::views::timeline::lookup::drawn::BarId(7).into());
        c.resize(1000.0, 60.0);
        let place = c.place(crate::views::timeline::lookup::drawn::BarId(7)).expect("a place");
        assert!(place.top >= 0.0 && place.top + place.height <= 60.0, "{} of 60", place.top);
        // One that was out of sight moves nothing.
        c.scroll_to(0.0);
        c.resize(1000.0, 50.0);
        assert_eq!(c.scroll, 0.0);
    }
}
