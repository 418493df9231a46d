//! The tables of a PyTorch trace, against the same figures taken from the raw JSON by another reader.

use crate::common::{conformance, open};
use crate::torch_support::{Trace, traces_below};
use axonscope::base::{InputSet, SliceId};
use axonscope::model::torch::{ABSENT, Device, MemoryEvent, Torch};
use axonscope::model::{Domain, Profile};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

fn inflated(path: &Path) -> Vec<u8> {
    let raw = std::fs::read(path).unwrap();
    let mut out = Vec::new();
    match raw.starts_with(&[0x1f, 0x8b]) {
        true => drop(flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut out).unwrap()),
        false => out = raw,
    }
    out
}

/// Figures of a trace that do not depend on any order: the same from the JSON and from the profile.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    /// Per table: rows as texts, sorted.
    rows: BTreeMap<&'static str, Vec<String>>,
    /// Sum of all allocations and releases.
    bytes: i64,
    /// Totals allocated, in order of (time, place in the file).
    allocated: Vec<Option<u64>>,
}

impl Figures {
    fn row(&mut self, table: &'static str, row: String) {
        self.rows.entry(table).or_default().push(row);
    }

    fn sorted(mut self) -> Self {
        self.rows.values_mut().for_each(|rows| rows.sort());
        self
    }
}

fn number(args: &Map<String, Value>, key: &str) -> i64 {
    args.get(key).and_then(|v| v.as_u64().or_else(|| v.as_str()?.parse().ok())).map_or(-1, |n| n as i64)
}

fn absent(n: u32) -> i64 {
    if n == ABSENT { -1 } else { i64::from(n) }
}

fn whole(n: u64) -> i64 {
    if n == u64::MAX { -1 } else { n as i64 }
}

/// A list as torch writes it: a blank after each comma.
fn list(value: Option<&Value>) -> String {
    match value {
        Some(Value::Array(items)) => format!("[{}]", items.iter().map(|v| list(Some(v))).collect::<Vec<_>>().join(", ")),
        Some(Value::String(text)) => format!("\"{text}\""),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn text<'a>(args: &'a Map<String, Value>, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or("")
}

fn from_json(text_of_file: &[u8]) -> Figures {
    let root: Value = serde_json::from_slice(text_of_file).unwrap();
    let mut out = Figures::default();
    let mut memory = Vec::new();
    let none = Map::new();
    for event in root["traceEvents"].as_array().unwrap() {
        let args = event.get("args").and_then(Value::as_object).unwrap_or(&none);
        let name = event["name"].as_str().unwrap_or("");
        let phase = event["ph"].as_str().unwrap_or("");
        if phase == "i" && name == "[memory]" {
            memory.push((event["ts"].as_f64().unwrap(), args.get("Total Allocated").and_then(Value::as_u64)));
            out.bytes += args["Bytes"].as_i64().unwrap();
            let signed = |key| args.get(key).and_then(Value::as_i64).unwrap_or(i64::from(i32::MIN));
            out.row(
                "memory",
                format!("{} {} {} {}", signed("Device Type"), signed("Device Id"), number(args, "Addr"), number(args, "Total Reserved")),
            );
        }
        if phase != "X" {
            continue;
        }
        let external = if args.contains_key("external id") { "external id" } else { "External id" };
        out.row("ids", format!("{name} {} {}", number(args, "correlation"), number(args, external)));
        slice(&mut out, &event["cat"].as_str().unwrap_or("").to_lowercase(), name, args);
    }
    memory.sort_by(|a, b| a.0.total_cmp(&b.0));
    out.allocated = memory.into_iter().map(|m| m.1).collect();
    out.sorted()
}

fn slice(out: &mut Figures, cat: &str, name: &str, args: &Map<String, Value>) {
    let is_device = ["kernel", "memcpy", "gpu_memcpy", "memset", "gpu_memset"].contains(&cat);
    let n = |key| number(args, key);
    if is_device {
        let float = |key: &str| args.get(key).and_then(Value::as_f64).map_or(f32::NAN, |v| v as f32);
        out.row(
            "kernels",
            format!(
                "{name} {} {} {} {} {} {} {} {} {} {}",
                n("device"),
                n("stream"),
                list(args.get("grid")),
                list(args.get("block")),
                n("registers per thread"),
                n("shared memory"),
                float("blocks per SM"),
                float("est. achieved occupancy %"),
                n("bytes"),
                n("graph node id").max(0),
            ),
        );
    }
    if cat == "python_function" {
        out.row("functions", format!("{name} {} {} {}", n("Python id"), n("Python parent id"), n("Python module id")));
    }
    let is_host = ["cpu_op", "operator", "user_annotation"].contains(&cat);
    let is_range = name.starts_with("nccl:") || name.starts_with("gloo:") || name == "record_param_comms";
    if args.contains_key("Collective name") || is_host && is_range {
        let types = if is_device { String::new() } else { list(args.get("Input type")) };
        out.row(
            "collectives",
            format!(
                "{name} {} {} {} {} {} {} {} {types}",
                text(args, "Collective name"),
                text(args, "dtype"),
                n("In msg nelems"),
                n("Out msg nelems"),
                n("Group size"),
                text(args, "Process Group Name"),
                n("Seq"),
            ),
        );
    }
    if !text(args, "Call stack").is_empty() {
        out.row("stacks", format!("{name} {}", text(args, "Call stack")));
    }
}

fn from_profile(p: &Profile, torch: &Torch) -> Figures {
    let mut out = Figures::default();
    let name = |slice: u32| p.name_of(SliceId(slice));
    let s = |id| p.strings.get(id);
    for i in 0..p.slices.len() {
        out.row("ids", format!("{} {} {}", name(i as u32), absent(torch.correlation[i]), absent(torch.external_id[i])));
    }
    for k in &torch.kernels {
        let ids = (absent(k.device), absent(k.stream), absent(k.registers), absent(k.shared_memory));
        let (grid, block) = (s(k.grid), s(k.block));
        let rest = (k.blocks_per_sm, k.occupancy, whole(k.bytes), k.graph_node);
        out.row(
            "kernels",
            format!("{} {} {} {grid} {block} {} {} {} {} {} {}", name(k.slice), ids.0, ids.1, ids.2, ids.3, rest.0, rest.1, rest.2, rest.3),
        );
    }
    for f in &torch.functions {
        out.row("functions", format!("{} {} {} {}", name(f.slice), absent(f.id), absent(f.parent), absent(f.module)));
    }
    for c in &torch.collectives {
        let texts = (s(c.name), s(c.dtype), s(c.group), s(c.input_types));
        let (n_in, n_out) = (whole(c.n_in), whole(c.n_out));
        let (size, seq) = (absent(c.group_size), absent(c.seq));
        out.row("collectives", format!("{} {} {} {n_in} {n_out} {size} {} {seq} {}", name(c.slice), texts.0, texts.1, texts.2, texts.3));
    }
    torch.stacks.iter().for_each(|st| out.row("stacks", format!("{} {}", name(st.0), s(st.1))));
    for m in &torch.memory {
        let address = m.address.map_or(-1, |a| a as i64);
        out.row("memory", format!("{} {} {address} {}", m.device_type, m.device_id, m.reserved.map_or(-1, |r| r as i64)));
        out.bytes += m.bytes;
        out.allocated.push(m.allocated);
    }
    out.sorted()
}

fn torch_of(profile: &Profile) -> &Torch {
    let Domain::Torch(torch) = &profile.domain else { panic!("no PyTorch trace") };
    torch
}

#[test]
fn tables_hold_what_the_json_says() {
    let Some(dir) = conformance("kineto/traces") else {
        return;
    };
    let paths = traces_below(&dir);
    let mut n_rows: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        let want = from_json(&inflated(path));
        let trace = Trace::open(path);
        let got = from_profile(&trace.profile, trace.torch());
        for (table, rows) in &want.rows {
            *n_rows.entry(table).or_default() += rows.len();
            let got = got.rows.get(table).map(Vec::as_slice).unwrap_or_default();
            assert_eq!(got.len(), rows.len(), "{table} of {}", path.display());
            let differ = got.iter().zip(rows).find(|(a, b)| a != b);
            assert_eq!(differ, None, "{table} of {}", path.display());
        }
        assert_eq!(got.rows.keys().collect::<Vec<_>>(), want.rows.keys().collect::<Vec<_>>(), "{}", path.display());
        assert_eq!((got.bytes, &got.allocated), (want.bytes, &want.allocated), "{}", path.display());
    }
    // Every table was filled by some trace.
    for table in ["ids", "kernels", "functions", "collectives", "stacks", "memory"] {
        assert!(n_rows.get(table).is_some_and(|n| *n > 100), "{table}: {n_rows:?}");
    }
}

#[test]
fn threads_have_the_ids_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/kineto/phases/phases.json");
    let (imported, _) = open(&InputSet::from_bytes("t", std::fs::read(path).unwrap()));
    let (p, torch) = (&imported.profile, torch_of(&imported.profile));
    let ids: Vec<(String, &str, &str)> =
        torch.threads.iter().map(|t| (p.track_path(t.track), p.strings.get(t.pid), p.strings.get(t.tid))).collect();
    let want = [
        ("GPU 0 / stream 7", "0", "7"),
        ("python 7 (CPU) / thread 7 (main)", "7", "7"),
        ("python 7 (CPU) / Thread 8", "7", "8"),
        ("Trace / Events", "", ""),
    ];
    assert_eq!(ids, want.map(|(path, pid, tid)| (path.to_string(), pid, tid)));
    assert_eq!(torch.devices, [Device { name: "A device".into(), n_sms: Some(2), ..Device::default() }]);
}

/// Opens a trace of `events`, in a root with torch's marks.
fn trace(events: Value) -> Profile {
    let root = json!({ "schemaVersion": 1, "deviceProperties": [], "traceEvents": events });
    let (imported, _) = open(&InputSet::from_bytes("t", root.to_string().into_bytes()));
    assert_eq!(imported.profile.check(), Ok(()));
    imported.profile
}

#[test]
fn what_a_record_does_not_tell_is_absent() {
    let event = |cat: &str, ts: u32, args: Value| json!({ "ph": "X", "cat": cat, "name": "e", "pid": 1, "tid": 1, "ts": ts, "dur": 1, "args": args });
    let p = trace(json!([
        event("Kernel", 10, json!({})),
        event("cpu_op", 1, json!({ "External id": 0, "correlation": u32::MAX })),
        event("cpu_op", 5, json!({ "Collective name": "all\"gather", "correlation": 0, "Call stack": "" })),
        { "ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 4, "args": { "Bytes": -8, "Addr": u64::MAX } },
        { "ph": "i", "name": "[memory]", "pid": 1, "tid": 2, "ts": 4, "args": {} },
        { "ph": "I", "name": "[memory]", "pid": 1, "tid": 2, "ts": 4, "args": {} },
    ]));
    let torch = torch_of(&p);
    assert_eq!(torch.correlation, [ABSENT, 0, ABSENT]);
    assert_eq!(torch.external_id, [0, ABSENT, ABSENT]);
    let k = torch.kernels[0];
    assert_eq!(
        (k.slice, k.device, k.stream, k.registers, k.shared_memory, k.bytes, k.graph_node),
        (2, ABSENT, ABSENT, ABSENT, ABSENT, u64::MAX, 0)
    );
    assert!(k.blocks_per_sm.is_nan() && k.occupancy.is_nan() && p.strings.get(k.grid).is_empty());
    let c = torch.collectives[0];
    assert_eq!(
        (c.slice, p.strings.get(c.name), c.n_in, c.n_out, c.group_size, c.seq),
        (1, "all\"gather", u64::MAX, u64::MAX, ABSENT, ABSENT)
    );
    assert_eq!((torch.collectives.len(), torch.stacks.len()), (1, 0));
    let none = MemoryEvent::NO_DEVICE;
    let memory: Vec<_> = torch.memory.iter().map(|m| (m.time, m.device_type, m.device_id, m.address, m.bytes, m.allocated)).collect();
    assert_eq!(memory, [(3000, none, none, Some(u64::MAX), -8, None), (3000, none, none, None, 0, None)]);
    assert_ne!(torch.memory[0].track, torch.memory[1].track);
}

#[test]
fn forward_and_backward_are_paired_by_id() {
    let Some(dir) = conformance("kineto/traces/local-traces") else {
        return;
    };
    let paths = traces_below(&dir);
    let mut n = 0;
    for path in paths {
        let root: Value = serde_json::from_slice(&inflated(&path)).unwrap();
        let (mut order, mut ends): (Vec<u64>, HashMap<(u64, bool), f64>) = Default::default();
        for e in root["traceEvents"].as_array().unwrap().iter().filter(|e| e["cat"] == "fwdbwd") {
            let (id, is_start) = (e["id"].as_u64().unwrap(), e["ph"] == "s");
            if !order.contains(&id) {
                order.push(id);
            }
            ends.insert((id, is_start), e["ts"].as_f64().unwrap());
        }
        let trace = Trace::open(&path);
        let got = &trace.torch().backward;
        let want: Vec<f64> = order.iter().filter_map(|&id| Some(ends.get(&(id, false))? - ends.get(&(id, true))?)).collect();
        assert_eq!(got.len(), want.len(), "{}", path.display());
        // Differences of doubles of that size are exact to half a nanosecond or so.
        assert!(got.iter().zip(&want).all(|(g, w)| ((g.1 - g.0) as f64 / 1000.0 - w).abs() < 0.002), "{}", path.display());
        n += want.len();
    }
    assert!(n > 100, "{n} pairs");
}
