//! A table as JSON: an array of one object for each row, raw: no units, no rounding.

use super::data::{Cell, Column, Row};
use serde_json::Value;

/// Rows, in the order and with the columns given. A cell without a value is `null`; members follow where a row has some.
pub fn json(columns: &[Column], rows: &[Row], order: &[u32], shown: &[usize]) -> String {
    let mut out = String::from("[");
    for (at, row) in order.iter().filter_map(|i| rows.get(*i as usize)).enumerate() {
        out.push_str(if at == 0 { "\n{" } else { ",\n{" });
        let cells = shown.iter().filter_map(|c| Some((columns.get(*c)?.id.as_str(), value(row.cell(*c)))));
        let members = (!row.members.is_empty()).then(|| ("members", Value::from(row.members.clone())));
        for (at, (name, value)) in cells.chain(members).enumerate() {
            let comma = if at == 0 { "" } else { "," };
            out.push_str(&format!("{comma}{}:{value}", Value::from(name)));
        }
        out.push('}');
    }
    out.push_str("\n]\n");
    out
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Int(n) => Value::from(*n),
        // JSON has no word for what is not finite.
        Cell::Float(n) | Cell::Formatted(n, _) => serde_json::Number::from_f64(*n).map_or(Value::Null, Value::Number),
        Cell::Text(text) => Value::from(text.as_str()),
        Cell::Absent | Cell::Placeholder(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::Kind;
    use super::*;

    #[test]
    fn cells_keep_their_types() {
        let columns = [Column::new("ns", "Time", Kind::Duration, ""), Column::new("name", "Name", Kind::Name, "")];
        let mut fused = Row::new(vec![Cell::Int(9_007_199_254_740_993), Cell::Text("f(\"a\")".into())]);
        fused.members = vec!["a".into()];
        let rows = [Row::new(vec![Cell::Float(0.5)]), fused, Row::new(vec![Cell::Float(f64::NAN), Cell::Placeholder("–".into())])];
        let text = json(&columns, &rows, &[1, 0, 2], &[0, 1]);
        let expected = "[\n{\"ns\":9007199254740993,\"name\":\"f(\\\"a\\\")\",\"members\":[\"a\"]},\n{\"ns\":0.5,\"name\":null},\n{\"ns\":null,\"name\":null}\n]\n";
        assert_eq!(text, expected);
        assert_eq!(json(&columns, &[], &[], &[0]), "[\n]\n");
    }
}
