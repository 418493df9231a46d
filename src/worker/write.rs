//! The writer of tables as the worker for all formats links it.

use super::error::WriteError;
use super::host::{TableWriting, install_table_writer};
use super::protocol::{WriteStep, Written};
use crate::engine::tables::archive::{ArchiveError, TableArchive};

/// Links it.
pub fn install() {
    install_table_writer(|| Box::new(TableArchive::default()));
}

impl TableWriting for TableArchive {
    fn step(&mut self, step: WriteStep) -> Result<Written, WriteError> {
        let (header, bytes) = match step {
            WriteStep::Rows { table, rows } => (Vec::new(), self.rows(&table, &rows.columns, &rows.bytes).map_err(archive)?),
            WriteStep::EndTable => self.end_table().map_err(archive)?,
            WriteStep::End => (Vec::new(), std::mem::take(self).end()),
        };
        Ok(Written { header, bytes })
    }
}

fn archive(error: ArchiveError) -> WriteError {
    WriteError::Archive(Box::new(error))
}
