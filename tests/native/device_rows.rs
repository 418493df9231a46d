//! Rows of a device: their order, and the curves that are worked out, against the file's own figures.

use crate::neuron_support::*;
use axonscope::analysis::device::CurvesQuery;
use axonscope::base::{TimeNs, TimeRange};
use axonscope::engine::page_columns::PageColumns;
use axonscope::engine::{Counter, Session};
use axonscope::formats::import;
use axonscope::model::Domain;
use serde_json::Value;
use std::collections::BTreeMap;

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
        let columns = Session::new(claim, readable, imported).page_columns();
        let info = &columns.info;
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
            let want = summary[metric].as_f64().unwrap();
            assert!((flops / want - 1.0).abs() < 1e-4, "{run} {name}: {flops} {want}");
        }
        // Bytes so far: the last mean times the time passed are those of the transfers; the rate is 0 when the last has ended.
        let of = |name: &str| -> Vec<_> {
            info.counters.iter().filter(|c| info.strings.get(info.tracks[c.track.index()].name) == name).collect()
        };
        let seconds = summary["total_time"].as_f64().unwrap();
        let moved: f64 = of("Cumulative DMA Throughput").iter().map(|c| c.series[0].values.last().unwrap() * seconds).sum();
        let recorded: u64 = json["dma"].as_array().unwrap().iter().map(|d| d["transfer_size"].as_u64().unwrap()).sum();
        assert!((moved / recorded as f64 - 1.0).abs() < 1e-4, "{run}: {moved} {recorded}");
        assert!(of("DMA Throughput").iter().all(|c| c.series[0].values.last() == Some(&0.0)), "{run}");
    }
}

/// Curves of the whole run by (core, row).
fn of_run(columns: &PageColumns) -> BTreeMap<(u32, String), &Counter> {
    let info = &columns.info;
    let key = |c: &Counter| {
        let track = &info.tracks[c.track.index()];
        Some((track.parent?.0, info.strings.get(track.name).to_string()))
    };
    info.counters.iter().filter_map(|c| Some((key(c)?, c))).collect()
}

/// Area below a curve between two times.
fn area(curve: &Counter, from: i64, to: i64) -> f64 {
    let next = |i: usize| curve.times.get(i + 1).copied().unwrap_or(i64::MAX);
    let part = |i: usize| curve.series[0].values[i] * (next(i).min(to) - curve.times[i].max(from)).max(0) as f64;
    (0..curve.times.len()).map(part).sum()
}

#[test]
fn curves_of_the_view_are_those_of_the_run_where_the_run_is_in_view() {
    let Some(folder) = conformance() else { return };
    let named = file(&folder, "fused_attention", "fused_exec_2_profile_full.json");
    let json: serde_json::Value = serde_json::from_slice(&named.1).unwrap();
    let (claim, outcome) = import::import(&set(&[named])).unwrap().remove(0);
    let (imported, readable) = outcome.unwrap();
    let session = Session::new(claim, readable, imported);
    let columns = session.page_columns();
    let (run, of_run) = (columns.info.meta.range, of_run(&columns));
    let ask = |window, is_smooth| {
        let query = CurvesQuery { window, is_from_view: true, is_smooth };
        session.ask(&query).expect("an answer")
    };
    let Domain::NeuronDevice(device) = &session.profile.domain else { panic!("a device profile") };
    let whole = ask(TimeRange::new(TimeNs(0), TimeNs(device.window_ns)), false);
    assert!(whole.iter().any(|c| c.name == "Estimated Cumulative MFU") && whole.iter().any(|c| c.name == "Cumulative DMA Throughput"));
    for curve in &whole {
        let same = of_run[&(curve.group.unwrap().0, curve.name.clone())];
        assert!(curve.times == same.times && curve.values == same.series[0].values, "{}", curve.name);
    }
    let half = TimeRange::new(TimeNs(i64::midpoint(run.start.0, run.end.0)), run.end);
    for curve in ask(half, true).iter().filter(|c| c.name == "Cumulative DMA Throughput") {
        let core = columns.info.strings.get(columns.info.tracks[curve.group.unwrap().index()].name);
        let within = |d: &serde_json::Value| {
            let number = |key: &str| d[key].as_i64().unwrap();
            let (start, end) = (number("timestamp"), number("timestamp") + number("duration"));
            let here = (end.min(half.end.0) - start.max(half.start.0)).max(0);
            number("transfer_size") as f64 * here as f64 / (end - start) as f64
        };
        let rows = json["dma"].as_array().unwrap().iter().filter(|d| (d["subgraph"] == "sg00") == (core == "NC 4"));
        let want = rows.map(within).sum::<f64>() / half.duration().0 as f64 * 1e9;
        let got = curve.values.last().unwrap();
        assert!((got - want).abs() <= 1e-9 * want.abs(), "{core}: {got} {want}");
    }
    for curve in ask(half, true).iter().filter(|c| !c.name.starts_with("Cumulative") && c.name.contains("Throughput")) {
        let sum: f64 = curve.times.windows(2).zip(&curve.values).map(|(t, v)| v * (t[1] - t[0]) as f64).sum();
        let want = area(of_run[&(curve.group.unwrap().0, curve.name.clone())], half.start.0, half.end.0);
        assert!((sum - want).abs() <= 1e-6 * want.abs(), "{}: smoothing keeps the bytes: {sum} {want}", curve.name);
    }
}
