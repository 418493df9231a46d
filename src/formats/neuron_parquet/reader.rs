//! One Parquet file, read in batches of rows, and of those only the columns asked for.

use super::batch::{Batch, Values};
use super::column::Column;
use super::faults;
use super::source::{Ahead, Source};
use crate::base::{Ledger, Member, Severity};
use parquet::basic::Type;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::cell::Cell;
use std::ops::ControlFlow;

/// Rows read at a time.
const BATCH: usize = 32_768;
/// An open file.
pub(super) struct File {
    reader: SerializedFileReader<Source>,
    /// The same file.
    source: Ahead,
    /// Names of its columns, in their order.
    pub columns: Vec<String>,
    leaves: Vec<usize>,
    /// Rows, as its footer says.
    pub n_rows: u64,
    /// Those of them that cannot be read, once that was met.
    n_lost: Cell<Option<u64>>,
}

impl File {
    /// Reads the footer. An error is the rest of a sentence.
    pub fn open(member: &Member) -> Result<File, String> {
        let source = Source::new(member);
        let ahead = source.ahead();
        let reader = SerializedFileReader::new(source).map_err(|e| faults::of_footer(member, &e))?;
        let meta = reader.metadata().file_metadata();
        let (mut columns, mut leaves): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        for (leaf, column) in meta.schema_descr().columns().iter().enumerate() {
            let name = column.path().parts().first().cloned().unwrap_or_default();
            // Of a group with several parts, the first one stands for it.
            if columns.last() != Some(&name) {
                columns.push(name);
                leaves.push(leaf);
            }
        }
        let n_rows = u64::try_from(meta.num_rows()).unwrap_or(0);
        Ok(File { columns, leaves, n_rows, reader, source: ahead, n_lost: Cell::new(None) })
    }

    /// What so many of its rows take in the file, on average.
    pub fn n_bytes_of(&self, n_rows: usize) -> u64 {
        (u128::from(self.source.len) * n_rows as u128 / u128::from(self.n_rows.max(1))) as u64
    }

    /// Calls `each` with batches of `wanted` columns from row `first` on, with the number of their first row. An error is the rest of a sentence.
    pub fn rows(&self, wanted: &[&str], first: u64, each: impl FnMut(&Batch, u64) -> ControlFlow<()>) -> Result<(), String> {
        self.read(wanted, first, false, each)
    }

    /// The same for all rows: columns are read a row group at a time, not a page at a time.
    pub fn all_rows(&self, wanted: &[&str], each: impl FnMut(&Batch, u64) -> ControlFlow<()>) -> Result<(), String> {
        self.read(wanted, 0, true, each)
    }

    fn read(&self, wanted: &[&str], first: u64, is_held: bool, mut each: impl FnMut(&Batch, u64) -> ControlFlow<()>) -> Result<(), String> {
        let leaf = |name: &&str| self.columns.iter().position(|c| c == name).map(|at| self.leaves[at]);
        let leaves: Vec<Option<usize>> = wanted.iter().map(leaf).collect();
        let groups = self.reader.metadata().row_groups();
        let (mut begins, mut held) = (0u64, 0);
        for (at, meta) in groups.iter().enumerate() {
            let group = |found: String| format!("expected its row group {at}, found {found}");
            let n = u64::try_from(meta.num_rows()).unwrap_or(0);
            if begins.saturating_add(n) > first {
                let skip = first.saturating_sub(begins);
                if is_held && at >= held {
                    held = at + self.source.hold_groups(&groups[at..], &leaves).map_err(|e| group(faults::found(&e)))?;
                }
                let reader = self.reader.get_row_group(at).map_err(|e| group(faults::found(&e)))?;
                let mut columns = Vec::with_capacity(leaves.len());
                for leaf in &leaves {
                    let open = |leaf| Column::open(&*reader, leaf, skip).map_err(|found| expected(meta, leaf, begins, &found));
                    columns.push(leaf.map(open).transpose()?);
                }
                let mut at = begins + skip;
                while at < begins + n {
                    let want = BATCH.min((begins + n - at) as usize);
                    let batch =
                        batch(&mut columns, want).map_err(|(column, found)| expected(meta, leaves[column].unwrap_or(0), at, &found))?;
                    if batch.n_rows == 0 {
                        return Err(format!("expected {} rows, as its footer says, found {at}", self.n_rows));
                    }
                    if each(&batch, at).is_break() {
                        return Ok(());
                    }
                    at += batch.n_rows as u64;
                }
            }
            begins = begins.saturating_add(n);
        }
        Ok(())
    }

    /// Puts into the ledger, once, that the rows after the first `n_read` of this file of `table` cannot be read, and why.
    pub fn broken(&self, table: &str, n_read: u64, why: &str, ledger: &mut Ledger) {
        if self.n_lost.get().is_some() {
            return;
        }
        let n = self.n_rows.saturating_sub(n_read);
        self.n_lost.set(Some(n));
        ledger.read = ledger.read.saturating_add(n.max(1));
        let reason = "A row of a table that cannot be read to its end; what stands before is shown.";
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
            Type::BOOLEAN => "true or false",
            Type::INT32 | Type::INT64 => "whole numbers",
            Type::INT96 => "dates",
            Type::FLOAT | Type::DOUBLE => "numbers with fractions",
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => "texts",
        })
    }
}

/// A sentence's rest on the values of a column that are not there from row `at` on.
fn expected(group: &RowGroupMetaData, leaf: usize, at: u64, found: &str) -> String {
    let column = group.column(leaf);
    let name = column.column_path().parts().first().cloned().unwrap_or_default();
    let packed = match faults::codec(column.compression()) {
        "" => String::new(),
        codec => format!(" (packed by {codec})"),
    };
    format!("expected the values of its column `{name}`{packed} from row {at} on, found {found}")
}

/// The next rows of all columns; as many as the shortest has.
/// An error is the column, and what was found in it.
fn batch(columns: &mut [Option<Column>], want: usize) -> Result<Batch, (usize, String)> {
    let mut out = Batch { columns: Vec::with_capacity(columns.len()), n_rows: want };
    for (at, column) in columns.iter_mut().enumerate() {
        match column {
            Some(column) => {
                let (values, n) = column.next(want).map_err(|found| (at, found))?;
                out.n_rows = out.n_rows.min(n);
                out.columns.push(values);
            }
            None => out.columns.push(Values::Missing),
        }
    }
    Ok(out)
}
