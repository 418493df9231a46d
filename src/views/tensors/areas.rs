//! The State Buffer's areas as rows, and where they lie.

use crate::analysis::device::sbuf::{SbufArea, SbufMap};
use crate::base::{TimeNs, TimeRange};
use crate::ui::table::{Cell, Column, Kind, Row};

/// Columns of the map's areas.
pub fn area_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Content", Kind::Name, "Tensor, or the opcode or queue if there is none."),
        column("source", "Written by", Kind::Text, "Instruction or DMA transfer."),
        column("from", "From address", Kind::Number, ""),
        column("to", "To address", Kind::Number, "Last byte."),
        column("bytes", "Bytes", Kind::Bytes, ""),
        column("start", "Start", Kind::Duration, ""),
        column("length", "Length", Kind::Duration, ""),
    ]
}

/// The map's areas as rows.
pub fn areas(map: &SbufMap) -> Vec<Row> {
    let row = |a: &SbufArea| {
        Row::new(vec![
            Cell::Text(a.name.clone()),
            Cell::Text(if a.is_dma { "DMA" } else { "instruction" }.into()),
            Cell::Int(a.from_address),
            Cell::Int(a.to_address),
            Cell::Int(a.n_bytes()),
            Cell::Int(a.range.start.0),
            Cell::Int(a.range.duration().0),
        ])
    };
    map.areas.iter().map(row).collect()
}

/// First and last time and address of a map, none of them empty.
pub fn extent(map: &SbufMap) -> Option<(TimeRange, (i64, i64))> {
    let time = map.areas.iter().map(|a| a.range).reduce(|a, b| TimeRange { start: a.start.min(b.start), end: a.end.max(b.end) })?;
    let low = map.areas.iter().map(|a| a.from_address).min()?;
    let high = map.areas.iter().map(|a| a.to_address).max()?.saturating_add(1);
    let time = TimeRange { start: time.start, end: TimeNs(time.end.0.max(time.start.0.saturating_add(1))) };
    Some((time, (low, high.max(low.saturating_add(1)))))
}

/// The last area drawn at a time and address.
pub fn area_at(map: &SbufMap, time: i64, address: i64) -> Option<&SbufArea> {
    let holds = |a: &&SbufArea| a.range.start.0 <= time && time <= a.range.end.0 && a.from_address <= address && address <= a.to_address;
    map.areas.iter().rev().find(holds)
}
