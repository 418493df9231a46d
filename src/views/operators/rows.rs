//! Operators as table rows and pie slices.

use crate::analysis::device::run_metrics::flops::Flops;
use crate::analysis::operators::{OperatorRow, Operators};
use crate::base::Order as _;
use crate::base::colour_slots::by_index;
use crate::ui::pie::Slice;
use crate::ui::table::{Cell, Column, Kind, Row, order};
use crate::views::wording;
use std::collections::BTreeMap;

/// What to show of an answer: everything, or one device.
fn of_device<'a>(operators: &'a Operators, device: &str) -> impl Iterator<Item = &'a OperatorRow> {
    operators.rows.iter().filter(move |r| device.is_empty() || r.device == device)
}

/// The columns; the first is what rows are grouped by. `has_flops` adds those of a Neuron device.
pub fn columns(grouping: &str, has_flops: bool) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("name", grouping, Kind::Name, "Name of the slices, or the attribute selected under Group by."),
        column("occurrences", "Occurrences", Kind::Count, "Slices that touch the range.").summed(),
        column("device", "Device", Kind::Text, wording::DEVICE_OF_SLICES),
        column(
            "self_time_ns",
            "Self time",
            Kind::Duration,
            "Time in which one of these slices was the innermost on its track. The sum of self times is the busy time of the tracks.",
        )
        .summed(),
        column("time_share", "Time %", Kind::Share, "Self time as a share of the busy time of all devices in the range.").summed(),
        column("total_ns", "Total", Kind::Duration, "Time covered by these slices and their children; overlaps on a track count once."),
        column("min_ns", "Min", Kind::Duration, "Shortest occurrence, with its full duration even if it exceeds the range."),
        column("mean_ns", "Mean", Kind::Duration, "Mean full duration of an occurrence."),
        column("max_ns", "Max", Kind::Duration, "Longest occurrence, with its full duration even if it exceeds the range."),
    ];
    if has_flops {
        out.extend(flops_columns());
    }
    out
}

/// What rows with matrix products have besides; empty for all others.
fn flops_columns() -> [Column; 4] {
    let column = Column::new;
    let span = "÷ (peak of all cores × time from the row's first start to its last end). Empty for rows without matrix products.";
    [
        column("mfu", "MFU", Kind::Share, &format!("Model FLOPs utilization: FLOPs without transposes {span}")),
        column("hfu", "HFU", Kind::Share, &format!("Hardware FLOPs utilization: FLOPs with transposes {span}")),
        column("flops", "FLOPs", Kind::Count, wording::FLOPS).summed(),
        column("transpose_flops", "Transpose FLOPs", Kind::Count, wording::TRANSPOSE_FLOPS).summed(),
    ]
}

/// The name of rows without a value for the grouping: `(no layer)`, `(no HLO)`.
fn placeholder(grouping: &str) -> String {
    // `Layer, first 2 parts` is still the layer.
    let grouping = grouping.split(',').next().unwrap_or(grouping);
    let is_shorthand = grouping.chars().nth(1).is_some_and(char::is_uppercase);
    if is_shorthand { format!("(no {grouping})") } else { format!("(no {})", grouping.to_lowercase()) }
}

/// Rows in the order of the answer. `grouping` is the header of their names.
pub fn rows(operators: &Operators, device: &str, grouping: &str) -> Vec<Row> {
    let cells = |r: &OperatorRow| {
        let mut out = vec![
            if r.name.is_empty() { Cell::Placeholder(placeholder(grouping)) } else { Cell::Text(r.name.clone()) },
            Cell::from(r.occurrences),
            Cell::Text(r.device.clone()),
            Cell::Int(r.self_time.0),
            Cell::Float(r.time_share),
            Cell::Int(r.total.0),
            Cell::Int(r.min.0),
            Cell::Int(r.mean.0),
            Cell::Int(r.max.0),
        ];
        if operators.has_flops {
            let flops = |pick: fn(Flops) -> Cell| r.flops.map_or(Cell::Absent, pick);
            out.extend([flops(|f| f.mfu.into()), flops(|f| f.hfu.into()), flops(|f| f.all.into()), flops(|f| f.transposes.into())]);
        }
        out
    };
    let row = |r: &OperatorRow| Row { colour: Some(r.colour), ..Row::new(cells(r)) };
    of_device(operators, device).map(row).collect()
}

/// Names of the devices, in order.
pub fn devices(operators: &Operators) -> Vec<String> {
    let mut devices: Vec<String> = operators.rows.iter().map(|r| r.device.clone()).collect();
    devices.order_by(|a, b| order::natural(a, b));
    devices.dedup();
    devices
}

/// Self time by device. A device keeps its colour whatever its share.
pub fn by_device(operators: &Operators) -> Vec<Slice> {
    let slice = |(i, name): (usize, String)| {
        let value = of_device(operators, &name).map(|r| r.self_time.0).sum();
        Slice { value, colour: by_index(i), name }
    };
    devices(operators).into_iter().enumerate().map(slice).collect()
}

/// Self time by operator, its devices together.
pub fn by_operator(operators: &Operators, device: &str, grouping: &str) -> Vec<Slice> {
    let mut sums: BTreeMap<&str, (i64, u16)> = BTreeMap::new();
    for row in of_device(operators, device) {
        sums.entry(&row.name).or_insert((0, row.colour)).0 += row.self_time.0;
    }
    let called = |name: &str| if name.is_empty() { placeholder(grouping) } else { name.into() };
    sums.into_iter().map(|(name, (value, colour))| Slice { name: called(name), value, colour }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    fn operators() -> Operators {
        let row = |name: &str, device: &str, ns| OperatorRow {
            name: name.into(),
            device: device.into(),
            occurrences: 2,
            self_time: DurationNs(ns),
            total: DurationNs(ns),
            time_share: ns as f64 / 100.0,
            min: DurationNs(1),
            mean: DurationNs(ns / 2),
            max: DurationNs(ns),
            colour: 3,
            flops: None,
        };
        Operators {
            rows: vec![row("dot", "nc10", 50), row("dot", "nc2", 30), row("relu", "nc2", 20)],
            busy: DurationNs(100),
            groupings: vec![],
            ..Operators::default()
        }
    }

    #[test]
    fn slices_add_up_by_device_and_by_operator() {
        let found: Vec<_> = by_device(&operators()).into_iter().map(|s| (s.name, s.value, s.colour)).collect();
        assert_eq!(found, [("nc2".into(), 50, 0), ("nc10".into(), 50, 1)]);
        let found: Vec<_> = by_operator(&operators(), "", "Operator").into_iter().map(|s| (s.name, s.value)).collect();
        assert_eq!(found, [("dot".into(), 80), ("relu".into(), 20)]);
        assert_eq!(by_operator(&operators(), "nc10", "Operator").len(), 1);
    }

    #[test]
    fn a_row_without_a_name_says_what_it_has_not() {
        let mut unnamed = operators();
        unnamed.rows[0].name = String::new();
        let row = &rows(&unnamed, "", "Layer")[0];
        assert_eq!((&row.cells[0], row.name().as_str()), (&Cell::Placeholder("(no layer)".into()), ""));
        assert_eq!(by_operator(&unnamed, "nc10", "HLO operator")[0].name, "(no HLO operator)");
        assert_eq!(placeholder("Source location"), "(no source location)");
        assert_eq!(placeholder("Layer, first 2 parts"), "(no layer)");
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let rows = rows(&operators(), "nc2", "Operator");
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|r| r.cells.len() == columns("Operator", false).len()));
        let mut device = operators();
        device.has_flops = true;
        device.rows[0].flops = Some(Flops { all: 8, transposes: 2, hfu: None, mfu: Some(0.5) });
        let rows = super::rows(&device, "", "Operator");
        assert!(rows.iter().all(|r| r.cells.len() == columns("Operator", true).len()));
        assert_eq!(rows[0].cells[9..], [Cell::Float(0.5), Cell::Absent, Cell::Int(8), Cell::Int(2)]);
        assert_eq!(rows[1].cells[9], Cell::Absent, "no matrix product is no zero");
    }
}
