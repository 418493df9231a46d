//! One Parquet file of a table, a row group for each part.

use axonscope::engine::tables::{Column, Kind, Part, SCHEMA_VERSION, Table, Values};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table while it is written.
pub struct TableFile {
    name: String,
    path: PathBuf,
    kinds: Vec<Kind>,
    writer: SerializedFileWriter<BufWriter<File>>,
}

impl TableFile {
    /// `NAME.parquet` in a directory. Every column may be NULL: what a profile does not record is.
    pub fn create(directory: &Path, table: &Table) -> Result<TableFile, String> {
        let path = directory.join(format!("{}.parquet", table.name));
        let file = File::create(&path).map_err(|e| failed(&path, &e.to_string()))?;
        let schema = schema(&table.columns);
        let units: Vec<String> = table.columns.iter().filter(|c| !c.unit.is_empty()).map(|c| format!("{}={}", c.name, c.unit)).collect();
        let version = axonscope::engine::tables::all().iter().any(|t| t.name == table.name).then(|| SCHEMA_VERSION.to_string());
        let about = [("profile_schema_version", version), ("units", Some(units.join(" ")))];
        let about = about.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key.to_string(), value?))).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("axonscope ", env!("CARGO_PKG_VERSION")).into())
            .set_key_value_metadata(Some(about));
        let writer =
            schema.and_then(|schema| SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), Arc::new(properties.build())));
        let writer = writer.map_err(|e| failed(&path, &e.to_string()))?;
        Ok(TableFile { name: table.name.to_string(), path, kinds: table.columns.iter().map(|c| c.kind).collect(), writer })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds rows.
    pub fn write(&mut self, part: &Part) -> Result<(), String> {
        let kinds = &self.kinds;
        let write = |writer: &mut SerializedFileWriter<BufWriter<File>>| {
            let mut group = writer.next_row_group()?;
            for (values, kind) in part.columns.iter().zip(kinds) {
                column(&mut group, values, *kind)?;
            }
            group.close().map(|_| ())
        };
        write(&mut self.writer).map_err(|e| failed(&self.path, &e.to_string()))
    }

    /// Writes the footer, and makes sure that all of it has reached the disk.
    pub fn finish(self) -> Result<(), String> {
        let path = self.path;
        let file = self.writer.into_inner().map_err(|e| failed(&path, &e.to_string()))?;
        let file = file.into_inner().map_err(|e| failed(&path, &e.to_string()))?;
        file.sync_all().map_err(|e| failed(&path, &e.to_string()))
    }
}

/// The Parquet schema of columns, each of which may be NULL.
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

fn failed(path: &Path, why: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("`{name}` could not be written: {}.", why.trim_end_matches('.'))
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
            let words: Vec<Option<ByteArray>> = v.iter().map(|word| word.map(|word| ByteArray::from(word.as_bytes().to_vec()))).collect();
            typed::<_, ByteArrayType>(group, split(&words, |word| word))
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
