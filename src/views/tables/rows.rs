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
pub fn columns(names: &[String], rows: &[Row]) -> Vec<Column> {
    let has_text = |at: usize| rows.iter().any(|r| matches!(r.cell(at), Cell::Text(_)));
    let mut has_name = false;
    let column = |(at, name): (usize, &String)| {
        let kind = match has_text(at) {
            true if !std::mem::replace(&mut has_name, true) => Kind::Name,
            true => Kind::Text,
            false => Kind::Number,
        };
        Column::new(name, name, kind, "")
    };
    names.iter().enumerate().map(column).collect()
}

/// Columns from which on a single row is shown as a list.
const WIDE: usize = 6;

/// Whether a table is one wide row: it reads better turned by a quarter.
pub fn is_turned(part: &TablePart) -> bool {
    part.n_total == 1 && part.columns.len() > WIDE
}

/// Columns of a turned table.
pub fn turned_columns() -> Vec<Column> {
    vec![Column::new("field", "Field", Kind::Name, "Name of the column in the file."), Column::new("value", "Value", Kind::Text, "")]
}

/// Its fields as rows.
pub fn turned(names: &[String], row: Option<&Row>) -> Vec<Row> {
    let field = |(at, name): (usize, &String)| {
        let value = row.map_or(Cell::Absent, |r| r.cell(at).clone());
        let value = if value == Cell::Absent { value } else { Cell::Text(value.raw()) };
        Row::new(vec![Cell::Text(name.clone()), value])
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
        let kinds: Vec<Kind> = columns(&names, &[row(raw)]).into_iter().map(|c| c.kind).collect();
        assert_eq!(kinds, [Kind::Number, Kind::Name, Kind::Number, Kind::Text]);
    }
}
