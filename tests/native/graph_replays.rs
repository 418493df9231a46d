//! Graph replays get the operators of their capture; what does not fit stays without an operator, with the reason.

use crate::common::conformance;
use axonscope::analysis::torch::kernels::{KernelGrouping, KernelsQuery};
use axonscope::analysis::torch::ops::{OpGrouping, OpMembersQuery, Ops, OpsQuery};
use axonscope::analysis::torch::unattributed::Reason;
use axonscope::base::{InputSet, Member};
use axonscope::engine::Session;
use axonscope::engine::query::{DetailsQuery, ModulesQuery};
use axonscope::formats::import;
use std::collections::BTreeMap;
use std::path::Path;

/// Opens files as one drop.
fn sessions(files: &[(&str, Vec<u8>)]) -> Vec<Session> {
    let members = files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect();
    let outcomes = import::import(&InputSet { members }).unwrap();
    let opened = outcomes.into_iter().map(|(claim, done)| {
        let (imported, input) = done.unwrap();
        imported.profile.check().unwrap();
        Session::new(claim, input, imported)
    });
    opened.collect()
}

fn ops(session: &Session, grouping: OpGrouping) -> Ops {
    session.ask(&OpsQuery { grouping, ..OpsQuery::default() }).expect("an answer")
}

/// Device time by operator, µs.
fn times(ops: &Ops) -> BTreeMap<String, f64> {
    ops.rows.iter().filter(|r| r.times.device_self.0 > 0).map(|r| (r.name.clone(), r.times.device_self.0 as f64 / 1e3)).collect()
}

fn reasons(ops: &Ops) -> Vec<(Reason, u64)> {
    ops.unattributed.iter().map(|u| (u.reason, u.n)).collect()
}

/// A launch of a capture: operator, its shape, kernel.
type Launch<'a> = (&'a str, &'a str, &'a str);

/// Captures of graphs: batch size and launches. `has_names` as ROCm records them; an `is_cut` trace ends inside its last capture.
fn capture(rank: u32, graphs: &[(u32, &[Launch<'_>])], has_names: bool, is_cut: bool) -> Vec<u8> {
    let mut events = Vec::new();
    let mut at = 0;
    let mut event = |cat: &str, name: &str, ts: i32, dur: i32, args: String| {
        events.push(format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":5,"tid":5,"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#));
    };
    for (g, (batch, launches)) in graphs.iter().enumerate() {
        let n = launches.len() as i32;
        let is_open = is_cut && g + 1 == graphs.len();
        event("user_annotation", &format!("capture_{batch}_FULL"), at, 100 * n + 50, String::new());
        event("cuda_runtime", "cudaStreamBeginCapture", at + 2, 1, r#""correlation": 1"#.into());
        let module = format!(r#""Python id": {}, "Python parent id": null, "Python module id": 0"#, g + 1);
        event("python_function", "nn.Module: Net_0", at + 4, 100 * n + 20, module);
        for (i, (operator, shape, kernel)) in launches.iter().enumerate() {
            let start = at + 10 + 100 * i as i32;
            event("python_function", &format!("net.py({}): forward", i + 1), start, 90, format!(r#""Python id": {}"#, 100 + i));
            event("cpu_op", operator, start + 5, 80, format!(r#""External id": {i}, "Input Dims": {shape}"#));
            let name = if has_names { format!(r#""kernel": "{kernel}", "#) } else { String::new() };
            let call = if kernel.starts_with("Memcpy") { "cudaMemcpyAsync" } else { "cudaLaunchKernel" };
            event("cuda_runtime", call, start + 10, 5, format!(r#"{name}"correlation": {}"#, 10 + i));
        }
        if !is_open {
            event("cuda_runtime", "cudaStreamEndCapture", at + 100 * n + 30, 1, r#""correlation": 2"#.into());
        }
        at += 100 * n + 100;
    }
    trace(rank, &events)
}

fn trace(rank: u32, events: &[String]) -> Vec<u8> {
    let head = format!(r#"{{"schemaVersion": 1, "deviceProperties": [], "distributedInfo": {{"backend": "nccl", "rank": {rank}}}"#);
    format!("{head}, \"traceEvents\": [\n{}\n]}}", events.join(",\n")).into_bytes()
}

/// A run: for each replay the kernels, as (name, stream). `step` is the annotation around each launch.
fn run(rank: u32, step: &str, replays: &[&[(&str, u32)]]) -> Vec<u8> {
    let mut events = Vec::new();
    for (r, work) in replays.iter().enumerate() {
        let at = 1_000 * r as u32;
        let correlation = 100 + r;
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"{step}","pid":5,"tid":5,"ts":{at},"dur":50,"args":{{"External id": {r}}}}}"#
        ));
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":5,"tid":5,"ts":{},"dur":5,"args":{{"correlation": {correlation}}}}}"#,
            at + 2
        ));
        for (i, (name, stream)) in work.iter().enumerate() {
            let cat = if name.starts_with("Memcpy") { "gpu_memcpy" } else { "kernel" };
            events.push(format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":0,"tid":{stream},"ts":{},"dur":{},"args":{{"device": 0, "stream": {stream}, "correlation": {correlation}}}}}"#,
                at + 100 + 20 * i as u32,
                10 + i
            ));
        }
    }
    trace(rank, &events)
}

const MM: Launch<'_> = ("aten::mm", "[[4, 8], [8, 16]]", "gemm");
const ADD: Launch<'_> = ("aten::add", "[[4, 16], [4, 16]]", "add");
const COPY: Launch<'_> = ("aten::copy_", "[[4, 16]]", "Memcpy DtoD (Device -> Device)");

#[test]
fn a_replay_has_the_operators_of_its_capture() {
    let files = [
        ("run/trace.json", run(0, "execute_4", &[&[("gemm", 7), ("add", 7)], &[("gemm", 7), ("add", 7)]])),
        ("run/capture_traces/c.json", capture(0, &[(4, &[MM, ADD])], true, false)),
        ("run/capture_traces/execution_details.json", br#"[{"file": "c.json", "batch_size": 4, "mode": "FULL"}]"#.to_vec()),
    ];
    let all = sessions(&files);
    assert_eq!(all.len(), 1);
    let found = ops(&all[0], OpGrouping::NameShape);
    let rows: Vec<_> = found.rows.iter().map(|r| (r.name.as_str(), r.shape.as_deref().unwrap(), r.calls, r.times.device_self.0)).collect();
    assert_eq!(
        rows,
        [("aten::add", "[[4, 16], [4, 16]]", 2, 22_000), ("aten::mm", "[[4, 8], [8, 16]]", 2, 20_000)],
        "as if launched eagerly"
    );
    assert!(found.rows.iter().all(|r| r.times.host_total.0 == 0 && r.has_stack), "the host ran them during the capture");
    assert!(reasons(&found).is_empty());
    // Stack, kernels, module, details.
    let query = OpMembersQuery { name: "aten::add".into(), ..OpMembersQuery::default() };
    let members = all[0].ask(&query).expect("an answer");
    assert_eq!(members.stacks[0].frames, ["net.py(2): forward"]);
    assert_eq!((members.kernels[0].name.as_str(), members.kernels[0].calls), ("add", 2));
    let query = KernelsQuery { grouping: KernelGrouping::Properties, ..KernelsQuery::default() };
    let kernels = all[0].ask(&query).expect("an answer");
    let operators: Vec<_> = kernels.rows.iter().map(|r| r.properties.as_ref().unwrap().operator.as_deref()).collect();
    assert_eq!(operators, [Some("aten::add"), Some("aten::mm")]);
    let modules = all[0].ask(&ModulesQuery).expect("an answer");
    let rows: Vec<_> = modules.rows.iter().map(|m| (m.name.as_str(), m.occurrences, m.device_total.0, m.host_total.0)).collect();
    assert_eq!(rows, [("Net_0", 2, 42_000, 0)]);
    let details = all[0].ask(&DetailsQuery { item: members.calls[0].slice.into() }).expect("an answer");
    assert_eq!(details.track, "GPU 0 / Operators (from capture)", "devices without metadata have a name");
    assert_eq!((details.start.0, details.duration.0), (120_000, 11_000));
    assert!(details.fields.iter().any(|f| f.key == "Input Dims"), "the record of the capture");
    let said = |fields: &[axonscope::formats::Field]| -> Vec<(String, String)> {
        fields.iter().filter(|f| f.group == "Attribution").map(|f| (f.key.clone(), f.value.clone())).collect()
    };
    let file = "run/capture_traces/c.json".to_string();
    assert_eq!(said(&details.fields), [("Attributed from capture".to_string(), file.clone())]);
    let kernel = all[0].ask(&DetailsQuery { item: members.kernels[0].longest.into() }).expect("an answer");
    assert_eq!(said(&kernel.fields), [("Attributed from capture".into(), "aten::add".into()), ("Capture".into(), file)]);
}

#[test]
fn an_archive_of_a_run_and_its_captures_is_one_profile() {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("run/trace.json", run(0, "execute_4", &[&[("gemm", 7), ("add", 7)]])),
        ("run/capture_traces/c.json", capture(0, &[(4, &[MM, ADD])], true, false)),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    let all = sessions(&[("run.tar", archive.into_inner().unwrap())]);
    assert_eq!(all.len(), 1);
    let want = [("aten::add", 11.0), ("aten::mm", 10.0)];
    assert_eq!(times(&ops(&all[0], OpGrouping::Name)), want.map(|(n, t)| (n.to_string(), t)).into());
}

#[test]
fn without_a_capture_the_reason_is_given() {
    let all = sessions(&[("trace.json", run(0, "execute_4", &[&[("gemm", 7), ("add", 7)]]))]);
    let found = ops(&all[0], OpGrouping::Name);
    assert_eq!(reasons(&found), [(Reason::NoCapture, 2)]);
    assert!(found.notes.iter().any(|n| n.contains("capture_traces")), "{:?}", found.notes);
}

#[test]
fn a_capture_alone_says_what_it_is() {
    let all = sessions(&[("capture_traces/c.json", capture(0, &[(4, &[MM])], true, false))]);
    assert!(all[0].ledger.recognised.contains("capture of CUDA or HIP graphs"), "{}", all[0].ledger.recognised);
}

#[test]
fn captures_of_another_rank_or_directory_stay_apart() {
    let trace = run(1, "execute_4", &[&[("gemm", 7)]]);
    for place in ["run/capture_traces/c.json", "other/capture_traces/c.json"] {
        let rank = u32::from(!place.starts_with("run"));
        let all = sessions(&[("run/trace.json", trace.clone()), (place, capture(rank, &[(4, &[MM])], true, false))]);
        assert_eq!(all.len(), 2, "{place}");
    }
}

#[test]
fn captures_that_do_not_fit_are_reported() {
    type Case = (&'static str, Vec<u8>, Vec<(&'static str, u32)>);
    let cases: [Case; 4] = [
        ("another model", capture(0, &[(4, &[("aten::exp", "[[4]]", "exp"), ADD])], true, false), vec![("gemm", 7), ("add", 7)]),
        ("cut off", capture(0, &[(4, &[MM, ADD])], true, true), vec![("gemm", 7), ("add", 7)]),
        ("more kernels", capture(0, &[(4, &[MM])], true, false), vec![("gemm", 7), ("add", 7), ("gemm", 7)]),
        ("two streams without names", capture(0, &[(4, &[MM, ADD])], false, false), vec![("gemm", 7), ("add", 8)]),
    ];
    for (case, capture, work) in cases {
        let all = sessions(&[("run/t.json", run(0, "execute_4", &[&work])), ("run/capture_traces/c.json", capture)]);
        let found = ops(&all[0], OpGrouping::Name);
        assert!(found.rows.is_empty(), "{case}");
        let [(reason, n)] = reasons(&found)[..] else { panic!("{case}") };
        assert_eq!(n, work.len() as u64, "{case}");
        assert!(matches!(reason, Reason::NoFit | Reason::NoCapture), "{case}: {reason:?}");
        assert_eq!(case == "cut off", all[0].ledger.skipped.iter().any(|s| s.kind == "capture_cut"), "{case}");
    }
}

#[test]
fn kernels_without_names_fit_by_count_and_kind() {
    let capture = capture(0, &[(4, &[MM, COPY, ADD])], false, false);
    let work = [("gemm", 7), ("Memcpy DtoD (Device -> Device)", 7), ("add", 7)];
    let all = sessions(&[("run/t.json", run(0, "x", &[&work])), ("run/capture_traces/c.json", capture)]);
    let want = [("aten::add", 12.0), ("aten::copy_", 11.0), ("aten::mm", 10.0)];
    assert_eq!(times(&ops(&all[0], OpGrouping::Name)), want.map(|(n, t)| (n.to_string(), t)).into());
}

#[test]
fn streams_are_taken_in_program_order() {
    let capture = capture(0, &[(4, &[MM, ADD, MM])], true, false);
    let work = [("add", 8), ("gemm", 7), ("gemm", 7)];
    let all = sessions(&[("run/t.json", run(0, "x", &[&work])), ("run/capture_traces/c.json", capture)]);
    let want = [("aten::add", 10.0), ("aten::mm", 23.0)];
    assert_eq!(times(&ops(&all[0], OpGrouping::Name)), want.map(|(n, t)| (n.to_string(), t)).into());
}

#[test]
fn batch_sizes_tell_equal_captures_apart() {
    let large: Launch<'_> = ("aten::mm", "[[8, 8], [8, 16]]", "gemm");
    let shapes = |step: &str, graphs: &[(u32, &[Launch<'_>])]| {
        let files = [("run/t.json", run(0, step, &[&[("gemm", 7)]])), ("run/capture_traces/c.json", capture(0, graphs, true, false))];
        let all = sessions(&files);
        let found = ops(&all[0], OpGrouping::NameShape);
        let rows: Vec<_> = found.rows.iter().map(|r| (r.name.clone(), r.shape.clone().unwrap())).collect();
        (rows, reasons(&found), all[0].ledger.notes.join(" "))
    };
    let both: [(u32, &[Launch<'_>]); 2] = [(8, &[large]), (4, &[MM])];
    assert_eq!(shapes("execute_3_x", &both).0, [("aten::mm".to_string(), "[[4, 8], [8, 16]]".to_string())]);
    assert_eq!(shapes("execute_context_0(0)_generation_3(3)", &both).0, [("aten::mm".to_string(), "[[4, 8], [8, 16]]".to_string())]);
    assert_eq!(shapes("step[DECODE bs=6]", &both).0, [("aten::mm".to_string(), "[[8, 8], [8, 16]]".to_string())]);
    // Nothing tells which: the operator is sure, its shape is not.
    let (rows, _, notes) = shapes("x", &both);
    assert_eq!(rows, [("aten::mm".to_string(), "[]".to_string())]);
    assert!(notes.contains("fit several captures equally well"), "{notes}");
    // Other operators with the same kernels: nothing is sure.
    let other: Launch<'_> = ("aten::linear", "[[4, 8], [8, 16]]", "gemm");
    let (rows, reasons, _) = shapes("x", &[(8, &[other]), (4, &[MM])]);
    assert_eq!((rows, reasons), (vec![], vec![(Reason::Ambiguous, 1)]));
}

#[test]
fn a_capture_of_a_smaller_batch_gives_no_shapes() {
    let found = |step: &str| {
        let files =
            [("run/t.json", run(0, step, &[&[("gemm", 7)]])), ("run/capture_traces/c.json", capture(0, &[(4, &[MM])], true, false))];
        let all = sessions(&files);
        let found = ops(&all[0], OpGrouping::NameShape);
        (found.rows[0].name.clone(), found.rows[0].shape.clone().unwrap(), all[0].ledger.notes.join(" ").contains("a smaller batch"))
    };
    let shape = "[[4, 8], [8, 16]]".to_string();
    assert_eq!(found("execute_context_0(0)_generation_8(8)"), ("aten::mm".into(), "[]".into(), true), "8 requests are not in a graph of 4");
    assert_eq!(found("execute_context_0(0)_generation_4(16)"), ("aten::mm".into(), shape.clone(), false), "4 requests with 4 tokens each");
    assert_eq!(found("step[DECODE bs=3]"), ("aten::mm".into(), shape, false), "padded to 4");
}

#[test]
fn damaged_companions_are_reported() {
    let trace = run(0, "x", &[&[("gemm", 7)]]);
    let mut whole = capture(0, &[(4, &[MM])], true, false);
    whole.truncate(whole.len() / 2);
    let files =
        [("run/t.json", trace), ("run/capture_traces/c.json", whole), ("run/capture_traces/execution_details.json", b"{}".to_vec())];
    let all = sessions(&files);
    let notes = all[0].ledger.notes.join(" ");
    assert!(notes.contains("execution_details.json") && notes.contains("0 of 1 graph launches") || notes.contains("not read"), "{notes}");
    assert_eq!(reasons(&ops(&all[0], OpGrouping::Name)).len(), 1);
}

fn files_below(directory: &Path, prefix: &str, out: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(directory).unwrap().map(|e| e.unwrap()) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true if name.ends_with("capture_traces") => files_below(&entry.path(), &format!("{name}/"), out),
            true => {}
            false => out.push((name, std::fs::read(entry.path()).unwrap())),
        }
    }
}

#[test]
fn kernel_time_by_operator_equals_tracelens() {
    let Some(graphs) = conformance("kineto/graphs") else { return };
    for name in ["vllm_decode_full", "sglang_decode"] {
        let directory = graphs.join(name);
        let mut files = Vec::new();
        files_below(&directory, &format!("{name}/"), &mut files);
        let files: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
        let all = sessions(&files);
        assert_eq!(all.len(), 1, "{name}");
        let found = ops(&all[0], OpGrouping::Name);
        let mut ours = times(&found);
        for outside in found.unattributed.iter().filter(|u| u.reason == Reason::OutsideOperators) {
            *ours.entry(outside.launch.clone()).or_default() += outside.time.0 as f64 / 1e3;
        }
        assert!(found.unattributed.iter().all(|u| u.reason == Reason::OutsideOperators), "{:?}", found.unattributed);
        let mut wanted: BTreeMap<String, f64> = BTreeMap::new();
        let text = std::fs::read_to_string(directory.join("perf_csvs/ops_summary.csv")).unwrap();
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            *wanted.entry(cells[0].into()).or_default() += cells[2].parse::<f64>().unwrap();
        }
        for (operator, time) in wanted.iter().filter(|w| *w.1 > 1.0) {
            let mine = ours.get(operator).copied().unwrap_or(0.0);
            assert!((mine - time).abs() <= time * 1e-3, "{name} {operator}: {mine} µs, TraceLens {time}");
        }
        let sum = |times: &BTreeMap<String, f64>| times.values().sum::<f64>();
        assert!((sum(&ours) - sum(&wanted)).abs() <= sum(&wanted) * 1e-3, "{name}");
    }
}

#[test]
fn a_capture_that_comes_later_has_a_place_beside_its_run() {
    use axonscope::formats::inspect::inspect;
    let found = |files: &[(&str, Vec<u8>)]| {
        let members = files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect();
        inspect(&InputSet { members }).unwrap().found
    };
    let (of_run, of_capture) = (run(0, "execute_4", &[&[("gemm", 7)]]), capture(0, &[(4, &[MM])], true, false));
    let alone = found(&[("c.json", of_capture.clone())]).remove(0);
    assert!(alone.is_capture() && alone.capture_path("x").is_none());
    let first = found(&[("d/trace.json", of_run.clone())]).remove(0);
    let path = first.capture_path("somewhere/c.json").unwrap();
    assert_eq!(path, "d/capture_traces/c.json");
    let both = found(&[("d/trace.json", of_run.clone()), (&path, of_capture)]);
    assert_eq!((both.len(), both[0].paths.clone()), (1, vec!["d/trace.json".to_string(), path.clone()]));
    // Of another rank it stays alone.
    assert_eq!(found(&[("d/trace.json", of_run), (&path, capture(1, &[(4, &[MM])], true, false))]).len(), 2);
    assert_eq!(first.capture_path("c.json").as_deref(), Some("d/capture_traces/c.json"));
}
