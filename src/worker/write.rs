//! The writer of tables as the worker for all formats links it.

use super::host::{TableWriting, install_table_writer};
use super::protocol::{WriteStep, Written};
use crate::engine::tables::archive::TableArchive;

/// Links it.
pub fn install() {
    install_table_writer(|| Box::new(TableArchive::default()));
}

impl TableWriting for TableArchive {
    fn step(&mut self, step: WriteStep) -> Result<Written, String> {
        match step {
            WriteStep::Rows { table, rows } => {
                let bytes = self.rows(&table, &rows.columns, &rows.bytes)?;
                Ok(Written { header: Vec::new(), bytes })
            }
            WriteStep::EndTable => self.end_table().map(|(header, bytes)| Written { header, bytes }),
            WriteStep::End => Ok(Written { header: Vec::new(), bytes: std::mem::take(self).end() }),
        }
    }
}
