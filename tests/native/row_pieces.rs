//! Tables of Neuron Explorer read in pieces by several readers give the profile that one reader gives.

use crate::common::conformance;
use crate::pieces::{is_same, plan};
use axonscope::base::{InputSet, Ledger, Member};
use axonscope::formats::import::import_with;
use axonscope::formats::parallel::Plan;
use axonscope::formats::row_pieces::{RowHelpers, RowPiece, RowRange, RowReader, Turn, WaitForTurn};
use axonscope::formats::{Claim, Format, ImportError, Imported, ProgressReporter, by_id};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

enum Values {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
}

/// A Parquet file of columns whose values may be missing, in row groups of `n` rows.
fn table(columns: &[(&str, Values)], n: usize) -> Vec<u8> {
    let field = |(name, values): &(&str, Values)| match values {
        Values::Ints(_) => format!("optional int64 {name};"),
        Values::Texts(_) => format!("optional binary {name} (UTF8);"),
    };
    let schema = format!("message t {{ {} }}", columns.iter().map(field).collect::<String>());
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new())).unwrap();
    let n_rows = columns.first().map_or(0, |column| match &column.1 {
        Values::Ints(v) => v.len(),
        Values::Texts(v) => v.len(),
    });
    for from in (0..n_rows).step_by(n) {
        let rows = from..n_rows.min(from + n);
        let mut group = writer.next_row_group().unwrap();
        for (_, values) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            match values {
                Values::Ints(v) => {
                    let held: Vec<i64> = v[rows.clone()].iter().flatten().copied().collect();
                    let levels: Vec<i16> = v[rows.clone()].iter().map(|v| v.is_some().into()).collect();
                    column.typed::<Int64Type>().write_batch(&held, Some(&levels), None).unwrap();
                }
                Values::Texts(v) => {
                    let held: Vec<ByteArray> = v[rows.clone()].iter().flatten().map(|t| t.as_str().into()).collect();
                    let levels: Vec<i16> = v[rows.clone()].iter().map(|v| v.is_some().into()).collect();
                    column.typed::<ByteArrayType>().write_batch(&held, Some(&levels), None).unwrap();
                }
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// Whole numbers and texts made of a row's number; one of them in `of` is missing.
fn ints(rows: &[u64], value: impl Fn(u64) -> i64, of: u64) -> Values {
    Values::Ints(rows.iter().map(|&n| (n % of != of - 1).then(|| value(n))).collect())
}

fn texts(rows: &[u64], value: impl Fn(u64) -> String, of: u64) -> Values {
    Values::Texts(rows.iter().map(|&n| (n % of != of - 1).then(|| value(n))).collect())
}

const ALWAYS: u64 = u64::MAX;

/// A directory of a run with arrows, layers by framework operators, functions, and packets or transfers. `rows` of instructions and of
/// transfers are numbers of which their values are made, in row groups of `n`.
fn directory(rows: [&[u64]; 2], n: usize, shape: usize) -> Vec<(&'static str, Vec<u8>)> {
    let [instructions, transfers] = rows;
    let id = |n: u64| if n.is_multiple_of(11) { n as i64 * 1_000_000 - 3 } else { n as i64 % 60 };
    let instruction = [
        ("start_ts", ints(instructions, |n| n as i64 * 7 % 500, 13)),
        ("duration_ns", ints(instructions, |n| n as i64 % 9, 17)),
        ("pcore_idx", ints(instructions, |n| n as i64 % 3, 5)),
        ("engine", texts(instructions, |n| ["Tensor", "Vector", "Unknown"][n as usize % 3].into(), 7)),
        ("timeline_track", texts(instructions, |n| format!("row {}", n % 4), 3)),
        ("opcode", texts(instructions, |n| format!("OP{}", n % 6), 8)),
        ("pc", ints(instructions, |n| n as i64, 9)),
        ("hbm_read_bytes", ints(instructions, |n| n as i64 * 64, 4)),
        ("id", ints(instructions, id, 19)),
        ("raw_framework_id", ints(instructions, |n| n as i64 % 4, 6)),
        ("kernel_instruction_name", texts(instructions, |n| format!("i:{}", n % 3), 6)),
        (
            "operands",
            texts(
                instructions,
                |n| {
                    format!("S[{}]>={n} (Tensor) src=bf16@0x{}00[1,1,1][64,1,1] dst=fp32@0x1{}0[1,1,1][64,1,1] 128*64", n % 5, n % 3, n % 7)
                },
                5,
            ),
        ),
    ];
    let transfer = [
        ("start_ts", ints(transfers, |n| n as i64 * 5 % 700, 23)),
        ("end_ts", ints(transfers, |n| n as i64 * 5 % 700 + n as i64 % 4, ALWAYS)),
        ("pcore_idx", ints(transfers, |n| n as i64 % 2, 9)),
        ("engine_idx", ints(transfers, |n| n as i64 % 3, 8)),
        ("queue_idx", ints(transfers, |n| n as i64 % 4, 7)),
        ("queue_name", texts(transfers, |n| format!("q{}-E{}", n % 3, n % 5), 6)),
        ("variable", texts(transfers, |n| format!("weight {}", n % 9), 3)),
        ("transfer_bytes", ints(transfers, |n| n as i64 * 512, 10)),
        ("id", ints(transfers, id, 12)),
        ("packet_aggregation_id", ints(transfers, |n| n as i64 % 8, 4)),
        ("queue_type", texts(transfers, |n| ["Static", "Dynamic"][n as usize % 2].into(), 4)),
    ];
    let ends: Vec<u64> = (0..40).collect();
    let flows = [
        ("in_table", texts(&ends, |n| ["Instruction", "DmaPacket", "dma_block"][n as usize % 3].into(), ALWAYS)),
        ("in_id", ints(&ends, |n| n as i64 % 60, ALWAYS)),
        ("out_table", texts(&ends, |n| ["dma_packet", "instruction", "DmaBlock"][n as usize % 3].into(), ALWAYS)),
        ("out_id", ints(&ends, |n| n as i64 * 7 % 60, ALWAYS)),
        ("dependency_type", texts(&ends, |n| format!("kind {}", n % 2), 3)),
    ];
    let paths = [
        ("raw_framework_id", ints(&[0, 1, 2], |n| n as i64, ALWAYS)),
        ("framework_name", texts(&[0, 1, 2], |n| format!("Model/layer[{n}]/aten.mm"), ALWAYS)),
    ];
    let frames = [
        ("stack_frame_id", ints(&[0, 1], |n| n as i64, ALWAYS)),
        ("fully_qualified_function_name", texts(&[0, 1], |n| format!("kernel.f{n}"), ALWAYS)),
    ];
    let kernel = [
        ("kernel_instruction_name", texts(&[0, 1, 2], |n| format!("i:{n}"), ALWAYS)),
        ("stack_frame_id", ints(&[0, 1, 2], |n| n as i64 % 2, ALWAYS)),
    ];
    let queues = [
        ("pcore_idx", ints(&[0, 1], |n| n as i64, ALWAYS)),
        ("idx", ints(&[0, 1], |n| n as i64, ALWAYS)),
        ("name", texts(&[0, 1], |n| format!("queue {n}"), ALWAYS)),
        ("type", texts(&[0, 1], |_| "Static".into(), ALWAYS)),
    ];
    let mut out = vec![
        ("d/DmaQueuesInfo.parquet", table(&queues, 9)),
        ("d/Instruction.parquet", table(&instruction, n)),
        (if shape & 1 == 0 { "d/DmaPacket.parquet" } else { "d/DmaPacketAggregated.parquet" }, table(&transfer, n)),
    ];
    // A second part of the same table, and tables that rows refer to.
    out.extend((shape & 2 > 0).then(|| ("d/Instruction_1.parquet", table(&instruction, n + 1))));
    out.extend((shape & 4 > 0).then(|| ("d/Flow.parquet", table(&flows, 9))));
    out.extend((shape & 8 > 0).then(|| ("d/FrameworkInstruction.parquet", table(&paths, 9))));
    if shape & 16 > 0 {
        out.extend([("d/KernelStackFrames.parquet", table(&frames, 9)), ("d/KernelInstructions.parquet", table(&kernel, 9))]);
    }
    out
}

fn set(files: &[(&str, Vec<u8>)]) -> InputSet {
    InputSet { members: files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect() }
}

fn claim(input: &InputSet) -> Claim {
    Claim { format: "neuron_parquet".into(), members: (0..input.members.len()).collect(), recognised: String::new() }
}

fn import(input: &InputSet, plan: Plan) -> Result<Imported, ImportError> {
    import_with(input, &claim(input), &mut |_| (), plan).map(|i| i.0)
}

/// Every second piece is read by another program, and comes as bytes.
struct Workers {
    format: &'static dyn Format,
    reader: Option<Box<dyn RowReader>>,
    n_rows_min: u64,
    plan: Vec<RowRange>,
    n_added: usize,
    /// The piece that a worker stops at.
    stops_at: usize,
}

const STOPPED: &str = "A worker stopped.";

impl RowHelpers for Workers {
    fn n_rows_min(&self) -> u64 {
        self.n_rows_min
    }

    fn plan(&mut self, pieces: Vec<RowRange>) {
        self.plan = pieces;
    }

    fn turn(&mut self, piece: usize) -> WaitForTurn<'_> {
        if piece == self.stops_at {
            return Box::pin(std::future::ready(Turn::Stopped(STOPPED)));
        }
        let read = self.reader.as_mut().filter(|_| piece % 2 == 1).and_then(|reader| reader.read(&self.plan[piece]));
        let unpacked: Option<Box<dyn RowPiece>> = read.map(|read| self.format.unpacked_rows(&read.packed().unwrap()).unwrap());
        self.n_added += usize::from(unpacked.is_some());
        Box::pin(std::future::ready(unpacked.map_or(Turn::Owner, Turn::Read)))
    }

    fn spent_ms(&self) -> f64 {
        0.0
    }
}

/// As workers read it; also how many pieces were added.
fn by_workers(input: &InputSet, n_rows_min: u64, stops_at: usize) -> (Result<Imported, ImportError>, usize) {
    let format = by_id("neuron_parquet").unwrap();
    // The library panics on some damaged files: the piece is then read by the owner.
    let reader = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| format.row_reader(input))).unwrap_or(None);
    let mut workers = Workers { format, reader, n_rows_min, plan: Vec::new(), n_added: 0, stops_at };
    let members = input.members.iter().map(|m| m.name.clone()).collect();
    let (claim, mut ledger, mut report) = (claim(input), Ledger { members, ..Ledger::default() }, |_| ());
    let mut watch = ProgressReporter::new(input, &mut report);
    let importing = format.import_side_by_side(input, &claim, &mut ledger, &mut watch, &mut workers).unwrap();
    let Poll::Ready(profile) = pin!(importing).poll(&mut Context::from_waker(Waker::noop())) else { panic!("nothing waits here") };
    (profile.map(|profile| Imported { profile, ledger }), workers.n_added)
}

#[test]
fn pieces_of_long_tables_give_the_same() {
    let rows: Vec<u64> = (0..90).map(|n| n * 37 % 101).collect();
    for shape in 0..32 {
        let input = set(&directory([&rows, &rows[10..]], 4, shape));
        let whole = import(&input, Plan::SERIAL);
        assert!(whole.as_ref().unwrap().profile.slices.len() > 120);
        assert_eq!(whole.as_ref().unwrap().profile.flows.from.len() > 5, shape & 4 > 0, "{shape}");
        for n_rows in [1, 9, 30] {
            let pieces = import(&input, plan(2 + n_rows as usize % 3, 64 * n_rows));
            assert_eq!(pieces.as_ref().unwrap().ledger, whole.as_ref().unwrap().ledger, "{shape}, {n_rows}");
            is_same(&whole, pieces, &(shape, n_rows));
            let (pieces, n_added) = by_workers(&input, n_rows, usize::MAX);
            is_same(&whole, pieces, &("workers", shape, n_rows));
            // Were every piece read in order after all, the comparison would test nothing.
            assert!(n_added > 1, "{shape}, {n_rows}: {n_added} pieces were added");
        }
    }
}

#[test]
fn a_worker_that_stops_is_in_the_ledger() {
    let rows: Vec<u64> = (0..40).collect();
    let input = set(&directory([&rows, &rows], 4, 0));
    let (pieces, n_added) = by_workers(&input, 1, 3);
    assert_eq!(pieces.as_ref().unwrap().ledger.notes.iter().filter(|note| *note == STOPPED).count(), 1);
    assert!(n_added > 5);
    is_same(&import(&input, Plan::SERIAL), pieces, &"the rest");
}

#[test]
fn other_bytes_are_no_rows() {
    let (format, input) = (by_id("neuron_parquet").unwrap(), set(&directory([&[1, 2, 3], &[4]], 1, 0)));
    let range = |table: &str, file, rows| RowRange { table: table.into(), file, rows };
    let mut reader = format.row_reader(&input).unwrap();
    let mut packed = reader.read(&range("Instruction", 0, 1..2)).unwrap().packed().unwrap();
    packed.truncate(packed.len() / 2);
    assert!(format.unpacked_rows(&packed).is_none() && format.unpacked_rows(&[]).is_none() && format.unpacked_rows(&[0xff; 999]).is_none());
    for absent in [range("Instruction", 1, 0..1), range("Nothing", 0, 0..1), range("DmaQueuesInfo", 0, 0..1)] {
        assert!(reader.read(&absent).is_none(), "{absent:?}");
    }
    assert!(format.row_reader(&set(&[("d/Instruction.parquet", b"PAR1".to_vec())])).is_none());
    assert!(by_id("ntff").unwrap().row_reader(&input).is_none());
}

#[test]
fn a_real_directory_gives_the_same() {
    for codec in ["parquet-snappy", "parquet-zstd"] {
        let Some(folder) = conformance("neuron").map(|dir| dir.join("fused_attention").join(codec)) else { return };
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let member = |path: &std::path::PathBuf| Member::from_bytes(path.to_string_lossy(), std::fs::read(path).unwrap());
        let input = InputSet { members: paths.iter().map(member).collect() };
        let whole = import(&input, Plan::SERIAL);
        is_same(&whole, import(&input, plan(2, 1)), &codec);
        let (pieces, n_added) = by_workers(&input, 1, usize::MAX);
        is_same(&whole, pieces, &codec);
        assert!(n_added > 2, "{codec}: {n_added} pieces were added");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_any_directory_give_the_same(
        instructions in prop::collection::vec(0u64..200, 0..40),
        transfers in prop::collection::vec(0u64..200, 0..40),
        n_of_group in 1usize..6,
        shape in 0usize..32,
        n_rows in 1u64..12,
        n_threads in 2usize..5,
        damage in prop::option::of((0usize..3, 0.0f64..1.0, 0u8..=255)),
    ) {
        let mut files = directory([&instructions, &transfers], n_of_group, shape);
        if let Some((file, at, byte)) = damage {
            let bytes = &mut files[file].1;
            let at = (bytes.len() as f64 * at) as usize;
            bytes[at] = byte;
        }
        let input = set(&files);
        let whole = import(&input, Plan::SERIAL);
        is_same(&whole, import(&input, plan(n_threads, 64 * n_rows)), &"threads");
        // A helper in which the library panics ends, natively on a thread of its own.
        if let Ok((pieces, _)) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| by_workers(&input, n_rows, usize::MAX))) {
            is_same(&whole, pieces, &"workers");
        }
    }
}
