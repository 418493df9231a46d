//! A region as the scope: every question about its wall span is answered for its windows alone.

use crate::neuron_support::{Named, conformance, file, set};
use axonscope::analysis::device::bounds::{Bound, BoundsQuery, RegionWindowsQuery, RegionsQuery};
use axonscope::base::{DurationNs, SliceId, TimeNs, TimeRange, Windows};
use axonscope::engine::query::{OperatorsQuery, OverviewQuery, Scope, ScopeQuery, SummaryQuery};
use axonscope::engine::{Session, Wire};
use axonscope::formats::import;
use axonscope::model::Profile;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("it opens").remove(0);
    let (imported, readable) = outcome.expect("it opens");
    Session::new(claim, readable, imported)
}

/// As the page asks: through the message that travels.
fn ask<Q: Wire>(session: &Session, question: Q) -> Q::Answer {
    session.ask_in_scope(&question).expect("an answer")
}

fn scope(session: &Session, windows: &[TimeRange]) -> Scope {
    ask(session, ScopeQuery { windows: windows.to_vec(), ..ScopeQuery::default() })
}

fn range(start: i64, end: i64) -> TimeRange {
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

fn run(run: &str, stem: &str) -> Option<Session> {
    let folder = conformance()?;
    Some(session(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]))
}

const RUNS: [(&str, &str); 2] = [("baseline_attention", "baseline"), ("fused_attention", "fused")];

#[test]
fn bounds_of_a_region_are_those_of_its_windows() {
    for (folder, stem) in RUNS {
        let Some(session) = run(folder, stem) else { return };
        let mut n_checked = 0;
        for by in ["file", "line", "layer", "hlo", "opcode", "name"] {
            let query = RegionsQuery { by: by.into(), pattern: "MATMUL".into(), ..RegionsQuery::default() };
            let found = ask(&session, query.clone());
            for region in found.regions.iter().filter(|r| found.by == by && r.n_windows > 1) {
                let windows = ask(&session, RegionWindowsQuery { regions: query.clone(), name: region.name.clone() });
                assert_eq!(windows.len() as u64, region.n_windows, "all windows, not those of a table that is cut");
                let scope = scope(&session, &windows);
                assert_eq!((scope.wall, scope.length), (Some(region.wall), region.time));
                let bounds = ask(&session, BoundsQuery { range: scope.wall, order: Vec::new() });
                let core = &bounds.cores[0];
                let total = core.ladders.iter().flat_map(|l| &l.steps).find(|s| s.bound == Bound::Total).map(|s| s.time_ns);
                assert_eq!(total, Some(region.time.0 as f64), "{by} {}", region.name);
                assert_eq!(core.exclusive, region.exclusive, "{by} {}", region.name);
                assert_eq!(core.moved_bytes, region.moved_bytes, "{by} {}", region.name);
                assert_eq!(bounds.range, region.wall, "times are those of the run");
                assert!(!bounds.is_run);
                n_checked += 1;
            }
        }
        assert!(n_checked > 10, "{n_checked} regions");
        // Another range is no region; without windows there is none any more.
        let half = Some(range(0, 20_000));
        let before = ask(&session, BoundsQuery { range: half, order: Vec::new() });
        assert_eq!(scope(&session, &[]), Scope::default());
        assert_eq!(ask(&session, BoundsQuery { range: half, order: Vec::new() }), before);
    }
}

#[test]
fn operators_search_and_metrics_are_cut_to_the_windows() {
    let Some(session) = run("fused_attention", "fused") else { return };
    let windows = [range(2_000, 4_100), range(9_000, 9_050), range(15_003, 21_777)];
    let wall = scope(&session, &windows).wall;
    let found = ask(&session, OperatorsQuery { range: wall, ..OperatorsQuery::default() });
    let slices = &session.profile.slices;
    let total = |name: &str| -> i64 {
        let of = (0..slices.len()).filter(|i| session.profile.name_of(SliceId(*i as u32)) == name);
        let inside = |i: usize| windows.iter().map(|w| w.overlap(TimeNs(slices.start[i]), DurationNs(slices.duration[i])).0).sum::<i64>();
        of.map(inside).sum()
    };
    let rows: Vec<_> = found.rows.iter().filter(|r| ["ACTIVATE", "COPY", "TENSOR_REDUCE"].contains(&r.name.as_str())).collect();
    assert!(!rows.is_empty(), "{:?}", found.rows.iter().map(|r| &r.name).collect::<Vec<_>>());
    for name in rows.iter().map(|r| r.name.as_str()) {
        let sum: i64 = found.rows.iter().filter(|r| r.name == name).map(|r| r.total.0).sum();
        assert_eq!(sum, total(name), "{name}");
    }
    let is_inside = |slice: &SliceId| {
        let (start, duration) = (TimeNs(slices.start[slice.index()]), DurationNs(slices.duration[slice.index()]));
        windows.iter().any(|w| w.touches(start, duration))
    };
    let opcodes = ask(&session, RegionsQuery { by: "opcode".into(), range: wall, ..RegionsQuery::default() });
    let products = opcodes.regions.iter().find(|r| r.name == "MATMUL").expect("the run multiplies");
    assert!(!products.slices.is_empty() && products.slices.iter().all(is_inside));
    assert!(products.slices.iter().all(|s| session.profile.name_of(*s) == "MATMUL"), "ids are those of the run");
    let summary = ask(&session, SummaryQuery { range: wall });
    assert_eq!(summary.duration, DurationNs(2_100 + 50 + 6_774));
}

#[test]
fn slices_of_a_trace_are_a_scope_and_one_window_is_a_range() {
    let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("public/samples/gloo_ddp_rank0.pt.trace.json.gz");
    let bytes = std::fs::read(sample).expect("the sample is part of the project");
    let session = session(&[("rank0.pt.trace.json.gz".into(), bytes)]);
    let profile = &session.profile;
    let named =
        |name: &str| -> Vec<SliceId> { (0..profile.slices.len() as u32).map(SliceId).filter(|s| profile.name_of(*s) == name).collect() };
    let slices = named("aten::addmm");
    assert!(slices.len() > 1, "the sample has modules");
    let scope = ask(&session, ScopeQuery { slices, ..ScopeQuery::default() });
    assert!(scope.windows.len() > 1 && session.is_scoped());
    assert_eq!(profile.condensed(&Windows::new(scope.windows.clone())).profile.check(), Ok(()));
    let inside = ask(&session, OverviewQuery { range: scope.wall });
    let sum: i64 = inside.combinations.iter().map(|c| c.1.0).sum();
    let steps: i64 = inside.steps.iter().map(|s| s.total.0).sum();
    assert_eq!(sum, steps, "categories add up in condensed time");
    assert!(steps <= scope.length.0, "{steps} of {}", scope.length.0);
    let whole = ask(&session, OverviewQuery::default());
    assert!(whole.steps.iter().map(|s| s.total.0).sum::<i64>() > steps, "the entire trace stays as it was");
    let one = ask(&session, ScopeQuery { windows: vec![range(5, 10)], ..ScopeQuery::default() });
    assert_eq!((one.wall, session.is_scoped()), (Some(range(5, 10)), false));
    let within = ScopeQuery { windows: vec![range(0, 100)], within: vec![range(10, 20), range(50, 60)], ..ScopeQuery::default() };
    assert_eq!(ask(&session, within).windows, [range(10, 20), range(50, 60)]);
}

fn fused() -> Option<&'static Profile> {
    static PROFILE: OnceLock<Option<Profile>> = OnceLock::new();
    PROFILE.get_or_init(|| run("fused_attention", "fused").map(|session| session.profile)).as_ref()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any windows make a sound profile, whose slices are as long as what they cover.
    #[test]
    fn any_windows_make_a_sound_profile(parts in prop::collection::vec((-2_000i64..45_000, 0i64..6_000), 1..10)) {
        let Some(profile) = fused() else { return Ok(()) };
        let windows = Windows::new(parts.into_iter().map(|(start, n)| range(start, start + n)).collect());
        let condensed = profile.condensed(&windows);
        prop_assert_eq!(condensed.profile.check(), Ok(()));
        for (new, old) in condensed.slices.iter().map(|i| *i as usize).enumerate() {
            let (start, duration) = (TimeNs(profile.slices.start[old]), DurationNs(profile.slices.duration[old]));
            let inside: i64 = windows.ranges().iter().map(|w| w.overlap(start, duration).0).sum();
            prop_assert_eq!(condensed.profile.slices.duration[new], inside);
            prop_assert_eq!(condensed.profile.slices.name[new], profile.slices.name[old]);
        }
    }
}
