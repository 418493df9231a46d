//! System profiles: figures, rules, groupings, chains, tables, a framework's trace on the same clock.

use crate::neuron_systems::*;
use axonscope::analysis::system::{Chain, Finding, Grouping, RowOf, System};
use axonscope::base::{DurationNs, InputSet, Member, SliceId, TimeNs, TimeRange};
use axonscope::engine::query::{ChainQuery, DetailsQuery, ExecutionQuery, SystemQuery, SystemRowsQuery, TableQuery};
use axonscope::engine::{Question, Session, views};
use axonscope::formats::import;
use serde_json::json;

fn session(files: &[(&str, Vec<u8>)]) -> Session {
    let members = files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect();
    let mut outcomes = import::import(&InputSet { members }).unwrap();
    assert_eq!(outcomes.len(), 1, "one profile");
    let (claim, outcome) = outcomes.remove(0);
    let (imported, readable) = outcome.unwrap();
    assert_eq!(claim.format, "neuron_system");
    assert_eq!(imported.profile.check(), Ok(()));
    assert!(views::views(&imported.profile).contains(&"system"));
    Session::new(claim, readable, imported)
}

fn one(text: String) -> Session {
    session(&[("unknown", text.into_bytes())])
}

fn ask<Q: Question>(session: &Session, question: Q) -> Q::Answer {
    session.ask(&question).expect("an answer")
}

fn system(session: &Session) -> System {
    system_of(session, None)
}

fn system_of(session: &Session, range: Option<(i64, i64)>) -> System {
    let range = range.map(|(from, to)| TimeRange::new(TimeNs(from), TimeNs(to)));
    ask(session, SystemQuery { range })
}

fn finding<'a>(s: &'a System, id: &str) -> Option<&'a Finding> {
    s.advice.iter().find(|f| f.id == id)
}

fn named(session: &Session, name: &str) -> SliceId {
    (0..session.profile.slices.len() as u32).map(SliceId).find(|s| session.profile.name_of(*s) == name).unwrap()
}

#[test]
fn figures_are_those_of_the_events() {
    let session = one(host_bound());
    let s = system(&session);
    assert_eq!((s.instances.clone(), s.processes.clone()), (vec!["i-0f".to_string()], vec![("i-0f".to_string(), "7".to_string())]));
    assert_eq!((s.duration, s.device_runtime, s.n_device_profiles), (DurationNs(10 * MS), Some(DurationNs(3 * MS)), None));
    let e = &s.executions[0];
    assert_eq!(
        (e.model.as_str(), e.calls, e.total, e.min, e.max, e.core.as_str()),
        ("/cache/graph_a.neff", 3, DurationNs(3 * MS), DurationNs(MS), DurationNs(MS), "0")
    );
    let starts: Vec<i64> = e.slices.iter().map(|s| session.profile.slices.start[s.index()]).collect();
    assert_eq!(starts, [MS, 5 * MS, 9 * MS]);
    let core = &s.cores[0];
    assert_eq!((core.busy, core.wall, core.idle), (DurationNs(3 * MS), DurationNs(9 * MS), DurationNs(6 * MS)));
    assert_eq!(core.longest_gap.unwrap().start, TimeNs(2 * MS));
    let t: Vec<_> = s.transfers.iter().map(|t| (t.is_to_device, t.count, t.bytes, t.busy.0)).collect();
    assert_eq!(t, [(true, 1, Some(4 << 20), MS), (false, 1, Some(1 << 20), MS / 2)]);
    // 4 MiB in a millisecond.
    assert!((s.transfers[0].bandwidth.unwrap() - 4_194_304_000.0).abs() < 1.0 && s.transfers[0].peak == s.transfers[0].bandwidth);
    let cpu = &s.cpus[0];
    assert_eq!((cpu.cpu.as_str(), cpu.n_samples), ("3", 1));
    assert!((cpu.most - 0.97).abs() < 1e-9 && cpu.most_in_gaps == Some(cpu.most));
    let bandwidth = session.profile.counters.iter().find(|c| c.unit == "B/s").unwrap();
    assert_eq!(bandwidth.times, [2 * MS + MS / 2, 3 * MS + MS / 2, 6 * MS, 6 * MS + MS / 2]);
    assert!((bandwidth.series[0].values[0] - 4_194_304_000.0).abs() < 1.0 && bandwidth.series[0].values[1] == 0.0);
    // The runtime's events nest on their row.
    let inner = named(&session, "kmgr_exec_core");
    assert_eq!(session.profile.slices.parent(inner).map(|p| session.profile.name_of(p)), Some("nrt_execute"));
}

#[test]
fn rules_apply_where_they_should_and_nowhere_else() {
    let s = system(&one(host_bound()));
    let ids: Vec<&str> = s.advice.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["host-gaps", "transfers", "compile", "busy-cpu"]);
    let gaps = finding(&s, "host-gaps").unwrap();
    assert_eq!((gaps.cost, gaps.places.len()), (Some(DurationNs(6 * MS)), 2));
    assert!(gaps.text.contains("66.7%") && gaps.places[0].range.duration() == DurationNs(3 * MS), "{gaps:?}");
    assert_eq!(finding(&s, "transfers").unwrap().cost, Some(DurationNs(MS + MS / 2)));
    assert_eq!(finding(&s, "compile").unwrap().cost, Some(DurationNs(MS)));
    assert!(finding(&s, "busy-cpu").unwrap().text.contains("1 of 2 CPUs"));
    let s = system(&one(device_bound()));
    assert_eq!(s.advice.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(), ["device-bound"]);
    assert!(s.advice[0].text.contains("8.00 ms") && s.advice[0].cost.is_none());
    // Gaps of just a tenth, and a transfer beneath an execution, are nobody's fault.
    let copy = event("neuron_rt", "dmem_buf_copyin", Some(0), 2 * MS, MS, json!({ "size": 10 }));
    let s = system(&one(profile(&[running(0, 45 * MS), running(50 * MS, 50 * MS), copy], &[("3", 90.0, 47 * MS)])));
    assert!(s.advice.is_empty(), "{:?}", s.advice);
}

/// Ids of the rules that apply.
fn rules(text: String) -> Vec<String> {
    system(&one(text)).advice.into_iter().map(|f| f.id).collect()
}

#[test]
fn every_rule_has_its_threshold() {
    // R43: gaps of a tenth are no gaps to speak of, more are.
    assert_eq!(rules(profile(&[running(0, 40 * MS), running(50 * MS, 50 * MS)], &[])), [] as [&str; 0]);
    assert_eq!(rules(profile(&[running(0, 39 * MS), running(50 * MS, 50 * MS)], &[])), ["host-gaps"]);
    // R44: half of the time or more.
    let waits = |length| {
        let wait = event("neuron_rt", "kbl_exec_wait", Some(0), 0, length, json!({}));
        rules(profile(&[running(0, 50 * MS), running(50 * MS, 50 * MS), wait], &[]))
    };
    assert_eq!((waits(50 * MS), waits(49 * MS)), (vec!["device-bound".to_string()], vec![]));
    // R45: a tenth of the time without an execution, and a hundredth of all.
    let copies = |length| {
        let copy = event("neuron_rt", "dmem_buf_copyin", Some(0), 40 * MS, length, json!({ "size": 10 }));
        rules(profile(&[running(0, 40 * MS), running(60 * MS, 40 * MS), copy], &[]))
    };
    assert_eq!(copies(2 * MS), ["host-gaps", "transfers"]);
    assert_eq!(copies(2 * MS - 1), ["host-gaps"]);
    // R46: more than 90%, and in a gap.
    let cpu = |percent, at| rules(profile(&[running(0, 2_000 * MS), running(2_100 * MS, 2_000 * MS)], &[("3", percent, at)]));
    assert_eq!(cpu(90.1, 2_050 * MS), ["busy-cpu"]);
    assert_eq!((cpu(90.0, 2_050 * MS), cpu(99.0, 1_900 * MS)), (vec![], vec![]));
    // Its second: compiling is a hundredth of the profile.
    let compile = |length| rules(profile(&[running(0, 100 * MS), event("framework", "CompileGraph", None, 0, length, json!({}))], &[]));
    assert_eq!((compile(MS), compile(MS - 1)), (vec!["compile".to_string()], vec![]));
    // Its third: more than nine tenths of the HBM, of a capacity that is told.
    let full = |capacity| {
        let files: Vec<(&str, Vec<u8>)> = directory_of(capacity).into_iter().map(|(name, bytes)| (&*name.leak(), bytes)).collect();
        let s = system(&session(&files));
        (finding(&s, "hbm-full").is_some(), s.hbm[0].share.is_some(), s.notes.iter().any(|n| n.contains("capacity")))
    };
    assert_eq!((full(Some(105)), full(Some(106)), full(None)), ((true, true, false), (false, true, false), (false, false, true)));
}

#[test]
fn figures_of_a_range_are_of_what_is_inside() {
    let session = one(host_bound());
    // The second half of the first execution, the first half of the second.
    let s = system_of(&session, Some((MS + MS / 2, 5 * MS + MS / 2)));
    let e = &s.executions[0];
    assert_eq!(
        (s.duration, s.device_runtime, e.calls, e.total, e.max),
        (DurationNs(4 * MS), Some(DurationNs(MS)), 2, DurationNs(MS), DurationNs(MS / 2))
    );
    assert_eq!((s.cores[0].busy, s.cores[0].wall, s.cores[0].idle), (DurationNs(MS), DurationNs(4 * MS), DurationNs(3 * MS)));
    assert_eq!(s.transfers.iter().map(|t| (t.is_to_device, t.bytes)).collect::<Vec<_>>(), [(true, Some(4 << 20))]);
    assert_eq!(finding(&s, "host-gaps").unwrap().cost, Some(DurationNs(3 * MS)));
    assert!(finding(&s, "compile").is_none(), "it is before the range");
    // Half of the copy, at the same bandwidth.
    let s = system_of(&session, Some((3 * MS, 4 * MS)));
    let t = &s.transfers[0];
    assert_eq!((t.count, t.bytes, t.busy), (1, Some(2 << 20), DurationNs(MS / 2)));
    assert!((t.bandwidth.unwrap() - 4_194_304_000.0).abs() < 1.0);
    assert!(s.device_runtime.is_none() && s.notes.iter().any(|n| n.contains("No model executes in this range")), "{:?}", s.notes);
    let s = system_of(&session, Some((20_000 * MS, 30_000 * MS)));
    assert!(s.executions.is_empty() && s.transfers.is_empty() && s.cpus.is_empty() && s.advice.is_empty());
    let s = system_of(&self::session(&tables()), Some((0, MS / 2)));
    assert_eq!((s.hbm[0].bytes, s.hbm[0].share, s.hbm_curves[0].times.clone()), (30, Some(0.3), vec![0]));
}

#[test]
fn the_hbm_over_time_has_its_categories() {
    let s = system(&session(&tables()));
    let curve = &s.hbm_curves[0];
    assert_eq!((curve.place.as_str(), curve.n_samples), ("i-0f · ND 0 HBM 2", 2));
    assert_eq!((curve.times.clone(), curve.total.clone()), (vec![0, MS], vec![30.0, 95.0]));
    assert_eq!(curve.categories, [("Weights".to_string(), vec![20.0, 60.0]), ("Tensors".to_string(), vec![10.0, 35.0])]);
    assert!(system(&one(host_bound())).hbm_curves.is_empty());
}

#[test]
fn an_execution_knows_its_device_profile() {
    let session = session(&tables());
    let of = |name| ask(&session, ExecutionQuery { slice: named(&session, name) });
    let row = of("nc_exec_running").unwrap();
    assert_eq!((row.profile.as_str(), row.calls, row.total, row.core.as_str()), ("profile_nc_0", 1, DurationNs(3 * MS), "0"));
    assert_eq!(of("nrt_execute"), None);
    assert!(session.ask(&ExecutionQuery { slice: SliceId(999) }).is_err());
}

#[test]
fn rows_stand_in_six_orders_and_none_is_lost() {
    let session = one(host_bound());
    let grouped = |by| ask(&session, SystemRowsQuery { grouping: by });
    let groups = |rows: &[RowOf]| rows.iter().filter(|r| r.track.is_none()).map(|r| r.name.clone()).collect::<Vec<_>>();
    let n_leaves = session.profile.tracks.iter().filter(|t| t.kind != axonscope::model::TrackKind::Group).count();
    for (by, _, _) in Grouping::ALL {
        let rows = grouped(by);
        assert_eq!(rows.iter().filter(|r| r.track.is_some()).count(), n_leaves, "{by:?}");
        assert!(rows.iter().enumerate().all(|(i, r)| r.parent.is_none_or(|p| (p as usize) < i)));
    }
    assert_eq!(groups(&grouped(Grouping::CpuDevice)), ["CPU", "Device"]);
    assert_eq!(groups(&grouped(Grouping::NeuronCore)), ["NC 0", "No NeuronCore"]);
    assert_eq!(groups(&grouped(Grouping::Thread)), ["PID 7 · TID 70", "No thread"]);
    assert_eq!(groups(&grouped(Grouping::Process)), ["PID 7", "No process"]);
    assert_eq!(groups(&grouped(Grouping::Instance)), ["i-0f"]);
    assert_eq!(Grouping::of("core"), Grouping::NeuronCore);
    assert_eq!(Grouping::of("nonsense"), Grouping::Default);
}

#[test]
fn flows_lead_up_and_down() {
    let session = one(host_bound());
    let chain = ask(&session, ChainQuery { slice: named(&session, "nrt_execute") });
    let row = |r: &axonscope::analysis::system::ChainRow| (r.name.clone(), r.event.clone(), r.flows.clone(), r.source.clone());
    let text = |name: &str, id: &str, flow: &str, source: &str| (name.to_string(), id.to_string(), flow.to_string(), source.to_string());
    assert_eq!(chain.upstream.iter().map(row).collect::<Vec<_>>(), [text("CompileGraph", "1", "100", "framework")]);
    assert_eq!(chain.downstream.iter().map(row).collect::<Vec<_>>(), [text("nc_exec_running", "3", "200", "neuron_hw")]);
    let far = ask(&session, ChainQuery { slice: named(&session, "CompileGraph") });
    assert_eq!(far.downstream.iter().map(|r| r.depth).collect::<Vec<_>>(), [1, 2]);
    let none = ask(&session, ChainQuery { slice: named(&session, "kmgr_exec_core") });
    assert_eq!(none, Chain { slice: none.slice, name: "kmgr_exec_core".into(), ..Chain::default() });
    assert!(session.ask(&ChainQuery { slice: SliceId(999) }).is_err());
}

fn tables() -> Vec<(&'static str, Vec<u8>)> {
    directory().into_iter().map(|(name, bytes)| (&*name.leak(), bytes)).collect()
}

#[test]
fn tables_of_a_directory_give_events_memory_and_device_profiles() {
    let session = session(&tables());
    let s = system(&session);
    assert_eq!(session.profile.meta.title, "run@latest");
    assert_eq!(
        (s.executions[0].profile.as_str(), s.executions[0].total, s.n_device_profiles),
        ("profile_nc_0", DurationNs(3 * MS), Some(1))
    );
    assert_eq!((s.transfers[0].bytes, s.hbm_capacity), (Some(1 << 20), Some(100)));
    let hbm = &s.hbm[0];
    assert_eq!((hbm.place.as_str(), hbm.bytes, hbm.share, hbm.time), ("i-0f · ND 0 HBM 2", 95, Some(0.95), TimeNs(MS)));
    assert_eq!(hbm.categories, [("Weights".to_string(), 60, Some(0.6)), ("Tensors".to_string(), 35, Some(0.35))]);
    assert!(finding(&s, "hbm-full").is_some_and(|f| f.text.contains("Weights")));
    assert!(session.ledger.skipped.iter().any(|k| k.kind == "missing_value" && k.count == 1), "{:?}", session.ledger.skipped);
    assert_eq!(session.ledger.read, session.ledger.shown + 1);
    let details = session.ask(&DetailsQuery { item: named(&session, "nrt_execute").into() }).expect("details");
    assert!(details.fields.iter().any(|f| f.key == "flow_id" && f.value.contains("100")), "{:?}", details.fields);
    assert_eq!(details.successors.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["nc_exec_running"]);
    let part = session.ask(&TableQuery { id: "SystemProfileEvents".into(), first: 0, n: 9 }).expect("a table");
    assert_eq!(part.rows.len(), 4);
}

/// The page's tests drop the same tables: they are kept as files. `AXONSCOPE_WRITE_CASES=1` writes them again.
#[test]
fn the_kept_tables_are_those_of_the_generator() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/neuron_system/directory/global/run@latest");
    for (name, bytes) in directory() {
        let path = folder.join(name.rsplit('/').next().unwrap());
        if std::env::var_os("AXONSCOPE_WRITE_CASES").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == bytes, "{}: run with AXONSCOPE_WRITE_CASES=1", path.display());
    }
}

#[test]
fn system_tables_beside_device_tables_are_a_profile_of_their_own() {
    let mut files = tables();
    files.push((
        "global/run@latest/Instruction.parquet",
        table(&[("start_ts", Column::Ints(vec![Some(1)])), ("duration_ns", Column::Ints(vec![Some(2)]))]),
    ));
    let members = files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect();
    let mut formats: Vec<String> = import::import(&InputSet { members }).unwrap().into_iter().map(|o| o.0.format).collect();
    formats.sort();
    assert_eq!(formats, ["neuron_parquet", "neuron_system"]);
}

#[test]
fn a_trace_of_the_framework_stands_on_the_same_clock() {
    let start = |session: &Session| session.profile.slices.start[named(session, "train_step").index()];
    for trace in [framework(None), framework(Some(EPOCH))] {
        let session = session(&[("run/system_profile.json", host_bound().into_bytes()), ("run/trace.json", trace.into_bytes())]);
        assert_eq!(start(&session), 4 * MS);
        let track = session.profile.track_of(named(&session, "train_step")).unwrap();
        assert_eq!(session.profile.track_path(track), "i-0f / PID 7 / framework / TID 71");
        assert!(session.ledger.notes.iter().any(|n| n.contains("same clock")), "{:?}", session.ledger.notes);
        let gaps = system(&session);
        assert!(finding(&gaps, "host-gaps").unwrap().places.iter().any(|p| p.label.contains("train_step")), "{:?}", gaps.advice[0].places);
        let details = session.ask(&DetailsQuery { item: named(&session, "aten::linear").into() }).expect("details");
        assert!(details.fields.iter().any(|f| f.key == "tid" && f.value == "71"));
    }
    // Counted from elsewhere: shown from the first event on, and said.
    let session = session(&[("run/system_profile.json", host_bound().into_bytes()), ("run/trace.json", framework(Some(0)).into_bytes())]);
    assert_eq!(start(&session), 0);
    assert!(session.ledger.notes.iter().any(|n| n.contains("uses another time origin")));
    let mut with_tables = tables();
    with_tables.push(("trace.json", framework(None).into_bytes()));
    assert_eq!(start(&self::session(&with_tables)), 4 * MS);
}

#[test]
fn clocks_that_jump_are_reported() {
    let sync = |device: i64, host: i64| {
        let data = json!({ "exec_id": "e", "nc_timestamp_ns": device, "cpu_timestamp_ns": EPOCH + host });
        json!({ "event_type": "timestamp_sync_point", "phase": "instant", "nc_idx": 0, "tracking_id": device, "data": data, "timestamp_ns": EPOCH + host })
    };
    let run = |phase: &str, device: i64| json!({ "event_type": "nc_exec_running", "phase": phase, "nc_idx": 0, "tracking_id": 7, "data": { "exec_id": "e", "nc_timestamp_ns": device }, "timestamp_ns": EPOCH });
    let events = [sync(1000, 0), sync(2000, 5 * MS), run("start", 2100), run("stop", 2300)];
    let session = one(json!({ "events": events, "data_version": 2 }).to_string());
    let s = system(&session);
    assert_eq!((s.clock.n_points, s.clock.n_placed, s.clock.n_jumps), (2, 2, 1));
    assert_eq!(s.clock.residual_ns, Some(5 * MS - 1000));
    assert!(session.ledger.skipped.iter().any(|k| k.kind == "clock_jump") && s.notes.iter().any(|n| n.contains("jumps")));
    // By the point before it, not the first one.
    let slice = named(&session, "nc_exec_running").index();
    assert_eq!((session.profile.slices.start[slice], session.profile.slices.duration[slice]), (5 * MS + 100, 200));
    let profile = one(profile(&[event("neuron_rt", "nrt_load", Some(0), 0, 5, json!({}))], &[]));
    let s = system(&profile);
    assert!(s.device_runtime.is_none() && s.notes[0].contains("nc_exec_running") && s.advice.is_empty());
}

#[test]
fn large_profiles_answer_in_time() {
    let mut events = Vec::new();
    for i in 0..50_000i64 {
        events.push(running(i * 20_000, 15_000));
        events.push(event("neuron_rt", "dmem_buf_copyin", Some(0), i * 20_000 + 15_000, 3_000, json!({ "size": 4096 })));
    }
    let session = one(profile(&events, &[("3", 50.0, 0)]));
    let from = std::time::Instant::now();
    let s = system(&session);
    assert_eq!(s.executions[0].calls, 50_000);
    // 100 ms a million in the browser; a debug build on a busy machine is far slower.
    assert!(from.elapsed().as_millis() < 3_000, "{:?}", from.elapsed());
}
