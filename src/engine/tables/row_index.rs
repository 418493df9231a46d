//! What the parts of one table share, such as which slices are its rows: kept from its first part to its last.

use super::torch_index::TorchIndex;
use crate::analysis::self_time::self_times;
use crate::base::{SliceId, TimeRange, TrackId};
use crate::engine::Session;
use crate::model::Profile;
use std::cell::OnceCell;
use std::rc::Rc;

/// What the parts of one table share; each is computed when a part first needs it.
#[derive(Debug, Default)]
pub(in crate::engine) struct RowIndex {
    table: String,
    range: Option<TimeRange>,
    /// Slices that are rows.
    pub(super) slices: OnceCell<Vec<SliceId>>,
    /// Self time of every slice of the profile, ns.
    self_durations: OnceCell<Vec<i64>>,
    /// Operators, launches and modules of a PyTorch trace.
    pub(super) torch: OnceCell<TorchIndex>,
}

impl RowIndex {
    /// Self time of every slice, ns.
    pub(super) fn self_durations(&self, profile: &Profile) -> &[i64] {
        self.self_durations.get_or_init(|| {
            let mut out = vec![0; profile.slices.len()];
            for track in (0..profile.tracks.len() as u32).map(TrackId) {
                self_times(profile, track, None, |slice, own| {
                    if let Some(of) = out.get_mut(slice) {
                        *of = own;
                    }
                });
            }
            out
        })
    }
}

impl Session {
    /// What the parts of a table share. That of another table is dropped.
    pub(super) fn row_index(&self, table: &str, range: Option<TimeRange>) -> Rc<RowIndex> {
        let mut cached = self.table_rows.borrow_mut();
        match cached.as_ref().filter(|index| index.table == table && index.range == range) {
            Some(index) => index.clone(),
            None => cached.insert(Rc::new(RowIndex { table: table.into(), range, ..RowIndex::default() })).clone(),
        }
    }
}
