//! Slices that have track, name and further values in common, such as the executions of one instruction.

use super::{ColumnId, ProfileBuilder, RawSliceId};
use crate::base::{StrId, TrackId};
use crate::model::RecordRef;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Values that many slices have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedRow(u32);

/// Marks a number of a row among the tracks of slices.
const IS_ROW: u32 = 1 << 31;

/// What slices share besides further columns.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Row {
    track: TrackId,
    name: StrId,
    /// The further column that takes the own number of its slices.
    own: ColumnId,
}

/// Rows by number. A slice has the number of its row in place of its track.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Rows(Vec<Row>);

impl Rows {
    /// Whether no slices share anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The row of a slice by its entry among the tracks; 0 is none.
    #[inline]
    pub fn row(entry: u32) -> u32 {
        if entry & IS_ROW == 0 { 0 } else { (entry & !IS_ROW) + 1 }
    }

    #[inline]
    fn get(&self, entry: u32) -> Option<&Row> {
        self.0.get((entry & !IS_ROW) as usize).filter(|_| entry & IS_ROW != 0)
    }

    /// What `value` gives for the track of each entry, of `n_tracks` tracks and the rows: for walks over all slices.
    pub fn by_entry(&self, n_tracks: usize, value: impl Fn(TrackId) -> u32) -> ByEntry {
        let tracks = (0..n_tracks as u32).map(TrackId);
        ByEntry { n_tracks, values: tracks.chain(self.0.iter().map(|row| row.track)).map(value).collect() }
    }

    /// The track of a slice by its entry.
    #[inline]
    pub fn track(&self, entry: u32) -> TrackId {
        self.get(entry).map_or(TrackId(entry), |row| row.track)
    }

    /// The name of a slice by its entry; `None` where it has one of its own.
    #[inline]
    pub fn name(&self, entry: u32) -> Option<StrId> {
        self.get(entry).map(|row| row.name)
    }

    /// Whether the own number of a slice is its value in `column`.
    #[inline]
    pub fn is_own(&self, entry: u32, column: ColumnId) -> bool {
        self.get(entry).is_some_and(|row| row.own == column)
    }
}

/// A value for each entry of slices: four bytes, so that those of all rows fit into a processor's cache.
pub(super) struct ByEntry {
    n_tracks: usize,
    /// Of tracks, then of rows.
    values: Vec<u32>,
}

impl ByEntry {
    /// The value for an entry, which must be there.
    #[inline]
    pub fn get(&self, entry: u32) -> u32 {
        let at = if entry & IS_ROW == 0 { entry as usize } else { self.n_tracks + (entry & !IS_ROW) as usize };
        self.values[at]
    }
}

/// Shared values of slices of a finished profile, by slice in the final order.
#[derive(Debug)]
pub struct Shared {
    /// Tracks by their first ids, or rows.
    pub(super) entries: Vec<u32>,
    pub(super) own: Vec<u32>,
    pub(super) rows: Rows,
    /// Values by row, of each column; empty for skipped columns.
    pub(super) columns: Vec<Arc<Vec<u32>>>,
}

impl Shared {
    /// What a shared slice has in a column; `None` for a slice that shares nothing.
    #[inline]
    pub fn value(&self, slice: usize, column: ColumnId) -> Option<u32> {
        let entry = *self.entries.get(slice)?;
        let row = self.rows.get(entry)?;
        if row.own == column { self.own.get(slice).copied() } else { self.columns.get(column.0)?.get(Rows::row(entry) as usize).copied() }
    }
}

impl ProfileBuilder {
    /// Notes what slices share: track, name, and values of further columns. The column `own` takes a number of each slice, the others have their
    /// default.
    pub fn shared_row(&mut self, (track, name): (TrackId, StrId), values: &[(ColumnId, u32)], own: ColumnId) -> SharedRow {
        self.extras.iter_mut().for_each(|column| column.shared.push(column.default));
        for (column, value) in values {
            if let Some(last) = self.extras[column.0].shared.last_mut() {
                *last = *value;
            }
        }
        self.extras[own.0].is_own = true;
        self.rows.0.push(Row { track, name, own });
        SharedRow(self.rows.0.len() as u32 - 1)
    }

    /// Adds a slice with the values of a row, and `own` in the column that the row names. Values that are set for the slice itself count more.
    #[inline]
    pub fn shared_slice(&mut self, row: SharedRow, (start, duration): (i64, i64), own: u32, record: RecordRef) -> RawSliceId {
        let slice = self.start.len();
        self.own.pad(slice, 0);
        self.own.push(own);
        self.track.push(IS_ROW | row.0);
        self.start.push(start);
        self.duration.push(duration);
        self.record.push(slice, record);
        slice as RawSliceId
    }

    /// About how many slices with shared values, and instants, will come: their columns get that much room at once, and leave no holes in memory.
    pub fn expect_shared(&mut self, n_slices: usize, n_instants: usize) {
        self.track.expect(n_slices);
        self.start.expect(n_slices);
        self.duration.expect(n_slices);
        self.own.expect(n_slices);
        self.record.expect_in_runs(n_slices);
        self.instants.expect(n_instants);
        self.n_expected = n_slices;
    }

    /// `n` records of one length, a power of two, follow each other from `first` on: those of the next slices and instants take less memory.
    pub fn record_run(&mut self, first: RecordRef, n: u64) {
        self.record.run(first, n);
        self.instants.record.run(first, n);
    }
}
