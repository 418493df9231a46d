//! The rows as tables of Neuron Explorer, snappy, in row groups of 200,000.

use super::rows::{Size, instructions, transfers};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::{File, create_dir_all};
use std::path::Path;
use std::sync::Arc;

const GROUP: usize = 200_000;

enum Values {
    Numbers(Vec<i64>),
    Texts(Vec<ByteArray>),
}

/// A table being written.
struct Table {
    writer: SerializedFileWriter<File>,
    columns: Vec<Values>,
    n: usize,
}

impl Table {
    /// `columns`: name, and whether it holds text.
    fn new(directory: &Path, name: &str, columns: &[(&str, bool)]) -> Result<Table, String> {
        let field = |(name, is_text): &(&str, bool)| {
            if *is_text { format!("required binary {name} (UTF8);") } else { format!("required int64 {name};") }
        };
        let schema = format!("message table {{ {} }}", columns.iter().map(field).collect::<String>());
        let schema = Arc::new(parse_message_type(&schema).map_err(words)?);
        let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
        let file = File::create(directory.join(format!("{name}.parquet"))).map_err(|e| e.to_string())?;
        let writer = SerializedFileWriter::new(file, schema, properties).map_err(words)?;
        let columns = columns.iter().map(|c| if c.1 { Values::Texts(Vec::new()) } else { Values::Numbers(Vec::new()) });
        Ok(Table { writer, columns: columns.collect(), n: 0 })
    }

    fn row(&mut self, numbers: &[u64], texts: &[&str]) -> Result<(), String> {
        let (mut numbers, mut texts) = (numbers.iter(), texts.iter());
        for column in &mut self.columns {
            match column {
                Values::Numbers(v) => v.push(numbers.next().map_or(0, |n| *n as i64)),
                Values::Texts(v) => v.push(ByteArray::from(texts.next().copied().unwrap_or_default())),
            }
        }
        self.n += 1;
        if self.n == GROUP { self.flush().map_err(words) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut writer), Some(values)) = (group.next_column()?, columns.next()) {
            match values {
                Values::Numbers(v) => drop(writer.typed::<Int64Type>().write_batch(v, None, None)?),
                Values::Texts(v) => drop(writer.typed::<ByteArrayType>().write_batch(v, None, None)?),
            }
            match values {
                Values::Numbers(v) => v.clear(),
                Values::Texts(v) => v.clear(),
            }
            writer.close()?;
        }
        group.close()?;
        self.n = 0;
        Ok(())
    }

    fn close(mut self) -> Result<(), String> {
        if self.n > 0 {
            self.flush().map_err(words)?;
        }
        self.writer.close().map(|_| ()).map_err(words)
    }
}

fn words(error: ParquetError) -> String {
    error.to_string()
}

const INSTRUCTION: [(&str, bool); 16] = [
    ("start_ts", false),
    ("end_ts", false),
    ("duration_ns", false),
    ("pcore_idx", false),
    ("pc", false),
    ("evt_wait_time_ns", false),
    ("id", false),
    ("elements", false),
    ("engine", true),
    ("timeline_track", true),
    ("opcode", true),
    ("tensor_instruction_type", true),
    ("layer", true),
    ("hlo_name", true),
    ("nki_source_location", true),
    ("bir_instruction_name", true),
];

const TRANSFER: [(&str, bool); 9] = [
    ("start_ts", false),
    ("end_ts", false),
    ("duration_ns", false),
    ("pcore_idx", false),
    ("engine_idx", false),
    ("queue_idx", false),
    ("transfer_bytes", false),
    ("id", false),
    ("variable", true),
];

/// Writes the directory.
pub fn write(path: &str, size: Size) -> std::io::Result<()> {
    let directory = Path::new(path);
    create_dir_all(directory)?;
    tables(directory, size).map_err(std::io::Error::other)
}

fn tables(directory: &Path, size: Size) -> Result<(), String> {
    let mut metadata =
        Table::new(directory, "Metadata", &[("first_hw_timestamp", false), ("last_hw_timestamp", false), ("num_physical_cores", false)])?;
    metadata.row(&[0, size.n_instructions * 20, 2], &[])?;
    metadata.close()?;
    let mut table = Table::new(directory, "Instruction", &INSTRUCTION)?;
    instructions(size, |i| {
        let numbers = [i.start, i.start + i.duration, i.duration, i.core, i.pc, i.wait, i.id, i.elements];
        let (layer, hlo) = (format!("model/layer{}/attention", i.layer), format!("dot.{}", i.layer));
        let (line, bir) = (format!("kernel.py:{}", i.line), format!("I-{}-0", i.pc));
        table.row(&numbers, &[i.engine, i.label, i.opcode, i.kind, &layer, &hlo, &line, &bir])
    })?;
    table.close()?;
    let mut table = Table::new(directory, "DmaPacket", &TRANSFER)?;
    transfers(size, |t| {
        let numbers = [t.start, t.start + t.duration, t.duration, t.core, t.engine, t.queue, t.bytes, t.id];
        table.row(&numbers, &[&format!("tensor_{}", t.variable)])
    })?;
    table.close()
}
