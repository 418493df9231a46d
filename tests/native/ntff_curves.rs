//! What a trace says over time: throttling and DMA throughput are the samples of the profiler's JSON; metrics that follow are its summary's.

use crate::neuron_support::writer::{self, word};
use crate::neuron_support::*;
use axonscope::analysis::device::activity::active_times::active_times;
use axonscope::analysis::device::activity::curves::lines;
use axonscope::analysis::device::run_metrics::summary::summary;
use axonscope::engine::Session;
use axonscope::formats::{by_id, import};
use axonscope::model::{Cell, Domain, Profile};
use serde_json::Value;
use std::collections::BTreeMap;

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
fn usage_of_state_buffer_and_psum_is_that_of_the_json() {
    for (run, json, trace, truth) in runs() {
        let mut n = 0;
        for name in ["/ State Buffer Usage", "/ PSUM Usage"] {
            let all = |p: &Profile| -> Vec<_> {
                let of = |c: &axonscope::model::Counter| (p.track_path(c.track), c.times.clone(), c.series.clone());
                p.counters.iter().filter(|c| p.track_path(c.track).ends_with(name)).map(of).collect()
            };
            let (wanted, found) = (all(&json.profile), all(&trace.profile));
            assert_eq!(wanted.len(), 1, "{run}: one core writes to {name}");
            assert_eq!(found.len(), wanted.len(), "{run} {name}");
            for ((core, times, series), (ours, at, values)) in wanted.iter().zip(&found) {
                assert_eq!((core, times), (ours, at), "{run} {name}");
                n += times.len();
                for (a, b) in series.iter().zip(values) {
                    assert_eq!(a.name, b.name);
                    // The JSON has single precision.
                    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 * x.abs();
                    assert!(a.values.iter().zip(&b.values).all(is_near), "{run} {name} {}: {:?}, not {:?}", a.name, b.values, a.values);
                }
            }
        }
        assert_eq!(n, truth["instruction_usage"].as_array().expect("rows").len(), "{run}: every sample");
    }
}

/// The profiler's curve rises with each DMA_DIRECT2D and never falls; this one falls with the last packet of its transfer.
#[test]
fn transfers_under_way_begin_where_the_curve_of_the_json_rises() {
    for (run, json, trace, truth) in runs() {
        let mut rises: Vec<i64> =
            truth["pending_dma"].as_array().expect("rows").iter().map(|r| r["timestamp"].as_i64().expect("ns")).collect();
        rises.sort_unstable();
        let lines = [&json, &trace].map(|s| {
            let Domain::NeuronDevice(d) = &s.profile.domain else { panic!("a device profile") };
            lines(&s.profile, d).into_iter().filter(|l| l.name == "DMA Transfers Under Way").collect::<Vec<_>>()
        });
        assert_eq!(lines[0], lines[1], "{run}: the same from both");
        let [line] = lines[1].as_slice() else { panic!("{run}: one core moves data by dynamic transfers") };
        let before = std::iter::once(&0.0).chain(&line.values);
        let (mut up, mut down) = (Vec::new(), 0.0);
        for ((time, value), before) in line.times.iter().zip(&line.values).zip(before) {
            up.extend((value > before).then_some(*time));
            down += (before - value).max(0.0);
        }
        assert_eq!(up, rises, "{run}");
        assert_eq!((down, line.values.last()), (rises.len() as f64, Some(&0.0)), "{run}: each ends");
        assert!(line.values.iter().all(|v| (0.0..=4.0).contains(v)), "{run}: {:?}", line.values);
    }
}

#[test]
fn active_times_are_those_of_the_json() {
    for (run, _, trace, truth) in runs() {
        let mut wanted: BTreeMap<(String, String), Vec<(i64, i64)>> = BTreeMap::new();
        for row in truth["active_time"].as_array().expect("rows") {
            let (text, ns) = (|key: &str| row[key].as_str().expect("text").to_string(), |key: &str| row[key].as_i64().expect("ns"));
            wanted.entry((text("subgraph"), text("engine"))).or_default().push((ns("start_ts"), ns("end_ts")));
        }
        let core =
            |name: &str| truth["model_info"].as_array().expect("cores").iter().find(|c| name == format!("NC {}", c["nc_idx"])).cloned();
        let mut n = 0;
        for found in active_times(&trace.profile) {
            let subgraph = core(&found.core).expect("a core")["sg_name"].as_str().expect("text").to_string();
            let spans = wanted.get_mut(&(subgraph, found.engine.to_lowercase())).expect("an engine that was active");
            spans.sort_unstable();
            assert_eq!(spans.len(), found.spans.len(), "{run} {} {}", found.core, found.engine);
            // The JSON rounds start and end down apart; a row has its start and its duration rounded down.
            let is_near = |(a, b): (&(i64, i64), &(i64, i64))| a.0 == b.0 && (0..=1).contains(&(a.1 - b.1));
            assert!(spans.iter().zip(&found.spans).all(is_near), "{run} {} {}: {spans:?}, not {:?}", found.core, found.engine, found.spans);
            n += spans.len();
        }
        assert_eq!(n, truth["active_time"].as_array().expect("rows").len(), "{run}: every row");
    }
}

/// A word of an unknown code may write anywhere: nothing is said of the memory then.
#[test]
fn usage_needs_all_words_that_ran() {
    let pattern = |address: u32| [&address.to_le_bytes()[..], &[1, 0, 1, 0, 1, 0, 1, 0, 8, 0, 1, 0, 1, 0, 1, 0]].concat();
    let copy = word(0x46, &[(0x20, &[10, 10, 128]), (0x0C, &pattern(0)), (0x2C, &pattern(64))]);
    let image = [copy, word(0x41, &[])].concat();
    for (pcs, is_known) in [(&[0u64][..], true), (&[0, 1], false), (&[0, 7], false)] {
        let mut regions = writer::regions();
        regions[0].2 = (0u64..).zip(pcs).flat_map(|(i, pc)| writer::instruction(*pc, 1_000_000 * i, 1_000_000 * i + 500_000)).collect();
        let session = session(&[("a.ntff".into(), writer::trace_of(6, 2, &[(0, image.clone())], &regions, 0))]);
        let found = curves(&session.profile, "State Buffer Usage");
        assert_eq!(found.len(), usize::from(is_known), "{pcs:?}");
        assert_eq!(session.profile.meta.not_available.iter().any(|n| n.contains("PSUM usage")), !is_known, "{pcs:?}");
        if is_known {
            assert_eq!((&found[0].1, (found[0].2[0] / 100.0 * 229_376.0).round()), (&vec![0, 500], 32.0));
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
const METRICS: [(&str, f64); 60] = [
    ("matmul_instruction_count", 0.0),
    ("activate_instruction_count", 0.0),
    ("activate_instruction_time", 2e-3),
    ("tensor_engine_instruction_time", 5e-3),
    ("vector_engine_instruction_time", 5e-3),
    ("scalar_engine_instruction_time", 5e-3),
    ("gpsimd_engine_instruction_time", 5e-3),
    ("sync_engine_instruction_time", 5e-3),
    ("dma_packet_time", 6e-3),
    ("sbuf_read_bytes", 0.0),
    ("sbuf_write_bytes", 0.0),
    ("psum_read_bytes", 0.0),
    ("psum_write_bytes", 0.0),
    ("psum_read_sbuf_write_bytes", 0.0),
    ("psum_read_sbuf_write_count", 0.0),
    ("input_queue_bytes", 0.0),
    ("output_queue_bytes", 0.0),
    ("weight_queue_bytes", 0.0),
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
    ("static_dma_active_time_percent", 1e-9),
    ("software_dynamic_dma_packet_count", 0.0),
    ("software_dynamic_dma_packet_percent", 1e-6),
    ("software_dynamic_dma_size", 0.0),
    ("software_dynamic_dma_size_percent", 1e-6),
    ("software_dynamic_dma_active_time", 2e-3),
    ("software_dynamic_dma_active_time_percent", 1e-9),
    ("hardware_dynamic_dma_packet_count", 0.0),
    ("hardware_dynamic_dma_packet_percent", 1e-6),
    ("hardware_dynamic_dma_size", 0.0),
    ("hardware_dynamic_dma_size_percent", 1e-6),
    ("hardware_dynamic_dma_active_time", 2e-3),
    ("hardware_dynamic_dma_active_time_percent", 1e-9),
    ("dynamic_dma_packet_percent", 1e-6),
    ("dynamic_dma_size_percent", 1e-6),
    ("tensor_engine_active_time", 5e-3),
    ("tensor_engine_active_time_percent", 5e-3),
    ("vector_engine_active_time", 5e-3),
    ("vector_engine_active_time_percent", 5e-3),
    ("scalar_engine_active_time", 5e-3),
    ("scalar_engine_active_time_percent", 5e-3),
    ("gpsimd_engine_active_time", 5e-3),
    ("gpsimd_engine_active_time_percent", 5e-3),
    ("sync_engine_active_time", 5e-3),
    ("sync_engine_active_time_percent", 5e-3),
    ("dma_active_time", 4e-3),
    ("dma_active_time_percent", 4e-3),
    ("total_active_time", 4e-3),
    ("dynamic_dma_active_time_percent", 1e-9),
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
                // Records have picoseconds; the rows of the JSON are whole nanoseconds.
                let is_exact = std::ptr::eq(session, &trace) && name.contains("_time") && !name.starts_with("throttle");
                let most = if is_exact { 1e-12 } else { most };
                assert!((wanted - ours).abs() <= most * wanted.abs(), "{run} {}: {name} {ours}, not {wanted}", session.profile.meta.format);
            }
            let differing: Vec<_> = found.iter().filter(|m| m.differs).map(|m| (&m.name, m.file, m.computed)).collect();
            assert!(differing.is_empty(), "{run}: {differing:?}");
        }
    }
}
