//! Advice on device profiles: each rule with metrics on both sides of its threshold, and what it says without them.

use crate::neuron_support::*;
use axonscope::analysis::device::advice::{Advice, advice};
use axonscope::model::Profile;
use serde_json::{Map, Value, json};

/// A run of 10 µs on one core whose tensor engine works for `busy` ns, with these metrics.
fn opened(busy: i64, metrics: &[(&str, f64)], dma: &[(&str, i64, i64)]) -> Profile {
    let mut summary: Map<String, Value> = metrics.iter().map(|(name, value)| ((*name).into(), json!(value))).collect();
    if !metrics.is_empty() {
        summary.insert("total_time".into(), json!(1e-5));
    }
    let transfer = |t: &(&str, i64, i64)| json!({"subgraph": "sg00", "dma_engine": t.0, "dma_queue": "0", "timestamp": 10, "duration": t.1, "transfer_size": t.2});
    let file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 10000, "pe_num_rows": 128, "pe_num_cols": 128, "pe_clock_freq": 2.4,
            "num_physical_cores": 1, "hbm_ddr_bandwidth": 716_000_000_000i64, "dma_ddr_bandwidth": 435_000_000_000i64}],
        "instruction": [{"id": 1, "label": "Tensor", "subgroup": "Tensor", "subgraph": "sg00", "opcode": "MATMUL", "timestamp": 0, "duration": busy,
            "operands": "", "hlo_name": "dot.1"}],
        "dma": dma.iter().map(transfer).collect::<Vec<_>>(),
        "summary": if summary.is_empty() { json!([]) } else { json!([summary]) },
    });
    import_one(&[("small.json".into(), file.to_string().into_bytes())]).expect("it opens").profile
}

fn verdict(advice: &Advice, id: &str) -> &'static str {
    match () {
        () if advice.findings.iter().any(|f| f.id == id) => "fires",
        () if advice.quiet.iter().any(|q| q.0 == id) => "quiet",
        () if advice.unjudged.iter().any(|u| u.id == id) => "missing",
        () => "absent",
    }
}

type Metrics = &'static [(&'static str, f64)];

/// (rule, metrics that make it fire, metrics that do not).
const BY_METRICS: [(&str, Metrics, Metrics); 19] = [
    ("R2", &[("mbu_estimated_percent", 0.7)], &[("mbu_estimated_percent", 0.1)]),
    (
        "R3",
        &[("mbu_estimated_percent", 0.1), ("dma_active_time_percent", 0.8)],
        &[("mbu_estimated_percent", 0.7), ("dma_active_time_percent", 0.8)],
    ),
    ("R4", &[("mbu_estimated_percent", 0.1)], &[("mbu_estimated_percent", 0.7)]),
    ("R6", &[("total_active_time_percent", 0.5)], &[("total_active_time_percent", 0.9)]),
    (
        "R7",
        &[("mfu_inst_estimated_percent", 0.1), ("mfu_inst_max_achievable_estimated_percent", 1.0)],
        &[("mfu_inst_estimated_percent", 0.6), ("mfu_inst_max_achievable_estimated_percent", 1.0)],
    ),
    (
        "R8",
        &[("mfu_inst_estimated_percent", 0.19), ("mfu_inst_max_achievable_estimated_percent", 0.2)],
        &[("mfu_inst_estimated_percent", 0.1), ("mfu_inst_max_achievable_estimated_percent", 0.2)],
    ),
    ("R9", &[("mm_arithmetic_intensity", 50.0)], &[("mm_arithmetic_intensity", 500.0)]),
    ("R11", &[("spill_reload_bytes", 400.0), ("hbm_read_bytes", 1000.0)], &[("spill_reload_bytes", 100.0), ("hbm_read_bytes", 1000.0)]),
    ("R12", &[("spill_save_bytes", 400.0), ("sbuf_read_bytes", 1000.0)], &[("spill_save_bytes", 100.0), ("sbuf_read_bytes", 1000.0)]),
    ("R13", &[("weight_queue_bytes", 400.0), ("weight_size_bytes", 100.0)], &[("weight_queue_bytes", 100.0), ("weight_size_bytes", 100.0)]),
    (
        "R13b",
        &[("hbm_read_bytes", 4e6), ("hbm_write_bytes", 0.0), ("inputs_outputs_weights_size_bytes", 1e6)],
        &[("hbm_read_bytes", 1e6), ("hbm_write_bytes", 0.0), ("inputs_outputs_weights_size_bytes", 1e6)],
    ),
    ("R20", &[("transpose_flops", 20.0), ("hardware_flops", 100.0)], &[("transpose_flops", 5.0), ("hardware_flops", 100.0)]),
    (
        "R21",
        &[("tensor_engine_active_time", 1e-6), ("hardware_flops", 1e6)],
        &[("tensor_engine_active_time", 1e-6), ("hardware_flops", 7e7)],
    ),
    (
        "R29b",
        &[("hfu_estimated_percent", 0.5), ("mfu_inst_estimated_percent", 0.3)],
        &[("hfu_estimated_percent", 0.31), ("mfu_inst_estimated_percent", 0.3)],
    ),
    ("R30", &[("dma_transfer_average_bytes", 2048.0)], &[("dma_transfer_average_bytes", 65536.0)]),
    ("R36", &[("useful_read_percent", 0.5)], &[("useful_read_percent", 0.9)]),
    // Without a single product nothing is a transpose.
    (
        "capture h",
        &[("mfu_inst_estimated_percent", 0.0), ("tensor_engine_active_time", 1e-6), ("transpose_flops", 100.0)],
        &[("mfu_inst_estimated_percent", 0.0), ("tensor_engine_active_time", 1e-6), ("transpose_flops", 0.0)],
    ),
    ("R29", &[], &[("software_dynamic_dma_packet_count", 10.0)]),
    ("R27", &[], &[]),
];

#[test]
fn rules_on_metrics_fire_stay_quiet_and_say_what_they_lack() {
    for (id, fires, quiet) in BY_METRICS {
        if !fires.is_empty() {
            assert_eq!(verdict(&advice(&opened(100, fires, &[])), id), "fires", "{id}");
        }
        if !quiet.is_empty() {
            assert_eq!(verdict(&advice(&opened(100, quiet, &[])), id), "quiet", "{id}");
        }
        assert_eq!(verdict(&advice(&opened(100, &[], &[])), id), "missing", "{id} without metrics");
    }
}

#[test]
fn rules_on_rows() {
    let of = |busy, dma: &[(&str, i64, i64)]| advice(&opened(busy, &[], dma));
    assert_eq!(verdict(&of(9500, &[]), "R1"), "fires");
    assert_eq!(verdict(&of(100, &[]), "R1"), "quiet");
    // Rows tell when anything ran where they are of instructions and of transfers.
    assert_eq!(verdict(&of(9500, &[("0", 10, 4096)]), "R6"), "quiet");
    assert_eq!(verdict(&of(100, &[("0", 10, 4096)]), "R6"), "fires");
    // The shares of time under a limit do not tell whether the engine worked then; it did not for longer than it worked at all.
    let limit: Metrics = &[("throttle_activity_1_active_time_nc0_percent", 0.4), ("throttle_activity_1_avg_util_limit_nc0_percent", 0.5)];
    for (busy, metrics, want) in [(5000, limit, "fires"), (100, limit, "quiet"), (5000, &[], "missing")] {
        assert_eq!(verdict(&advice(&opened(busy, metrics, &[])), "R41"), want, "{busy}");
    }
    let engines: Vec<String> = (0..16).map(|e| e.to_string()).collect();
    let even: Vec<_> = engines.iter().map(|e| (e.as_str(), 4000, 4096)).collect();
    let small: Vec<_> = engines.iter().map(|e| (e.as_str(), 4000, 100)).collect();
    let large: Vec<_> = engines.iter().map(|e| (e.as_str(), 4000, 200_000)).collect();
    for (id, fires, quiet) in [("R31", &small, &even), ("R35", &small, &large)] {
        assert_eq!(verdict(&of(100, fires), id), "fires", "{id}");
        assert_eq!(verdict(&of(100, quiet), id), "quiet", "{id}");
        assert_eq!(verdict(&of(100, &[]), id), "missing", "{id}");
    }
    assert_eq!(verdict(&of(100, &even), "R32"), "quiet");
    assert_eq!(verdict(&of(100, &even[..3]), "R32"), "fires");
    assert_eq!(verdict(&of(100, &[]), "R32"), "missing");
    assert_eq!(verdict(&of(100, &[]), "capture f"), "quiet", "an HLO name is there");
}

#[test]
fn nothing_is_said_of_an_empty_profile() {
    let got = advice(&Profile::default());
    let ids: Vec<&str> = got.findings.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["capture j"], "that no engine ran is all there is to say");
}

#[test]
fn findings_on_the_real_runs() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let profile = import_one(&[file(&folder, run, &format!("{stem}_exec_2_profile_full.json"))]).expect("the JSON opens").profile;
        let got = advice(&profile);
        for id in ["R4", "R7", "R20", "R29b", "capture a", "capture k"] {
            assert_eq!(verdict(&got, id), "fires", "{run} {id}");
        }
        // Only the baseline goes through HBM between its steps. Throttling costs it 4.3%, and of PSUM half is used at most.
        assert_eq!(verdict(&got, "R13b"), if stem == "baseline" { "fires" } else { "quiet" }, "{run}");
        for id in ["R29d", "R41", "capture g", "capture h"] {
            assert_eq!(verdict(&got, id), "quiet", "{run} {id}");
        }
        for id in ["R10", "R29c", "R33", "R37", "R40", "capture d"] {
            assert_eq!(verdict(&got, id), "missing", "{run} {id}");
        }
        // Their operands are FP32 tiles of 128 × 128 with long rows, and this is the second execution.
        for (id, want) in [("R22", "quiet"), ("R23", "quiet"), ("R24", "quiet"), ("R25", "quiet"), ("R26", "fires"), ("capture m", "quiet")]
        {
            assert_eq!(verdict(&got, id), want, "{run} {id}");
        }
        assert_eq!(got.warnings.len(), 3, "verbatim");
        assert!(got.warnings.iter().all(|w| !w.message.is_empty() && !w.meaning.is_empty()), "{:?}", got.warnings);
        assert!(got.findings.is_sorted_by_key(|f| std::cmp::Reverse(f.cost)));
        assert!(got.findings.iter().all(|f| f.cost.is_none_or(|c| c.0 > 0 && c.0 <= 60_000)), "no more than the run");
        assert!(got.findings.iter().all(|f| !f.why.is_empty() && !f.action.is_empty() && !f.how.is_empty()));
        // Of a trace whose words are not decoded: no metrics, so no rule on them.
        let trace = file(&folder, run, &format!("{stem}_exec_2.ntff"));
        let bare = advice(&import_one(&[other_architecture(trace)]).expect("the trace opens").profile);
        for id in ["R2", "R7", "R13b", "R20", "R14"] {
            assert_eq!(verdict(&bare, id), "missing", "{run} {id}");
        }
        assert_eq!(verdict(&bare, "R41"), verdict(&got, "R41"), "{run}: throttling is recorded on each architecture");
        // All products run on one of the two cores: what transposes cover there, and what peak would not need of its active time.
        let cost = |id: &str| got.findings.iter().find(|f| f.id == id).and_then(|f| f.cost).map(|c| c.0);
        let (transposes, useless) = if stem == "baseline" { (4_023, 13_637) } else { (3_511, 12_155) };
        assert_eq!([cost("R20"), cost("R29b"), cost("R21")], [Some(transposes), Some(transposes), Some(useless)], "{run}");
    }
}

#[test]
fn without_a_summary_the_rows_tell_as_much_as_summary_shows() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let whole = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let mut sections: Value = serde_json::from_slice(&whole.1).expect("JSON");
        sections.as_object_mut().expect("an object").remove("summary");
        let bare = ("bare.json".to_string(), sections.to_string().into_bytes());
        let [whole, bare] = [whole, bare].map(|f| import_one(&[f]).expect("it opens").profile);
        let [recorded, of_rows] = [&whole, &bare].map(advice);
        for id in ["R2", "R3", "R4", "R6", "R7", "R8", "R9", "R20", "R21", "R29b", "capture h"] {
            assert_eq!(verdict(&of_rows, id), verdict(&recorded, id), "{run} {id}");
        }
        let notes = axonscope::analysis::device::run_metrics::summary::summary(&bare, None).notes;
        assert_eq!(
            notes[0], "No summary is recorded in this file: values are computed from the rows.",
            "nothing is missing that cards show"
        );
    }
}
