//! Generic tables as rows of ours.

use crate::base::text;
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

/// Characters from which on a text is a sentence: its column takes the room that is left.
const SENTENCE: usize = 40;
/// Rows whose text widths are measured.
const SAMPLE: usize = 300;

/// Columns that are shown at first: a browser draws thousands slowly, and nobody scrolls through them.
pub const SHOWN_COLUMNS: usize = 100;

/// Columns under the names the file has for them. One that holds a text anywhere is on the left; the first such is the name.
/// `help`: description of each column from the file; may be empty.
pub fn columns(names: &[String], help: &[String], rows: &[Row]) -> Vec<Column> {
    let has_text = |at: usize| rows.iter().any(|r| matches!(r.cell(at), Cell::Text(_)));
    let mut has_name = false;
    let column = |(at, name): (usize, &String)| {
        let kind = match has_text(at) {
            true if !std::mem::replace(&mut has_name, true) => Kind::Name,
            true => Kind::Text,
            false if is_bytes(name) => Kind::Bytes,
            false => Kind::Number,
        };
        let column = Column::new(name, name, kind, help.get(at).map_or("", String::as_str));
        if at < SHOWN_COLUMNS { column } else { column.off() }
    };
    let mut out: Vec<Column> = names.iter().enumerate().map(column).collect();
    let longest = |at: usize| rows.iter().take(SAMPLE).filter_map(|r| length(r.cell(at))).max().unwrap_or(0);
    let widest = (0..out.len()).map(|at| (longest(at), std::cmp::Reverse(at))).max();
    if let Some((_, std::cmp::Reverse(at))) = widest.filter(|w| w.0 >= SENTENCE) {
        out[at].is_wide = true;
    }
    out
}

/// Characters of a text.
fn length(cell: &Cell) -> Option<usize> {
    if let Cell::Text(text) = cell { Some(text.chars().count()) } else { None }
}

/// Whether a column's name implies bytes.
fn is_bytes(name: &str) -> bool {
    name == "bytes" || name.ends_with("_bytes")
}

/// Columns from which on a single row is shown as a list.
const WIDE: usize = 6;

/// Whether a table is one wide row, which is shown as two columns instead.
pub fn is_turned(part: &TablePart) -> bool {
    part.n_total == 1 && part.columns.len() > WIDE
}

/// Columns of a turned table; with meanings where the file records them.
pub fn turned_columns(help: &[String]) -> Vec<Column> {
    let mut out =
        vec![Column::new("field", "Field", Kind::Name, "Name of the column in the file."), Column::new("value", "Value", Kind::Text, "")];
    out.extend((!help.is_empty()).then(|| Column::new("meaning", "Meaning", Kind::Text, "Description recorded in the file.")));
    // Field names are short, descriptions are long.
    out.pop().into_iter().for_each(|last| out.push(last.wide()));
    out
}

/// Its fields as rows.
pub fn turned(names: &[String], help: &[String], row: Option<&Row>) -> Vec<Row> {
    let field = |(at, name): (usize, &String)| {
        let value = row.map_or(Cell::Absent, |r| r.cell(at).clone());
        let value = match value.number().filter(|n| is_bytes(name) && n.fract() == 0.0) {
            Some(n) => Cell::Formatted(n, text::signed_bytes(n as i64)),
            None if value == Cell::Absent => value,
            None => Cell::Text(value.raw()),
        };
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

    #[test]
    fn of_many_columns_the_first_are_shown() {
        let names: Vec<String> = (0..SHOWN_COLUMNS + 5).map(|n| n.to_string()).collect();
        assert_eq!(columns(&names, &[], &[]).iter().filter(|c| !c.is_off).count(), SHOWN_COLUMNS);
    }

    #[test]
    fn bytes_have_a_unit_and_sentences_take_the_room() {
        let names: Vec<String> = ["category", "message", "amount_bytes"].map(Into::into).into();
        let raw = || vec![Raw::Text("a".into()), Raw::Text("m".repeat(90)), Raw::Int(2_554_331_136)];
        let all = columns(&names, &[], &[row(raw())]);
        assert_eq!(all.iter().map(|c| c.is_wide).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(row(raw()).cell(2).shown(all[2].kind), "2.38 GiB");
        let turned = turned(&names, &[], Some(&row(raw())));
        assert_eq!((turned[2].cell(1).shown(Kind::Text), turned[2].cell(1).raw()), ("2.38 GiB".into(), "2554331136".into()));
        assert!(turned_columns(&[]).last().is_some_and(|c| c.id == "value" && c.is_wide));
        assert!(turned_columns(&names).last().is_some_and(|c| c.id == "meaning" && c.is_wide));
    }
}
