//! Answers as the old TensorBoard plugin prints them: its column names, its units, its rounding. For the report and for comparing.

use super::kernels::Kernels;
use super::ops::{OpStackRow, OpTimes, Ops};
use super::overview::{DeviceRow, Overview};
use super::trace::TraceCounters;
use serde_json::{Map, Value, json};

/// Microseconds: a whole number where it is one.
pub fn micros(ns: i64) -> Value {
    if ns % 1000 == 0 { json!(ns / 1000) } else { json!(ns as f64 / 1e3) }
}

/// Whole microseconds, half to even.
pub fn rounded_micros(ns: f64) -> i64 {
    (ns / 1e3).round_ties_even() as i64
}

/// Two decimals, as Python rounds.
pub fn two_decimals(value: f64) -> f64 {
    format!("{value:.2}").parse().unwrap_or(value)
}

/// Two decimals, as numpy rounds: half to even after multiplying.
fn half_to_even(value: f64) -> f64 {
    (value * 100.0).round_ties_even() / 100.0
}

fn yes_no(value: bool) -> &'static str {
    if value { "Yes" } else { "No" }
}

/// Columns of the four times and of tensor cores.
fn times(
    row: &mut Map<String, Value>,
    times: &OpTimes,
    has_device: bool,
    (is_eligible, tc_self, tc_total): (bool, Option<f64>, Option<f64>),
) {
    let mut put = |name: &str, value: Value| row.insert(name.into(), value);
    if has_device {
        put("device_self_duration", json!(rounded_micros(times.device_self.0 as f64)));
        put("device_total_duration", json!(rounded_micros(times.device_total.0 as f64)));
    }
    put("host_self_duration", json!(rounded_micros(times.host_self.0 as f64)));
    put("host_total_duration", json!(rounded_micros(times.host_total.0 as f64)));
    put("tc_eligible", json!(yes_no(is_eligible)));
    put("tc_self_ratio", json!(two_decimals(tc_self.unwrap_or(0.0) * 100.0)));
    put("tc_total_ratio", json!(two_decimals(tc_total.unwrap_or(0.0) * 100.0)));
}

/// The operator table.
pub fn operators(ops: &Ops) -> Value {
    let row = |r: &super::ops::OpRow| {
        let mut out = Map::new();
        out.insert("name".into(), json!(r.name));
        if let Some(shape) = &r.shape {
            out.insert("input_shape".into(), json!(shape));
        }
        out.insert("calls".into(), json!(r.calls));
        times(&mut out, &r.times, ops.has_device, (r.tc_eligible, r.tc_self_share, r.tc_total_share));
        out.insert("has_call_stack".into(), json!(r.has_stack));
        Value::Object(out)
    };
    json!({ "rows": ops.rows.iter().map(row).collect::<Vec<_>>(), "totals_ns": ops.totals, "notes": ops.notes })
}

/// The calls of one operator that have a call stack, by it.
pub fn stacks(name: &str, shape: Option<&str>, rows: &[OpStackRow], has_device: bool) -> Vec<Value> {
    let row = |r: &OpStackRow| {
        let mut out = Map::new();
        out.insert("name".into(), json!(name));
        if let Some(shape) = shape {
            out.insert("input_shape".into(), json!(shape));
        }
        out.insert("calls".into(), json!(r.calls));
        times(&mut out, &r.times, has_device, (r.tc_eligible, r.tc_self_share, r.tc_total_share));
        out.insert("call_stack".into(), json!(r.frames.iter().rev().cloned().collect::<Vec<_>>().join(";")));
        Value::Object(out)
    };
    rows.iter().filter(|r| !r.frames.is_empty()).map(row).collect()
}

/// A list, or `None` where there is none.
fn list(text: &str) -> String {
    if text.is_empty() { "None".into() } else { super::python_list::python_list(text) }
}

/// The kernel table, in either grouping.
pub fn kernels(kernels: &Kernels) -> Value {
    let rows: Vec<Value> = kernels
        .rows
        .iter()
        .map(|r| {
            let mut out = Map::new();
            let mut put = |name: &str, value: Value| out.insert(name.into(), value);
            put("Name", json!(r.name));
            match &r.properties {
                Some(p) => {
                    put("Operator", json!(p.operator.as_deref().unwrap_or("N/A")));
                    put("Grid", json!(list(&p.grid)));
                    put("Block", json!(list(&p.block)));
                    put("Register Per Thread", json!(p.registers.unwrap_or(0).to_string()));
                    put("Shared Memory", json!(p.shared_memory.unwrap_or(0).to_string()));
                    put("Kernel Uses Tensor Cores", json!(yes_no(r.uses_tensor_cores)));
                    put("Op is Tensor Cores eligible", json!(yes_no(p.is_operator_tc_eligible)));
                }
                None => {
                    put("Tensor Cores Used", json!(yes_no(r.uses_tensor_cores)));
                }
            }
            put("Calls", json!(r.calls));
            put("Total Duration (us)", micros(r.total.0));
            put("Mean Duration (us)", json!(rounded_micros(r.mean_ns)));
            put("Max Duration (us)", micros(r.max.0));
            put("Min Duration (us)", micros(r.min.0));
            if let Some(blocks) = r.blocks_per_sm {
                put("Mean Blocks Per SM", json!(half_to_even(blocks)));
            }
            if let Some(percent) = r.occupancy_percent {
                put("Mean Est. Achieved Occupancy (%)", json!(half_to_even(percent)));
            }
            Value::Object(out)
        })
        .collect();
    json!({ "rows": rows, "total_ns": kernels.total, "tensor_core_ns": kernels.tensor_core, "devices": kernels.devices, "notes": kernels.notes })
}

/// The overview.
pub fn overview(overview: &Overview) -> Value {
    let shown: Vec<usize> = (0..overview.summary.len()).filter(|&i| overview.summary[i].is_recorded).collect();
    let columns: Vec<&str> = shown.iter().map(|&i| overview.summary[i].category.label()).collect();
    let steps: Vec<Value> = overview
        .steps
        .iter()
        .map(|s| {
            let mut out = Map::new();
            out.insert("Step".into(), json!(s.name));
            for (&i, column) in shown.iter().zip(&columns) {
                out.insert((*column).into(), micros(s.parts[i].0));
            }
            out.insert("Total".into(), micros(s.total.0));
            Value::Object(out)
        })
        .collect();
    let parts: Vec<Value> = shown
        .iter()
        .map(|&i| {
            let row = &overview.summary[i];
            json!({ "name": row.category.label(), "value": rounded_micros(row.mean_ns), "extra": two_decimals(row.share * 100.0) })
        })
        .collect();
    json!({
        "environments": [
            { "title": "Number of Worker(s)", "value": overview.n_workers.to_string() },
            { "title": "Device Type", "value": overview.device_type },
        ],
        "gpu_metrics": overview.devices.iter().flat_map(device).collect::<Vec<_>>(),
        "performance": { "name": "Average Step Time", "value": overview.mean_step_ns.map(rounded_micros), "extra": 100, "children": parts },
        "steps": steps,
        "recommendations": overview.recommendations,
        "notes": overview.notes,
    })
}

/// Values of one device, as (title, value); what is not recorded is omitted.
fn device(row: &DeviceRow) -> Vec<Value> {
    let percent = |share: f64| format!("{} %", python_float(two_decimals(share * 100.0)));
    let memory = |bytes: u64| format!("{} GB", python_float(two_decimals(bytes as f64 / (1u64 << 30) as f64)));
    let figures = [
        ("Name", row.name.clone()),
        ("Memory", row.memory_bytes.map(memory)),
        ("Compute Capability", row.compute.map(|(major, minor)| format!("{major}.{minor}"))),
        ("GPU Utilization", row.utilization.map(percent)),
        ("Est. SM Efficiency", row.sm_efficiency.map(percent)),
        ("Est. Achieved Occupancy", row.occupancy_percent.map(|p| format!("{} %", python_float(two_decimals(p))))),
        ("Kernel Time using Tensor Cores", row.tensor_core_share.map(percent)),
    ];
    let mut out = vec![json!({ "title": format!("GPU {}:", row.device), "value": "" })];
    out.extend(figures.into_iter().filter_map(|(title, value)| value.map(|value| json!({ "title": title, "value": value }))));
    out
}

/// A number as Python prints it: `1.0`, not `1`.
fn python_float(value: f64) -> String {
    if value == value.trunc() { format!("{value:.1}") } else { value.to_string() }
}

/// Counter tracks: times in microseconds since the profile's origin.
pub fn counters(counters: &TraceCounters) -> Value {
    let line = |line: &super::trace::Line| {
        let points = line.times.iter().zip(&line.values).map(|(time, value)| json!([micros(time.0), value]));
        points.collect::<Vec<_>>()
    };
    let devices = counters.devices.iter().map(|d| {
        json!({
            "device": d.device,
            "bucket_us": micros(d.bucket.0),
            "GPU Utilization": line(&d.utilization),
            "Est. SM Efficiency": line(&d.sm_efficiency),
        })
    });
    let steps = counters.steps.iter().map(|s| json!({ "Step": s.name, "start_us": micros(s.start.0), "end_us": micros(s.end.0) }));
    json!({ "devices": devices.collect::<Vec<_>>(), "steps": steps.collect::<Vec<_>>(), "notes": counters.notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_python_does() {
        assert_eq!(rounded_micros(2_500.0), 2);
        assert_eq!(rounded_micros(3_500.0), 4);
        assert_eq!(micros(1_500), json!(1.5));
        assert_eq!(micros(2_000), json!(2));
        assert_eq!(two_decimals(2.675), 2.67);
        assert_eq!(python_float(100.0), "100.0");
        assert_eq!(python_float(55.51), "55.51");
    }
}
