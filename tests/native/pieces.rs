//! A trace or a device profile read in pieces on several threads is the same profile as one read in order, wherever it is cut.

use crate::common::conformance;
use axonscope::base::{InputSet, Member};
use axonscope::formats::import::{Feeder, import_with, inflated};
use axonscope::formats::parallel::{self, Plan};
use axonscope::formats::{Claim, ImportError, Imported, by_id};
use proptest::prelude::*;
use std::fmt::{Debug, Write};
use std::hash::Hasher;
use std::io::Write as _;

/// A hash of how something is written for people.
#[derive(Default)]
struct Print(rustc_hash::FxHasher);

impl Write for Print {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn print(value: &impl Debug) -> u64 {
    let mut out = Print::default();
    write!(out, "{value:?}").unwrap();
    out.0.finish()
}

/// Each part of an import, as a hash of all that is in it.
fn prints(imported: &Imported) -> Vec<(&'static str, u64)> {
    let p = &imported.profile;
    let slices = &p.slices;
    vec![
        ("meta", print(&p.meta)),
        ("strings", print(&p.strings)),
        ("tracks", print(&p.tracks)),
        ("lanes", print(&p.lanes)),
        ("starts", print(&slices.start)),
        ("durations", print(&slices.duration)),
        ("names", print(&slices.name)),
        ("parents", print(&slices.parent)),
        ("records", print(&slices.record)),
        ("second records", print(&slices.second_record)),
        ("order", print(&slices.by_start)),
        ("attributes", print(&p.attributes)),
        ("counters", print(&p.counters)),
        ("instants", print(&p.instants)),
        ("flows", print(&p.flows)),
        ("domain", print(&p.domain)),
        ("tables", print(&p.tables)),
    ]
}

const TRACE: &str = "kineto";
const DEVICE: &str = "neuron_json";
const TIMELINE: &str = "tensorboard_neuron";

fn claim(format: &str) -> Claim {
    Claim { format: format.into(), members: vec![0], recognised: String::new() }
}

fn import(format: &str, text: &Member, plan: Plan) -> Result<Imported, ImportError> {
    import_with(&InputSet { members: vec![text.clone()] }, &claim(format), &mut |_| (), plan).map(|i| i.0)
}

/// Pieces of `n_bytes` on `n_threads` threads.
pub fn plan(n_threads: usize, n_bytes: u64) -> Plan {
    Plan { n_threads, piece_bytes: (n_bytes, n_bytes) }
}

fn compare(format: &str, text: &Member, whole: &Result<Imported, ImportError>, plan: Plan) {
    let pieces = import(format, text, plan);
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!(pieces.ledger, whole.ledger, "{plan:?} of {text:?}");
            assert_eq!(prints(&pieces), prints(whole), "{plan:?} of {text:?}");
            pieces.profile.check().unwrap();
        }
        (whole, pieces) => assert_eq!(pieces.map(|_| ()), whole.as_ref().map(|_| ()).map_err(Clone::clone), "{plan:?} of {text:?}"),
    }
}

/// As workers read it: every piece but the first is read by another program, and comes as bytes. Also how many of them were added.
fn by_workers(format: &str, text: &Member, n_bytes: u64) -> (Result<Imported, ImportError>, usize) {
    let mut feeder = Feeder::new(by_id(format).unwrap(), &claim(format), &text.name, text.len(), false).unwrap();
    let split = feeder.split().unwrap();
    let head = text.read_up_to(0, 4096).unwrap();
    let mut n_added = 0;
    for range in parallel::pieces(split, text, n_bytes) {
        let bytes = text.read(range.start, range.end - range.start).unwrap();
        let piece = split.piece(&head, range.start).filter(|_| range.start > 0).map(|mut piece| {
            piece.feed(&bytes);
            split.unpacked(&piece.packed().unwrap()).unwrap()
        });
        match piece.is_some_and(|piece| feeder.absorb(piece, range.end - range.start)) {
            true => n_added += 1,
            false => match feeder.feed(&bytes) {
                Ok(()) => {}
                Err(error) => return (Err(error), n_added),
            },
        }
    }
    (feeder.finish().map(|i| i.0), n_added)
}

pub fn is_same(whole: &Result<Imported, ImportError>, pieces: Result<Imported, ImportError>, what: &impl Debug) {
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!((pieces.ledger.read, &pieces.ledger.skipped), (whole.ledger.read, &whole.ledger.skipped), "{what:?}");
            assert_eq!(prints(&pieces), prints(whole), "{what:?}");
            pieces.profile.check().unwrap();
        }
        (whole, pieces) => assert_eq!(pieces.map(|_| ()), whole.as_ref().map(|_| ()).map_err(Clone::clone), "{what:?}"),
    }
}

/// A record of each kind, the odd ones included. `t` is its time; `n` chooses threads, names and ids.
fn record(kind: usize, t: u64, n: u64) -> String {
    let (tid, id) = (n % 3, n % 5);
    match kind {
        0 => format!(
            r#"{{"ph": "X", "cat": "cpu_op", "name": "aten::op{id}", "pid": 1, "tid": {tid}, "ts": {t}.{n}, "dur": 5, "args": {{"External id": {n}, "Input Dims": [[{n}, 2], []], "Input type": ["float", ""], "Concrete Inputs": ["", "{n}"]}}}}"#
        ),
        1 => format!(
            r#"{{"ph": "X", "cat": "kernel", "name": "void k<{id}>(float*)", "pid": 0, "tid": 7, "ts": {t}, "dur": 3.5, "args": {{"correlation": {n}, "grid": [{n}, 1, 1], "block": [128, 1, 1], "stream": 7, "device": 0}}}}"#
        ),
        2 => format!(
            r#"{{"name": "k{n}", "ph": "X", "pid": 1, "tid": {tid}, "ts": {t}, "dur": 1, "args": {{"list": [{{"x": 1}}, {{"name": "no record", "ph": "X", "pid": 9, "tid": 9, "ts": 1, "dur": 1}}], "s": "}}, {{\"ph\": \"X\"}}"}}}}"#
        ),
        3 => format!(r#"{{"ph": "B", "name": "span \"{id}\" \u00e9 \\", "pid": 1, "tid": {tid}, "ts": {t}}}"#),
        4 => format!(r#"{{"ph": "E", "pid": 1, "tid": {tid}, "ts": {t}}}"#),
        5 => format!(r#"{{"ph": "b", "cat": "c{tid}", "name": "async", "id": "x{id}", "pid": 2, "tid": 1, "ts": {t}}}"#),
        6 => format!(r#"{{"ph": "e", "cat": "c{tid}", "name": "async", "id": "x{id}", "pid": 2, "tid": 1, "ts": {t}}}"#),
        7 => format!(r#"{{"ph": "C", "name": "counter {tid}", "pid": 1, "ts": {t}, "args": {{"a{id}": {n}, "b": 2.5, "c": "text"}}}}"#),
        8 => format!(
            r#"{{"ph": "i", "name": "[memory]", "pid": 1, "tid": {tid}, "ts": {t}, "s": "t", "args": {{"Addr": {n}, "Bytes": 16, "Device Type": 1, "Device Id": 0, "Total Allocated": 99}}}}"#
        ),
        9 => format!(r#"{{"ph": "i", "name": "Record Window End", "pid": "", "tid": "Trace", "ts": {t}, "s": "g"}}"#),
        10 => format!(r#"{{"ph": "s", "id": {id}, "cat": "fwdbwd", "name": "f", "pid": 1, "tid": {tid}, "ts": {t}}}"#),
        11 => format!(r#"{{"ph": "f", "id": "i{id}", "cat": "ac2g", "name": "f", "pid": 0, "tid": 7, "ts": {t}, "bp": "e"}}"#),
        12 => format!(r#"{{"ph": "M", "name": "thread_name", "pid": 1, "tid": {tid}, "args": {{"name": "thread {n}"}}}}"#),
        13 => format!(r#"{{"ph": "M", "name": "process_labels", "pid": {tid}, "args": {{"labels": "GPU {id}"}}}}"#),
        14 => format!(
            r#"{{"ph": "X", "cat": "python_function", "name": "mod.py({n}): f", "pid": 1, "tid": {tid}, "ts": {t}, "dur": 9, "args": {{"Python id": {n}, "Call stack": "a;\nb"}}}}"#
        ),
        15 => format!(
            r#"{{"ph": "X", "cat": "cpu_op", "name": "nccl:all_reduce", "pid": 1, "tid": {tid}, "ts": {t}, "dur": -1, "args": {{"Collective name": "allreduce", "dtype": "Float", "Process Group Name": "pg{id}", "Seq": {n}}}}}"#
        ),
        16 => format!(r#"{{"ph": "X", "name": "unescaped "quote" in it", "pid": 1, "tid": {tid}, "ts": {t}, "dur": 1}}"#),
        17 => format!(r#"{{"ph": "X", "name": "no time", "pid": 1, "tid": {tid}, "dur": {n}}}"#),
        18 => format!(r#"{{"ph": "X", "name": "open, "pid": 1, "tid": {tid}, "ts": {t}, "dur": 1}}"#),
        19 => "\"stray\"".into(),
        20 => format!(
            r#"{{"ph": "X", "name": "odd id", "pid": "p{id}", "tid": "t{n}", "ts": {t}, "dur": 1, "args": {{"correlation": 99999999999}}}}"#
        ),
        _ => format!(r#"{{"ph": "C", "name": "empty", "id": "{id}", "pid": 3, "ts": {t}, "args": {{"no": []}}}}"#),
    }
}

const N_KINDS: usize = 22;

/// A trace of these records. `shape` chooses the root and what follows the list.
fn trace(records: &[(usize, u64, u64)], shape: usize) -> String {
    let list: Vec<String> = records.iter().map(|&(kind, t, n)| record(kind, t, n)).collect();
    let list = list.join([",\n  ", ", ", ",", " ,\r\n"][shape % 4]);
    match shape % 5 {
        0 => format!("[{list}]"),
        1 => format!(r#"{{"traceEvents": [{list}]}}"#),
        2 => format!(
            r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "G"}}], "traceEvents": [{list}], "baseTimeNanoseconds": 5, "traceName": "t"}}"#
        ),
        3 => format!(
            r#"{{"traceEvents": [{list}], "other": [{{"a": 1}}, {{"ph": "X"}}, {{"name": "n"}}, {{"ph": "X"}}], "stackFrames": {{"1": {{"name": "f"}}}}, "distributedInfo": {{"rank": 1, "world_size": 2}}}}"#
        ),
        _ => format!(r#"{{"traceEvents": [{list}], "more": 1, "traceEvents": [{list}]}}"#),
    }
}

#[test]
fn every_cut_of_a_trace_gives_the_same() {
    let records: Vec<(usize, u64, u64)> = (0..N_KINDS * 2).map(|i| ((i * 7) % N_KINDS, 100 + i as u64, i as u64 * 3)).collect();
    for shape in 0..5 {
        let text = Member::from_bytes("t.json", trace(&records, shape).into_bytes());
        let whole = import(TRACE, &text, Plan::SERIAL);
        assert!(whole.as_ref().unwrap().profile.slices.len() > 10);
        let mut n = 0;
        for n_bytes in (1..text.len()).step_by(23) {
            compare(TRACE, &text, &whole, plan(2 + n_bytes as usize % 3, n_bytes));
            let (pieces, n_added) = by_workers(TRACE, &text, n_bytes);
            is_same(&whole, pieces, &("workers", n_bytes, &text));
            n += n_added;
        }
        // Were every piece read in order after all, the comparison would test nothing.
        assert!(n > 100, "root {shape}: {n} pieces were added");
    }
}

#[test]
fn pieces_are_read_by_helpers() {
    // Were every piece read in order after all, the others would test nothing.
    let records: Vec<(usize, u64, u64)> = (0..40).map(|i| (i % 2, 100 + i as u64, i as u64)).collect();
    let text = Member::from_bytes("t.json", trace(&records, 2).into_bytes());
    let mut feeder = Feeder::new(by_id(TRACE).unwrap(), &claim(TRACE), "t.json", text.len(), false).unwrap();
    let split = feeder.split().unwrap();
    let pieces = parallel::pieces(split, &text, 500);
    assert!(pieces.len() > 8 && pieces[0].start == 0 && pieces.last().unwrap().end == text.len());
    let head = text.read_up_to(0, 100).unwrap();
    feeder.feed(&text.read(0, pieces[0].end).unwrap()).unwrap();
    for range in &pieces[1..] {
        let mut piece = split.piece(&head, range.start).unwrap();
        piece.feed(&text.read(range.start, range.end - range.start).unwrap());
        // One that begins elsewhere is refused.
        let other = split.piece(&head, range.start + 1).unwrap();
        assert!(!feeder.absorb(other, 1));
        assert!(feeder.absorb(piece, range.end - range.start));
    }
    let (imported, _) = feeder.finish().unwrap();
    assert_eq!(prints(&imported), prints(&import(TRACE, &text, Plan::SERIAL).unwrap()));
}

#[test]
fn other_bytes_are_no_piece() {
    for (format, text) in [(TRACE, "{}, "), (TIMELINE, "{}, "), (DEVICE, r#"{"timestamp": 1, "value": 2, "subgraph": ""}, "#)] {
        let split = Feeder::new(by_id(format).unwrap(), &claim(format), "t.json", 9, false).unwrap().split().unwrap();
        let mut piece = split.piece(b"[", 5).unwrap();
        piece.feed(text.as_bytes());
        let mut packed = piece.packed().unwrap();
        packed.truncate(packed.len() / 2);
        assert!(split.unpacked(&packed).is_none() && split.unpacked(&[]).is_none() && split.unpacked(&[0xff; 999]).is_none());
    }
}

#[test]
fn gzip_inflated_on_another_thread_gives_the_same() {
    let records: Vec<(usize, u64, u64)> = (0..4000).map(|i| ((i * 7) % 16, 100 + i as u64, i as u64 * 3)).collect();
    let text = trace(&records, 2).into_bytes();
    let pack = |text: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    };
    let packed = pack(&text);
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 9].fill(0xff);
    let cut = packed[..packed.len() * 2 / 3].to_vec();
    let members = [packed[..60].to_vec(), pack(&text[..70_000]), pack(&packed), pack(b""), b"\x1f\x8b\x07".to_vec()];
    for bytes in [packed.clone(), damaged, cut, [pack(&text[..50_000]), pack(&text[50_000..])].concat()].into_iter().chain(members) {
        let file = Member::from_bytes("t.json.gz", bytes);
        compare(TRACE, &file, &import(TRACE, &file, Plan::SERIAL), plan(2, 1));
    }
}

#[test]
fn real_traces_give_the_same() {
    let Some(dir) = conformance("kineto/traces") else { return };
    let mut n = 0;
    for path in crate::torch_support::traces_below(&dir) {
        let raw = Member::from_bytes(path.to_string_lossy(), std::fs::read(&path).unwrap());
        let Ok(text) = inflated(&raw) else { continue };
        let text = Member::from_bytes(path.to_string_lossy(), text.read(0, text.len()).unwrap());
        let whole = import(TRACE, &text, Plan::SERIAL);
        compare(TRACE, &text, &whole, plan(3, (text.len() / [5, 17][n % 2]).max(1)));
        is_same(&whole, by_workers(TRACE, &text, (text.len() / [7, 3][n % 2]).max(1)).0, &("workers", &text));
        n += 1;
    }
    assert!(n > 10, "{n}");
}

/// A record of a device profile. `t` is its time; `n` chooses cores, engines and names.
fn device_record(section: &str, kind: usize, t: u64, n: u64) -> String {
    let (core, id) = (n % 2, n % 5);
    let head = format!(r#""timestamp": {t}, "subgraph": "sg0{core}""#);
    match (section, kind % 7) {
        (_, 6) => {
            ["7", "\"stray\"", r#"{"timestamp": "x"}"#, r#"{"timestamp" 5}"#, r#"{"timestamp": NaN, "value": 1}"#][n as usize % 5].into()
        }
        ("instruction", 5) => format!(
            r#"{{{head}, "duration": 3, "label": "Vector", "opcode": "a\u0041\\", "operands": "}}, {{\"timestamp\": 1, \"value\": 2}}", "new{id}": [{{"x": 1}}, {{"timestamp": 3, "value": 4, "subgraph": ""}}]}}"#
        ),
        ("instruction", kind) => format!(
            r#"{{"id": {n}, {head}, "duration": {kind}, "subgroup": "Tensor", "label": "{}", "opcode": "OP{id}", "pc": {n}, "elements": {t}, "hbm_read_bytes": {n}, "layer": "l{id}", "operands": "S[{id}]>={n} (Tensor) src=bf16@0x{id}00[1,1,1][64,1,1] dst=fp32@0x1{id}0[1,1,1][64,1,1] 128*64 acc_flags=0", "predecessors": [{{"id": {}, "type": "k{id}"}}, {{"id": {n}, "type": "y"}}]}}"#,
            ["Tensor", "TensorMatrix", "Vector", ""][id as usize % 4],
            n.saturating_sub(1)
        ),
        ("dma", kind) => format!(
            r#"{{{head}, "duration": 4, "dma_engine": "{id}", "dma_queue": "{kind}", "variable": "v{id}", "queue_type": "unknown", "transfer_size": {n}, "duplicate": "{}", "is_cc_dma": "no", "fresh{kind}": 1}}"#,
            if id == 3 { "yes" } else { "no" }
        ),
        ("semaphore_update", _) => format!(r#"{{"id": "S[{id}] (q{core})", {head}, "value": {n}}}"#),
        ("dma_throughput", _) => format!(r#"{{{head}, "transfer_rate": {n}.5, "hbm_transfer_rate": 2, "uses_hbm": "{}"}}"#, id == 1),
        ("ham", _) => format!(r#"{{{head}, "duration": {n}, "k": {id}, "n": 4, "type": "x"}}"#),
        ("instruction_usage", _) => format!(
            r#"{{{head}, "type": "sbuf", "partition_0_usage": 0.5, "partition_32_usage": 0, "partition_64_usage": 0, "partition_96_usage": 0.{id}}}"#
        ),
        ("pending_dma", _) => format!(r#"{{{head}, "value": {n}}}"#),
        ("model_info", _) => format!(r#"{{"sg_name": "sg0{id}", "nc_idx": {core}, "t{id}": null}}"#),
        (_, kind) => format!(r#"{{"timestamp": {t}, "value": {n}, "c{kind}": "x{id}", "subgraph": "sg0{core}"}}"#),
    }
}

const SECTIONS: [&str; 10] = [
    "instruction",
    "dma",
    "semaphore_update",
    "dma_throughput",
    "ham",
    "instruction_usage",
    "pending_dma",
    "model_info",
    "nc_mem_usage",
    "not_known",
];

/// A section by its place in [`SECTIONS`], with kind, time and number of each record.
type Section = (usize, Vec<(usize, u64, u64)>);

/// A device profile with these sections.
fn device(sections: &[Section], shape: usize) -> String {
    let comma = [",\n  ", ", ", ",", " ,\r\n"][shape % 4];
    let section = |(section, records): &Section| {
        let name = SECTIONS[*section];
        let list: Vec<String> = records.iter().map(|&(kind, t, n)| device_record(name, kind, t, n)).collect();
        format!(r#""{name}": [{}]"#, list.join(comma))
    };
    let sections: Vec<String> = sections.iter().map(section).collect();
    format!("{{{}{}", sections.join(comma), ["}", "}", "} more", "]"][shape / 4 % 4])
}

#[test]
fn every_cut_of_a_device_profile_gives_the_same() {
    let records = |n: usize| (0..n).map(|i| (i * 5 % 7, 100 + i as u64, i as u64 * 3)).collect::<Vec<_>>();
    let sections: Vec<_> = [8, 6, 0, 2, 7, 1, 9, 3, 4, 8, 5, 0].into_iter().map(|section| (section, records(12))).collect();
    for shape in (0..16).step_by(3) {
        let text = Member::from_bytes("d.json", device(&sections, shape).into_bytes());
        let whole = import(DEVICE, &text, Plan::SERIAL);
        assert_eq!(whole.as_ref().is_ok_and(|whole| whole.profile.slices.len() > 10), shape < 12, "{whole:?}");
        let mut n = 0;
        for n_bytes in (1..text.len()).step_by(317) {
            compare(DEVICE, &text, &whole, plan(2 + n_bytes as usize % 3, n_bytes));
            let (pieces, n_added) = by_workers(DEVICE, &text, n_bytes);
            is_same(&whole, pieces, &("workers", n_bytes, &text));
            n += n_added;
        }
        assert!(n > 50, "{shape}: {n} pieces were added");
    }
}

/// An operator timeline: records of every kind, and operators that were fused.
fn timeline(records: &[(usize, u64, u64)], shape: usize) -> Member {
    let text = trace(records, shape).replace(r#""args": {"correlation""#, r#""args": {"fused": "one, two", "correlation""#);
    Member::from_bytes("run/neuron_op_timeline.json", text.into_bytes())
}

#[test]
fn cuts_of_an_operator_timeline_give_the_same() {
    let records: Vec<(usize, u64, u64)> = (0..1200).map(|i| ((4 + i * 7) % N_KINDS, 100 + i as u64, i as u64 * 3)).collect();
    for shape in [1, 2, 3, 4, 7] {
        let text = timeline(&records, shape);
        let whole = import(TIMELINE, &text, Plan::SERIAL);
        assert!(whole.as_ref().unwrap().profile.slices.len() > 100);
        let mut n = 0;
        for n_bytes in (3_000..40_000).step_by(7_001) {
            compare(TIMELINE, &text, &whole, plan(2 + n_bytes as usize % 3, n_bytes));
            let (pieces, n_added) = by_workers(TIMELINE, &text, n_bytes);
            is_same(&whole, pieces, &("workers", n_bytes));
            n += n_added;
        }
        // The kind of the file is decided when 64 KiB were read: pieces of that are read in order.
        assert!(n > 20, "root {shape}: {n} pieces were added");
    }
}

#[test]
fn real_device_profiles_give_the_same() {
    for path in ["baseline_attention/baseline_exec_2_profile_full.json", "fused_attention/fused_exec_2_profile_full.json"] {
        let Some(path) = conformance("neuron").map(|dir| dir.join(path)) else { return };
        let text = Member::from_bytes(path.to_string_lossy(), std::fs::read(&path).unwrap());
        let whole = import(DEVICE, &text, Plan::SERIAL);
        for n_bytes in [1 << 12, 1 << 15, 1 << 18] {
            compare(DEVICE, &text, &whole, plan(3, n_bytes));
            let (pieces, n_added) = by_workers(DEVICE, &text, n_bytes);
            is_same(&whole, pieces, &("workers", n_bytes, &text));
            let n_pieces = (text.len() / n_bytes) as usize;
            assert!(n_added * 3 > n_pieces, "{n_added} of about {n_pieces} pieces were added");
        }
    }
}

/// Reads a text of which only that share is there in order, on threads and as workers do.
fn check(format: &str, text: String, share: f64, plan: Plan) {
    let mut text = text.into_bytes();
    text.truncate((text.len() as f64 * share) as usize);
    let text = Member::from_bytes("t.json", text);
    let whole = import(format, &text, Plan::SERIAL);
    compare(format, &text, &whole, plan);
    let n_bytes = plan.piece_bytes.0;
    is_same(&whole, by_workers(format, &text, n_bytes).0, &("workers", n_bytes, &text));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_any_trace_give_the_same(
        records in prop::collection::vec((0..N_KINDS, 0u64..400, 0u64..30), 1..60),
        shape in 0usize..20,
        cut in 0.0f64..1.3,
        n_bytes in 1u64..3000,
        n_threads in 2usize..5,
    ) {
        check(TRACE, trace(&records, shape), cut, plan(n_threads, n_bytes));
    }

    #[test]
    fn pieces_of_any_device_profile_give_the_same(
        sections in prop::collection::vec((0..SECTIONS.len(), prop::collection::vec((0usize..7, 0u64..400, 0u64..30), 0..20)), 1..8),
        shape in 0usize..16,
        cut in 0.0f64..1.3,
        n_bytes in 1u64..3000,
        n_threads in 2usize..5,
    ) {
        check(DEVICE, device(&sections, shape), cut, plan(n_threads, n_bytes));
    }
}
