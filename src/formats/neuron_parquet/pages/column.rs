//! One column of a row group.

use super::batch::{Cells, Values};
use super::dictionary::{ABSENT, Codes, Next};
use super::errors::{Found, found};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};

/// A column of a row group, read front to back.
pub struct Column {
    reader: Reader,
    descriptor: ColumnDescPtr,
    levels: (i16, i16),
    /// Power of ten by which whole numbers are too large.
    scale: i32,
}

/// Whether the values are decimals; of whole numbers the last digits are then the fraction.
pub fn is_decimal(column: &ColumnDescriptor) -> bool {
    column.converted_type() == ConvertedType::DECIMAL || matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }))
}

enum Reader {
    Values(ColumnReader),
    Codes(Codes),
}

/// Values of some records with their levels.
struct Raw<T> {
    values: Vec<T>,
    defs: Vec<i16>,
    reps: Vec<i16>,
    n_records: usize,
}

impl Column {
    /// Values of a row group from its row `skip` on.
    pub fn open(group: &dyn RowGroupReader, leaf: usize, skip: u64) -> Result<Column, Found> {
        let descriptor = group.metadata().column(leaf).column_descr_ptr();
        let (max_def, max_rep) = (descriptor.max_def_level(), descriptor.max_rep_level());
        let is_by_codes = descriptor.physical_type() == Type::BYTE_ARRAY && max_rep == 0 && max_def <= 1 && skip == 0;
        let reader = if is_by_codes {
            Reader::Codes(Codes::new(group.get_column_page_reader(leaf).map_err(|e| found(&e))?, max_def == 1))
        } else {
            let mut reader = group.get_column_reader(leaf).map_err(|e| found(&e))?;
            Self::skip(&mut reader, usize::try_from(skip).map_err(|_| Found::TooManyRows)?)?;
            Reader::Values(reader)
        };
        let scale = if is_decimal(&descriptor) { descriptor.type_scale().max(0) } else { 0 };
        Ok(Column { reader, descriptor, levels: (max_def, max_rep), scale })
    }

    fn skip(reader: &mut ColumnReader, n: usize) -> Result<(), Found> {
        if n == 0 {
            return Ok(());
        }
        let skipped = match reader {
            ColumnReader::BoolColumnReader(r) => r.skip_records(n),
            ColumnReader::Int32ColumnReader(r) => r.skip_records(n),
            ColumnReader::Int64ColumnReader(r) => r.skip_records(n),
            ColumnReader::Int96ColumnReader(r) => r.skip_records(n),
            ColumnReader::FloatColumnReader(r) => r.skip_records(n),
            ColumnReader::DoubleColumnReader(r) => r.skip_records(n),
            ColumnReader::ByteArrayColumnReader(r) => r.skip_records(n),
            ColumnReader::FixedLenByteArrayColumnReader(r) => r.skip_records(n),
        };
        skipped.map(|_| ()).map_err(|e| found(&e))
    }

    /// Values of the next `n` records, and how many records there were.
    pub fn next(&mut self, n: usize) -> Result<(Values, usize), Found> {
        let reader = match &mut self.reader {
            Reader::Values(reader) => reader,
            Reader::Codes(by_codes) => match by_codes.next(n)? {
                Next::Rows(codes) => {
                    let n = codes.len();
                    return Ok((Values::Codes(by_codes.dictionary(), codes), n));
                }
                Next::Other(codes, pages) => {
                    let dictionary = by_codes.dictionary();
                    let mut reader = ColumnReaderImpl::new(self.descriptor.clone(), pages);
                    let (max_def, max_rep) = self.levels;
                    let rest = read(&mut reader, n - codes.len(), max_def, max_rep)?;
                    self.reader = Reader::Values(ColumnReader::ByteArrayColumnReader(reader));
                    return Ok(rest.after(&codes, &dictionary.texts, max_def));
                }
            },
        };
        Self::values(reader, n, self.levels, self.scale)
    }

    fn values(reader: &mut ColumnReader, n: usize, (def, rep): (i16, i16), scale: i32) -> Result<(Values, usize), Found> {
        let scaled = |v: i64| v as f64 / 10f64.powi(scale);
        let done = match reader {
            ColumnReader::BoolColumnReader(r) => read(r, n, def, rep)?.spread(def, rep, |v| v, |v| v.to_string(), Values::Flags),
            ColumnReader::Int32ColumnReader(r) if scale > 0 => {
                read(r, n, def, rep)?.spread(def, rep, |v| scaled(v.into()), |v| v.to_string(), Values::Floats)
            }
            ColumnReader::Int64ColumnReader(r) if scale > 0 => {
                read(r, n, def, rep)?.spread(def, rep, scaled, |v| v.to_string(), Values::Floats)
            }
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

fn read<T: DataType>(reader: &mut ColumnReaderImpl<T>, n: usize, max_def: i16, max_rep: i16) -> Result<Raw<T::T>, Found> {
    let mut raw = Raw { values: Vec::new(), defs: Vec::new(), reps: Vec::new(), n_records: 0 };
    while raw.n_records < n {
        let defs = (max_def > 0).then_some(&mut raw.defs);
        let reps = (max_rep > 0).then_some(&mut raw.reps);
        let (records, ..) = reader.read_records(n - raw.n_records, defs, reps, &mut raw.values).map_err(|e| found(&e))?;
        if records == 0 {
            break;
        }
        raw.n_records += records;
    }
    Ok(raw)
}

impl Raw<ByteArray> {
    /// The texts of `codes`, followed by the plain values.
    fn after(mut self, codes: &[u32], texts: &[ByteArray], max_def: i16) -> (Values, usize) {
        let n = codes.len() + self.n_records;
        let mut values: Vec<ByteArray> = codes.iter().filter_map(|code| texts.get(*code as usize).cloned()).collect();
        values.append(&mut self.values);
        let is_held = |row: usize| match codes.get(row) {
            Some(code) => *code != ABSENT,
            None => max_def == 0 || self.defs.get(row - codes.len()) == Some(&max_def),
        };
        (Values::Texts(Cells::spread(values, n, is_held)), n)
    }
}

impl<T> Raw<T> {
    /// One entry for each record: the value, or a list of values as text.
    fn spread<V: Default>(
        self,
        max_def: i16,
        max_rep: i16,
        value: impl Fn(T) -> V,
        text: impl Fn(&T) -> String,
        wrap: impl Fn(Cells<V>) -> Values,
    ) -> (Values, usize) {
        if max_rep > 0 {
            return (Values::Lists(self.lists(max_def, text)), self.n_records);
        }
        let n = self.n_records;
        let values = self.values.into_iter().map(value).collect();
        (wrap(Cells::spread(values, n, |row| max_def == 0 || self.defs.get(row) == Some(&max_def))), n)
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
