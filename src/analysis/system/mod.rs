//! Questions to a Neuron system profile: what ran where, how busy device and host were, what to do about it, what an event depends on.

mod advice;
mod answer;
mod chain;
mod executions;
pub mod explain;
mod figures;
mod grouping;
mod memory;
mod overview;
mod serving;

pub use answer::{CoreRow, Finding, Location, System};
pub use chain::{Chain, ChainRow, chain};
pub use executions::{ExecutionRow, execution};
pub use figures::{CpuRow, TransferRow};
pub use grouping::{Grouping, RowOf, grouped};
pub use memory::{HbmCurve, HbmRow};
pub use overview::system;
pub use serving::{
    BucketRow, Burst, Collectives, Delay, GapPart, Gaps, Phase, PhaseRow, Serving, ServingCore, ServingQuery, Times, serving,
};

use super::spans::Spans;
use crate::base::{SliceId, TimeRange, TrackId};
use crate::model::system::RowKind;
use crate::model::{NeuronSystem, Profile};

/// A system profile, and the range of the question.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub profile: &'a Profile,
    pub system: &'a NeuronSystem,
    /// Only what touches this range counts, and only the part inside it; `None` is all of the profile.
    pub range: Option<TimeRange>,
}

impl View<'_> {
    /// Tracks of a kind, in display order.
    pub fn tracks(&self, kind: RowKind) -> impl Iterator<Item = TrackId> {
        (0..self.system.rows.len()).filter(move |&i| self.system.rows[i].kind == kind).map(|i| TrackId(i as u32))
    }

    /// All that is asked about.
    pub fn whole(&self) -> TimeRange {
        self.range.unwrap_or(self.profile.meta.range)
    }

    /// Start and end of the part of a slice that is asked about; `None` when none of it is.
    pub fn span(&self, slice: SliceId) -> Option<(i64, i64)> {
        let (start, end) = (self.profile.slices.start[slice.index()], self.profile.slices.end(slice.index()));
        let Some(range) = self.range else { return Some((start, end)) };
        let touches = start < range.end.0 && (end > range.start.0 || start >= range.start.0);
        touches.then(|| (start.max(range.start.0), end.min(range.end.0)))
    }

    /// Time in which any slice with a matching name runs on a kind of row.
    pub fn busy(&self, kind: RowKind, is_wanted: impl Fn(&str) -> bool) -> Spans {
        // A name is looked at once, however often it is there.
        let wanted: Vec<bool> = self.profile.strings.iter().map(|(_, text)| is_wanted(text)).collect();
        let slices = self.tracks(kind).flat_map(|t| self.profile.slices_of(t));
        let slices = slices.filter(|&i| wanted.get(self.profile.slices.name[i].index()) == Some(&true));
        Spans::union(slices.filter_map(|i| self.span(SliceId(i as u32))))
    }
}
