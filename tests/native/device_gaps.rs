//! Idle time by cause and the critical path: on small profiles written here, and on the real ones from every source.

use crate::neuron_support::*;
use axonscope::analysis::device::Cause;
use axonscope::analysis::device::run_metrics::summary::summary;
use axonscope::analysis::device::waiting::critical_path::{PathKind, PathStep, critical_path};
use axonscope::analysis::device::waiting::gaps::{Gaps, gaps};
use axonscope::analysis::device::waiting::signals::Signals;
use axonscope::base::{InputSet, TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{CriticalPathQuery, GapsQuery};
use axonscope::formats::import;
use axonscope::model::Profile;
use serde_json::{Value, json};

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

/// An instruction: (id, engine, opcode, start, duration, operands, ids of predecessors).
type Row<'a> = (i64, &'a str, &'a str, i64, i64, &'a str, &'a [i64]);

fn written(rows: &[Row<'_>], updates: &[(&str, i64, i64)]) -> Vec<u8> {
    let instruction = |r: &Row<'_>| {
        let predecessors: Vec<Value> = r.6.iter().map(|id| json!({"id": id, "type": "FLOW_DEPENDENCE"})).collect();
        json!({"id": r.0, "label": r.1, "subgroup": r.1, "subgraph": "sg00", "opcode": r.2, "timestamp": r.3, "duration": r.4,
            "operands": r.5, "evt_wait_time": 0, "predecessors": predecessors})
    };
    let update = |u: &(&str, i64, i64)| json!({"id": u.0, "subgraph": "sg00", "timestamp": u.1, "value": u.2});
    let file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 20000}],
        "instruction": rows.iter().map(instruction).collect::<Vec<_>>(),
        "semaphore_update": updates.iter().map(update).collect::<Vec<_>>(),
    });
    file.to_string().into_bytes()
}

fn opened(rows: &[Row<'_>], updates: &[(&str, i64, i64)]) -> Profile {
    let imported = import_one(&[("small.json".into(), written(rows, updates))]).expect("it opens");
    assert_eq!(imported.profile.check(), Ok(()));
    imported.profile
}

/// (engine, cause, nanoseconds) of all idle time.
fn causes(gaps: &Gaps) -> Vec<(&str, Cause, i64)> {
    let mut out: Vec<_> = gaps.causes.iter().map(|c| (c.engine.as_str(), c.cause, c.time.0)).collect();
    out.sort();
    out
}

#[test]
fn gaps_are_named_by_the_semaphore_that_ended_them() {
    let profile = opened(
        &[
            (1, "Tensor", "MATMUL", 1000, 4000, "S[5] (Tensor)++@complete", &[]),
            (2, "Vector", "COPY", 500, 100, "", &[]),
            (3, "Vector", "COPY", 5050, 1000, "S[5] (Tensor)>=1", &[]),
            (4, "Vector", "COPY", 6100, 900, "S[5] (Tensor)>=1", &[]),
            (5, "Vector", "COPY", 10000, 1000, "S[8] (qSyncIO0)>=16", &[]),
            (6, "Vector", "COPY", 14000, 1000, "S[9] (qActSpillReload0)>=16", &[]),
            (7, "Vector", "COPY", 18000, 1000, "", &[]),
        ],
        &[("S[5] (Tensor)", 5010, 1), ("S[8] (qSyncIO0)", 9990, 16), ("S[9] (qActSpillReload0)", 13990, 16)],
    );
    let got = gaps(&Signals::of(&profile), None);
    let want = [
        ("Tensor", Cause::Start, 1000),
        ("Tensor", Cause::End, 15000),
        ("Vector", Cause::Engine, 4450),
        ("Vector", Cause::Load, 3000),
        ("Vector", Cause::Spill, 3000),
        ("Vector", Cause::Start, 500),
        ("Vector", Cause::End, 1000),
        ("Vector", Cause::Issue, 50),
        ("Vector", Cause::Unknown, 3000),
    ];
    assert_eq!(causes(&got), want);
    let first = got.gaps.iter().find(|g| g.cause == Cause::Engine).expect("listed");
    assert_eq!((first.range.start.0, first.range.end.0, first.what.as_str()), (600, 5050, "S[5] (Tensor) ≥ 1"));
    assert_eq!(first.signal.map(|s| profile.name_of(s)), Some("MATMUL"));
    // Below 1 µs nothing is listed, but the totals hold it.
    assert!(got.gaps.iter().all(|g| g.range.duration() > got.listed_above));
    for engine in &got.engines {
        assert_eq!(engine.busy.0 + engine.idle.0, 20000);
    }
    // A part of the run by itself.
    let part = gaps(&Signals::of(&profile), Some(TimeRange::new(TimeNs(1000), TimeNs(6000))));
    assert_eq!(causes(&part), [("Tensor", Cause::End, 1000), ("Vector", Cause::Engine, 4050)]);
}

#[test]
fn a_barrier_is_one_of_several_engines_and_dependencies_tell_without_operands() {
    let barrier = "$S[2]==2 $S[2]++@complete";
    let profile = opened(
        &[
            (1, "Tensor", "NOP", 0, 100, "$S[2]++@complete", &[]),
            (2, "Scalar", "NOP", 0, 5000, "$S[2]++@complete", &[]),
            (3, "Vector", "NOP", 0, 100, "", &[]),
            (4, "Vector", "EVENT_SEMAPHORE", 200, 4900, barrier, &[]),
            (5, "Vector", "COPY", 5110, 10, "", &[]),
        ],
        &[("2", 110, 1), ("2", 5005, 2)],
    );
    let got = gaps(&Signals::of(&profile), None);
    let of = |cause| got.causes.iter().filter(|c| c.engine == "Vector" && c.cause == cause).map(|c| c.time.0).sum::<i64>();
    assert_eq!((of(Cause::Collective), of(Cause::Issue)), (4900, 110));

    // The update to the second is missing: that the wait was over tells of it.
    let profile = opened(
        &[
            (1, "Tensor", "NOP", 0, 400, "$S[2]++@complete", &[]),
            (2, "Scalar", "NOP", 0, 5000, "$S[2]++@complete", &[]),
            (4, "Vector", "EVENT_SEMAPHORE", 200, 4900, barrier, &[]),
            (5, "Vector", "COPY", 5110, 10, "", &[]),
        ],
        &[("2", 410, 1), ("2", 6000, 0)],
    );
    let got = gaps(&Signals::of(&profile), None);
    let of = |cause| got.causes.iter().filter(|c| c.engine == "Vector" && c.cause == cause).map(|c| c.time.0).sum::<i64>();
    assert_eq!((of(Cause::Collective), of(Cause::Unknown)), (4900, 0));

    let bare = opened(
        &[(1, "Tensor", "MATMUL", 0, 4000, "", &[]), (2, "Vector", "COPY", 0, 10, "", &[]), (3, "Vector", "COPY", 4100, 10, "", &[1])],
        &[],
    );
    let got = gaps(&Signals::of(&bare), None);
    assert!(got.causes.iter().any(|c| c.engine == "Vector" && c.cause == Cause::Engine && c.time.0 == 4090), "{:?}", got.causes);
    assert!(!got.notes.is_empty());
}

#[test]
fn the_chain_with_most_work_and_no_circles() {
    let profile = opened(
        &[
            (1, "Tensor", "MATMUL", 0, 1000, "", &[9]),
            (2, "Vector", "COPY", 1500, 1000, "", &[1]),
            (3, "Scalar", "ACTIVATE", 100, 100, "", &[]),
            (4, "Scalar", "ACTIVATE", 3000, 500, "", &[2]),
            (9, "GpSimd", "IOTA", 5000, 10, "", &[4, 9]),
        ],
        &[],
    );
    let got = critical_path(&Signals::of(&profile), false);
    let names: Vec<_> = got.steps.iter().map(|s| (s.engine.as_str(), s.own.0, s.gap.0)).collect();
    assert_eq!(names, [("Tensor", 1000, 0), ("Vector", 1000, 500), ("Scalar", 500, 500), ("GpSimd", 10, 1500)]);
    assert_eq!((got.work.0, got.range.duration().0), (2510, 5010));
    assert!(got.notes.iter().any(|n| n.contains("they are ignored")), "{:?}", got.notes);
    assert_eq!(critical_path(&Signals::of(&Profile::default()), false).steps, []);
    assert_eq!(gaps(&Signals::of(&Profile::default()), None).gaps, []);
}

#[test]
fn answers_are_the_same_whatever_was_asked_before() {
    let rows: [Row<'_>; 2] =
        [(1, "Tensor", "MATMUL", 1000, 4000, "S[5] (Tensor)++@complete", &[]), (2, "Vector", "COPY", 5050, 1000, "S[5] (Tensor)>=1", &[])];
    let session = || {
        let input = InputSet::from_bytes("small.json", written(&rows, &[("5", 5000, 1)]));
        let (claim, outcome) = import::import(&input).unwrap().remove(0);
        let (imported, readable) = outcome.unwrap();
        Session::new(claim, readable, imported)
    };
    let (gaps, path) = (GapsQuery { range: None }, CriticalPathQuery { is_by_data: false });
    let (idle, chain) = (session().ask(&gaps).unwrap(), session().ask(&path).unwrap());
    assert_eq!(chain.steps.iter().map(|s| s.via.as_str()).collect::<Vec<_>>(), ["", "semaphore"]);
    // The path takes the semaphores that the gaps have read.
    let one = session();
    assert_eq!([one.ask(&gaps).unwrap(), one.ask(&gaps).unwrap()], [idle.clone(), idle.clone()]);
    assert_eq!([one.ask(&path).unwrap(), one.ask(&path).unwrap()], [chain.clone(), chain]);
    assert_eq!(one.ask(&gaps).unwrap(), idle);
}

#[test]
fn idle_and_busy_of_the_real_runs_make_up_the_window() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let json = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens").profile;
        let got = gaps(&Signals::of(&json), None);
        let busy = summary(&json, None).engines;
        assert_eq!(got.engines.len(), 10);
        for engine in &got.engines {
            let recorded = busy.iter().find(|b| (&b.core, &b.engine) == (&engine.core, &engine.engine)).expect("both list it");
            assert_eq!(engine.busy, recorded.busy, "{run} {engine:?}");
            let sum: i64 = got.causes.iter().filter(|c| (&c.core, &c.engine) == (&engine.core, &engine.engine)).map(|c| c.time.0).sum();
            assert_eq!(sum, engine.idle.0);
        }
        let longest = got.gaps.iter().filter(|g| g.range.duration().0 > 1000).count();
        assert!(longest > 20 && got.gaps.iter().any(|g| g.cause == Cause::Dynamic) && got.gaps.iter().any(|g| g.cause == Cause::Engine));
        let path = critical_path(&Signals::of(&json), false);
        let sum: i64 = path.shares.iter().map(|s| s.time.0).sum();
        assert_eq!(sum, path.range.duration().0, "the shares make up the chain");
        let work: i64 = path.shares.iter().filter(|s| s.kind == PathKind::Compute).map(|s| s.time.0).sum();
        assert_eq!(work, path.work.0);
        // What most of the time of a step waited for: issue takes a microsecond at most.
        let is_issue = |s: &&PathStep| s.cause == Some(Cause::Issue);
        assert!(path.steps.iter().filter(is_issue).all(|s| s.gap.0 <= 1000), "{run}");
    }
}

#[test]
fn every_source_gives_the_same_gaps() {
    let Some(folder) = conformance() else { return };
    let open = |files: &[Named]| import_one(files).expect("it opens").profile;
    for (run, stem) in RUNS {
        let json = gaps(&Signals::of(&open(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))])), None);
        let pair = [file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))];
        let trace = gaps(&Signals::of(&open(&pair)), None);
        assert_eq!(causes(&trace), causes(&json), "{run}");
        let bare = gaps(&Signals::of(&open(&[other_architecture(pair[0].clone())])), None);
        assert!(bare.notes[0].contains("Operands of instructions are not recorded"));
        let places = |g: &Gaps| {
            let mut all: Vec<_> = g.gaps.iter().map(|g| (g.core.clone(), g.engine.clone(), g.range.start.0, g.range.end.0)).collect();
            all.sort();
            all
        };
        assert_eq!(trace.engines, json.engines, "{run}");
        assert_eq!(places(&trace), places(&json), "{run}");
    }
    let tables: Vec<Named> = std::fs::read_dir(folder.join("fused_attention/parquet-snappy"))
        .expect("the folder is there")
        .map(|entry| {
            let path = entry.expect("readable").path();
            (path.file_name().expect("a name").to_string_lossy().into_owned(), std::fs::read(&path).expect("readable"))
        })
        .collect();
    let json = gaps(&Signals::of(&open(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")])), None);
    let parquet = gaps(&Signals::of(&open(&tables)), None);
    assert_eq!(causes(&parquet), causes(&json));
}
