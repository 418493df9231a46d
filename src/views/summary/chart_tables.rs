//! What is behind the charts of the summary: their values as tables.

use super::transfer_rows::sizes_of;
use crate::analysis::device::charts::{BoxFigures, Charts, Operation, SizeGroup};
use crate::ui::table::{Cell, Column, Kind, Row};

/// Columns of the sizes.
pub fn size_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Variable", Kind::Name, "Variable, or the queue if there is none."),
        column("kind", "Type", Kind::Text, "Type of the queue."),
        column("size", "Size", Kind::Bytes, "Size of one transfer."),
        column("count", "Transfers", Kind::Count, "").summed(),
        column("bytes", "Bytes", Kind::Bytes, "Size × transfers.").summed(),
        column("rate", "GB/s", Kind::Number, "Sum of bytes ÷ sum of durations."),
        column("shortest_ns", "Shortest", Kind::Duration, ""),
        column("longest_ns", "Longest", Kind::Duration, ""),
    ]
}

/// Rows of the sizes.
pub fn size_rows(charts: &Charts, core: &str) -> Vec<Row> {
    let row = |s: &SizeGroup| {
        Row::new(vec![
            Cell::Text(s.name.clone()),
            Cell::Text(s.kind.clone()),
            Cell::from(u64::from(s.size)),
            Cell::from(s.count),
            Cell::from(u64::from(s.size) * s.count),
            Cell::Float(s.rate / 1e9),
            Cell::from(s.durations.0),
            Cell::from(s.durations.1),
        ])
    };
    sizes_of(charts, core).map(row).collect()
}

/// Columns of the operations.
pub fn operation_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Operation", Kind::Name, ""),
        column("bytes", "Bytes", Kind::Bytes, "The larger of input and output size."),
        column("duration_ns", "Duration", Kind::Duration, ""),
        column("start_ns", "Start", Kind::Duration, ""),
        column("delay_ns", "After trigger", Kind::Duration, "Time from its trigger to its start."),
    ]
}

/// Rows of the operations, in the order of the answer.
pub fn operation_rows(charts: &Charts) -> Vec<Row> {
    let row = |o: &Operation| {
        Row::new(vec![
            Cell::Text(o.group.clone()),
            Cell::from(o.bytes),
            Cell::from(o.range.duration()),
            Cell::Int(o.range.start.0),
            Cell::from(o.delay),
        ])
    };
    charts.operations.iter().map(row).collect()
}

/// Columns of the boxes.
pub fn box_columns() -> Vec<Column> {
    let column = |id: &str, label: &str| Column::new(id, label, Kind::Duration, "");
    vec![
        Column::new("name", "Operation", Kind::Name, ""),
        Column::new("count", "Count", Kind::Count, "").summed(),
        column("least", "Minimum"),
        column("first", "First quartile"),
        column("median", "Median"),
        column("mean", "Mean"),
        column("third", "Third quartile"),
        column("most", "Maximum"),
        Column::new("variance", "Variance, µs²", Kind::Number, "Mean of the squared deviations from the mean."),
    ]
}

/// Rows of the boxes.
pub fn box_rows(charts: &Charts) -> Vec<Row> {
    let row = |b: &BoxFigures| {
        let ns = |v: f64| Cell::Int(v.round() as i64);
        let [least, first, median, third, most] = b.five;
        Row::new(vec![
            Cell::Text(b.group.clone()),
            Cell::from(b.count),
            ns(least),
            ns(first),
            ns(median),
            ns(b.mean),
            ns(third),
            ns(most),
            Cell::Float(b.variance / 1e6),
        ])
    };
    charts.boxes.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_per_column() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        let one = BoxFigures { group: "AllGather 2 KiB".into(), count: 2, five, mean: 3.0, variance: 4e6 };
        let charts =
            Charts { boxes: vec![one], operations: vec![Operation::default()], sizes: vec![SizeGroup::default()], ..Charts::default() };
        assert_eq!(box_rows(&charts)[0].cells.len(), box_columns().len());
        assert_eq!(box_rows(&charts)[0].cells[8], Cell::Float(4.0));
        assert_eq!(operation_rows(&charts)[0].cells.len(), operation_columns().len());
        assert_eq!(operation_rows(&charts)[0].cells[1], Cell::Absent, "a size that is not recorded");
        assert_eq!(size_rows(&charts, "")[0].cells.len(), size_columns().len());
    }
}
