//! Stable order of table columns: the profiler writes the keys of a record in no fixed order.

use crate::base::Order as _;
use crate::model::{Cell, GenericTable};

/// The table with sorted columns: names first, then location, then the others by name. A table of one row is sorted by name.
pub(super) fn ordered(table: GenericTable) -> GenericTable {
    let is_list = table.rows.len() == 1;
    let mut order: Vec<usize> = (0..table.columns.len()).collect();
    order.order_by_key(|at| (if is_list { 0 } else { rank(&table.columns[*at]) }, table.columns[*at].clone()));
    let row = |row: Vec<Cell>| order.iter().map(|at| row.get(*at).cloned().unwrap_or(Cell::Absent)).collect();
    let columns = order.iter().map(|at| table.columns[*at].clone()).collect();
    GenericTable { columns, rows: table.rows.into_iter().map(row).collect(), ..table }
}

/// The smaller, the further to the left.
fn rank(column: &str) -> u8 {
    let ends = |ends: &[&str]| ends.iter().any(|end| column.ends_with(end));
    match column {
        "sg_name" => 1,
        "name" | "category" | "engine" => 0,
        _ if ends(&["_name"]) => 0,
        _ if column.contains("subgraph") => 1,
        "id" | "node" | "nc" | "nd" => 2,
        _ if ends(&["_id", "_idx"]) => 2,
        _ if column == "type" || ends(&["_type"]) => 3,
        _ if column.starts_with("start") || column.starts_with("timestamp") => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_of_a_row_come_first() {
        let names = ["shape", "node", "sg_name", "variable_name", "type", "format"].map(String::from);
        let row = || (0..5).map(Cell::Int).collect::<Vec<_>>();
        let table = |n: usize| GenericTable { columns: names.clone().into(), rows: vec![row(); n], ..GenericTable::default() };
        let of = ordered(table(2));
        assert_eq!(of.columns, ["variable_name", "sg_name", "node", "type", "format", "shape"]);
        assert_eq!(of.rows[1], [Cell::Int(3), Cell::Int(2), Cell::Int(1), Cell::Int(4), Cell::Absent, Cell::Int(0)]);
        assert_eq!(ordered(table(1)).columns, ["format", "node", "sg_name", "shape", "type", "variable_name"]);
    }
}
