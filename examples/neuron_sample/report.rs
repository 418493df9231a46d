//! The device JSON of a run, with totals computed from its records.

use super::device::{Device, ENGINES, Instruction};
use serde_json::{Map, Value, json};

const ENGINE_CLOCK: f64 = 2.4;
const BASE_CLOCK: f64 = 1.2;
const HBM: f64 = 716e9;
const N_CORES: f64 = 2.0;

/// An id beyond what a double holds, the same in every run.
fn id(kind: u64, i: usize) -> i64 {
    let mixed = (kind << 40 | i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 2) | 1 << 61) as i64
}

fn subgraph(core: usize) -> String {
    format!("sg{core:02}")
}

/// Total length of what any of the spans covers.
fn covered(spans: impl Iterator<Item = (i64, i64)>) -> i64 {
    let mut spans: Vec<_> = spans.collect();
    spans.sort_unstable();
    let (mut total, mut until) = (0, i64::MIN);
    for (start, end) in spans {
        total += (end - start.max(until)).max(0);
        until = until.max(end);
    }
    total
}

fn is_wait(i: &Instruction) -> bool {
    i.opcode == "EVENT_SEMAPHORE"
}

fn flops(device: &Device, is_counted: impl Fn(&Instruction) -> bool) -> i64 {
    2 * device.instructions.iter().filter(|i| is_counted(i)).map(|i| i.elements).sum::<i64>()
}

fn window(device: &Device) -> i64 {
    let ends = device.instructions.iter().map(|i| i.start + i.duration);
    ends.chain(device.transfers.iter().map(|t| t.start + t.duration)).max().unwrap_or(0) + 60
}

pub fn json(device: &Device, name: &str, necessary_bytes: Option<i64>) -> String {
    let window = window(device);
    let mut root = Map::new();
    root.insert("metadata".into(), json!([metadata(device, window)]));
    root.insert(
        "profile_info".into(),
        json!([{
            "profile_name": name, "profile_type": "synthetic", "neff_name": "", "ntff_filename": "",
            "profiler_version": "none: written by Axonscope's sample generator"
        }]),
    );
    let mut totals = summary(device, window);
    if let Some(bytes) = necessary_bytes {
        let spilled = |is_save: bool| device.instructions.iter().filter(|i| is_save == (i.hbm_write > 0)).map(|i| i.spilled).sum::<i64>();
        totals["inputs_outputs_weights_size_bytes"] = bytes.into();
        (totals["spill_save_bytes"], totals["spill_reload_bytes"]) = (spilled(true).into(), spilled(false).into());
    }
    root.insert("summary".into(), json!([totals]));
    root.insert("warnings".into(), json!([
        {"category": "Synthetic", "message": "This profile is made up: no hardware ran it. Do not draw conclusions about Trainium from it."}
    ]));
    root.insert("model_info".into(), (0..2).map(|core| model_info(device, core, window)).collect());
    root.insert("dma_queues_info".into(), (0..2).flat_map(queues).collect());
    root.insert("instruction".into(), (0..device.instructions.len()).map(|i| instruction(device, i)).collect());
    root.insert("dma".into(), (0..device.transfers.len()).map(|i| transfer(device, i)).collect());
    root.insert("semaphore_update".into(), updates(device));
    let pending = device.pending.iter().map(|(core, n, at)| json!({"subgraph": subgraph(*core), "timestamp": at, "value": n}));
    root.insert("pending_dma".into(), pending.collect());
    root.insert("dma_throughput".into(), (0..2).flat_map(|core| throughput(device, core)).collect());
    root.insert("instruction_usage".into(), usage(device));
    root.insert("ham".into(), throttling(window));
    let mut text = String::from("{");
    for (i, (section, records)) in root.iter().enumerate() {
        let records: Vec<String> = records.as_array().into_iter().flatten().map(Value::to_string).collect();
        text += &format!("{}\n\"{section}\":[\n{}\n]", if i > 0 { "," } else { "" }, records.join(",\n"));
    }
    text + "\n}\n"
}

fn metadata(device: &Device, window: i64) -> Value {
    let n_points = device.instructions.len() + device.transfers.len() + device.updates.len();
    json!({
        "data_version": 8, "is_simulation": true, "synthetic": "made up by Axonscope's sample generator",
        "first_hw_timestamp": 0, "last_hw_timestamp": window, "ticks_per_nanosec": 1000,
        "num_physical_cores": 2, "num_subgraphs": 2, "vnc_enabled": true, "total_point_count": n_points,
        "pe_clock_freq": ENGINE_CLOCK, "pe_clock_others": BASE_CLOCK, "pe_num_rows": 128, "pe_num_cols": 128,
        "hbm_ddr_bandwidth": HBM as i64, "dma_ddr_bandwidth": 435_000_000_000i64
    })
}

fn instruction(device: &Device, index: usize) -> Value {
    let i = &device.instructions[index];
    let mut out = json!({
        "id": id(1, index), "subgraph": subgraph(i.core), "subgroup": ENGINES[i.engine as usize].1, "label": i.label, "opcode": i.opcode,
        "timestamp": i.start, "duration": i.duration, "evt_wait_time": i.wait, "pc": i.pc
    });
    if let Some(map) = out.as_object_mut() {
        if !i.layer.is_empty() {
            map.insert("layer".into(), i.layer.as_str().into());
            map.insert("hlo_name".into(), i.hlo.as_str().into());
            map.insert("instruction_type".into(), i.kind.into());
        }
        if !i.predecessors.is_empty() {
            let links = i.predecessors.iter().map(|&p| json!({"id": id(1, p), "type": "FLOW_DEPENDENCE"}));
            map.insert("predecessors".into(), links.collect());
        }
        if !i.source.is_empty() {
            map.insert("nki_source_location".into(), i.source.as_str().into());
        }
        let spill = if i.hbm_write > 0 { "spill_save_bytes" } else { "spill_reload_bytes" };
        for (key, n) in [("elements", i.elements), ("hbm_read_bytes", i.hbm_read), ("hbm_write_bytes", i.hbm_write), (spill, i.spilled)] {
            if n > 0 {
                map.insert(key.into(), n.into());
            }
        }
    }
    out
}

fn transfer(device: &Device, index: usize) -> Value {
    let t = &device.transfers[index];
    let rate = (t.bytes as f64 / t.duration as f64 * 1e9) as i64;
    json!({
        "id": id(2, index), "subgraph": subgraph(t.core), "subgroup": format!("Q{}-E{}", t.queue, t.engine),
        "dma_engine": t.engine.to_string(), "dma_queue": t.queue.to_string(),
        "queue_type": if t.queue == 0 { "software_dynamic" } else { "hardware_dynamic" },
        "timestamp": t.start, "duration": t.duration, "transfer_size": t.bytes, "transfer_rate": rate, "variable": t.variable
    })
}

fn queues(core: usize) -> Vec<Value> {
    let queue = |(index, name)| json!({"subgraph": subgraph(core), "q_name": name, "q_type": "weights", "q_idx": index, "q_eng_idx": 16 * core + 7, "q_event_id": -1});
    [(0, "qGpSimdDynamic"), (1, "qSyncDynamicHW")].map(queue).to_vec()
}

fn updates(device: &Device) -> Value {
    let owner = |semaphore: usize| match semaphore {
        8 => "qGpSimdDynamic",
        9 => "qSyncDynamicHW",
        n => ENGINES.get(n).map_or("", |e| e.1),
    };
    let rows = device.updates.iter().map(|(core, semaphore, value, at)| {
        let name = format!("S[{semaphore}] ({})", owner(*semaphore));
        json!({"id": name, "subgraph": subgraph(*core), "timestamp": at, "value": value})
    });
    rows.collect()
}

/// Bytes a second in steps of two microseconds: each transfer's bytes spread over its duration.
fn throughput(device: &Device, core: usize) -> Vec<Value> {
    const STEP: i64 = 2000;
    let mut bins = vec![0.0; (window(device) / STEP + 1) as usize];
    for t in device.transfers.iter().filter(|t| t.core == core) {
        for ns in t.start..t.start + t.duration {
            bins[(ns / STEP) as usize] += t.bytes as f64 / t.duration as f64;
        }
    }
    let mut total = 0.0;
    let rows = bins.iter().enumerate().map(|(i, bytes)| {
        total += bytes;
        let rate = (bytes / STEP as f64 * 1e9) as i64;
        json!({
            "subgraph": subgraph(core), "timestamp": i as i64 * STEP, "transfer_rate": rate, "total_transfer_bytes": total as i64,
            "hbm_transfer_rate": rate, "hbm_total_transfer_bytes": total as i64, "uses_hbm": "true"
        })
    });
    rows.collect()
}

/// Memory in use: it follows what has been loaded, and the PSUM bank of the last tile.
fn usage(device: &Device) -> Value {
    let mut rows = Vec::new();
    for core in 0..2 {
        let (mut loaded, mut tile) = (0, 0usize);
        for i in device.instructions.iter().filter(|i| i.core == core) {
            if i.hbm_read > 0 {
                loaded += i.hbm_read;
                let share = loaded as f64 / f64::from(24 << 20);
                rows.push(json!({
                    "type": "sb", "subgraph": subgraph(core), "timestamp": i.start, "usage_avg": share, "partition_0_usage": share,
                    "partition_32_usage": share, "partition_64_usage": share, "partition_96_usage": share
                }));
            } else if i.elements > 0 {
                tile += 1;
                if tile.is_multiple_of(4) {
                    let mut row = json!({"type": "psum", "subgraph": subgraph(core), "timestamp": i.start, "usage_avg": 0.25});
                    for bank in 0..8 {
                        row[format!("bank_{bank}_usage")] = json!(i64::from(bank == tile / 4 % 8 || bank == (tile / 4 + 1) % 8));
                    }
                    rows.push(row);
                }
            }
        }
    }
    rows.into()
}

/// Half speed in the second quarter.
fn throttling(window: i64) -> Value {
    let parts = [(0, 8, 0), (window / 4, 4, 1), (window / 2, 8, 0)];
    let ends = [window / 4, window / 2, window];
    let rows = parts.into_iter().zip(ends).map(
        |((start, k, kind), end)| json!({"subgraph": "sg00", "timestamp": start, "duration": end - start, "k": k, "n": 8, "type": kind}),
    );
    rows.collect()
}

fn model_info(device: &Device, core: usize, window: i64) -> Value {
    let of_core = || device.instructions.iter().filter(|i| i.core == core);
    let mut out = json!({
        "sg_name": subgraph(core), "nc_idx": core, "nd_idx": 0, "dma_queue_count": 16,
        "event_count": device.updates.iter().filter(|u| u.0 == core).count(),
        "neuroncore_cycle_count": (window as f64 * BASE_CLOCK) as i64
    });
    for (engine, name) in ENGINES {
        out[format!("{}_engine_instruction_count", name.to_lowercase())] = of_core().filter(|i| i.engine == engine).count().into();
    }
    out
}

fn summary(device: &Device, window: i64) -> Value {
    let seconds = |ns: i64| ns as f64 / 1e9;
    let share = |ns: i64| ns as f64 / window as f64;
    let spans = |i: &Instruction| (i.start, i.start + i.duration);
    let peak = 2.0 * 128.0 * 128.0 * ENGINE_CLOCK * 1e9 * N_CORES;
    let (all, transposed) = (flops(device, |_| true), flops(device, |i| i.kind == "TRANSPOSE"));
    let read: i64 = device.instructions.iter().map(|i| i.hbm_read).sum();
    let written: i64 = device.instructions.iter().map(|i| i.hbm_write).sum();
    let moved = || device.transfers.iter().map(|t| (t.start, t.start + t.duration));
    let busy = covered(device.instructions.iter().filter(|i| !is_wait(i)).map(spans).chain(moved()));
    let mut out = json!({
        "total_time": seconds(window), "instance_type": "synthetic", "event_count": device.updates.len(),
        "hardware_flops": all, "transpose_flops": transposed, "model_flops": 0,
        "hfu_estimated_percent": all as f64 / (peak * seconds(window)),
        "mfu_inst_estimated_percent": (all - transposed) as f64 / (peak * seconds(window)),
        "hbm_read_bytes": read, "hbm_write_bytes": written,
        "mbu_estimated_percent": (read + written) as f64 / seconds(window) / HBM,
        "mm_arithmetic_intensity": (all - transposed) as f64 / (read + written) as f64,
        "dma_active_time": seconds(covered(moved())), "dma_active_time_percent": share(covered(moved())),
        "dma_packet_time": seconds(device.transfers.iter().map(|t| t.duration).sum()),
        "matmul_instruction_count": device.instructions.iter().filter(|i| i.opcode == "MATMUL").count(),
        "total_active_time": seconds(busy), "total_active_time_percent": share(busy)
    });
    for (engine, name) in ENGINES {
        let of_engine = || device.instructions.iter().filter(move |i| i.engine == engine);
        let active = covered(of_engine().filter(|i| !is_wait(i)).map(spans));
        let name = name.to_lowercase();
        out[format!("{name}_engine_instruction_count")] = of_engine().count().into();
        out[format!("{name}_engine_instruction_time")] = seconds(of_engine().map(|i| i.duration).sum()).into();
        out[format!("{name}_engine_active_time")] = seconds(active).into();
        out[format!("{name}_engine_active_time_percent")] = share(active).into();
    }
    out
}
