//! Tables of a Neuron system profile, with the names, types and units of Neuron Explorer's schema. Times are nanoseconds from the start of the profile,
//! as on its timeline: `SystemProfileMetadata.first_ts_ns` is that start as an epoch.

use super::Kind::*;
use super::cells;
use super::slices::read_fields;
use super::{Column, Part, Table, TableEntry, Values, Words};
use crate::base::SliceId;
use crate::engine::{Refusal, Session};
use crate::model::system::{NeuronSystem, Row, RowKind};
use crate::model::{Cell, Counter};

const NS: &str = "nanoseconds";
const BYTES: &str = "bytes";

/// Tables of the schema.
pub(super) const TABLES: &[TableEntry] = &[
    (
        EVENTS,
        &[
            ("id", Int64, ""),
            ("name", Text, ""),
            ("start_ts", Int64, NS),
            ("end_ts", Int64, NS),
            ("duration_ns", Int64, NS),
            ("trace_event_source", Text, ""),
            ("instance_id", Text, ""),
            ("process_id", Int64, ""),
            ("thread_id", Int64, ""),
            ("nc_idx", Int64, ""),
            ("pcore_idx", Int64, ""),
            ("worker_gid", Int64, ""),
            ("flow_id", Text, ""),
            ("framework_stream_id", Text, ""),
            ("extra_attributes_json", Text, ""),
        ],
    ),
    (
        "SystemProfileHbmUsage",
        &[
            ("timestamp", Int64, NS),
            ("total_bytes", Int64, BYTES),
            ("generic_bytes", Int64, BYTES),
            ("tensor_instructions_bytes", Int64, BYTES),
            ("scalar_instructions_bytes", Int64, BYTES),
            ("gpsimd_instructions_bytes", Int64, BYTES),
            ("io_bytes", Int64, BYTES),
            ("dram_spill_bytes", Int64, BYTES),
            ("weights_bytes", Int64, BYTES),
            ("profiler_buffers_bytes", Int64, BYTES),
            ("scalar_table_bytes", Int64, BYTES),
            ("vector_instructions_bytes", Int64, BYTES),
            ("sync_instructions_bytes", Int64, BYTES),
            ("shared_scratchpad_bytes", Int64, BYTES),
            ("tensors_bytes", Int64, BYTES),
            ("ucode_lib_bytes", Int64, BYTES),
            ("gpsimd_stdio_bytes", Int64, BYTES),
            ("collectives_bytes", Int64, BYTES),
            ("scratchpad_bytes", Int64, BYTES),
            ("dma_rings_runtime_bytes", Int64, BYTES),
            ("dma_rings_spill_bytes", Int64, BYTES),
            ("dma_rings_io_bytes", Int64, BYTES),
            ("dma_rings_collectives_bytes", Int64, BYTES),
            ("unknown_bytes", Int64, BYTES),
            ("device_idx", Int64, ""),
            ("hbm_idx", Int64, ""),
            ("instance_id", Text, ""),
        ],
    ),
    (
        "SystemProfileMetadata",
        &[
            ("first_ts", Text, ""),
            ("last_ts", Text, ""),
            ("first_ts_ns", Text, ""),
            ("last_ts_ns", Text, ""),
            ("ntff_version", Int64, ""),
            ("hbm_capacity_bytes", Int64, BYTES),
        ],
    ),
    ("CpuUsage", &[("timestamp", Int64, NS), ("util_percent", Float, "percent"), ("cpu_id", Text, ""), ("instance_id", Text, "")]),
    (
        "HostMemUsage",
        &[("timestamp", Int64, NS), ("used_bytes", Int64, BYTES), ("used_percent", Float, "percent"), ("instance_id", Text, "")],
    ),
    (
        "DeviceProfileList",
        &[
            ("device_profile_name", Text, ""),
            ("instance_id", Text, ""),
            ("process_id", Int64, ""),
            ("nc_id", Int64, ""),
            ("session_id", Int64, ""),
            ("model_id", Int64, ""),
        ],
    ),
];

const EVENTS: &str = "SystemProfileEvents";

/// Columns of events that only the file has: of each the names that the formats give it.
const IN_FILE: [(&str, &[&str]); 5] = [
    ("id", &["id"]),
    ("pcore_idx", &["pcore_idx", "device_core_idx"]),
    ("worker_gid", &["worker_gid"]),
    ("framework_stream_id", &["framework_stream_id"]),
    ("extra_attributes_json", &["extra_attributes_json"]),
];

/// A part of a table of these.
pub(super) fn part(session: &Session, system: &NeuronSystem, table: &Table, from: usize, most: usize) -> Result<Part, Refusal> {
    let profile = &session.profile;
    if table.name == EVENTS {
        let n = profile.slices.len();
        let first = from.min(n);
        let end = first.saturating_add(most).min(n);
        let slices: Vec<SliceId> = (first..end).map(|i| SliceId(i as u32)).collect();
        let columns = events(session, system, &table.columns, &slices)?;
        return Ok(Part { columns, n_rows: slices.len(), next: (end < n).then_some(end) });
    }
    let rows: Vec<Vec<Cell>> = match table.name.as_ref() {
        "SystemProfileHbmUsage" => {
            samples(session, system, RowKind::Hbm, |row, counter, at| hbm(session, row, counter, at, &table.columns))
        }
        "CpuUsage" => samples(session, system, RowKind::Cpu, |row, counter, at| {
            table.columns.iter().map(|c| cpu(session, row, counter, at, &c.name)).collect()
        }),
        "HostMemUsage" => host_memory(session, system, &table.columns),
        "SystemProfileMetadata" => vec![table.columns.iter().map(|c| metadata(session, system, &c.name)).collect()],
        _ => {
            let cell = |d: &crate::model::system::DeviceProfile, column: &str| match column {
                "device_profile_name" => text(&d.name),
                "instance_id" => text(&d.instance),
                "process_id" => text(&d.process),
                "nc_id" => text(&d.core),
                _ => Cell::Absent,
            };
            system.device_profiles.iter().map(|d| table.columns.iter().map(|c| cell(d, &c.name)).collect()).collect()
        }
    };
    let column = |(at, c): (usize, &Column)| cells::values(c.kind, rows.iter().map(|row| row[at].clone()));
    let columns = table.columns.iter().enumerate().map(column).collect();
    Ok(Part { columns, n_rows: rows.len(), next: None })
}

fn text(text: &str) -> Cell {
    if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) }
}

fn events(session: &Session, system: &NeuronSystem, columns: &[Column], slices: &[SliceId]) -> Result<Vec<Values>, Refusal> {
    let (profile, all) = (&session.profile, &session.profile.slices);
    let keys: Vec<(&str, &[&str])> = IN_FILE.into_iter().filter(|f| columns.iter().any(|c| c.name == f.0)).collect();
    let names: Vec<&[&str]> = keys.iter().map(|k| k.1).collect();
    let read = if keys.is_empty() { Vec::new() } else { read_fields(session, slices, &names)? };
    let ints = |of: &dyn Fn(usize) -> Option<i64>| Values::Ints(slices.iter().map(|s| of(s.index())).collect());
    let of_attribute = |id: &str| {
        let attribute = profile.attribute(id);
        Words::of_strings(&profile.strings, slices.iter().map(|s| attribute.and_then(|a| a.values.get(s.index()).copied())))
    };
    let number = |id: &str| {
        let attribute = profile.attribute(id);
        ints(&|i| attribute.and_then(|a| profile.strings.get(*a.values.get(i)?).parse().ok()))
    };
    let column = |c: &Column| match c.name.as_ref() {
        "name" => Words::of_strings(&profile.strings, slices.iter().map(|s| Some(all.name[s.index()]))),
        "start_ts" => ints(&|i| Some(all.start[i])),
        "end_ts" => ints(&|i| Some(all.end(i))),
        "duration_ns" => ints(&|i| Some(all.duration[i])),
        "trace_event_source" => of_attribute("source"),
        "instance_id" => of_attribute("instance"),
        "process_id" => number("process"),
        "nc_idx" => number("core"),
        "thread_id" => {
            let thread = |s: &SliceId| {
                let row = system.rows.get(profile.track_of(*s)?.index())?;
                profile.strings.get(row.thread).parse().ok()
            };
            Values::Ints(slices.iter().map(thread).collect())
        }
        "flow_id" => {
            let flow = |s: &SliceId| {
                let at = system.flows.binary_search_by_key(s, |f| f.slice).ok()?;
                let ids: Vec<String> = system.flows[at].flows.iter().map(|id| format!("\"{}\"", profile.strings.get(*id))).collect();
                Some(format!("[{}]", ids.join(", ")))
            };
            Values::Texts(slices.iter().map(flow).collect())
        }
        name => {
            let Some(at) = keys.iter().position(|k| k.0 == name) else { return Values::absent(c.kind, slices.len()) };
            cells::read_back(c.kind, read.iter().map(|row| row.get(at).cloned().unwrap_or_default()))
        }
    };
    Ok(columns.iter().map(column).collect())
}

/// Calls `row` for each sample of the counters of one kind, with (row of the counter, counter, sample).
fn samples(session: &Session, system: &NeuronSystem, kind: RowKind, row: impl Fn(&Row, &Counter, usize) -> Vec<Cell>) -> Vec<Vec<Cell>> {
    let of = |counter: &&Counter| system.rows.get(counter.track.index()).is_some_and(|r| r.kind == kind);
    let rows = |counter: &Counter| -> Vec<Vec<Cell>> {
        let of = system.rows.get(counter.track.index()).copied().unwrap_or_default();
        (0..counter.times.len()).map(|at| row(&of, counter, at)).collect()
    };
    session.profile.counters.iter().filter(of).flat_map(rows).collect()
}

fn value(counter: &Counter, series: usize, at: usize) -> Option<f64> {
    counter.series.get(series)?.values.get(at).copied().filter(|v| v.is_finite())
}

fn cpu(session: &Session, row: &Row, counter: &Counter, at: usize, column: &str) -> Cell {
    let strings = &session.profile.strings;
    match column {
        "timestamp" => Cell::Int(counter.times[at]),
        "util_percent" => value(counter, 0, at).map_or(Cell::Absent, Cell::Float),
        "cpu_id" => text(strings.get(row.core)),
        "instance_id" => text(strings.get(row.instance)),
        _ => Cell::Absent,
    }
}

/// A sample of HBM: a series is named after its category. A category without a series in the file is not recorded.
fn hbm(session: &Session, row: &Row, counter: &Counter, at: usize, columns: &[Column]) -> Vec<Cell> {
    let strings = &session.profile.strings;
    let (device, hbm) = strings.get(row.core).split_once(':').unwrap_or(("", ""));
    let of = |series: usize| value(counter, series, at).map_or(Cell::Absent, |v| Cell::Int(v as i64));
    let cell = |c: &Column| match c.name.as_ref() {
        "timestamp" => Cell::Int(counter.times[at]),
        "total_bytes" => Cell::Int((0..counter.series.len()).filter_map(|s| value(counter, s, at)).sum::<f64>() as i64),
        "device_idx" => text(device),
        "hbm_idx" => text(hbm),
        "instance_id" => text(strings.get(row.instance)),
        name => {
            let category = crate::formats::system_events::hbm_category(name);
            counter.series.iter().position(|s| Some(s.name.as_str()) == category).map_or(Cell::Absent, of)
        }
    };
    columns.iter().map(cell).collect()
}

/// Bytes and share are curves of their own with the same times.
fn host_memory(session: &Session, system: &NeuronSystem, columns: &[Column]) -> Vec<Vec<Cell>> {
    let mut found: std::collections::BTreeMap<(i64, u32), [Option<f64>; 2]> = std::collections::BTreeMap::new();
    for counter in &session.profile.counters {
        let Some(row) = system.rows.get(counter.track.index()).filter(|r| r.kind == RowKind::HostMemory) else { continue };
        let which = usize::from(counter.unit != "bytes");
        for (at, time) in counter.times.iter().enumerate() {
            found.entry((*time, row.instance.0)).or_default()[which] = value(counter, 0, at);
        }
    }
    let row = |((time, instance), [bytes, share]): ((i64, u32), [Option<f64>; 2])| {
        let cell = |c: &Column| match c.name.as_ref() {
            "timestamp" => Cell::Int(time),
            "used_bytes" => bytes.map_or(Cell::Absent, |v| Cell::Int(v as i64)),
            "used_percent" => share.map_or(Cell::Absent, Cell::Float),
            "instance_id" => text(session.profile.strings.get(crate::base::StrId(instance))),
            _ => Cell::Absent,
        };
        columns.iter().map(cell).collect()
    };
    found.into_iter().map(row).collect()
}

fn metadata(session: &Session, system: &NeuronSystem, column: &str) -> Cell {
    let meta = &session.profile.meta;
    let epoch =
        |of: i64| meta.origin_epoch_ns.and_then(|first| first.checked_add(of)).map_or(Cell::Absent, |ns| Cell::Text(ns.to_string()));
    match column {
        "first_ts_ns" => epoch(0),
        "last_ts_ns" => epoch(meta.range.end.0),
        "hbm_capacity_bytes" => system.hbm_capacity.and_then(|n| i64::try_from(n).ok()).map_or(Cell::Absent, Cell::Int),
        _ => Cell::Absent,
    }
}
