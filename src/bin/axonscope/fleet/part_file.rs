//! A part as a Parquet file: rows of all tables with one set of columns; the column `table` says which table a row is of. `docs/formats/part.md`.

use crate::convert::parquet_table;
use crate::error::Fallible;
use axonscope::engine::tables::{Column, Kind, Values};
use axonscope::model::fleet::{
    IDLE_CAUSES, N_CATEGORIES, N_CAUSES, PartAdvice, PartCollective, PartOperator, PartSkip, PartStep, RunPart, SCHEMA_VERSION, StepTimes,
    TraceMeta,
};
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::EnabledStatistics;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Columns of text, then columns of whole numbers; those of categories and causes follow.
const TEXTS: [&str; 5] = ["table", "name", "text", "shape", "group"];
const NUMBERS: [&str; 9] = ["step", "seq", "start_ns", "duration_ns", "calls", "bytes", "value", "host_self_ns", "device_self_ns"];
/// In the order of the overview's categories.
const CATEGORIES: [&str; N_CATEGORIES] =
    ["kernel_ns", "memcpy_ns", "memset_ns", "communication_ns", "runtime_ns", "data_loader_ns", "cpu_exec_ns", "other_ns"];
const N_NUMBERS: usize = NUMBERS.len() + N_CATEGORIES + N_CAUSES;
/// Rows of a file that is read: a part has limits of its own, far below.
const ROWS_MAX: i64 = 4_000_000;

/// Bytes of a file that is read: likewise.
const BYTES_MAX: u64 = 1 << 30;

const ID: &str = "axonscope_part_id";
const NAME: &str = "axonscope_part_name";
const VERSION: &str = "axonscope_part_version";

fn columns() -> Vec<Column> {
    let text = TEXTS.iter().map(|name| Column { name: (*name).into(), kind: Kind::Text, unit: "".into() });
    let number = |name: String| Column { unit: if name.ends_with("_ns") { "ns" } else { "" }.into(), name: name.into(), kind: Kind::Int64 };
    let causes = IDLE_CAUSES.iter().map(|cause| format!("idle_{cause}_ns"));
    let numbers = NUMBERS.iter().chain(&CATEGORIES).map(|name| (*name).to_string()).chain(causes).map(number);
    text.chain(numbers).collect()
}

/// One row of any table.
#[derive(Debug, Clone, Default)]
struct Row {
    texts: [Option<String>; TEXTS.len()],
    numbers: [Option<i64>; N_NUMBERS],
}

impl Row {
    fn new(table: &str, name: &str) -> Row {
        let mut row = Row::default();
        (row.texts[0], row.texts[1]) = (Some(table.into()), Some(name.into()));
        row
    }

    fn text(mut self, column: &str, value: &str) -> Row {
        if let Some(at) = TEXTS.iter().position(|t| *t == column) {
            self.texts[at] = Some(value.into());
        }
        self
    }

    fn number(mut self, column: &str, value: Option<i64>) -> Row {
        if let Some(at) = NUMBERS.iter().position(|t| *t == column) {
            self.numbers[at] = value;
        }
        self
    }

    fn get(&self, column: &str) -> &str {
        TEXTS.iter().position(|t| *t == column).and_then(|at| self.texts[at].as_deref()).unwrap_or_default()
    }

    fn int(&self, column: &str) -> Option<i64> {
        NUMBERS.iter().position(|t| *t == column).and_then(|at| self.numbers[at])
    }

    /// A time or count, which is never negative.
    fn amount(&self, column: &str) -> i64 {
        self.int(column).unwrap_or(0).max(0)
    }
}

fn signed(n: u64) -> Option<i64> {
    i64::try_from(n).ok()
}

fn rows(part: &RunPart) -> Vec<Row> {
    let m = &part.meta;
    let texts = [("host", &m.host), ("name", &m.name), ("run", &m.run), ("device", &m.device)];
    let mut out: Vec<Row> = texts.iter().map(|(name, text)| Row::new("meta", name).text("text", text)).collect();
    out.push(Row::new("meta", "id").text("text", &format!("{:016x}", m.id)));
    out.push(Row::new("meta", "devices").text("text", &m.devices.iter().map(u32::to_string).collect::<Vec<_>>().join(",")));
    let numbers = [
        ("rank", m.rank.map(i64::from)),
        ("n_ranks", m.n_ranks.map(i64::from)),
        ("origin_epoch_ns", m.origin_epoch_ns),
        ("start_ns", Some(m.start_ns)),
        ("end_ns", Some(m.end_ns)),
        ("memory_peak", m.memory_peak.and_then(signed)),
        ("n_read", signed(m.n_read)),
        ("n_shown", signed(m.n_shown)),
        ("n_concerns", signed(m.n_concerns)),
        ("n_unnumbered", signed(m.n_unnumbered)),
        ("n_left_out", signed(m.n_left_out)),
    ];
    out.extend(numbers.iter().filter(|n| n.1.is_some()).map(|(name, value)| Row::new("meta", name).number("value", *value)));
    for step in &part.steps {
        let mut row = Row::new("step", "").number("step", Some(step.number.into())).number("start_ns", Some(step.start_ns));
        row = row.number("duration_ns", Some(step.times.total));
        let times = step.times.categories.iter().chain(&step.times.idle);
        row.numbers[NUMBERS.len()..].iter_mut().zip(times).for_each(|(cell, time)| *cell = Some(*time));
        out.push(row);
    }
    let work = |table: &'static str| {
        move |o: &PartOperator| {
            let row = Row::new(table, &o.name).text("shape", &o.shape).number("calls", signed(o.calls));
            row.number("host_self_ns", Some(o.host_self)).number("device_self_ns", Some(o.device_self))
        }
    };
    out.extend(part.operators.iter().map(work("operator")));
    out.extend(part.kernels.iter().map(work("kernel")));
    out.extend(part.collectives.iter().map(|c| {
        let row = Row::new("collective", &c.op).text("group", &c.group).number("seq", Some(c.seq.into()));
        let row = row.number("bytes", c.bytes.and_then(signed)).number("step", c.step.map(i64::from));
        row.number("start_ns", Some(c.start_ns)).number("duration_ns", Some(c.duration_ns))
    }));
    out.extend(part.advice.iter().map(|a| Row::new("advice", &a.id).text("text", &a.title).number("duration_ns", a.cost_ns)));
    out.extend(
        part.skipped
            .iter()
            .map(|s| Row::new("ledger", &s.kind).text("text", &s.reason).text("group", &s.severity).number("value", signed(s.count))),
    );
    out
}

/// The file of a part.
pub fn encode(part: &RunPart) -> Fallible<Vec<u8>> {
    let written = || -> Result<Vec<u8>, ParquetError> {
        let columns = columns();
        let about = [(VERSION, SCHEMA_VERSION.to_string()), (ID, format!("{:016x}", part.meta.id)), (NAME, part.meta.name.clone())];
        let properties = WriterProperties::builder()
            // Zstandard asks the processor what it can for each column of each file, which a virtual machine answers slowly: 80% of a merge.
            .set_compression(Compression::SNAPPY)
            // Nobody skips pages of a file this small, and they would be half of its footer.
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("axonscope ", env!("CARGO_PKG_VERSION")).into())
            .set_key_value_metadata(Some(about.map(|(key, value)| KeyValue::new(key.to_string(), value)).to_vec()));
        let schema = Arc::new(parquet_table::schema(&columns)?);
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))?;
        let mut group = writer.next_row_group()?;
        let rows = rows(part);
        for (at, column) in columns.iter().enumerate() {
            let values = match at.checked_sub(TEXTS.len()) {
                None => Values::Texts(rows.iter().map(|row| row.texts[at].clone()).collect()),
                Some(at) => Values::Ints(rows.iter().map(|row| row.numbers[at]).collect()),
            };
            parquet_table::column(&mut group, &values, column.kind)?;
        }
        group.close()?;
        writer.into_inner()
    };
    written().map_err(|e| format!("`{}`: the part could not be written: {e}.", part.meta.name).into())
}

/// A part is small: it is read at once, which takes a tenth of the calls to the system.
type Reader = SerializedFileReader<Bytes>;

fn open(path: &Path) -> Fallible<Reader> {
    let shown = path.display();
    let unread = |e: std::io::Error| format!("`{shown}` could not be read: {e}.");
    let file = File::open(path).map_err(unread)?;
    let n_bytes = file.metadata().map_err(unread)?.len();
    if n_bytes > BYTES_MAX {
        return Err(format!("`{shown}`: expected a part of at most {BYTES_MAX} bytes, found {n_bytes}.").into());
    }
    let mut bytes = Vec::with_capacity(n_bytes as usize);
    file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(unread)?;
    let broken = |e: ParquetError| format!("`{shown}`: expected a part, found a Parquet file that cannot be read: {e}.");
    Ok(SerializedFileReader::new(Bytes::from(bytes)).map_err(broken)?)
}

fn stated<'a>(reader: &'a Reader, key: &str) -> Option<&'a str> {
    let about = reader.metadata().file_metadata().key_value_metadata()?;
    about.iter().find(|kv| kv.key == key)?.value.as_deref()
}

/// Content hash and name of the trace, from the footer alone. Refuses other versions.
pub fn id(path: &Path) -> Fallible<(u64, String)> {
    about(&open(path)?, path)
}

fn about(reader: &Reader, path: &Path) -> Fallible<(u64, String)> {
    let shown = path.display();
    match stated(reader, VERSION) {
        None => return Err(format!("`{shown}`: expected a part of `axonscope part`, found another Parquet file.").into()),
        Some(version) if version != SCHEMA_VERSION.to_string() => {
            return Err(format!(
                "`{shown}`: expected version {SCHEMA_VERSION} of a part, found version {version}. Write the part again with this version of axonscope."
            ).into());
        }
        Some(_) => (),
    }
    let id = stated(reader, ID).and_then(|id| u64::from_str_radix(id, 16).ok());
    let id = id.ok_or_else(|| format!("`{shown}`: expected the content hash of the trace, found none."))?;
    Ok((id, stated(reader, NAME).unwrap_or_default().into()))
}

/// Reads a part.
pub fn read(path: &Path) -> Fallible<RunPart> {
    let reader = open(path)?;
    let (id, _) = about(&reader, path)?;
    let broken = |e: ParquetError| format!("`{}`: the part is damaged: {e}.", path.display());
    let mut rows: Vec<Row> = Vec::new();
    let n_rows = reader.metadata().file_metadata().num_rows();
    if !(0..=ROWS_MAX).contains(&n_rows) {
        return Err(format!("`{}`: expected at most {ROWS_MAX} rows of a part, found {n_rows}.", path.display()).into());
    }
    for group in 0..reader.metadata().num_row_groups() {
        rows.extend(row_group(&reader, group).map_err(broken)?);
    }
    Ok(part(id, &rows))
}

fn row_group(reader: &Reader, group: usize) -> Result<Vec<Row>, ParquetError> {
    let wanted = columns();
    let group = reader.get_row_group(group)?;
    let n = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut rows: Vec<Row> = vec![Row::default(); n.min(ROWS_MAX as usize)];
    let schema = group.metadata().schema_descr_ptr();
    for (leaf, column) in schema.columns().iter().enumerate() {
        let Some(at) = wanted.iter().position(|w| w.name == column.name()) else { continue };
        match (group.get_column_reader(leaf)?, at.checked_sub(TEXTS.len())) {
            (ColumnReader::ByteArrayColumnReader(mut reader), None) => {
                let (mut values, mut levels) = (Vec::new(), Vec::new());
                reader.read_records(n, Some(&mut levels), None, &mut values)?;
                let mut values = values.into_iter();
                for (row, _) in rows.iter_mut().zip(levels).filter(|(_, level)| *level > 0) {
                    row.texts[at] = values.next().map(|v| String::from_utf8_lossy(v.data()).into_owned());
                }
            }
            (ColumnReader::Int64ColumnReader(mut reader), Some(at)) => {
                let (mut values, mut levels) = (Vec::new(), Vec::new());
                reader.read_records(n, Some(&mut levels), None, &mut values)?;
                let mut values = values.into_iter();
                for (row, _) in rows.iter_mut().zip(levels).filter(|(_, level)| *level > 0) {
                    row.numbers[at] = values.next();
                }
            }
            _ => return Err(ParquetError::General(format!("column `{}` has another type than a part's", column.name()))),
        }
    }
    Ok(rows)
}

fn part(id: u64, rows: &[Row]) -> RunPart {
    let mut out = RunPart { meta: TraceMeta { id, ..TraceMeta::default() }, ..RunPart::default() };
    let small = |n: Option<i64>| n.and_then(|n| u32::try_from(n).ok());
    let large = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok());
    for row in rows {
        match row.get("table") {
            "meta" => meta(&mut out.meta, row),
            "step" => {
                let mut times = StepTimes { total: row.amount("duration_ns"), ..StepTimes::default() };
                let own = row.numbers[NUMBERS.len()..].iter().map(|n| n.unwrap_or(0).max(0));
                times.categories.iter_mut().chain(&mut times.idle).zip(own).for_each(|(cell, time)| *cell = time);
                out.steps.push(PartStep { number: small(row.int("step")).unwrap_or(0), start_ns: row.int("start_ns").unwrap_or(0), times });
            }
            table @ ("operator" | "kernel") => {
                let list = if table == "operator" { &mut out.operators } else { &mut out.kernels };
                list.push(PartOperator {
                    name: row.get("name").into(),
                    shape: row.get("shape").into(),
                    calls: large(row.int("calls")).unwrap_or(0),
                    host_self: row.amount("host_self_ns"),
                    device_self: row.amount("device_self_ns"),
                });
            }
            "collective" => out.collectives.push(PartCollective {
                group: row.get("group").into(),
                op: row.get("name").into(),
                seq: small(row.int("seq")).unwrap_or(0),
                bytes: large(row.int("bytes")),
                step: small(row.int("step")),
                start_ns: row.int("start_ns").unwrap_or(0),
                duration_ns: row.amount("duration_ns"),
            }),
            "advice" => {
                out.advice.push(PartAdvice { id: row.get("name").into(), title: row.get("text").into(), cost_ns: row.int("duration_ns") });
            }
            "ledger" => out.skipped.push(PartSkip {
                kind: row.get("name").into(),
                severity: row.get("group").into(),
                reason: row.get("text").into(),
                count: large(row.int("value")).unwrap_or(0),
            }),
            _ => (),
        }
    }
    out
}

fn meta(meta: &mut TraceMeta, row: &Row) {
    let (text, value) = (row.get("text"), row.int("value"));
    let count = value.and_then(|n| u64::try_from(n).ok());
    match row.get("name") {
        "host" => meta.host = text.into(),
        "name" => meta.name = text.into(),
        "run" => meta.run = text.into(),
        "device" => meta.device = text.into(),
        "devices" => meta.devices = text.split(',').filter_map(|d| d.parse().ok()).collect(),
        "rank" => meta.rank = value.and_then(|n| u32::try_from(n).ok()),
        "n_ranks" => meta.n_ranks = value.and_then(|n| u32::try_from(n).ok()),
        "origin_epoch_ns" => meta.origin_epoch_ns = value,
        "start_ns" => meta.start_ns = value.unwrap_or(0),
        "end_ns" => meta.end_ns = value.unwrap_or(0),
        "memory_peak" => meta.memory_peak = count,
        "n_read" => meta.n_read = count.unwrap_or(0),
        "n_shown" => meta.n_shown = count.unwrap_or(0),
        "n_concerns" => meta.n_concerns = count.unwrap_or(0),
        "n_unnumbered" => meta.n_unnumbered = count.unwrap_or(0),
        "n_left_out" => meta.n_left_out = count.unwrap_or(0),
        _ => (),
    }
}
