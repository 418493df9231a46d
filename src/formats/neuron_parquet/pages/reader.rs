//! One Parquet file, read in batches of rows and only in the requested columns.

use super::batch::Batch;
use super::column::is_decimal;
use super::errors::{self, FooterError, Found, RowsError};
use super::panic_context::Now;
use super::row_group::{Bad, Group, Wanted};
use super::source::{Ahead, Source};
use crate::base::{Ledger, Member, Severity};
use parquet::basic::{ConvertedType, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::cell::Cell;
use std::ops::{ControlFlow, Range};

/// Rows read at a time.
pub const BATCH: usize = 32_768;
/// Columns without which a row has no place on the timeline.
const TIMES: [&str; 2] = ["start_ts", "timestamp"];

/// An open file.
pub struct File {
    reader: SerializedFileReader<Source>,
    /// The same file.
    source: Ahead,
    /// Names of its columns, in their order.
    pub columns: Vec<String>,
    leaves: Vec<usize>,
    /// Its name, without directories.
    pub name: String,
    bad: Bad,
    /// Number of rows in the footer.
    pub n_rows: u64,
    /// Those of them that cannot be read, once that was found.
    n_lost: Cell<Option<u64>>,
}

impl File {
    /// Reads the footer.
    pub fn open(member: &Member) -> Result<File, FooterError> {
        let name = crate::formats::file_name::file_name(&member.name).to_string();
        let _context = Now::reading(&name);
        let source = Source::new(member);
        let ahead = source.ahead();
        let reader = SerializedFileReader::new(source).map_err(|e| errors::of_footer(member, &e))?;
        let meta = reader.metadata().file_metadata();
        let (mut columns, mut leaves): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        for (leaf, column) in meta.schema_descr().columns().iter().enumerate() {
            let name = column.path().parts().first().cloned().unwrap_or_default();
            // A group with several parts is represented by the first one.
            if columns.last() != Some(&name) {
                columns.push(name);
                leaves.push(leaf);
            }
        }
        let n_rows = u64::try_from(meta.num_rows()).unwrap_or(0);
        Ok(File { name, columns, leaves, bad: Bad::default(), n_rows, reader, source: ahead, n_lost: Cell::new(None) })
    }

    /// Average size of this number of rows in the file, bytes.
    pub fn n_bytes_of(&self, n_rows: u64) -> u64 {
        (u128::from(self.source.len) * u128::from(n_rows) / u128::from(self.n_rows.max(1))) as u64
    }

    /// Calls `each` with batches of `wanted` columns of `n` rows from row `first` on, with the number of their first row. A column that cannot be
    /// read has no values, as long as another has; else the whole call fails.
    pub fn rows(&self, wanted: &[&str], (first, n): (u64, u64), each: impl FnMut(&Batch, u64) -> ControlFlow<()>) -> Result<(), RowsError> {
        let wanted = Wanted { leaves: self.leaves(wanted), vital: None };
        self.read(&wanted, (first, first.saturating_add(n)), false, each)
    }

    /// The same for rows of whole row groups ([`File::pieces`]), which need their time to be placed: columns are read a row group at a time, not a page
    /// at a time.
    pub fn rows_of_groups(
        &self,
        wanted: &[&str],
        rows: Range<u64>,
        each: impl FnMut(&Batch, u64) -> ControlFlow<()>,
    ) -> Result<(), RowsError> {
        let leaves = self.leaves(wanted);
        let vital = wanted.iter().position(|name| TIMES.contains(name)).and_then(|at| leaves[at]);
        self.read(&Wanted { leaves, vital }, (rows.start, rows.end), true, each)
    }

    /// All rows in pieces of whole row groups, each but the last of `n_min` rows or more. The last has no end.
    pub fn pieces(&self, n_min: u64) -> Vec<Range<u64>> {
        let (mut pieces, mut from, mut at, mut n_before) = (Vec::new(), 0u64, 0u64, 0);
        for group in self.reader.metadata().row_groups() {
            let n = u64::try_from(group.num_rows()).unwrap_or(0);
            // A group without rows is read in no piece that it begins or ends.
            if n > 0 && n_before > 0 && at - from >= n_min {
                pieces.push(from..at);
                from = at;
            }
            at = at.saturating_add(n);
            n_before = n;
        }
        pieces.push(from..u64::MAX);
        pieces
    }

    /// Whether something of it could not be read so far.
    pub fn is_damaged(&self) -> bool {
        self.n_lost.get().is_some() || !self.bad.borrow().is_empty()
    }

    fn leaves(&self, wanted: &[&str]) -> Vec<Option<usize>> {
        let leaf = |name: &&str| self.columns.iter().position(|c| c == name).map(|at| self.leaves[at]);
        wanted.iter().map(leaf).collect()
    }

    /// Rows from `first` to before `until`.
    fn read(
        &self,
        wanted: &Wanted,
        (first, until): (u64, u64),
        are_all: bool,
        mut each: impl FnMut(&Batch, u64) -> ControlFlow<()>,
    ) -> Result<(), RowsError> {
        let _context = Now::reading(&self.name);
        let groups = self.reader.metadata().row_groups();
        let (mut begins, mut held) = (0u64, 0);
        for (place, meta) in groups.iter().enumerate() {
            let group = |found: Found| RowsError::Group { group: place, found };
            let ends = begins.saturating_add(u64::try_from(meta.num_rows()).unwrap_or(0));
            if begins >= until {
                break;
            }
            if ends > first {
                let skip = first.saturating_sub(begins);
                if place >= held {
                    let n = self.hold(&groups[place..], wanted, (begins, until), are_all);
                    held = place + n.map_err(|e| group(errors::found(&e)))?;
                }
                let reader = self.reader.get_row_group(place).map_err(|e| group(errors::found(&e)))?;
                let mut at = begins + skip;
                let mut columns = Group::open(&*reader, meta, (wanted, &self.bad), (skip, at))?;
                while at < ends.min(until) {
                    let want = usize::try_from(ends.min(until) - at).map_or(BATCH, |left| left.min(BATCH));
                    let batch = columns.next(want, at)?;
                    if batch.n_rows == 0 {
                        return Err(RowsError::FewerRows { stated: self.n_rows, found: at });
                    }
                    if each(&batch, at).is_break() {
                        return Ok(());
                    }
                    at += batch.n_rows as u64;
                }
            }
            begins = ends;
        }
        Ok(())
    }

    /// Reads the chunks of some row groups ahead, the first of which begins at row `begins`, as far as rows before `until` need them; gives how many
    /// groups. Of a large one of which only some rows are wanted nothing is read ahead.
    fn hold(
        &self,
        groups: &[RowGroupMetaData],
        wanted: &Wanted,
        (begins, until): (u64, u64),
        are_all: bool,
    ) -> Result<usize, ParquetError> {
        let mut rows = begins;
        let is_before = |group: &&RowGroupMetaData| {
            let is_before = rows < until;
            rows = rows.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            is_before
        };
        let n = groups.iter().take_while(is_before).count().max(1);
        match self.source.hold_groups(&groups[..n], &wanted.leaves, are_all) {
            // When only some rows are requested, each column reports its own errors.
            Err(_) if !are_all => Ok(1),
            held => held,
        }
    }

    /// Whether a column was unreadable in the part read so far.
    pub fn is_bad(&self, column: &str) -> bool {
        self.leaves(&[column])[0].is_some_and(|leaf| self.bad.borrow().contains_key(&leaf))
    }

    /// Puts into the ledger, once, the columns of this file of `table` that could not be read, and gives their names.
    pub fn announce_columns(&self, table: &str, ledger: &mut Ledger) -> Vec<String> {
        let mut out = Vec::new();
        for (leaf, (why, is_reported)) in self.bad.borrow_mut().iter_mut().filter(|bad| !bad.1.1) {
            *is_reported = true;
            // Where rows are lost, so are their columns.
            if self.n_lost.get().is_none() {
                let reason = "A column of a table is only partly readable: later rows are shown without its values.";
                ledger.skip(Severity::DataLoss, "broken_column", reason, 0, || format!("`{table}`: {why}"));
                out.extend(self.leaves.iter().position(|l| l == leaf).map(|at| self.columns[at].clone()));
            }
        }
        out
    }

    /// Puts into the ledger, once, that the rows after the first `n_read` of this file of `table` cannot be read, and why.
    pub fn broken(&self, table: &str, n_read: u64, why: &RowsError, ledger: &mut Ledger) {
        if self.n_lost.get().is_some() {
            return;
        }
        let n = self.n_rows.saturating_sub(n_read);
        self.n_lost.set(Some(n));
        self.bad.borrow_mut().values_mut().for_each(|bad| bad.1 = true);
        ledger.read = ledger.read.saturating_add(n.max(1));
        let reason = "A row of a table is only partly readable; the part before the error is shown.";
        ledger.skip_n(Severity::DataLoss, "broken_table", reason, n.max(1), 0, || format!("`{table}`: {why}"));
    }

    /// Rows that cannot be read; `None` as long as nothing went wrong.
    pub fn n_lost(&self) -> Option<u64> {
        self.n_lost.get()
    }

    /// What the values of a column are, in the plural; `None` where the file has no such column.
    pub fn type_of(&self, column: &str) -> Option<&'static str> {
        let leaf = self.leaves[self.columns.iter().position(|c| c == column)?];
        let column = self.reader.metadata().file_metadata().schema_descr().column(leaf);
        Some(match column.physical_type() {
            _ if column.max_rep_level() > 0 => "lists",
            Type::INT32 | Type::INT64 if is_decimal(&column) && column.type_scale() > 0 => "numbers with fractions",
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY if is_decimal(&column) => "decimals",
            Type::BOOLEAN => "true or false",
            Type::INT32 | Type::INT64 => "whole numbers",
            Type::INT96 => "dates",
            Type::FLOAT | Type::DOUBLE => "numbers with fractions",
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY
                if column.converted_type() == ConvertedType::NONE && column.logical_type_ref().is_none() =>
            {
                "bytes"
            }
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => "texts",
        })
    }
}
