//! A comparison as tables: for each run a value, and its change against the base.

pub use crate::analysis::device::Compare;
use crate::analysis::device::compare::{CompareGroup, CompareMetric, CompareRow};
use crate::analysis::device::run_metrics::units::{Unit, signed_percent};
use crate::base::{DurationNs, text};
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;

/// Most characters of a run's name in a header.
const MOST_TITLE: usize = 18;

/// Columns of the metrics: of each run the value, of each but the base the change, in the same unit and in per cent, and whether it is for the better.
pub fn metric_columns(compare: &Compare) -> Vec<Column> {
    let mut out = vec![Column::new("name", "Metric", Kind::Name, "Name in the profiler's summary.")];
    for (at, title) in compare.titles.iter().enumerate() {
        out.push(value_column(compare, at, title, Kind::Number));
        if at != compare.base {
            let delta = format!("{title} − base, in the metric's unit; pp are percentage points.");
            out.push(Column::new(&format!("delta_{at}"), &format!("Δ {}", at + 1), Kind::Number, &delta));
            out.push(share_column(at));
            let verdict = "Whether the change is an improvement. Empty if nothing changed, or if the metric has no better direction.";
            out.push(Column::new(&format!("verdict_{at}"), &format!("Verdict {}", at + 1), Kind::Text, verdict));
        }
    }
    // Behind the values: a narrow screen shows the first columns.
    out.push(Column::new("group", "Group", Kind::Text, wording::METRIC_GROUP));
    out.push(Column::new("meaning", "Meaning", Kind::Text, wording::METRIC_MEANING));
    out
}

/// Columns of times: of each run time and count, of each but the base the change.
pub fn time_columns(compare: &Compare) -> Vec<Column> {
    let mut out = vec![Column::new("name", "Name", Kind::Name, "")];
    for (at, title) in compare.titles.iter().enumerate() {
        out.push(value_column(compare, at, title, Kind::Duration));
        let count = format!("{title}. 0 if nothing with this name ran.");
        out.push(Column::new(&format!("count_{at}"), &format!("Count {}", at + 1), Kind::Count, &count));
        if at != compare.base {
            let delta = format!("{title} − base.");
            out.push(Column::new(&format!("delta_{at}"), &format!("Δ {}", at + 1), Kind::Number, &delta));
            out.push(share_column(at));
        }
    }
    out
}

fn value_column(compare: &Compare, at: usize, title: &str, kind: Kind) -> Column {
    let is_base = if at == compare.base { " (base)" } else { "" };
    // Names of files are long, and their ends distinguish runs: a header as wide as a name would push the changes out of sight.
    let label = format!("{}{is_base}", text::middle_ellipsis(title, MOST_TITLE));
    let what = match kind {
        Kind::Duration => "Time in which it ran, as in Operators: overlaps on an engine count once. 0 if nothing with this name ran.",
        _ => "Not available if the run does not record it.",
    };
    Column::new(&format!("value_{at}"), &label, kind, &format!("{title}. {what}"))
}

fn share_column(at: usize) -> Column {
    Column::new(&format!("share_{at}"), &format!("Δ {} %", at + 1), Kind::Number, "Change in percent of the base.")
}

fn change(row: &CompareRow, at: usize, unit: Unit) -> Cell {
    row.deltas.get(at).copied().flatten().map_or(Cell::Absent, |d| Cell::Formatted(d, unit.change(d)))
}

fn share(row: &CompareRow, at: usize) -> Cell {
    let formatted = |s: f64| Cell::Formatted(s * 100.0, signed_percent(s));
    row.shares.get(at).copied().flatten().map_or(Cell::Absent, formatted)
}

/// Rows of the metrics.
pub fn metrics(compare: &Compare) -> Vec<Row> {
    let row = |m: &CompareMetric| {
        let mut out = vec![Cell::Text(m.row.name.clone())];
        for (at, value) in m.row.values.iter().enumerate() {
            out.push(value.map_or(Cell::Absent, |v| Cell::Formatted(v, m.unit.shown(v))));
            if at != compare.base {
                let delta = m.row.deltas.get(at).copied().flatten();
                let base = m.row.values.get(compare.base).copied().flatten().unwrap_or(0.0);
                let verdict = delta.zip(m.better).and_then(|(delta, better)| better.judges(delta, base));
                let verdict = verdict.map(|is_better| if is_better { "better" } else { "worse" });
                out.extend([change(&m.row, at, m.unit), share(&m.row, at), words(verdict.unwrap_or_default().into())]);
            }
        }
        out.extend([words(m.group.clone()), words(m.meaning.clone())]);
        Row::new(out)
    };
    compare.metrics.iter().map(row).collect()
}

fn words(text: String) -> Cell {
    if text.is_empty() { Cell::Absent } else { Cell::Text(text) }
}

/// The group of that id; the first without it.
pub fn group<'a>(compare: &'a Compare, by: &str) -> Option<&'a CompareGroup> {
    compare.groups.iter().find(|g| g.by == by).or(compare.groups.first())
}

/// Rows of a group.
pub fn times(compare: &Compare, by: &str) -> Vec<Row> {
    let Some(group) = group(compare, by) else { return Vec::new() };
    let row = |(at_row, row): (usize, &CompareRow)| {
        let counts = group.counts.get(at_row);
        let mut out = vec![Cell::Text(row.name.clone())];
        for (at, value) in row.values.iter().enumerate() {
            out.push(Cell::from(value.map(|v| DurationNs(v as i64))));
            out.push(Cell::from(counts.and_then(|c| c.get(at).copied().flatten())));
            if at != compare.base {
                out.extend([change(row, at, Unit::Nanoseconds), share(row, at)]);
            }
        }
        Row::new(out)
    };
    group.rows.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::run_metrics::units::Better;

    #[test]
    fn metrics_read_with_units_and_verdicts() {
        let row = |name: &str, a: f64, b: f64| CompareRow {
            name: name.into(),
            values: vec![Some(a), Some(b)],
            deltas: vec![Some(0.0), Some(b - a)],
            shares: vec![Some(0.0), Some((b - a) / a)],
        };
        let metric = |row: CompareRow| CompareMetric {
            unit: Unit::of(&row.name),
            better: Better::of(&row.name),
            group: "overall stats".into(),
            meaning: "What.".into(),
            row,
        };
        let rows = [row("total_time", 4e-6, 3e-6), row("hfu_estimated_percent", 0.25, 0.2), row("x_count", 2.0, 3.0)];
        let compare = Compare { titles: vec!["a".into(), "b".into()], metrics: rows.map(metric).into(), ..Compare::default() };
        let (columns, rows) = (metric_columns(&compare), metrics(&compare));
        let shown = |at: usize| rows[at].cells.iter().zip(&columns).map(|(c, column)| c.shown(column.kind)).collect::<Vec<_>>();
        assert_eq!(shown(0), ["total_time", "4.00 µs", "3.00 µs", "−1.00 µs", "−25.0%", "better", "overall stats", "What."]);
        assert_eq!(shown(1)[1..6], ["25.0%", "20.0%", "−5.0 pp", "−20.0%", "worse"]);
        assert_eq!(shown(2)[1..6], ["2", "3", "+1", "+50.0%", ""]);
        assert_eq!(rows.len(), 3);
    }
}
