//! A table as a Parquet file, a row group for each part. Linked into the command line and into the worker for all formats, which have the library.

use super::{Column, Kind, Part, SCHEMA_VERSION, Table, Values, all};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// A table that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("`{table}.parquet` could not be written: {}.", why.to_string().trim_end_matches('.'))]
pub struct WriteError {
    /// Its name.
    pub table: String,
    /// The library's message.
    #[source]
    pub why: ParquetError,
}

/// A table while it is written to `W`.
pub struct TableWriter<W: Write + Send> {
    name: String,
    kinds: Vec<Kind>,
    writer: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins the file of a table. Every column may be NULL: what a profile does not record is.
    ///
    /// # Errors
    /// Where the table has two columns of a name, or nothing can be written.
    pub fn new(table: &Table, to: W) -> Result<Self, WriteError> {
        let units: Vec<String> = table.columns.iter().filter(|c| !c.unit.is_empty()).map(|c| format!("{}={}", c.name, c.unit)).collect();
        let version = all().iter().any(|t| t.name == table.name).then(|| SCHEMA_VERSION.to_string());
        let about = [("profile_schema_version", version), ("units", Some(units.join(" ")))];
        let about = about.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key.to_string(), value?))).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("axonscope ", env!("CARGO_PKG_VERSION")).into())
            .set_key_value_metadata(Some(about));
        let writer =
            schema(&table.columns).and_then(|schema| SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties.build())));
        let writer = writer.map_err(|e| failed(&table.name, e))?;
        Ok(TableWriter { name: table.name.to_string(), kinds: table.columns.iter().map(|c| c.kind).collect(), writer })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn write(&mut self, part: &Part) -> Result<(), WriteError> {
        let kinds = &self.kinds;
        let write = |writer: &mut SerializedFileWriter<W>| {
            let mut group = writer.next_row_group()?;
            for (values, kind) in part.columns.iter().zip(kinds) {
                column(&mut group, values, *kind)?;
            }
            group.close().map(|_| ())
        };
        write(&mut self.writer).map_err(|e| failed(&self.name, e))
    }

    /// Writes the footer.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(self) -> Result<W, WriteError> {
        let name = self.name;
        self.writer.into_inner().map_err(|e| failed(&name, e))
    }
}

/// The Parquet schema of nullable columns.
pub fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let column = |c: &Column| {
        let physical = match c.kind {
            Kind::Int64 => Physical::INT64,
            Kind::Int32 => Physical::INT32,
            Kind::Float => Physical::FLOAT,
            Kind::Double => Physical::DOUBLE,
            Kind::Flag => Physical::BOOLEAN,
            Kind::Text => Physical::BYTE_ARRAY,
        };
        let logical = (c.kind == Kind::Text).then_some(LogicalType::String);
        let built = Type::primitive_type_builder(&c.name, physical).with_repetition(Repetition::OPTIONAL);
        built.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build()
}

fn failed(table: &str, why: ParquetError) -> WriteError {
    WriteError { table: table.into(), why }
}

/// The values that there are, and for each row whether it has one.
fn split<V: Clone, T>(values: &[Option<V>], of: impl Fn(V) -> T) -> (Vec<T>, Vec<i16>) {
    (values.iter().flatten().cloned().map(of).collect(), values.iter().map(|v| i16::from(v.is_some())).collect())
}

/// Writes the next column of a row group.
pub fn column<W: Write + Send>(group: &mut SerializedRowGroupWriter<'_, W>, values: &Values, kind: Kind) -> Result<(), ParquetError> {
    match (values, kind) {
        (Values::Ints(v), Kind::Int32) => typed::<_, Int32Type>(group, split(v, |n| n as i32)),
        (Values::Ints(v), _) => typed::<_, Int64Type>(group, split(v, |n| n)),
        (Values::Floats(v), Kind::Float) => typed::<_, FloatType>(group, split(v, |n| n as f32)),
        (Values::Floats(v), _) => typed::<_, DoubleType>(group, split(v, |n| n)),
        (Values::Flags(v), _) => typed::<_, BoolType>(group, split(v, |n| n)),
        (Values::Texts(v), _) => typed::<_, ByteArrayType>(group, split(v, |text: String| ByteArray::from(text.into_bytes()))),
        (Values::Words(v), _) => {
            let words: Vec<ByteArray> = v.words.iter().map(|word| ByteArray::from(word.as_bytes().to_vec())).collect();
            let rows: Vec<Option<ByteArray>> = v.codes.iter().map(|code| words.get(*code as usize).cloned()).collect();
            typed::<_, ByteArrayType>(group, split(&rows, |word| word))
        }
    }
}

fn typed<W: Write + Send, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    (values, levels): (Vec<T::T>, Vec<i16>),
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}
