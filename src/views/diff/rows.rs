//! What the Diff view shows, from the worker's answers. A delta is always the experiment less the base.

use crate::analysis::torch::diff::{Diff, DiffFigures, DiffRow, FlatBy, OperatorDiff, delta_share};
use crate::base::{DurationNs, text};
use crate::ui::bars::{Bar, Series};
use crate::ui::curve::{Line, Shape};
use crate::ui::table::{Cell, Column, Kind, Row};

/// Parts that have a bar: named ones, and the operators between them where they took time. The plugin leaves the latter out, and with
/// them most of the time that its line of deltas adds up.
pub fn charted(diff: &Diff) -> Vec<&DiffRow> {
    diff.parts.iter().filter(|p| !p.label.is_empty() || p.base.total.0 > 0 || p.experiment.total.0 > 0).collect()
}

/// Base and experiment side by side.
pub fn series(diff: &Diff) -> Vec<Series> {
    vec![Series::new(&format!("Base: {}", diff.base), 8), Series::new(&format!("Experiment: {}", diff.experiment), 0)]
}

/// A pair of bars for each part.
pub fn bars(diff: &Diff) -> Vec<Bar> {
    let bar = |p: &DiffRow| Bar {
        name: if p.label.is_empty() { part_name(p) } else { p.label.clone() },
        values: vec![p.base.total.0 as f64, p.experiment.total.0 as f64],
        note: format!("Difference {}{}", signed(p.delta_ns), zoom_note(p)),
        ..Bar::default()
    };
    charted(diff).into_iter().map(bar).collect()
}

fn zoom_note(part: &DiffRow) -> &'static str {
    if part.n_parts > 0 { ". Click to show its parts." } else { ". Click to show its operators." }
}

/// A duration with its sign.
pub fn signed(ns: i64) -> String {
    let text = text::duration(DurationNs(ns));
    if ns > 0 { format!("+{text}") } else { text }
}

/// Delta of each part, and their sum so far.
pub fn lines(diff: &Diff) -> Vec<Line> {
    let parts = charted(diff);
    if parts.is_empty() {
        return Vec::new();
    }
    let line = |name: &str, colour, value: fn(&DiffRow) -> i64| Line {
        name: name.into(),
        colour,
        shape: Shape::Line,
        points: parts.iter().zip(1i64..).map(|(p, i)| (i, value(p) as f64)).collect(),
    };
    vec![line("Delta", 0, |p| p.delta_ns), line("Accumulated delta", 5, |p| p.accumulated_ns)]
}

/// Columns of the parts.
pub fn part_columns() -> Vec<Column> {
    let time = |id, label, help| Column::new(id, label, Kind::Duration, help);
    vec![
        Column::new("name", "Part", Kind::Name, "An event found in both traces, or the operators between two such events."),
        time("base", "Base", "Device time of its nodes, or host time for nodes without device time."),
        time("experiment", "Experiment", "Device time of its nodes, or host time for nodes without device time."),
        time("delta", "Delta", "Experiment − base.").summed(),
        time("accumulated", "Accumulated Delta", "Sum of the deltas up to this part."),
        Column::new("parts", "Parts", Kind::Count, "Number of nested parts. Click to show them and the operators of this part."),
    ]
}

/// What a part is: the name of its node, or how many operators it is, in both traces.
/// The way from the whole to the part that is shown: (path, label).
pub fn crumbs(diff: &Diff) -> Vec<(String, String)> {
    let mut out = diff.crumbs.clone();
    if let Some((_, label)) = out.last_mut().filter(|c| ["CompositeNodes", "Blank"].contains(&c.1.as_str())) {
        *label = part_name(&diff.part);
    }
    out
}

fn part_name(p: &DiffRow) -> String {
    let of = |side: &crate::analysis::torch::diff::DiffSide| match (side.name.as_str(), side.n_nodes) {
        ("Blank", _) => "nothing".to_string(),
        ("CompositeNodes", n) => format!("{} operators", text::count(n)),
        (name, _) => name.to_string(),
    };
    let (base, experiment) = (of(&p.base), of(&p.experiment));
    if base == experiment { base } else { format!("{base} → {experiment}") }
}

/// A row for each part.
pub fn part_rows(diff: &Diff) -> Vec<Row> {
    let row = |p: &DiffRow| {
        Row::new(vec![
            Cell::Text(part_name(p)),
            Cell::Int(p.base.total.0),
            Cell::Int(p.experiment.total.0),
            Cell::Int(p.delta_ns),
            Cell::Int(p.accumulated_ns),
            Cell::Int(i64::from(p.n_parts)),
        ])
    };
    diff.parts.iter().map(row).collect()
}

/// The values a difference table compares: id, label, what it means, whether it is of a device.
type Figure = (&'static str, &'static str, &'static str, bool, fn(&DiffFigures) -> DurationNs);

const FIGURES: [Figure; 4] = [
    ("device_self", "Device Self", "Time of kernels launched by the calls themselves", true, |f| f.device_self),
    ("device_total", "Device Total", "Time of kernels launched by the calls and everything they contain", true, |f| f.device_total),
    ("host_self", "Host Self", "Host time of the calls without nested operators", false, |f| f.host_self),
    ("host_total", "Host Total", "Host time of the calls with everything they contain", false, |f| f.host_total),
];

/// What a difference table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Whether rows are distinguished by input shape.
    pub has_shape: bool,
    /// Whether either trace used a device.
    pub has_device: bool,
    /// Whether rows have host time: kernels do not.
    pub has_host: bool,
}

/// Notes about the rows.
pub fn shape_of(rows: &[OperatorDiff], by: FlatBy) -> Scope {
    let sides = || rows.iter().flat_map(|r| [r.base, r.experiment]).flatten();
    Scope {
        has_shape: by == FlatBy::OperatorShape,
        has_device: by == FlatBy::Kernel || sides().any(|f| f.device_total.0 > 0),
        has_host: by != FlatBy::Kernel,
    }
}

fn figures(shape: Scope) -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().filter(move |f| if f.3 { shape.has_device } else { shape.has_host })
}

/// Slower ones are first: on the device if there is one, else on the host.
pub const WORST_FIRST: &str = "-delta_device_self,-delta_host_self|||";

/// Columns of a difference table.
pub fn columns(what: &str, shape: Scope) -> Vec<Column> {
    let mut out = vec![Column::new("name", what, Kind::Name, "")];
    if shape.has_shape {
        out.push(Column::new("shape", "Input Shape", Kind::Text, "Shapes of the inputs."));
    }
    let calls = |id: &str, label: &str| Column::new(id, label, Kind::Count, "").summed();
    out.extend([
        calls("base_calls", "Base Calls"),
        calls("exp_calls", "Exp Calls"),
        Column::new("delta_calls", "Δ Calls", Kind::Number, ""),
    ]);
    for (id, label, help, ..) in figures(shape) {
        let time =
            |side: &str, title: &str| Column::new(&format!("{side}_{id}"), &format!("{title} {label}"), Kind::Duration, help).summed();
        out.extend([time("base", "Base"), time("exp", "Exp"), time("delta", "Δ")]);
        let share = "Delta in percent of the base. Empty if the base has no such time.";
        out.push(Column::new(&format!("delta_{id}_percent"), &format!("Δ {label} %"), Kind::Number, share));
    }
    out
}

/// Rows of a difference table.
pub fn rows(all: &[OperatorDiff], shape: Scope) -> Vec<Row> {
    all.iter().map(|r| row(r, shape)).collect()
}

fn row(r: &OperatorDiff, shape: Scope) -> Row {
    let none = DiffFigures::default();
    let (base, experiment) = (r.base.unwrap_or(none), r.experiment.unwrap_or(none));
    let calls = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let mut cells = vec![Cell::Text(r.name.clone())];
    if shape.has_shape {
        cells.push(Cell::from(r.shape.clone()));
    }
    let (a, b) = (calls(base.calls), calls(experiment.calls));
    cells.extend([present(r.base, a), present(r.experiment, b), Cell::Int(b - a)]);
    for (.., value) in figures(shape) {
        let (a, b) = (value(&base), value(&experiment));
        let share = delta_share(a, b).map_or(Cell::Absent, |s| Cell::Float((s * 1000.0).round() / 10.0));
        cells.extend([present(r.base, a.0), present(r.experiment, b.0), Cell::Int(b.0.saturating_sub(a.0)), share]);
    }
    Row::new(cells)
}

/// A value of one side; empty if that side does not have the row.
fn present(side: Option<DiffFigures>, value: i64) -> Cell {
    if side.is_some() { Cell::Int(value) } else { Cell::Absent }
}

/// The part in a sentence: from so much to so much.
pub fn sentence(diff: &Diff) -> String {
    let (a, b) = (diff.part.base.total, diff.part.experiment.total);
    let share = delta_share(a, b).map(|s| format!(", {}{}", if s >= 0.000_5 { "+" } else { "" }, text::percent(s))).unwrap_or_default();
    format!("{} → {} ({}{share})", text::duration(a), text::duration(b), signed(diff.part.delta_ns))
}

/// The grouping of the flat table, as chosen.
pub fn flat_by(choice: &str) -> FlatBy {
    match choice {
        "shape" => FlatBy::OperatorShape,
        "kernel" => FlatBy::Kernel,
        _ => FlatBy::Operator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::diff::DiffSide;

    fn part(label: &str, base: i64, experiment: i64, n_parts: u32) -> DiffRow {
        let side = |ns| DiffSide { name: label.into(), n_nodes: 1, total: DurationNs(ns), ..DiffSide::default() };
        let (base, experiment) = (side(base), side(experiment));
        let delta_ns = experiment.total.0 - base.total.0;
        DiffRow { label: label.into(), base, experiment, delta_ns, accumulated_ns: delta_ns * 2, n_parts, ..DiffRow::default() }
    }

    #[test]
    fn parts_with_a_name_or_time_have_bars_and_points() {
        let mut between = part("", 5, 6, 0);
        (between.base.name, between.base.n_nodes) = ("CompositeNodes".into(), 3);
        (between.experiment.name, between.experiment.n_nodes) = ("CompositeNodes".into(), 4);
        let diff = Diff { parts: vec![part("a", 10, 30, 1), part("", 0, 0, 0), part("b", 7, 3, 0), between], ..Diff::default() };
        let got: Vec<_> = bars(&diff).into_iter().map(|b| (b.name, b.values, b.note)).collect();
        assert_eq!(got[0], ("a".to_string(), vec![10.0, 30.0], "Difference +20 ns. Click to show its parts.".to_string()));
        assert_eq!(got[1].2, "Difference −4 ns. Click to show its operators.");
        assert_eq!((got.len(), got[2].0.as_str()), (3, "3 operators → 4 operators"));
        assert_eq!(lines(&diff)[1].points, [(1, 40.0), (2, -8.0), (3, 2.0)]);
        assert_eq!(part_rows(&diff).len(), 4);
        assert_eq!(part_rows(&diff)[0].cells.len(), part_columns().len());
        assert!(lines(&Diff::default()).is_empty());
    }

    #[test]
    fn what_one_side_lacks_is_empty_and_its_delta_is_all() {
        let figures = |ns| DiffFigures { calls: 2, host_self: DurationNs(ns), host_total: DurationNs(ns), ..DiffFigures::default() };
        let all = [
            OperatorDiff { name: "new".into(), experiment: Some(figures(8)), ..OperatorDiff::default() },
            OperatorDiff { name: "both".into(), base: Some(figures(8)), experiment: Some(figures(6)), ..OperatorDiff::default() },
        ];
        let shape = shape_of(&all, FlatBy::Operator);
        assert_eq!(shape, Scope { has_shape: false, has_device: false, has_host: true });
        let got = rows(&all, shape);
        assert_eq!(got[0].cells[1..5], [Cell::Absent, Cell::Int(2), Cell::Int(2), Cell::Absent]);
        assert_eq!(got[0].cells[5..8], [Cell::Int(8), Cell::Int(8), Cell::Absent]);
        assert_eq!(got[1].cells[4..8], [Cell::Int(8), Cell::Int(6), Cell::Int(-2), Cell::Float(-25.0)]);
        for by in [FlatBy::Operator, FlatBy::OperatorShape, FlatBy::Kernel] {
            let shape = shape_of(&all, by);
            assert_eq!(rows(&all, shape)[0].cells.len(), columns("Operator", shape).len());
        }
    }

    #[test]
    fn the_way_names_what_lies_between_landmarks() {
        let mut between = part("", 5, 6, 0);
        for side in [&mut between.base, &mut between.experiment] {
            (side.name, side.n_nodes) = ("CompositeNodes".into(), 3);
        }
        let way = ["All", "CompositeNodes"].map(|label| ("0".to_string(), label.to_string())).to_vec();
        let got = crumbs(&Diff { part: between, crumbs: way, ..Diff::default() });
        assert_eq!(got.iter().map(|c| c.1.as_str()).collect::<Vec<_>>(), ["All", "3 operators"]);
    }

    #[test]
    fn a_part_in_a_sentence() {
        let diff = Diff { part: part("all", 1_000, 1_500, 1), ..Diff::default() };
        assert_eq!(sentence(&diff), "1.00 µs → 1.50 µs (+500 ns, +50.0%)");
        let diff = Diff { part: part("all", 0, 1_500, 1), ..Diff::default() };
        assert_eq!(sentence(&diff), "0 ns → 1.50 µs (+1.50 µs)");
    }
}
