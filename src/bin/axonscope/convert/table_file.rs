//! One Parquet file of a table in a directory.

use crate::error::Fallible;
use axonscope::engine::tables::parquet::TableWriter;
use axonscope::engine::tables::{Part, Table};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// A table while it is written.
pub struct TableFile {
    path: PathBuf,
    writer: TableWriter<BufWriter<File>>,
}

impl TableFile {
    /// `NAME.parquet` in a directory.
    pub fn create(directory: &Path, table: &Table) -> Fallible<TableFile> {
        let path = directory.join(format!("{}.parquet", table.name));
        let file = File::create(&path).map_err(|e| failed(&path, &e.to_string()))?;
        Ok(TableFile { path, writer: TableWriter::new(table, BufWriter::new(file))? })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        self.writer.name()
    }

    /// Adds rows.
    pub fn write(&mut self, part: &Part) -> Fallible<()> {
        Ok(self.writer.write(part)?)
    }

    /// Writes the footer, and makes sure that all of it has reached the disk.
    pub fn finish(self) -> Fallible<()> {
        let path = self.path;
        let file = self.writer.finish()?.into_inner().map_err(|e| failed(&path, &e.to_string()))?;
        Ok(file.sync_all().map_err(|e| failed(&path, &e.to_string()))?)
    }
}

fn failed(path: &Path, why: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("`{name}` could not be written: {}.", why.trim_end_matches('.'))
}
