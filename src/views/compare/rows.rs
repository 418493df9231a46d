//! A comparison as tables: for each run a value, and its change against the base.

pub use crate::analysis::device::Compare;
use crate::analysis::device::compare::{CompareGroup, CompareRow};
use crate::base::text;
use crate::ui::table::{Cell, Column, Kind, Row};

/// Most characters of a run's name in a header.
const MOST_TITLE: usize = 18;

/// Columns: the name; of each run its value; of each but the base the change, also as a share. With counts where there are some.
pub fn columns(compare: &Compare, what: &str, kind: Kind, has_counts: bool) -> Vec<Column> {
    let mut out = vec![Column::new("name", what, Kind::Name, "")];
    for (at, title) in compare.titles.iter().enumerate() {
        let is_base = if at == compare.base { " (base)" } else { "" };
        // Names of files are long, and their ends tell runs apart: a header as wide as a name would push the changes out of sight.
        let label = format!("{}{is_base}", text::middle_ellipsis(title, MOST_TITLE));
        let help = format!("{title}. Not available where the run does not have it.");
        out.push(Column::new(&format!("value_{at}"), &label, kind, &help));
        if has_counts {
            out.push(Column::new(&format!("count_{at}"), &format!("Count {}", at + 1), Kind::Count, title));
        }
        if at != compare.base {
            out.push(Column::new(&format!("delta_{at}"), &format!("Δ {}", at + 1), kind, &format!("{title} − base.")));
            out.push(Column::new(&format!("share_{at}"), &format!("Δ {} %", at + 1), Kind::Number, "Change in percent of the base."));
        }
    }
    out
}

fn cells(row: &CompareRow, counts: Option<&Vec<Option<u64>>>, base: usize, is_time: bool) -> Row {
    let value = |v: Option<f64>| match v {
        None => Cell::Absent,
        Some(v) if is_time => Cell::Int(v as i64),
        Some(v) => Cell::Float(v),
    };
    let mut out = vec![Cell::Text(row.name.clone())];
    for at in 0..row.values.len() {
        out.push(value(row.values[at]));
        if let Some(counts) = counts {
            out.push(Cell::from(counts.get(at).copied().flatten()));
        }
        if at != base {
            out.push(value(row.deltas.get(at).copied().flatten()));
            out.push(row.shares.get(at).copied().flatten().map_or(Cell::Absent, |s| Cell::Float((s * 1e4).round() / 100.0)));
        }
    }
    Row::new(out)
}

/// Rows of the metrics.
pub fn metrics(compare: &Compare) -> Vec<Row> {
    compare.metrics.iter().map(|m| cells(m, None, compare.base, false)).collect()
}

/// The group of that id; the first without it.
pub fn group<'a>(compare: &'a Compare, by: &str) -> Option<&'a CompareGroup> {
    compare.groups.iter().find(|g| g.by == by).or(compare.groups.first())
}

/// Rows of a group.
pub fn times(compare: &Compare, by: &str) -> Vec<Row> {
    let Some(group) = group(compare, by) else { return Vec::new() };
    group.rows.iter().enumerate().map(|(at, row)| cells(row, group.counts.get(at), compare.base, true)).collect()
}
