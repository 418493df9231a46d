//! Columns, rows and cells of a table. The column formats its cells, so that rows stay small.

use crate::base::{DurationNs, text};

/// The type of a column: format and alignment of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name: mono, shortened in the middle, can be copied.
    Name,
    /// Any other text.
    Text,
    /// A whole number of things, with separators.
    Count,
    /// Nanoseconds, read as ns, µs, ms or s.
    Duration,
    /// Bytes, read in binary units; may be negative.
    Bytes,
    /// A share of one: percentage and bar.
    Share,
    /// A value without a known unit, as in the file.
    Number,
}

impl Kind {
    /// Whether cells are on the right and are compared as numbers.
    pub fn is_figure(self) -> bool {
        !matches!(self, Kind::Name | Kind::Text)
    }
}

/// Writes a table as text: columns, rows, the order of the rows, the columns shown.
pub type Writer = fn(&[Column], &[Row], &[u32], &[usize]) -> String;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Stable name: in `data-column`, and the header in a CSV.
    pub id: String,
    /// Header.
    pub label: String,
    /// What it means, one hover away. May be empty.
    pub help: String,
    /// What it holds.
    pub kind: Kind,
    /// Whether the total row adds it up.
    pub is_summed: bool,
    /// Whether it takes the room that is left, instead of the first name: sentences.
    pub is_wide: bool,
    /// Whether it is not shown until the user shows it.
    pub is_off: bool,
}

impl Column {
    /// A column that is not added up.
    pub fn new(id: &str, label: &str, kind: Kind, help: &str) -> Self {
        Column { id: id.into(), label: label.into(), help: help.into(), kind, is_summed: false, is_wide: false, is_off: false }
    }

    /// The same, taking the room that is left.
    pub fn wide(self) -> Self {
        Column { is_wide: true, ..self }
    }

    /// The same, not shown until the user shows it.
    pub fn off(self) -> Self {
        Column { is_off: true, ..self }
    }

    /// The same, added up in the total row.
    pub fn summed(self) -> Self {
        Column { is_summed: true, ..self }
    }
}

/// A cell, raw.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    /// Nothing there.
    #[default]
    Absent,
    /// Text.
    Text(String),
    /// A whole number: a count, nanoseconds.
    Int(i64),
    /// A number, or a share of one.
    Float(f64),
    /// A number with its own text, because its unit depends on the row.
    Formatted(f64, String),
    /// A placeholder text, drawn dim. Not a value: exports and sums skip it.
    Placeholder(String),
}

/// Whether a number counts things: it reads without a point.
pub fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9e15
}

/// A count; one that no whole number of a cell holds is shown as the largest.
impl From<u64> for Cell {
    fn from(n: u64) -> Self {
        Cell::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<DurationNs> for Cell {
    fn from(duration: DurationNs) -> Self {
        Cell::Int(duration.0)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Cell::Float(value)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

/// What a file does not record is absent, never 0.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Absent, T::into)
    }
}

impl Cell {
    /// A number of a unit that may be counted: whole ones read so, `4` and not `4.00`.
    pub fn plain(value: f64) -> Cell {
        if is_whole(value) { Cell::Int(value as i64) } else { Cell::Float(value) }
    }

    /// As a number, when it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(v) => Some(*v as f64),
            Cell::Float(v) | Cell::Formatted(v, _) if v.is_finite() => Some(*v),
            _ => None,
        }
    }

    /// As people read it in a column of this kind.
    pub fn shown(&self, kind: Kind) -> String {
        match (self, kind) {
            (Cell::Absent, _) => String::new(),
            (Cell::Text(t) | Cell::Formatted(_, t) | Cell::Placeholder(t), _) => t.clone(),
            (Cell::Int(v), Kind::Duration) => text::duration(DurationNs(*v)),
            (Cell::Int(v), Kind::Bytes) => text::signed_bytes(*v),
            (Cell::Int(v), Kind::Count) => format!("{}{}", if *v < 0 { "−" } else { "" }, text::count(v.unsigned_abs())),
            (Cell::Int(v), _) => v.to_string().replace('-', "−"),
            (Cell::Float(v), Kind::Share) => text::percent(*v),
            // A mean of counts: from 1000 on a fraction would be the fifth digit or later.
            (Cell::Float(v), Kind::Count) if is_whole(*v) || (v.abs() >= 1000.0 && v.is_finite()) => {
                Cell::Int(v.round() as i64).shown(kind)
            }
            (Cell::Float(v), Kind::Duration) => text::duration(DurationNs(v.round() as i64)),
            (Cell::Float(v), Kind::Bytes) => text::signed_bytes(v.round() as i64),
            (Cell::Float(v), _) => text::three_digits(*v),
        }
    }

    /// Without rounding or unit, as a program reads it.
    pub fn raw(&self) -> String {
        match self {
            Cell::Absent | Cell::Placeholder(_) => String::new(),
            Cell::Text(t) => t.clone(),
            Cell::Int(v) => v.to_string(),
            Cell::Float(v) | Cell::Formatted(v, _) if v.is_finite() => v.to_string(),
            Cell::Float(_) | Cell::Formatted(..) => String::new(),
        }
    }

    /// Title of the cell: the exact value with its unit.
    pub fn exact(&self, kind: Kind) -> String {
        match (self, kind) {
            (Cell::Int(v), Kind::Duration) => text::time_exact(*v),
            (Cell::Int(v), Kind::Bytes) => format!("{v} B").replace('-', "−"),
            _ => self.raw(),
        }
    }
}

/// A row: as many cells as there are columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The cells. Missing ones are absent.
    pub cells: Vec<Cell>,
    /// Colour slot of the thing this row is about.
    pub colour: Option<u16>,
    /// What it is made of: shown beneath when opened.
    pub members: Vec<String>,
    /// Heat of the cells, where the table has any.
    pub heat: Vec<Heat>,
}

/// How a cell compares with the others of its column.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Heat {
    /// 0 is none, 1 the strongest.
    pub strength: f64,
    /// Whether it is the best or the worst.
    pub is_best: Option<bool>,
}

impl Row {
    /// A row of cells and nothing else.
    pub fn new(cells: Vec<Cell>) -> Self {
        Row { cells, colour: None, members: Vec::new(), heat: Vec::new() }
    }

    /// The cell of a column.
    pub fn cell(&self, column: usize) -> &Cell {
        self.cells.get(column).unwrap_or(&Cell::Absent)
    }

    /// Its name: the first text; empty where that is not recorded.
    pub fn name(&self) -> String {
        let name = self.cells.iter().find_map(|c| match c {
            Cell::Text(t) => Some(t.clone()),
            Cell::Placeholder(_) => Some(String::new()),
            _ => None,
        });
        name.unwrap_or_default()
    }
}

/// The sum of one column over some rows; absent when nothing there is a number.
pub fn total(rows: &[Row], order: &[u32], column: usize) -> Cell {
    let mut whole: Option<i64> = None;
    let mut broken: Option<f64> = None;
    for row in order {
        match rows.get(*row as usize).map(|r| r.cell(column)) {
            Some(Cell::Int(v)) => whole = Some(whole.unwrap_or(0).saturating_add(*v)),
            Some(Cell::Float(v) | Cell::Formatted(v, _)) if v.is_finite() => broken = Some(broken.unwrap_or(0.0) + v),
            _ => {}
        }
    }
    match (whole, broken) {
        (Some(w), Some(b)) => Cell::Float(w as f64 + b),
        (Some(w), None) => Cell::Int(w),
        (None, Some(b)) => Cell::Float(b),
        (None, None) => Cell::Absent,
    }
}

/// The column that takes the room that is left: a wide one, else the first name.
pub fn takes_the_rest<'a>(columns: impl Iterator<Item = &'a Column> + Clone) -> Option<usize> {
    columns.clone().position(|c| c.is_wide).or_else(|| columns.clone().position(|c| c.kind == Kind::Name))
}

/// Digits of a wide column at most.
const WIDE: usize = 64;

/// How wide a column should be, in digits, from its label and the first rows.
pub fn width(column: &Column, rows: &[Row], at: usize) -> usize {
    const SAMPLE: usize = 300;
    let longest = rows.iter().take(SAMPLE).map(|r| r.cell(at).shown(column.kind).chars().count()).max().unwrap_or(0);
    // The label is bold and wider than digits, and has the sort arrow, the help mark and padding beside it.
    let label = (column.label.chars().count() * 13).div_ceil(12) + if column.help.is_empty() { 4 } else { 6 };
    let (least, most, extra) = match column.kind {
        Kind::Name => (20, 48, 6),
        Kind::Text => (6, 36, 2),
        Kind::Share => (16, 16, 0),
        _ => (6, 24, 2),
    };
    let least = if longest == 0 { 0 } else { least };
    let most = if column.is_wide { most.max(WIDE) } else { most };
    (longest + extra).clamp(least, most).max(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_by_kind() {
        let int = Cell::Int(1_234_567);
        assert_eq!(int.shown(Kind::Duration), "1.23 ms");
        assert_eq!(int.shown(Kind::Count), "1\u{202f}234\u{202f}567");
        assert_eq!(int.shown(Kind::Number), "1234567");
        assert_eq!(Cell::Int(-1_234).shown(Kind::Count), "−1\u{202f}234");
        assert_eq!([1_234.4, 12.34].map(|mean| Cell::Float(mean).shown(Kind::Count)), ["1\u{202f}234", "12.3"]);
        assert_eq!(int.exact(Kind::Duration), "1.234567 ms");
        assert_eq!(int.raw(), "1234567");
        assert_eq!(Cell::Int(-3 << 20).shown(Kind::Bytes), "−3.00 MiB");
        assert_eq!(Cell::Int(-5).exact(Kind::Bytes), "−5 B");
        assert_eq!(Cell::Float(0.391).shown(Kind::Share), "39.1%");
        assert_eq!(Cell::Float(f64::NAN).raw(), "");
        assert_eq!((Cell::Float(27.0).shown(Kind::Count), Cell::Float(-3.0).shown(Kind::Count)), ("27".into(), "−3".into()));
        assert_eq!(
            (Cell::Float(2.5).shown(Kind::Count), Cell::Float(f64::NAN).shown(Kind::Count)),
            ("2.50".into(), "not available".into())
        );
        assert_eq!((Cell::plain(4.0), Cell::plain(4.5)), (Cell::Int(4), Cell::Float(4.5)));
        let formatted = Cell::Formatted(2048.0, "2.00 KiB".into());
        assert_eq!((formatted.shown(Kind::Number), formatted.raw(), formatted.number()), ("2.00 KiB".into(), "2048".into(), Some(2048.0)));
        assert_eq!(Cell::Absent.shown(Kind::Count), "");
        let placeholder = Cell::Placeholder("(no layer)".into());
        assert_eq!((placeholder.shown(Kind::Name), placeholder.raw(), placeholder.number()), ("(no layer)".into(), String::new(), None));
        let row = Row::new(vec![placeholder, Cell::Text("device".into())]);
        assert_eq!(row.name(), "", "what names it to others is nothing, not its next text");
    }

    #[test]
    fn totals_add_what_there_is() {
        let row = |c| Row::new(vec![c]);
        let rows = [row(Cell::Int(1)), row(Cell::Absent), row(Cell::Int(5)), row(Cell::Text("x".into()))];
        assert_eq!(total(&rows, &[0, 1, 2, 3], 0), Cell::Int(6));
        assert_eq!(total(&rows, &[1, 3], 0), Cell::Absent);
        assert_eq!(total(&rows, &[0], 7), Cell::Absent);
    }

    #[test]
    fn widths_fit_label_and_figures() {
        let column = Column::new("n", "Occurrences", Kind::Count, "");
        assert_eq!(width(&column, &[], 0), 16);
        let name = Column::new("name", "Operator", Kind::Name, "");
        assert_eq!(width(&name, &[Row::new(vec![Cell::Text("x".repeat(500))])], 0), 48);
        let formatted = Column::new("said", "Said", Kind::Text, "");
        assert_eq!(takes_the_rest([&column, &name, &formatted].into_iter()), Some(1));
        assert_eq!(takes_the_rest([&column, &name, &formatted.clone().wide()].into_iter()), Some(2));
        assert_eq!(takes_the_rest([&column].into_iter()), None);
    }
}
