//! Events of Neuron system profiles, whichever format they come in, and the profile they make.

mod bandwidth;
mod clocks;
mod event;
mod finish;
mod hbm;
mod rows;
mod store;

pub(super) use event::{Event, EventKeys, FLOWS_MAX};
pub(super) use hbm::{CATEGORIES, HbmNames};
pub(super) use store::{Curve, Store, StoredEvent};

use crate::model::RecordRef;

/// Id of the format of system profiles; tables of a Neuron Explorer directory have it too.
pub const ID: &str = "neuron_system";

/// The category of HBM use of a column of Neuron Explorer's tables: the name of its series.
pub fn hbm_category(column: &str) -> Option<&'static str> {
    CATEGORIES.iter().find(|c| c.0 == column).map(|c| c.1)
}

/// Member number of records of the table of events: their offsets are rows.
pub(super) const TABLE_MEMBER: usize = 15;

/// Record of a row of the table of events.
pub(super) fn row_record(row: u64) -> RecordRef {
    RecordRef::new(TABLE_MEMBER, row, 0)
}
