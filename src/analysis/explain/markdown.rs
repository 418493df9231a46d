//! The answer as Markdown, for a ticket or a pull request.

use super::sentences::signed;
use super::{Explain, ExplainNode, ExplainUnit, NodeValues};
use crate::base::Order as _;
use crate::base::{DurationNs, text};
use std::fmt::Write as _;

/// Rows below a part, and metrics, at most.
const MOST_ROWS: usize = 12;
/// A node below this share of the sum of absolute changes of the parts is not a row.
const LEAST_SHARE: f64 = 0.005;

/// The whole answer: sentences, parts, what changed most below them, metrics, notes.
pub fn markdown(found: &Explain) -> String {
    let mut out = format!("# What changed: {} → {}\n", cell(&found.base), cell(&found.run));
    for unit in &found.units {
        of_unit(&mut out, found, unit);
    }
    metrics(&mut out, found);
    if !found.notes.is_empty() {
        out.push_str("\n## Notes\n\n");
        found.notes.iter().for_each(|note| line(&mut out, &format!("- {note}")));
    }
    out
}

/// Only the metrics that differ, and notes.
pub fn of_metrics(found: &Explain) -> String {
    markdown(&Explain { units: Vec::new(), ..found.clone() })
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Text inside a cell of a table or a heading.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn of_unit(out: &mut String, found: &Explain, unit: &ExplainUnit) {
    let _ = write!(out, "\n## {}\n\n", cell(&unit.name));
    for sentence in &unit.sentences {
        line(out, &format!("- **{}**", sentence.text));
        sentence.evidence.iter().for_each(|e| line(out, &format!("  - {e}")));
    }
    let levels = found.kind.levels();
    let has_spread = unit.nodes.iter().any(|n| n.spread_ns.is_some());
    let spread = if has_spread { " Spread |" } else { "" };
    let rule = if has_spread { " ---: |" } else { "" };
    line(out, &format!("\n| {} | Base | Run | Difference |{spread}", levels[1]));
    line(out, &format!("| --- | ---: | ---: | ---: |{rule}"));
    unit.parts().for_each(|part| row(out, &part.name, part, has_spread));
    if let Some(total) = unit.total() {
        row(out, "**Sum**", total, has_spread);
    }
    let all: f64 = unit.parts().map(|p| p.delta.0.unsigned_abs() as f64).sum();
    for (at, part) in unit.nodes.iter().enumerate().filter(|(_, n)| n.parent == Some(0) && n.delta.0 != 0) {
        let rows = changed_below(&unit.nodes, at as u32, LEAST_SHARE * all);
        if rows.is_empty() {
            continue;
        }
        line(out, &format!("\n### {} ({})\n", cell(&part.name), signed(part.delta.0)));
        let names = levels.iter().skip(2).copied().collect::<Vec<_>>().join(" / ");
        line(out, &format!("| {names} | Base | Run | Difference |{spread}"));
        line(out, &format!("| --- | ---: | ---: | ---: |{rule}"));
        for (name, node) in rows {
            row(out, &cell(&name), node, has_spread);
        }
    }
}

/// The deepest nodes below a part that changed, largest first, each named from below the part.
fn changed_below(nodes: &[ExplainNode], part: u32, least: f64) -> Vec<(String, &ExplainNode)> {
    let has_children: Vec<bool> = {
        let mut has = vec![false; nodes.len()];
        nodes.iter().filter_map(|n| n.parent).for_each(|p| {
            if let Some(has) = has.get_mut(p as usize) {
                *has = true;
            }
        });
        has
    };
    let below = nodes.iter().enumerate().skip(part as usize + 1).take_while(|(_, n)| n.level > 1);
    let mut out: Vec<(String, &ExplainNode)> = below
        .filter(|(at, n)| !has_children[*at] && n.delta.0 != 0 && n.delta.0.unsigned_abs() as f64 >= least)
        .map(|(at, n)| (path(nodes, at as u32, part), n))
        .collect();
    out.order_by(|a, b| b.1.delta.0.unsigned_abs().cmp(&a.1.delta.0.unsigned_abs()).then_with(|| a.0.cmp(&b.0)));
    out.truncate(MOST_ROWS);
    out
}

/// Names from below `part` to a node.
pub fn path(nodes: &[ExplainNode], node: u32, part: u32) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut at = Some(node);
    while let Some(found) = at.filter(|at| *at != part).and_then(|at| nodes.get(at as usize)) {
        names.push(&found.name);
        at = found.parent;
    }
    names.reverse();
    names.join(" / ")
}

fn row(out: &mut String, name: &str, node: &ExplainNode, has_spread: bool) {
    let time = |v: &Option<NodeValues>| v.map_or("–".into(), |v| text::duration(v.time));
    let noise = if node.is_noise() && node.delta.0 != 0 { " (within spread)" } else { "" };
    let state = node.state().map_or(String::new(), |state| format!(" ({state})"));
    let spread = match (has_spread, node.spread_ns) {
        (false, _) => String::new(),
        (true, Some(ns)) => format!(" {} |", text::duration(DurationNs(ns.round() as i64))),
        (true, None) => " – |".into(),
    };
    line(out, &format!("| {name}{state} | {} | {} | {}{noise} |{spread}", time(&node.base), time(&node.run), signed(node.delta.0)));
}

fn metrics(out: &mut String, found: &Explain) {
    if found.metrics.is_empty() && found.n_equal == 0 {
        return;
    }
    let n = found.metrics.len() as u64;
    let _ = write!(
        out,
        "\n## Metrics that differ\n\n{} of {}, largest relative change first.\n",
        text::count(n),
        text::count(n + found.n_equal)
    );
    if found.metrics.is_empty() {
        return;
    }
    line(out, "\n| Metric | Base | Run | Run ÷ base |\n| --- | ---: | ---: | ---: |");
    for metric in found.metrics.iter().take(MOST_ROWS) {
        let value = |v: Option<f64>| v.map_or("not recorded".into(), |v| metric.unit.shown(v));
        let ratio = metric.ratio.map_or("–".into(), |r| format!("{} ×", text::three_digits(r)));
        line(out, &format!("| `{}` | {} | {} | {ratio} |", cell(&metric.name), value(metric.base), value(metric.run)));
    }
    let rest = found.metrics.len().saturating_sub(MOST_ROWS) as u64;
    if rest > 0 {
        line(out, &format!("\n{} not listed.", text::counted(rest, "more metric")));
    }
}
