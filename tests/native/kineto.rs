//! PyTorch traces: real ones (where the conformance data are at hand) and small ones for each kind of record.

use crate::common::{conformance, open};
use crate::torch_support::traces_below;
use axonscope::base::{InputSet, InstantId, Severity, SliceId};
use axonscope::formats::{Imported, by_id, import};
use axonscope::model::torch::ABSENT;
use axonscope::model::{Domain, TrackKind};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

fn inflated(path: &Path) -> String {
    let raw = std::fs::read(path).unwrap();
    let mut out = Vec::new();
    match raw.starts_with(&[0x1f, 0x8b]) {
        true => drop(flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut out).unwrap()),
        false => out = raw,
    }
    String::from_utf8(out).unwrap()
}

/// Microseconds as decimal text, moved by three digits.
fn nanoseconds(text: &str) -> i128 {
    let text = text.trim_matches('"');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{:0<3}", fraction).parse().unwrap()
}

/// Name, start, duration.
type Row = (String, i128, i128);

/// (name, start, duration) of each `X`, as an independent reader finds them; counts of other phases.
fn expected(text: &str) -> (Vec<Row>, HashMap<String, usize>) {
    #[derive(serde::Deserialize)]
    struct Root<'a> {
        #[serde(borrow, rename = "traceEvents")]
        events: Vec<HashMap<String, &'a RawValue>>,
    }
    let root: Root<'_> = serde_json::from_str(text).unwrap();
    let (mut slices, mut phases) = (Vec::new(), HashMap::new());
    for event in root.events {
        let phase: String = serde_json::from_str(event["ph"].get()).unwrap();
        if phase == "X" {
            let name = serde_json::from_str(event["name"].get()).unwrap();
            slices.push((name, nanoseconds(event["ts"].get()), nanoseconds(event["dur"].get())));
        }
        *phases.entry(phase).or_insert(0) += 1;
    }
    slices.sort();
    (slices, phases)
}

fn check_trace(path: &Path) {
    let text = inflated(path);
    let (want, phases) = expected(&text);
    let input = InputSet::from_bytes("unknown", std::fs::read(path).unwrap());
    let (imported, readable) = open(&input);
    let Imported { profile, ledger } = &imported;
    let name = path.display();
    assert_eq!(profile.check(), Ok(()), "{name}");
    assert!(ledger.worst() < Some(Severity::DataLoss), "{name}: {:?}", ledger.skipped);
    assert_eq!(ledger.read as usize, phases.values().sum::<usize>(), "{name}");
    assert!(matches!(profile.domain, Domain::Torch(_)), "{name}");
    let s = &profile.slices;
    let first = profile_origin(&text);
    let mut got: Vec<Row> = (0..s.len())
        .map(|i| (profile.name_of(SliceId(i as u32)).into(), i128::from(s.start[i]) + first, i128::from(s.duration[i])))
        .collect();
    got.sort();
    assert_eq!(got.len(), want.len(), "{name}");
    for (got, want) in got.iter().zip(&want) {
        assert_eq!(got, want, "{name}");
    }
    let n_instants = phases.get("i").copied().unwrap_or(0);
    assert!(profile.instants.time.len() <= n_instants && profile.instants.time.len() + 1 >= n_instants, "{name}");
    check_records(&imported, &readable);
}

/// The earliest time of anything with a place on the timeline.
fn profile_origin(text: &str) -> i128 {
    #[derive(serde::Deserialize)]
    struct Event<'a> {
        ph: String,
        #[serde(borrow)]
        ts: Option<&'a RawValue>,
    }
    #[derive(serde::Deserialize)]
    struct Root<'a> {
        #[serde(borrow, rename = "traceEvents")]
        events: Vec<Event<'a>>,
    }
    let root: Root<'_> = serde_json::from_str(text).unwrap();
    let placed = root.events.iter().filter(|e| ["X", "i"].contains(&e.ph.as_str()));
    placed.filter_map(|e| e.ts).map(|t| nanoseconds(t.get())).min().unwrap_or(0)
}

/// Some slices read back: their record names them.
fn check_records(imported: &Imported, readable: &InputSet) {
    let n = imported.profile.slices.len();
    let format = by_id("kineto").unwrap();
    for i in (0..n).step_by((n / 20).max(1)) {
        let slice = SliceId(i as u32);
        let fields = format.record(readable, &imported.profile, slice.into()).unwrap();
        let name = fields.iter().find(|f| f.group == "Event" && f.key == "name").unwrap();
        assert_eq!(name.value, imported.profile.name_of(slice));
        let dur = fields.iter().find(|f| f.group == "Event" && f.key == "dur").unwrap();
        assert_eq!(nanoseconds(&dur.value), i128::from(imported.profile.slices.duration[i]));
    }
    let (profile, all) = (&imported.profile, &imported.profile.instants);
    for i in (0..all.time.len()).step_by((all.time.len() / 20).max(1)) {
        let fields = format.record(readable, profile, InstantId(i as u32).into()).unwrap();
        let event = |key: &str| fields.iter().find(|f| f.group == "Event" && f.key == key).map(|f| f.value.clone());
        assert_eq!(event("name").as_deref(), Some(profile.strings.get(all.name[i])));
        assert!(event("ph").is_some_and(|ph| ph != "X") && event("ts").is_some());
    }
}

#[test]
fn real_traces_lose_nothing() {
    let Some(dir) = conformance("kineto/traces") else {
        return;
    };
    let paths = traces_below(&dir);
    assert!(paths.len() > 50, "{} traces", paths.len());
    paths.iter().for_each(|p| check_trace(p));
}

fn fixture(name: &str) -> (Imported, InputSet) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/kineto").join(name);
    open(&InputSet::from_bytes(name, std::fs::read(path).unwrap()))
}

/// (track path, name, start, duration) of all slices.
fn slices(imported: &Imported) -> Vec<(String, String, i64, i64)> {
    let p = &imported.profile;
    assert_eq!(p.check(), Ok(()));
    let row = |i: usize| {
        let slice = SliceId(i as u32);
        (p.track_path(p.track_of(slice).unwrap()), p.name_of(slice).to_string(), p.slices.start[i], p.slices.duration[i])
    };
    (0..p.slices.len()).map(row).collect()
}

fn skipped(imported: &Imported) -> Vec<(&str, u64)> {
    imported.ledger.skipped.iter().map(|s| (s.kind.as_str(), s.count)).collect()
}

fn row(track: &str, name: &str, start: i64, duration: i64) -> (String, String, i64, i64) {
    (track.into(), name.into(), start, duration)
}

#[test]
fn every_phase_has_its_place() {
    let (imported, readable) = fixture("phases/phases.json");
    let p = &imported.profile;
    assert_eq!(
        slices(&imported),
        [
            row("GPU 0 / stream 7", "add_kernel", 100_000, 0),
            row("python 7 (CPU) / thread 7 (main)", "aten::add", 0, 10_000),
            row("python 7 (CPU) / thread 7 (main)", "cudaLaunchKernel", 2_500, 1_250),
            row("python 7 (CPU) / Thread 8", "outer", 20_000, 80_000),
            row("python 7 (CPU) / Thread 8", "inner", 30_000, 10_000),
            row("python 7 (CPU) / Thread 8", "open", 50_000, 50_000),
            row("python 7 (CPU) / request", "load", 10_000, 20_000),
            row("python 7 (CPU) / request", "load", 15_000, 5_000),
        ]
    );
    assert_eq!(p.meta.origin_epoch_ns, Some(1_790_857_026_000_000_000 + 1_000_000));
    let kinds: Vec<TrackKind> = p.tracks.iter().map(|t| t.kind).collect();
    use TrackKind::*;
    assert_eq!(kinds, [Group, Stream, Group, Thread, Thread, Async, Counter, Group, Thread]);
    let arrows: Vec<_> = (0..p.flows.from.len()).map(|i| (p.name_of(p.flows.from[i]), p.name_of(p.flows.to[i]))).collect();
    assert_eq!(arrows, [("cudaLaunchKernel", "add_kernel")]);
    assert_eq!(
        p.counters[0].series.iter().map(|s| (&*s.name, &s.values[..])).collect::<Vec<_>>(),
        [("used", &[1.0, 3.5][..]), ("free", &[9.0, 9.0][..])]
    );
    let instants: Vec<&str> = p.instants.name.iter().map(|n| p.strings.get(*n)).collect();
    assert_eq!(instants, ["[memory]", "step", "Record Window End"]);
    let Domain::Torch(torch) = &p.domain else { panic!("no torch") };
    assert_eq!((torch.rank, &torch.correlation[1..3], &torch.external_id[1..3]), (Some((1, 2)), &[ABSENT, 33][..], &[5, ABSENT][..]));
    let shape = p.attribute("input_shape").unwrap();
    assert_eq!(p.strings.get(shape.values[1]), "[[2, 3], []]");
    assert_eq!(skipped(&imported), [("unmatched_end", 1), ("phase_P", 1), ("unmatched_begin", 1)]);
    let fields = by_id("kineto").unwrap().record(&readable, p, SliceId(4).into()).unwrap();
    let text: Vec<String> = fields.iter().map(|f| format!("{}|{}={}{}", f.group, f.key, f.value, f.unit)).collect();
    assert!(text.contains(&"Event|name=inner".into()) && text.contains(&"End: Event|ts=1040µs".into()), "{text:?}");
}

#[test]
fn hazards_of_files_in_the_wild_are_survived() {
    let (imported, _) = fixture("hazards/hazards.json");
    let names: Vec<String> = slices(&imported).into_iter().map(|s| s.1).collect();
    let want = [
        "C:\\Users\\x\\py",
        "control\nand\ttab",
        "f(\"a\", \"b\")",
        "nan",
        "infinite",
        "negative",
        "quoted",
        "no duration",
        "exponent",
        "<img src=x onerror=alert(1)>",
        "é😀",
        "odd \" quote",
        "after",
        "last",
    ];
    let mut names = names;
    names.sort();
    let mut want: Vec<String> = want.iter().map(|s| s.to_string()).collect();
    want.sort();
    assert_eq!(names, want);
    let mut got = skipped(&imported);
    got.sort();
    assert_eq!(
        got,
        [
            ("missing_duration", 3),
            ("missing_phase", 1),
            ("missing_ts", 2),
            ("negative_duration", 1),
            ("repaired_quotes", 2),
            ("stray_text", 1)
        ]
    );
    let exponent = slices(&imported).into_iter().find(|s| s.1 == "exponent").unwrap();
    assert_eq!(exponent.3, 1_500_000);
}

#[test]
fn a_bare_list_and_a_plain_trace_open() {
    let (imported, _) = fixture("chrome_list/list.json");
    assert_eq!(slices(&imported), [row("Process 1 / Thread 1", "a", 0, 5_000), row("Process 1 / Thread 1", "b", 1_000, 2_000)]);
    assert!(matches!(imported.profile.domain, Domain::Plain));
    assert!(imported.ledger.notes[0].contains("Chrome trace without PyTorch profiler data"));
}

#[test]
fn numbers_and_texts_are_the_same_thread() {
    let text = br#"{"traceEvents": [{"ph":"X","name":"a","pid":25738,"tid":"25738","ts":1,"dur":1},
        {"ph":"X","name":"b","pid":"25738","tid":25738,"ts":5,"dur":1}]}"#;
    let (imported, _) = open(&InputSet::from_bytes("x", text.to_vec()));
    assert_eq!(imported.profile.tracks.len(), 2);
}

#[test]
fn a_far_window_end_does_not_stretch_the_trace() {
    let text = br#"{"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
        {"ph":"i","name":"Record Window End","pid":"","tid":"","ts":9000000000000}]}"#;
    let (imported, _) = open(&InputSet::from_bytes("x", text.to_vec()));
    assert_eq!(imported.profile.meta.range.end.0, 1_000);
    assert_eq!(skipped(&imported), [("window_end_far", 1)]);
}

#[test]
fn a_long_head_without_events_is_accepted() {
    let filler: Map<String, Value> = (0..5000).map(|i| (format!("key{i}"), Value::from("x".repeat(20)))).collect();
    let text =
        format!(r#"{{"metadata": {}, "traceEvents": [{{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}}]}}"#, Value::Object(filler));
    let (imported, _) = open(&InputSet::from_bytes("x", text.into_bytes()));
    assert_eq!(imported.profile.slices.len(), 1);
    let text = format!(r#"{{"metadata": "{}", "b": 1}}"#, "x".repeat(100_000));
    let outcome = import::import(&InputSet::from_bytes("x", text.into_bytes())).unwrap().remove(0).1;
    let sentence = outcome.map(|_| ()).unwrap_err().to_string();
    assert!(sentence.contains("`traceEvents`") && sentence.contains("`metadata`, `b`"), "{sentence}");
}

#[test]
fn a_host_thread_with_the_id_of_a_device_is_a_thread_of_the_host() {
    let trace = |more: &str| {
        format!(
            r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "H100"}}], "traceEvents": [
{{"ph":"M","name":"process_name","pid":0,"tid":0,"args":{{"name":"python3"}}}},
{{"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{{"labels":"GPU 0"}}}},
{{"ph":"M","name":"process_name","pid":9,"tid":0,"args":{{"name":"python3"}}}},
{{"ph":"M","name":"process_labels","pid":9,"tid":0,"args":{{"labels":"CPU"}}}},
{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":9}},{more}
{{"ph":"X","cat":"python_function","name":"threading.py(1032): _bootstrap","pid":0,"tid":0,"ts":0,"dur":90}},
{{"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":8,"ts":5,"dur":9,"args":{{"device":0,"stream":8}}}},
{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":9,"args":{{"device":0,"stream":7}}}}]}}"#
        )
    };
    let path = |text: String, name: &str| {
        let profile = import::import(&InputSet::from_bytes("t.json", text.into_bytes())).unwrap().remove(0).1.unwrap().0.profile;
        profile.check().unwrap();
        let slice = (0..profile.slices.len() as u32).map(SliceId).find(|s| profile.name_of(*s) == name).unwrap();
        let track = profile.track_of(slice).unwrap();
        (profile.track_path(track), profile.tracks[track.index()].kind)
    };
    let python = "threading.py(1032): _bootstrap";
    assert_eq!(path(trace(""), python), ("python3 9 (CPU) / Thread 0".into(), TrackKind::Thread));
    assert_eq!(path(trace(""), "gemm"), ("GPU 0 / stream 7".into(), TrackKind::Stream));
    assert_eq!(path(trace(""), "step").1, TrackKind::Stream);
    // Of several processes it is not known which one it belongs to.
    let two = trace(r#"{"ph":"X","cat":"cpu_op","name":"aten::add","pid":11,"tid":11,"ts":0,"dur":9},"#);
    assert_eq!(path(two, python).0, "Host (process not recorded) / Thread 0");
}
