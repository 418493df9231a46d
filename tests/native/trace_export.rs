//! A profile saved as a Chrome trace and read again has the same slices, counters, instants and arrows.

use crate::common::conformance;
use axonscope::base::{InputSet, SliceId, TimeNs, TimeRange};
use axonscope::engine::Session;
use axonscope::engine::query::{TraceCursor, TraceEventsQuery};
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
