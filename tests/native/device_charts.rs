//! The charts of the summary: their figures add up, and agree with the file's own metrics.

use crate::neuron_support::*;
use axonscope::analysis::device::charts::{Charts, Memory, MemorySource, TransferBy, charts};
use axonscope::analysis::device::run_metrics::metrics::MetricSource;
use axonscope::analysis::device::run_metrics::summary::summary;
use axonscope::base::{TimeNs, TimeRange};
use axonscope::model::Profile;
use serde_json::Value;

/// Both runs: the profile as imported, and the JSON it is of.
fn runs() -> Vec<(&'static str, Profile, Value)> {
    let Some(folder) = conformance() else { return Vec::new() };
    let open = |(run, stem): (&'static str, &str)| {
        let file = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let json = serde_json::from_slice(&file.1).expect("well formed");
        (run, import_one(&[file]).expect("the JSON opens").profile, json)
    };
    [("fused_attention", "fused"), ("baseline_attention", "baseline")].map(open).into()
}

fn close(a: f64, b: f64, to: f64) -> bool {
    (a - b).abs() <= to * a.abs().max(b.abs())
}

/// Nanoseconds in which at least one of the rows runs.
fn union<'a>(rows: impl Iterator<Item = &'a Value>) -> i64 {
    let start = |d: &Value| d["timestamp"].as_i64().expect("ns");
    let mut spans: Vec<(i64, i64)> = rows.map(|d| (start(d), start(d) + d["duration"].as_i64().expect("ns"))).collect();
    spans.sort_unstable();
    let (mut total, mut until) = (0, i64::MIN);
    for (from, to) in spans {
        total += (to - from.max(until)).max(0);
        until = until.max(to);
    }
    total
}

#[test]
fn engines_add_up_to_the_window_and_to_the_metrics_of_the_file() {
    for (run, profile, json) in runs() {
        let (got, whole) = (charts(&profile, None), summary(&profile, None));
        let facts = MetricSource::of(&profile);
        assert_eq!((got.cores.len(), got.cores[0].as_str()), (2, "NC 4"), "{run}");
        assert_eq!(got.engines.len(), 10, "{run}: five engines of two cores");
        for e in &got.engines {
            let parts = [e.model, e.transpose, Some(e.active), e.active_throttled, Some(e.unused), e.unused_throttled];
            let sum: f64 = parts.into_iter().flatten().sum();
            assert!(close(sum, 1.0, 1e-9), "{run} {e:?}");
            let busy = whole.engines.iter().find(|o| (&o.core, &o.engine) == (&e.core, &e.engine)).map(|o| o.busy);
            assert_eq!(busy, Some(e.busy), "{run}");
            assert_eq!(e.model.is_some(), e.engine == "Tensor" && e.core == "NC 4", "{run}: one core has matrix products");
            assert_eq!(e.active_throttled.is_some(), e.engine == "Tensor", "{run}");
        }
        // Of two cores one works: its share is twice that of both.
        let tensor = &got.engines[0];
        let (model, transpose) = (tensor.model.expect("told"), tensor.transpose.expect("told"));
        let file = |name: &str| facts.number(name).expect("told");
        assert!(close(model / 2.0, file("mfu_inst_estimated_percent"), 1e-5), "{run} {model}");
        assert!(close((model + transpose) / 2.0, file("hfu_estimated_percent"), 1e-5), "{run}");
        let limited: i64 =
            json["ham"].as_array().expect("rows").iter().filter(|h| h["k"] != h["n"]).filter_map(|h| h["duration"].as_i64()).sum();
        let lost = tensor.active_throttled.unwrap_or(0.0) + tensor.unused_throttled.unwrap_or(0.0);
        let window = got.duration.0 as f64;
        assert!(close(lost, 0.5 * limited as f64 / window, 1e-2), "{run}: half of {limited} ns, found {}", lost * window);
        let counted: u64 =
            got.engines.iter().map(|e| e.origins.source.unwrap_or(0) + e.origins.compiler + e.origins.runtime.unwrap_or(0)).sum();
        assert_eq!(counted, json["instruction"].as_array().expect("rows").len() as u64, "{run}");
        let named = json["instruction"].as_array().expect("rows").iter().filter(|i| i["instruction_type"] != "").count() as u64;
        assert_eq!(got.engines.iter().map(|e| e.origins.compiler).sum::<u64>(), named, "{run}");
        assert!(got.engines.iter().all(|e| e.origins.source.is_none()), "{run}: the file names no source");
        let products = json["instruction"].as_array().expect("rows").iter().filter(|i| i["opcode"] == "MATMUL").count() as u64;
        let recorded = tensor.opcodes.iter().find(|o| o.0 == "MATMUL");
        assert!(recorded.is_some_and(|o| o.1 == products) && tensor.opcodes.len() <= 5, "{run}: {:?}", tensor.opcodes);
        assert!(tensor.opcodes.is_sorted_by(|a, b| a.1 >= b.1), "{run}");
    }
}

#[test]
fn memory_is_the_bandwidth_utilization_of_the_file() {
    for (run, profile, json) in runs() {
        let whole = charts(&profile, None).memory.expect("told");
        let mbu = MetricSource::of(&profile).number("mbu_estimated_percent").expect("told");
        assert!(
            whole.source == MemorySource::File && close(whole.moved() as f64 / whole.available.expect("told") as f64, mbu, 1e-5),
            "{run}: {whole:?}"
        );
        // The instructions tell the same bytes; but of a part of the run not when they moved, which its transfers tell.
        let end = profile.meta.range.end.0 + 1;
        let part = |from, to| charts(&profile, Some(TimeRange::new(TimeNs(from), TimeNs(to)))).memory.expect("told");
        let all = part(-1000, end);
        assert_eq!((all.read, all.written, all.source), (whole.read, whole.written, MemorySource::Instructions), "{run}");
        let halves = [part(-1000, 25_000), part(25_000, end)];
        assert!(halves.iter().all(|h| (h.source, h.read, h.written) == (MemorySource::Transfers, 0, 0)), "{run}: {halves:?}");
        let sizes = json["dma"].as_array().expect("rows").iter().filter(|d| d["queue_type"] != "instruction");
        let moved: u64 = sizes.filter_map(|d| d["transfer_size"].as_u64()).sum();
        assert_eq!(halves.iter().map(Memory::moved).sum::<u64>(), moved, "{run}: parts make up the whole");
        assert!(close(moved as f64, whole.moved() as f64, 4e-4), "{run}: {moved} stand for {}", whole.moved());
        let (used, given) = (halves[0].moved() as f64, halves[0].available.expect("told") as f64);
        let range = TimeRange::new(TimeNs(-1000), TimeNs(25_000));
        let mbu = summary(&profile, Some(range)).metrics.into_iter().find(|m| m.name == "mbu_estimated_percent").and_then(|m| m.computed);
        assert!(close(used / given, mbu.expect("told"), 1e-5), "{run}: the card says what the doughnut does");
    }
}

#[test]
fn transfers_are_those_of_the_file_whatever_they_are_put_together_by() {
    for (run, profile, json) in runs() {
        let got = charts(&profile, None);
        let rows = json["dma"].as_array().expect("rows");
        let bytes: u64 = rows.iter().filter_map(|d| d["transfer_size"].as_u64()).sum();
        for by in [TransferBy::Engine, TransferBy::Queue, TransferBy::Type] {
            let of = got.transfers.iter().filter(|t| t.by == by);
            let sums = of.fold((0, 0), |s, t| (s.0 + t.bytes.unwrap_or(0), s.1 + t.count));
            assert_eq!(sums, (bytes, rows.len() as u64), "{run} {by:?}");
        }
        // Active times of the kinds: core by core as counted here, over both cores (seconds) as in the summary.
        let facts = MetricSource::of(&profile);
        let kinds = [("instruction", "static"), ("software_dynamic", "software_dynamic"), ("hardware_dynamic", "hardware_dynamic")];
        for (kind, name) in kinds {
            let spans = |core: &str| union(rows.iter().filter(|d| d["queue_type"] == kind && (core.is_empty() || d["subgraph"] == core)));
            let of = got.transfers.iter().filter(|t| t.by == TransferBy::Type && t.name == kind);
            let busy: Vec<i64> = of.map(|t| t.busy.0).collect();
            let counted: Vec<i64> = ["sg00", "sg01"].into_iter().map(spans).filter(|ns| *ns > 0).collect();
            assert_eq!(busy, counted, "{run} {kind}");
            let recorded = facts.number(&format!("{name}_dma_active_time")).expect("told");
            assert!(close(spans("") as f64 / 1e9, recorded, 2e-3), "{run} {kind}: {recorded} s");
        }
        assert!(got.transfers.iter().all(|t| t.bandwidth_share.is_some_and(|s| s <= t.busy_share * 1.01)), "no faster than it can be");
        let mean = got.transfer_mean.expect("the file says 0, which is not told");
        assert!(!mean.is_of_file && close(mean.bytes, bytes as f64 / rows.len() as f64, 1e-9), "{run}: {mean:?}");
        let sized: u64 = got.sizes.iter().map(|s| u64::from(s.size) * s.count).sum();
        assert_eq!((sized, got.n_more_sizes), (bytes, 0), "{run}");
        assert!(got.operations.is_empty() && got.boxes.is_empty(), "no collective operations in these runs");
        assert!(got.system.iter().any(|f| f.0 == "Compiler" && f.1.starts_with("2.")), "{run}: {:?}", got.system);
    }
}

#[test]
fn what_a_trace_of_another_architecture_cannot_tell_is_said() {
    let Some(folder) = conformance() else { return };
    let trace = other_architecture(file(&folder, "fused_attention", "fused_exec_2.ntff"));
    let trace = import_one(&[trace]).expect("the trace opens").profile;
    let Charts { engines, memory, notes, .. } = charts(&trace, None);
    assert!(engines.iter().all(|e| e.model.is_none() && e.origins.runtime.is_none()));
    // Records of throttling are the same on each architecture.
    assert!(engines.iter().all(|e| e.active_throttled.is_some() == (e.engine == "Tensor")));
    assert_eq!(memory, None);
    for part in ["FLOPs are not available", "HBM bytes are not available", "HBM bandwidth"] {
        assert!(notes.iter().any(|n| n.contains(part)), "{part}: {notes:?}");
    }
}

#[test]
fn engines_that_do_nothing_in_a_range_stay_in_it() {
    for (run, profile, _) in runs() {
        let names = |c: &Charts| c.engines.iter().map(|e| (e.core.clone(), e.engine.clone())).collect::<Vec<_>>();
        let whole = charts(&profile, None);
        let short = charts(&profile, Some(TimeRange::new(TimeNs(40), TimeNs(60))));
        assert_eq!((names(&short), &short.cores), (names(&whole), &whole.cores), "{run}");
        let idle = short.engines.iter().filter(|e| e.busy.0 == 0);
        assert!(idle.clone().count() > 0 && idle.clone().all(|e| e.unused + e.unused_throttled.unwrap_or(0.0) > 0.999), "{run}");
    }
}
