//! Neuron device profiles: what a trace, its NEFF and its JSON say must agree; hostile files must not hurt.

use crate::neuron_support::*;
use axonscope::base::{EventId, InputSet, InstantId, SliceId};
use axonscope::formats::{ALL, Field, Imported, by_id, inspect};
use axonscope::model::{Domain, Profile};
use serde_json::Value;
use std::collections::BTreeMap;

const RUNS: [(&str, &str, &str); 2] = [("fused_attention", "fused", "sg00"), ("baseline_attention", "baseline", "sg00")];

fn core_of(subgraph: &Value) -> &'static str {
    if subgraph == "sg00" { "NC 4" } else { "NC 5" }
}

/// Rows of the JSON that the profile must hold, as text.
fn wanted(json: &Value) -> Vec<String> {
    let list = |section: &str| json[section].as_array().cloned().unwrap_or_default();
    let mut out = Vec::new();
    for r in list("instruction") {
        let (core, n) = (core_of(&r["subgraph"]), |k: &str| r[k].as_i64().unwrap_or(-1));
        let label = r["label"].as_str().unwrap_or("");
        out.push(format!(
            "{core} / {label}: {} pc {} at {} for {}",
            r["opcode"].as_str().unwrap_or(""),
            n("pc"),
            n("timestamp"),
            n("duration")
        ));
    }
    for r in list("dma") {
        let (core, n) = (core_of(&r["subgraph"]), |k: &str| r[k].as_i64().unwrap_or(-1));
        let (engine, queue) = (r["dma_engine"].as_str().unwrap_or(""), r["dma_queue"].as_str().unwrap_or(""));
        out.push(format!("{core} / DMA Q{queue} E{engine}: {} bytes at {} for {}", n("transfer_size"), n("timestamp"), n("duration")));
    }
    for r in list("semaphore_update") {
        let id = r["id"].as_str().unwrap_or("");
        let id = id.strip_prefix("S[").and_then(|t| t.split(']').next()).unwrap_or(id);
        out.push(format!("{} / Semaphores: S[{id}] = {} at {}", core_of(&r["subgraph"]), r["value"], r["timestamp"]));
    }
    out
}

/// The profile's rows in the same words.
fn found(profile: &Profile) -> Vec<String> {
    let Domain::NeuronDevice(domain) = &profile.domain else {
        panic!("a Neuron profile has a Neuron domain");
    };
    let text = |id: &str, i: usize| profile.attribute(id).map_or("", |a| profile.strings.get(a.values[i]));
    let mut out = Vec::new();
    for i in 0..profile.slices.len() {
        let slice = SliceId(i as u32);
        let path = profile.track_path(profile.track_of(slice).expect("every slice has a track"));
        let (name, start, duration) = (profile.name_of(slice), profile.slices.start[i], profile.slices.duration[i]);
        out.push(match path.split_once(" / DMA / ") {
            Some((core, _)) => {
                let engine = text("engine", i).trim_start_matches("DMA-");
                format!("{core} / DMA {} {engine}: {} bytes at {start} for {duration}", text("queue", i), domain.bytes[i])
            }
            None => format!("{path}: {name} pc {} at {start} for {duration}", domain.pc[i]),
        });
    }
    for i in 0..profile.instants.time.len() {
        let (track, time) = (profile.instants.track[i], profile.instants.time[i]);
        out.push(format!("{}: {} at {time}", profile.track_path(track), profile.strings.get(profile.instants.name[i])));
    }
    out
}

/// Rows of `a` that are not in `b`, each as often as it is missing.
fn missing(a: &[String], b: &[String]) -> Vec<String> {
    let mut left: BTreeMap<&str, i64> = BTreeMap::new();
    b.iter().for_each(|row| *left.entry(row).or_default() += 1);
    let mut out = Vec::new();
    for row in a {
        let n = left.entry(row).or_default();
        *n -= 1;
        if *n < 0 {
            out.push(row.clone());
        }
    }
    out
}

#[test]
fn every_row_of_the_json_is_in_the_trace_to_the_nanosecond() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem, _) in RUNS {
        let (trace, neff, json) = (file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff")), {
            file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))
        });
        let truth: Value = serde_json::from_slice(&json.1).expect("the JSON is well formed");
        let wanted = wanted(&truth);
        let from_json = import_one(std::slice::from_ref(&json)).expect("the JSON opens");
        let alone = import_one(std::slice::from_ref(&trace)).expect("the trace opens alone");
        let paired = import_one(&[trace, neff]).expect("the trace opens with its NEFF");
        for (what, imported) in [("json", &from_json), ("ntff", &alone), ("ntff+neff", &paired)] {
            assert_eq!(imported.profile.check(), Ok(()), "{run} {what}");
            let found = found(&imported.profile);
            assert_eq!(
                missing(&wanted, &found),
                [] as [String; 0],
                "{run}: rows that {what} lacks; {:?}",
                missing(&found, &wanted).iter().take(3).collect::<Vec<_>>()
            );
            let n_more = missing(&found, &wanted).len();
            let allowed = if what == "json" { 0 } else { 4 };
            assert!(n_more <= allowed, "{run}: {what} has {n_more} more rows than the JSON");
            let n_skipped: u64 = imported.ledger.skipped.iter().filter(|s| s.kind != "unknown_opcode").map(|s| s.count).sum();
            assert_eq!(imported.ledger.read, imported.ledger.shown + n_skipped, "{run} {what}: {:?}", imported.ledger.skipped);
            assert_eq!(imported.profile.meta.is_experimental, what != "json");
        }
        same_timeline(run, &from_json.profile, &paired.profile);
        same_names(run, &from_json.profile, &paired.profile);
        assert!(from_json.ledger.skipped.is_empty(), "{run}: {:?}", from_json.ledger.skipped);
    }
}

/// Tracks with slices have the same paths in the same order; throttling is the same curve.
fn same_timeline(run: &str, json: &Profile, trace: &Profile) {
    let paths = |p: &Profile| -> Vec<String> {
        let tracks = (0..p.tracks.len() as u32).map(axonscope::base::TrackId);
        tracks.filter(|t| !p.slices_of(*t).is_empty()).map(|t| p.track_path(t)).collect()
    };
    assert_eq!(paths(json), paths(trace), "{run}");
    let throttling = |p: &Profile| {
        let found = p.counters.iter().find(|c| p.track_path(c.track).ends_with("Throttling"));
        found.map(|c| (c.times.clone(), c.series.clone()))
    };
    assert!(throttling(json).is_some());
    assert_eq!(throttling(json), throttling(trace), "{run}");
}

/// Names from the NEFF and arrows are those of the JSON.
fn same_names(run: &str, json: &Profile, trace: &Profile) {
    let rows = |p: &Profile| -> Vec<String> {
        let key = |i: usize| {
            let slice = SliceId(i as u32);
            format!("{} {} {}", p.track_path(p.track_of(slice).expect("a track")), p.name_of(slice), p.slices.start[i])
        };
        let text = |id: &str, i: usize| p.attribute(id).map_or("", |a| p.strings.get(a.values[i]));
        let names = (0..p.slices.len()).map(|i| format!("{}: {} {}", key(i), text("bir", i), text("instruction_type", i)));
        let names = names.filter(|row| !row.contains(" / DMA / "));
        let f = &p.flows;
        let arrows =
            (0..f.from.len()).map(|i| format!("{} -> {} {}", key(f.from[i].index()), key(f.to[i].index()), p.strings.get(f.kind[i])));
        let mut out: Vec<String> = names.chain(arrows).collect();
        out.sort();
        out
    };
    let (json, trace) = (rows(json), rows(trace));
    assert!(json.iter().filter(|r| r.contains("->")).count() > 50);
    assert_eq!(missing(&json, &trace), [] as [String; 0], "{run}: names or arrows that the NEFF does not give");
    assert_eq!(missing(&trace, &json), [] as [String; 0], "{run}: names or arrows that the JSON does not give");
}

/// Every instant of a run is the new value of a semaphore, and its record says so.
fn check_instants(profile: &Profile, record: impl Fn(EventId) -> Vec<Field>) {
    let all = &profile.instants;
    assert!(all.time.len() > 100);
    for i in 0..all.time.len() {
        let fields = record(InstantId(i as u32).into());
        let value = |key: &str| fields.iter().find(|f| f.key == key).map(|f| f.value.clone()).unwrap_or_default();
        let id = value("id");
        let id = id.strip_prefix("S[").and_then(|rest| rest.split_once(']')).map_or(id.as_str(), |r| r.0);
        assert_eq!(format!("S[{id}] = {}", value("value")), profile.strings.get(all.name[i]));
        assert_eq!(value("timestamp"), all.time[i].to_string());
    }
}

#[test]
fn details_show_every_field() {
    let Some(folder) = conformance() else {
        return;
    };
    let json = file(&folder, "fused_attention", "fused_exec_2_profile_full.json");
    let input = InputSet::from_bytes(json.0.clone(), json.1.clone());
    let Imported { profile, .. } = import_one(std::slice::from_ref(&json)).expect("opens");
    let format = by_id("neuron_json").expect("known");
    let slice = (0..profile.slices.len() as u32).map(SliceId).find(|s| profile.name_of(*s) == "MATMUL").expect("there is one");
    let fields = format.record(&input, &profile, slice.into()).expect("read back");
    let get = |key: &str| fields.iter().find(|f| f.key == key).map(|f| (f.group.as_str(), f.value.as_str(), f.unit.as_str()));
    assert_eq!(get("opcode"), Some(("Instruction", "MATMUL", "")));
    assert_eq!(get("duration").map(|f| (f.0, f.2)), Some(("Event", "ns")));
    assert_eq!(get("psum_write_bytes").map(|f| f.2), Some("bytes"));
    assert!(fields.iter().all(|f| f.group != "Other keys"), "every key of this file is known");
    check_instants(&profile, |at| format.record(&input, &profile, at).expect("read back"));
    let pair = [file(&folder, "fused_attention", "fused_exec_2.ntff"), file(&folder, "fused_attention", "fused.neff")];
    let Imported { profile, .. } = import_one(&pair).expect("opens");
    check_instants(&profile, |at| by_id("ntff").expect("known").record(&set(&pair), &profile, at).expect("read back"));
    for i in 0..profile.slices.len() as u32 {
        let fields = by_id("ntff").expect("known").record(&set(&pair), &profile, SliceId(i).into()).expect("read back");
        let value = |key: &str| fields.iter().find(|f| f.key == key).map(|f| f.value.clone()).unwrap_or_default();
        assert_eq!(value("timestamp"), profile.slices.start[i as usize].to_string());
        assert_eq!(value("duration"), profile.slices.duration[i as usize].to_string());
        assert!(value("start_record").contains(" at byte "));
    }
}

#[test]
fn a_wrong_pair_is_refused_with_both_uuids() {
    let Some(folder) = conformance() else {
        return;
    };
    let pair = [file(&folder, "fused_attention", "fused_exec_2.ntff"), file(&folder, "baseline_attention", "baseline.neff")];
    let error = import_one(&pair).expect_err("they do not belong together").to_string();
    assert!(error.contains("debb20022cc8458dbdc64a792ed6fe4a") && error.contains("6ceac95ea7a04369ae2380ea5f38f95d"), "{error}");
    let found = inspect::inspect(&set(&pair)).expect("a pair").found;
    assert!(found[0].is_misfit(), "the page opens them beside each other where one comes later");
    let four = [
        file(&folder, "baseline_attention", "baseline.neff"),
        file(&folder, "fused_attention", "fused.neff"),
        file(&folder, "fused_attention", "fused_exec_2.ntff"),
        file(&folder, "baseline_attention", "baseline_exec_2.ntff"),
    ];
    let claims = claims(&four);
    assert_eq!(claims, [("ntff".into(), vec![2, 1]), ("ntff".into(), vec![3, 0])]);
    assert!(inspect::inspect(&set(&four)).expect("two pairs").found.iter().all(|f| !f.is_misfit()));
}

#[test]
fn a_neff_opens_alone() {
    let Some(folder) = conformance() else {
        return;
    };
    let imported = import_one(&[file(&folder, "neff_matmul_small", "matmul_small.neff")]).expect("opens");
    let profile = &imported.profile;
    assert_eq!(profile.check(), Ok(()));
    let table = |id: &str| profile.tables.iter().find(|t| t.id == id).map_or(0, |t| t.rows.len());
    assert!(table("neff_members") > 40 && table("neff_node") >= 3 && table("neff_header") == 1 && table("hlo_stats") > 5);
    assert!(profile.meta.facts.iter().any(|f| f.name == "Target" && f.value == "cayman"));
    assert_eq!(profile.slices.len(), 0);
}

#[test]
fn a_cut_trace_keeps_what_it_has_or_says_why_not() {
    let Some(folder) = conformance() else {
        return;
    };
    let whole = file(&folder, "fused_attention", "fused_exec_2.ntff");
    let n = import_one(std::slice::from_ref(&whole)).expect("opens").profile.slices.len();
    for len in [0, 1, 9, 100, 128, 200, 3287, 3288, 20_000, 60_000, 73_728, 100_000, whole.1.len() - 1] {
        let cut = ("cut.ntff".to_string(), whole.1[..len].to_vec());
        match import_one(&[cut]) {
            Ok(imported) => {
                assert_eq!(imported.profile.check(), Ok(()));
                assert!(len >= 3288 && imported.profile.slices.len() <= n);
                assert!(imported.ledger.skipped.iter().any(|s| s.kind == "truncated"), "cut at {len}");
            }
            Err(error) => assert!(len < 3288 && error.to_string().contains("cut.ntff"), "{len}: {error}"),
        }
    }
    let mut other = whole.1.clone();
    other[0] = 9;
    let error = import_one(&[("x.ntff".into(), other)]).expect_err("version 9").to_string();
    assert!(error.starts_with("Expected Neuron trace version 4–6, found 9 in `x.ntff`. Convert it with `neuron-profile view"), "{error}");
    let error = import_one(&[("x.ntff".into(), b"x".to_vec())]).expect_err("one byte").to_string();
    assert!(error.contains("found 1 byte in `x.ntff` that do not start like one"), "{error}");
    let error = import_one(&[("x.ntff".into(), Vec::new())]).expect_err("nothing captured").to_string();
    assert!(error.contains("profiling was on, but nothing was captured"), "{error}");
}

#[test]
fn mutated_real_files_never_panic() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = file(&folder, "fused_attention", "fused_exec_2.ntff");
    let neff = file(&folder, "fused_attention", "fused.neff");
    let mut json = file(&folder, "fused_attention", "fused_exec_2_profile_full.json");
    json.1.truncate(60_000);
    let mut random = Random(7);
    for round in 0..60 {
        // Most of what can go wrong stands in the description.
        let reach = if round % 2 == 0 { 3400 } else { trace.1.len() };
        try_import(&[mutated(&trace, reach, &mut random)]);
        try_import(&[trace.clone(), mutated(&neff, neff.1.len(), &mut random)]);
        try_import(&[mutated(&json, json.1.len(), &mut random)]);
    }
}

#[test]
fn formats_are_tried_most_specific_first() {
    let at = |id: &str| ALL.iter().position(|f| f.id() == id).expect("known");
    assert!(at("ntff") < at("neff") && at("neff") < at("neuron_json"));
}
