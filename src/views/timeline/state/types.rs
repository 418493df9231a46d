//! Small types of the timeline's state: tools, drags, events for the page.

use crate::base::{TimeNs, TimeRange};
use crate::state::annotations::Part;
use crate::views::timeline::lookup::drawn::DrawnEvent;
use std::sync::Arc;

/// What dragging does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// Commits a range.
    Select,
    /// Moves the window.
    Pan,
    /// Zooms to the dragged range.
    #[default]
    Zoom,
    /// Shows how long a range is.
    Measure,
}

/// Events for the rest of the page. What is chosen is first as drawn, then as in the profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act<E = DrawnEvent> {
    /// A slice or an instant was chosen, or none.
    Select(Option<E>),
    /// A range was committed with its rows: their paths; none: all rows.
    Box(TimeRange, Vec<String>),
    /// An edge of the range was moved, or the range taken back.
    Range(Option<TimeRange>),
    /// Open the details.
    Details,
    /// Something happens to an annotation.
    Mark(MarkAct),
}

impl<E> Act<E> {
    /// The same with what is chosen named in another way.
    pub fn map<F>(self, named: impl FnOnce(E) -> F) -> Act<F> {
        match self {
            Act::Select(event) => Act::Select(event.map(named)),
            Act::Box(range, rows) => Act::Box(range, rows),
            Act::Range(range) => Act::Range(range),
            Act::Details => Act::Details,
            Act::Mark(act) => Act::Mark(act),
        }
    }
}

/// A drag in progress. Places in CSS pixels of the drawing area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drag {
    /// What it does.
    pub kind: DragKind,
    /// Where it began.
    pub from: (f64, f64),
    /// Where it is.
    pub to: (f64, f64),
    /// The moment at which it began: stays under zoom.
    pub time: i64,
    /// Whether it went further than a click does.
    pub is_real: bool,
}

/// What a drag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragKind {
    /// One of the tools.
    Tool(Tool),
    /// Moves an edge of the committed range; the other stays at this time.
    Edge(i64),
    /// Moves a part of an annotation.
    Mark(u32, Part),
}

/// A rectangle on the drawing area, CSS pixels; may lie outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventRect {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Top edge.
    pub top: f64,
    /// Height.
    pub height: f64,
    /// Whether it is in the block at the top, which hides what is scrolled below it.
    pub is_pinned: bool,
}

/// What the user does to annotations on the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkAct {
    /// A marker at a moment.
    Add(TimeNs),
    /// A region.
    AddRegion(TimeRange),
    /// A part goes to a moment.
    Move(u32, Part, TimeNs),
    /// One was clicked.
    Choose(u32),
}

/// The rows of the committed range.
#[derive(Debug, Clone, Default)]
pub struct BoxRows {
    /// Whether a drag over the rows chooses rows at all.
    pub is_on: bool,
    /// Paths; none: all rows.
    pub(crate) paths: Arc<Vec<String>>,
    /// Indexed by track; empty: all rows.
    pub(crate) is_inside: Vec<bool>,
}
