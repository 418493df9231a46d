//! Tables as Parquet files of one ZIP archive, piece by piece: what the page saves. Linked into the worker for all formats alone.

use super::asked::kind_of_sql;
use super::parquet::{TableWriter, WriteError};
use super::{Column, Part, Table, Values, Words};
use crate::base::arrow;
use crate::base::zip::ZipDirectory;
use flate2::Crc;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Why rows were not added to an archive, or a table not ended.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The rows belong to this table, but the previous table has not been ended.
    #[error("The table before `{0}` was not finished.")]
    Open(String),
    /// No table is open.
    #[error("No table is being written.")]
    NoTable,
    /// The rows are not an Arrow stream.
    #[error(transparent)]
    Stream(#[from] arrow::ReadError),
    /// The rows could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What a writer has written and nobody has taken yet. Shared: a Parquet writer keeps its end to itself.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<u8>>>);

impl Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Outbox {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct OpenTable {
    writer: TableWriter<Outbox>,
    out: Outbox,
    crc: Crc,
    n_bytes: u64,
}

impl OpenTable {
    /// The bytes that were written since the last call.
    fn taken(&mut self) -> Vec<u8> {
        let bytes = self.out.take();
        self.crc.update(&bytes);
        self.n_bytes += bytes.len() as u64;
        bytes
    }
}

/// An archive that is being written. The bytes of a table are returned in pieces; the last piece comes with the header that belongs before the first.
#[derive(Default)]
pub struct TableArchive {
    directory: ZipDirectory,
    open: Option<OpenTable>,
}

impl TableArchive {
    /// Adds rows, a stream of Arrow, to the table `name`; `columns`: name, type of SQL and unit of each. Returns the next bytes of its file.
    ///
    /// # Errors
    /// Where the stream is damaged or another table is open.
    pub fn rows(&mut self, name: &str, columns: &[(String, String, String)], stream: &[u8]) -> Result<Vec<u8>, ArchiveError> {
        let table = Table { name: name.to_string().into(), columns: columns.iter().map(column).collect() };
        if self.open.is_none() {
            let out = Outbox::default();
            self.open = Some(OpenTable { writer: TableWriter::new(&table, out.clone())?, out, crc: Crc::new(), n_bytes: 0 });
        }
        let open = self.open.as_mut().filter(|open| open.writer.name() == name).ok_or_else(|| ArchiveError::Open(name.into()))?;
        open.writer.write(&part(arrow::read(stream)?))?;
        Ok(open.taken())
    }

    /// Ends the open table: the header that is before its first bytes, and its last bytes.
    ///
    /// # Errors
    /// Where no table is open.
    pub fn end_table(&mut self) -> Result<(Vec<u8>, Vec<u8>), ArchiveError> {
        let mut open = self.open.take().ok_or(ArchiveError::NoTable)?;
        let bytes = open.taken();
        let OpenTable { writer, out, mut crc, n_bytes } = open;
        let name = format!("{}.parquet", writer.name());
        writer.finish()?;
        let rest = out.take();
        crc.update(&rest);
        let n_bytes = n_bytes + rest.len() as u64;
        Ok((self.directory.add(&name, crc.sum(), n_bytes), [bytes, rest].concat()))
    }

    /// The end of the archive.
    pub fn end(self) -> Vec<u8> {
        self.directory.finish()
    }
}

fn column((name, kind, unit): &(String, String, String)) -> Column {
    Column { name: name.clone().into(), kind: kind_of_sql(kind), unit: unit.clone().into() }
}

fn part(batch: arrow::Batch) -> Part {
    let values = |values| match values {
        arrow::Values::Ints(v) => Values::Ints(v),
        arrow::Values::Floats(v) => Values::Floats(v),
        arrow::Values::Flags(v) => Values::Flags(v),
        arrow::Values::Texts(v) => Values::Texts(v),
        arrow::Values::Words(codes, words) => {
            Values::Words(Words { codes: codes.into_iter().map(|code| code.unwrap_or(Words::ABSENT)).collect(), words })
        }
    };
    Part { n_rows: batch.n_rows, columns: batch.columns.into_iter().map(|c| values(c.1)).collect(), next: None }
}
