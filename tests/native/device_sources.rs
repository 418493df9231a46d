//! Every question about a device on the trace with its NEFF and on the profiler's JSON of the same run: what differs, and why.

use crate::neuron_support::writer::{self, word};
use crate::neuron_support::*;
use axonscope::analysis::device::transfers::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
use axonscope::analysis::device::{CurvesQuery, LayersQuery, MemoryMapQuery, ProgramQuery};
use axonscope::base::{SliceId, TimeNs, TimeRange};
use axonscope::engine::query::{
    AdviceQuery, BandsQuery, ChartsQuery, CriticalPathQuery, DetailsQuery, GapsQuery, NameRowsQuery, RooflineQuery, SourceQuery,
    SummaryQuery, TensorsQuery,
};
use axonscope::engine::{Answer, Query, Session};
use axonscope::formats::import;
use serde_json::Value;
use std::collections::BTreeSet;

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

/// Every query that has no argument of another profile, by name.
fn queries() -> Vec<(&'static str, Query)> {
    let half = Some(TimeRange::new(TimeNs(0), TimeNs(20_000)));
    let by = |by: &str, range| LayersQuery { by: by.into(), range, ..LayersQuery::default() };
    let rows = |detail| DmaRowsQuery { by: DmaBy::Queue, detail };
    let window = TimeRange::new(TimeNs(0), TimeNs(30_000));
    vec![
        ("summary", SummaryQuery { range: None }.into()),
        ("summary of a range", SummaryQuery { range: half }.into()),
        ("charts", ChartsQuery { range: None }.into()),
        ("layers", by("layer", None).into()),
        ("opcodes", by("opcode", half).into()),
        ("roofline", RooflineQuery { layers: by("layer", None), regions: Vec::new() }.into()),
        ("gaps", GapsQuery { range: None }.into()),
        ("critical path", CriticalPathQuery { is_by_data: false }.into()),
        ("critical path by data", CriticalPathQuery { is_by_data: true }.into()),
        ("advice", AdviceQuery.into()),
        ("dma rows", rows(DmaDetail::Rings).into()),
        ("name rows", NameRowsQuery { by: "layer".into() }.into()),
        ("view curves", CurvesQuery { window, is_from_view: true, is_smooth: false }.into()),
        ("program", ProgramQuery::default().into()),
        ("state buffer", MemoryMapQuery { core: 0, is_psum: false }.into()),
        ("psum", MemoryMapQuery { core: 0, is_psum: true }.into()),
        ("source", SourceQuery { range: None }.into()),
        ("bands", BandsQuery.into()),
        ("tensors", TensorsQuery.into()),
    ]
}

/// Paths at which two values differ, without numbers of list entries: `points.name`. Numbers within 1e-6 of each other are the same.
fn differences(a: &Value, b: &Value, path: &str, out: &mut BTreeSet<String>) {
    let below = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            // Colours follow from all names of a profile.
            for key in x.keys().chain(y.keys()).filter(|key| *key != "colour").collect::<BTreeSet<_>>() {
                differences(x.get(key).unwrap_or(&Value::Null), y.get(key).unwrap_or(&Value::Null), &below(key), out);
            }
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => x.iter().zip(y).for_each(|(x, y)| differences(x, y, path, out)),
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap_or(0.0), y.as_f64().unwrap_or(0.0));
            if (x - y).abs() > 1e-6 * x.abs().max(y.abs()) {
                out.insert(path.into());
            }
        }
        _ if a == b => (),
        _ => {
            out.insert(path.into());
        }
    }
}

/// Parts of answers that are numbers of slices, which differ between two files: compared are the slices.
const SLICES: [(&str, &[&str]); 10] = [
    ("layers", &["nodes.first"]),
    ("opcodes", &["nodes.first"]),
    ("roofline", &["points.first"]),
    ("gaps", &["gaps.next", "gaps.signal"]),
    ("critical path", &["steps.slice"]),
    ("critical path by data", &["steps.slice"]),
    ("dma rows", &["members"]),
    ("program", &["rows.first"]),
    ("psum", &["areas.overwriter", "areas.reader", "areas.writer"]),
    ("state buffer", &["areas.overwriter", "areas.reader", "areas.writer"]),
];

/// Puts track, start and duration of each slice in the place of its number.
fn name_slices(value: &mut Value, paths: &[&str], path: &str, session: &Session) {
    match value {
        Value::Object(all) => {
            for (key, value) in all.iter_mut() {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                name_slices(value, paths, &below, session);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| name_slices(value, paths, path, session)),
        Value::Number(n) if paths.contains(&path) => {
            let profile = &session.profile;
            let Some(at) = n.as_u64().map(|at| at as usize).filter(|at| *at < profile.slices.len()) else { return };
            let track = profile.track_of(SliceId(at as u32)).map(|t| profile.track_path(t)).unwrap_or_default();
            *value = format!("{track} {}+{}", profile.slices.start[at], profile.slices.duration[at]).into();
        }
        _ => (),
    }
}

/// (query, part of the answer that differs, why).
const KNOWN: &[(&str, &str, &str)] = &[
    ("summary", "engines", "the trace shows four DMA transfers that the profiler leaves out"),
    (
        "summary",
        "metrics",
        "the JSON has what its summary alone records (versions, event counts, times of single kinds), and times of the four transfers",
    ),
    ("summary", "notes", "the trace has no summary, and published clocks and bandwidths"),
    ("summary of a range", "engines", "the trace shows four DMA transfers that the profiler leaves out"),
    (
        "summary of a range",
        "metrics",
        "time of the four transfers, which the profiler leaves out; headings, meanings and order are tables of the JSON",
    ),
    ("charts", "memory.source", "the JSON's bytes come from its summary, those of the trace from its instructions"),
    ("charts", "sizes", "groups of packets are called by their tensor where the NEFF names it, and the trace shows four transfers more"),
    ("charts", "system", "clocks, versions of profiler and compiler are tables of the JSON"),
    ("charts", "transfer_mean", "the trace shows four transfers more"),
    ("charts", "transfers", "the trace shows four transfers more, on two DMA engines"),
    ("layers", "nodes.dma", "the trace shows four transfers more"),
    ("layers", "nodes.dma_bytes", "the trace shows four transfers more"),
    ("opcodes", "nodes.dma", "the trace shows four transfers more"),
    ("opcodes", "nodes.dma_bytes", "the trace shows four transfers more"),
    (
        "advice",
        "findings",
        "the NEFF names tensors, so that dynamic transfers are not unknown; four transfers more change R6, R31, R32 and R35; numbers of slices",
    ),
    ("advice", "quiet", "R10, capture a and capture d are judged by what the NEFF adds; R6 by four transfers more"),
    ("advice", "unjudged", "R10 and capture d are judged, since the NEFF names tensors and has the uuid"),
    ("advice", "warnings", "warnings of the profiler are a table of the JSON"),
    ("dma rows", "rows", "the trace shows four transfers more"),
    ("dma rows", "members", "the trace shows four transfers more, which are members of their rows"),
    ("program", "engines", "the trace has the programs, the JSON only the words that ran"),
    ("program", "is_whole", "the trace has the programs, the JSON only the words that ran"),
    ("program", "n_rows", "the trace has the programs, the JSON only the words that ran"),
    ("program", "notes", "the trace has the programs, the JSON only the words that ran"),
    ("program", "rows", "the trace has the programs, the JSON only the words that ran"),
    ("tensors", "rows", "the NEFF names the tensors of transfers; the JSON writes unknown"),
    ("tensors", "hbm.is_computed", "the JSON has a total of each core's memory"),
    ("tensors", "notes", "the trace says what it lacks"),
    ("view curves", "group", "the JSON lists its cores in another order"),
    ("view curves", "values", "the JSON lists its cores in another order, and its rates have single precision"),
];

#[test]
fn every_rule_that_the_json_can_judge_is_judged_on_a_trace_with_its_neff() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in RUNS {
        let unjudged = |files: &[Named]| match session(files).ask(&AdviceQuery) {
            Ok(advice) => advice.unjudged.iter().map(|u| u.id.to_string()).collect::<BTreeSet<_>>(),
            other => panic!("{run}: {other:?}"),
        };
        let json = unjudged(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]);
        let trace = unjudged(&[file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))]);
        let more: Vec<&str> = trace.difference(&json).map(String::as_str).collect();
        assert!(more.is_empty(), "{run}: {more:?}");
    }
}

#[test]
fn a_trace_with_its_neff_answers_as_the_json() {
    let Some(folder) = conformance() else { return };
    let mut unknown = BTreeSet::new();
    let mut met = BTreeSet::new();
    for (run, stem) in RUNS {
        let json = session(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]);
        let trace = session(&[file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))]);
        for (name, query) in queries() {
            let answer = |s: &Session| match query.answer(s) {
                Answer::Refused(sentence) => panic!("{run} {name}: {sentence}"),
                answer => serde_json::to_value(answer).expect("plain data"),
            };
            let variant = |s: &Session| {
                let mut value = answer(s).as_object().and_then(|o| o.values().next().cloned()).unwrap_or_default();
                let paths = SLICES.iter().find(|of| of.0 == name).map_or(&[][..], |of| of.1);
                name_slices(&mut value, paths, "", s);
                value
            };
            let mut found = BTreeSet::new();
            differences(&variant(&json), &variant(&trace), "", &mut found);
            for path in found {
                let is_it =
                    |k: &&(&'static str, &'static str, &str)| k.0 == name && (path == k.1 || path.starts_with(&format!("{}.", k.1)));
                if let Some(known) = KNOWN.iter().find(is_it) {
                    met.insert((known.0, known.1));
                } else {
                    unknown.insert(format!("{name}: {path}"));
                }
            }
        }
    }
    let gone: Vec<_> = KNOWN.iter().filter(|k| !met.contains(&(k.0, k.1)) || k.2.len() < 20).collect();
    assert!(unknown.is_empty() && gone.is_empty(), "differs, unknown: {unknown:#?}; no longer different: {gone:#?}");
}

/// What is wrong, the architecture, and the images by engine.
type Damage = (&'static str, u64, Vec<(u64, Vec<u8>)>);

/// Whatever is wrong with the images of a trace, every question has an answer or says why not.
#[test]
fn damaged_images_leave_every_question_answered() {
    let nop = word(0xA4, &[(0x0C, &[2])]);
    let pattern = |address: u32, count: u16| {
        [&address.to_le_bytes()[..], &[1, 0, 0, 0, 0, 0, 0, 0], &count.to_le_bytes()[..], &[1, 0, 1, 0, 1, 0]].concat()
    };
    let copy =
        |from: u32, to: u32, count: u16| word(0x46, &[(0x20, &[10, 10, 128]), (0x0C, &pattern(from, count)), (0x2C, &pattern(to, count))]);
    let branch = |offset: i32| word(0xA9, &[(3, &[2]), (0x0E, &[3]), (0x30, &offset.to_le_bytes())]);
    let beyond = [copy(0x3_FFF0, 0x1FF_FFF0, 0xFFFF), copy(0x500_0000, 0, 4), copy(0, 0x3FF_FFFF, 1), copy(0, 0x100, 0)].concat();
    let images: [Damage; 8] = [
        ("cut within a word", 2, vec![(0, [&nop[..], &nop[..40]].concat())]),
        ("empty", 2, vec![(0, Vec::new())]),
        ("missing", 2, Vec::new()),
        ("of an unknown engine", 2, vec![(77, nop.clone())]),
        ("two of an engine", 2, vec![(0, nop.clone()), (0, copy(0, 0x100, 4))]),
        ("branches outside", 2, vec![(0, [branch(i32::MIN), branch(63), branch(i32::MAX), branch(-64)].concat())]),
        ("addresses beyond the memories and counts of 0", 2, vec![(0, beyond)]),
        ("an unknown architecture", 9, vec![(0, [copy(0, 0x100, 4), nop.clone()].concat())]),
    ];
    for version in [4, 5, 6] {
        for (what, architecture, images) in &images {
            let mut regions = writer::regions();
            // Words of the image and such beyond it, in two runs.
            let ran = [0u64, 1, 2, 3, 9, 0, 1, 2, 3, 9].into_iter().zip(0..);
            regions[0].2 = ran.flat_map(|(pc, i)| writer::instruction(pc, 900_000 * i, 900_000 * i + 500_000)).collect();
            let session = session(&[("a.ntff".into(), writer::trace_of(version, *architecture, images, &regions, 0))]);
            assert_eq!(session.profile.check(), Ok(()), "{version} {what}");
            let n = session.profile.slices.len();
            assert!(n >= 10, "{version} {what}: {n} slices: records do not need images");
            for (name, query) in queries() {
                if let Answer::Refused(sentence) = query.answer(&session) {
                    assert!(sentence.len() > 20, "{version} {what}, {name}: {sentence}");
                }
            }
            for slice in (0..n as u32).map(SliceId) {
                session.ask(&DetailsQuery { item: slice.into() }).expect("details");
            }
        }
    }
}
