//! What a query returned, as rows of a table, and which of them lead into the timeline.

use crate::base::arrow::{Batch, Values};
use crate::ui::table::{Cell, Column, Kind, Row};
use std::sync::Arc;

/// A column of the result in the engine's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Type: `BIGINT`, `DECIMAL(9,2)`.
    pub kind: String,
}

/// How a column is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Int,
    /// May not fit into 64 bits.
    Large,
    Float,
    Text,
}

impl Field {
    fn read(&self) -> Read {
        match self.kind.as_str() {
            "BIGINT" | "INTEGER" | "SMALLINT" | "TINYINT" | "UINTEGER" | "USMALLINT" | "UTINYINT" => Read::Int,
            "HUGEINT" | "UHUGEINT" | "UBIGINT" => Read::Large,
            "FLOAT" | "DOUBLE" => Read::Float,
            kind if kind.starts_with("DECIMAL") => Read::Float,
            _ => Read::Text,
        }
    }

    /// The column cast to one of the types that are read.
    pub fn cast(&self) -> String {
        let to = match self.read() {
            Read::Int => "BIGINT",
            Read::Float => "DOUBLE",
            Read::Large | Read::Text => "VARCHAR",
        };
        format!("{}::{to}", quoted(&self.name))
    }

    fn is_number(&self) -> bool {
        self.read() != Read::Text
    }
}

/// A name in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Columns in the engine's words.
    pub fields: Vec<Field>,
    /// Rows.
    pub rows: Arc<Vec<Row>>,
    /// Whether there were more rows than are shown.
    pub is_cut: bool,
    /// Milliseconds that the engine took.
    pub ms: f64,
}

/// Fields out of `DESCRIBE`.
pub fn fields(batch: &Batch) -> Vec<Field> {
    let texts = |name: &str| match batch.columns.iter().find(|c| c.0 == name) {
        Some((_, Values::Texts(texts))) => texts.clone(),
        _ => Vec::new(),
    };
    let both = texts("column_name").into_iter().zip(texts("column_type"));
    both.map(|(name, kind)| Field { name: name.unwrap_or_default(), kind: kind.unwrap_or_default() }).collect()
}

/// Rows of a batch.
pub fn rows(fields: &[Field], batch: Batch) -> Vec<Row> {
    let mut out: Vec<Row> = (0..batch.n_rows).map(|_| Row::new(Vec::with_capacity(fields.len()))).collect();
    for (at, (_, values)) in batch.columns.into_iter().enumerate() {
        let is_large = fields.get(at).is_some_and(|f| f.read() == Read::Large);
        let large = |text: String| text.parse::<i64>().map_or(Cell::Text(text), Cell::Int);
        let mut cells: Box<dyn Iterator<Item = Cell>> = match values {
            Values::Ints(v) => Box::new(v.into_iter().map(|n| n.map_or(Cell::Absent, Cell::Int))),
            Values::Floats(v) => Box::new(v.into_iter().map(|n| n.map_or(Cell::Absent, Cell::Float))),
            Values::Flags(v) => Box::new(v.into_iter().map(|n| n.map_or(Cell::Absent, |n| Cell::Text(n.to_string())))),
            Values::Texts(v) if is_large => Box::new(v.into_iter().map(move |t| t.map_or(Cell::Absent, large))),
            Values::Texts(v) => Box::new(v.into_iter().map(|t| t.map_or(Cell::Absent, Cell::Text))),
            Values::Words(codes, words) => Box::new(codes.into_iter().map(move |code| {
                let word = code.and_then(|code| words.get(code as usize));
                word.map_or(Cell::Absent, |word| Cell::Text(word.clone()))
            })),
        };
        for row in &mut out {
            row.cells.push(cells.next().unwrap_or_default());
        }
    }
    out
}

/// Columns for the table: numbers read by the unit that their name states.
pub fn columns(fields: &[Field]) -> Vec<Column> {
    let first_text = fields.iter().position(|f| !f.is_number());
    let column = |(at, field): (usize, &Field)| {
        let name = field.name.to_ascii_lowercase();
        let kind = match () {
            () if !field.is_number() && Some(at) == first_text => Kind::Name,
            () if !field.is_number() => Kind::Text,
            () if name.ends_with("_ns") || ["dur", "self_dur"].contains(&name.as_str()) => Kind::Duration,
            () if name == "bytes" || name.ends_with("_bytes") => Kind::Bytes,
            () => Kind::Number,
        };
        Column::new(&field.name, &field.name, kind, &field.kind)
    };
    fields.iter().enumerate().map(column).collect()
}

/// Where a row leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    /// To a slice.
    Slice(u32),
    /// To a time: start and duration, ns; and the name of a slice there, where the row has it.
    Time(i64, i64, Option<String>),
}

/// Where rows lead: by their columns. `has_slice_ids`: whether a column `id` is that of a slice.
pub fn lead(fields: &[Field], row: &Row, has_slice_ids: bool) -> Option<Lead> {
    let value = |name: &str| {
        let at = fields.iter().position(|f| f.name.eq_ignore_ascii_case(name))?;
        match row.cell(at) {
            Cell::Int(n) => Some(*n),
            _ => None,
        }
    };
    let slice = value("slice_id").or_else(|| value("id").filter(|_| has_slice_ids));
    if let Some(slice) = slice.and_then(|id| u32::try_from(id).ok()) {
        return Some(Lead::Slice(slice));
    }
    let text = |name: &str| {
        let at = fields.iter().position(|f| f.name.eq_ignore_ascii_case(name))?;
        match row.cell(at) {
            Cell::Text(text) => Some(text.clone()),
            _ => None,
        }
    };
    let start = value("ts").or_else(|| value("start_ts"))?;
    let end = || value("end_ts").map(|end| end.saturating_sub(start));
    let duration = value("dur").or_else(|| value("duration_ns")).or_else(end)?.max(0);
    Some(Lead::Time(start, duration, text("opcode").or_else(|| text("name"))))
}

/// The first `most` rows as a table of Markdown.
pub fn markdown(fields: &[Field], rows: &[Row], most: usize) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escaped = |text: String| text.replace('|', "\\|").replace('\n', " ");
    let mut out = line(fields.iter().map(|f| escaped(f.name.clone())).collect());
    out.push_str(&line(fields.iter().map(|f| if f.is_number() { "---:".into() } else { "---".into() }).collect()));
    for row in rows.iter().take(most) {
        out.push_str(&line((0..fields.len()).map(|at| escaped(row.cell(at).raw())).collect()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, kind: &str) -> Field {
        Field { name: name.into(), kind: kind.into() }
    }

    #[test]
    fn columns_are_cast_to_what_is_read() {
        let casts =
            [field("a", "INTEGER"), field("b \"c\"", "HUGEINT"), field("d", "DECIMAL(9,2)"), field("e", "TIMESTAMP")].map(|f| f.cast());
        assert_eq!(casts, ["\"a\"::BIGINT", "\"b \"\"c\"\"\"::VARCHAR", "\"d\"::DOUBLE", "\"e\"::VARCHAR"]);
        let kinds: Vec<Kind> = columns(&[
            field("name", "VARCHAR"),
            field("time_ns", "HUGEINT"),
            field("bytes", "BIGINT"),
            field("ts", "BIGINT"),
            field("k", "VARCHAR"),
        ])
        .iter()
        .map(|c| c.kind)
        .collect();
        assert_eq!(kinds, [Kind::Name, Kind::Duration, Kind::Bytes, Kind::Number, Kind::Text]);
    }

    #[test]
    fn rows_are_read_and_lead() {
        let fields = [field("start_ts", "BIGINT"), field("sum", "HUGEINT"), field("end_ts", "BIGINT")];
        let large = "9".repeat(30);
        let batch = Batch {
            columns: vec![
                ("start_ts".into(), Values::Ints(vec![Some(5), None])),
                ("sum".into(), Values::Texts(vec![Some("12".into()), Some(large.clone())])),
                ("end_ts".into(), Values::Ints(vec![Some(9), Some(9)])),
            ],
            n_rows: 2,
        };
        let found = rows(&fields, batch);
        assert_eq!(found[0].cells, [Cell::Int(5), Cell::Int(12), Cell::Int(9)]);
        assert_eq!(found[1].cells, [Cell::Absent, Cell::Text(large), Cell::Int(9)]);
        assert_eq!((lead(&fields, &found[0], false), lead(&fields, &found[1], false)), (Some(Lead::Time(5, 4, None)), None));
        let named = [field("ts", "BIGINT"), field("dur", "BIGINT"), field("opcode", "VARCHAR")];
        let row = Row::new(vec![Cell::Int(5), Cell::Int(4), Cell::Text("MATMUL".into())]);
        assert_eq!(lead(&named, &row, false), Some(Lead::Time(5, 4, Some("MATMUL".into()))));
        let ids = [field("ID", "BIGINT")];
        let row = Row::new(vec![Cell::Int(3)]);
        assert_eq!((lead(&ids, &row, true), lead(&ids, &row, false)), (Some(Lead::Slice(3)), None));
        assert_eq!(markdown(&ids, &[row], 10), "| ID |\n| ---: |\n| 3 |\n");
    }
}
