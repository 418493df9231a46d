//! A table as comma-separated values after RFC 4180, raw: no units, no rounding.

use super::data::{Column, Row};
use crate::base::csv;

/// Header and rows, in the order and with the columns given. Members follow as a last column when any row has some.
pub fn csv(columns: &[Column], rows: &[Row], order: &[u32], shown: &[usize]) -> String {
    let rows = || order.iter().filter_map(|i| rows.get(*i as usize));
    let has_members = rows().any(|r| !r.members.is_empty());
    let mut out = String::new();
    let mut fields: Vec<String> = shown.iter().filter_map(|c| columns.get(*c)).map(|c| c.id.clone()).collect();
    if has_members {
        fields.push("members".into());
    }
    csv::record(&mut out, fields.iter().map(String::as_str));
    for row in rows() {
        let mut fields: Vec<String> = shown.iter().map(|c| row.cell(*c).raw()).collect();
        if has_members {
            fields.push(row.members.join("; "));
        }
        csv::record(&mut out, fields.iter().map(String::as_str));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::data::{Cell, Kind};
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let columns = [Column::new("name", "Name", Kind::Name, ""), Column::new("ns", "Time", Kind::Duration, "")];
        let mut fused = Row::new(vec![Cell::Text("f(\"a\"),\nb".into()), Cell::Int(1_500)]);
        fused.members = vec!["a".into(), "b".into()];
        let rows = [Row::new(vec![Cell::Text("plain".into())]), fused];
        let all = csv(&columns, &rows, &[1, 0], &[0, 1]);
        assert_eq!(all, "name,ns,members\r\n\"f(\"\"a\"\"),\nb\",1500,a; b\r\nplain,,\r\n");
        assert_eq!(csv(&columns, &rows, &[0], &[1]), "ns\r\n\r\n");
    }
}
