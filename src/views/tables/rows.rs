//! Generic tables as rows of ours.

use crate::engine::Cell as Raw;
use crate::engine::query::TablePart;
use crate::ui::table::{Cell, Column, Kind, Row};

/// A row of the file as a row of the table.
pub fn row(raw: Vec<Raw>) -> Row {
    let cell = |raw| match raw {
        Raw::Absent => Cell::Absent,
        Raw::Int(v) => Cell::Int(v),
        Raw::Float(v) => Cell::Float(v),
        Raw::Text(v) => Cell::Text(v),
    };
    Row::new(raw.into_iter().map(cell).collect())
}

/// Columns under the names the file has for them. One that holds a text anywhere stands on the left; the first such is the name.
/// `help` is what the file says of each; it may be empty.
pub fn columns(names: &[String], help: &[String], rows: &[Row]) -> Vec<Column> {
    let has_text = |at: usize| rows.iter().any(|r| matches!(r.cell(at), Cell::Text(_)));
    let mut has_name = false;
    let column = |(at, name): (usize, &String)| {
        let kind = match has_text(at) {
            true if !std::mem::replace(&mut has_name, true) => Kind::Name,
            true => Kind::Text,
            false => Kind::Number,
        };
        Column::new(name, name, kind, help.get(at).map_or("", String::as_str))
    };
    names.iter().enumerate().map(column).collect()
}

/// Columns from which on a single row is shown as a list.
const WIDE: usize = 6;

/// Whether a table is one wide row: it reads better turned by a quarter.
pub fn is_turned(part: &TablePart) -> bool {
    part.n_total == 1 && part.columns.len() > WIDE
}

/// Columns of a turned table; with meanings where the file tells them.
pub fn turned_columns(help: &[String]) -> Vec<Column> {
    let mut out =
        vec![Column::new("field", "Field", Kind::Name, "Name of the column in the file."), Column::new("value", "Value", Kind::Text, "")];
    out.extend((!help.is_empty()).then(|| Column::new("meaning", "Meaning", Kind::Text, "In the file's own words.")));
    out
}

/// Its fields as rows.
pub fn turned(names: &[String], help: &[String], row: Option<&Row>) -> Vec<Row> {
    let field = |(at, name): (usize, &String)| {
        let value = row.map_or(Cell::Absent, |r| r.cell(at).clone());
        let value = if value == Cell::Absent { value } else { Cell::Text(value.raw()) };
        let mut cells = vec![Cell::Text(name.clone()), value];
        cells.extend((!help.is_empty()).then(|| help.get(at).filter(|h| !h.is_empty()).map_or(Cell::Absent, |h| Cell::Text(h.clone()))));
        Row::new(cells)
    };
    names.iter().enumerate().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_where_their_cells_belong() {
        let raw = vec![Raw::Int(1), Raw::Text("a".into()), Raw::Absent, Raw::Text("b".into())];
        let names: Vec<String> = ["id", "name", "none", "kind"].map(Into::into).into();
        let kinds: Vec<Kind> = columns(&names, &["what".into()], &[row(raw)]).into_iter().map(|c| c.kind).collect();
        assert_eq!(kinds, [Kind::Number, Kind::Name, Kind::Number, Kind::Text]);
    }
}
