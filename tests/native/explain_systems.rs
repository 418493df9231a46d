//! What changed between two system profiles: parts add up, and the mean invocation of each model has the spread over its invocations.

use crate::common::made_system::{DECODE, Serving as Made, write_system};
use crate::neuron_systems::*;
use axonscope::analysis::explain::{Explain, ExplainKind, ExplainPart, ExplainQuery, PartNode, explain, markdown::markdown};
use axonscope::base::{InputSet, TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::SystemQuery;
use axonscope::formats::import;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::OnceLock;

fn session(text: Vec<u8>) -> Session {
    let (claim, outcome) = import::import(&InputSet::from_bytes("system_profile.json", text)).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn made(n_bursts: u32, n_steps: u32) -> Session {
    let mut text = Vec::new();
    write_system(&mut text, Made { n_bursts, n_requests: 4, n_steps, has_models: true }).unwrap();
    session(text)
}

fn part(session: &Session, range: Option<TimeRange>) -> ExplainPart {
    session.ask(&ExplainQuery { range, order: Vec::new() }).expect("a part")
}

fn check(nodes: &[PartNode], what: &str) {
    for (at, node) in nodes.iter().enumerate().filter(|n| n.1.n_below > 0) {
        let below = &nodes[at + 1..=at + node.n_below as usize];
        let sum: i64 = below.iter().filter(|n| n.level == node.level + 1).map(|n| n.time.0).sum();
        assert_eq!(sum, node.time.0, "{what}: {}", node.name);
    }
}

#[test]
fn parts_are_those_of_the_system_view_and_add_up() {
    let session = made(3, 20);
    let found = part(&session, None);
    assert_eq!(found.kind, ExplainKind::System);
    let names: Vec<&str> = found.units.iter().map(|u| u.name.as_str()).collect();
    assert_eq!((names.len(), names[0]), (4, "Entire profile"), "a decode and two prefill models: {names:?}");
    assert!(names[1..].iter().any(|n| n.starts_with("Mean invocation of") && n.contains("token_generation_model")), "{names:?}");
    found.units.iter().for_each(|u| check(&u.nodes, &u.name));
    let system = session.ask(&SystemQuery { range: None }).expect("figures");
    let total = &found.units[0].nodes[0];
    assert_eq!((total.time, total.spread_ns), (system.duration, None));
    let device: i64 = system.combinations.iter().filter(|c| c.0 & 1 != 0).map(|c| c.1.0).sum();
    let at = |name: &str| found.units[0].nodes.iter().find(|n| n.level == 1 && n.name == name).expect("a part").time.0;
    assert_eq!(at("Device"), device);
    let runtime: i64 = system.combinations.iter().filter(|c| c.0 & 3 == 2).map(|c| c.1.0).sum();
    assert_eq!(at("Runtime"), runtime);
    let decode = found.units.iter().find(|u| u.name.contains("token_generation_model")).expect("a model");
    let device = decode.nodes.iter().find(|n| n.name == "Device").expect("a part");
    // Physical cores are 1 µs apart.
    assert!((DECODE..=DECODE + 1_000).contains(&device.time.0), "{}", device.time.0);
    assert!(decode.n_samples > 200 && device.spread_ns.is_some());
}

#[test]
fn a_profile_and_itself_do_not_differ_and_others_do() {
    let (a, b) = (part(&made(3, 20), None), part(&made(2, 30), None));
    let same = explain(&a, &a);
    assert!(same.units.len() == 4 && same.metrics.is_empty() && same.n_equal > 0);
    assert!(same.units.iter().flat_map(|u| &u.nodes).all(|n| n.delta.0 == 0));
    let found: Explain = explain(&a, &b);
    assert_eq!(found.units.len(), 4);
    for unit in &found.units {
        let sum: i64 = unit.parts().map(|p| p.delta.0).sum();
        assert_eq!(Some(sum), unit.total().map(|t| t.delta.0), "{}", unit.name);
    }
    let decode = found.units.iter().find(|u| u.name.contains("token_generation_model")).expect("a model");
    assert!(decode.total().expect("a total").spread_ns.is_some());
    assert!(decode.parts().find(|p| p.name == "Device").is_some_and(|p| p.is_noise() || p.delta.0 == 0), "decode takes as long in both");
    let text = markdown(&found);
    assert!(text.contains("Mean invocation of") && text.contains("Spread") && text.contains("Invocations: 240 → "), "{text}");
    assert!(found.metrics.iter().any(|m| m.name == "invocations"), "{:?}", found.metrics.iter().map(|m| &m.name).collect::<Vec<_>>());
}

#[test]
fn models_of_one_profile_are_named() {
    let running = |model: &str, start| event("neuron_hw", "nc_exec_running", Some(0), start, 2_000, json!({ "model_name": model }));
    let events = |model: &str| -> Vec<Value> { vec![running(model, 1_000), running(model, 5_000)] };
    let (a, b) = (session(profile(&events("a.neff"), &[]).into_bytes()), session(profile(&events("b.neff"), &[]).into_bytes()));
    let found = explain(&part(&a, None), &part(&b, None));
    assert_eq!(found.units.len(), 1, "the entire profile");
    assert!(found.notes.iter().filter(|n| n.starts_with("Only in") && n.contains("Mean invocation of")).count() == 2, "{:?}", found.notes);
    let host = session(profile(&[event("neuron_rt", "nrt_execute", Some(0), 0, 1_000, json!({}))], &[]).into_bytes());
    assert!(explain(&part(&host, None), &part(&a, None)).notes.iter().any(|n| n.contains("nc_exec_running")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the range, children add up to their parents, and the total is the range.
    #[test]
    fn parts_of_any_range_add_up(start in -1_000_000i64..40_000_000, length in 0i64..30_000_000) {
        static SESSION: OnceLock<Vec<u8>> = OnceLock::new();
        let text = SESSION.get_or_init(|| {
            let mut text = Vec::new();
            write_system(&mut text, Made { n_bursts: 1, n_requests: 2, n_steps: 5, has_models: true }).unwrap();
            text
        });
        let range = TimeRange { start: TimeNs(start), end: TimeNs(start + length) };
        let found = part(&session(text.clone()), Some(range));
        found.units.iter().for_each(|u| check(&u.nodes, &u.name));
        prop_assert_eq!(found.units[0].nodes[0].time.0, length);
    }
}
