//! What findings of the advice say: names, amounts, places and costs.

use crate::neuron_support::*;
use axonscope::analysis::device::advice::{Finding, advice};
use serde_json::{Value, json};

/// The finding of that rule on a run of 20 µs with these sections.
fn finding(id: &str, sections: Value) -> Finding {
    let mut file = json!({
        "metadata": [{"first_hw_timestamp": 0, "last_hw_timestamp": 20000, "pe_num_rows": 128, "pe_num_cols": 128, "pe_clock_freq": 2.4,
            "num_physical_cores": 1, "hbm_ddr_bandwidth": 716_000_000_000i64, "dma_ddr_bandwidth": 435_000_000_000i64}],
        "pending_dma": [{"subgraph": "sg00", "timestamp": 1, "value": 0}],
        "instruction": [],
    });
    let sections = sections.as_object().cloned().unwrap_or_default();
    file.as_object_mut().expect("an object").extend(sections);
    let profile = import_one(&[("small.json".into(), file.to_string().into_bytes())]).expect("it opens").profile;
    let got = advice(&profile);
    got.findings.iter().find(|f| f.id == id).cloned().unwrap_or_else(|| panic!("{id} does not fire: {:?} {:?}", got.quiet, got.unjudged))
}

fn instruction(id: i64, engine: &str, (start, duration): (i64, i64), operands: &str) -> Value {
    json!({"id": id, "label": engine, "subgroup": engine, "subgraph": "sg00", "opcode": "COPY", "timestamp": start, "duration": duration, "operands": operands})
}

fn transfers(n: i64, (start, duration): (i64, i64), size: i64) -> Value {
    let one = |i: i64| {
        json!({"subgraph": "sg00", "dma_engine": (i % 16).to_string(), "dma_queue": "0", "timestamp": start + i, "duration": duration,
        "transfer_size": size, "queue_type": "hardware_dynamic", "variable": "w"})
    };
    (0..n).map(one).collect()
}

fn queues() -> Value {
    json!([{"subgraph": "sg00", "q_idx": 0, "q_name": "qSyncDynamicHW", "q_type": "data"}])
}

fn says<'a>(finding: &'a Finding, what: &str) -> &'a str {
    finding.evidence.iter().find(|e| e.0 == what).map_or("", |e| e.1.as_str())
}

#[test]
fn a_reloaded_tensor_has_name_amount_cost_and_place() {
    // Numbers as the profiler writes them: as texts.
    let row = json!({"variable_name": "w", "size": "1000000", "type": "WEIGHT", "load_to_sbuf_repeat_factor": "4"});
    let found = finding("R10", json!({"neff_node": [row], "dma": transfers(3, (100, 500), 4096), "dma_queues_info": queues()}));
    assert_eq!(found.title, "1 tensor is loaded more than twice");
    assert_eq!(says(&found, "w"), "4.00 times, 2.86 MiB reloaded");
    assert_eq!(found.cost.map(|c| c.0), Some(4190), "3 MB at 716 GB/s");
    assert_eq!((found.places[0].label.as_str(), found.places[0].range.start.0, found.places[0].range.end.0), ("w", 100, 602));
    // Where the file has no factor, bytes of its transfers ÷ size.
    let row = json!({"variable_name": "w", "size": "4096", "type": "WEIGHT"});
    let found = finding("R10", json!({"neff_node": [row], "dma": transfers(3, (100, 500), 4096), "dma_queues_info": queues()}));
    assert_eq!(says(&found, "w"), "3.00 times, 8.00 KiB reloaded");
}

#[test]
fn rates_are_in_the_unit_of_the_metadata() {
    let found = finding("R35", json!({"dma": transfers(16, (0, 15_000), 64)}));
    assert!(says(&found, "Rate while busy").ends_with("of 435 GB/s"), "{:?}", found.evidence);
}

#[test]
fn small_transfers_are_shown_where_they_crowd() {
    for id in ["R30", "R34"] {
        let summary = json!([{"total_time": 2e-5, "dma_transfer_average_bytes": 64.0}]);
        let found = finding(id, json!({"dma": transfers(150, (5000, 10), 64), "dma_queues_info": queues(), "summary": summary}));
        assert_eq!(found.places[0].label, "150 small transfers on sg00", "{id}");
        assert_eq!((found.places[0].range.start.0, found.places[0].range.end.0), (5000, 5159));
    }
}

#[test]
fn a_wait_names_the_tensor_whose_transfer_ended_it() {
    let wait = "S[5] (qSyncDynamicHW)>=16 ";
    let rows = [instruction(1, "Vector", (100, 900), ""), instruction(2, "Vector", (15_000, 1000), wait)];
    let semaphore = json!([{"id": "S[5] (qSyncDynamicHW)", "subgraph": "sg00", "timestamp": 14_950, "value": 16}]);
    let dma = transfers(16, (14_000, 900), 4096);
    let found = finding("R17", json!({"instruction": rows, "semaphore_update": semaphore, "dma": dma, "dma_queues_info": queues()}));
    assert!(found.places[0].label.ends_with(", w"), "{:?}", found.places);
}

#[test]
fn throttling_is_shown_where_it_cost() {
    let limits = json!([{"subgraph": "sg00", "timestamp": 0, "duration": 3000, "k": 4, "n": 8, "type": 1},
        {"subgraph": "sg00", "timestamp": 10_000, "duration": 3000, "k": 4, "n": 8, "type": 1}]);
    let found = finding("R41", json!({"instruction": [instruction(1, "Tensor", (9_000, 5000), "")], "ham": limits}));
    assert_eq!(found.cost.map(|c| c.0), Some(1500));
    let starts: Vec<i64> = found.places.iter().map(|p| p.range.start.0).collect();
    assert_eq!(starts, [10_000], "while it was idle the limit cost nothing");
}

#[test]
fn utilization_is_of_the_model_where_its_flops_are_recorded() {
    let mut summary = json!({"total_time": 2e-5, "model_flops": 0.0, "hfu_estimated_percent": 0.5, "mfu_inst_estimated_percent": 0.2,
        "mfu_inst_max_achievable_estimated_percent": 0.9, "mfu_estimated_percent": 0.1, "mfu_max_achievable_estimated_percent": 0.8});
    for (flops, label, share) in [
        (0.0, "Model FLOPs utilization (instructions without transposes)", "20.0%"),
        (1e6, "Model FLOPs utilization (HLO statistics)", "10.0%"),
    ] {
        summary["model_flops"] = json!(flops);
        let sections = json!({"summary": [summary.clone()]});
        assert_eq!(says(&finding("R7", sections.clone()), label), share);
        assert_eq!(says(&finding("R29b", sections), label), share);
    }
}

#[test]
fn reloaded_weights_tell_whether_there_was_room() {
    let usage = |share: f64, at: i64| {
        json!({"subgraph": "sg00", "type": "sb", "timestamp": at, "partition_0_usage": share, "partition_32_usage": share,
        "partition_64_usage": share, "partition_96_usage": share})
    };
    for (share, has_room) in [(0.2, true), (0.7, false)] {
        let summary = json!([{"weight_queue_bytes": 400.0, "weight_size_bytes": 100.0}]);
        let found = finding("R13", json!({"summary": summary, "instruction_usage": [usage(share, 0), usage(share, 9000)]}));
        assert_eq!(found.why.contains("although less than half of it is in use"), has_room, "{found:?}");
    }
}

#[test]
fn a_slow_collective_names_what_ran_beside_it() {
    let collective = |i: i64, duration: i64| instruction(10 + i, "Collectives stream 0", (1000 * i, duration), "");
    let rows = [collective(1, 100), collective(2, 100), collective(3, 100), collective(4, 900), instruction(1, "Tensor", (4_100, 300), "")];
    let found = finding("R37", json!({"instruction": rows}));
    assert_eq!(says(&found, "Concurrent with the slowest"), "sg00 Tensor, 300 ns");
}
