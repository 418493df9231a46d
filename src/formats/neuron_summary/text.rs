//! From `summary-text` to the metrics of each core: a metric per line, in columns or as a Markdown table, with or without units.

use super::read::Node;
use super::value;
use crate::base::{Ledger, Severity};
use crate::formats::neuron_json::tables::Tables;
use crate::model::Cell;

/// More cores than any run has, and more metrics than any core.
const MAX_NODES: usize = 4096;
const MAX_METRICS: usize = 10_000;
/// Longest name of a metric.
const NAME_MAX: usize = 128;

/// Content of a text.
#[derive(Default)]
pub(super) struct Text {
    /// The metrics of each core.
    pub nodes: Vec<Node>,
    /// The table of memory use: ND, NC, type, amount as written.
    pub memory: Vec<[String; 4]>,
}

/// Kinds of lines.
enum Line<'a> {
    /// Blank, a rule between rows, or names of columns.
    Nothing,
    /// The name of a group.
    Group(&'a str),
    /// Group (empty: that of the lines before), name, value.
    Metric(&'a str, &'a str, String),
    /// Names of the columns of the table of memory use, in the order ND, NC, type, amount.
    MemoryHead([Option<usize>; 4]),
    Other,
}

/// Reads all lines.
pub(super) fn read(text: &str, ledger: &mut Ledger) -> Text {
    let mut out = Text::default();
    let mut group = String::new();
    let mut memory: Option<[Option<usize>; 4]> = None;
    let mut offset = 0u64;
    let mut lines = text.split('\n').peekable();
    while let Some(whole) = lines.next() {
        let at = offset;
        offset += whole.len() as u64 + 1;
        let line = whole.trim();
        let example = || line.chars().take(160).collect::<String>();
        if lines.peek().is_none() && is_cut(line) {
            ledger.read += 1;
            let reason = "The text ends within a line: the last metric is not shown.";
            ledger.skip(Severity::DataLoss, "cut_line", reason, at, example);
            continue;
        }
        let cells = cells(line);
        if let Some(columns) = memory.filter(|_| cells.len() >= 3 && !is_metric(&cells)) {
            if !is_rule(line) {
                ledger.read += 1;
                ledger.shown += 1;
                out.memory.push(columns.map(|c| c.and_then(|c| cells.get(c)).map_or(String::new(), |t| (*t).to_string())));
            }
            continue;
        }
        match classify(line, &cells) {
            Line::Nothing => continue,
            Line::Group(name) => group = name.into(),
            Line::MemoryHead(columns) => {
                memory = Some(columns);
                continue;
            }
            Line::Metric(own, name, value) => {
                if !own.is_empty() {
                    group = own.into();
                }
                add(&mut out.nodes, &group, name, &value, (at, ledger));
            }
            Line::Other => ledger.skip(Severity::Info, "other_line", "A line that is no metric; it is not shown.", at, example),
        }
        memory = None;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        ledger.note("The text does not end with a line end: its last value may be cut.");
    }
    out
}

/// Whether a last line without its end is no whole one: a name without a value, a row without its closing bar.
fn is_cut(line: &str) -> bool {
    let is_row = line.starts_with(['|', '│']) && !line.ends_with(['|', '│']);
    is_row || (!line.contains(['|', '│']) && is_name(line) && line.contains('_'))
}

/// The cells of a line: between bars, else between tabs or two blanks, else a word and the rest.
fn cells(line: &str) -> Vec<&str> {
    let plain = |cell: &str| -> std::ops::Range<usize> {
        let inner = cell.trim().trim_matches(|c| matches!(c, '*' | '`')).trim();
        let from = inner.as_ptr() as usize - line.as_ptr() as usize;
        from..from + inner.len()
    };
    let ranges: Vec<std::ops::Range<usize>> = if line.contains(['|', '│', '┃']) {
        let inner = line.strip_prefix(['|', '│', '┃']).unwrap_or(line);
        let inner = inner.strip_suffix(['|', '│', '┃']).unwrap_or(inner);
        inner.split(['|', '│', '┃']).map(plain).collect()
    } else {
        let columns: Vec<_> =
            line.split('\t').flat_map(|part| part.split("  ")).filter(|part| !part.trim().is_empty()).map(plain).collect();
        match (columns.len(), line.split_once(' ')) {
            (1, Some((name, rest))) => vec![plain(name), plain(rest)],
            _ => columns,
        }
    };
    ranges.into_iter().filter_map(|r| line.get(r)).collect()
}

fn is_rule(line: &str) -> bool {
    line.chars().all(|c| {
        "-+=|: \u{2500}\u{2502}\u{253c}\u{251c}\u{2524}\u{250c}\u{2510}\u{2514}\u{2518}\u{252c}\u{2534}\u{2550}\u{256a}".contains(c)
    })
}

/// Whether a text is a name of a metric or a group: `total_time`, also with the escapes of Markdown.
fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '\\');
    text.len() > 1 && text.len() <= NAME_MAX && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_letter)
}

fn is_metric(cells: &[&str]) -> bool {
    matches!(cells, [_, name, ..] if is_name(name)) || cells.first().is_some_and(|name| is_name(name))
}

fn classify<'a>(line: &'a str, cells: &[&'a str]) -> Line<'a> {
    if is_rule(line) || line.starts_with("```") {
        return Line::Nothing;
    }
    let lower: Vec<String> = cells.iter().map(|c| c.to_ascii_lowercase()).collect();
    let column = |name: &str| lower.iter().position(|c| c == name);
    if let (Some(kind), Some(amount)) = (column("usage type"), column("amount")) {
        return Line::MemoryHead([column("nd idx"), column("nc idx"), Some(kind), Some(amount)]);
    }
    let is_head = |c: &String| matches!(c.as_str(), "group" | "name" | "metric" | "value" | "unit" | "units" | "");
    if lower.iter().all(is_head) {
        return Line::Nothing;
    }
    match *cells {
        [name] | [name, ""] if is_name(name.trim_start_matches(['#', ' '])) => Line::Group(name.trim_start_matches(['#', ' '])),
        ["#" | "##" | "###" | "####", name] if is_name(name) => Line::Group(name),
        [name, value] if is_name(name) => Line::Metric("", name, value.into()),
        [name, number, unit] if is_name(name) && !is_name(number) && value::is_number(number) => {
            Line::Metric("", name, format!("{number} {unit}"))
        }
        [group, name, value] if is_name(name) && (group.is_empty() || is_name(group)) => Line::Metric(group, name, value.into()),
        [group, name, number, unit] if is_name(name) && (group.is_empty() || is_name(group)) => {
            Line::Metric(group, name, format!("{number} {unit}"))
        }
        [name, ref rest @ ..] if is_name(name) && !rest.is_empty() => Line::Metric("", name, rest.join(" ")),
        _ => Line::Other,
    }
}

/// Takes a metric. The first of a summary that comes again begins the summary of the next core.
fn add(nodes: &mut Vec<Node>, group: &str, name: &str, written: &str, (offset, ledger): (u64, &mut Ledger)) {
    ledger.read += 1;
    let name = name.replace('\\', "");
    let is_next = nodes.last().is_none_or(|n| n.metrics.first().is_some_and(|m| m.0 == name) && n.group_of(&name) == group);
    if is_next && nodes.len() < MAX_NODES {
        nodes.push(Node { name: format!("core {}", nodes.len()), ..Node::default() });
    }
    let Some(node) = nodes.last_mut() else { return };
    if node.metrics.len() >= MAX_METRICS || is_next && node.has(&name) {
        let reason = "More metrics or cores than a summary has: skipped.";
        ledger.skip(Severity::DataLoss, "too_much", reason, offset, || name);
        return;
    }
    // Groups of two cores may have the same names: `throttling_nc0`, `throttling_nc1`.
    let name = if node.has(&name) && node.group_of(&name) != group { format!("{group}/{name}") } else { name };
    if node.has(&name) {
        let reason = "A duplicate metric; the first value is shown.";
        ledger.skip(Severity::Warning, "twice", reason, offset, || name);
        return;
    }
    let read = value::read(&name, written);
    if read.cell == Cell::Absent {
        ledger.skip(Severity::Warning, "no_value", "The metric has no value.", offset, || name.clone());
    } else {
        ledger.shown += 1;
    }
    node.push(name, group, read.cell, read.rounding);
}

/// Adds the table of memory use, under the names of the full JSON.
pub(super) fn memory_table(memory: &[[String; 4]], tables: &mut Tables) {
    for [nd, nc, kind, amount] in memory {
        let number = |text: &String| text.parse::<i64>().map_or_else(|_| Cell::Text(text.clone()), Cell::Int);
        let bytes = match value::read("amount_bytes", amount).cell {
            Cell::Float(bytes) if (0.0..9e15).contains(&bytes) => Cell::Int(bytes.round() as i64),
            cell => cell,
        };
        let cells = [
            ("nd", number(nd)),
            ("nc", number(nc)),
            ("usage_type", Cell::Text(kind.clone())),
            ("amount_bytes", bytes),
            ("amount", Cell::Text(amount.clone())),
        ];
        tables.row("nc_mem_usage", cells.into_iter());
    }
}
