//! The table as CSV and Markdown.

use super::Variants;
use super::names::NameParts;
use super::table::{Mode, shown};
use crate::base::csv::{no_formula, record};

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

/// Parts of names in which profiles differ, by position in [`NameParts::LABELS`].
pub fn differing_parts(all: &Variants) -> Vec<usize> {
    let differs = |at: &usize| all.rows.windows(2).any(|w| w[0].name.all()[*at] != w[1].name.all()[*at]);
    (0..NameParts::LABELS.len()).filter(differs).collect()
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
