//! The small types of the timeline's state: tools, drags, and what the rest of the page is told.

use super::marks::MarkAct;
use crate::base::{Item, TimeRange};
use crate::state::annotations::Part;

/// What dragging does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// Commits a range.
    Select,
    /// Moves the window.
    Pan,
    /// Zooms to what was dragged over.
    #[default]
    Zoom,
    /// Tells how long it is.
    Measure,
}

/// What the rest of the page has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A slice or an instant was chosen, or none.
    Select(Option<Item>),
    /// A range was committed with its rows: their paths; none: all rows.
    Box(TimeRange, Vec<String>),
    /// An edge of the range was moved, or the range taken back.
    Range(Option<TimeRange>),
    /// Open the details.
    Details,
    /// Something happens to an annotation.
    Mark(MarkAct),
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
    /// Moves an edge of the committed range; the other stays here.
    Edge(i64),
    /// Moves a part of an annotation.
    Mark(u32, Part),
}

/// A rectangle on the drawing area, CSS pixels; may lie outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
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
