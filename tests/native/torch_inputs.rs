//! Odd PyTorch traces: each of memory, modules, communication and differences shows what it can and says what it cannot.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use axonscope::analysis::torch::diff::{Diff, DiffPart, DiffQuery, FlatBy, FlatDiff, FlatDiffQuery};
use axonscope::analysis::torch::distributed::{Distributed, DistributedPart, DistributedPartQuery};
use axonscope::analysis::torch::kernels::{Kernels, KernelsQuery};
use axonscope::analysis::torch::memory::{Memory, MemoryEvents, MemoryEventsQuery, MemoryFrames, MemoryFramesQuery, MemoryQuery};
use axonscope::analysis::torch::modules::{Modules, TreePart, TreeQuery};
use axonscope::analysis::torch::ops::OpsQuery;
use axonscope::analysis::torch::overview::{Overview, OverviewQuery};
use axonscope::base::{InputSet, Member, TimeNs, TimeRange, TrackId};
use axonscope::engine::query::{DiffPartQuery, DistributedQuery, ModulesQuery, TraceCountersQuery};
use axonscope::engine::{Question, Session};
use axonscope::formats::import;

/// A trace of these events. `head` is put before them.
fn open(head: &str, events: &str) -> Session {
    let text = format!("{{\"schemaVersion\": 1, {head} \"traceEvents\": [{events}]}}");
    let mut input = InputSet::default();
    input.members.push(Member::from_bytes("w_0.pt.trace.json", text.into_bytes()));
    let (claim, outcome) = import::import(&input).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn op(name: &str, ts: u64, dur: u64) -> String {
    format!(r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"args":{{"External id":{ts}}}}}"#)
}

fn record(ts: u64, bytes: i64, address: u64, device: (i32, i32)) -> String {
    let (kind, id) = device;
    format!(
        r#"{{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":{ts},"args":{{"Device Type":{kind},"Device Id":{id},"Addr":{address},"Bytes":{bytes},"Total Allocated":{ts},"Total Reserved":4096}}}}"#
    )
}

fn collective(seq: u64, ts: u64, dur: u64) -> String {
    format!(
        r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7,"correlation":{seq},"Collective name":"allreduce","dtype":"Float","In msg nelems":100,"Out msg nelems":100,"Process Group Name":"0","Seq":{seq}}}}}"#
    )
}

fn ask<Q: Question>(session: &Session, question: Q) -> Q::Answer {
    session.ask(&question).expect("an answer")
}

fn memory(session: &Session) -> Memory {
    ask(session, MemoryQuery::default())
}

fn events(session: &Session, device: &str) -> MemoryEvents {
    let query = MemoryEventsQuery { device: device.into(), ..MemoryEventsQuery::default() };
    ask(session, query)
}

fn modules(session: &Session) -> Modules {
    ask(session, ModulesQuery)
}

fn tree(session: &Session, query: TreeQuery) -> TreePart {
    ask(session, query)
}

fn part(session: &Session, worker: &str, span: &str) -> DistributedPart {
    ask(session, DistributedPartQuery { worker: worker.into(), span: span.into() })
}

fn merged(session: &Session, parts: Vec<DistributedPart>) -> Distributed {
    ask(session, DistributedQuery { parts })
}

fn diff_part(session: &Session) -> DiffPart {
    ask(session, DiffPartQuery)
}

fn diff(base: &Session, experiment: &Session, path: &str) -> Diff {
    ask(experiment, DiffQuery { base: diff_part(base), path: path.into() })
}

fn flat(base: &Session, experiment: &Session, by: FlatBy) -> FlatDiff {
    ask(experiment, FlatDiffQuery { base: diff_part(base), by })
}

fn overview(session: &Session) -> Overview {
    ask(session, OverviewQuery::default())
}

fn kernels(session: &Session) -> Kernels {
    ask(session, KernelsQuery::default())
}

fn frames(session: &Session, track: TrackId, time: TimeNs) -> MemoryFrames {
    ask(session, MemoryFramesQuery { track, time })
}

/// Every question, so that none of them stops; what has nothing to show says so.
fn check_all(session: &Session) {
    let range = TimeRange { start: TimeNs(1), end: TimeNs(2) };
    let operators = ask(session, OpsQuery::default());
    assert!(!operators.rows.is_empty() || !operators.notes.is_empty());
    let (overview, kernels) = (overview(session), kernels(session));
    assert!(!overview.summary.is_empty() || !overview.notes.is_empty());
    assert!(!kernels.rows.is_empty() || !kernels.notes.is_empty());
    assert!(overview.has_step_marks || overview.notes.iter().any(|n| n.contains("step")), "{:?}", overview.notes);
    ask(session, OverviewQuery { range: Some(range) });
    ask(session, TraceCountersQuery);
    let memory = memory(session);
    assert!(!memory.devices.is_empty() || !memory.notes.is_empty());
    ask(session, MemoryQuery { range: Some(range) });
    for device in &memory.devices {
        events(session, &device.name);
    }
    ask(session, MemoryFramesQuery { track: TrackId(0), time: TimeNs(0) });
    ask(session, MemoryFramesQuery { track: TrackId(99), time: TimeNs(0) });
    let modules = modules(session);
    assert!(!modules.rows.is_empty() || !modules.notes.is_empty());
    tree(session, TreeQuery { range: Some(range), limit: 1, ..TreeQuery::default() });
    let all = merged(session, vec![part(session, "w", ""), part(session, "w", "")]);
    assert!(all.notes.iter().any(|n| n.contains("same worker")), "{:?}", all.notes);
    assert!(merged(session, Vec::new()).workers.is_empty());
    let same = diff(session, session, "");
    assert_eq!(same.part.delta_ns, 0);
    for by in [FlatBy::Operator, FlatBy::OperatorShape, FlatBy::Kernel] {
        assert!(flat(session, session, by).rows.iter().all(|r| r.base == r.experiment));
    }
}

#[test]
fn odd_traces_are_answered() {
    let kernel =
        r#"{"ph":"X","cat":"kernel","name":"k","pid":200,"tid":7,"ts":5,"dur":2,"args":{"device":200,"stream":7,"correlation":9}}"#;
    let step = |n: u32, ts: u64, dur: u64| {
        format!(r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{n}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
    };
    let deep: Vec<String> = (0..3000).map(|i| op("f", i, 10_000 - 2 * i)).collect();
    let odd = [
        // One event; no operators; no kernels; a device of a great number and kernels before any launch.
        op("aten::add", 1, 2),
        kernel.to_string(),
        format!("{},{}", op("aten::add", 1, 2), op("aten::mul", 4, 2)),
        format!("{kernel},{},{}", op("aten::add", 10, 2), collective(1, 2, 3)),
        // Steps that overlap.
        format!("{},{},{}", step(1, 0, 50), step(2, 30, 50), op("aten::add", 40, 5)),
        // No duration, no category, a thread that is a text.
        r#"{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1},{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":3},{"ph":"X","cat":"cpu_op","name":"c","pid":"p","tid":"main","ts":1,"dur":3}"#.into(),
        // Records of memory alone: releases, no address, devices of all makers.
        [record(1, -5, 7, (0, -1)), record(2, 5, 7, (6, 3)), record(3, 8, 9, (77, 1)), record(4, 8, 9, (77, 1))].join(","),
        r#"{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Bytes":12}}"#.into(),
        // Operators in operators, thousands deep.
        deep.join(","),
    ];
    for events in odd {
        check_all(&open("", &events));
    }
}

#[test]
fn a_great_device_number_and_a_kernel_without_a_launch_are_shown() {
    let kernel =
        r#"{"ph":"X","cat":"kernel","name":"k","pid":200,"tid":7,"ts":5,"dur":2,"args":{"device":200,"stream":7,"correlation":9}}"#;
    let session = open("", &format!("{kernel},{}", op("aten::add", 10, 2)));
    let found = kernels(&session);
    assert_eq!((found.devices, found.rows.len(), found.total.0), (vec![200], 1, 2_000));
    assert_eq!(overview(&session).devices.iter().map(|d| d.device).collect::<Vec<_>>(), [200]);
    // Steps that overlap are both there, and each is cut into all of its time.
    let step =
        |n: u32, ts: u64| format!(r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{n}","pid":1,"tid":1,"ts":{ts},"dur":50}}"#);
    let steps = overview(&open("", &[step(1, 0), step(2, 30), op("aten::add", 40, 5)].join(","))).steps;
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|s| s.parts.iter().map(|p| p.0).sum::<i64>() == s.total.0), "{steps:?}");
}

#[test]
fn frames_of_an_allocation_are_those_around_it() {
    let python = |name: &str, ts: u64, dur: u64, id: u64| {
        format!(r#"{{"ph":"X","cat":"python_function","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"args":{{"Python id":{id}}}}}"#)
    };
    let all = [
        python("train.py(3): main", 0, 100, 1),
        python("model.py(9): forward", 5, 50, 2),
        op("aten::empty", 10, 10),
        record(12, 64, 1, (0, -1)),
    ];
    let session = open("", &all.join(","));
    let life = events(&session, "CPU").rows.remove(0);
    let found = frames(&session, life.track, life.allocated.unwrap());
    assert_eq!(found.frames, ["train.py(3): main", "model.py(9): forward"]);
    assert_eq!(found.operators.iter().map(|o| o.0.as_str()).collect::<Vec<_>>(), ["aten::empty"]);
    // Old traces note a call stack with the operator; innermost first in the file's own order.
    let noted = r#"{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":10,"dur":10,"args":{"Call stack":"model.py(9): forward;train.py(3): main"}}"#;
    let session = open("", &[noted.to_string(), record(12, 64, 1, (0, -1))].join(","));
    let life = events(&session, "CPU").rows.remove(0);
    assert_eq!(frames(&session, life.track, life.allocated.unwrap()).frames, ["model.py(9): forward", "train.py(3): main"]);
    // No stacks at all, and nothing around.
    let session = open("", &[op("aten::empty", 10, 10), record(12, 64, 1, (0, -1)), record(40, 8, 2, (0, -1))].join(","));
    let track = events(&session, "CPU").rows[0].track;
    assert_eq!(frames(&session, track, TimeNs(2_000)).operators.len(), 1);
    assert_eq!(frames(&session, track, TimeNs(30_000)), MemoryFrames::default());
}

#[test]
fn modules_in_a_circle_end() {
    let call = |id: u32, parent: u32, module: u32, ts: u32| {
        format!(
            r#"{{"ph":"X","cat":"python_function","name":"nn.Module: M_{module}","pid":1,"tid":1,"ts":{ts},"dur":5,"args":{{"Python id":{id},"Python parent id":{parent},"Python module id":{module}}}}}"#
        )
    };
    let session = open("", &[call(1, 2, 0, 1), call(2, 1, 1, 7), call(3, 3, 2, 20), call(4, 9, 3, 30), op("aten::add", 31, 2)].join(","));
    check_all(&session);
    let names: Vec<String> = modules(&session).rows.iter().map(|r| r.name.clone()).collect();
    assert!(names.contains(&"M_3".to_string()), "{names:?}");
    assert_eq!(names.iter().filter(|n| *n == "M_3").count(), 1);
}

#[test]
fn memory_of_amd_is_a_gpu_and_a_lost_release_is_kept() {
    let all = [
        op("aten::empty", 10, 10),
        record(12, 64, 1, (6, 0)),
        record(14, 32, 1, (6, 0)),
        record(15, -32, 1, (6, 0)),
        record(30, -7, 2, (6, 0)),
    ];
    let session = open("", &all.join(","));
    let memory = memory(&session);
    assert_eq!(memory.devices[0].name, "GPU0");
    let row = &memory.devices[0].operators[0];
    let figures = (row.calls, row.increase_bytes, row.self_increase_bytes, row.self_allocations, row.self_allocated_bytes);
    assert_eq!(figures, (1, 64, 64, 2, 96));
    assert_eq!((memory.devices[0].n_records, memory.devices[0].n_outside, memory.devices[0].outside_bytes), (4, 1, -7));
    let lives: Vec<(u64, bool, bool)> =
        events(&session, "GPU0").rows.iter().map(|l| (l.size_bytes, l.allocated.is_some(), l.released.is_some())).collect();
    assert_eq!(lives, [(32, true, true), (64, true, false), (7, false, true)]);
}

fn worker(rank: u32, collectives: &[(u64, u64, u64)]) -> Session {
    let head = format!(r#""distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 3}},"#);
    let mut all: Vec<String> = collectives.iter().map(|&(seq, ts, dur)| collective(seq, ts, dur)).collect();
    all.push(op("aten::add", 0, 1000));
    open(&head, &all.join(","))
}

#[test]
fn the_last_to_come_is_named_with_its_cost() {
    let (a, b) = (worker(0, &[(1, 100, 50), (2, 300, 90)]), worker(1, &[(1, 140, 10), (2, 380, 10)]));
    let all = merged(&a, vec![part(&b, "w_1", ""), part(&a, "w_0", "")]);
    assert!(all.is_matched);
    assert!(all.notes.iter().any(|n| n.contains("2 of 3 ranks")), "{:?}", all.notes);
    let last = &all.stragglers[0];
    let figures = (last.worker.as_str(), last.waited.0, last.others_waited.0, last.cost.0, last.n_last, last.n_operations);
    assert_eq!(figures, ("w_1", 0, 120_000, 120_000, 2, 2));
    let row = &all.workers[0].operations[0];
    assert_eq!((row.name.as_str(), row.calls, row.size_bytes, row.latency.0), ("nccl:allreduce", 2, Some(800), 140_000));
    assert_eq!(row.transfer.map(|t| t.0), Some(20_000));
    let wait = all.workers[0].wait.unwrap();
    assert_eq!((wait.transfer.0, wait.synchronizing.0), (20_000, 120_000));
}

#[test]
fn workers_that_do_not_fit_say_why() {
    let a = worker(0, &[(1, 100, 50), (2, 300, 90)]);
    // An operation that only one has: matched by number, the other left out.
    let all = merged(&a, vec![part(&a, "w_0", ""), part(&worker(1, &[(2, 300, 10)]), "w_1", "")]);
    assert!(all.is_matched && all.notes.iter().any(|n| n.contains("1 operations have no match in the open workers")), "{:?}", all.notes);
    // Operations without a number beside numbered ones: by order if equally many, else left out.
    let mixed = |rank, n: u64| {
        let mut all = vec![collective(1, 100, 50), op("aten::add", 0, 1000)];
        let gloo = |i| {
            format!(r#"{{"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":2,"ts":{},"dur":{rank}}}"#, 500 + i * 50)
        };
        all.extend((0..n).map(gloo));
        open(&format!(r#""distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 3}},"#), &all.join(","))
    };
    let even = merged(&a, vec![part(&mixed(1, 2), "w_1", ""), part(&mixed(2, 2), "w_2", "")]);
    assert_eq!(
        even.workers[1].operations.iter().map(|o| (o.calls, o.transfer.map(|t| t.0))).collect::<Vec<_>>(),
        [(1, Some(50_000)), (2, Some(2_000))]
    );
    let uneven = merged(&a, vec![part(&mixed(1, 2), "w_1", ""), part(&mixed(2, 1), "w_2", "")]);
    assert!(uneven.is_matched && uneven.notes.iter().any(|n| n.contains("3 operations have no match")), "{:?}", uneven.notes);
    // None in common; none at all; one worker; two of one rank; spans that do not match.
    let none = merged(&a, vec![part(&a, "w_0", ""), part(&worker(1, &[(7, 1, 1)]), "w_1", "")]);
    assert!(!none.is_matched && none.stragglers.is_empty() && none.notes.iter().any(|n| n.contains("No communication operation matches")));
    let silent = merged(&a, vec![part(&a, "w_0", ""), part(&worker(1, &[]), "w_1", "")]);
    assert!(!silent.is_matched && silent.notes.iter().any(|n| n.contains("w_1 has no communication")), "{:?}", silent.notes);
    let one = merged(&a, vec![part(&a, "w_0", "")]);
    assert!(one.workers[0].wait.is_none() && one.workers[0].operations[0].transfer.is_none());
    assert!(one.notes.iter().any(|n| n.contains("Only one worker")));
    let twice = merged(&a, vec![part(&a, "w_0", ""), part(&a, "w_0 (2)", "")]);
    assert_eq!(twice.workers.len(), 1);
    let spans = merged(&a, vec![part(&a, "w_0", "1"), part(&worker(1, &[(1, 1, 1)]), "w_1", "2")]);
    assert!(spans.notes.iter().any(|n| n.contains("different spans")), "{:?}", spans.notes);
}

#[test]
fn a_diff_aligns_landmarks_and_zooms() {
    let note = |name: &str, ts: u64, dur: u64| {
        format!(r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
    };
    let optimizer = "Optimizer.step#SGD.step";
    let base = open("", &[op("aten::a", 0, 5), op("aten::b", 6, 5), note(optimizer, 20, 10), op("aten::add_", 21, 4)].join(","));
    let experiment = open("", &[op("aten::a", 0, 9), note(optimizer, 20, 30), op("aten::add_", 21, 20), op("aten::c", 60, 1)].join(","));
    let all = diff(&base, &experiment, "");
    let rows: Vec<_> = all
        .parts
        .iter()
        .map(|p| (p.path.as_str(), p.base.name.as_str(), p.experiment.name.as_str(), p.delta_ns, p.accumulated_ns))
        .collect();
    let want = [
        ("0-0", "CompositeNodes", "aten::a", -1_000, -1_000),
        ("0-1", optimizer, optimizer, 20_000, 19_000),
        ("0-2", "Blank", "aten::c", 1_000, 20_000),
    ];
    assert_eq!(rows, want);
    let inner = diff(&base, &experiment, "0-1");
    assert_eq!(inner.crumbs, [("0".to_string(), "All".to_string()), ("0-1".to_string(), "Optimizer SGD".to_string())]);
    let row = &inner.operators[0];
    assert_eq!((row.name.as_str(), row.base.unwrap().host_total.0, row.experiment.unwrap().host_total.0), ("aten::add_", 4_000, 20_000));
    let flat = flat(&base, &experiment, FlatBy::Operator);
    let names: Vec<&str> = flat.rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["aten::add_", "aten::b", "aten::a", "aten::c"]);
    for path in ["0-9", "0-x"] {
        let refusal = experiment.ask(&DiffQuery { base: diff_part(&base), path: path.into() }).unwrap_err();
        assert!(refusal.to_string().contains(path), "{refusal}");
    }
}

#[test]
fn a_tree_is_sent_in_parts() {
    let all: Vec<String> = (0..50).flat_map(|i| [op("outer", i * 100, 90), op("inner", i * 100 + 5, 10)]).collect();
    let session = open("", &all.join(","));
    let top = tree(&session, TreeQuery { levels: 1, ..TreeQuery::default() });
    assert_eq!((top.nodes.len(), top.n_more, top.nodes[0].n_children), (50, 0, 1));
    let below = tree(&session, TreeQuery { below: Some(top.nodes[3].node), levels: 1, ..TreeQuery::default() });
    assert_eq!(
        below.nodes.iter().map(|n| (n.name.as_str(), n.parent, n.depth)).collect::<Vec<_>>(),
        [("inner", Some(top.nodes[3].node), 1)]
    );
    let first = tree(&session, TreeQuery { limit: 20, ..TreeQuery::default() });
    assert_eq!((first.nodes.len(), first.n_more), (20, 30));
    let window = TimeRange { start: top.nodes[10].start, end: TimeNs(top.nodes[11].start.0 + 1) };
    assert_eq!(tree(&session, TreeQuery { range: Some(window), levels: 1, ..TreeQuery::default() }).nodes.len(), 2);
}
