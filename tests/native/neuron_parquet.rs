//! Neuron Explorer directories: the same run as its JSON gives the same profile; damaged tables do not hurt.

use crate::neuron_support::*;
use axonscope::base::{EventId, InstantId, SliceId, TimeNs};
use axonscope::engine::Session;
use axonscope::engine::query::{DetailsQuery, FindQuery, TableHelpQuery, TableQuery};
use axonscope::formats::import;
use axonscope::model::{Domain, Profile};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

fn directory(run: &str, codec: &str) -> Option<Vec<Named>> {
    let folder = conformance()?.join(run).join(codec);
    let files = std::fs::read_dir(folder).expect("the conformance data are whole").map(|e| e.expect("an entry"));
    let named = |e: std::fs::DirEntry| {
        let name = format!("{codec}/{}", e.file_name().to_string_lossy());
        (name, std::fs::read(e.path()).expect("readable"))
    };
    let mut files: Vec<Named> = files.map(named).collect();
    files.sort();
    Some(files)
}

/// Everything a user sees on the timeline, as text.
fn picture(p: &Profile) -> Vec<String> {
    let Domain::NeuronDevice(domain) = &p.domain else {
        panic!("a Neuron profile has a Neuron domain");
    };
    let mut out = Vec::new();
    for i in 0..p.slices.len() {
        let slice = SliceId(i as u32);
        let path = p.track_path(p.track_of(slice).expect("every slice has a track"));
        let attributes: Vec<&str> = p.attributes.iter().map(|a| p.strings.get(a.values[i])).collect();
        let numbers = (domain.pc[i], domain.bytes[i], domain.wait_ns[i], domain.elements[i], domain.sbuf_bytes[i]);
        out.push(format!("{path}: {} {}+{} {numbers:?} {attributes:?}", p.name_of(slice), p.slices.start[i], p.slices.duration[i]));
    }
    for i in 0..p.instants.time.len() {
        out.push(format!("{}: {} {}", p.track_path(p.instants.track[i]), p.strings.get(p.instants.name[i]), p.instants.time[i]));
    }
    for c in &p.counters {
        // The tables hold single precision.
        let rounded = |v: &f64| format!("{v:.4e}");
        let series: Vec<Vec<String>> = c.series.iter().map(|s| s.values.iter().map(rounded).collect()).collect();
        out.push(format!("{} {}: {:?} {series:?}", p.track_path(c.track), c.unit, c.times));
    }
    out.sort();
    out
}

#[test]
fn the_directory_gives_the_timeline_of_the_json() {
    for codec in ["parquet-snappy", "parquet-zstd"] {
        let Some(files) = directory("fused_attention", codec) else {
            return;
        };
        let tables = import_one(&files).expect("the directory opens");
        assert_eq!(tables.profile.check(), Ok(()));
        assert!(tables.ledger.skipped.is_empty(), "{:?}", tables.ledger.skipped);
        let folder = conformance().expect("it was there");
        let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens");
        let (a, b) = (picture(&tables.profile), picture(&json.profile));
        let only = |a: &[String], b: &[String]| a.iter().filter(|row| !b.contains(row)).take(3).cloned().collect::<Vec<_>>();
        // What the tables of this run do not hold: HBM throughput.
        let b: Vec<String> = b.into_iter().filter(|row| !row.contains("HBM Throughput")).collect();
        assert_eq!((only(&a, &b), only(&b, &a)), (vec![], vec![]), "{codec}");
        assert_eq!(a.len(), b.len());
    }
}

#[test]
fn rows_come_from_the_file_when_asked_for() {
    let Some(files) = directory("fused_attention", "parquet-zstd") else {
        return;
    };
    let (claim, outcome) = import::import(&set(&files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    let session = Session::new(claim, input, imported);
    let matmul =
        (0..session.profile.slices.len() as u32).map(SliceId).find(|s| session.profile.name_of(*s) == "MATMUL").expect("there is one");
    let details = session.ask(&DetailsQuery { item: matmul.into() }).expect("details");
    let field = |key: &str| details.fields.iter().find(|f| f.key == key).map(|f| (f.value.clone(), f.unit.clone()));
    assert_eq!(field("start_ts"), Some((details.start.0.to_string(), "ns".into())));
    assert_eq!(field("opcode"), Some(("MATMUL".into(), String::new())));
    assert!(details.fields.iter().any(|f| !f.help.is_empty()), "the schema explains the fields");
    let instant = InstantId(7);
    let details = session.ask(&DetailsQuery { item: instant.into() }).expect("details of an instant");
    let value = |key: &str| details.fields.iter().find(|f| f.key == key).map(|f| f.value.clone()).unwrap_or_default();
    let (time, name) = (session.profile.instants.time[7], session.profile.strings.get(session.profile.instants.name[7]));
    assert_eq!((details.start, details.name.as_str(), value("timestamp")), (TimeNs(time), name, time.to_string()));
    assert!(name.ends_with(&format!("= {}", value("value"))), "{name}");
    let found = session.ask(&FindQuery { track: details.track.clone(), time: details.start, name: details.name.clone(), is_instant: true });
    let Ok(Some(EventId::Instant(found))) = found else { panic!("found as a link names it") };
    assert_eq!(session.profile.instants.time[found.index()], time);
    assert!(session.ask(&DetailsQuery { item: InstantId(u32::MAX).into() }).is_err());
    let part = session.ask(&TableQuery { id: "Instruction".into(), first: 300, n: 100 }).expect("a table");
    assert_eq!((part.n_total, part.rows.len()), (442, 100));
}

/// A table of (start_ts, duration_ns, engine) in row groups of 2.
fn small_table(message: &str, rows: &[(i64, i64, &str)]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(message).expect("a schema"));
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).expect("a writer");
    for rows in rows.chunks(2) {
        let mut group = writer.next_row_group().expect("a group");
        for column in 0..3 {
            let mut c = group.next_column().expect("fits").expect("three columns");
            let numbers = |at: usize| rows.iter().map(|r| if at == 0 { r.0 } else { r.1 }).collect::<Vec<_>>();
            if column < 2 {
                c.typed::<Int64Type>().write_batch(&numbers(column), None, None).expect("written");
            } else {
                let texts: Vec<ByteArray> = rows.iter().map(|r| r.2.into()).collect();
                c.typed::<ByteArrayType>().write_batch(&texts, None, None).expect("written");
            }
            c.close().expect("closed");
        }
        group.close().expect("closed");
    }
    writer.close().expect("closed");
    bytes
}

const PLAIN: &str = "message t { required int64 start_ts; required int64 duration_ns; required binary engine (UTF8); }";

#[test]
fn split_tables_are_one() {
    let rows: Vec<(i64, i64, &str)> = (0..7).map(|i| (i * 10, 5, "Tensor")).collect();
    let late: Vec<(i64, i64, &str)> = (7..10).map(|i| (i * 10, 5, "Vector")).collect();
    let files =
        [("d/Instruction_0.parquet".into(), small_table(PLAIN, &rows)), ("d/Instruction_1.parquet".into(), small_table(PLAIN, &late))];
    let imported = import_one(&files).expect("opens");
    assert_eq!((imported.profile.slices.len(), imported.ledger.read, imported.ledger.shown), (10, 10, 10));
    assert_eq!(imported.profile.tables[0].rows.len(), 10);
}

#[test]
fn what_is_wrong_is_said() {
    let good = small_table(PLAIN, &[(1, 2, "Tensor"), (5, 1, "Tensor")]);
    // Half-written, beside a whole one.
    let half = good[..good.len() / 2].to_vec();
    let files = [("d/Instruction.parquet".into(), good.clone()), ("d/DmaPacket.parquet".into(), half.clone())];
    let imported = import_one(&files).expect("the rest opens");
    assert_eq!((imported.profile.slices.len(), imported.ledger.skipped.len()), (2, 1));
    assert!(imported.ledger.skipped[0].reason.contains("incomplete or damaged"));
    let error = import_one(&[("d/Instruction.parquet".into(), half)]).expect_err("nothing is left");
    assert!(error.to_string().contains("an incomplete file"), "{error}");
    // A duration of another type; no start at all.
    let wrong =
        small_table("message t { required int64 when; required int64 duration_ns; required binary engine (UTF8); }", &[(1, 2, "Tensor")]);
    let imported = import_one(&[("d/Instruction.parquet".into(), wrong)]).expect("opens as tables");
    assert_eq!(imported.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect::<Vec<_>>(), [("missing_value", 1)]);
    let said = |part: &str| imported.ledger.notes.iter().any(|n| n.contains(part));
    assert!(said("`Instruction` has no column `start_ts`: its rows are not on the timeline") && !said("`end_ts` or"));
    assert!(said("`Summary`") && said("`DmaPacket`"), "{:?}", imported.ledger.notes);
    // Two profiles in one heap.
    let files = [("a.parquet/Instruction.parquet".into(), good.clone()), ("b/Instruction.parquet".into(), good.clone())];
    assert_eq!(claims(&files).len(), 2, "two directories are two profiles");
    let files = [("Instruction.parquet".into(), good.clone()), ("Instruction.parquet".into(), good)];
    let error = import_one(&files).expect_err("a mixture");
    assert!(error.to_string().contains("one profile at a time"), "{error}");
}

#[test]
fn arrows_are_of_the_kind_that_their_row_tells() {
    let instructions = text_table(
        &["id", "start_ts", "duration_ns", "engine"],
        &[&["1", "0", "5", "Tensor"], &["2", "10", "5", "Tensor"], &["3", "20", "5", "Vector"]],
    );
    let columns = ["in_table", "in_id", "out_table", "out_id", "dependency_type"];
    // The schema's own example writes the table's name small.
    let rows: [&[&str]; 3] = [
        &["instruction", "1", "Instruction", "2", "ANTI_DEPENDENCE"],
        &["instruction", "2", "instruction", "3", ""],
        &["instruction", "2", "dma_queue", "3", ""],
    ];
    let files = [("d/Instruction.parquet".into(), instructions), ("d/Flow.parquet".into(), text_table(&columns, &rows))];
    let imported = import_one(&files).expect("opens");
    let flows = &imported.profile.flows;
    let kinds: Vec<&str> = flows.kind.iter().map(|kind| imported.profile.strings.get(*kind)).collect();
    assert_eq!(kinds, ["ANTI_DEPENDENCE", "FLOW"]);
    assert!(imported.ledger.skipped.iter().any(|s| s.kind == "flow_without_row" && s.count == 1));
}

#[test]
fn damaged_tables_never_hurt() {
    let rows: Vec<(i64, i64, &str)> = (0..200).map(|i| (i * 10, 5, "Tensor")).collect();
    let table: Named = ("d/Instruction.parquet".into(), small_table(PLAIN, &rows));
    let mut random = Random(7);
    for _ in 0..400 {
        try_import(&[mutated(&table, usize::MAX, &mut random)]);
    }
}

/// A table whose columns are all texts.
pub fn text_table(columns: &[&str], rows: &[&[&str]]) -> Vec<u8> {
    let fields: String = columns.iter().map(|c| format!("required binary {c} (UTF8); ")).collect();
    let schema = Arc::new(parse_message_type(&format!("message t {{ {fields} }}")).expect("a schema"));
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    for at in 0..columns.len() {
        let mut c = group.next_column().expect("fits").expect("a column");
        let values: Vec<ByteArray> = rows.iter().map(|r| ByteArray::from(r[at])).collect();
        c.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
        c.close().expect("closed");
    }
    group.close().expect("closed");
    writer.close().expect("closed");
    bytes
}

#[test]
fn columns_of_another_type_are_reported() {
    let wrong = text_table(&["start_ts", "duration_ns", "engine"], &[&["soon", "long", "Tensor"], &["later", "short", "Tensor"]]);
    let imported = import_one(&[("d/Instruction.parquet".into(), wrong)]).expect("opens as a table");
    let skipped: Vec<_> = imported.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect();
    assert_eq!((imported.profile.slices.len(), skipped), (0, vec![("missing_value", 2)]));
    assert_eq!(imported.profile.tables[0].rows.len(), 2, "they are still to be read as they stand");
}

#[test]
fn ten_thousand_row_groups_open() {
    let rows: Vec<(i64, i64, &str)> = (0..20_000).map(|i| (i * 10, 5, "Tensor")).collect();
    let imported = import_one(&[("d/Instruction.parquet".into(), small_table(PLAIN, &rows))]).expect("opens");
    assert_eq!((imported.profile.slices.len(), imported.ledger.skipped.len()), (20_000, 0));
}

/// Row groups are read several at a time: one that the file does not hold must not take those before it along.
#[test]
fn row_groups_before_a_missing_one_are_shown() {
    let long: Vec<String> = (0..8u8).map(|i| char::from(b'a' + i).to_string().repeat(4000)).collect();
    let rows: Vec<(i64, i64, &str)> = (0..8).map(|i| (i * 10, 5, long[i as usize].as_str())).collect();
    let mut bytes = small_table(PLAIN, &rows);
    let n = bytes.len();
    let footer = n - 8 - u32::from_le_bytes(*bytes[..n - 4].last_chunk().expect("the footer's length")) as usize;
    let cut = footer - 6000..footer;
    assert!(n - footer < cut.len(), "the last row group lies beyond the end now");
    bytes.drain(cut);
    let imported = import_one(&[("d/Instruction.parquet".into(), bytes)]).expect("opens");
    assert_eq!(imported.profile.slices.len(), 6);
    assert!(imported.ledger.skipped.iter().any(|s| s.kind == "broken_table"), "{:?}", imported.ledger.skipped);
}

#[test]
fn an_unknown_codec_is_reported() {
    let mut bytes = small_table(PLAIN, &[(1, 2, "Tensor")]);
    // In the footer the name of a column is followed by its codec: 0 is none, 63 is no codec at all.
    let name = b"start_ts\x15\x00";
    let at = bytes.windows(name.len()).rposition(|w| w == name).expect("a column of the footer");
    bytes[at + name.len() - 1] = 126;
    let summary = text_table(&["instance_type"], &[&["trn2"]]);
    let error = import_one(&[("d/Instruction.parquet".into(), bytes.clone())]).map(|i| i.ledger.skipped.len());
    assert!(error.is_err() || error.is_ok_and(|n| n > 0), "an unknown codec is never silent");
    let files = [("d/Instruction.parquet".into(), bytes), ("d/Summary.parquet".into(), summary)];
    let imported = import_one(&files).expect("the other table opens");
    assert!(!imported.ledger.skipped.is_empty() && imported.profile.slices.is_empty());
    assert!(imported.profile.tables.iter().any(|t| t.id == "Summary"));
}

#[test]
fn profiles_with_little_in_them_open() {
    let warning = text_table(&["message", "category"], &[&["no stats", "Missing Data"]]);
    let only = import_one(&[("d/Warning.parquet".into(), warning.clone())]).expect("only warnings");
    assert_eq!((only.profile.check(), only.profile.slices.len()), (Ok(()), 0));
    assert!(only.profile.meta.facts.iter().any(|f| f.value == "no stats"));
    assert!(only.profile.meta.not_available.iter().any(|n| n.starts_with("Instructions")), "{:?}", only.profile.meta.not_available);
    // One core, no DMA.
    let files = [("d/Instruction.parquet".into(), small_table(PLAIN, &[(1, 2, "Tensor")])), ("d/Warning.parquet".into(), warning)];
    let one = import_one(&files).expect("opens").profile;
    let Domain::NeuronDevice(domain) = &one.domain else { panic!("a Neuron domain") };
    assert_eq!(domain.n_cores, 1);
    let found = axonscope::analysis::device::memory::tensors::tensors(&one, None);
    assert!(found.notes.iter().any(|n| n.contains("no DMA rows are recorded")), "{:?}", found.notes);
    let figures = axonscope::analysis::device::run_metrics::summary::summary(&one, None);
    assert!(figures.metrics.iter().all(|m| m.file.is_none()) && figures.engines.iter().all(|e| e.engine != "DMA"));
    // Metrics without clock and bandwidth are not computed, nor shown as 0.
    let bare = text_table(&["instance_type"], &[&["trn2"]]);
    let bare = import_one(&[("d/Summary.parquet".into(), bare)]).expect("opens").profile;
    let figures = axonscope::analysis::device::run_metrics::summary::summary(&bare, None);
    assert!(figures.metrics.iter().all(|m| m.computed.is_none()), "{:?}", figures.metrics);
    assert!(figures.notes.iter().any(|n| n.contains("cannot be checked")));
}

#[test]
fn collectives_barriers_and_errors_have_rows_in_the_order_of_the_tools() {
    let span = |name: &'static str, lane: &'static str| ["start_ts", "duration_ns", name, lane];
    let files: Vec<Named> = vec![
        ("d/Instruction.parquet".into(), small_table(PLAIN, &[(1, 2, "GpSimd"), (1, 9, "Sync")])),
        ("d/CcOp.parquet".into(), text_table(&span("operation", "stream_index"), &[&["5", "40", "AllReduce", "0"]])),
        (
            "d/CcInstruction.parquet".into(),
            text_table(&span("description", "core_idx"), &[&["6", "3", "send", "8"], &["20", "3", "recv", "9"]]),
        ),
        ("d/CoreBarriers.parquet".into(), text_table(&span("compiler_opcode", "engine_name"), &[&["2", "3", "BARRIER", "GpSimd"]])),
        ("d/Error.parquet".into(), text_table(&["timestamp", "description"], &[&["7", "EMBD out of bounds"]])),
    ];
    let imported = import_one(&files).expect("opens");
    assert_eq!((imported.profile.check(), imported.ledger.skipped.len()), (Ok(()), 0));
    let names: Vec<&str> = imported.profile.tracks.iter().skip(1).map(|t| imported.profile.strings.get(t.name)).collect();
    assert_eq!(names, ["Errors", "Sync", "GpSimd", "Core barriers GpSimd", "CC-core 8", "CC-core 9", "Collectives stream 0"]);
    assert_eq!(imported.profile.strings.get(imported.profile.instants.name[0]), "EMBD out of bounds");
}

#[test]
fn stacks_and_loops_are_followed_through_the_tables() {
    let files: Vec<Named> = vec![
        (
            "d/Instruction.parquet".into(),
            text_table(
                &["start_ts", "duration_ns", "engine", "opcode", "pc", "kernel_instruction_name", "nki_source_location"],
                &[&["0", "5", "tensor", "MATMUL", "3", "i:0", "[\"/k/a.py:7\"]"]],
            ),
        ),
        (
            "d/KernelInstructions.parquet".into(),
            text_table(
                &["kernel_instruction_name", "stack_frame_id", "iteration_variables_id", "file_path", "line_number"],
                &[&["i:0", "2", "5", "/k/a.py", "7"]],
            ),
        ),
        (
            "d/KernelStackFrames.parquet".into(),
            text_table(
                &["stack_frame_id", "fully_qualified_function_name", "parent_stack_frame_id", "file_path", "line_number"],
                &[&["1", "k.outer", "", "/k/b.py", "1"], &["2", "k.inner", "1", "/k/a.py", "4"]],
            ),
        ),
        (
            "d/KernelIterationVariables.parquet".into(),
            text_table(
                &["iteration_variable_id", "variable_name", "variable_value", "parent_iteration_variable_id"],
                &[&["5", "k", "3", ""]],
            ),
        ),
    ];
    let (claim, outcome) = import::import(&set(&files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    let session = Session::new(claim, input, imported);
    let details = session.ask(&DetailsQuery { item: SliceId(0).into() }).expect("details");
    assert!(
        details.fields.iter().any(|f| f.key == "opcode" && f.help == "Operation of the engine"),
        "our own words where there is no schema"
    );
    let origin = details.instruction.expect("an instruction").origin;
    let recorded: Vec<String> = origin.stacks[0].iter().map(|f| format!("{} {}", f.function, f.place.as_ref().expect("told"))).collect();
    assert_eq!(recorded, [" /k/a.py:7", "k.inner /k/a.py:4", "k.outer /k/b.py:1"]);
    assert_eq!((origin.loops[0].name.as_str(), origin.loops[0].value.as_str(), origin.places.len()), ("k", "3", 1));
}

#[test]
fn tables_of_another_run_are_named_with_those_that_belong_together() {
    let Some(mut files) = directory("fused_attention", "parquet-zstd") else { return };
    let whole = import_one(&files).expect("opens");
    assert!(whole.ledger.skipped.iter().all(|s| s.kind != "mixed_tables") && whole.ledger.notes.iter().all(|n| !n.contains("belong")));
    // The transfers of a run that took much longer.
    let message = "message t { required int64 start_ts; required int64 duration_ns; required binary queue_name (UTF8); }";
    let late = small_table(message, &[(10, 5, "qSyncIO0-Q1-E64"), (900_000, 5, "qSyncIO0-Q1-E64")]);
    let at = files.iter().position(|f| f.0.ends_with("DmaPacket.parquet")).expect("there");
    files[at].1 = late;
    let mixed = import_one(&files).expect("it opens all the same");
    let said = mixed.ledger.notes.iter().find(|n| n.contains("Drop the directory of one profile")).expect("said");
    let together = "Matching tables: DmaUsage, Instruction, PendingDma, PsumUsage, SbufUsage, SemaphoreUpdate, Summary, Throttle.";
    assert!(said.contains("`DmaPacket` (it reaches to 900005 ns") && said.contains(together), "{said}");
    let skipped = mixed.ledger.skipped.iter().find(|s| s.kind == "mixed_tables").expect("counted");
    assert_eq!(skipped.count, 1);
}

#[test]
fn usage_in_hundredths_and_traffic_of_memory_are_curves() {
    let banks: Vec<String> = (0..8).map(|bank| format!("bank_{bank}_util_percent")).collect();
    let columns: Vec<&str> = ["timestamp"].into_iter().chain(banks.iter().map(String::as_str)).collect();
    let usage = |full: &'static str, half: &'static str| ["5", full, half, "0", "0", "0", "0", "0", "0"];
    let open = |full, half| {
        let files: Vec<Named> = vec![
            ("d/Instruction.parquet".into(), small_table(PLAIN, &[(1, 2, "GpSimd")])),
            ("d/PsumUsage.parquet".into(), text_table(&columns, &[&usage(full, half)])),
            ("d/HbmUsage.parquet".into(), text_table(&["timestamp", "current_throughput"], &[&["3", "2e9"], &["9", "0"]])),
        ];
        import_one(&files).expect("opens").profile
    };
    let of = |profile: &Profile, row: &str| -> Vec<Vec<f64>> {
        let is_it = |c: &&axonscope::model::Counter| profile.strings.get(profile.tracks[c.track.index()].name) == row;
        profile.counters.iter().filter(is_it).flat_map(|c| c.series.iter().map(|s| s.values.clone())).collect()
    };
    let profile = open("100", "50");
    assert_eq!(of(&profile, "PSUM Usage")[..3], [[1.0], [0.5], [0.0]]);
    assert_eq!(of(&profile, "HBM Throughput"), [[2e9, 0.0]]);
    // Nothing above one: fractions.
    assert_eq!(of(&open("0.25", "1"), "PSUM Usage")[..2], [[0.25], [1.0]]);
}

#[test]
fn columns_mean_what_the_schema_says() {
    let Some(files) = directory("fused_attention", "parquet-zstd") else { return };
    let (claim, outcome) = import::import(&set(&files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    let session = Session::new(claim, input, imported);
    let help = |id: &str| session.ask(&TableHelpQuery { id: id.into() }).expect("an answer");
    let table = session.profile.tables.iter().find(|t| t.id == "DmaPacket").expect("a table");
    let at = table.columns.iter().position(|c| c == "transfer_bytes").expect("a column");
    let words = help("DmaPacket");
    assert_eq!(words.len(), table.columns.len());
    assert_eq!(words[at], "Size in bytes of data transferred during this operation. Unit: bytes.");
    assert!(help("no such table").is_empty());
    let summary = session.ask(&axonscope::engine::query::SummaryQuery { range: None }).expect("a summary");
    let meaning = |name: &str| summary.metrics.iter().find(|m| m.name == name).map(|m| m.meaning.clone()).unwrap_or_default();
    assert!(meaning("hfu_estimated_percent").contains("Hardware FLOPs Utilization"), "{}", meaning("hfu_estimated_percent"));
}

#[test]
fn the_tree_of_the_framework_names_layers() {
    let columns = ["start_ts", "duration_ns", "engine", "opcode", "tensor_instruction_type", "raw_framework_id"];
    let instructions = text_table(
        &columns,
        &[
            &["10", "5", "Tensor", "MATMUL", "REGULAR", "7"],
            &["20", "5", "Vector", "COPY", "REGULAR", "8"],
            &["30", "5", "Vector", "COPY", "REGULAR", "99"],
        ],
    );
    let nodes = text_table(
        &["node_name", "parent_name", "children_ids"],
        &[&["model", "", "[7, 8]"], &["layer[1]", "model", "[7, 8]"], &["aten.mm", "layer[1]", "[7]"]],
    );
    let files = [("d/Instruction.parquet".into(), instructions), ("d/FrameworkNode.parquet".into(), nodes)];
    let profile = import_one(&files).expect("opens").profile;
    let query = axonscope::analysis::device::LayersQuery { by: "layer".into(), ..Default::default() };
    let tree = axonscope::analysis::device::layers::layers(&profile, &query, &[]);
    let rows: Vec<(&str, u64)> =
        tree.nodes.iter().filter(|n| n.level == "Layer" || n.level == "Core").map(|n| (n.name.as_str(), n.occurrences)).collect();
    assert!(rows.starts_with(&[(tree.nodes[0].name.as_str(), 3), ("model", 2), ("layer[1]", 2), ("aten.mm", 1)]), "{rows:?}");
    assert!(rows.contains(&("Unknown", 1)), "{rows:?}");
    assert_eq!(tree.max_depth, 3);
}

/// Rows of a section of the other run, within the window of this one: their times alone do not tell.
fn of_the_other_run(section: &str, columns: &[(&str, &str)], is_wanted: impl Fn(&serde_json::Value) -> bool) -> Option<Vec<u8>> {
    let (_, bytes) = file(&conformance()?, "baseline_attention", "baseline_exec_2_profile_full.json");
    let json: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let end = |r: &serde_json::Value| r["timestamp"].as_i64().expect("ns") + r["duration"].as_i64().unwrap_or(0);
    let rows = json[section].as_array().expect("rows").iter().filter(|r| end(r) < 38_000 && is_wanted(r));
    let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), Into::into);
    let rows: Vec<Vec<String>> = rows.map(|r| columns.iter().map(|c| text(&r[c.1])).collect()).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|r| r.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    Some(text_table(&columns.iter().map(|c| c.0).collect::<Vec<_>>(), &rows))
}

#[test]
fn a_table_of_a_run_as_long_is_found_by_what_the_others_hold() {
    let Some(files) = directory("fused_attention", "parquet-zstd") else { return };
    let instruction =
        [("start_ts", "timestamp"), ("duration_ns", "duration"), ("engine", "subgroup"), ("opcode", "opcode"), ("operands", "operands")];
    let sbuf: Vec<(String, String)> =
        [0, 32, 64, 96].map(|n| (format!("partition_{n}_util_percent"), format!("partition_{n}_usage"))).into();
    let sbuf: Vec<(&str, &str)> =
        [("timestamp", "timestamp")].into_iter().chain(sbuf.iter().map(|c| (c.0.as_str(), c.1.as_str()))).collect();
    let semaphores = [("timestamp", "timestamp"), ("id", "id"), ("value", "value")];
    let rates = [("timestamp", "timestamp"), ("current_throughput", "transfer_rate")];
    // (table, its rows from the other run, what is said of it, one that belongs to the run all the same).
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str, &'a str);
    let cases: [Case; 4] = [
        ("SemaphoreUpdate", "semaphore_update", &semaphores, "instructions of `Instruction` that set a semaphore match it", "Instruction"),
        ("SbufUsage", "instruction_usage", &sbuf, "of its times match `Instruction`", "PsumUsage"),
        ("DmaUsage", "dma_throughput", &rates, "of its times match `DmaPacket`", "DmaPacket"),
        ("Instruction", "instruction", &instruction, "", "DmaUsage"),
    ];
    for (table, section, columns, why, other) in cases {
        let is_wanted = |r: &serde_json::Value| section != "instruction_usage" || r["type"] == "sb";
        let foreign = of_the_other_run(section, columns, is_wanted).expect("the data are there");
        let mut files = files.clone();
        let at = files.iter().position(|f| f.0.ends_with(&format!("/{table}.parquet"))).expect("there");
        files[at].1 = foreign;
        let mixed = import_one(&files).expect("it opens all the same");
        let said = mixed.ledger.notes.iter().find(|n| n.contains("Drop the directory of one profile")).expect(table);
        let (strangers, family) = said.split_once("Matching tables: ").expect("both are named");
        assert!(strangers.starts_with(&format!("Values may be wrong: `{table}` (")) && strangers.contains(why), "{table}: {said}");
        assert!(family.contains(other) && family.contains("Summary") && !family.contains(table), "{table}: {said}");
        let skipped = mixed.ledger.skipped.iter().find(|s| s.kind == "mixed_tables").expect("counted");
        assert_eq!(skipped.count, 1, "{table}: {said}");
    }
}

#[test]
fn arrows_to_transfers_end_at_their_packets() {
    let instructions = text_table(&["id", "start_ts", "duration_ns", "engine"], &[&["1", "0", "5", "Tensor"], &["2", "90", "5", "Tensor"]]);
    let packet = ["id", "start_ts", "duration_ns", "engine_idx", "queue_idx", "packet_aggregation_id"];
    let packets =
        text_table(&packet, &[&["70", "30", "5", "1", "1", "7"], &["71", "20", "5", "1", "1", "7"], &["72", "10", "5", "1", "1", "8"]]);
    let flow = ["in_table", "in_id", "out_table", "out_id"];
    let rows: [&[&str]; 3] =
        [&["instruction", "1", "dma_block", "7"], &["dma_block", "7", "instruction", "2"], &["dma_block", "9", "instruction", "2"]];
    let files = [
        ("d/Instruction.parquet".into(), instructions),
        ("d/DmaPacket.parquet".into(), packets),
        ("d/Flow.parquet".into(), text_table(&flow, &rows)),
    ];
    let imported = import_one(&files).expect("opens");
    let (p, flows) = (&imported.profile, &imported.profile.flows);
    let start = |slice: &SliceId| p.slices.start[slice.index()];
    let mut arrows: Vec<(i64, i64)> = flows.from.iter().map(start).zip(flows.to.iter().map(start)).collect();
    arrows.sort_unstable();
    assert_eq!(arrows, [(0, 20), (30, 90)], "to the first packet, from the last");
    assert!(imported.ledger.skipped.iter().any(|s| s.kind == "flow_without_row" && s.count == 1));
}

#[test]
fn a_column_of_another_type_is_named() {
    let notes = |name: &str, table: Vec<u8>| import_one(&[(format!("d/{name}.parquet"), table)]).expect("opens").ledger.notes;
    let said = |notes: &[String], want: &str| assert!(notes.iter().any(|n| n == want), "{want}: {notes:?}");
    let wrong = text_table(&["start_ts", "duration_ns", "engine"], &[&["soon", "7", "Tensor"], &["", "8", "Tensor"]]);
    let recorded = notes("Instruction", wrong);
    let want = "Expected whole numbers in the column `start_ts` of the table `Instruction`, found texts: its rows are not on the timeline.";
    said(&recorded, want);
    assert_eq!(recorded.iter().filter(|n| n.starts_with("Expected ")).count(), 1, "numbers as text are read: {recorded:?}");
    let message = "message t { required int64 start_ts; required int64 duration_ns; required binary engine (UTF8); }";
    let swapped = message.replace("duration_ns", "opcode");
    let recorded = notes("Instruction", small_table(&swapped, &[(1, 2, "Tensor")]));
    said(
        &recorded,
        "Expected texts in the column `opcode` of the table `Instruction`, found whole numbers: its rows have no names, and busy times include waits.",
    );
    let recorded = notes("SemaphoreUpdate", text_table(&["timestamp", "id", "value"], &[&["1", "5", "high"]]));
    said(
        &recorded,
        "Expected whole numbers in the column `value` of the table `SemaphoreUpdate`, found texts: semaphores are not available.",
    );
}

/// The name of a column in the footer is followed by its codec, zigzag: 0 is none.
fn with_codec(mut bytes: Vec<u8>, column: &[u8], codec: u8) -> Vec<u8> {
    let name = [column, b"\x15\x00"].concat();
    let at = bytes.windows(name.len()).rposition(|w| w == name).expect("a column of the footer");
    bytes[at + name.len() - 1] = codec;
    bytes
}

#[test]
fn what_cannot_be_read_is_said_once_in_our_words_and_counted() {
    let rows: Vec<(i64, i64, &str)> = (0..7).map(|i| (i * 10, 5, "Tensor")).collect();
    let good = small_table(PLAIN, &rows);
    let summary: Named = ("d/Summary.parquet".into(), text_table(&["instance_type"], &[&["trn2"]]));
    let without = "the timeline has no instructions, and metrics of instructions are not available.";
    // (bytes, kind, rows lost, what was expected and found, note).
    type Case = (Vec<u8>, &'static str, u64, String, String);
    let len = good.len();
    let cases: [Case; 6] = [
        // LZO: a codec of Parquet that the library does not read.
        (
            with_codec(good.clone(), b"start_ts", 6),
            "broken_table",
            1,
            "`Instruction`: expected the values of its column `start_ts` (packed by LZO) from row 6 on, found an encoding that this page does not support".into(),
            "1 of 7 rows of the table `Instruction` cannot be read: metrics that use it do not include them.".into(),
        ),
        // Snappy where nothing is packed.
        (
            with_codec(small_table(PLAIN, &rows[..2]), b"start_ts", 2),
            "broken_table",
            2,
            "`Instruction`: expected the values of its column `start_ts` (packed by Snappy) from row 0 on, found invalid bytes".into(),
            format!("The table `Instruction` cannot be read: {without}"),
        ),
        (
            with_codec(good.clone(), b"start_ts", 126),
            "unreadable_table",
            1,
            "found a column with an invalid Parquet compression".into(),
            format!("The table `Instruction` cannot be read: {without}"),
        ),
        (
            good[..len - 10].to_vec(),
            "unreadable_table",
            1,
            format!("`d/Instruction.parquet`: expected `PAR1` as its last four bytes, from byte {} on, found `", len - 14),
            format!("The table `Instruction` cannot be read: {without}"),
        ),
        (
            [&good[..len - 4], b"PARE"].concat(),
            "unreadable_table",
            1,
            "expected a plain table, found an encrypted one".into(),
            format!("The table `Instruction` cannot be read: {without}"),
        ),
        (
            [&good[..len - 8], &[0xff; 4], b"PAR1"].concat(),
            "unreadable_table",
            1,
            format!("expected a footer of 4294967295 bytes, as listed at its end, found a file of {len} bytes"),
            format!("The table `Instruction` cannot be read: {without}"),
        ),
    ];
    for (bytes, kind, n, example, note) in cases {
        let files = [("d/Instruction.parquet".into(), bytes), summary.clone()];
        let imported = import_one(&files).expect("the other table opens");
        let skipped = &imported.ledger.skipped;
        assert_eq!(skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect::<Vec<_>>(), [(kind, n)], "{example}: {skipped:?}");
        assert_eq!(skipped[0].examples.len(), 1, "said once: {skipped:?}");
        let recorded = &skipped[0].examples[0].text;
        assert!(recorded.contains(&example.chars().take(150).collect::<String>()), "{example}: {recorded}");
        let notes = &imported.ledger.notes;
        assert!(notes.contains(&note), "{note}: {notes:?}");
        assert!(notes.iter().all(|n| !n.starts_with("The table `Instruction` is missing")), "{notes:?}");
        assert_eq!(imported.ledger.read, imported.ledger.shown + n, "{example}");
        let text = format!("{skipped:?} {notes:?}");
        assert!(!["Parquet error", "NYI", "External", "EOF", "thrift"].iter().any(|word| text.contains(word)), "{text}");
    }
}
