//! Tables for a terminal and for Markdown: columns aligned, numbers on the right.

use axonscope::base::text::middle_ellipsis;

/// Characters of a cell at most: names of kernels are longer than a screen.
const WIDEST: usize = 80;

/// A header and rows of text.
#[derive(Debug, Clone, Default)]
pub struct TextTable {
    /// One cell for each column.
    pub header: Vec<String>,
    /// As many cells as the header has.
    pub rows: Vec<Vec<String>>,
    /// Columns that are aligned to the right.
    pub is_right: Vec<bool>,
}

impl TextTable {
    /// Columns padded to their widest cell, with two spaces between.
    pub fn aligned(&self) -> String {
        let all: Vec<Vec<String>> =
            std::iter::once(&self.header).chain(&self.rows).map(|row| row.iter().map(|c| printable(c)).collect()).collect();
        let mut widths = vec![0; self.header.len()];
        for row in &all {
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
        }
        let mut out = String::new();
        for row in &all {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width - cell.chars().count());
                let is_right = self.is_right.get(at).copied().unwrap_or(false);
                let padded = if is_right { format!("{space}{cell}") } else { format!("{cell}{space}") };
                line.push_str(if at == 0 { "" } else { "  " });
                line.push_str(&padded);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let cell = |text: &String| printable(text).replace('|', "\\|");
        let line = |row: &[String]| format!("| {} |\n", row.iter().map(cell).collect::<Vec<_>>().join(" | "));
        let rule = |at: usize| if self.is_right.get(at).copied().unwrap_or(false) { "---:" } else { "---" };
        let rules: Vec<&str> = (0..self.header.len()).map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}| {} |\n{rows}", line(&self.header), rules.join(" | "))
    }
}

/// A cell as one line without control characters: a name of a trace must not move the cursor of a terminal.
fn printable(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { '·' } else { c }).collect();
    middle_ellipsis(&line, WIDEST)
}
