//! System profiles as written since mid-2026: the same events in either spelling give the same answers.

use crate::common::made_system::{Serving, write_system};
use crate::neuron_systems::*;
use axonscope::analysis::system::System;
use axonscope::base::{InputSet, Ledger, Member, SliceId};
use axonscope::engine::query::{SystemQuery, TableQuery};
use axonscope::engine::{Session, views};
use axonscope::formats::import;
use serde_json::{Value, json};

fn open(text: &str) -> Result<Session, String> {
    let input = InputSet { members: vec![Member::from_bytes("profile.json", text.as_bytes().to_vec())] };
    let (claim, outcome) = import::import(&input).map_err(|e| e.to_string())?.remove(0);
    assert_eq!(claim.format, "neuron_system");
    let (imported, readable) = outcome.map_err(|e| e.to_string())?;
    assert_eq!(imported.profile.check(), Ok(()));
    Ok(Session::new(claim, readable, imported))
}

fn system(session: &Session) -> System {
    session.ask(&SystemQuery { range: None }).expect("an answer")
}

/// Rows of the timeline with the times on them.
fn rows(session: &Session) -> Vec<String> {
    let p = &session.profile;
    let slices = (0..p.slices.len()).map(|i| {
        let slice = SliceId(i as u32);
        let track = p.track_of(slice).map(|t| p.track_path(t)).unwrap_or_default();
        format!("{track}: {} {}+{}", p.name_of(slice), p.slices.start[i], p.slices.duration[i])
    });
    let counters = p.counters.iter().map(|c| format!("{}: {:?} {:?}", p.track_path(c.track), c.times, c.series));
    slices.chain(counters).collect()
}

/// The same profile as profilers since mid-2026 spell it.
fn recent(text: &str) -> String {
    let old: Value = serde_json::from_str(text).unwrap();
    let event = |old: &Value| {
        let mut new = old.clone();
        let fields = new.as_object_mut().unwrap();
        if let Some(core) = fields.get("nc_idx").cloned() {
            fields.insert("lnc_idx".into(), core);
        }
        fields.insert("timestamp_unit".into(), json!("ns"));
        fields.entry("model_name").or_insert(json!(""));
        new
    };
    let events: Vec<Value> = old["trace_events"].as_array().unwrap().iter().map(event).collect();
    json!({ "trace_event": events, "host_mem_usage": old["mem_usage"], "cpu_util": old["cpu_util"] }).to_string()
}

fn counted(ledger: &Ledger) -> (u64, u64, Vec<(String, u64)>) {
    (ledger.read, ledger.shown, ledger.skipped.iter().map(|s| (s.kind.clone(), s.count)).collect())
}

#[test]
fn both_spellings_give_the_same_answers() {
    let broken = profile(&[running(0, MS), event("neuron_rt", "nrt_load", Some(0), 0, -5, json!({})), json!({ "name": "lost" })], &[]);
    for old in [host_bound(), device_bound(), broken] {
        let (a, b) = (open(&old).unwrap(), open(&recent(&old)).unwrap());
        assert_eq!(system(&a), system(&b));
        assert_eq!(rows(&a), rows(&b));
        assert_eq!(counted(&a.ledger), counted(&b.ledger));
        assert_eq!(views::views(&a.profile), views::views(&b.profile));
    }
}

#[test]
fn the_hbm_is_that_of_the_tables() {
    let files = directory().into_iter().map(|(name, bytes)| Member::from_bytes(name, bytes)).collect();
    let (claim, outcome) = import::import(&InputSet { members: files }).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    let of_tables = system(&Session::new(claim, readable, imported));
    let sample = |at: i64, total: i64, weights: i64, tensors: i64| json!({ "hbm_idx": 2, "device_idx": 0, "instance_id": "i-0f", "timestamp": EPOCH + at, "total_bytes": total, "weights_bytes": weights, "tensors_bytes": tensors });
    let text = json!({
        "trace_event": [event("neuron_rt", "nrt_execute", Some(0), 0, 5 * MS, json!({}))],
        "device_mem_usage": [sample(0, 30, 20, 10), sample(MS, 95, 60, 35)],
        "system_profile_metadata": [{ "hbm_capacity_bytes": 100 }],
        "device_profile_list": [{ "device_profile_name": "profile_nc_0", "nc_id": 0, "process_id": 7, "instance_id": "i-0f" }],
    });
    let session = open(&text.to_string()).unwrap();
    let s = system(&session);
    assert_eq!((s.hbm, s.hbm_curves, s.hbm_capacity), (of_tables.hbm, of_tables.hbm_curves, of_tables.hbm_capacity));
    assert_eq!(s.n_device_profiles, Some(1));
    assert_eq!((session.ledger.read, session.ledger.shown), (5, 5));
    // Categories of the file's own, and what the total has beyond all of them.
    let own = json!({ "device_mem_usage": [
        { "hbm_idx": 0, "timestamp": EPOCH, "total_bytes": 10, "weights_bytes": 4, "kv_cache_bytes": 3 },
        { "hbm_idx": 0, "timestamp": EPOCH + 1, "total_bytes": 8 },
        { "hbm_idx": 0, "timestamp": EPOCH + 2 },
    ] });
    let session = open(&own.to_string()).unwrap();
    let s = system(&session);
    let names: Vec<(&str, u64)> = s.hbm[0].categories.iter().map(|c| (c.0.as_str(), c.1)).collect();
    assert_eq!((s.hbm[0].bytes, names), (10, vec![("Weights", 4), ("No category recorded", 3), ("kv cache", 3)]));
    assert_eq!(s.hbm_curves[0].total, [10.0, 8.0]);
    assert_eq!(counted(&session.ledger), (3, 2, vec![("bad_sample".into(), 1)]));
}

#[test]
fn unknown_sections_are_events_or_tables() {
    let text = json!({
        "trace_event": [running(0, MS)],
        "framework_event": [event("framework", "step", None, 0, 2 * MS, json!({}))],
        "queue_depth": [{ "queue": "a", "depth": 3 }, { "queue": "b", "depth": 5, "note": "full" }],
        "settings": { "mode": "lnc2" },
        "numbers": [1, 2, 3],
        "data_version": 4,
    });
    let session = open(&text.to_string()).unwrap();
    assert!(rows(&session).iter().any(|r| r.contains("framework") && r.contains("step 0+2000000")), "{:?}", rows(&session));
    let of = |id: &str| match session.ask(&TableQuery { id: id.into(), first: 0, n: 9 }) {
        Ok(part) => (part.columns, part.rows.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(of("queue_depth"), (vec!["depth".to_string(), "queue".into(), "note".into()], 2));
    assert_eq!((of("settings"), of("root")), ((vec!["mode".to_string()], 1), (vec!["data_version".to_string()], 1)));
    // Events, two rows, one row; what is no record is counted.
    assert_eq!(counted(&session.ledger), (5 + 1, 5, vec![("damaged_record".into(), 1)]));
}

#[test]
fn values_that_are_missing_or_odd() {
    let one = |more: Value| {
        let mut event = json!({ "name": "nc_exec_running", "timestamp": EPOCH, "duration": 5, "process_id": "7", "lnc_idx": "1", "device_core_idx": 2 });
        more.as_object().unwrap().iter().for_each(|(key, value)| event[key] = value.clone());
        json!({ "trace_event": [event] }).to_string()
    };
    let row = |text: &str| rows(&open(text).unwrap()).remove(0);
    assert_eq!(row(&one(json!({}))), "Host / PID 7 / neuron_hw / NC 1:2: nc_exec_running 0+5");
    assert_eq!(row(&one(json!({ "nc_idx": 3, "model_name": null }))), "Host / PID 7 / neuron_hw / NC 3:2: nc_exec_running 0+5");
    assert_eq!(
        row(&one(json!({ "timestamp_unit": "us", "timestamp": EPOCH / 1000 }))),
        "Host / PID 7 / neuron_hw / NC 1:2: nc_exec_running 0+5000"
    );
    let unit = open(&one(json!({ "timestamp_unit": "fortnights" })));
    assert!(unit.is_err_and(|e| e.contains("found none")));
    // Nothing but `data` within `data`, deeper than any stack.
    let deep = format!(r#"{{"trace_event":[{}1{}]}}"#, r#"{"data":"#.repeat(200_000), "}".repeat(200_000));
    assert!(open(&deep).is_err());
    for text in [r#"{"trace_event": []}"#, r#"{"trace_event": {}}"#, r#"{"device_mem_usage": [{}]}"#, r#"{"system_profile_metadata": [{"#] {
        assert!(open(text).is_err_and(|e| e.starts_with("Expected events")), "{text}");
    }
}

#[test]
fn a_file_cut_anywhere_opens_with_what_is_before() {
    let mut text = Vec::new();
    let n = write_system(&mut text, Serving { n_bursts: 1, n_requests: 2, n_steps: 3, has_models: true }).unwrap();
    let whole = open(std::str::from_utf8(&text).unwrap()).unwrap();
    assert_eq!((whole.ledger.read, whole.ledger.shown), (n + 3, n + 3));
    let mut last = 0;
    for cut in (0..text.len()).step_by(97).chain([text.len() - 2]) {
        let Ok(session) = open(&String::from_utf8_lossy(&text[..cut.max(40)])) else {
            assert!(last == 0, "cut at {cut}");
            continue;
        };
        let is_recorded = session.ledger.skipped.iter().any(|s| s.kind == "truncated_json");
        let now = session.profile.slices.len();
        assert!(is_recorded && now >= last && now as u64 <= n, "cut at {cut}: {now} slices after {last}");
        last = now;
    }
    assert_eq!(last as u64, n);
}
