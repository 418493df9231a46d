//! Memory, communication, modules and differences as the old TensorBoard plugin prints them: its column names, its units, its rounding.

use super::diff::{Diff, DiffFigures, DiffSide, FlatDiff, OperatorDiff, delta_share};
use super::distributed::{Distributed, WorkerDevice};
use super::memory::{Memory, MemoryEvents, MemoryRow};
use super::modules::{ModuleRow, Modules, TreeNode, TreePart};
use crate::base::{DurationNs, TimeNs};
use serde_json::{Map, Value, json};

/// Microseconds: a whole number where it is one.
fn micros(time: DurationNs) -> Value {
    if time.0 % 1000 == 0 { json!(time.0 / 1000) } else { json!(time.0 as f64 / 1e3) }
}

/// Two decimals; what is below 0.01 keeps its first significant digit.
fn shown(value: f64) -> f64 {
    let small = value != 0.0 && value.abs() < 0.01;
    let digits = if small { value.abs().log10().floor().abs().min(20.0) as usize } else { 2 };
    format!("{value:.digits$}").parse().unwrap_or(value)
}

fn kilobytes(bytes: i64) -> f64 {
    shown(bytes as f64 / 1024.0)
}

/// Curve, statistics and single allocations; `events` holds those of each device asked for.
pub fn memory(memory: &Memory, events: &[(String, MemoryEvents)]) -> Value {
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let ms = |time: TimeNs| time.0.saturating_sub(memory.origin.0) as f64 / 1e6;
    let (mut rows, mut curves, mut peaks) = (Map::new(), Map::new(), Map::new());
    for device in &memory.devices {
        rows.insert(device.name.clone(), device.operators.iter().map(statistics).collect());
        let point = |p: &super::memory::MemoryPoint| json!({ "Time (ms)": ms(p.time), "Allocated (MB)": megabytes(p.allocated_bytes), "Reserved (MB)": megabytes(p.reserved_bytes) });
        curves.insert(device.name.clone(), device.curve.iter().map(point).collect());
        let peak = device.peak.map(|p| format!("Peak Memory Usage: {:.1}MB", megabytes(p.allocated_bytes)));
        peaks.insert(device.name.clone(), json!(peak));
    }
    let event = |e: &super::memory::MemoryLife| {
        json!({
            "Operator": e.operator.as_deref().unwrap_or("<unknown>"),
            "Size (KB)": shown(e.size_bytes as f64 / 1024.0),
            "Allocation Time (ms)": e.allocated.map(|t| shown(ms(t))),
            "Release Time (ms)": e.released.map(|t| shown(ms(t))),
            "Duration (ms)": e.allocated.zip(e.released).map(|(a, r)| shown(r.since(a).0 as f64 / 1e6)),
        })
    };
    let events: Map<String, Value> = events.iter().map(|(device, e)| (device.clone(), e.rows.iter().map(event).collect())).collect();
    let default_device = memory.devices.get(memory.default_device).map(|d| &d.name);
    json!({
        "default_device": default_device, "rows": rows, "events": events, "curves": curves, "peaks": peaks, "notes": memory.notes,
    })
}

fn statistics(row: &MemoryRow) -> Value {
    json!({
        "Operator Name": row.name,
        "Calls": row.calls,
        "Size Increase (KB)": kilobytes(row.increase_bytes),
        "Self Size Increase (KB)": kilobytes(row.self_increase_bytes),
        "Allocation Count": row.allocations,
        "Self Allocation Count": row.self_allocations,
        "Allocation Size (KB)": kilobytes(row.allocated_bytes),
        "Self Allocation Size (KB)": kilobytes(row.self_allocated_bytes),
    })
}

/// Devices, overlap, waiting and operations.
pub fn distributed(d: &Distributed) -> Value {
    let (mut overlap, mut wait, mut operations) = (Map::new(), Map::new(), Map::new());
    let put = |map: &mut Map<String, Value>, step: &str, worker: &str, value: Value| {
        let of_step = map.entry(step).or_insert_with(|| json!({}));
        if let Some(of_step) = of_step.as_object_mut() {
            of_step.insert(worker.into(), value);
        }
    };
    for worker in &d.workers {
        let all = ("all".to_string(), worker.overlap);
        for (step, t) in std::iter::once(&all).chain(&worker.overlap_steps) {
            let row = json!({
                "Computation": micros(t.computation_only), "Overlapping": micros(t.overlap),
                "Communication": micros(t.communication_only), "Other": micros(t.other),
            });
            put(&mut overlap, step, &worker.worker, row);
        }
        let all = worker.wait.map(|w| ("all".to_string(), w));
        for (step, t) in all.iter().chain(&worker.wait_steps) {
            let row = json!({ "Data Transfer Time": micros(t.transfer), "Synchronizing Time": micros(t.synchronizing) });
            put(&mut wait, step, &worker.worker, row);
        }
        let whole_us = |t: DurationNs| (t.0 as f64 / 1e3).round_ties_even() as i64;
        let row = |o: &super::distributed::CommunicationRow| {
            json!({
                "Name": o.name, "Calls": o.calls, "Total Size (bytes)": o.size_bytes, "Avg Size (bytes)": o.mean_size_bytes,
                "Total Latency (us)": micros(o.latency), "Avg Latency (us)": whole_us(o.mean_latency),
                "Data Transfer Time (us)": o.transfer.map(micros), "Avg Data Transfer Time (us)": o.mean_transfer.map(whole_us),
            })
        };
        operations.insert(worker.worker.clone(), worker.operations.iter().map(row).collect());
    }
    json!({
        "devices": devices(d), "overlap": overlap, "wait": wait, "rows": operations,
        "is_matched": d.is_matched, "stragglers": d.stragglers, "notes": d.notes,
    })
}

fn devices(d: &Distributed) -> Value {
    let device = |device: &WorkerDevice| {
        let mut out = Map::new();
        let mut put = |key: &str, value: Option<Value>| out.extend(value.map(|v| (key.to_string(), v)));
        put("Name", device.name.as_ref().map(|n| json!(n)));
        put("Memory", device.memory_bytes.map(|b| json!(format!("{} GB", shown(b as f64 / f64::from(1 << 30))))));
        put("Memory Raw", device.memory_bytes.map(|b| json!(b)));
        put("Compute Capability", device.compute.map(|(major, minor)| json!(format!("{major}.{minor}"))));
        (format!("GPU{}", device.id), Value::Object(out))
    };
    let nodes = d.nodes.iter().map(|node| {
        let processes = node.processes.iter().map(|p| (p.name.clone(), Value::Object(p.devices.iter().map(device).collect())));
        (node.name.clone(), Value::Object(processes.collect()))
    });
    Value::Object(nodes.collect())
}

/// Modules as a list, each with the place of its parent; and a part of the tree of operators.
pub fn modules(modules: &Modules, tree: &TreePart) -> Value {
    let row = |m: &ModuleRow| {
        json!({
            "Module Name": m.name, "id": m.id, "parent": m.parent, "depth": m.depth,
            "Occurences": m.occurrences, "Operators": m.operators,
            "Host Total Time": micros(m.host_total), "Host Self Time": micros(m.host_self),
            "Device Total Time": micros(m.device_total), "Device Self Time": micros(m.device_self),
            "avg_duration": m.mean_ns / 1e3,
        })
    };
    let node = |n: &TreeNode| {
        json!({
            "node": n.node, "parent": n.parent, "name": n.name, "type": n.kind, "start_ns": n.start.0, "duration_ns": n.duration.0,
            "device_duration_ns": n.device_total.0, "n_children": n.n_children,
        })
    };
    json!({
        "is_lightning": modules.is_lightning, "rows": modules.rows.iter().map(row).collect::<Vec<_>>(), "n_total": modules.n_total,
        "threads": modules.threads, "tree": tree.nodes.iter().map(node).collect::<Vec<_>>(), "n_more_in_tree": tree.n_more,
        "notes": modules.notes,
    })
}

/// One part of a diff with what it consists of.
pub fn diff(diff: &Diff) -> Value {
    let side = |s: &DiffSide| json!({ "name": s.name, "duration": micros(s.host), "device_duration": micros(s.device), "total_duration": micros(s.total) });
    let part = |p: &super::diff::DiffRow| {
        json!({
            "path": p.path, "left": side(&p.base), "right": side(&p.experiment), "label": p.label,
            "delta": p.delta_ns as f64 / 1e3, "accumulated_delta": p.accumulated_ns as f64 / 1e3, "n_children": p.n_parts,
        })
    };
    json!({
        "base": diff.base, "experiment": diff.experiment, "part": part(&diff.part),
        "children": diff.parts.iter().map(part).collect::<Vec<_>>(),
        "rows": diff.operators.iter().map(operator).collect::<Vec<_>>(), "notes": diff.notes,
    })
}

/// A flat diff.
pub fn flat_diff(diff: &FlatDiff) -> Value {
    json!({
        "base": diff.base, "experiment": diff.experiment, "rows": diff.rows.iter().map(operator).collect::<Vec<_>>(), "notes": diff.notes,
    })
}

/// Both sides of an operator, the differences and their shares: `N/A` for 0 of 0, `Infinity%` for something of 0, as the plugin has it.
fn operator(row: &OperatorDiff) -> Value {
    let (base, experiment) = (row.base.unwrap_or_default(), row.experiment.unwrap_or_default());
    let mut out = Map::new();
    out.insert("Operator".into(), json!(row.name));
    if let Some(shape) = &row.shape {
        out.insert("Input Shape".into(), json!(shape));
    }
    let percent = |a: DurationNs, b: DurationNs| match delta_share(a, b) {
        Some(share) => format!("{:.2}%", share * 100.0),
        None if b.0 == 0 => "N/A".into(),
        None => "Infinity%".into(),
    };
    out.insert("Baseline Calls".into(), json!(base.calls));
    out.insert("Exp. Calls".into(), json!(experiment.calls));
    out.insert("Delta Calls".into(), json!(experiment.calls as i64 - base.calls as i64));
    type Figure = fn(&DiffFigures) -> DurationNs;
    let times: [(&str, Figure); 4] = [
        ("Host Duration", |f| f.host_total),
        ("Self Host Duration", |f| f.host_self),
        ("Device Duration", |f| f.device_total),
        ("Self Device Duration", |f| f.device_self),
    ];
    for (name, of) in times {
        let (a, b) = (of(&base), of(&experiment));
        out.insert(format!("Baseline {name}"), micros(a));
        out.insert(format!("Exp. {name}"), micros(b));
        out.insert(format!("Delta {name}"), micros(DurationNs(b.0.saturating_sub(a.0))));
        out.insert(format!("Delta {name}%"), json!(percent(a, b)));
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_as_the_plugin_does() {
        let check = |bytes, want: f64| assert_eq!(kilobytes(bytes), want, "{bytes}");
        check(0, 0.0);
        check(8, 0.008);
        check(4, 0.004);
        check(-20, -0.02);
        check(8069, 7.88);
    }
}
