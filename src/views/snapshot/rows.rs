//! What the Memory snapshot view shows, from the worker's answers.

use super::draw::TimeMarker;
use crate::analysis::snapshot::{
    Allocation, AllocationDetail, DeviceSummary, Live, LiveAllocations, OomRow, Picture, SegmentMap, SnapshotSummary,
};
use crate::base::{DurationNs, text};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

/// The device of that number, as chosen; else that with the highest peak.
pub fn device<'a>(summary: &'a SnapshotSummary, chosen: &str) -> Option<&'a DeviceSummary> {
    let named = summary.devices.iter().find(|d| d.device.to_string() == chosen);
    named.or_else(|| summary.devices.iter().rev().max_by_key(|d| d.peak))
}

/// Peak, reserved memory, fragmentation in one line.
pub fn figures(device: &DeviceSummary) -> String {
    let mut out = format!("Peak {}", text::bytes(device.peak));
    if device.peak_reserved > 0 {
        out += &format!(" of {} reserved", text::bytes(device.peak_reserved));
    }
    if let Some(time) = device.peak_time {
        out += &format!(" after {}", text::duration(DurationNs(time)));
    }
    out + &format!("; {} allocations, {} events", text::count(device.n_allocations), text::count(device.n_events))
}

/// Marks of the peak and of failed allocations.
pub fn time_markers(device: &DeviceSummary, by_time: bool) -> Vec<TimeMarker> {
    let place = |state: u32, time: Option<i64>| if by_time { time } else { Some(i64::from(state)) };
    let peak = place(device.peak_state, device.peak_time).map(|at| TimeMarker {
        at,
        label: format!("Peak {}", text::bytes(device.peak)),
        is_failure: false,
    });
    let oom = |o: &OomRow| {
        Some(TimeMarker { at: place(o.state, o.time)?, label: format!("Out of memory: {}", text::bytes(o.size)), is_failure: true })
    };
    peak.into_iter().chain(device.ooms.iter().filter_map(oom)).collect()
}

/// A state in words.
pub fn summary_of(live: &Live) -> String {
    let event =
        if live.state == 0 { "before the first event".into() } else { format!("after event {}", text::count(u64::from(live.state))) };
    let time = live.time.filter(|_| live.state > 0).map(|t| format!(" ({})", text::duration(DurationNs(t)))).unwrap_or_default();
    let share = if live.reserved > 0 {
        format!(", {} of {} reserved", text::percent(live.bytes as f64 / live.reserved as f64), text::bytes(live.reserved))
    } else {
        String::new()
    };
    format!("{} in {} allocations {event}{time}{share}", text::bytes(live.bytes), text::count(live.n))
}

fn group_specs(total: u64) -> Columns<crate::analysis::snapshot::LiveGroup> {
    Columns::new()
        .column("frame", "Frame", Kind::Name, "Code that allocated the memory.", |g: &crate::analysis::snapshot::LiveGroup| {
            Cell::Text(g.label.clone())
        })
        .column("bytes", "Size", Kind::Bytes, "Bytes asked for by these allocations.", |g| g.bytes.into())
        .summed()
        .column("share", "Share", Kind::Share, "Share of all bytes that are allocated at this moment.", move |g| {
            if total > 0 { Cell::Float(g.bytes as f64 / total as f64) } else { Cell::Absent }
        })
        .column("n", "Allocations", Kind::Count, "Allocations at this moment.", |g| g.n.into())
        .summed()
        .column("largest", "Largest", Kind::Bytes, "Bytes of the largest of these allocations. Click the row for its stack.", |g| {
            g.largest_bytes.into()
        })
}

/// Columns of live bytes by frame.
pub fn group_columns() -> Vec<Column> {
    group_specs(0).headers()
}

/// A row per frame.
pub fn group_rows(live: &Live) -> Vec<Row> {
    let specs = group_specs(live.bytes);
    live.groups.iter().map(|group| Row { colour: Some(group.slot), ..specs.row(group) }).collect()
}

fn allocation_specs() -> Columns<Allocation> {
    Columns::new()
        .column("frame", "Frame", Kind::Name, "Innermost Python frame that allocated it.", |a: &Allocation| Cell::Text(a.frame.clone()))
        .column("size", "Size", Kind::Bytes, "Bytes asked for.", |a| a.size.into())
        .summed()
        .column("address", "Address", Kind::Text, "Address on the device.", |a| Cell::Text(format!("{:#x}", a.address)))
        .column("stream", "Stream", Kind::Text, "Stream that it was allocated for.", |a| Cell::Text(a.stream.to_string()))
        .column("from", "Allocated at event", Kind::Count, "Event that allocated it. Empty if before the first event.", |a| {
            a.from.map(u64::from).into()
        })
        .column("to", "Released at event", Kind::Count, "Event that released it. Empty if live after the last event.", |a| {
            a.to.map(u64::from).into()
        })
        .column("life", "Lifetime", Kind::Duration, "From allocation to release, if both are recorded.", |a| {
            a.times.0.zip(a.times.1).map(|(from, to)| DurationNs(to.saturating_sub(from))).into()
        })
}

/// Columns of the allocations of a moment.
pub fn allocation_columns() -> Vec<Column> {
    allocation_specs().headers()
}

/// A row per allocation.
pub fn allocation_rows(live: &LiveAllocations) -> Vec<Row> {
    let specs = allocation_specs();
    live.rows.iter().map(|a| Row { colour: Some(a.slot), ..specs.row(a) }).collect()
}

/// When it lived, in words.
pub fn life(detail: &AllocationDetail) -> Vec<(String, String)> {
    let row = &detail.row;
    let time = |t: Option<i64>| t.map(|t| format!(" ({})", text::duration(DurationNs(t)))).unwrap_or_default();
    let event = |state: Option<u32>, t: Option<i64>, none: &str| {
        state.map_or_else(|| none.to_string(), |s| format!("event {}{}", text::count(u64::from(s)), time(t)))
    };
    let mut out = vec![
        ("Size".to_string(), format!("{} ({} B)", text::bytes(row.size), text::count(row.size))),
        ("Address".into(), format!("{:#x}", row.address)),
        ("Stream".into(), row.stream.to_string()),
        ("Allocated".into(), event(row.from, row.times.0, "before the first event")),
    ];
    if let Some((state, at)) = detail.requested.filter(|r| Some(r.0) != row.to) {
        out.push(("Release asked for".into(), event(Some(state), at, "")));
    }
    out.push(("Released".into(), event(row.to, row.times.1, "live after the last event")));
    if let (Some(from), Some(to)) = row.times {
        out.push(("Lifetime".into(), text::duration(DurationNs(to.saturating_sub(from)))));
    }
    out.extend(detail.texts.iter().cloned());
    out
}

fn oom_specs() -> Columns<OomRow> {
    Columns::new()
        .column("event", "Event", Kind::Count, "Event of the failed allocation.", |o: &OomRow| u64::from(o.state).into())
        .column("time", "Time", Kind::Duration, "Time since the first event.", |o| o.time.map(DurationNs).into())
        .column("size", "Size asked for", Kind::Bytes, "Bytes that could not be allocated.", |o| o.size.into())
        .column("free", "Free on the device", Kind::Bytes, "Free bytes of the device at that moment.", |o| o.device_free.into())
        .column("allocated", "Allocated", Kind::Bytes, "Bytes allocated at that moment.", |o| o.allocated.into())
        .column("reserved", "Reserved", Kind::Bytes, "Bytes that the allocator had from the device.", |o| o.reserved.into())
        .column("frame", "Frame", Kind::Name, "Innermost Python frame that asked for it.", |o| Cell::Text(o.frame.clone()))
}

/// Columns of failed allocations.
pub fn oom_columns() -> Vec<Column> {
    oom_specs().headers()
}

/// A row per failed allocation.
pub fn oom_rows(device: &DeviceSummary) -> Vec<Row> {
    oom_specs().rows(&device.ooms)
}

fn segment_specs() -> Columns<crate::analysis::snapshot::SegmentRow> {
    use crate::analysis::snapshot::SegmentRow;
    Columns::new()
        .column("address", "Address", Kind::Name, "Address of the segment.", |s: &SegmentRow| Cell::Text(format!("{:#x}", s.address)))
        .column("size", "Size", Kind::Bytes, "Bytes that the allocator got from the device.", |s| s.size.into())
        .summed()
        .column("used", "In use", Kind::Bytes, "Bytes of blocks in use.", |s| s.allocated.into())
        .summed()
        .column("free", "Free", Kind::Bytes, "Bytes of free blocks: reserved, and not available to other processes.", |s| s.free.into())
        .summed()
        .column("largest", "Largest free block", Kind::Bytes, "An allocation larger than every free block needs a new segment.", |s| {
            s.largest_free.into()
        })
        .column("blocks", "Blocks", Kind::Count, "Blocks in use and free ones.", |s| s.n_blocks.into())
        .summed()
        .column("pool", "Pool", Kind::Text, "Kind of the segment, and the private pool it belongs to.", |s| Cell::Text(pool(s)))
        .column("stream", "Stream", Kind::Text, "Stream that it was allocated for.", |s| Cell::Text(s.stream.to_string()))
        .column("frame", "Frame", Kind::Text, "Innermost Python frame that made the allocator ask for it.", |s| Cell::Text(s.frame.clone()))
}

fn pool(segment: &crate::analysis::snapshot::SegmentRow) -> String {
    let private = if matches!(segment.pool.as_str(), "" | "0, 0") { String::new() } else { format!(" · {}", segment.pool) };
    let kind = if segment.is_expandable { format!("{}, expandable", segment.kind) } else { segment.kind.clone() };
    kind + &private
}

/// Columns of segments.
pub fn segment_columns() -> Vec<Column> {
    segment_specs().headers()
}

/// A row per segment.
pub fn segment_rows(map: &SegmentMap) -> Vec<Row> {
    segment_specs().rows(&map.rows)
}

/// Fragmentation in a sentence.
pub fn segment_sentence(map: &SegmentMap) -> String {
    let mut out = format!(
        "{} in {}: {} in use, {} free",
        text::bytes(map.reserved),
        text::counted(map.n_segments, "segment"),
        text::bytes(map.allocated.saturating_add(map.pending)),
        text::bytes(map.free)
    );
    if let Some(share) = map.fragmentation {
        out += &format!(
            "; the largest free block has {}, so {} of the free memory is fragmented",
            text::bytes(map.largest_free),
            text::percent(share)
        );
    }
    out + "."
}

/// Columns of the picture as a table.
pub fn picture_columns() -> Vec<Column> {
    vec![
        Column::new("event", "Event", Kind::Count, "Events so far."),
        Column::new("allocated", "Allocated", Kind::Bytes, "Bytes asked for by all live allocations."),
        Column::new("reserved", "Reserved", Kind::Bytes, "Bytes that the allocator has from the device."),
        Column::new("smaller", "Of other frames", Kind::Bytes, "Bytes of small allocations of frames that are not drawn."),
    ]
}

/// A row per state that the picture shows.
pub fn picture_rows(picture: &Picture) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut last = None;
    for (i, &state) in picture.states.iter().enumerate().filter(|(i, _)| *i < picture.total.len()) {
        if last.replace(state) != Some(state) {
            let smaller = picture.total[i].saturating_sub(picture.drawn[i]);
            rows.push(Row::new(vec![u64::from(state).into(), picture.total[i].into(), picture.reserved[i].into(), smaller.into()]));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::snapshot::{LiveGroup, SegmentRow};

    #[test]
    fn rows_have_a_cell_per_column() {
        let live = Live { bytes: 8, groups: vec![LiveGroup { bytes: 2, ..LiveGroup::default() }], ..Live::default() };
        let rows = group_rows(&live);
        assert_eq!(rows[0].cells.len(), group_columns().len());
        assert_eq!(rows[0].cells[2], Cell::Float(0.25));
        let all = LiveAllocations {
            rows: vec![Allocation { from: Some(3), times: (Some(5), Some(9)), ..Allocation::default() }],
            ..LiveAllocations::default()
        };
        assert_eq!(allocation_rows(&all)[0].cells[4..], [Cell::Int(3), Cell::Absent, Cell::Int(4)]);
        assert_eq!(allocation_rows(&all)[0].cells.len(), allocation_columns().len());
        let map = SegmentMap { rows: vec![SegmentRow::default()], ..SegmentMap::default() };
        assert_eq!(segment_rows(&map)[0].cells.len(), segment_columns().len());
        let device = DeviceSummary { ooms: vec![OomRow::default()], ..DeviceSummary::default() };
        assert_eq!(oom_rows(&device)[0].cells.len(), oom_columns().len());
        let picture =
            Picture { states: vec![1, 1, 2], total: vec![5, 5, 6], drawn: vec![4, 4, 6], reserved: vec![9, 9, 9], ..Picture::default() };
        let rows = picture_rows(&picture);
        assert_eq!(rows.iter().map(|r| r.cells[3].clone()).collect::<Vec<_>>(), [Cell::Int(1), Cell::Int(0)]);
        assert_eq!(rows[0].cells.len(), picture_columns().len());
    }

    #[test]
    fn the_device_with_the_highest_peak_is_shown_first() {
        let of = |device, peak| DeviceSummary { device, peak, ..DeviceSummary::default() };
        let summary = SnapshotSummary { devices: vec![of(0, 5), of(1, 9), of(2, 9)], ..SnapshotSummary::default() };
        assert_eq!(device(&summary, "").map(|d| d.device), Some(1));
        assert_eq!(device(&summary, "2").map(|d| d.device), Some(2));
        assert_eq!(device(&SnapshotSummary::default(), ""), None);
    }

    #[test]
    fn sentences_name_what_is_meant() {
        let live = Live { state: 4, time: Some(1500), bytes: 1024, n: 2, reserved: 2048, ..Live::default() };
        assert_eq!(summary_of(&live), "1.00 KiB in 2 allocations after event 4 (1.50 µs), 50.0% of 2.00 KiB reserved");
        assert_eq!(summary_of(&Live::default()), "0 B in 0 allocations before the first event");
        let detail = AllocationDetail {
            row: Allocation { size: 5, from: Some(2), times: (Some(7), None), ..Allocation::default() },
            requested: Some((3, None)),
            ..AllocationDetail::default()
        };
        let shown: Vec<String> = life(&detail).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert!(shown.contains(&"Allocated: event 2 (7 ns)".to_string()), "{shown:?}");
        assert!(
            shown.contains(&"Release asked for: event 3".to_string()) && shown.contains(&"Released: live after the last event".to_string())
        );
        let map =
            SegmentMap { reserved: 2048, n_segments: 1, free: 1024, largest_free: 512, fragmentation: Some(0.5), ..SegmentMap::default() };
        assert!(segment_sentence(&map).ends_with("so 50.0% of the free memory is fragmented."), "{}", segment_sentence(&map));
        let device = DeviceSummary {
            peak: 10,
            peak_state: 3,
            peak_time: Some(70),
            ooms: vec![OomRow { state: 5, time: Some(90), size: 1 << 30, ..OomRow::default() }],
            ..DeviceSummary::default()
        };
        assert_eq!(time_markers(&device, false).iter().map(|m| (m.at, m.is_failure)).collect::<Vec<_>>(), [(3, false), (5, true)]);
        assert_eq!(time_markers(&device, true)[1].at, 90);
        assert_eq!(figures(&device), "Peak 10 B after 70 ns; 0 allocations, 0 events", "without segments reserved memory is not known");
    }
}
