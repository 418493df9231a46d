//! The table as CSV and Markdown.

use super::Variants;
use super::names::NameParts;
use super::table::{Mode, shown};
use crate::base::csv::{no_formula, record};
use std::collections::BTreeSet;

/// What of the table to write.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Columns from left to right.
    pub columns: &'a [usize],
    /// What cells show.
    pub mode: Mode,
    /// Row of the base.
    pub base: usize,
}

/// Parts of names in which profiles differ, by position in [`NameParts::LABELS`]. Kernels alone, each in one row, are none: the titles say the same.
pub fn differing_parts(all: &Variants) -> Vec<usize> {
    let values = |at: usize| all.rows.iter().map(move |row| row.name.all()[at]).collect::<BTreeSet<_>>();
    let parts: Vec<usize> = (0..NameParts::LABELS.len()).filter(|&at| values(at).len() > 1).collect();
    if parts == [0] && values(0).len() == all.rows.len() { Vec::new() } else { parts }
}

/// Comma-separated values with a header: unrounded numbers, ids as headers.
pub fn csv(all: &Variants, layout: Layout<'_>) -> String {
    let parts = differing_parts(all);
    let mut header = vec!["profile".to_string()];
    header.extend(parts.iter().map(|at| NameParts::LABELS[*at].to_lowercase()));
    header.extend(layout.columns.iter().filter_map(|c| all.columns.get(*c)).map(|c| c.id.clone()));
    let mut out = String::new();
    record(&mut out, header.iter().map(String::as_str));
    for (row, cells) in all.rows.iter().zip(shown(all, layout.columns, layout.mode, layout.base)) {
        // Names of files and texts of a file may be anything.
        let mut fields = vec![no_formula(&row.title)];
        fields.extend(parts.iter().map(|at| no_formula(row.name.all()[*at])));
        fields.extend(cells.into_iter().map(|c| no_formula(&c.raw)));
        record(&mut out, fields.iter().map(String::as_str));
    }
    out
}

/// A Markdown table: rounded values with units, the best of a column bold.
pub fn markdown(all: &Variants, layout: Layout<'_>) -> String {
    let parts = differing_parts(all);
    let columns: Vec<_> = layout.columns.iter().filter_map(|c| all.columns.get(*c)).collect();
    let escaped = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let mut header = vec!["Profile".to_string()];
    header.extend(parts.iter().map(|at| NameParts::LABELS[*at].to_string()));
    header.extend(columns.iter().map(|c| escaped(&c.label)));
    let mut out = format!("| {} |\n", header.join(" | "));
    let rules = (0..=parts.len()).map(|_| "---").chain(columns.iter().map(|_| "---:"));
    out.push_str(&format!("| {} |\n", rules.collect::<Vec<_>>().join(" | ")));
    for (at, (row, cells)) in all.rows.iter().zip(shown(all, layout.columns, layout.mode, layout.base)).enumerate() {
        let is_base = if at == layout.base && layout.mode != Mode::Values { " (base)" } else { "" };
        let mut fields = vec![format!("{}{is_base}", escaped(&row.title))];
        fields.extend(parts.iter().map(|at| escaped(row.name.all()[*at])));
        fields.extend(cells.into_iter().map(|c| if c.is_best == Some(true) { format!("**{}**", c.text) } else { escaped(&c.text) }));
        out.push_str(&format!("| {} |\n", fields.join(" | ")));
    }
    out
}
