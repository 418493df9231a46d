//! Serving on Neuron: counts, percentiles, phases, bursts, gaps and delays of a profile of which all are known.

use crate::common::made_system::{BURST, DECODE, HOST, PREFILL, SUBMIT, Serving as Made, write_system};
use crate::neuron_systems::*;
use axonscope::analysis::system::{Phase, Serving, ServingQuery};
use axonscope::base::{InputSet, TimeNs, TimeRange};
use axonscope::engine::{Session, views};
use axonscope::formats::import;
use serde_json::{Value, json};

fn session(text: Vec<u8>) -> Session {
    let (claim, outcome) = import::import(&InputSet::from_bytes("system_profile.json", text)).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    Session::new(claim, readable, imported)
}

fn serving(session: &Session, query: ServingQuery) -> Serving {
    session.ask(&query).expect("an answer")
}

fn whole(events: &[Value]) -> Serving {
    serving(&session(profile(events, &[]).into_bytes()), ServingQuery::default())
}

const MADE: Made = Made { n_bursts: 3, n_requests: 4, n_steps: 20, has_models: true };

fn made(made: Made) -> Session {
    let mut text = Vec::new();
    write_system(&mut text, made).unwrap();
    session(text)
}

#[test]
fn models_buckets_and_phases_of_a_run() {
    let session = made(MADE);
    assert!(views::views(&session.profile).contains(&"serving"));
    let s = serving(&session, ServingQuery::default());
    // 3 bursts of 4 requests: a prefill and 20 steps each, on two physical cores that count once.
    let n = 3 * 4 * 21;
    assert_eq!((s.n_executions, s.n_invocations), (2 * n, n));
    let rows: Vec<_> =
        s.buckets.iter().map(|b| (b.model.as_str(), b.bucket.as_str(), b.phase, b.is_guess, b.times.count, b.times.p50.0)).collect();
    // Physical cores are 1 µs apart.
    assert_eq!(
        rows,
        [
            ("token_generation_model", "bk0", Phase::Decode, false, 240, DECODE),
            ("context_encoding_model", "bk0", Phase::Prefill, false, 6, PREFILL),
            ("context_encoding_model", "bk1", Phase::Prefill, false, 6, PREFILL),
        ]
    );
    let total = (240 * DECODE + 12 * PREFILL) as f64;
    assert!((s.buckets[0].share.unwrap() - (240 * DECODE) as f64 / total).abs() < 1e-12);
    assert_eq!(
        s.phases.iter().map(|p| (p.phase, p.times.count, p.is_guess)).collect::<Vec<_>>(),
        [(Phase::Prefill, 12, false), (Phase::Decode, 240, false)]
    );
    // Collectives take a fifth of each execution, on the two cores 1 µs apart.
    let cc = s.collectives.clone().unwrap();
    assert_eq!(cc.count, 2 * n);
    assert!((cc.share.unwrap() - 0.2).abs() < 0.001 && cc.barrier.0 == 0, "{cc:?}");
    assert_eq!((s.hbm[0].bytes, s.spill_bytes), (8_000_000_000 + 4 * (1 << 20), Some(4 << 20)));
    let delay = s.delay.clone().unwrap();
    assert_eq!((delay.event.as_str(), delay.times.count, delay.n_unpaired), ("nrt_model_submit", n, 0));
    assert_eq!([delay.times.p50.0, delay.times.p99.0, delay.times.max.0], [SUBMIT; 3]);
    assert!(delay.pairing.contains("exec_id"));
    assert!(s.notes.iter().any(|n| n.contains("count once")), "{:?}", s.notes);
}

#[test]
fn a_burst_is_a_scope() {
    let session = made(MADE);
    let s = serving(&session, ServingQuery { burst: Some(1), range: None });
    let one_burst = 4 * (21 * (HOST + SUBMIT) + PREFILL + 20 * DECODE);
    let starts: Vec<i64> = s.bursts.iter().map(|b| b.range.start.0).collect();
    assert_eq!(starts, [0, 1, 2].map(|b| b * BURST + HOST + SUBMIT));
    assert!(s.bursts.iter().all(|b| b.count == 84 && b.range.duration().0 == one_burst - HOST - SUBMIT));
    assert_eq!(s.bursts[1].idle_before.unwrap().0, BURST - (one_burst - HOST - SUBMIT));
    assert_eq!((s.burst, s.scope, s.n_invocations), (Some(1), s.bursts[1].range, 84));
    // Between executions the host copies and submits: the parts are all of the time.
    let gaps = &s.gaps;
    assert_eq!((gaps.count, gaps.total.0, gaps.longest.0), (83, 83 * (HOST + SUBMIT), HOST + SUBMIT));
    assert_eq!(gaps.parts.iter().map(|p| p.time.0).sum::<i64>(), gaps.total.0);
    let part = |id: &str| gaps.parts.iter().find(|p| p.id == id).map(|p| (p.time.0, p.events.clone()));
    assert_eq!(part("copy-in"), Some((83 * HOST / 4, vec!["dmem_buf_copyin".to_string()])));
    assert_eq!(part("submit"), Some((83 * SUBMIT / 2, vec!["nrt_model_submit".to_string()])));
    assert_eq!(part("none"), Some((83 * HOST / 4, Vec::new())));
    assert_eq!((s.copies[0].count, s.copies_in_gaps.0), (83, 83 * HOST / 4));
    let core = &s.cores[0];
    let busy = 80 * DECODE + 4 * PREFILL;
    assert_eq!((s.cores.len(), core.n_physical, core.count, core.busy.0, s.busy.0), (1, 2, 84, busy, busy));
    assert!((core.share.unwrap() - busy as f64 / s.scope.duration().0 as f64).abs() < 1e-12 && core.share == s.mean_cores_busy);
    // The idle time between bursts is no gap of the whole run.
    assert_eq!(serving(&session, ServingQuery::default()).gaps.count, 3 * 83);
    let range = TimeRange::new(TimeNs(BURST), TimeNs(2 * BURST));
    assert_eq!(serving(&session, ServingQuery { burst: None, range: Some(range) }).n_invocations, 84);
    assert_eq!(serving(&session, ServingQuery { burst: Some(9), range: None }).burst, None);
}

#[test]
fn without_models_durations_tell_and_it_is_a_guess() {
    let s = serving(&made(Made { has_models: false, ..MADE }), ServingQuery::default());
    let rows: Vec<_> = s.buckets.iter().map(|b| (b.path.as_str(), b.bucket.as_str(), b.phase, b.is_guess, b.times.count)).collect();
    assert_eq!(rows, [("", "5.00 ms", Phase::Decode, true, 240), ("", "45.0 ms", Phase::Prefill, true, 12)]);
    assert!(s.notes.iter().any(|n| n.contains("are a guess")));
    // One model for all: its executions are told apart by their own durations.
    let run = |start: i64, length: i64| running(start * MS, length * MS);
    let s = whole(&[run(0, 10), run(10, 10), run(20, 31), run(60, 10)]);
    let rows: Vec<_> = s.buckets.iter().map(|b| (b.phase, b.is_guess, b.times.count)).collect();
    assert_eq!(rows, [(Phase::Prefill, true, 1), (Phase::Decode, true, 3)]);
    // Three medians are not more than three medians.
    let s = whole(&[run(0, 10), run(10, 10), run(20, 30), run(60, 10)]);
    assert_eq!(s.phases.iter().map(|p| (p.phase, p.is_guess)).collect::<Vec<_>>(), [(Phase::Unknown, false)]);
}

/// An execution on a physical core of the logical core 0.
fn on(physical: u32, start: i64, length: i64) -> Value {
    event("neuron_hw", "nc_exec_running", Some(0), start, length, json!({ "device_core_idx": physical, "model_name": "/a.neff" }))
}

#[test]
fn physical_cores_of_an_invocation_count_once() {
    // Back to back on two cores that are a little apart: each pair is one, and no chain of all.
    let s = whole(&[on(0, 0, 100), on(1, 10, 100), on(0, 100, 100), on(1, 110, 100), on(0, 200, 100)]);
    assert_eq!((s.n_executions, s.n_invocations, s.cores[0].busy.0), (5, 3, 300));
    assert_eq!(s.buckets[0].times.max.0, 110);
    // Of two logical cores, and of two models, they stay apart.
    let other_core = event("neuron_hw", "nc_exec_running", Some(1), 0, 100, json!({ "device_core_idx": 2, "model_name": "/a.neff" }));
    assert_eq!(whole(&[on(0, 0, 100), other_core]).n_invocations, 2);
    let other_model = event("neuron_hw", "nc_exec_running", Some(0), 0, 100, json!({ "device_core_idx": 1, "model_name": "/b.neff" }));
    assert_eq!(whole(&[on(0, 0, 100), other_model]).n_invocations, 2);
    // Four physical cores are one; where no core is recorded nothing is joined.
    assert_eq!(whole(&[0, 1, 2, 3].map(|p| on(p, 0, 100))).n_invocations, 1);
    let without = |physical: u32| event("neuron_hw", "nc_exec_running", None, 0, 100, json!({ "device_core_idx": physical }));
    assert_eq!(whole(&[without(0), without(1)]).n_invocations, 2);
}

#[test]
fn submissions_without_ids_pair_by_time() {
    let submit = |at: i64| event("neuron_rt", "nrt_model_submit", Some(0), at, 1, json!({}));
    // Two in flight: the first submission is of the first execution.
    let s = whole(&[submit(0), submit(10), on(0, 100, 50), on(0, 150, 50)]);
    let delay = s.delay.unwrap();
    assert_eq!((delay.times.total.0, delay.times.max.0, delay.pairing.as_str()), (100 + 140, 140, "Paired in the order of time."));
    // The trace begins within a run: its first execution was submitted before.
    let s = whole(&[on(0, 0, 50), submit(60), on(0, 100, 50), submit(200), submit(210)]);
    let delay = s.delay.unwrap();
    assert_eq!((delay.times.count, delay.times.max.0, delay.n_unpaired), (1, 40, 1));
    assert!(delay.pairing.contains("latest"));
    let s = whole(&[on(0, 0, 50)]);
    assert!(s.delay.is_none() && s.notes.iter().any(|n| n.contains("nrt_model_submit")) && s.collectives.is_none());
}

#[test]
fn nothing_is_said_where_there_is_nothing() {
    let s = whole(&[event("neuron_rt", "nrt_load", Some(0), 0, 5, json!({}))]);
    assert_eq!((s.n_invocations, s.buckets.len(), s.bursts.len(), s.spill_bytes), (0, 0, 0, None));
    assert!(s.notes.len() == 1 && s.notes[0].contains("nc_exec_running"));
    let session = made(MADE);
    let empty = TimeRange::new(TimeNs(5 * BURST), TimeNs(6 * BURST));
    let s = serving(&session, ServingQuery { range: Some(empty), burst: None });
    assert_eq!((s.n_invocations, s.busy.0, s.gaps.count, s.notes.len()), (0, 0, 0, 1));
    let s = whole(&[on(0, 0, 0), on(0, 0, 0)]);
    assert_eq!((s.n_invocations, s.busy.0, s.buckets[0].share), (2, 0, None));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        /// Parts of gaps add up, no invocation is lost, whatever overlaps.
        #[test]
        fn everything_adds_up(
            runs in prop::collection::vec((0u32..3, 0i64..2000, 0i64..300), 1..60),
            host in prop::collection::vec((prop::sample::select(vec!["dmem_buf_copyin", "nrt_execute", "kbl_exec_wait", "other"]), 0i64..2000, 0i64..300), 0..60),
            range in prop::option::of((0i64..2000, 0i64..500)),
        ) {
            let mut events: Vec<Value> = runs.iter().map(|&(p, at, d)| on(p, at, d)).collect();
            events.extend(host.iter().map(|(name, at, d)| event("neuron_rt", name, Some(0), *at, *d, json!({}))));
            let range = range.map(|(from, length)| TimeRange::new(TimeNs(from), TimeNs(from + length)));
            let session = session(profile(&events, &[]).into_bytes());
            let s = serving(&session, ServingQuery { range, burst: None });
            prop_assert_eq!(s.gaps.parts.iter().map(|p| p.time.0).sum::<i64>(), s.gaps.total.0);
            prop_assert_eq!(s.buckets.iter().map(|b| b.times.count).sum::<u64>(), s.n_invocations);
            prop_assert_eq!(s.phases.iter().map(|p| p.times.total.0).sum::<i64>(), s.buckets.iter().map(|b| b.times.total.0).sum::<i64>());
            prop_assert!(s.n_executions >= s.n_invocations && s.busy.0 <= s.scope.duration().0);
            prop_assert_eq!(s.busy.0, s.cores.iter().map(|c| c.busy.0).sum::<i64>());
            if range.is_none() {
                prop_assert_eq!(s.n_executions, runs.len() as u64);
                // One without duration before all others is of no burst.
                prop_assert!(s.bursts.iter().map(|b| b.count).sum::<u64>() <= s.n_invocations);
            }
        }
    }
}

#[test]
fn serving_profiles_are_rows_of_the_table_of_variants() {
    use axonscope::analysis::variants::variants;
    use axonscope::engine::query::VariantPartsQuery;
    let parts: Vec<_> =
        [MADE, Made { n_bursts: 1, ..MADE }].into_iter().flat_map(|m| made(m).ask(&VariantPartsQuery).expect("parts")).collect();
    let all = variants(&parts);
    assert_eq!(all.rows.len(), 2);
    let value = |row: usize, id: &str| all.rows[row].cells[all.column(id).unwrap_or_else(|| panic!("{id}"))].number();
    let s = serving(&made(MADE), ServingQuery::default());
    assert_eq!(value(0, "invocations"), Some(s.n_invocations as f64));
    assert_eq!((value(0, "invocations"), value(1, "invocations")), (Some(252.0), Some(84.0)));
    assert_eq!(value(0, "decode.p50"), Some(DECODE as f64));
    assert_eq!(value(0, "prefill.p99"), Some(PREFILL as f64));
    assert_eq!(value(0, "gaps"), Some(s.gaps.total.0 as f64));
    assert!(all.columns.iter().filter(|c| c.is_default).count() >= 8);
    // Without executions there is nothing to compare.
    assert!(!views::views(&session(profile(&[], &[]).into_bytes()).profile).contains(&"variants"));
}
