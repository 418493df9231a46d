//! What a snapshot gives to the timeline: memory over time, failed allocations and annotations.

use super::containers::Containers;
use super::value::Value;
use crate::base::{Ledger, Severity, text};
use crate::model::snapshot::SnapshotDevice;
use crate::model::{CounterSpec, Fact, MemorySnapshot, ProfileBuilder, RawSlice, RecordRef, TrackKind, TrackSpec};

/// A span that the program named (`external_annotations`).
pub struct Annotation {
    pub name: String,
    pub device: u32,
    /// Microseconds since 1970.
    pub start_us: i64,
    /// `None`: its end is not recorded.
    pub end_us: Option<i64>,
}

/// Annotations, from their starts and ends.
pub fn annotations(containers: &Containers, root: Value, ledger: &mut Ledger) -> Vec<Annotation> {
    let mut out: Vec<Annotation> = Vec::new();
    let all = containers.value(root, "external_annotations").and_then(|list| containers.list(list));
    let mut open: Vec<usize> = Vec::new();
    for &value in all.map_or(&[][..], |list| &list.values) {
        ledger.read += 1;
        let number = |key: &str| if let Some(Value::Int(n)) = containers.value(value, key) { Some(n) } else { None };
        let text = |key: &str| containers.value(value, key).map(|v| containers.text(v)).unwrap_or_default();
        let device = number("device").and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let (name, stage) = (text("name"), text("stage"));
        let found = open.iter().rposition(|&at| out[at].name == name && out[at].device == device);
        match (number("time_us"), stage.as_str(), found) {
            (Some(start_us), "START", _) => {
                open.push(out.len());
                out.push(Annotation { name, device, start_us, end_us: None });
                // Those that never end are not searched again and again.
                if open.len() > 1000 {
                    open.remove(0);
                }
            }
            (Some(end_us), "END", Some(at)) => out[open.remove(at)].end_us = Some(end_us),
            _ => {
                let reason = "An annotation without time, or an end without its start.";
                ledger.skip(Severity::Warning, "loose_annotation", reason, 0, || name.clone());
                continue;
            }
        }
        ledger.shown += 1;
    }
    out
}

/// Points of a curve that are kept at most; peaks and lows are among them.
const POINTS_MAX: usize = 100_000;

/// Adds the rows of every device.
pub fn rows(builder: &mut ProfileBuilder, snapshot: &MemorySnapshot, annotations: &[Annotation], first_us: Option<i64>) {
    let Some(first_us) = first_us else { return };
    let since = |us: i64| us.saturating_sub(first_us).saturating_mul(1000);
    let last = snapshot.devices.iter().filter_map(|d| d.times.last()).max().copied().unwrap_or(0);
    for device in &snapshot.devices {
        let own: Vec<&Annotation> = annotations.iter().filter(|a| a.device == device.device).collect();
        if device.times.is_empty() && own.is_empty() {
            continue;
        }
        let number = i64::from(device.device);
        let group = builder.track(TrackSpec { parent: None, name: format!("Device {number}"), kind: TrackKind::Group, sort: number });
        let track = |builder: &mut ProfileBuilder, name: &str, kind, sort| {
            builder.track(TrackSpec { parent: Some(group), name: name.into(), kind, sort })
        };
        if !own.is_empty() {
            let row = track(builder, "Annotations", TrackKind::Async, 0);
            for annotation in own {
                let (start, end) = (since(annotation.start_us), annotation.end_us.map_or(last, since));
                let name = builder.strings.intern(&annotation.name);
                let duration = end.saturating_sub(start).max(0);
                builder.slice(RawSlice { track: row, start, duration, name, record: RecordRef::default() });
            }
        }
        if !device.ooms.is_empty() {
            let row = track(builder, "Failed allocations", TrackKind::Other, 1);
            for oom in &device.ooms {
                let name = builder.strings.intern(&format!("Out of memory: {} asked for", text::bytes(oom.size)));
                builder.instant(row, device.time(oom.state).unwrap_or(0), name, RecordRef::default());
            }
        }
        if !device.times.is_empty() {
            let row = track(builder, "Allocated memory", TrackKind::Counter, 2);
            counter(builder, row, allocated(device));
            let row = track(builder, "Reserved memory", TrackKind::Counter, 3);
            let reserved = device.reserved.iter().map(|&(state, bytes)| (device.time(state).unwrap_or(0), bytes));
            counter(builder, row, thinned(&reserved.collect::<Vec<_>>()));
        }
    }
}

fn counter(builder: &mut ProfileBuilder, row: crate::base::TrackId, points: Vec<(i64, u64)>) {
    let samples = points.into_iter().map(|(time, bytes)| (time, vec![bytes as f64])).collect();
    builder.counter(row, CounterSpec { unit: "bytes".into(), is_stacked: false, series: vec!["bytes".into()], samples });
}

fn allocated(device: &SnapshotDevice) -> Vec<(i64, u64)> {
    let point = |state: usize| (device.time(state as u32).unwrap_or(0), device.allocated[state]);
    let n = device.allocated.len();
    if n <= POINTS_MAX {
        return (0..n).map(point).collect();
    }
    // The lowest and the highest state of each part.
    let part = n.div_ceil(POINTS_MAX / 2);
    let extremes = (0..n).step_by(part).flat_map(|from| {
        let states = from..n.min(from + part);
        let low = states.clone().min_by_key(|&s| device.allocated[s]).unwrap_or(from);
        let high = states.max_by_key(|&s| device.allocated[s]).unwrap_or(from);
        [low.min(high), low.max(high)]
    });
    extremes.map(point).collect()
}

fn thinned(points: &[(i64, u64)]) -> Vec<(i64, u64)> {
    let step = points.len().div_ceil(POINTS_MAX).max(1);
    let last = points.last().filter(|_| step > 1);
    points.iter().step_by(step).chain(last).copied().collect()
}

/// What is known of a device at a glance.
pub fn facts(device: &SnapshotDevice) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { group: format!("Device {}", device.device), name: name.into(), value };
    let mut out = vec![
        fact("Events", text::count(device.allocated.len() as u64 - 1)),
        fact("Allocations", text::count(device.allocations.len() as u64)),
        fact("Segments", text::count(device.segments.len() as u64)),
        fact("Blocks", text::count(device.blocks.len() as u64)),
    ];
    if let Some(peak) = device.allocated.iter().max() {
        out.push(fact("Peak of allocated memory", text::bytes(*peak)));
    }
    if !device.ooms.is_empty() {
        out.push(fact("Failed allocations", text::count(device.ooms.len() as u64)));
    }
    out
}
