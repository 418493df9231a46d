//! The summary of a Neuron run: formulas give the file's own metrics; every source gives the same rows.

use crate::neuron_support::*;
use axonscope::analysis::device::run_metrics::summary::summary;
use axonscope::base::{TimeNs, TimeRange};

/// Formulas that `summary[0]` reproduces; each is recomputed to six digits.
const REPRODUCED: [&str; 14] = [
    "hfu_estimated_percent",
    "mfu_inst_estimated_percent",
    "mfu_hlo_estimated_percent",
    "mbu_estimated_percent",
    "mbu_min_read_util_percent",
    "mm_arithmetic_intensity",
    "peak_flops_bandwidth_ratio",
    "mfu_inst_max_achievable_estimated_percent",
    "total_active_time_percent",
    "throttle_avg_util_limit_nc0_percent",
    "neuroncore_cycle_count",
    "dma_active_cycles",
    "mfu_estimated_percent",
    "mfu_max_achievable_estimated_percent",
];

#[test]
fn formulas_give_the_metrics_of_the_file() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let json = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens");
        let got = summary(&json.profile, None);
        let differing: Vec<_> = got.metrics.iter().filter(|m| m.differs).map(|m| (&m.name, m.file, m.computed)).collect();
        assert!(differing.is_empty(), "{run}: {differing:?}");
        for name in REPRODUCED {
            let metric = got.metrics.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("{run}: no {name}"));
            assert!(metric.file.is_some() && metric.computed.is_some(), "{run}: {metric:?}");
        }
        // Both cores have all engines; waits are no work.
        assert_eq!(got.engines.len(), 12, "{:?}", got.engines);
        assert!(got.engines.iter().all(|e| e.busy.0 > 0 && e.busy.0 < got.duration.0));
        assert_eq!(got.engines[0].core, "NC 4");
    }
}

#[test]
fn headings_are_the_same_where_the_file_does_not_tell_them() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let (name, bytes) = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let mut json: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        let of = |bytes: Vec<u8>| {
            let profile = import_one(&[(name.clone(), bytes)]).expect("it opens").profile;
            let mut all: Vec<_> = summary(&profile, None).metrics.into_iter().map(|m| (m.name, m.group)).collect();
            all.sort();
            all
        };
        let recorded = of(bytes);
        json.as_object_mut().expect("an object").remove("summary_groups");
        assert_eq!(of(json.to_string().into_bytes()), recorded, "{run}");
    }
}

#[test]
fn a_figure_of_the_file_that_the_rows_contradict_is_named() {
    let Some(folder) = conformance() else {
        return;
    };
    let (name, bytes) = file(&folder, "baseline_attention", "baseline_exec_2_profile_full.json");
    let mut json: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let recorded = json["summary"][0]["hardware_flops"].as_f64().expect("told");
    json["summary"][0]["hardware_flops"] = (2.0 * recorded).into();
    let got = summary(&import_one(&[(name, serde_json::to_vec(&json).expect("JSON"))]).expect("it opens").profile, None);
    let flops = got.metrics.iter().find(|m| m.name == "hardware_flops").expect("told");
    assert_eq!((flops.file, flops.computed, flops.differs), (Some(2.0 * recorded), Some(recorded), true));
    assert!(got.notes.iter().any(|n| n.contains("`hardware_flops`")), "{:?}", got.notes);
    // Times of rows are of whole nanoseconds: they agree with the file's but for that.
    let active = got.metrics.iter().find(|m| m.name == "tensor_engine_active_time").expect("told");
    assert!(active.is_rounded && !active.differs && active.computed.is_some(), "{active:?}");
}

#[test]
fn a_part_of_the_rows_is_not_shown_as_the_whole() {
    let Some(folder) = conformance() else {
        return;
    };
    let (name, bytes) = file(&folder, "baseline_attention", "baseline_exec_2_profile_full.json");
    let whole: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    for lost in ["instruction", "dma"] {
        let mut json = whole.clone();
        let sections = json.as_object_mut().expect("an object");
        sections.remove(lost);
        sections.remove("summary");
        let got = summary(&import_one(&[(name.clone(), json.to_string().into_bytes())]).expect("it opens").profile, None);
        let metric = |name: &str| got.metrics.iter().find(|m| m.name == name);
        assert_eq!(metric("total_active_time"), None, "without {lost}");
        assert_eq!(metric("tensor_engine_instruction_count").is_some(), lost == "dma", "nothing is counted as 0");
        assert_eq!(metric("dma_active_time").is_some(), lost == "instruction");
    }
}

#[test]
fn a_trace_without_summary_says_so() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = import_one(&[other_architecture(file(&folder, "fused_attention", "fused_exec_2.ntff"))]).expect("the trace opens");
    let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens");
    let (of_trace, of_json) = (summary(&trace.profile, None), summary(&json.profile, None));
    let engines = |s: &axonscope::analysis::device::Summary| s.engines.iter().filter(|e| e.engine != "DMA").cloned().collect::<Vec<_>>();
    assert_eq!(engines(&of_trace), engines(&of_json));
    assert!(of_trace.metrics.iter().all(|m| m.file.is_none()), "nothing is made up");
    assert!(of_trace.notes[0].contains("Not available"));
    // The rows tell how long anything ran; of work and bytes they say nothing.
    let active = |s: &axonscope::analysis::device::Summary| {
        s.metrics.iter().find(|m| m.name == "total_active_time_percent").and_then(|m| m.computed).expect("of rows")
    };
    assert!((active(&of_trace) - active(&of_json)).abs() < 1e-2, "{} {}", active(&of_trace), active(&of_json));
    let names: Vec<_> = of_trace.metrics.iter().map(|m| m.name.as_str()).collect();
    let is_of_words = |n: &&str| n.contains("flops") || n.contains("bytes") && !n.ends_with("queue_bytes");
    assert!(!names.iter().any(is_of_words), "{names:?}");
}

/// Metrics that follow from the words of a trace: as the summary of the same run has them, to six digits.
#[test]
fn a_trace_of_trn2_has_the_metrics_of_the_summary() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let (trace, neff) = (file(&folder, run, &format!("{stem}_exec_2.ntff")), file(&folder, run, &format!("{stem}.neff")));
        let json = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens");
        let recorded = summary(&json.profile, None);
        for files in [vec![trace.clone()], vec![trace, neff]] {
            let ours = summary(&import_one(&files).expect("the trace opens").profile, None);
            for name in [
                "hardware_flops",
                "transpose_flops",
                "hfu_estimated_percent",
                "mfu_inst_estimated_percent",
                "mfu_inst_max_achievable_estimated_percent",
                "hbm_read_bytes",
                "hbm_write_bytes",
                "mbu_estimated_percent",
                "mm_arithmetic_intensity",
                "peak_flops_bandwidth_ratio",
                "tensor_engine_instruction_count",
                "vector_engine_instruction_count",
                "scalar_engine_instruction_count",
                "gpsimd_engine_instruction_count",
                "sync_engine_instruction_count",
            ] {
                let of_file = recorded.metrics.iter().find(|m| m.name == name).and_then(|m| m.file).unwrap_or_else(|| panic!("no {name}"));
                let metric = ours.metrics.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("{run}: no {name}"));
                let value = metric.computed.expect("of the rows");
                assert!((value - of_file).abs() <= 1e-6 * of_file.abs(), "{run} {name}: {value}, the summary has {of_file}");
                assert_eq!(metric.file, None, "{name} is computed");
            }
            assert!(ours.notes.iter().any(|n| n.contains("not recorded in this file")), "published values are marked: {:?}", ours.notes);
        }
    }
}

/// What the rows of a trace give for the file's active times, which are unions over the cores: equal but for what each row is floored by.
#[test]
fn active_times_of_a_trace_are_those_of_the_summary() {
    let Some(folder) = conformance() else {
        return;
    };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let trace = import_one(&[file(&folder, run, &format!("{stem}_exec_2.ntff"))]).expect("the trace opens");
        let json = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens");
        let (ours, recorded) = (summary(&trace.profile, None), summary(&json.profile, None));
        let value = |s: &axonscope::analysis::device::Summary, name: &str| {
            s.metrics.iter().find(|m| m.name == name).and_then(|m| m.file.or(m.computed)).unwrap_or_else(|| panic!("{run}: no {name}"))
        };
        for engine in ["tensor", "vector", "scalar", "gpsimd", "sync"] {
            let n: f64 = value(&recorded, &format!("{engine}_engine_instruction_count"));
            let name = format!("{engine}_engine_active_time");
            let off_ns = (value(&ours, &name) - value(&recorded, &name)) * 1e9;
            assert!(off_ns.abs() <= n / 2.0, "{run} {name}: {off_ns} ns");
            let share = format!("{name}_percent");
            assert!((value(&ours, &share) - value(&recorded, &share)).abs() < 1e-3 && value(&ours, &share) <= 1.0, "{run} {share}");
        }
        // Four transfers that the profiler leaves out, and says nothing of.
        assert!(trace.ledger.notes.iter().any(|n| n.starts_with("4 DMA transfers on rings that were active")), "{:?}", trace.ledger.notes);
        let of_json = summary(&json.profile, Some(json.profile.meta.range));
        let (ours, rows, recorded) =
            (value(&ours, "total_active_time"), value(&of_json, "total_active_time"), value(&recorded, "total_active_time"));
        assert!((rows - recorded).abs() < 4e-8, "{run}: {rows} of the rows, {recorded} told");
        assert!(ours >= rows && ours - rows < 1e-6, "{run}: {ours} with them, {rows} without");
    }
}

#[test]
fn a_range_is_summed_by_itself() {
    let Some(folder) = conformance() else {
        return;
    };
    let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens");
    let end = json.profile.meta.range.end;
    let part = |from, to| summary(&json.profile, Some(TimeRange::new(TimeNs(from), TimeNs(to))));
    let (a, b, whole) = (part(0, 20_000), part(20_000, end.0), summary(&json.profile, None));
    assert!(!a.is_whole && a.metrics.iter().all(|m| m.file.is_none()), "the file says nothing of a part");
    let value = |s: &axonscope::analysis::device::Summary, name: &str| {
        s.metrics.iter().find(|m| m.name == name).and_then(|m| m.file.or(m.computed)).unwrap_or_else(|| panic!("no {name}"))
    };
    for name in ["hardware_flops", "transpose_flops", "hbm_read_bytes", "hbm_write_bytes"] {
        assert_eq!(value(&a, name) + value(&b, name), value(&whole, name), "{name}");
    }
    // Instructions that touch both halves count in both.
    let tensor: u64 = a.engines.iter().filter(|e| e.engine == "Tensor").map(|e| e.count).sum();
    assert!(tensor > 0 && value(&a, "tensor_engine_instruction_count") == tensor as f64);
    assert!(value(&a, "tensor_engine_instruction_count") + value(&b, "tensor_engine_instruction_count") >= 185.0);
    // A range as long as the run gives the file's own shares.
    let all = part(0, 38_624);
    for name in [
        "hfu_estimated_percent",
        "mfu_inst_estimated_percent",
        "mbu_estimated_percent",
        "mm_arithmetic_intensity",
        "total_active_time_percent",
    ] {
        let (ours, file) = (value(&all, name), value(&whole, name));
        assert!((ours - file).abs() < 1e-3 * file, "{name}: {ours} against {file}");
    }
    let names = |s: &axonscope::analysis::device::Summary| s.engines.iter().map(|e| (e.core.clone(), e.engine.clone())).collect::<Vec<_>>();
    assert_eq!(names(&part(40, 60)), names(&whole), "an idle engine is told as idle");
    // Shares of a part never pass the whole; that of the bandwidth is of the transfers, which run after what starts them.
    let used = value(&a, "mbu_estimated_percent") * 20_000.0 + value(&b, "mbu_estimated_percent") * (end.0 - 20_000) as f64;
    let file = value(&whole, "mbu_estimated_percent") * 38_624.0;
    assert!((used - file).abs() < 4e-4 * file, "{used} against {file}");
    let short = part(14_660, 14_700);
    let shares = short.metrics.iter().filter(|m| m.name.ends_with("_percent")).filter_map(|m| m.computed);
    assert!(shares.clone().count() > 3 && shares.clone().all(|s| s <= 1.0), "{:?}", shares.collect::<Vec<_>>());
    for e in &whole.engines {
        let busy = |s: &axonscope::analysis::device::Summary| {
            s.engines.iter().find(|o| (&o.core, &o.engine) == (&e.core, &e.engine)).map_or(0, |o| o.busy.0)
        };
        assert_eq!(busy(&a) + busy(&b), e.busy.0, "{e:?}");
    }
}
