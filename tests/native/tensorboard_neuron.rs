//! Runs of the TensorBoard Neuron plugin: what the made files hold is what is shown, and odd ones get a sentence.

use crate::neuron_logs::*;
use axonscope::analysis::neuron_log::{Level, LogOps, LogTimeline, operator_name};
use axonscope::base::{DurationNs, InputSet, SliceId, TimeNs, TimeRange};
use axonscope::engine::query::{DetailsQuery, LogDiffQuery, LogOpsQuery, LogOverlapQuery, LogPartQuery, LogTimelineQuery, LogTraceQuery};
use axonscope::engine::{Question, Session, views};
use axonscope::formats::import;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn session(input: &InputSet) -> Session {
    let mut outcomes = import::import(input).unwrap();
    assert_eq!(outcomes.len(), 1);
    let (claim, outcome) = outcomes.remove(0);
    let (imported, readable) = outcome.unwrap();
    assert_eq!(imported.profile.check(), Ok(()));
    Session::new(claim, readable, imported)
}

fn ask<Q: Question>(session: &Session, question: Q) -> Q::Answer {
    session.ask(&question).expect("an answer")
}

fn ops(session: &Session, level: Level) -> LogOps {
    ops_of(session, level, None)
}

fn ops_of(session: &Session, level: Level, range: Option<(i64, i64)>) -> LogOps {
    let range = range.map(|(from, to)| TimeRange::new(TimeNs(from), TimeNs(to)));
    ask(session, LogOpsQuery { level, range })
}

fn figures(session: &Session) -> LogTimeline {
    figures_of(session, None)
}

fn figures_of(session: &Session, range: Option<(i64, i64)>) -> LogTimeline {
    let range = range.map(|(from, to)| TimeRange::new(TimeNs(from), TimeNs(to)));
    ask(session, LogTimelineQuery { range })
}

fn timeline_only() -> Session {
    session(&input(&[("unknown", timeline(&bars()))]))
}

fn named(session: &Session, name: &str) -> SliceId {
    (0..session.profile.slices.len() as u32).map(SliceId).find(|s| session.profile.name_of(*s) == name).unwrap()
}

#[test]
fn tables_computed_from_the_timeline_equal_a_plain_sum() {
    let session = timeline_only();
    for (level, row) in [(Level::Framework, FRAMEWORK), (Level::Hlo, HLO)] {
        let mut wanted: BTreeMap<String, (u64, i64)> = BTreeMap::new();
        for b in bars().iter().filter(|b| b.process == EXECUTION && b.row == row) {
            let sum = wanted.entry(operator_name(&b.name)).or_default();
            *sum = (sum.0 + 1, sum.1 + b.duration_ns);
        }
        let got = ops(&session, level);
        let found: BTreeMap<String, (u64, i64)> =
            got.rows.iter().filter_map(|r| Some((r.name.clone(), (r.occurrences?, r.time?.0)))).collect();
        assert_eq!(found, wanted);
        let total: i64 = wanted.values().map(|w| w.1).sum();
        assert_eq!(got.total_time, Some(DurationNs(total)));
        let shares: f64 = got.rows.iter().filter_map(|r| r.time_share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
        assert!(got.rows.iter().all(|r| r.neuron_device.is_empty()), "the timeline does not tell the device");
    }
    let framework = ops(&session, Level::Framework);
    let row = |name: &str| framework.rows.iter().find(|r| r.name == name).unwrap();
    assert_eq!(row("aten__addmm_dot").below, [("dot".to_string(), Some(DurationNs(500)))]);
    assert_eq!((row("aten__addmm_dot").transfer, row("aten__tanh_tanh").control), (Some(DurationNs(350)), Some(DurationNs(60))));
    assert_eq!(row("xla__device_data").time, None);
    assert_eq!(row("fused_2").members.len(), 2);
}

#[test]
fn operators_of_a_range_are_those_of_its_slices_clipped() {
    let session = timeline_only();
    let (from, to) = (1950, 2560);
    for (level, row) in [(Level::Framework, FRAMEWORK), (Level::Hlo, HLO)] {
        let mut wanted: BTreeMap<String, (Option<u64>, i64, i64)> = BTreeMap::new();
        for b in bars().iter().filter(|b| b.row == row && b.start_ns < to && b.start_ns + b.duration_ns > from) {
            let inside = (b.start_ns + b.duration_ns).min(to) - b.start_ns.max(from);
            let sum = wanted.entry(operator_name(&b.name)).or_default();
            match b.process {
                EXECUTION => *sum = (Some(sum.0.unwrap_or(0) + 1), sum.1 + inside, sum.2),
                TRANSFER => sum.2 += inside,
                _ => panic!("the range has no control"),
            }
        }
        let got = ops_of(&session, level, Some((from, to)));
        assert_eq!(got.range, Some(TimeRange::new(TimeNs(from), TimeNs(to))));
        let ns = |d: Option<DurationNs>| d.map_or(0, |d| d.0);
        let found: BTreeMap<String, (Option<u64>, i64, i64)> =
            got.rows.iter().map(|r| (r.name.clone(), (r.occurrences, ns(r.time), ns(r.transfer)))).collect();
        assert_eq!(found, wanted);
    }
    let framework = ops_of(&session, Level::Framework, Some((from, to)));
    let row = |name: &str| framework.rows.iter().find(|r| r.name == name).unwrap();
    assert_eq!(row("aten__addmm_dot").time, Some(DurationNs(200)));
    assert_eq!(row("aten__relu_maximum").time, Some(DurationNs(50)));
    assert_eq!((row("aten__tanh_tanh").time, row("aten__tanh_tanh").control), (Some(DurationNs(10)), None));
    assert_eq!(row("aten__relu_maximum").below, [("maximum".to_string(), Some(DurationNs(50)))]);
    assert_eq!(row("aten__addmm_dot").slices.len(), 2, "the second dot and its transfer");
    assert!(ops_of(&session, Level::Hlo, Some((9000, 9001))).rows.is_empty());
    // The plugin's own table has no parts.
    let s = timeline_and_table();
    assert_eq!(ops_of(&s, Level::Framework, Some((from, to))), ops(&s, Level::Framework));
    assert_eq!(ops_of(&s, Level::Hlo, Some((from, to))).range.map(|r| r.start), Some(TimeNs(from)));
}

fn timeline_and_table() -> Session {
    let framework = table(&[("aten__addmm_dot", 2, 279)], 279);
    session(&input(&[
        ("plugins/neuron/a/neuron_op_timeline.json", timeline(&bars())),
        ("plugins/neuron/a/neuron_framework_op.json", framework),
    ]))
}

#[test]
fn compute_transfer_overlap_and_idle_are_those_of_the_overview() {
    let session = timeline_only();
    let t = figures(&session);
    let ns = |d: Option<DurationNs>| d.unwrap().0;
    // Compute [1400,1700] [1900,2000] [2300,2700]; DMA [1000,1500] [1950,2300].
    assert_eq!((ns(t.window), ns(t.compute), ns(t.transfer), ns(t.overlap), ns(t.idle)), (1700, 800, 850, 150, 200));
    assert_eq!((t.verdict.as_str(), ns(t.setup), t.is_from_overview), ("balanced", 1000, true));
    let kinds: Vec<&str> = t.captions.iter().map(|c| c.kind.as_str()).collect();
    assert_eq!(kinds, ["input_transfer", "early_constants", "memory_allocated", "lookup_table", "gap_filled"]);
    let levels: Vec<&str> = t.rows.iter().filter(|r| r.name.starts_with("Level")).map(|r| r.name.as_str()).collect();
    assert_eq!(levels, ["Level 1", "Level 2"].repeat(3));
    // Of a range only what is inside: compute [1600,1700] [1900,2000], DMA [1950,2100].
    let t = figures_of(&session, Some((1600, 2100)));
    assert_eq!((ns(t.window), ns(t.compute), ns(t.transfer), ns(t.overlap), ns(t.idle)), (500, 200, 150, 50, 200));
    let row = t.rows.iter().find(|r| r.name == "Compute Busy").unwrap();
    assert_eq!((row.n_slices, row.busy, row.share), (2, DurationNs(200), Some(0.4)));
    assert_eq!(t.captions.iter().map(|c| c.kind.as_str()).collect::<Vec<_>>(), ["gap_filled"]);
    let t = figures_of(&session, Some((5000, 6000)));
    assert_eq!((ns(t.window), ns(t.idle), t.idle_share), (1000, 1000, Some(1.0)));
    let only_ops: Vec<Bar> = bars().into_iter().filter(|b| b.process != OVERVIEW).collect();
    let t = figures(&session_of(&only_ops));
    assert!(!t.is_from_overview && t.compute.is_some());
}

fn session_of(bars: &[Bar]) -> Session {
    session(&input(&[("neuron_op_timeline.json", timeline(bars))]))
}

#[test]
fn fused_members_are_found_expanded_or_hidden() {
    let session = timeline_only();
    let o = ask(&session, LogOverlapQuery { slice: named(&session, "fused_3") });
    let members: Vec<_> = o.members.iter().map(|m| (m.name.as_str(), m.depth, m.slice.is_some())).collect();
    let wanted = [("aten__addmm_dot", 0, true), ("fused_2", 0, true), ("aten__tanh_tanh", 1, true), ("aten__permute_transpose", 1, false)];
    assert_eq!(members, wanted);
    let dot = o.members[0].slice.unwrap();
    assert_eq!(session.profile.slices.start[dot.index()], 2300, "the bar of the same row and part, not the transfer");
    let o = ask(&session, LogOverlapQuery { slice: dot });
    assert!(o.members.is_empty() && o.overlapping.iter().any(|x| x.overlap == DurationNs(200) && x.share == Some(1.0)), "{o:?}");
    assert!(session.ask(&LogOverlapQuery { slice: SliceId(9999) }).is_err());
    let details = session.ask(&DetailsQuery { item: named(&session, "fused_3").into() }).expect("details");
    assert!(details.fields.iter().any(|f| f.group == "Args" && f.key == "fused" && f.value.contains("Linear[0]")));
}

#[test]
fn a_run_has_the_tools_of_its_files() {
    let run = "logs/plugins/neuron/2022_10_14_19_22_22_16";
    let files = [
        (
            format!("{run}/neuron_framework_op.json"),
            table(&[("aten__addmm_dot", 2, 279), ("aten__relu_maximum", 1, 276), ("aten__tanh_tanh", 1, 159)], 714),
        ),
        (format!("{run}/neuron_hlo_op.json"), table(&[("dot", 2, 279), ("maximum", 1, 276), ("tanh", 1, 159)], 714)),
        (format!("{run}/neuron_op_timeline.json"), timeline(&bars())),
    ];
    let files: Vec<(&str, Vec<u8>)> = files.iter().map(|f| (f.0.as_str(), f.1.clone())).collect();
    let s = session(&input(&files));
    let shown = views::views(&s.profile);
    assert!(["operator-framework", "operator-hlo", "operator-timeline"].iter().all(|v| shown.contains(v)), "{shown:?}");
    assert!(s.profile.meta.facts.iter().any(|f| f.value == "2022-10-14 19:22:22.016"));
    let framework = ops(&s, Level::Framework);
    let shares: Vec<String> = framework.rows.iter().map(|r| format!("{:.2}", r.time_share.unwrap() * 100.0)).collect();
    assert_eq!(shares, ["39.08", "38.66", "22.27"], "the shares of the plugin's own picture");
    assert_eq!((framework.rows[0].neuron_device.as_str(), framework.rows[0].slices.len()), ("0", 3));
    // Without the timeline the HLO operators are found by name.
    let s = session(&input(&files[..2]));
    assert_eq!(ops(&s, Level::Framework).rows[0].below, [("dot".to_string(), Some(DurationNs(279)))]);
    assert_eq!(views::views(&s.profile), ["profile", "ledger", "tables", "sql", "operator-framework", "operator-hlo"]);
    let empty = session(&input(&[("neuron_hlo_op.json", table(&[], 0))]));
    assert!(ops(&empty, Level::Hlo).rows.is_empty() && ops(&empty, Level::Hlo).remarks[0].contains("empty"));
}

#[test]
fn two_runs_are_compared_by_operator() {
    let (before, after) = (timeline_only(), session_of(&bars().into_iter().filter(|b| !b.name.contains("relu")).collect::<Vec<_>>()));
    let part = ask(&before, LogPartQuery);
    let diff = ask(&after, LogDiffQuery { before: part, level: Level::Framework });
    assert_eq!((diff.total_time.0.unwrap().0, diff.total_time.1.unwrap().0), (800, 700));
    let row = &diff.rows[0];
    assert_eq!((row.name.as_str(), row.place.as_str(), row.delta_ns), ("aten__relu_maximum", "only before", -100));
}

#[test]
fn a_trace_tells_idle_time_per_step_and_what_the_host_did() {
    let s = session(&input(&[("logs/plugins/neuron/a/neuron_trace.json", trace())]));
    assert!(views::views(&s.profile).contains(&"trace"));
    let t = ask(&s, LogTraceQuery { range: None });
    let rows: Vec<_> = t.steps.iter().map(|r| (r.name.as_str(), r.execution.0, r.io.0, r.idle.0, r.host_name.as_str())).collect();
    assert_eq!(rows, [("Step1", 250_000, 50_000, 700_000, "Compile"), ("Step2", 200_000, 0, 800_000, "")]);
    assert_eq!((t.step_name.as_str(), t.synchronisation), ("Step", Some(DurationNs(100_000))));
    // Of a range: sums inside it, and the steps that touch it, whole.
    let first = &t.steps[0];
    let range = TimeRange::new(first.start, first.start.after(DurationNs(first.duration.0 / 2)));
    let part = ask(&s, LogTraceQuery { range: Some(range) });
    assert_eq!((part.n_steps, &part.steps), (1, &t.steps[..1].to_vec()));
    assert!(part.execution < t.execution && part.execution <= Some(range.duration()), "{part:?}");
    let away = TimeRange::new(TimeNs(i64::MAX - 9), TimeNs(i64::MAX));
    let none = ask(&s, LogTraceQuery { range: Some(away) });
    assert_eq!((none.n_steps, none.execution), (0, Some(DurationNs(0))));
}

#[test]
fn an_xspace_gives_the_same_and_its_other_planes_a_timeline() {
    let bytes = xspace();
    let s = session(&input(&[("unknown", bytes.clone())]));
    let json = timeline_only();
    assert_eq!(figures(&s).compute, figures(&json).compute);
    let framework = ops(&s, Level::Framework);
    assert_eq!(
        (framework.is_from_file, framework.rows[0].time, framework.said_total_time),
        (true, Some(DurationNs(500)), Some(DurationNs(500)))
    );
    let other = named(&s, "matmul");
    assert_eq!(s.profile.slices.duration[other.index()], 1_500);
    let cut = session(&input(&[("unknown", bytes[..bytes.len() - 60].to_vec())]));
    assert!(cut.ledger.skipped.iter().any(|r| r.kind == "cut_plane"), "{:?}", cut.ledger);
    assert_eq!(figures(&cut).compute, figures(&json).compute);
}

#[test]
fn odd_tables_show_what_they_can() {
    let open = |text: &str| session(&input(&[("neuron_framework_op.json", text.as_bytes().to_vec())]));
    let row = r#"{"Op Name":"aten__add","Occurrences":1,"Time (ns)":40,"engine load":"7"}"#;
    let known = ops(&open(&format!(r#"{{"ops":[{row}],"total_time":50}}"#)), Level::Framework);
    assert_eq!((known.columns.clone(), known.rows[0].more.clone()), (vec!["engine load".to_string()], vec!["7".to_string()]));
    assert!(known.remarks.iter().any(|r| r.contains("total of 50 ns") && r.contains("40 ns")), "{:?}", known.remarks);
    assert_eq!((known.total_time, known.said_total_time), (Some(DurationNs(40)), Some(DurationNs(50))));
    let empty = ops(&open(r#"{"ops":[],"total_time":0}"#), Level::Framework);
    assert!(empty.rows.is_empty() && empty.remarks.iter().any(|r| r.contains("empty")), "{:?}", empty.remarks);
    let unit = ops(&open(r#"{"ops":[{"Op Name":"aten__add","Occurrences":1,"Time":40.5}],"total_time":50}"#), Level::Framework);
    assert_eq!((unit.rows[0].time, unit.generic_table.as_deref()), (None, Some("framework_ops")));
    assert!(unit.remarks.iter().any(|r| r.contains("is not identified")), "{:?}", unit.remarks);
}

/// The same operators as records of a root list, and as rows below headings: all open as the table under `ops` does.
#[test]
fn a_list_alone_is_a_table() {
    let rows = [("aten__addmm_dot", 2, 279), ("aten__relu_maximum", 1, 276)];
    let wrapped: serde_json::Value = serde_json::from_slice(&table(&rows, 555)).unwrap();
    let records = wrapped["ops"].to_string();
    let headings = r#"["Op Name", "Occurrences", "Neuron Device", "NeuronCore", "Time (ns)"]"#;
    let below = format!("[{headings}, [\"aten__addmm_dot\", 2, 0, 0, 279], [\"aten__relu_maximum\", 1, 0, 0, 276]]");
    let charts = r#"[[{"label":"Op Name"},{"label":"count"},{"label":"device"},{"label":"core"},{"label":"Time (ns)"}],
        [{"v":"aten__addmm_dot","f":"dot"},2,0,0,{"v":279}],[{"v":"aten__relu_maximum"},1,0,0,276]]"#;
    let wanted = ops(&session(&input(&[("unknown", table(&rows, 555))])), Level::Framework);
    for text in [records.as_str(), &below, charts] {
        for name in ["unknown", "plugins/neuron/a/neuron_framework_op.json"] {
            let s = session(&input(&[(name, text.as_bytes().to_vec())]));
            let got = ops(&s, Level::Framework);
            assert_eq!((&got.rows, got.total_time, got.generic_table), (&wanted.rows, wanted.total_time, None), "{text}");
            assert_eq!((s.ledger.read, s.ledger.shown), (2, 2));
            assert!(s.ledger.notes.iter().any(|n| n.contains("was read as the time")), "{:?}", s.ledger.notes);
        }
    }
}

#[test]
fn a_list_that_does_not_say_enough_is_shown_as_it_stands() {
    let open = |text: &str| session(&input(&[("neuron_hlo_op.json", text.as_bytes().to_vec())]));
    let s = open(r#"[["dot", 3, 0.5], ["tanh", 1, 0.25, "more"], 7]"#);
    let shown = ops(&s, Level::Hlo);
    assert_eq!(shown.generic_table.as_deref(), Some("hlo_ops"));
    assert!(shown.remarks.iter().any(|r| r.contains("shown without interpretation")), "{:?}", shown.remarks);
    assert_eq!(s.profile.tables[0].columns, ["Column 1", "Column 2", "Column 3", "Column 4"]);
    assert!(s.ledger.notes.iter().any(|n| n.contains("has no column names")), "{:?}", s.ledger.notes);
    assert!(s.ledger.skipped.iter().any(|k| k.kind == "damaged_record" && k.count == 1), "{:?}", s.ledger);
    assert_eq!(s.ledger.read, 3);
    let s = open(r#"[{"what": "dot", "load": 4}]"#);
    assert_eq!((ops(&s, Level::Hlo).generic_table.as_deref(), s.profile.tables[0].columns.len()), (Some("hlo_ops"), 2));
    assert!(ops(&open("[]"), Level::Hlo).remarks[0].contains("empty"));
    // Under another name such a list is none of ours, and the sentence says what would be.
    let refused = |text: &str| import::import(&input(&[("list.json", text.as_bytes().to_vec())])).unwrap_err().to_string();
    assert!(refused(r#"[{"what": "dot", "load": 4}]"#).contains("keys `what`, `load`: neither trace events"));
    assert!(refused("[[1, 2], [3, 4]]").contains("without objects: neither trace events"));
    assert!(refused(r#"[{"name": "dot", "ts": 1, "dur": 4, "device": 0}]"#).contains("`ts`"));
}

#[test]
fn what_is_odd_is_counted() {
    let text = String::from_utf8(timeline(&bars())).unwrap();
    let odd = text.replacen("\"ts\":1.400", "\"ts\":\"x\"", 1).replacen("\"dur\":0.100", "\"dur\":-1", 1);
    let s = session(&input(&[("x", odd.into_bytes())]));
    let kinds: Vec<&str> = s.ledger.skipped.iter().map(|r| r.kind.as_str()).collect();
    assert!(kinds.contains(&"missing_ts") && kinds.contains(&"bad_duration"), "{kinds:?}");
    let cut = session(&input(&[("x", text.as_bytes()[..text.len() - 300].to_vec())]));
    assert!(cut.ledger.skipped.iter().any(|r| r.kind == "truncated_json"));
    assert_eq!(s.ledger.read, s.ledger.shown + s.ledger.skipped.iter().filter(|k| k.kind == "missing_ts").map(|k| k.count).sum::<u64>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_logs_never_panic(
        which in 0usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..8),
        noise in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let listed = br#"[["Op Name", "NeuronCore", "Time (ns)", "Time (ns)"], ["dot", 0, 2, [1]], ["tanh", 0, "3 us"]]"#.to_vec();
        let seeds = [timeline(&bars()), trace(), table(&[("dot", 1, 2), ("tanh", 2, 3)], 5), xspace(), listed];
        let mut bytes = seeds[which].clone();
        for (at, what, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(bytes.len().min(at + bytes.len() / 2).max(1)),
            }
        }
        let plane = [vec![10, 40, 18, 6], b"/host:".to_vec(), noise.clone()].concat();
        for bytes in [bytes, noise, plane] {
            for (claim, outcome) in import::import(&input(&[("neuron_trace.json", bytes)])).into_iter().flatten() {
                if let Ok((imported, readable)) = outcome && claim.format == "tensorboard_neuron" {
                    prop_assert_eq!(imported.profile.check(), Ok(()));
                    let session = Session::new(claim, readable, imported);
                    for level in [Level::Framework, Level::Hlo] {
                        let part = ask(&session, LogPartQuery);
                        ask(&session, LogDiffQuery { before: part, level });
                    }
                    ask(&session, LogTraceQuery { range: None });
                    for slice in (0..session.profile.slices.len().min(5) as u32).map(SliceId) {
                        ask(&session, LogOverlapQuery { slice });
                        let _ = session.ask(&DetailsQuery { item: slice.into() });
                    }
                }
            }
        }
    }
}
