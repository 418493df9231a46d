//! Values in State Buffer and PSUM as rows.

use crate::analysis::device::accesses::MemoryMap;
use crate::analysis::device::accesses::map::MemoryArea;
use crate::base::text;
use crate::ui::table::{Cell, Column, Kind, Row};

/// Columns of the values.
pub fn columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("writer", "Written by", Kind::Name, "Instruction that wrote it, or that started the transfer."),
        column("fate", "Use", Kind::Text, "How often the value is read before it is overwritten."),
        column("from", "From address", Kind::Number, "First byte within a partition."),
        column("to", "To address", Kind::Number, "Last byte within a partition."),
        column("partitions", "Partitions", Kind::Text, ""),
        column("bytes", "Bytes", Kind::Bytes, "Sum over its partitions.").summed(),
        column("start", "Start", Kind::Duration, "Start of the write."),
        column("length", "Length", Kind::Duration, "From the start of the write to the end of the last read."),
        column("reads", "Reads", Kind::Count, "Instructions and transfers that read it."),
        column("reader", "Last read by", Kind::Text, ""),
        column("overwritten", "Overwritten at", Kind::Duration, "Empty where it is not."),
    ]
}

/// A row for each value.
pub fn rows(map: &MemoryMap) -> Vec<Row> {
    let text = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
    let row = |a: &MemoryArea| {
        Row::new(vec![
            text(&a.writer_name),
            Cell::Text(a.fate.label().into()),
            Cell::from(a.from),
            Cell::from(a.to),
            Cell::Text(format!("{}–{}", a.partitions.0, a.partitions.1)),
            Cell::from(a.n_bytes()),
            Cell::Int(a.range.start.0),
            Cell::Int(a.range.duration().0),
            Cell::Int(a.n_reads.into()),
            text(&a.reader_name),
            a.overwritten_at.map_or(Cell::Absent, |at| Cell::Int(at.0)),
        ])
    };
    map.areas.iter().map(row).collect()
}

/// Sums and peak in a sentence or two.
pub fn sentence(map: &MemoryMap) -> String {
    let mut out = format!(
        "{} written; {} read more than once, {} overwritten unread.",
        text::bytes(map.written_bytes),
        text::bytes(map.reread_bytes),
        text::bytes(map.unread_bytes)
    );
    if let Some(peak) = &map.peak {
        out += &format!(
            " Peak {} at {}; its addresses span {} of each partition, {} free.",
            text::bytes(peak.bytes),
            text::duration(crate::base::DurationNs(peak.at.0)),
            text::bytes(peak.span),
            text::percent(peak.free_share)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::accesses::map::Fate;
    use crate::base::{TimeNs, TimeRange};

    #[test]
    fn a_value_has_a_cell_for_each_column() {
        let area = |start, end, from, to| MemoryArea {
            range: TimeRange::new(TimeNs(start), TimeNs(end)),
            from,
            to,
            partitions: (0, 127),
            fate: Fate::Read,
            writer: None,
            writer_name: String::new(),
            n_reads: 1,
            reader: None,
            reader_name: String::new(),
            overwriter: None,
            overwritten_at: None,
        };
        let map = MemoryMap { areas: vec![area(0, 10, 0, 99), area(5, 20, 100, 199)], ..MemoryMap::default() };
        assert!(rows(&map).iter().all(|r| r.cells.len() == columns().len()));
        assert_eq!(rows(&map).len(), 2);
    }
}
