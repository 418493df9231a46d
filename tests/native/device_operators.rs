//! Operators of a Neuron run, against the file's own figures.

use crate::neuron_support::runs::{RUNS, query, run};
use crate::neuron_support::*;
use axonscope::analysis::device::layers::layers;
use axonscope::analysis::device::run_metrics::flops::Flops;
use axonscope::analysis::operators::{self, Operators, OperatorsQuery};
use axonscope::base::{TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::OccurrencesQuery;
use axonscope::formats::import;
use axonscope::model::Profile;

/// Rows by opcode and engine.
fn by_opcode(profile: &Profile, range: Option<TimeRange>) -> Operators {
    let column = operators::column(profile, "opcode").expect("opcodes");
    operators::operators(profile, column, &operators::tracks_below(profile, &[]), range, &[])
}

#[test]
fn rows_of_operators_have_the_flops_of_the_file_and_the_shares_of_layers() {
    for (folder, stem) in RUNS {
        let Some((imported, json)) = run(folder, stem) else {
            return;
        };
        let found = by_opcode(&imported.profile, None);
        assert!(found.has_flops && found.notes.iter().all(|n| n.starts_with("Instructions that only wait")), "{:?}", found.notes);
        assert!(found.rows.iter().all(|r| r.name != "EVENT_SEMAPHORE"), "waits are no work");
        let sum = |pick: fn(&Flops) -> u64| found.rows.iter().filter_map(|r| r.flops.as_ref()).map(pick).sum::<u64>();
        let summary = &json["summary"][0];
        assert_eq!(sum(|f| f.all), summary["hardware_flops"].as_u64().expect("a number"), "{folder}");
        assert_eq!(sum(|f| f.transposes), summary["transpose_flops"].as_u64().expect("a number"), "{folder}");
        assert!(found.rows.iter().any(|r| r.flops.is_none()), "what multiplies nothing has none");
        let tree = layers(&imported.profile, &query("opcode"), &[]);
        let mut n = 0;
        for row in found.rows.iter().filter(|r| r.flops.is_some()) {
            let core = tree.nodes.iter().position(|n| n.parent.is_none() && row.device.starts_with(&format!("{} /", n.name)));
            let node = tree.nodes.iter().find(|n| n.name == row.name && n.parent == core.map(|c| c as u32)).expect("the node");
            // Only where one engine alone has the opcode do both speak of the same instructions.
            if node.occurrences == row.occurrences {
                let flops = row.flops.expect("it has some");
                let want = (node.flops, node.transpose_flops, node.hfu, node.mfu);
                assert_eq!((Some(flops.all), Some(flops.transposes), flops.hfu, flops.mfu), want, "{folder} {}", row.name);
                n += 1;
            }
        }
        assert!(n > 0, "{folder}: at least one opcode is of one engine alone");
    }
}

#[test]
fn flops_are_parted_by_the_time_of_their_instruction() {
    let Some((imported, _)) = run("fused_attention", "fused") else {
        return;
    };
    let whole = imported.profile.meta.range;
    let middle = TimeNs(i64::midpoint(whole.start.0, whole.end.0));
    let sum = |range| by_opcode(&imported.profile, range).rows.iter().filter_map(|r| r.flops).map(|f| f.all).sum::<u64>();
    let parts = [TimeRange::new(whole.start, middle), TimeRange::new(middle, TimeNs(whole.end.0 + 1))].map(|r| sum(Some(r)));
    assert!(parts.iter().all(|p| *p > 0));
    // A group's parts are each rounded down in one range and up in the next: nothing is lost.
    assert_eq!(parts[0] + parts[1], sum(None));
    // No range does more than the hardware could, not even the shortest in which a product begins.
    let rows = by_opcode(&imported.profile, Some(TimeRange::new(TimeNs(17_250), TimeNs(17_280)))).rows;
    let shares: Vec<f64> = rows.iter().filter_map(|r| r.flops?.hfu).collect();
    assert!(!shares.is_empty() && shares.iter().all(|s| *s <= 1.0), "{shares:?}");
}

#[test]
fn layers_are_put_together_by_their_first_parts() {
    let Some((_, mut json)) = run("fused_attention", "fused") else {
        return;
    };
    for (at, i) in json["instruction"].as_array_mut().expect("an array").iter_mut().enumerate() {
        i["layer"] = ["/model/a/one", "/model/a/two", "/model/b/one", "/other"][at % 4].into();
    }
    let (claim, outcome) =
        import::import(&set(&[("deep.json".to_string(), serde_json::to_vec(&json).expect("JSON"))])).expect("it opens").remove(0);
    let (imported, input) = outcome.expect("it opens");
    let session = Session::new(claim, input, imported);
    let rows = |by: &str| session.ask(&OperatorsQuery { group_by: by.into(), ..OperatorsQuery::default() }).expect("an answer");
    let names = |by: &str| {
        let mut names: Vec<String> = rows(by).rows.into_iter().map(|r| r.name).filter(|n| !n.is_empty()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(names("layer@1"), ["/model", "/other"]);
    assert_eq!(names("layer@2"), ["/model/a", "/model/b", "/other"]);
    assert_eq!(names("layer").len(), 4);
    let whole = rows("layer");
    let offered: Vec<&str> = whole.groupings.iter().map(|g| g.0.as_str()).filter(|g| g.starts_with("layer")).collect();
    assert_eq!(offered, ["layer", "layer@1", "layer@2"], "three parts are the whole layer");
    assert_eq!(rows("layer@1").busy, whole.busy);
    // A row leads to all that is counted in it.
    let slices = |by: &str, value: &str| match session.ask(&OccurrencesQuery { by: by.into(), value: value.into() }) {
        Ok(slices) => slices.0.len(),
        other => panic!("{other:?}"),
    };
    let parts: usize = ["/model/a/one", "/model/a/two", "/model/b/one"].map(|l| slices("layer", l)).iter().sum();
    assert!(parts > 0 && slices("layer@1", "/model") == parts);
}

#[test]
fn a_trace_of_another_architecture_has_no_flops() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = file(&folder, "fused_attention", "fused_exec_2.ntff");
    let whole = by_opcode(&import_one(std::slice::from_ref(&trace)).expect("the trace opens").profile, None);
    let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens").profile;
    let flops =
        |found: &axonscope::analysis::operators::Operators| found.rows.iter().map(|r| (r.name.clone(), r.flops)).collect::<Vec<_>>();
    assert_eq!(flops(&whole), flops(&by_opcode(&json, None)));
    let trace = import_one(&[other_architecture(trace)]).expect("the trace opens");
    let found = by_opcode(&trace.profile, None);
    assert!(!found.has_flops && found.rows.iter().all(|r| r.flops.is_none()));
    assert!(found.notes.iter().any(|n| n.contains("MFU and HFU are not available")), "{:?}", found.notes);
}
