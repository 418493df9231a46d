//! Questions to a Neuron system profile: what ran where, how busy device and host were, what to do about it, what an event depends on.

mod advice;
mod chain;
mod figures;
mod grouping;
mod overview;

pub use advice::{Finding, Place};
pub use chain::{Chain, ChainRow, chain};
pub use figures::{CpuRow, HbmRow, TransferRow};
pub use grouping::{Grouping, RowOf, grouped};
pub use overview::{CoreRow, ExecutionRow, System, system};

use super::spans::Spans;
use crate::base::{SliceId, TrackId};
use crate::model::system::RowKind;
use crate::model::{NeuronSystem, Profile};

/// A system profile at hand.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub profile: &'a Profile,
    pub system: &'a NeuronSystem,
}

impl View<'_> {
    /// Tracks of a kind, in display order.
    pub fn tracks(&self, kind: RowKind) -> impl Iterator<Item = TrackId> {
        (0..self.system.rows.len()).filter(move |&i| self.system.rows[i].kind == kind).map(|i| TrackId(i as u32))
    }

    /// Start and end of a slice.
    pub fn span(&self, slice: SliceId) -> (i64, i64) {
        (self.profile.slices.start[slice.index()], self.profile.slices.end(slice.index()))
    }

    /// Time in which any slice of a kind of row runs whose name fits.
    pub fn busy(&self, kind: RowKind, is_wanted: impl Fn(&str) -> bool) -> Spans {
        // A name is looked at once, however often it stands there.
        let wanted: Vec<bool> = self.profile.strings.iter().map(|(_, text)| is_wanted(text)).collect();
        let slices = self.tracks(kind).flat_map(|t| self.profile.slices_of(t));
        let slices = slices.filter(|&i| wanted.get(self.profile.slices.name[i].index()) == Some(&true));
        Spans::union(slices.map(|i| (self.profile.slices.start[i], self.profile.slices.end(i))))
    }
}
