//! Questions to a device profile, with the tables that stay in the file.

use super::{Answer, Session};
use crate::analysis::device::{self, DeviceAnswer, DeviceQuery, sbuf, tensors};
use crate::model::GenericTable;
use std::borrow::Cow;

/// Rows of a table of allocations that are looked at.
const MOST_ROWS: u64 = 1_000_000;
/// Rows that are read at once.
const PAGE: u64 = 50_000;

impl Session {
    pub(super) fn device(&self, query: &DeviceQuery) -> Answer {
        match query {
            DeviceQuery::Tensors => {
                let info = self.whole_table("TensorInfo");
                let mut found = tensors::tensors(&self.profile, info.as_deref());
                match self.whole_table("SbufAllocation") {
                    Some(table) => found.maps = sbuf::parts(&table),
                    None => found
                        .notes
                        .push("The map of the State Buffer is not available: only Neuron Explorer's table SbufAllocation holds it.".into()),
                }
                Answer::Device(DeviceAnswer::Tensors(Box::new(found)))
            }
            DeviceQuery::SbufMap(query) => match self.whole_table("SbufAllocation") {
                Some(table) => Answer::Device(DeviceAnswer::SbufMap(Box::new(sbuf::map(&table, query)))),
                None => Answer::Refused("This profile has no table `SbufAllocation`.".into()),
            },
            _ => Answer::Device(device::answer(&self.profile, query)),
        }
    }

    /// A table with its rows, up to a bound, also when they stay in the file.
    fn whole_table(&self, id: &str) -> Option<Cow<'_, GenericTable>> {
        let table = self.profile.tables.iter().find(|t| t.id == id)?;
        if table.n_in_file == 0 {
            return Some(Cow::Borrowed(table));
        }
        let mut whole = GenericTable { id: table.id.clone(), columns: table.columns.clone(), ..GenericTable::default() };
        while (whole.rows.len() as u64) < table.n_in_file.min(MOST_ROWS) {
            match self.table(id, whole.rows.len() as u64, PAGE) {
                Answer::Table(part) if !part.rows.is_empty() => whole.rows.extend(part.rows),
                _ => break,
            }
        }
        whole.n_more = table.n_in_file.saturating_sub(whole.rows.len() as u64);
        Some(Cow::Owned(whole))
    }
}
