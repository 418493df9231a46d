//! The summary of a Neuron run: formulas give the file's own metrics; every source gives the same rows.
#![cfg(not(target_arch = "wasm32"))]

mod neuron_support;

use axonscope::analysis::device::summary::summary;
use axonscope::base::{TimeNs, TimeRange};
use neuron_support::*;

/// Formulas that `summary[0]` reproduces; each is recomputed to six digits.
const REPRODUCED: [&str; 10] = [
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
fn a_trace_without_summary_says_so() {
    let Some(folder) = conformance() else {
        return;
    };
    let trace = import_one(&[file(&folder, "fused_attention", "fused_exec_2.ntff")]).expect("the trace opens");
    let json = import_one(&[file(&folder, "fused_attention", "fused_exec_2_profile_full.json")]).expect("the JSON opens");
    let (of_trace, of_json) = (summary(&trace.profile, None), summary(&json.profile, None));
    let engines = |s: &axonscope::analysis::device::Summary| s.engines.iter().filter(|e| e.engine != "DMA").cloned().collect::<Vec<_>>();
    assert_eq!(engines(&of_trace), engines(&of_json));
    assert!(of_trace.metrics.iter().all(|m| m.file.is_none()), "nothing is made up");
    assert!(of_trace.notes[0].contains("not available"));
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
    assert!(a.metrics.is_empty() && !a.is_whole);
    for e in &whole.engines {
        let busy = |s: &axonscope::analysis::device::Summary| {
            s.engines.iter().find(|o| (&o.core, &o.engine) == (&e.core, &e.engine)).map_or(0, |o| o.busy.0)
        };
        assert_eq!(busy(&a) + busy(&b), e.busy.0, "{e:?}");
    }
}
