//! One Parquet file, read in batches of rows, and of those only the columns asked for.

use crate::base::{InputError, Member};
use bytes::{Buf, Bytes};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use std::cell::RefCell;
use std::io::Read;
use std::ops::ControlFlow;

/// Rows read at a time.
const BATCH: usize = 32_768;
/// Bytes of a read that the library makes without saying how long it is: page headers and footers.
const READ_AHEAD: u64 = 64 << 10;

thread_local! {
    /// Open files. The library wants its source to cross threads, which files of a browser cannot: it gets their place in this list.
    static FILES: RefCell<Vec<Option<Member>>> = const { RefCell::new(Vec::new()) };
}

/// A file of [`FILES`].
struct Source {
    at: usize,
    len: u64,
}

impl Source {
    fn new(member: &Member) -> Source {
        let at = FILES.with_borrow_mut(|files| match files.iter().position(Option::is_none) {
            Some(free) => {
                files[free] = Some(member.clone());
                free
            }
            None => {
                files.push(Some(member.clone()));
                files.len() - 1
            }
        });
        Source { at, len: member.len() }
    }

    fn read(&self, start: u64, n: u64) -> Result<Bytes, ParquetError> {
        let read = FILES.with_borrow(|files| match files.get(self.at).and_then(Option::as_ref) {
            Some(member) => member.read(start, n),
            None => Err(InputError::Unreadable { name: "a table".into(), why: "It is not open.".into() }),
        });
        read.map(Bytes::from).map_err(|e| ParquetError::General(e.to_string()))
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        FILES.with_borrow_mut(|files| files[self.at] = None);
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.len
    }
}

/// Reads on from an offset, a piece at a time.
struct Ahead {
    file: Source,
    offset: u64,
    bytes: Bytes,
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() {
            let n = READ_AHEAD.min(self.file.len.saturating_sub(self.offset));
            self.bytes = self.file.read(self.offset, n).map_err(std::io::Error::other)?;
            self.offset += n;
        }
        let n = out.len().min(self.bytes.len());
        self.bytes.copy_to_slice(&mut out[..n]);
        Ok(n)
    }
}

impl ChunkReader for Source {
    type T = Ahead;

    fn get_read(&self, start: u64) -> Result<Ahead, ParquetError> {
        let member = FILES.with_borrow(|files| files.get(self.at).cloned().flatten());
        let member = member.ok_or_else(|| ParquetError::General("the table is not open".into()))?;
        Ok(Ahead { file: Source::new(&member), offset: start.min(self.len), bytes: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.read(start, length as u64)
    }
}

/// An open file.
pub(super) struct File {
    reader: SerializedFileReader<Source>,
    /// Names of its columns, in their order.
    pub columns: Vec<String>,
    leaves: Vec<usize>,
    /// Rows, as its footer says.
    pub n_rows: u64,
}

/// Some rows of some columns. A column that the file does not have is absent in every row.
pub(super) struct Batch {
    columns: Vec<Values>,
    /// Rows of it.
    pub n_rows: usize,
}

enum Values {
    Missing,
    Ints(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Texts(Vec<Option<ByteArray>>),
    Flags(Vec<Option<bool>>),
    /// Lists, as text.
    Lists(Vec<Option<String>>),
}

impl Batch {
    /// A whole number; a fraction or other text is none.
    pub fn int(&self, column: usize, row: usize) -> Option<i64> {
        match &self.columns[column] {
            Values::Ints(v) => *v.get(row)?,
            Values::Floats(v) => v.get(row)?.filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15).map(|f| f as i64),
            Values::Flags(v) => v.get(row)?.map(i64::from),
            Values::Texts(v) => v.get(row)?.as_ref()?.as_utf8().ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// A finite number.
    pub fn float(&self, column: usize, row: usize) -> Option<f64> {
        let value = match &self.columns[column] {
            Values::Ints(v) => v.get(row)?.map(|v| v as f64),
            Values::Floats(v) => *v.get(row)?,
            Values::Texts(v) => v.get(row)?.as_ref()?.as_utf8().ok()?.trim().parse().ok(),
            _ => None,
        };
        value.filter(|v| v.is_finite())
    }

    /// A text; empty where there is none, or where it is no UTF-8.
    pub fn text(&self, column: usize, row: usize) -> &str {
        match &self.columns[column] {
            Values::Texts(v) => v.get(row).and_then(Option::as_ref).and_then(|t| t.as_utf8().ok()).unwrap_or(""),
            Values::Lists(v) => v.get(row).and_then(Option::as_deref).unwrap_or(""),
            _ => "",
        }
    }

    /// Whatever it is, as a cell of a table.
    pub fn cell(&self, column: usize, row: usize) -> crate::model::Cell {
        use crate::model::Cell;
        let found = match &self.columns[column] {
            Values::Missing => None,
            Values::Ints(v) => v.get(row).copied().flatten().map(Cell::Int),
            Values::Floats(v) => v.get(row).copied().flatten().filter(|f| f.is_finite()).map(Cell::Float),
            Values::Texts(v) => v.get(row).and_then(Option::as_ref).map(|t| Cell::Text(String::from_utf8_lossy(t.data()).into_owned())),
            Values::Flags(v) => v.get(row).copied().flatten().map(|f| Cell::Text(if f { "true" } else { "false" }.into())),
            Values::Lists(v) => v.get(row).cloned().flatten().map(Cell::Text),
        };
        found.unwrap_or(Cell::Absent)
    }
}

/// What the library says, ending without a full stop.
fn words(error: impl ToString) -> String {
    error.to_string().trim_end_matches('.').to_string()
}

impl File {
    /// Reads the footer. An error is the rest of a sentence.
    pub fn open(member: &Member) -> Result<File, String> {
        let reader = SerializedFileReader::new(Source::new(member)).map_err(words)?;
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
        Ok(File { columns, leaves, n_rows, reader })
    }

    /// Calls `each` with batches of `wanted` columns from row `first` on, with the number of their first row. An error is the rest of a sentence.
    pub fn rows(&self, wanted: &[&str], first: u64, mut each: impl FnMut(&Batch, u64) -> ControlFlow<()>) -> Result<(), String> {
        let leaf = |name: &&str| self.columns.iter().position(|c| c == name).map(|at| self.leaves[at]);
        let leaves: Vec<Option<usize>> = wanted.iter().map(leaf).collect();
        let mut begins = 0u64;
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group).map_err(words)?;
            let n = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
            if begins.saturating_add(n) > first {
                let skip = first.saturating_sub(begins);
                let mut columns = Vec::with_capacity(leaves.len());
                for leaf in &leaves {
                    columns.push(match leaf {
                        Some(leaf) => Some(Column::open(
                            group.get_column_reader(*leaf).map_err(words)?,
                            group.metadata().column(*leaf).column_descr(),
                            skip,
                        )?),
                        None => None,
                    });
                }
                let mut at = begins + skip;
                while at < begins + n {
                    let want = BATCH.min((begins + n - at) as usize);
                    let batch = batch(&mut columns, want)?;
                    if batch.n_rows == 0 {
                        return Err(format!("it holds {at} rows, its footer says {}", self.n_rows));
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
}

/// The next rows of all columns; as many as the shortest has.
fn batch(columns: &mut [Option<Column>], want: usize) -> Result<Batch, String> {
    let mut out = Batch { columns: Vec::with_capacity(columns.len()), n_rows: want };
    for column in columns {
        match column {
            Some(column) => {
                let (values, n) = column.next(want)?;
                out.n_rows = out.n_rows.min(n);
                out.columns.push(values);
            }
            None => out.columns.push(Values::Missing),
        }
    }
    Ok(out)
}

/// A column of a row group, read front to back.
struct Column {
    reader: ColumnReader,
    max_def: i16,
    max_rep: i16,
}

/// Values of some records with their levels.
struct Raw<T> {
    values: Vec<T>,
    defs: Vec<i16>,
    reps: Vec<i16>,
    n_records: usize,
}

impl Column {
    fn open(reader: ColumnReader, descriptor: &parquet::schema::types::ColumnDescriptor, skip: u64) -> Result<Column, String> {
        let mut column = Column { reader, max_def: descriptor.max_def_level(), max_rep: descriptor.max_rep_level() };
        let skip = usize::try_from(skip).map_err(words)?;
        if skip > 0 {
            column.skip(skip)?;
        }
        Ok(column)
    }

    fn skip(&mut self, n: usize) -> Result<(), String> {
        let skipped = match &mut self.reader {
            ColumnReader::BoolColumnReader(r) => r.skip_records(n),
            ColumnReader::Int32ColumnReader(r) => r.skip_records(n),
            ColumnReader::Int64ColumnReader(r) => r.skip_records(n),
            ColumnReader::Int96ColumnReader(r) => r.skip_records(n),
            ColumnReader::FloatColumnReader(r) => r.skip_records(n),
            ColumnReader::DoubleColumnReader(r) => r.skip_records(n),
            ColumnReader::ByteArrayColumnReader(r) => r.skip_records(n),
            ColumnReader::FixedLenByteArrayColumnReader(r) => r.skip_records(n),
        };
        skipped.map(|_| ()).map_err(words)
    }

    /// Values of the next `n` records, and how many records there were.
    fn next(&mut self, n: usize) -> Result<(Values, usize), String> {
        let (def, rep) = (self.max_def, self.max_rep);
        let done = match &mut self.reader {
            ColumnReader::BoolColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, |v| v, |v| v.to_string(), Values::Flags),
            ColumnReader::Int32ColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, i64::from, |v| v.to_string(), Values::Ints),
            ColumnReader::Int64ColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, |v| v, |v| v.to_string(), Values::Ints),
            ColumnReader::Int96ColumnReader(r) => {
                read(r, n, def, rep)?.spread(def, rep, |v: Int96| v.to_nanos(), |v| v.to_nanos().to_string(), Values::Ints)
            }
            ColumnReader::FloatColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, f64::from, |v| v.to_string(), Values::Floats),
            ColumnReader::DoubleColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, |v| v, |v| v.to_string(), Values::Floats),
            ColumnReader::ByteArrayColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, |v| v, quoted, Values::Texts),
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                read(r, n, def, rep)?.spread(def, rep, |v: FixedLenByteArray| v.into(), |v| quoted(&v.clone().into()), Values::Texts)
            }
        };
        Ok(done)
    }
}

fn quoted(text: &ByteArray) -> String {
    serde_json::to_string(&String::from_utf8_lossy(text.data())).unwrap_or_default()
}

fn read<T: DataType>(reader: &mut ColumnReaderImpl<T>, n: usize, max_def: i16, max_rep: i16) -> Result<Raw<T::T>, String> {
    let mut raw = Raw { values: Vec::new(), defs: Vec::new(), reps: Vec::new(), n_records: 0 };
    while raw.n_records < n {
        let defs = (max_def > 0).then_some(&mut raw.defs);
        let reps = (max_rep > 0).then_some(&mut raw.reps);
        let (records, ..) = reader.read_records(n - raw.n_records, defs, reps, &mut raw.values).map_err(words)?;
        if records == 0 {
            break;
        }
        raw.n_records += records;
    }
    Ok(raw)
}

impl<T> Raw<T> {
    /// One entry for each record: the value, or a list of values as text.
    fn spread<V>(
        self,
        max_def: i16,
        max_rep: i16,
        value: impl Fn(T) -> V,
        text: impl Fn(&T) -> String,
        wrap: impl Fn(Vec<Option<V>>) -> Values,
    ) -> (Values, usize) {
        if max_rep > 0 {
            return (Values::Lists(self.lists(max_def, text)), self.n_records);
        }
        let n = self.n_records;
        if max_def == 0 {
            return (wrap(self.values.into_iter().map(|v| Some(value(v))).collect()), n);
        }
        let mut values = self.values.into_iter();
        let spread = self.defs.iter().map(|&d| if d == max_def { values.next().map(&value) } else { None });
        (wrap(spread.collect()), n)
    }

    fn lists(&self, max_def: i16, text: impl Fn(&T) -> String) -> Vec<Option<String>> {
        let mut out: Vec<Option<String>> = Vec::with_capacity(self.n_records);
        let mut values = self.values.iter();
        for (at, &rep) in self.reps.iter().enumerate() {
            let def = self.defs.get(at).copied().unwrap_or(max_def);
            if rep == 0 {
                if let Some(Some(list)) = out.last_mut() {
                    list.push(']');
                }
                out.push(if def == 0 { None } else { Some("[".into()) });
            }
            let item = (def == max_def).then(|| values.next().map(&text)).flatten();
            if let (Some(Some(list)), Some(item)) = (out.last_mut(), item) {
                if list.len() > 1 {
                    list.push_str(", ");
                }
                list.push_str(&item);
            }
        }
        if let Some(Some(list)) = out.last_mut() {
            list.push(']');
        }
        out
    }
}
