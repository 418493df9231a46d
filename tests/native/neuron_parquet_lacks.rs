//! Neuron Explorer directories of which something is missing or damaged: what is lost is said, and nothing else.

use crate::neuron_support::*;
use axonscope::base::{ByteSource, InputSet, Member};
use axonscope::formats::{Imported, by_id};
use axonscope::model::Cell;
use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

enum Values {
    Ints(Vec<i64>),
    Texts(Vec<String>),
    /// Thousandths.
    Decimals(Vec<i64>),
    /// The same, as bytes.
    DecimalBytes(Vec<i64>),
    Bytes(Vec<&'static [u8]>),
}
use Values::{Bytes, DecimalBytes, Decimals, Ints, Texts};

type Columns = Vec<(&'static str, Values)>;

/// A table in row groups of so many rows.
fn table(columns: &Columns, n_group: usize) -> Vec<u8> {
    let field = |(name, values): &(&str, Values)| match values {
        Ints(_) => format!("required int64 {name}; "),
        Texts(_) => format!("required binary {name} (UTF8); "),
        Decimals(_) => format!("required int64 {name} (DECIMAL(18,3)); "),
        DecimalBytes(_) => format!("required fixed_len_byte_array(8) {name} (DECIMAL(18,3)); "),
        Bytes(_) => format!("required binary {name}; "),
    };
    let fields: String = columns.iter().map(field).collect();
    let schema = Arc::new(parse_message_type(&format!("message t {{ {fields} }}")).expect("a schema"));
    let n = match &columns[0].1 {
        Ints(v) | Decimals(v) | DecimalBytes(v) => v.len(),
        Texts(v) => v.len(),
        Bytes(v) => v.len(),
    };
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).expect("a writer");
    for first in (0..n).step_by(n_group) {
        let rows = first..n.min(first + n_group);
        let mut group = writer.next_row_group().expect("a group");
        for (_, values) in columns {
            let mut c = group.next_column().expect("fits").expect("a column");
            match values {
                Ints(v) | Decimals(v) => c.typed::<Int64Type>().write_batch(&v[rows.clone()], None, None).expect("written"),
                DecimalBytes(v) => {
                    let bytes: Vec<FixedLenByteArray> =
                        v[rows.clone()].iter().map(|n| ByteArray::from(n.to_be_bytes().to_vec()).into()).collect();
                    c.typed::<FixedLenByteArrayType>().write_batch(&bytes, None, None).expect("written")
                }
                Bytes(v) => {
                    let bytes: Vec<ByteArray> = v[rows.clone()].iter().map(|b| b.to_vec().into()).collect();
                    c.typed::<ByteArrayType>().write_batch(&bytes, None, None).expect("written")
                }
                Texts(v) => {
                    let texts: Vec<ByteArray> = v[rows.clone()].iter().map(|t| t.as_str().into()).collect();
                    c.typed::<ByteArrayType>().write_batch(&texts, None, None).expect("written")
                }
            };
            c.close().expect("closed");
        }
        group.close().expect("closed");
    }
    writer.close().expect("closed");
    bytes
}

/// The name of a column in the footer is followed by its codec: here by LZO, which the library does not read.
fn packed_by_lzo(mut bytes: Vec<u8>, column: &str) -> Vec<u8> {
    let name = [column.as_bytes(), b"\x15\x00"].concat();
    let places: Vec<usize> = (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(&name)).collect();
    assert!(!places.is_empty(), "a column of the footer");
    places.into_iter().for_each(|at| bytes[at + name.len() - 1] = 6);
    bytes
}

/// Irregular moments.
fn start(i: i64) -> i64 {
    i * i * 7 + i * 4
}

fn instructions(rows: std::ops::Range<i64>) -> Columns {
    let texts = |text: &str| Texts(rows.clone().map(|_| text.to_string()).collect());
    vec![
        ("start_ts", Ints(rows.clone().map(start).collect())),
        ("duration_ns", Ints(rows.clone().map(|_| 2).collect())),
        ("pcore_idx", Ints(rows.clone().map(|i| i % 2).collect())),
        ("engine", texts("Vector")),
        ("opcode", texts("COPY")),
        ("crc_in", texts("77")),
    ]
}

const ENGINES: [&str; 5] = [
    "tensor_engine_instruction_count",
    "vector_engine_instruction_count",
    "scalar_engine_instruction_count",
    "gpsimd_engine_instruction_count",
    "sync_engine_instruction_count",
];

/// A run of 40 instructions whose tables fit each other; without the table `Instruction`.
fn others() -> Vec<Named> {
    let times = || Ints((0..40).map(start).collect());
    let usage = ["partition_0", "partition_32", "partition_64", "partition_96"];
    let mut sbuf: Columns = vec![("timestamp", times()), ("pcore_idx", Ints(vec![0; 40]))];
    let names = usage.map(|name| &*format!("{name}_util_percent").leak());
    sbuf.extend(names.map(|name| (name, Ints(vec![50; 40]))));
    let counts = ENGINES.iter().map(|name| (*name, Ints(vec![if name.starts_with("vector") { 40 } else { 0 }]))).collect();
    let metadata = vec![
        ("first_hw_timestamp", Ints(vec![0])),
        ("last_hw_timestamp", Ints(vec![start(40)])),
        ("num_physical_cores", Ints(vec![2])),
        ("tensor_engine_num_rows", Ints(vec![128])),
        ("tensor_engine_num_cols", Ints(vec![128])),
        ("tensor_engine_clock_freq", Texts(vec!["fast".into()])),
    ];
    let named = |name: &str, columns: Columns| (format!("d/{name}.parquet"), table(&columns, 1000));
    vec![named("SbufUsage", sbuf), named("Summary", counts), named("Metadata", metadata)]
}

fn run(more: &[(&str, Vec<u8>)]) -> Imported {
    let mut files = others();
    files.extend(more.iter().map(|(name, bytes)| (format!("d/{name}.parquet"), bytes.clone())));
    import_one(&files).expect("opens")
}

fn is_mixed(imported: &Imported) -> bool {
    imported.ledger.notes.iter().any(|n| n.contains("Drop the directory of one profile"))
}

#[track_caller]
fn says(notes: &[String], part: &str) {
    assert!(notes.iter().any(|n| n.contains(part)), "`{part}`: {notes:#?}");
}

#[test]
fn what_is_incomplete_is_not_of_another_run() {
    let whole = || instructions(0..40);
    assert!(!is_mixed(&run(&[("Instruction", table(&whole(), 1000))])));
    assert!(is_mixed(&run(&[("Instruction", table(&instructions(60..120), 1000))])), "another run");
    let mut texts = whole();
    texts[0].1 = Texts((0..40).map(|i| if i % 2 == 0 { start(i).to_string() } else { "soon".into() }).collect());
    let imported = run(&[("Instruction", table(&texts, 1000))]);
    assert!(!is_mixed(&imported) && imported.ledger.skipped.iter().any(|s| s.kind == "missing_value"));
    let mut timeless = whole();
    timeless.remove(0);
    assert!(!is_mixed(&run(&[("Instruction", table(&timeless, 1000))])));
    let parts = [("Instruction_0", table(&instructions(0..15), 1000)), ("Instruction_2", table(&instructions(30..40), 1000))];
    let imported = run(&parts);
    assert!(!is_mixed(&imported));
    says(&imported.ledger.notes, "`Instruction_1.parquet` of the table `Instruction` is missing");
    let rest = table(&instructions(15..40), 1000);
    let half = rest[..rest.len() / 2].to_vec();
    assert!(!is_mixed(&run(&[parts[0].clone(), ("Instruction_1", half)])));
    assert!(!is_mixed(&run(&[("Instruction", packed_by_lzo(table(&whole(), 10), "start_ts"))])));
}

#[test]
fn a_column_that_cannot_be_read_costs_that_column() {
    let bytes = table(&instructions(0..40), 10);
    for (column, lost) in [("crc_in", "the table is shown without it"), ("opcode", "busy times include waits")] {
        let imported = run(&[("Instruction", packed_by_lzo(bytes.clone(), column))]);
        let (ledger, profile) = (&imported.ledger, &imported.profile);
        let skipped: Vec<_> = ledger.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect();
        assert_eq!((profile.slices.len(), skipped), (40, vec![("broken_column", 1)]), "{:?}", ledger.skipped);
        assert_eq!(ledger.read, ledger.shown);
        says(&ledger.notes, &format!("The column `{column}` of the table `Instruction` is only partly readable"));
        says(&ledger.notes, lost);
        assert!(ledger.notes.iter().all(|n| !n.contains("rows of the table") && !n.starts_with("The table `Instruction` cannot")));
        assert!(!is_mixed(&imported));
        assert_eq!(profile.meta.not_available.iter().any(|n| n.starts_with("Waits separate from work")), column == "opcode");
        let table = profile.tables.iter().find(|t| t.id == "Instruction").expect("kept");
        let at = table.columns.iter().position(|c| c == column).expect("it is a column");
        assert!(table.rows.len() == 40 && table.rows.iter().all(|r| r[at] == Cell::Absent && r[0] != Cell::Absent));
    }
    // A column of the metadata takes no other along.
    let mut files = others();
    files[2].1 = packed_by_lzo(files[2].1.clone(), "tensor_engine_num_rows");
    let imported = import_one(&files).expect("opens");
    assert!(imported.profile.meta.facts.iter().any(|f| f.name == "Execution window"), "{:?}", imported.profile.meta.facts);
}

/// Counts the reads of a file.
struct Counted(Vec<u8>, Arc<AtomicUsize>);

impl ByteSource for Counted {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), axonscope::base::SourceError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        out.copy_from_slice(&self.0[offset as usize..offset as usize + out.len()]);
        Ok(())
    }
}

#[test]
fn rows_of_many_row_groups_take_few_reads() {
    let n_reads = Arc::new(AtomicUsize::new(0));
    let bytes = packed_by_lzo(table(&instructions(0..3000), 2), "crc_in");
    let source = Counted(bytes, Arc::clone(&n_reads));
    let input = InputSet { members: vec![Member::new("d/Instruction.parquet", Arc::new(source))] };
    let format = by_id("neuron_parquet").expect("known");
    for first in (0..3000).step_by(500) {
        let rows = format.rows(&input, "Instruction", first, 500).expect("read");
        assert_eq!(rows.len(), 500);
        assert!(rows.iter().zip(first as i64..).all(|(row, i)| row[0] == Cell::Int(start(i))));
        assert!(rows.iter().all(|row| row[5] == Cell::Text("cannot be read".into())), "not as if there were nothing");
    }
    assert!(n_reads.load(Ordering::Relaxed) < 20, "{n_reads:?} reads");
}

#[test]
fn an_empty_file_is_no_missing_table() {
    let empty: Named = ("d/Instruction.parquet".into(), Vec::new());
    assert_eq!(claims(std::slice::from_ref(&empty)), [("neuron_parquet".to_string(), vec![0])]);
    let error = import_one(&[empty]).expect_err("nothing is in it").to_string();
    assert!(error.contains("found an incomplete file"), "{error}");
    let imported = run(&[("Instruction", Vec::new())]);
    says(&imported.ledger.notes, "The table `Instruction` cannot be read: the timeline has no instructions");
    assert!(imported.ledger.skipped.iter().any(|s| s.examples.iter().any(|e| e.text.contains("found only 0 bytes"))));
    assert!(claims(&[("d/other.parquet".into(), Vec::new())]).is_empty());
}

#[test]
fn what_lacks_is_said_in_notes_and_in_the_list() {
    let mut late = instructions(20..40);
    late.retain(|(name, _)| *name != "opcode" && *name != "pcore_idx");
    let semaphores: Columns = vec![("timestamp", Ints(vec![1, 5])), ("value", Ints(vec![1, 2]))];
    let imported = run(&[
        ("Instruction_0", table(&instructions(0..20), 1000)),
        ("Instruction_1", table(&late, 1000)),
        ("SemaphoreUpdate", table(&semaphores, 1000)),
        ("Throttle", table(&vec![("timestamp", Ints(vec![1])), ("k", Ints(vec![1])), ("n", Ints(vec![2]))], 1000)),
        ("PendingDma", table(&vec![("timestamp", Ints(vec![1]))], 1000)),
    ]);
    let notes = &imported.ledger.notes;
    says(notes, "The table `Instruction` has no column `opcode` in `Instruction_1.parquet`: in these parts its rows have no names");
    says(notes, "has no column `pcore_idx` in `Instruction_1.parquet`: in these parts its cores are not distinguished");
    says(notes, "`SemaphoreUpdate` has no column `id`: its semaphores are not distinguished");
    says(notes, "`Throttle` has no column `duration`");
    says(notes, "`PendingDma` has no column `value`");
    says(notes, "Expected numbers in the column `tensor_engine_clock_freq` of the table `Metadata`, found texts");
    let lost = &imported.profile.meta.not_available;
    says(lost, "Engines by core");
    says(lost, "Waits separate from work");
    says(lost, "FLOPs utilization (MFU, HFU) and compute ceilings (the table Metadata does not record the tensor engine clock)");
    says(lost, "the table Metadata does not record the HBM bandwidth");
    assert!(lost.iter().all(|l| !l.starts_with("The duration of the run")), "{lost:?}");
    says(&run(&[]).ledger.notes, "The table `SemaphoreUpdate` is missing");
}

#[test]
fn sections_of_the_json_that_are_empty_or_missing() {
    let text = r#"{"instruction":[],"metadata":[{"first_hw_timestamp":0,"last_hw_timestamp":9,"pe_clock_freq":2.4}],"warnings":[{"message":"m","category":"c"}]}"#;
    let imported = import_one(&[("p.json".into(), text.into())]).expect("opens");
    says(&imported.ledger.notes, "The section `instruction` is empty: the timeline has no instructions");
    says(&imported.ledger.notes, "The section `dma` is missing: DMA transfers are not available.");
    says(&imported.profile.meta.not_available, "(the section metadata does not record its rows, its columns, the number of cores)");
}

#[test]
fn decimals_and_bytes_are_called_what_they_are() {
    let thousandths = || (0..40).map(|i| start(i) * 1000).collect();
    let with = |column: usize, values: Values| {
        let mut columns = instructions(0..40);
        columns[column].1 = values;
        run(&[("Instruction", table(&columns, 1000))])
    };
    let whole = with(0, Decimals(thousandths()));
    assert_eq!(whole.profile.slices.start, with(0, Ints((0..40).map(start).collect())).profile.slices.start);
    says(
        &with(0, DecimalBytes(thousandths())).ledger.notes,
        "Expected whole numbers in the column `start_ts` of the table `Instruction`, found decimals",
    );
    let bytes = with(4, Bytes(vec![&[0xff, 0xfe, 0]; 40]));
    says(&bytes.ledger.notes, "Expected texts in the column `opcode` of the table `Instruction`, found bytes: its rows have no names");
    says(&bytes.profile.meta.not_available, "Waits separate from work");
    let texts = with(4, Bytes(vec![b"COPY"; 40]));
    assert!(texts.ledger.notes.iter().all(|n| !n.contains("it holds bytes")), "text that is not called so is read");
}
