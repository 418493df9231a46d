//! What a trace says over time: throttling and DMA throughput are the samples of the profiler's JSON; metrics that follow are its summary's.

use crate::neuron_support::*;
use axonscope::analysis::device::summary::summary;
use axonscope::engine::Session;
use axonscope::formats::{by_id, import};
use axonscope::model::{Cell, Domain, Profile};
use serde_json::Value;

const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

fn session(files: &[Named]) -> Session {
    let (claim, outcome) = import::import(&set(files)).expect("opens").remove(0);
    let (imported, input) = outcome.expect("opens");
    Session::new(claim, input, imported)
}

/// Both sources of each run.
fn runs() -> Vec<(&'static str, Session, Session, Value)> {
    let Some(folder) = conformance() else { return Vec::new() };
    let open = |(run, stem): (&'static str, &str)| {
        let json = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let truth = serde_json::from_slice(&json.1).expect("JSON");
        let trace = [file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff"))];
        (run, session(&[json]), session(&trace), truth)
    };
    RUNS.map(open).into()
}

/// Times and values of the rows with this name, core by core.
fn curves(profile: &Profile, name: &str) -> Vec<(String, Vec<i64>, Vec<f64>)> {
    let of = |c: &axonscope::model::Counter| (profile.track_path(c.track), c.times.clone(), c.series[0].values.clone());
    let mut all: Vec<_> = profile.counters.iter().filter(|c| profile.track_path(c.track).ends_with(name)).map(of).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e6)
}

#[test]
fn dma_throughput_is_that_of_the_json() {
    for (run, json, trace, _) in runs() {
        let (wanted, found) = (curves(&json.profile, "/ DMA Throughput"), curves(&trace.profile, "/ DMA Throughput"));
        assert_eq!(found.iter().map(|c| &c.0).collect::<Vec<_>>(), wanted.iter().map(|c| &c.0).collect::<Vec<_>>(), "{run}");
        assert_eq!(wanted.len(), 2, "{run}");
        for ((core, times, values), (_, ours, rates)) in wanted.iter().zip(&found) {
            // The end of the last transfer has a sample here in any case: the profiler's curve of one core of each run never ends.
            let n = times.len();
            assert_eq!(&ours[..n], times, "{run} {core}");
            assert!(ours.len() <= n + 1 && rates.last() == Some(&0.0), "{run} {core}: {} and {n}", ours.len());
            for (at, (a, b)) in values.iter().zip(rates).enumerate() {
                assert!(is_near(*a, *b), "{run} {core} at {}: {a} and {b}", times[at]);
            }
        }
    }
}

#[test]
fn limits_hold_as_long_as_in_the_json() {
    for (run, json, trace, truth) in runs() {
        let limits = |s: &Session| {
            let Domain::NeuronDevice(d) = &s.profile.domain else { panic!("a device profile") };
            let of = |t: &axonscope::model::domain::Throttle| (s.profile.track_path(t.core), t.start, t.end, t.limit);
            d.throttles.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(limits(&trace), limits(&json), "{run}");
        assert_eq!(limits(&trace).len(), truth["ham"].as_array().expect("rows").len(), "{run}");
    }
}

/// Records as tables have them: every key that a trace gives has the value of the JSON.
#[test]
fn samples_are_the_records_of_the_json() {
    for (run, _, trace, truth) in runs() {
        let mut n = 0;
        let mut unmet: Vec<String> = Vec::new();
        let format = by_id("ntff").expect("a format");
        let mut each = |section: &str, sample: &axonscope::formats::Sample<'_>| {
            let rows = truth[section].as_array().expect("a section");
            let is_it = |row: &&Value| ["subgraph", "timestamp"].iter().all(|key| is_same(&row[*key], sample.get(key)));
            let keys: &[&str] = if section == "ham" { &["duration", "k", "n", "type"] } else { &["transfer_rate", "total_transfer_bytes"] };
            match rows.iter().find(is_it) {
                Some(row) => {
                    n += 1;
                    unmet.extend(
                        keys.iter().filter(|key| !is_same(&row[**key], sample.get(key))).map(|key| format!("{section} {key} of {row}")),
                    );
                }
                None => unmet.push(format!("{section} {:?}", sample.get("timestamp"))),
            }
        };
        format.samples(&trace.input, &trace.profile, &mut each).expect("samples");
        let all = truth["ham"].as_array().expect("rows").len() + truth["dma_throughput"].as_array().expect("rows").len();
        assert_eq!(n, all, "{run}: every record");
        assert!(unmet.len() <= 1 && unmet.iter().all(|u| u.starts_with("dma_throughput Some")), "{run}: {unmet:?}");
    }
}

fn is_same(wanted: &Value, found: Option<&Cell>) -> bool {
    match found {
        Some(Cell::Int(n)) => wanted.as_i64() == Some(*n),
        Some(Cell::Float(x)) => wanted.as_f64().is_some_and(|w| is_near(w, *x)),
        Some(Cell::Text(text)) => wanted.as_str() == Some(text),
        _ => false,
    }
}

/// Metrics of packets by type of queue, of sizes and of throttling, with the share by which rows of whole nanoseconds may differ.
const METRICS: [(&str, f64); 28] = [
    ("total_time", 1e-9),
    ("neuroncore_cycle_count", 1e-9),
    ("weight_size_bytes", 0.0),
    ("inputs_and_weights_size_bytes", 0.0),
    ("inputs_outputs_weights_size_bytes", 0.0),
    ("mbu_min_read_util_percent", 1e-6),
    ("static_dma_packet_count", 0.0),
    ("static_dma_packet_percent", 1e-6),
    ("static_dma_size", 0.0),
    ("static_dma_size_percent", 1e-6),
    ("static_dma_active_time", 2e-3),
    ("static_dma_active_time_percent", 4e-3),
    ("software_dynamic_dma_packet_count", 0.0),
    ("software_dynamic_dma_packet_percent", 1e-6),
    ("software_dynamic_dma_size", 0.0),
    ("software_dynamic_dma_size_percent", 1e-6),
    ("software_dynamic_dma_active_time", 2e-3),
    ("software_dynamic_dma_active_time_percent", 4e-3),
    ("hardware_dynamic_dma_packet_count", 0.0),
    ("hardware_dynamic_dma_packet_percent", 1e-6),
    ("hardware_dynamic_dma_size", 0.0),
    ("hardware_dynamic_dma_size_percent", 1e-6),
    ("hardware_dynamic_dma_active_time", 2e-3),
    ("hardware_dynamic_dma_active_time_percent", 4e-3),
    ("dynamic_dma_packet_percent", 1e-6),
    ("dynamic_dma_size_percent", 1e-6),
    ("throttle_active_nc0_time_ns", 0.0),
    ("throttle_avg_util_limit_nc0_percent", 1e-3),
];

#[test]
fn packets_sizes_and_throttling_are_those_of_the_summary() {
    for (run, json, trace, truth) in runs() {
        for session in [&trace, &json] {
            let found = summary(&session.profile, None).metrics;
            for (name, most) in METRICS {
                let ours = found.iter().find(|m| m.name == name).and_then(|m| m.computed.or(m.file));
                let (wanted, ours) = (truth["summary"][0][name].as_f64().expect(name), ours.unwrap_or_else(|| panic!("{run}: no {name}")));
                assert!((wanted - ours).abs() <= most * wanted.abs(), "{run} {}: {name} {ours}, not {wanted}", session.profile.meta.format);
            }
            let differing: Vec<_> = found.iter().filter(|m| m.differs).map(|m| (&m.name, m.file, m.computed)).collect();
            assert!(differing.is_empty(), "{run}: {differing:?}");
        }
    }
}
