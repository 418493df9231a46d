//! Answers about a run as table rows, pie slices and values.

use crate::analysis::neuron_log::{Caption, DeltaRow, LogDiff, LogOps, LogTimeline, LogTrace, OpRow, RowSum, StepRow};
use crate::base::Order as _;
use crate::base::colour_slots::by_index;
use crate::base::{DurationNs, TimeRange, text};
use crate::engine::Cell as Raw;
use crate::engine::query::TablePart;
use crate::ui::pie::Slice;
use crate::ui::table::{Cell, Column, Columns, Kind, Row, order};
use crate::views::scope;
use std::collections::BTreeMap;

/// What operators are of, in a sentence, when values of `asked` are wanted.
pub fn ops_scope(ops: Option<&LogOps>, asked: Option<TimeRange>) -> String {
    match (ops, asked) {
        (Some(ops), Some(_)) if ops.range.is_none() => "Entire trace: the table of this file has no operators of a range".into(),
        (_, range) => scope::sentence(range),
    }
}

/// Columns of an unchanged table of the file.
pub fn raw_columns(part: &TablePart) -> Vec<Column> {
    let has_text = |at: usize| part.rows.iter().any(|r| matches!(r.get(at), Some(Raw::Text(_))));
    let column = |(at, name): (usize, &String)| Column::new(name, name, if has_text(at) { Kind::Text } else { Kind::Number }, "");
    part.columns.iter().enumerate().map(column).collect()
}

/// Its rows.
pub fn raw_rows(part: &TablePart) -> Vec<Row> {
    let cell = |raw: &Raw| match raw {
        Raw::Absent => Cell::Absent,
        Raw::Int(v) => Cell::Int(*v),
        Raw::Float(v) => Cell::Float(*v),
        Raw::Text(v) => Cell::Text(v.clone()),
    };
    part.rows.iter().map(|row| Row::new(row.iter().map(cell).collect())).collect()
}

/// The device of a row, as the plugin calls it.
pub fn device(row: &OpRow) -> String {
    match (row.neuron_device.as_str(), row.neuron_core.as_str()) {
        ("", "") => "Device not recorded".into(),
        (d, "") => format!("NeuronDevice {d}"),
        ("", c) => format!("NeuronCore {c}"),
        (d, c) => format!("NeuronDevice {d} NeuronCore {c}"),
    }
}

/// Devices in order.
pub fn devices(ops: &LogOps) -> Vec<String> {
    let mut out: Vec<String> = ops.rows.iter().map(device).collect();
    out.order_by(|a, b| order::natural(a, b));
    out.dedup();
    out
}

/// Time by device.
pub fn by_device(ops: &LogOps) -> Vec<Slice> {
    let sum = |name: &String| ops.rows.iter().filter(|r| device(r) == *name).filter_map(|r| r.time).map(|t| t.0).sum();
    devices(ops).into_iter().enumerate().map(|(i, name)| Slice { value: sum(&name), colour: by_index(i), name }).collect()
}

/// Time by operator on one device; on all where it is empty.
pub fn by_operator(ops: &LogOps, on: &str) -> Vec<Slice> {
    let mut sums: BTreeMap<&str, (i64, u16)> = BTreeMap::new();
    for row in of_device(ops, on) {
        sums.entry(&row.name).or_insert((0, row.colour)).0 += row.time.map_or(0, |t| t.0);
    }
    sums.into_iter().map(|(name, (value, colour))| Slice { name: name.into(), value, colour }).collect()
}

/// Rows of one device; all where it is empty.
pub fn of_device<'a>(ops: &'a LogOps, on: &str) -> impl Iterator<Item = &'a OpRow> {
    ops.rows.iter().filter(move |r| on.is_empty() || device(r) == on)
}

fn has_parts(ops: &LogOps) -> bool {
    ops.rows.iter().any(|r| r.transfer.is_some() || r.control.is_some())
}

/// Columns of the operators.
pub fn op_columns(ops: &LogOps) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("name", "Op Name", Kind::Name, "Expand a row to see the members of a fused operator and its HLO operators."),
        column("occurrences", "Occurrences", Kind::Count, "Number of runs.").summed(),
        column("neuron_device", "Neuron Device", Kind::Text, ""),
        column("neuron_core", "NeuronCore", Kind::Text, ""),
        column(
            "time_ns",
            "Time",
            Kind::Duration,
            "Time in the plugin's table, or the time in Process Execution if computed from a timeline.",
        )
        .summed(),
        column("time_share", "Time %", Kind::Share, "Share of the sum of all operators.").summed(),
    ];
    if has_parts(ops) {
        out.push(column("transfer_ns", "Data transfer", Kind::Duration, "Time of its slices in Process Data Transfer.").summed());
        out.push(column("control_ns", "Control", Kind::Duration, "Time of its slices in Process Control.").summed());
    }
    out.extend(ops.columns.iter().map(|c| column(c, c, Kind::Text, "Undocumented key of the file.")));
    out
}

/// Operators as rows; members and HLO operators open beneath.
pub fn op_rows(ops: &LogOps, on: &str) -> Vec<Row> {
    let has_parts = has_parts(ops);
    let row = |r: &OpRow| {
        let texts = [&r.neuron_device, &r.neuron_core].map(|t| Cell::Text(t.clone()));
        let mut cells = vec![Cell::Text(r.name.clone()), Cell::from(r.occurrences)];
        cells.extend(texts);
        cells.extend([Cell::from(r.time), Cell::from(r.time_share)]);
        if has_parts {
            cells.extend([Cell::from(r.transfer), Cell::from(r.control)]);
        }
        cells.extend(r.more.iter().map(|m| Cell::Text(m.clone())));
        let mut members: Vec<String> = r.members.iter().map(|m| format!("fused: {m}")).collect();
        let length = |t: Option<DurationNs>| t.map(|t| format!(" · {}", text::duration(t))).unwrap_or_default();
        members.extend(r.below.iter().map(|(name, t)| format!("HLO: {name}{}", length(*t))));
        Row { colour: Some(r.colour), members, ..Row::new(cells) }
    };
    of_device(ops, on).map(row).collect()
}

/// The values of an operator timeline, as name and value.
pub fn figures(t: &LogTimeline) -> Vec<(&'static str, String)> {
    let shown = |d: Option<DurationNs>| d.map_or("not available".into(), text::duration);
    let part = |s: Option<f64>| s.map_or("not available".into(), text::percent);
    vec![
        ("Device window", shown(t.window)),
        ("Compute", shown(t.compute)),
        ("Data transfer", shown(t.transfer)),
        ("Both at once", shown(t.overlap)),
        ("Transfer hidden behind compute", part(t.hidden_share)),
        ("Idle", shown(t.idle)),
        ("Idle share", part(t.idle_share)),
        ("Runtime setup", shown(t.setup)),
    ]
}

fn sum_specs() -> Columns<RowSum> {
    Columns::<RowSum>::new()
        .column("name", "Row", Kind::Name, "", |r| Cell::Text(r.name.clone()))
        .column("process", "Process", Kind::Text, "", |r| Cell::Text(r.process.clone()))
        .column("n_slices", "Slices", Kind::Count, "", |r| Cell::from(r.n_slices))
        .summed()
        .column("busy_ns", "Busy", Kind::Duration, "Time in which at least one slice of the row runs.", |r| Cell::Int(r.busy.0))
        .column("share", "Share of the window", Kind::Share, "Busy time as a share of the device window.", |r| Cell::from(r.share))
}

/// Columns of the timeline's rows.
pub fn sum_columns() -> Vec<Column> {
    sum_specs().headers()
}

/// The timeline's rows.
pub fn sums(t: &LogTimeline) -> Vec<Row> {
    sum_specs().rows(&t.rows)
}

/// A caption's kind in words.
pub fn caption_title(caption: &Caption) -> &'static str {
    match caption.kind.as_str() {
        "input_transfer" => "Input",
        "early_constants" => "Constants",
        "lookup_table" => "Lookup table",
        "memory_allocated" => "Memory",
        _ => "Gap filled by transfer",
    }
}

fn step_specs() -> Columns<StepRow> {
    Columns::<StepRow>::new()
        .column("name", "Step", Kind::Name, "Host step.", |r| Cell::Text(r.name.clone()))
        .column("start_ns", "Start", Kind::Duration, "Time since the first slice.", |r| Cell::Int(r.start.0))
        .column("duration_ns", "Duration", Kind::Duration, "", |r| Cell::Int(r.duration.0))
        .summed()
        .column("idle_ns", "Device idle", Kind::Duration, "Time in the step in which the device is idle.", |r| Cell::Int(r.idle.0))
        .summed()
        .column("idle_share", "Idle %", Kind::Share, "Share of the step.", |r| Cell::from(r.idle_share))
        .column("gap_ns", "Longest idle time", Kind::Duration, "Longest idle interval of the device in the step.", |r| Cell::Int(r.gap.0))
        .column("host", "Host activity", Kind::Text, "Innermost host slice that covers most of the longest idle time.", |r| {
            Cell::Text(r.host_name.clone())
        })
        .column("execution_ns", "Execution", Kind::Duration, "Execution time of the device in the step.", |r| Cell::Int(r.execution.0))
        .summed()
        .column("io_ns", "IO transfer", Kind::Duration, "", |r| Cell::Int(r.io.0))
        .summed()
        .column("sync_ns", "CC sync", Kind::Duration, "Time in which collectives synchronize in the step.", |r| {
            Cell::Int(r.synchronisation.0)
        })
        .summed()
}

/// Columns of the steps.
pub fn step_columns() -> Vec<Column> {
    step_specs().headers()
}

/// The steps.
pub fn steps(t: &LogTrace) -> Vec<Row> {
    step_specs().rows(&t.steps)
}

fn delta_specs() -> Columns<DeltaRow> {
    Columns::<DeltaRow>::new()
        .column("name", "Operator", Kind::Name, "", |r| Cell::Text(r.name.clone()))
        .column("place", "In", Kind::Text, "Runs that contain it.", |r| Cell::Text(r.place.clone()))
        .column("before_ns", "Time before", Kind::Duration, "", |r| Cell::from(r.time.0))
        .summed()
        .column("after_ns", "Time now", Kind::Duration, "", |r| Cell::from(r.time.1))
        .summed()
        .column("delta_ns", "Difference", Kind::Duration, "Time now − time before. An operator missing in a run has time 0 there.", |r| {
            Cell::Int(r.delta_ns)
        })
        .summed()
        .column("n_before", "Occurrences before", Kind::Count, "", |r| Cell::from(r.occurrences.0))
        .summed()
        .column("n_after", "Occurrences now", Kind::Count, "", |r| Cell::from(r.occurrences.1))
        .summed()
}

/// Columns of a comparison.
pub fn diff_columns() -> Vec<Column> {
    delta_specs().headers()
}

/// Operators of both runs.
pub fn deltas(d: &LogDiff) -> Vec<Row> {
    delta_specs().rows(&d.rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let op = OpRow {
            name: "dot".into(),
            time: Some(DurationNs(3)),
            neuron_device: "0".into(),
            neuron_core: "1".into(),
            more: vec!["x".into()],
            ..OpRow::default()
        };
        let rows = vec![op.clone(), OpRow { transfer: Some(DurationNs(1)), ..op }];
        let ops = LogOps { rows, columns: vec!["engine".into()], ..LogOps::default() };
        assert!(op_rows(&ops, "").iter().all(|r| r.cells.len() == op_columns(&ops).len()));
        assert_eq!(devices(&ops), ["NeuronDevice 0 NeuronCore 1"]);
        assert_eq!((by_device(&ops)[0].value, by_operator(&ops, "").len(), op_rows(&ops, "other").len()), (6, 1, 0));
        let range = TimeRange::new(TimeNs(0), TimeNs(5));
        assert!(ops_scope(Some(&ops), Some(range)).starts_with("Entire trace: the table of this file"));
        assert!(ops_scope(Some(&LogOps { range: Some(range), ..ops }), Some(range)).starts_with("Selected range"));
        let t = LogTimeline { rows: vec![RowSum::default()], ..LogTimeline::default() };
        assert_eq!(sums(&t)[0].cells.len(), sum_columns().len());
        let t = LogTrace { steps: vec![StepRow::default()], ..LogTrace::default() };
        assert_eq!(steps(&t)[0].cells.len(), step_columns().len());
        let d = LogDiff { rows: vec![DeltaRow::default()], ..LogDiff::default() };
        assert_eq!(deltas(&d)[0].cells.len(), diff_columns().len());
    }
}
