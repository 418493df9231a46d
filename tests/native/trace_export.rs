//! A profile saved as a Chrome trace and read again has the same slices, counters, instants and arrows.

use crate::common::conformance;
use axonscope::analysis::torch::kernels::KernelsQuery;
use axonscope::analysis::torch::ops::OpsQuery;
use axonscope::base::{InputSet, SliceId, TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{OverviewQuery, RangeRecordsQuery, RecordsCursor, TraceCursor, TraceEventsQuery};
use axonscope::model::Profile;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

fn session(name: &str, bytes: Vec<u8>) -> Session {
    let mut outcomes = axonscope::formats::import::import(&InputSet::from_bytes(name, bytes)).unwrap();
    let (claim, result) = outcomes.remove(0);
    let (imported, input) = result.unwrap();
    Session::new(claim, input, imported)
}

/// The whole text, and the number of parts and slices.
fn saved(session: &Session, range: Option<TimeRange>) -> (String, usize, u64) {
    let (mut text, mut n_parts, mut n_slices, mut cursor) = (String::new(), 0, 0, TraceCursor::default());
    loop {
        let part = session.ask(&TraceEventsQuery { range, tracks: Vec::new(), cursor }).unwrap();
        assert_eq!(part.n_without_fields, 0);
        assert!(part.progress.0 <= part.progress.1 && part.text.len() < 64 << 20);
        text.push_str(&part.text);
        (n_parts, n_slices) = (n_parts + 1, n_slices + part.n_slices);
        match part.next {
            Some(next) => cursor = next,
            None => break,
        }
        assert!(n_parts < 10_000, "the text ends");
    }
    serde_json::from_str::<serde::de::IgnoredAny>(&text).expect("JSON");
    (text, n_parts, n_slices)
}

type Slices = Vec<(i64, i64, String, String)>;

/// (start, duration, name, category) of the slices that touch a range, sorted.
fn slices(profile: &Profile, range: Option<TimeRange>) -> Slices {
    let category = profile.attribute("category");
    let mut out = Slices::new();
    for i in 0..profile.slices.len() {
        let (start, duration) = (profile.slices.start[i], profile.slices.duration[i]);
        if range.is_none_or(|r| r.touches(TimeNs(start), axonscope::base::DurationNs(duration))) {
            let category = category.map_or("", |c| profile.strings.get(c.values[i]));
            out.push((start, duration, profile.name_of(SliceId(i as u32)).into(), category.into()));
        }
    }
    out.sort();
    out
}

/// The same with the first slice at 0.
fn from_zero(mut slices: Slices) -> Slices {
    let first = slices.iter().map(|s| s.0).min().unwrap_or(0);
    slices.iter_mut().for_each(|s| s.0 -= first);
    slices
}

fn same_again(session: &Session, range: Option<TimeRange>) -> Profile {
    let (text, _, n_slices) = saved(session, range);
    let again = self::session("again.json", text.into_bytes());
    again.profile.check().expect("a sound profile");
    assert_eq!(again.claim.format, "kineto");
    let want = slices(&session.profile, range);
    assert_eq!(n_slices, want.len() as u64);
    assert!(from_zero(slices(&again.profile, None)) == from_zero(want), "slices differ");
    again.profile
}

fn read(path: &Path) -> Session {
    session(&path.file_name().unwrap().to_string_lossy(), std::fs::read(path).unwrap())
}

fn sample(name: &str) -> Session {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples").join(name))
}

#[test]
fn samples_come_back_as_they_are() {
    for name in ["cpu_single.pt.trace.json.gz", "gloo_ddp_rank0.pt.trace.json.gz", "synthetic-neuron.json"] {
        let session = sample(name);
        let again = same_again(&session, None);
        let n_samples = |p: &Profile| p.counters.iter().map(|c| c.times.len()).sum::<usize>();
        assert_eq!(n_samples(&again), n_samples(&session.profile), "{name}");
        assert_eq!(again.instants.time.len(), session.profile.instants.time.len(), "{name}");
        let n_arrows = session.profile.flows.from.len();
        assert!(again.flows.from.len() * 100 >= n_arrows * 95, "{name}: {} of {n_arrows} arrows", again.flows.from.len());
    }
}

#[test]
fn fields_come_back() {
    let session = sample("cpu_single.pt.trace.json.gz");
    let (text, ..) = saved(&session, None);
    let again = self::session("again.json", text.into_bytes());
    let args = |session: &Session| {
        let format = axonscope::formats::by_id("kineto").unwrap();
        let mut out: BTreeMap<(String, String), usize> = BTreeMap::new();
        for i in 0..session.profile.slices.len() as u32 {
            let fields = format.record(&session.input, &session.profile, SliceId(i).into()).unwrap();
            for field in fields.into_iter().filter(|f| f.group == "Args") {
                *out.entry((field.key, field.value)).or_default() += 1;
            }
        }
        out
    };
    let (want, got) = (args(&session), args(&again));
    assert!(want.len() > 50);
    for (field, n) in want {
        assert!(got.get(&field).is_some_and(|g| *g >= n), "{field:?}: {n} slices have it");
    }
}

#[test]
fn a_range_has_what_touches_it() {
    let session = sample("cpu_single.pt.trace.json.gz");
    let range = session.profile.meta.range;
    let (start, length) = (range.start.0, range.duration().0);
    let part = TimeRange::new(TimeNs(start + length / 3), TimeNs(start + length / 2));
    let again = same_again(&session, Some(part));
    assert!(again.slices.len() > 10 && again.slices.len() < session.profile.slices.len());
    let nothing = TimeRange::new(TimeNs(range.end.0 + 10), TimeNs(range.end.0 + 20));
    assert_eq!(saved(&session, Some(nothing)).2, 0);
}

#[test]
fn chosen_rows_alone() {
    let session = sample("synthetic-neuron.json");
    let lane = session.profile.lanes[0];
    let query = TraceEventsQuery { range: None, tracks: vec![lane.track], cursor: TraceCursor::default() };
    let head = session.ask(&query).unwrap();
    let part = session.ask(&TraceEventsQuery { cursor: head.next.unwrap(), ..query }).unwrap();
    assert_eq!(part.n_slices, session.profile.slices_of(lane.track).len() as u64);
}

#[test]
fn large_traces_come_in_parts() {
    let mut text = String::from("{\"traceEvents\":[");
    for i in 0..50_000 {
        text.push_str(&format!("{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"n{}\",\"ts\":{i},\"dur\":0.5}},", i % 3, i % 7));
    }
    text.push_str("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}}]}");
    let session = session("large.json", text.into_bytes());
    let (_, n_parts, n_slices) = saved(&session, None);
    assert!(n_parts >= 5, "{n_parts}");
    assert_eq!(n_slices, 50_000);
    same_again(&session, None);
}

#[test]
fn real_profiles_come_back() {
    let Some(folder) = conformance("kineto/traces") else { return };
    let (mut n, mut folders) = (0, vec![folder]);
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let is_small = path.metadata().is_ok_and(|m| m.len() < 1 << 20);
        if is_small && (name.ends_with(".json") || name.ends_with(".json.gz")) {
            let Ok(mut outcomes) = axonscope::formats::import::import(&InputSet::from_bytes(name.clone(), std::fs::read(&path).unwrap()))
            else {
                continue;
            };
            let (claim, Ok((imported, input))) = outcomes.remove(0) else { continue };
            let session = Session::new(claim, input, imported);
            if !session.profile.tracks.is_empty() && !session.profile.slices.is_empty() {
                println!("{name}");
                same_again(&session, None);
                n += 1;
            }
        }
    }
    assert!(n > 3, "{n}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any slices, nested, overlapping, at the same time, without duration; any names and fields.
    #[test]
    fn any_slices_come_back(events in proptest::collection::vec((0u8..3, 0i64..60, 0i64..40, "\\PC{0,6}", proptest::option::of("\\PC{0,5}")), 1..60)) {
        let event = |(tid, start, duration, name, arg): &(u8, i64, i64, String, Option<String>)| {
            let args = arg.as_ref().map_or(serde_json::json!({}), |a| serde_json::json!({ "k": a }));
            serde_json::json!({ "ph": "X", "pid": 1, "tid": tid, "ts": *start as f64 / 8.0, "dur": *duration as f64 / 8.0, "name": name, "args": args })
        };
        let trace = serde_json::json!({ "traceEvents": events.iter().map(event).collect::<Vec<_>>() });
        let session = session("any.json", trace.to_string().into_bytes());
        same_again(&session, None);
    }
}

/// The trace of the records that a range needs, and the number of events.
fn records(session: &Session, range: TimeRange) -> (String, u64) {
    let (mut text, mut n_events, mut cursor) = (String::new(), 0, RecordsCursor::default());
    loop {
        let part = session.ask(&RangeRecordsQuery { range, tracks: Vec::new(), cursor }).unwrap();
        text.push_str(&part.text);
        n_events += part.n_events;
        match part.next {
            Some(next) => cursor = next,
            None => break,
        }
    }
    serde_json::from_str::<serde::de::IgnoredAny>(&text).expect("JSON");
    (text, n_events)
}

fn part_of(session: &Session, from: f64, to: f64) -> TimeRange {
    let all = session.profile.meta.range;
    let at = |share: f64| TimeNs(all.start.0 + (all.duration().0 as f64 * share) as i64);
    TimeRange::new(at(from), at(to))
}

/// The views of a range are those of the entire trace with the range selected.
fn same_views(session: &Session, range: TimeRange) -> Session {
    let (text, _) = records(session, range);
    let again = self::session("again.json", text.into_bytes());
    again.profile.check().expect("a sound profile");
    let range = Some(range);
    let touching = slices(&session.profile, range);
    assert!(slices(&again.profile, range) == touching, "slices of the range, at the times of the trace");
    assert!(again.profile.slices.len() < session.profile.slices.len());
    let ops = |s: &Session| s.ask(&OpsQuery { range, ..OpsQuery::default() }).unwrap();
    let (want, got) = (ops(session), ops(&again));
    assert!(!want.rows.is_empty(), "a range with operators");
    let row = |r: &axonscope::analysis::torch::ops::OpRow| serde_json::to_value(r).unwrap();
    let sorted = |rows: &[axonscope::analysis::torch::ops::OpRow]| {
        let mut out: Vec<String> = rows
            .iter()
            .map(|r| {
                let mut v = row(r);
                forget_places(&mut v);
                v.to_string()
            })
            .collect();
        out.sort();
        out
    };
    assert_eq!(sorted(&got.rows), sorted(&want.rows), "operators");
    let kernels = |s: &Session| {
        let found = s.ask(&KernelsQuery { range, ..KernelsQuery::default() }).unwrap();
        let mut out: Vec<String> = found
            .rows
            .iter()
            .map(|r| {
                let mut v = serde_json::to_value(r).unwrap();
                forget_places(&mut v);
                v.to_string()
            })
            .collect();
        out.sort();
        out
    };
    assert_eq!(kernels(&again), kernels(session), "kernels");
    let busy = |s: &Session| serde_json::to_string(&s.ask(&OverviewQuery { range }).unwrap().summary).unwrap();
    assert_eq!(busy(&again), busy(session), "categories of the steps");
    again
}

/// Colours and numbers of slices are not the same in another profile.
fn forget_places(value: &mut serde_json::Value) {
    if let Some(row) = value.as_object_mut() {
        row.retain(|key, _| {
            !["slot", "colour", "first", "slices", "example", "slice", "longest", "longest_operator"].contains(&key.as_str())
        });
        row.values_mut().for_each(forget_places);
    } else if let Some(list) = value.as_array_mut() {
        list.iter_mut().for_each(forget_places);
    }
}

#[test]
fn records_of_a_range_keep_the_views_of_a_cpu_trace() {
    let session = sample("cpu_single.pt.trace.json.gz");
    same_views(&session, part_of(&session, 0.3, 0.5));
}

#[test]
fn records_of_a_range_keep_the_views_of_a_gpu_trace() {
    let Some(folder) = conformance("kineto/traces") else { return };
    let session = read(&folder.join("tracelens-traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"));
    let range = part_of(&session, 0.4, 0.6);
    let again = same_views(&session, range);
    let devices = |s: &Session| match &s.profile.domain {
        axonscope::model::Domain::Torch(torch) => format!("{:?}", torch.devices),
        _ => String::new(),
    };
    assert!(devices(&again).contains("H100") && devices(&again) == devices(&session), "devices of the root");
    // A range of the range.
    same_views(&again, part_of(&session, 0.45, 0.5));
    let old = read(&folder.join("kineto-traces/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"));
    same_views(&old, part_of(&old, 0.3, 0.45));
}

#[test]
fn records_of_odd_traces() {
    let pair = "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"a\",\"ts\":10,\"dur\":5},\n {\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"b\",\"ts\":100.5,\"dur\":5} , {\"ph\":\"B\",\"pid\":1,\"tid\":2,\"name\":\"c]}\",\"ts\":101},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":103},{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}}";
    // A list, an object with keys around it, a file that is cut.
    for text in [
        format!("{pair}]"),
        format!("{{\"a\": [1, {{}}], \"traceEvents\": {pair}], \"b\": \"ü\"}}\n"),
        format!("{{\"traceEvents\":{pair},{{\"ph\":\"X\",\"na"),
    ] {
        let session = session("odd.json", text.clone().into_bytes());
        let (text, n_events) = records(&session, TimeRange::new(TimeNs(90_000), TimeNs(95_000)));
        assert_eq!(n_events, 4, "b, both ends of c, the name of the process: {text}");
        let again = self::session("again.json", text.into_bytes());
        let of = |p: &Profile| slices(p, None).into_iter().map(|s| (s.0, s.2)).collect::<Vec<_>>();
        assert_eq!(of(&again.profile), [(90_500, "b".to_string()), (91_000, "c]}".to_string())], "times of the trace");
    }
    let neuron = sample("synthetic-neuron.json");
    let query = RangeRecordsQuery { range: neuron.profile.meta.range, tracks: Vec::new(), cursor: RecordsCursor::default() };
    assert!(neuron.ask(&query).is_err());
}
