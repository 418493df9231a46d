//! Logs of the TensorBoard Neuron plugin, made from the documented shapes: no public sample exists.

#![allow(dead_code, reason = "shared by several test programs")]

use axonscope::base::{InputSet, Member};
use serde_json::{Value, json};

/// A slice: process, row, name, start and duration in nanoseconds, members if fused.
pub struct Bar {
    pub process: u32,
    pub row: u32,
    pub name: String,
    pub start_ns: i64,
    pub duration_ns: i64,
    pub fused: Option<String>,
}

pub const OVERVIEW: u32 = 1;
pub const CONTROL: u32 = 2;
pub const EXECUTION: u32 = 3;
pub const TRANSFER: u32 = 4;
/// Rows of the three lower processes; in the overview 1–3 are setup, compute, DMA.
pub const LEVEL: u32 = 1;
pub const FRAMEWORK: u32 = 8;
pub const HLO: u32 = 9;

pub fn bar(process: u32, row: u32, name: &str, start_ns: i64, duration_ns: i64) -> Bar {
    Bar { process, row, name: name.into(), start_ns, duration_ns, fused: None }
}

/// The timeline of the picture in the tutorial, in small: two linear layers, ReLU and tanh.
pub fn bars() -> Vec<Bar> {
    let mut out = vec![bar(OVERVIEW, 1, "Neuron Runtime Setup", 0, 1000)];
    out.extend([(1400, 300), (1900, 100), (2300, 400)].map(|(s, d)| bar(OVERVIEW, 2, "Compute Busy", s, d)));
    out.extend([(1000, 500), (1950, 350)].map(|(s, d)| bar(OVERVIEW, 3, "DMA Busy", s, d)));
    for process in [CONTROL, EXECUTION, TRANSFER] {
        out.push(bar(process, LEVEL, "TestModel[model]", 1000, 1700));
        out.push(bar(process, LEVEL + 1, "Sequential[sequence]", 1000, 1700));
    }
    let mut op = |process, framework: &str, hlo: &str, start, duration| {
        out.push(bar(process, FRAMEWORK, framework, start, duration));
        out.push(bar(process, HLO, hlo, start, duration));
    };
    op(TRANSFER, "xla__device_data.1", "%p0.1 = f32[4]{0} parameter(0)", 1000, 100);
    op(TRANSFER, "aten__relu_maximum.40", "%maximum.40 = maximum(%dot.36, %zeros)", 1100, 50);
    op(TRANSFER, "aten__addmm_broadcast.49", "%broadcast.49 = broadcast(%b)", 1150, 50);
    op(CONTROL, "aten__tanh_tanh.55", "%tanh.55 = tanh(%dot.50)", 1200, 60);
    op(EXECUTION, "aten__addmm_dot.36", "%dot.36 = dot(%p4.35, %transpose.34)", 1400, 300);
    op(EXECUTION, "aten__relu_maximum.40", "%maximum.40 = maximum(%dot.36, %zeros)", 1900, 100);
    op(TRANSFER, "aten__addmm_dot.50", "%dot.50 = dot(%maximum.40, %w)", 1950, 350);
    op(EXECUTION, "aten__addmm_dot.50", "%dot.50 = dot(%maximum.40, %w)", 2300, 200);
    op(EXECUTION, "aten__tanh_tanh.55", "%tanh.55 = tanh(%dot.50)", 2550, 150);
    out.push(Bar {
        fused: Some("Sequential_1/Linear[0]/aten__addmm_dot.50, Sequential_1/fused_2".into()),
        ..bar(EXECUTION, FRAMEWORK, "fused_3", 2500, 30)
    });
    out.push(Bar {
        fused: Some("Sequential_1/aten__tanh_tanh.55, Sequential_1/aten__permute_transpose.17".into()),
        ..bar(EXECUTION, FRAMEWORK, "fused_2", 2530, 20)
    });
    out
}

/// A timeline file. Times are microseconds with a fraction, as Chrome has them.
pub fn timeline(bars: &[Bar]) -> Vec<u8> {
    let mut events = Vec::new();
    let name =
        |pid: u32, tid: u32, what: &str, name: &str| json!({"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": name}});
    for (pid, process) in [
        (OVERVIEW, "Process Overview"),
        (CONTROL, "Process Control"),
        (EXECUTION, "Process Execution"),
        (TRANSFER, "Process Data Transfer"),
    ] {
        events.push(name(pid, 0, "process_name", process));
    }
    for (tid, row) in [(1, "Neuron Runtime Setup"), (2, "Compute Busy"), (3, "DMA Busy")] {
        events.push(name(OVERVIEW, tid, "thread_name", row));
    }
    for pid in [CONTROL, EXECUTION, TRANSFER] {
        events.push(name(pid, FRAMEWORK, "thread_name", "Framework Ops"));
        events.push(name(pid, HLO, "thread_name", "HLO Ops"));
    }
    let mut text = String::from("{\"displayTimeUnit\": \"ns\", \"neuronStartTimestampNs\": 1681335781000000000, \"traceEvents\": [");
    let mut items: Vec<String> = events.iter().map(Value::to_string).collect();
    for b in bars {
        let args = b.fused.as_ref().map_or(json!({}), |f| json!({"fused": f}));
        items.push(format!(
            "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"cat\":\"other\",\"ts\":{}.{:03},\"dur\":{}.{:03},\"args\":{args}}}",
            b.process,
            b.row,
            json!(b.name),
            b.start_ns / 1000,
            b.start_ns % 1000,
            b.duration_ns / 1000,
            b.duration_ns % 1000,
        ));
    }
    text.push_str(&items.join(",\n"));
    text.push_str("]}");
    text.into_bytes()
}

/// A table of operators under the names of the plugin's columns.
pub fn table(rows: &[(&str, u64, i64)], total: i64) -> Vec<u8> {
    let op = |(name, n, time): &(&str, u64, i64)| json!({"Op Name": name, "Occurrences": n, "Neuron Device": 0, "NeuronCore": 0, "Time (ns)": time});
    json!({"ops": rows.iter().map(op).collect::<Vec<_>>(), "total_time": total}).to_string().into_bytes()
}

/// A trace: device rows beside the host's threads. Two steps of 1000 µs; the device works for 300 and 200 µs.
pub fn trace() -> Vec<u8> {
    let row = |tid: u32, name: &str| json!({"ph": "M", "pid": 4736, "tid": tid, "name": "thread_name", "args": {"name": name}});
    let slice = |pid: Value, tid: Value, name: &str, ts: f64, dur: f64| json!({"ph": "X", "pid": pid, "tid": tid, "name": name, "cat": "host", "ts": ts, "tts": 0, "dur": dur, "args": {}});
    let host = |name: &str, ts: f64, dur: f64| slice(json!("/host:CPU"), json!("python#24"), name, ts, dur);
    let device = |tid: u32, ts: f64, dur: f64| slice(json!(4736), json!(tid), "model.neff", ts, dur);
    json!({"displayTimeUnit": "ns", "neuronStartTimestampNs": 5, "traceEvents": [
        row(1, "IO Data Transfer"), row(2, "NeuronDevice Execution"), row(3, "CC Synchronization"),
        host("Step1", 0.0, 1000.0), host("SyncTensorsGraph", 10.0, 600.0), host("Compile", 20.0, 560.0),
        host("Step2", 1000.0, 1000.0), host("StepMarker", 1100.0, 100.0),
        device(1, 600.0, 50.0), device(2, 650.0, 250.0), device(2, 1100.0, 200.0), device(3, 1150.0, 100.0),
    ]})
    .to_string()
    .into_bytes()
}

/// Files of one drop.
pub fn input(files: &[(&str, Vec<u8>)]) -> InputSet {
    InputSet { members: files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.clone())).collect() }
}

/// A protobuf field of bytes.
pub fn field(number: u64, body: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(body.len() as u64), body.to_vec()].concat()
}

/// A protobuf field of a number.
pub fn number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// An XSpace: a plane of the plugin with Chrome records and operators as texts, and a plane of another tool.
pub fn xspace() -> Vec<u8> {
    let named = |id: u64, name: &str| [number(1, id), field(2, &[number(1, id), field(2, name.as_bytes())].concat())].concat();
    let text = |id: u64, text: &str| [number(1, id), field(5, text.as_bytes())].concat();
    let records = String::from_utf8(timeline(&bars())).expect("text");
    let records: Vec<&str> = records.split_once('[').expect("a list").1.trim_end_matches("]}").split(",\n").collect();
    let events: Vec<u8> = records.iter().flat_map(|r| field(4, &field(4, &text(1, r)))).collect();
    let ops = r#"{"name": "aten__addmm_dot", "occurrences": 2, "time_ns": 500}"#;
    let neuron = [
        number(1, 1),
        field(2, b"/host:Neuron-runtime:profile//5f_1/model10001/node5/plugins/neuron/1/x.json"),
        field(3, &[number(1, 1), events].concat()),
        field(5, &named(1, "record")),
        field(5, &named(2, "op_0")),
        field(5, &named(3, "total_time")),
        field(6, &text(2, ops)),
        field(6, &[number(1, 3), number(3, 500)].concat()),
    ]
    .concat();
    let event = [number(1, 7), number(2, 2_000_000), number(3, 1_500_499)].concat();
    let other = [
        number(1, 2),
        field(2, b"/host:CPU"),
        field(3, &[number(1, 5), field(2, b"thread"), number(3, 100), field(4, &event)].concat()),
        field(4, &named(7, "matmul")),
    ]
    .concat();
    [field(1, &neuron), field(1, &other), field(4, b"host")].concat()
}
