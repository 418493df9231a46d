//! What is drawn, by its position in the columns. [`SliceIdMap`](crate::views::timeline::rows::arrange::SliceIdMap) maps it to slices of the
//! profile, whose numbering is another one where rows are arranged.

use crate::base::{InstantId, SliceId};

/// A bar: a position in the drawn columns. It shows a slice of the profile, or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BarId(pub u32);

impl BarId {
    /// The position in the drawn columns.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The bar of a slice in columns that are in the order of the profile.
    pub fn as_recorded(slice: SliceId) -> Self {
        BarId(slice.0)
    }
}

/// What can be selected: a bar or an instant, which is named as in the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnEvent {
    /// A bar.
    Bar(BarId),
    /// An instant.
    Instant(InstantId),
}

impl DrawnEvent {
    /// The bar, if it is one.
    pub fn bar(self) -> Option<BarId> {
        match self {
            DrawnEvent::Bar(bar) => Some(bar),
            DrawnEvent::Instant(_) => None,
        }
    }

    /// The instant, if it is one.
    pub fn instant(self) -> Option<InstantId> {
        match self {
            DrawnEvent::Bar(_) => None,
            DrawnEvent::Instant(instant) => Some(instant),
        }
    }
}

/// An arrow between two bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnFlow {
    /// Where it begins.
    pub from: BarId,
    /// Where it ends.
    pub to: BarId,
    /// Position among the kinds of the profile.
    pub kind: u16,
}

impl From<BarId> for DrawnEvent {
    fn from(bar: BarId) -> Self {
        DrawnEvent::Bar(bar)
    }
}

impl From<InstantId> for DrawnEvent {
    fn from(instant: InstantId) -> Self {
        DrawnEvent::Instant(instant)
    }
}
