//! What the Memory view shows, from the worker's answers.

use crate::analysis::torch::memory::{Memory, MemoryDevice, MemoryEvents, MemoryPeak, MemoryRow};
use crate::base::{DurationNs, TimeNs, TimeRange, text};
use crate::ui::curve::{Line, Mark, Shape};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

/// Names of the devices.
pub fn devices(memory: &Memory) -> Vec<String> {
    memory.devices.iter().map(|d| d.name.clone()).collect()
}

/// The device of that name; the default one where there is none.
pub fn device<'a>(memory: &'a Memory, name: &str) -> Option<&'a MemoryDevice> {
    memory.devices.iter().find(|d| d.name == name).or_else(|| memory.devices.get(memory.default_device))
}

/// Allocated and reserved bytes over time.
pub fn lines(device: &MemoryDevice) -> Vec<Line> {
    let line = |name: &str, colour, shape, value: fn(&crate::analysis::torch::memory::MemoryPoint) -> u64| Line {
        name: name.into(),
        colour,
        shape,
        points: device.curve.iter().map(|p| (p.time.0, value(p) as f64)).collect(),
    };
    if device.curve.is_empty() {
        return Vec::new();
    }
    let allocated = line("Allocated", 0, Shape::Area, |p| p.allocated_bytes);
    // The host's allocator reserves nothing: a line along zero would say that it does.
    let has_reserved = device.curve.iter().any(|p| p.reserved_bytes > 0);
    let reserved = has_reserved.then(|| line("Reserved", 3, Shape::Step, |p| p.reserved_bytes));
    reserved.into_iter().chain([allocated]).collect()
}

/// The peak as a point with a name.
pub fn marks(device: &MemoryDevice) -> Vec<Mark> {
    let mark = |p: MemoryPeak| Mark { x: p.time.0, y: p.allocated_bytes as f64, label: format!("Peak {}", text::bytes(p.allocated_bytes)) };
    device.peak.map(mark).into_iter().collect()
}

/// Where the peak was, in a sentence.
pub fn peak_sentence(device: &MemoryDevice, origin: TimeNs) -> String {
    let Some(peak) = device.peak else { return "Peak not available: total allocated memory is not recorded in this file.".into() };
    let of =
        device.capacity_bytes.map(|c| format!(" of {} ({})", text::bytes(c), text::percent(peak.allocated_bytes as f64 / c.max(1) as f64)));
    format!("Peak {}{} after {}", text::bytes(peak.allocated_bytes), of.unwrap_or_default(), text::duration(peak.time.since(origin)))
}

/// Which records are not in the table; `None` if all are.
pub fn outside_sentence(device: &MemoryDevice) -> Option<String> {
    (device.n_outside > 0).then(|| {
        let sign = if device.outside_bytes < 0 { "−" } else { "" };
        format!(
            "{} of {} records are outside operators and in no row; their sum is {sign}{}.",
            text::count(device.n_outside),
            text::count(device.n_records),
            text::bytes(device.outside_bytes.unsigned_abs())
        )
    })
}

fn specs() -> Columns<MemoryRow> {
    const INCREASE: &str = "Bytes allocated minus bytes released in the calls and everything they contain.";
    const SELF_INCREASE: &str = "Bytes allocated minus bytes released in the calls themselves.";
    const SIZE: &str = "Bytes of these allocations, without releases, in the calls and everything they contain.";
    const SELF_SIZE: &str = "Bytes of these allocations, without releases, in the calls themselves.";
    Columns::<MemoryRow>::new()
        .column("operator", "Operator", Kind::Name, "Operator that allocated or released memory.", |r| Cell::Text(r.name.clone()))
        .column("calls", "Calls", Kind::Count, "Calls that allocated or released memory, and calls next to or inside them.", |r| {
            r.calls.into()
        })
        .summed()
        .column("size_increase", "Size Increase", Kind::Bytes, INCREASE, |r| Cell::Int(r.increase_bytes))
        .column("self_size_increase", "Self Size Increase", Kind::Bytes, SELF_INCREASE, |r| Cell::Int(r.self_increase_bytes))
        .summed()
        .column("allocation_count", "Allocation Count", Kind::Count, "Allocations in the calls and everything they contain.", |r| {
            r.allocations.into()
        })
        .column("self_allocation_count", "Self Allocation Count", Kind::Count, "Allocations in the calls themselves.", |r| {
            r.self_allocations.into()
        })
        .summed()
        .column("allocation_size", "Allocation Size", Kind::Bytes, SIZE, |r| Cell::Int(r.allocated_bytes))
        .column("self_allocation_size", "Self Allocation Size", Kind::Bytes, SELF_SIZE, |r| Cell::Int(r.self_allocated_bytes))
        .summed()
}

/// Columns of the statistics, named as the plugin names them.
pub fn columns() -> Vec<Column> {
    specs().headers()
}

/// A row per operator.
pub fn rows(device: &MemoryDevice) -> Vec<Row> {
    specs().rows(&device.operators)
}

/// Columns of the allocations.
pub fn event_columns() -> Vec<Column> {
    vec![
        Column::new("operator", "Operator", Kind::Name, "Operator that allocated it, or the operator that encloses the allocation."),
        Column::new("size", "Size", Kind::Bytes, "Size of the allocation."),
        Column::new("allocation_time", "Allocation Time", Kind::Duration, "Time since the start of the trace. Empty if before the range."),
        Column::new("release_time", "Release Time", Kind::Duration, "Time since the start of the trace. Empty if not within the range."),
        Column::new("duration", "Duration", Kind::Duration, "From allocation to release, if both are recorded."),
    ]
}

/// A row per piece. Times count from `origin`.
pub fn event_rows(events: &MemoryEvents, origin: TimeNs) -> Vec<Row> {
    let time = |t: Option<TimeNs>| t.map_or(Cell::Absent, |t| Cell::Int(t.since(origin).0));
    let row = |e: &crate::analysis::torch::memory::MemoryLife| {
        let life = e.allocated.zip(e.released).map_or(Cell::Absent, |(a, b)| Cell::Int(b.since(a).0));
        let name = e.operator.clone().unwrap_or_else(|| "<unknown>".into());
        let size = Cell::from(e.size_bytes);
        Row::new(vec![Cell::Text(name), size, time(e.allocated), time(e.released), life])
    };
    events.rows.iter().map(row).collect()
}

/// The part of the trace that values are of, in a sentence.
pub fn scope(range: Option<TimeRange>, origin: TimeNs) -> String {
    match range {
        None => "Entire trace".into(),
        Some(r) => {
            let at = |t: TimeNs| text::duration(t.since(origin));
            format!("Selected range {} – {} ({})", at(r.start), at(r.end), text::duration(r.duration()))
        }
    }
}

/// How many pieces are listed and why no others.
pub fn events_sentence(events: &MemoryEvents, least: u64, is_default: bool) -> String {
    let listed = events.rows.len() as u64;
    let all = events.n_total;
    let cut = if listed < all { format!("The largest {} of {}", text::count(listed), text::count(all)) } else { text::count(all) };
    let why = if is_default { ", a quarter of the largest: lower the minimum size to see smaller ones" } else { "" };
    format!("{cut} allocations of at least {}{why}. The largest has {}.", text::bytes(least), text::bytes(events.largest_bytes))
}

/// Said where no piece is known in the whole profile.
pub const NO_PIECE: &str = "Not available: the records of this device do not link allocations to releases.";
/// Shown if no allocation is known in a range.
pub const NO_PIECE_HERE: &str = "No allocation is known in this range.";

/// A size as typed: `512`, `1.5 KiB`, `2 MB`. `None` for what is no size.
pub fn parse_bytes(typed: &str) -> Option<u64> {
    let typed = typed.trim();
    let split = typed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(typed.len());
    let number: f64 = typed[..split].parse().ok()?;
    let scale = match typed[split..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "m" | "mb" | "mib" => 1024.0 * 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = number * scale;
    (bytes.is_finite() && bytes < 9e18).then_some(bytes.round() as u64)
}

/// A duration for people.
pub fn lived(e: &crate::analysis::torch::memory::MemoryLife) -> String {
    let life = e.allocated.zip(e.released).map(|(a, b)| text::duration(DurationNs(b.0.saturating_sub(a.0))));
    life.map_or_else(|| "lifetime not recorded".into(), |l| format!("lifetime {l}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::memory::{MemoryLife, MemoryPoint, MemoryRow};

    fn point(time: i64, allocated_bytes: u64, reserved_bytes: u64) -> MemoryPoint {
        MemoryPoint { time: TimeNs(time), allocated_bytes, reserved_bytes }
    }

    #[test]
    fn a_device_without_reserved_memory_has_one_line() {
        let mut device = MemoryDevice { curve: vec![point(0, 1, 0), point(5, 2, 0)], ..MemoryDevice::default() };
        assert_eq!(lines(&device).iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["Allocated"]);
        device.curve[1].reserved_bytes = 4;
        assert_eq!(lines(&device).iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["Reserved", "Allocated"]);
        assert!(lines(&MemoryDevice::default()).is_empty());
    }

    #[test]
    fn an_unknown_device_is_the_default_one() {
        let named = |n: &str| MemoryDevice { name: n.into(), ..MemoryDevice::default() };
        let memory = Memory { devices: vec![named("CPU"), named("GPU0")], default_device: 1, ..Memory::default() };
        assert_eq!(device(&memory, "CPU").map(|d| d.name.as_str()), Some("CPU"));
        assert_eq!(device(&memory, "XPU7").map(|d| d.name.as_str()), Some("GPU0"));
        assert_eq!(device(&Memory::default(), ""), None);
    }

    #[test]
    fn rows_have_a_cell_per_column() {
        let device = MemoryDevice { operators: vec![MemoryRow::default()], ..MemoryDevice::default() };
        assert_eq!(rows(&device)[0].cells.len(), columns().len());
        let life = MemoryLife { allocated: Some(TimeNs(30)), released: Some(TimeNs(50)), size_bytes: 8, ..MemoryLife::default() };
        let events = MemoryEvents { rows: vec![life, MemoryLife::default()], n_total: 2, largest_bytes: 8 };
        let got = event_rows(&events, TimeNs(10));
        assert_eq!(got[0].cells[2..], [Cell::Int(20), Cell::Int(40), Cell::Int(20)]);
        assert_eq!(got[1].cells, [Cell::Text("<unknown>".into()), Cell::Int(0), Cell::Absent, Cell::Absent, Cell::Absent]);
        assert_eq!(got[0].cells.len(), event_columns().len());
    }

    #[test]
    fn sizes_are_read_with_units() {
        let check = |typed: &str, want| assert_eq!(parse_bytes(typed), want, "{typed}");
        check("512", Some(512));
        check(" 1.5 KiB ", Some(1536));
        check("2MB", Some(2 << 20));
        check("", None);
        check("12 apples", None);
        check("1e400", None);
    }

    #[test]
    fn sentences_say_what_is_left_out() {
        let device = MemoryDevice { n_outside: 3, n_records: 10, outside_bytes: -2048, ..MemoryDevice::default() };
        assert_eq!(
            outside_sentence(&device).as_deref(),
            Some("3 of 10 records are outside operators and in no row; their sum is −2.00 KiB.")
        );
        assert_eq!(outside_sentence(&MemoryDevice::default()), None);
        assert!(peak_sentence(&device, TimeNs(0)).starts_with("Peak not available"));
        let peak = Some(MemoryPeak { time: TimeNs(1_500), allocated_bytes: 1 << 30, operator: None });
        let device = MemoryDevice { peak, capacity_bytes: Some(4 << 30), ..MemoryDevice::default() };
        assert_eq!(peak_sentence(&device, TimeNs(500)), "Peak 1.00 GiB of 4.00 GiB (25.0%) after 1.00 µs");
        assert_eq!(marks(&device)[0].label, "Peak 1.00 GiB");
        let events = MemoryEvents { n_total: 2, largest_bytes: 4096, ..MemoryEvents::default() };
        assert!(events_sentence(&events, 1024, true).contains("a quarter of the largest"));
    }
}
