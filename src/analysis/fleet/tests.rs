use super::*;
use crate::model::fleet::*;

/// A part with values that depend on its number alone.
fn part(i: u64) -> RunPart {
    let n = i as i64;
    let times = StepTimes { total: 1000 + n, categories: [600, 0, 0, 200, 50, 20, 30, 100 + n], idle: [n, 0, 0, 1, 0] };
    let op = |name: &str, time: i64| PartOperator { name: name.into(), shape: String::new(), calls: 2, host_self: 5, device_self: time };
    let call = |seq: u32, duration_ns: i64| PartCollective {
        group: format!("g{}", i % 2),
        op: "nccl:all_reduce".into(),
        seq,
        bytes: (!i.is_multiple_of(3)).then_some(64),
        step: Some(seq),
        start_ns: 10 + n,
        duration_ns,
    };
    RunPart {
        meta: TraceMeta {
            rank: Some((i % 5) as u32),
            host: format!("node{}", i % 2),
            name: format!("rank{i}.json"),
            id: i * 0x9E37_79B9,
            origin_epoch_ns: (!i.is_multiple_of(4)).then_some(1_000),
            ..TraceMeta::default()
        },
        steps: (0..3).map(|s| PartStep { number: s, start_ns: 0, times }).collect(),
        operators: vec![op("aten::mm", 100 + n % 3), op(&format!("aten::op{}", i % 4), 7)],
        kernels: vec![op("gemm", 90)],
        collectives: (0..4).map(|seq| call(seq, 100 + n % 7)).collect(),
        advice: vec![PartAdvice { id: "idle".into(), title: format!("Idle {}", i % 2), cost_ns: Some(n) }],
        skipped: vec![PartSkip {
            kind: "missing_ts".into(),
            severity: "warning".into(),
            reason: format!("Reason {}", i % 3),
            count: 1 + i,
        }],
    }
}

fn run_of(ids: &[u64]) -> FleetRun {
    merge(&ids.iter().map(|i| part(*i)).collect::<Vec<_>>()).0
}

#[test]
fn a_copy_is_left_out_and_named() {
    let parts = [part(1), part(2), part(1)];
    let (run, skipped) = merge(&parts);
    assert_eq!(run, run_of(&[1, 2]));
    assert_eq!(skipped, [MergeError::Duplicate("rank1.json".into())]);
    let mut merger = Merger::default();
    merger.add_run(run_of(&[1, 2])).unwrap();
    assert_eq!(merger.add_run(run_of(&[2, 3])), Err(MergeError::Overlap("rank2.json".into())));
    assert_eq!(merger.finish(), run_of(&[1, 2]), "nothing of the refused run is left");
}

#[test]
fn sums_and_extremes_are_those_of_the_parts() {
    let run = run_of(&[1, 2, 3, 4]);
    let mm = run.operators.iter().find(|s| s.name == "aten::mm").unwrap();
    assert_eq!((mm.n_traces, mm.calls, mm.device_self, mm.most.value), (4, 8, 404, 102));
    assert_eq!(run.collectives.len(), 8);
    let call = &run.collectives[0];
    assert_eq!((call.n, call.total_ns, call.shortest.value, call.longest.value), (2, 206, 102, 104));
    assert_eq!(call.common, None, "trace 4 has no clock");
    assert_eq!((run.advice[0].n_traces, run.advice[0].cost_ns, run.advice[0].title.as_str()), (4, 10, "Idle 0"));
}

#[test]
fn waiting_is_what_is_longer_than_the_last() {
    let call = |trace: u64, duration_ns: i64| {
        let mut part = part(trace);
        part.collectives =
            vec![PartCollective { group: "g".into(), op: "nccl:all_reduce".into(), duration_ns, ..PartCollective::default() }];
        part
    };
    let (run, _) = merge(&[call(1, 100_000), call(2, 20_000), call(3, 60_000)]);
    let found = summary(&run);
    let row = |rank: u32| found.ranks.iter().find(|r| r.trace.rank == Some(rank)).unwrap();
    assert_eq!((row(2).n_last, row(2).caused_ns, row(2).waited_ns), (1, 60_000, Some(0)));
    assert_eq!((row(1).waited_ns, row(3).waited_ns, row(1).n_last), (Some(80_000), Some(40_000), 0));
    assert_eq!((found.collectives[0].last.rank, found.collectives[0].spread_ns()), (Some(2), 80_000));
    let place = WaitPlace { group: "g".into(), op: "nccl:all_reduce".into(), n_last: 1, caused_ns: 60_000, step: None };
    assert_eq!((row(2).place.clone(), row(1).place.clone()), (Some(place), None));
}

/// Four ranks in two tensor groups and two data groups; transfers of the second tensor group take `slow` times as long.
fn grouped(slow: i64) -> FleetRun {
    let call = |group: &str, seq: u32, duration_ns: i64| PartCollective {
        group: group.into(),
        op: "nccl:all_reduce".into(),
        seq,
        bytes: Some(3_000_000),
        duration_ns,
        ..PartCollective::default()
    };
    let trace = |rank: u64| {
        let mut part = part(rank);
        part.meta.rank = Some(rank as u32);
        let (tensor, data) = (rank / 2, rank % 2);
        let times = if tensor == 1 { slow } else { 1 };
        part.collectives = (0..3).map(|seq| call(&format!("{tensor} mesh_tp"), seq, 2_000_000 * times)).collect();
        part.collectives.push(call(&format!("DATA_PARALLEL_GROUP {data}"), 0, 4_000_000));
        part
    };
    merge(&(0..8).map(trace).collect::<Vec<_>>()).0
}

#[test]
fn groups_are_compared_with_their_like() {
    let found = summary(&grouped(3));
    // Tensor groups 0 to 3 have two ranks each, data groups four.
    let slowest = &found.groups[0];
    assert_eq!((slowest.group.as_str(), slowest.n, slowest.ratio_thousandths), ("1 mesh_tp", 2, Some(3000)));
    // 3 MB × 2 (n − 1) / n in 6 ms.
    assert_eq!(slowest.bus_bytes_per_s.map(f64::round), Some(0.5e9));
    assert!(
        found.groups.iter().filter(|g| g.group.starts_with("DATA")).all(|g| g.ratio_thousandths.is_none()),
        "two groups have no median"
    );
    let call = found.collectives.iter().find(|c| c.group == "1 mesh_tp").expect("a collective of it");
    assert_eq!([call.bus_bytes_per_s, call.usual_bus_bytes_per_s].map(|b| b.map(f64::round)), [Some(0.5e9), Some(1.5e9)]);
}

#[test]
fn rows_are_ordered_by_the_kind_of_group_that_its_name_says() {
    let run = grouped(1);
    assert_eq!(summary(&run).orders, [RowOrder::Rank, RowOrder::Host, RowOrder::Group, RowOrder::Tensor, RowOrder::Data, RowOrder::Value]);
    let rows = |order| super::map(&run, Metric::Duration, order).rows;
    assert_eq!(rows(RowOrder::Tensor), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(rows(RowOrder::Data), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!(rows(RowOrder::Pipeline), [0, 1, 2, 3, 4, 5, 6, 7], "no group says so");
}

#[test]
fn cells_that_are_alike_have_no_contrast() {
    let map = map(&run_of(&[1, 2]), Metric::Duration, RowOrder::Rank);
    assert!(map.least_ns <= 1001 && map.most_ns >= 1100, "{} to {}", map.least_ns, map.most_ns);
}

#[test]
fn bus_bandwidth_counts_what_crosses_the_slowest_link() {
    assert_eq!(bus_factor("nccl:all_reduce", 4), Some(1.5));
    assert_eq!(bus_factor("nccl:_all_gather_base", 8), Some(7.0));
    assert_eq!(bus_factor("nccl:reduce_scatter", 2), Some(0.5));
    assert_eq!(bus_factor("nccl:barrier", 2), None);
}

#[test]
fn a_map_has_a_row_for_each_trace_and_a_column_for_each_step() {
    let mut other = part(2);
    other.steps.iter_mut().for_each(|s| s.number += 1);
    let (run, _) = merge(&[part(1), other]);
    let map = map(&run, Metric::Duration, RowOrder::Rank);
    assert_eq!((map.rows.len(), map.steps.clone()), (2, vec![0, 1, 2, 3]));
    let cell = |at: usize| FleetMap::value(u16::from_le_bytes([map.cells[at * 2], map.cells[at * 2 + 1]]));
    assert_eq!([cell(3), cell(4)], [None, None], "the first has no step 3, the second no step 0");
    let value = cell(0).unwrap();
    assert!((value - 1001).abs() * 512 <= 1001, "{value}");
    for order in RowOrder::ALL {
        let mut rows = super::map(&run, Metric::Idle, order).rows;
        rows.sort_unstable();
        assert_eq!(rows, [0, 1], "{}", order.id());
    }
}

#[test]
fn no_bar_of_the_distribution_is_narrower_than_a_bucket() {
    let with = |total: i64| {
        let mut of = part(1);
        of.steps.iter_mut().for_each(|s| s.times.total = total);
        of
    };
    let bins = |totals: [i64; 2]| {
        let (a, mut b) = (with(totals[0]), with(totals[1]));
        b.meta.id += 1;
        summary(&merge(&[a, b]).0).distribution.bins
    };
    // Of 6.8 ms a bucket is 16.4 µs wide.
    let alike = bins([6_800_000, 6_845_000]);
    assert_eq!(alike.iter().map(|b| b.2).collect::<Vec<_>>(), [3, 0, 3], "{alike:?}");
    let apart = bins([6_800_000, 68_000_000]);
    assert_eq!((apart.len(), apart[0].2, apart[apart.len() - 1].2), (18, 3, 3), "{apart:?}");
    assert_eq!(bins([0, 0]), [(0, 1, 6)]);
}

#[test]
fn a_run_of_nothing_and_of_one_answers() {
    assert_eq!(summary(&FleetRun::default()).findings, []);
    assert_eq!(map(&FleetRun::default(), Metric::Idle, RowOrder::Group).rows, [0u32; 0]);
    let one = summary(&run_of(&[1]));
    assert_eq!((one.ranks.len(), one.findings.len(), one.stragglers.len()), (1, 0, 0));
    let mut empty = part(1);
    empty.steps.clear();
    let found = summary(&merge(&[empty]).0);
    assert!(found.notes.iter().any(|n| n.contains("without steps")), "{:?}", found.notes);
}

#[test]
fn missing_and_double_ranks_and_clocks_are_noted() {
    let mut parts: Vec<RunPart> = (1..=3).map(part).collect();
    parts.iter_mut().for_each(|p| p.meta.n_ranks = Some(8));
    parts[2].meta.rank = Some(1);
    parts[1].meta.rank = Some(1);
    parts[0].meta.origin_epoch_ns = Some(9_000_000);
    parts[2].meta.origin_epoch_ns = Some(1);
    let notes = summary(&merge(&parts).0).notes.join("\n");
    for part in [
        "7 of 8 ranks have no trace here: 0, 2, 3",
        "more than one trace; each counts: 1",
        "Clocks of the ranks differ by at least 9.00 ms",
    ] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
}

#[cfg(not(target_arch = "wasm32"))]
proptest::proptest! {
    /// Any order and any tree gives the same run.
    #[test]
    fn merging_is_associative_and_commutative(order in proptest::sample::subsequence((0u64..24).collect::<Vec<_>>(), 1..24), cuts: [usize; 3], rotate: usize) {
        let want = run_of(&order);
        let mut mixed = order.clone();
        mixed.rotate_left(rotate % order.len());
        mixed.reverse();
        let mut ends: Vec<usize> = cuts.iter().map(|c| c % (mixed.len() + 1)).chain([0, mixed.len()]).collect();
        ends.sort_unstable();
        let leaves: Vec<FleetRun> = ends.windows(2).map(|w| run_of(&mixed[w[0]..w[1]])).collect();
        let join = |all: &[&FleetRun]| {
            let mut merger = Merger::default();
            all.iter().for_each(|run| merger.add_run((*run).clone()).unwrap());
            merger.finish()
        };
        let left = join(&[&join(&[&leaves[0], &leaves[1]]), &leaves[2], &leaves[3]]);
        let right = join(&[&leaves[0], &join(&[&leaves[3], &join(&[&leaves[2], &leaves[1]])])]);
        proptest::prop_assert_eq!(&left, &want);
        proptest::prop_assert_eq!(&right, &want);
        let bytes = |run: &FleetRun| postcard::to_stdvec(run).unwrap();
        proptest::prop_assert_eq!(bytes(&left), bytes(&want));

    }
}

#[test]
fn two_runs_are_compared_by_step_rank_name_and_finding() {
    let base = summary(&run_of(&[1, 2, 3, 4, 5]));
    let same = compare(&base, &base);
    assert!(same.steps.iter().chain(&same.operators).chain(&same.kernels).all(|c| c.delta_ns() == 0), "{same:?}");
    assert_eq!((same.ranks.len(), same.notes.len()), (5, 0));
    assert!(same.ranks.iter().all(|r| r.most.is_none()));
    // Part 8 is rank 3 again, with 5 ns more of Other in each step; part 4 is rank 4 without a partner.
    let run = summary(&run_of(&[1, 2, 8]));
    let found = compare(&base, &run);
    let of = |name: &str| found.steps.iter().find(|c| c.name == name).cloned().unwrap_or_default();
    // Steps of 1001…1005 and of 1001, 1002, 1008 ns.
    assert_eq!((of("Mean step").base_ns, of("Mean step").run_ns, of("Kernel").delta_ns()), (Some(1003), Some(1003), 0));
    assert_eq!((of("Mean step").ratio_thousandths(), of("DataLoader").base_ns), (Some(1000), Some(20)));
    assert_eq!(found.ranks.len(), 3);
    let most = &found.ranks[0];
    assert_eq!((most.base.rank, most.base_ns, most.run_ns, most.most), (Some(3), 1003, 1008, Some((Metric::Other, 5))));
    assert_eq!((most.base.name.as_str(), most.run.name.as_str()), ("rank3.json", "rank8.json"));
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    let gone = found.operators.iter().find(|c| c.name == "aten::op3").expect("an operator of the base alone");
    assert_eq!((gone.run_ns, gone.ratio_thousandths()), (None, None));
    // 7 ns in one of 15 steps are nothing; `aten::mm` is in total.
    let mm = found.operators.iter().find(|c| c.name == "aten::mm").expect("an operator of both");
    assert_eq!((mm.base_ns, mm.run_ns), (Some((101 + 102 + 100 + 101 + 102) / 15), Some((101 + 102 + 102) / 9)));
}

#[test]
fn findings_are_new_gone_or_in_both() {
    let finding = |subject: &str| Finding {
        kind: FindingKind::SlowDevice,
        subject: subject.into(),
        text: String::new(),
        cost_ns: 1,
        ratio: None,
        traces: Vec::new(),
    };
    let of = |subjects: &[&str]| FleetSummary { findings: subjects.iter().map(|s| finding(s)).collect(), ..FleetSummary::default() };
    let found = compare(&of(&["rank 1", "rank 2"]), &of(&["rank 2", "rank 3"]));
    let states: Vec<(FindingState, &str)> = found.findings.iter().map(|f| (f.0, f.1.subject.as_str())).collect();
    assert_eq!(states, [(FindingState::New, "rank 3"), (FindingState::Gone, "rank 1"), (FindingState::Same, "rank 2")]);
    assert_eq!(found.notes.len(), 1, "without steps");
}
