//! Runs of many ranks: parts of synthetic traces, merged.

mod bad_input;
mod command;
mod faults;
mod hostile;

use crate::common::made_fleet::{Fault, Fleet};
use axonscope::analysis::fleet::{FleetSummary, merge, summary};
use axonscope::analysis::torch::run_part::RunPartQuery;
use axonscope::base::{InputSet, Member};
use axonscope::engine::Session;
use axonscope::formats::import;
use axonscope::model::fleet::RunPart;

/// The part of a trace.
fn part(name: &str, json: &str, id: u64) -> RunPart {
    let input = InputSet { members: vec![Member::from_bytes(name, json.as_bytes().to_vec())] };
    let (claim, outcome) = import::import(&input).expect("a trace").remove(0);
    let (imported, readable) = outcome.expect("imported");
    assert_eq!(imported.profile.check(), Ok(()));
    let query = RunPartQuery { name: name.into(), id, run: "run".into(), ..RunPartQuery::default() };
    Session::new(claim, readable, imported).run_part(&query).expect("a part")
}

fn parts(fleet: &Fleet) -> Vec<RunPart> {
    fleet.traces().iter().enumerate().map(|(rank, (name, json))| part(name, json, rank as u64 + 1)).collect()
}

fn named(found: &FleetSummary) -> Vec<(String, String)> {
    let kind = |f: &axonscope::analysis::fleet::Finding| serde_json::to_value(f.kind).unwrap().as_str().unwrap().to_string();
    found.findings.iter().map(|f| (kind(f), f.subject.clone())).collect()
}

#[test]
fn a_part_holds_what_the_trace_records() {
    let fleet = Fleet { n_ranks: 4, n_steps: 3, seed: 1, ..Fleet::default() };
    let (name, json) = &fleet.traces()[2];
    let part = part(name, json, 7);
    assert_eq!(
        (part.meta.rank, part.meta.n_ranks, part.meta.host.as_str(), part.meta.devices.as_slice()),
        (Some(2), Some(4), "node0", &[2][..])
    );
    assert_eq!(part.steps.iter().map(|s| s.number).collect::<Vec<_>>(), [10, 11, 12]);
    for step in &part.steps {
        assert_eq!(step.times.categories.iter().sum::<i64>(), step.times.total, "categories sum to the step");
        assert!(step.times.categories[0] > 2_000_000 && step.times.categories[3] > 900_000, "{:?}", step.times);
    }
    // Three tensor-parallel and one data-parallel collective in each of three steps.
    assert_eq!(part.collectives.len(), 12);
    let first = &part.collectives[0];
    assert_eq!((first.group.as_str(), first.seq, first.bytes, first.step), ("tp0", 0, Some(8 << 20), Some(10)));
    let mm = part.operators.iter().find(|o| o.name == "aten::mm").unwrap();
    assert_eq!((mm.calls, mm.shape.as_str()), (9, "[[4096, 1024], [1024, 4096]]"));
    assert_eq!(part.kernels.iter().map(|k| k.calls).sum::<u64>(), 18 + 12);
    assert_eq!((part.meta.n_unnumbered, part.meta.n_left_out), (0, 0));
}

#[test]
fn the_rank_that_others_wait_for_is_the_straggler() {
    let fleet = Fleet { n_ranks: 16, faults: vec![Fault::LateRank(6)], seed: 3, ..Fleet::default() };
    let found = summary(&merge(&parts(&fleet)).0);
    let first = &found.ranks[found.stragglers[0] as usize];
    assert_eq!(first.trace.rank, Some(6));
    assert_eq!(first.instead.map(|i| i.0.label()), Some("CPU Exec"));
    let place = first.place.as_ref().expect("where others wait for it");
    assert_eq!((place.op.as_str(), place.group.starts_with("tp1") || place.group.starts_with("dp")), ("nccl:allreduce", true), "{place:?}");
    assert!(place.n_last <= first.n_last && place.caused_ns <= first.caused_ns && place.step.is_some(), "{place:?}");
    // It arrives last in the first tensor-parallel collective of each step; its group then arrives last in all data-parallel ones.
    assert!(first.n_last >= 4, "{first:?}");
    assert!(first.waited_ns < found.ranks[0].waited_ns, "it waits less than another rank");
}
