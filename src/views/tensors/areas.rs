//! The State Buffer's areas as rows.

use crate::analysis::device::memory::sbuf::{SbufArea, SbufMap};
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
