//! System profiles of Neuron, made from the documented shapes: no public sample exists.

#![allow(dead_code, reason = "shared by several test programs")]

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use std::sync::Arc;

/// When the profiles begin, epoch nanoseconds.
pub const EPOCH: i64 = 1_729_888_371_000_000_000;
pub const MS: i64 = 1_000_000;

/// An event of `system_profile.json`: source, name, NeuronCore, start and length in nanoseconds since [`EPOCH`], and what else it tells.
pub fn event(source: &str, name: &str, core: Option<u32>, start: i64, duration: i64, more: Value) -> Value {
    let mut out = json!({
        "instance_id": "i-0f", "process_id": "7", "thread_id": 70, "trace_event_source": source,
        "name": name, "timestamp": EPOCH + start, "duration": duration,
    });
    if let Some(core) = core {
        out["nc_idx"] = json!(core);
    }
    for (key, value) in more.as_object().into_iter().flatten() {
        out[key] = value.clone();
    }
    out
}

pub fn running(start: i64, duration: i64) -> Value {
    event("neuron_hw", "nc_exec_running", Some(0), start, duration, json!({ "model_name": "/cache/graph_a.neff" }))
}

/// Memory and CPU: (CPU, percent, time).
pub fn profile(events: &[Value], cpus: &[(&str, f64, i64)]) -> String {
    let cpu = |(id, util, at): &(&str, f64, i64)| json!({ "cpu_id": id, "duration": 1, "instance_id": "i-0f", "timestamp": EPOCH + at, "util": util });
    let memory = json!([{ "duration": 1, "instance_id": "i-0f", "percent_usage": 9.5, "timestamp": EPOCH, "usage": 51_805_806_592i64 }]);
    json!({ "trace_events": events, "mem_usage": memory, "cpu_util": cpus.iter().map(cpu).collect::<Vec<_>>() }).to_string()
}

/// Three executions far apart; the host compiles first and copies between them; one CPU is busy.
pub fn host_bound() -> String {
    let mut events = vec![
        event("framework", "CompileGraph", None, 0, MS, json!({ "flow_id": ["100"], "id": 1 })),
        event("neuron_rt", "nrt_execute", Some(0), MS - 1000, MS + 2000, json!({ "flow_id": ["100", "200"], "id": 2 })),
        event("neuron_rt", "kmgr_exec_core", Some(0), MS - 500, MS + 1000, json!({})),
        event("neuron_rt", "dmem_buf_copyin", Some(0), 2 * MS + MS / 2, MS, json!({ "size": 4 << 20 })),
        event("neuron_rt", "dmem_buf_copyout", Some(0), 6 * MS, MS / 2, json!({ "size": 1 << 20 })),
    ];
    let mut first = running(MS, MS);
    first["flow_id"] = json!(["200"]);
    first["id"] = json!(3);
    events.extend([first, running(5 * MS, MS), running(9 * MS, MS)]);
    profile(&events, &[("3", 97.0, 10 * MS), ("4", 12.0, 10 * MS), ("average", 50.0, 10 * MS)])
}

/// Two executions back to back, and the host waits for them.
pub fn device_bound() -> String {
    let wait = event("neuron_rt", "kbl_exec_wait", Some(0), MS, 8 * MS, json!({}));
    profile(&[wait, running(MS, 4 * MS), running(5 * MS, 4 * MS)], &[("3", 97.0, 10 * MS)])
}

/// A trace of the framework, as torch writes it: microseconds since the epoch.
pub fn framework(base_ns: Option<i64>) -> String {
    let at = |ns: i64| if base_ns.is_some() { ns as f64 / 1000.0 } else { 0.0 };
    let ts = |ns: i64| match base_ns {
        Some(_) => json!(at(ns)),
        None => serde_json::from_str(&format!("{}.{:03}", (EPOCH + ns) / 1000, (EPOCH + ns) % 1000)).unwrap_or(Value::Null),
    };
    let slice = |name: &str, start: i64, length: i64| json!({ "ph": "X", "name": name, "pid": 7, "tid": 71, "ts": ts(start), "dur": length as f64 / 1000.0 });
    let mut out = json!({ "traceEvents": [
        { "ph": "M", "name": "process_name", "pid": 7, "args": { "name": "python" } },
        slice("train_step", 4 * MS, 5 * MS), slice("aten::linear", 4 * MS + 1000, MS),
    ] });
    if let Some(base) = base_ns {
        out["baseTimeNanoseconds"] = json!(base);
    }
    out.to_string()
}

/// A column of a table.
pub enum Column {
    Ints(Vec<Option<i64>>),
    Floats(Vec<f64>),
    Texts(Vec<String>),
}

/// A Parquet table.
pub fn table(columns: &[(&str, Column)]) -> Vec<u8> {
    let field = |(name, column): &(&str, Column)| match column {
        Column::Ints(_) => format!("optional int64 {name};"),
        Column::Floats(_) => format!("required double {name};"),
        Column::Texts(_) => format!("required binary {name} (UTF8);"),
    };
    let message = format!("message t {{ {} }}", columns.iter().map(field).collect::<String>());
    let schema = Arc::new(parse_message_type(&message).expect("a schema"));
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    for (_, column) in columns {
        let mut c = group.next_column().expect("fits").expect("as many columns");
        match column {
            Column::Ints(values) => {
                let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
                let recorded: Vec<i64> = values.iter().flatten().copied().collect();
                c.typed::<Int64Type>().write_batch(&recorded, Some(&levels), None).expect("written");
            }
            Column::Floats(values) => drop(c.typed::<DoubleType>().write_batch(values, None, None).expect("written")),
            Column::Texts(values) => {
                let texts: Vec<ByteArray> = values.iter().map(|v| v.as_str().into()).collect();
                c.typed::<ByteArrayType>().write_batch(&texts, None, None).expect("written");
            }
        }
        c.close().expect("closed");
    }
    group.close().expect("closed");
    writer.close().expect("closed");
    bytes
}

/// A row of `SystemProfileEvents`: (name, source, start, end, core).
pub type EventRow<'a> = (&'a str, &'a str, Option<i64>, i64, Option<i64>);

/// Events as rows of `SystemProfileEvents`.
pub fn events_table(rows: &[EventRow<'_>]) -> Vec<u8> {
    let ints = |f: &dyn Fn(usize) -> Option<i64>| Column::Ints((0..rows.len()).map(f).collect());
    let texts = |f: &dyn Fn(usize) -> String| Column::Texts((0..rows.len()).map(f).collect());
    table(&[
        ("id", ints(&|i| Some(i as i64))),
        ("name", texts(&|i| rows[i].0.into())),
        ("start_ts", ints(&|i| rows[i].2.map(|s| EPOCH + s))),
        ("end_ts", ints(&|i| Some(EPOCH + rows[i].3))),
        ("duration_ns", ints(&|i| rows[i].2.map(|s| rows[i].3 - s))),
        ("trace_event_source", texts(&|i| rows[i].1.into())),
        ("instance_id", texts(&|_| "i-0f".into())),
        ("process_id", ints(&|_| Some(7))),
        ("thread_id", ints(&|_| Some(70))),
        ("nc_idx", ints(&|i| rows[i].4)),
        ("flow_id", texts(&|i| if i < 2 { "[\"100\"]".into() } else { String::new() })),
        ("extra_attributes_json", texts(&|i| if rows[i].0 == "dmem_buf_copyin" { "{\"size\": 1048576}".into() } else { String::new() })),
    ])
}

/// The directory of a system profile: events, HBM (95 bytes at its fullest, of 100), CPU, device profiles.
pub fn directory() -> Vec<(String, Vec<u8>)> {
    directory_of(Some(100))
}

/// The same with another capacity of the HBM, or none told.
pub fn directory_of(capacity: Option<i64>) -> Vec<(String, Vec<u8>)> {
    let ints = |values: &[i64]| Column::Ints(values.iter().map(|v| Some(*v)).collect());
    let events = [
        ("nrt_execute", "neuron_rt", Some(0), 5 * MS, Some(0)),
        ("nc_exec_running", "neuron_hw", Some(MS), 4 * MS, Some(0)),
        ("dmem_buf_copyin", "neuron_rt", Some(100), MS / 2 + 100, Some(0)),
        ("lost", "neuron_rt", None, MS, Some(0)),
    ];
    let hbm = table(&[
        ("timestamp", ints(&[EPOCH, EPOCH + MS])),
        ("total_bytes", ints(&[30, 95])),
        ("weights_bytes", ints(&[20, 60])),
        ("tensors_bytes", ints(&[10, 35])),
        ("device_idx", ints(&[0, 0])),
        ("hbm_idx", ints(&[2, 2])),
        ("instance_id", Column::Texts(vec!["i-0f".into(); 2])),
    ]);
    let cpu = table(&[
        ("timestamp", ints(&[EPOCH])),
        ("util_percent", Column::Floats(vec![25.0])),
        ("cpu_id", Column::Texts(vec!["average".into()])),
        ("instance_id", Column::Texts(vec!["i-0f".into()])),
    ]);
    let list = table(&[
        ("device_profile_name", Column::Texts(vec!["profile_nc_0".into()])),
        ("instance_id", Column::Texts(vec!["i-0f".into()])),
        ("process_id", ints(&[7])),
        ("nc_id", ints(&[0])),
    ]);
    let meta = table(&[("hbm_capacity_bytes", Column::Ints(vec![capacity]))]);
    let named = |name: &str, bytes| (format!("global/run@latest/{name}.parquet"), bytes);
    vec![
        named("SystemProfileEvents", events_table(&events)),
        named("SystemProfileHbmUsage", hbm),
        named("CpuUsage", cpu),
        named("DeviceProfileList", list),
        named("SystemProfileMetadata", meta),
    ]
}
