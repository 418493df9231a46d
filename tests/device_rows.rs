//! Rows of a device: their order, and the curves that are worked out, against the file's own figures.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod neuron_support;

use axonscope::engine::Session;
use axonscope::formats::import;
use neuron_support::*;
use serde_json::Value;

const ORDER: [&str; 18] = [
    "Errors",
    "DMA",
    "Sync",
    "Tensor",
    "TensorMatrix",
    "Vector",
    "Scalar",
    "GpSimd",
    "State Buffer Usage",
    "PSUM Usage",
    "Throttling",
    "Semaphores",
    "Pending DMA Count",
    "HBM Throughput",
    "DMA Throughput",
    "Cumulative HBM Throughput",
    "Cumulative DMA Throughput",
    "Estimated Instant MFU",
];

#[test]
fn rows_stand_in_the_order_of_the_tools() {
    let Some(folder) = conformance() else { return };
    for (run, stem) in [("fused_attention", "fused"), ("baseline_attention", "baseline")] {
        let named = file(&folder, run, &format!("{stem}_exec_2_profile_full.json"));
        let json: Value = serde_json::from_slice(&named.1).unwrap();
        let (claim, outcome) = import::import(&set(&[named])).unwrap().remove(0);
        let (imported, readable) = outcome.unwrap();
        let hot = Session::new(claim, readable, imported).hot();
        let info = &hot.info;
        let cores: Vec<usize> = (0..info.tracks.len()).filter(|&t| info.tracks[t].parent.is_none()).collect();
        assert_eq!(cores.len(), 2);
        let mut most = 0;
        for core in cores {
            let of = info.tracks.iter().filter(|t| t.parent.is_some_and(|p| p.index() == core));
            let places: Vec<usize> = of.filter_map(|t| ORDER.iter().position(|o| *o == info.strings.get(t.name))).collect();
            assert!(places.is_sorted() && places.len() >= 8, "{run}: {places:?}");
            most = most.max(places.len());
        }
        assert!(most >= 14, "{run}: {most} rows");
        // What the whole run comes to: the mean over the cores is the summary's.
        let summary = &json["summary"][0];
        for (name, metric) in
            [("Estimated Cumulative HFU", "hfu_estimated_percent"), ("Estimated Cumulative MFU", "mfu_inst_estimated_percent")]
        {
            let curves: Vec<_> = info.counters.iter().filter(|c| info.strings.get(info.tracks[c.track.index()].name) == name).collect();
            assert!(!curves.is_empty(), "{run}: no {name}");
            let flops: f64 = curves.iter().map(|c| c.series[0].values.last().unwrap()).sum::<f64>() / 2.0 / 100.0;
            // The summary's time ends with the last instruction; ours with the last record of any kind.
            let scale = info.meta.range.duration().0 as f64 * 1e-9 / summary["total_time"].as_f64().unwrap();
            let want = summary[metric].as_f64().unwrap();
            assert!((flops * scale / want - 1.0).abs() < 1e-4, "{run} {name}: {} {want}", flops * scale);
        }
        // Bytes so far: the last mean times the time passed is the integral of the rate.
        for curve in info.counters.iter().filter(|c| info.strings.get(info.tracks[c.track.index()].name) == "Cumulative DMA Throughput") {
            assert!(curve.series[0].values.iter().all(|v| v.is_finite() && *v >= 0.0));
        }
    }
}
