//! What changed between two profiles, as a waterfall, a tree and a table.

use crate::analysis::explain::{Explain, ExplainKind, ExplainNode, ExplainUnit, MetricChange, NodeValues};
use crate::base::{DurationNs, text};
use crate::ui::bars::Fall;
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::ui::tree::Branch;

/// Colour of an exclusive part or a category.
fn colour(name: &str) -> u16 {
    match name {
        "Tensor" => fixed::TENSOR,
        "Vector" => fixed::VECTOR,
        "Scalar" => fixed::SCALAR,
        "GpSimd" => fixed::GPSIMD,
        "DMA" => fixed::DMA,
        "Sync" => fixed::SYNC,
        "Kernel" | "Device" => fixed::KERNEL,
        "Memcpy" => fixed::MEMCPY,
        "Memset" => fixed::MEMSET,
        "Communication" => fixed::COMMUNICATION,
        "Runtime" => fixed::RUNTIME,
        "DataLoader" => fixed::DATA_LOADER,
        "CPU Exec" | "Framework" => fixed::CPU_EXEC,
        _ => fixed::OTHER,
    }
}

fn time(values: &Option<NodeValues>) -> i64 {
    values.map_or(0, |v| v.time.0)
}

/// From the base to the run: totals, and between them the parts.
pub fn falls(unit: &ExplainUnit) -> Vec<Fall> {
    let Some(total) = unit.total() else { return Vec::new() };
    let whole =
        |name: &str, ns: i64| Fall { name: name.into(), value: ns as f64, is_total: true, colour: fixed::OTHER, note: String::new() };
    let part = |p: &ExplainNode| {
        let noise = if p.is_noise() { "; within the spread" } else { "" };
        let note = format!("{} → {}{noise}", text::duration(DurationNs(time(&p.base))), text::duration(DurationNs(time(&p.run))));
        Fall { name: p.name.clone(), value: p.delta.0 as f64, is_total: false, colour: colour(&p.name), note }
    };
    let mut out = vec![whole("Base", time(&total.base))];
    out.extend(unit.parts().map(part));
    out.push(whole("Run", time(&total.run)));
    out
}

/// Columns of the tree.
pub fn columns(found: &Explain, unit: &ExplainUnit) -> Vec<Column> {
    let levels = found.kind.levels();
    let name = levels.iter().skip(1).copied().collect::<Vec<_>>().join(" / ");
    let (base, run) = (format!("Exclusive time in {}.", found.base), format!("Exclusive time in {}.", found.run));
    let counted = match found.kind {
        ExplainKind::Device => "Instructions, transfers or idle times that start in it.",
        ExplainKind::Steps => "Kernels or calls that start in it, per step.",
        ExplainKind::System => "Executions or calls that start in it; of a mean invocation per invocation.",
    };
    let mut out = vec![
        Column::new("name", &name, Kind::Name, "Matched by names from the root."),
        Column::new("delta", "Difference", Kind::Number, "Run − base. Children sum to their parent exactly."),
        Column::new("base", "Base", Kind::Duration, &base),
        Column::new("run", "Run", Kind::Duration, &run),
        Column::new(
            "state",
            "State",
            Kind::Text,
            "New: not in the base. Gone: not in the run. Noise: the difference is within the spread over steps or invocations.",
        ),
        Column::new("count_base", "Count base", Kind::Count, counted),
        Column::new("count_run", "Count run", Kind::Count, counted),
    ];
    if has_spread(unit) {
        let help = "√(s₁² + s₂²) with the sample standard deviations over the steps or invocations of both profiles.";
        out.insert(2, Column::new("spread", "Spread", Kind::Duration, help));
    }
    if unit.nodes.iter().any(|n| bytes(n).is_some()) {
        out.push(Column::new("bytes", "Δ bytes", Kind::Bytes, "Bytes of transfers that start in it: run − base."));
    }
    out
}

fn has_spread(unit: &ExplainUnit) -> bool {
    unit.nodes.iter().any(|n| n.spread_ns.is_some())
}

/// Difference of the bytes; `None` where neither side has transfers.
fn bytes(node: &ExplainNode) -> Option<f64> {
    let of = |v: &Option<NodeValues>| v.and_then(|v| v.bytes);
    match (of(&node.base), of(&node.run)) {
        (None, None) => None,
        (a, b) => Some(b.unwrap_or(0.0) - a.unwrap_or(0.0)),
    }
}

/// Rows of the tree, in pre-order.
pub fn branches(unit: &ExplainUnit) -> Vec<Branch> {
    let (has_spread, has_bytes) = (has_spread(unit), unit.nodes.iter().any(|n| bytes(n).is_some()));
    let row = |node: &ExplainNode| {
        let side = |v: &Option<NodeValues>| v.map_or(Cell::Absent, |v| Cell::Int(v.time.0));
        let count = |v: &Option<NodeValues>| v.map_or(Cell::Absent, |v| Cell::plain(v.count));
        let delta = match node.is_noise() && node.delta.0 != 0 {
            true => Cell::Placeholder(signed(node.delta.0)),
            false => Cell::Formatted(node.delta.0 as f64, signed(node.delta.0)),
        };
        let state = node.state().or((node.is_noise() && node.delta.0 != 0).then_some("noise"));
        let mut cells = vec![Cell::Text(node.name.clone()), delta];
        if has_spread {
            cells.push(node.spread_ns.map_or(Cell::Absent, |s| Cell::Int(s.round() as i64)));
        }
        cells.extend([side(&node.base), side(&node.run), state.map_or(Cell::Absent, |s| Cell::Text(s.into()))]);
        cells.extend([count(&node.base), count(&node.run)]);
        if has_bytes {
            cells.push(bytes(node).map_or(Cell::Absent, |b| Cell::Int(b.round() as i64)));
        }
        let colour = (node.level == 1).then(|| colour(&node.name));
        Branch { row: Row { colour, ..Row::new(cells) }, parent: node.parent }
    };
    unit.nodes.iter().map(row).collect()
}

fn signed(ns: i64) -> String {
    format!("{}{}", if ns > 0 { "+" } else { "" }, text::duration(DurationNs(ns)))
}

/// Columns of the metrics that differ.
pub fn metric_columns(found: &Explain) -> Vec<Column> {
    vec![
        Column::new("name", "Metric", Kind::Name, "Name in the profiler's summary."),
        Column::new("base", "Base", Kind::Number, &format!("{}. Empty if it is not recorded.", found.base)),
        Column::new("run", "Run", Kind::Number, &format!("{}. Empty if it is not recorded.", found.run)),
        Column::new("ratio", "Run ÷ base", Kind::Number, "Empty if the base is 0."),
        Column::new("verdict", "Verdict", Kind::Text, "Whether the change is an improvement. Empty if the metric has no better direction."),
    ]
}

/// Rows of the metrics that differ.
pub fn metrics(found: &Explain) -> Vec<Row> {
    let row = |m: &MetricChange| {
        let value = |v: Option<f64>| v.map_or(Cell::Absent, |v| Cell::Formatted(v, m.unit.shown(v)));
        let ratio = m.ratio.map_or(Cell::Absent, |r| Cell::Formatted(r, format!("{} ×", text::three_digits(r))));
        let verdict = m.is_better.map_or(Cell::Absent, |b| Cell::Text(if b { "better" } else { "worse" }.into()));
        Row::new(vec![Cell::Text(m.name.clone()), value(m.base), value(m.run), ratio, verdict])
    };
    found.metrics.iter().map(row).collect()
}

/// How many metrics differ, and how many are equal.
pub fn metric_count(found: &Explain) -> String {
    let (n, equal) = (found.metrics.len() as u64, found.n_equal);
    format!(
        "{} of {} differ, largest relative change first; equal ones are not listed.",
        text::count(n),
        text::counted(n + equal, "metric")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> ExplainUnit {
        let node = |name: &str, level: u8, parent, a: Option<i64>, b: Option<i64>, spread_ns| ExplainNode {
            name: name.into(),
            level,
            parent,
            base: a.map(|t| NodeValues { time: DurationNs(t), count: 2.0, bytes: None }),
            run: b.map(|t| NodeValues { time: DurationNs(t), count: 1.5, bytes: (name == "DMA").then_some(64.0) }),
            delta: DurationNs(b.unwrap_or(0) - a.unwrap_or(0)),
            spread_ns,
        };
        let nodes = vec![
            node("Total", 0, None, Some(5_000), Some(3_000), Some(100.0)),
            node("DMA", 1, Some(0), Some(3_000), Some(1_050), Some(10.0)),
            node("Tensor", 1, Some(0), Some(2_000), Some(1_950), Some(60.0)),
            node("MATMUL", 2, Some(2), None, Some(1_950), None),
        ];
        ExplainUnit { nodes, ..ExplainUnit::default() }
    }

    #[test]
    fn the_waterfall_leads_from_base_to_run() {
        let falls = falls(&unit());
        let got: Vec<(&str, f64, bool)> = falls.iter().map(|f| (f.name.as_str(), f.value, f.is_total)).collect();
        assert_eq!(got, [("Base", 5_000.0, true), ("DMA", -1_950.0, false), ("Tensor", -50.0, false), ("Run", 3_000.0, true)]);
        assert!(falls[2].note.ends_with("within the spread"));
        assert_eq!((falls[1].colour, falls[2].colour), (fixed::DMA, fixed::TENSOR));
    }

    #[test]
    fn rows_have_states_and_noise_is_dim() {
        let unit = unit();
        let columns = columns(&Explain::default(), &unit);
        let rows = branches(&unit);
        let at = |id: &str| columns.iter().position(|c| c.id == id).expect("a column");
        assert!(rows.iter().all(|r| r.row.cells.len() == columns.len()));
        assert_eq!(rows[1].row.cell(at("delta")), &Cell::Formatted(-1_950.0, "−1.95 µs".into()));
        assert_eq!(rows[2].row.cell(at("delta")), &Cell::Placeholder("−50 ns".into()));
        let state = |row: usize| rows[row].row.cell(at("state")).clone();
        assert_eq!((state(1), state(2), state(3)), (Cell::Absent, Cell::Text("noise".into()), Cell::Text("new".into())));
        assert_eq!((rows[1].row.cell(at("bytes")), rows[1].row.cell(at("count_run"))), (&Cell::Int(64), &Cell::Float(1.5)));
    }
}
