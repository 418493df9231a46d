//! Every table without changes: short ones are stored, long ones are read on demand.

use super::table::{Table, members_by_table};
use crate::base::{InputSet, Ledger, Member};
use crate::formats::ImportError;
use crate::formats::neuron_parquet::checks::missing;
use crate::formats::neuron_parquet::pages::errors::RowsError;
use crate::formats::neuron_parquet::pages::reader::File;
use crate::model::{Cell, GenericTable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Longer tables stay in the file.
const STORED_ROWS: u64 = 2_000;

/// Stands for a value that cannot be read, where a row is looked at for itself.
pub const UNREADABLE: &str = "cannot be read";

/// Headings of a record's fields, in the order shown.
pub const GROUPS: [&str; 6] = ["Event", "Instruction", "Transfer", "Memory", "Program", "Links"];

/// The table for the profile.
pub fn table(table: &Table, ledger: &mut Ledger) -> GenericTable {
    let columns = table.columns();
    let n_rows = table.n_rows();
    let mut out = GenericTable { id: table.name.clone(), columns, ..GenericTable::default() };
    if n_rows > STORED_ROWS {
        out.n_in_file = n_rows;
        return out;
    }
    let wanted: Vec<&str> = out.columns.iter().map(String::as_str).collect();
    for file in &table.files {
        let before = out.rows.len();
        match part(file, &wanted, (0, STORED_ROWS), (&mut out.rows, &Cell::Absent)) {
            Err(why) => file.broken(&table.name, (out.rows.len() - before) as u64, &why, ledger),
            Ok(()) => missing::columns(table, file, ledger),
        }
    }
    out
}

/// Adds `n` rows from row `first` on to `out`; those before a break are added too. What cannot be read of them becomes `broken`.
fn part(file: &File, wanted: &[&str], (first, n): (u64, u64), (out, broken): (&mut Vec<Vec<Cell>>, &Cell)) -> Result<(), RowsError> {
    let most = out.len() as u64 + n;
    file.rows(wanted, (first, n), |batch, _| {
        for row in 0..batch.n_rows {
            if out.len() as u64 >= most {
                return ControlFlow::Break(());
            }
            let cell = |c: usize| if batch.is_broken(c) { broken.clone() } else { batch.cell(c, row) };
            out.push((0..wanted.len()).map(cell).collect());
        }
        if out.len() as u64 >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

thread_local! {
    /// Recently read tables with their members, the latest last. With many row groups, reading the footer takes longer than some rows.
    static OPEN: RefCell<Vec<(Vec<Member>, Rc<Table>)>> = const { RefCell::new(Vec::new()) };
}

/// Tables that stay open.
const MOST_OPEN: usize = 3;

/// A table of the input; a file that cannot be opened has no rows.
pub fn opened(input: &InputSet, name: &str) -> Rc<Table> {
    let members = members_by_table(input).remove(name).unwrap_or_default();
    let is_same = |known: &[Member]| known.len() == members.len() && known.iter().zip(&members).all(|(a, b)| a.is_same(b));
    OPEN.with_borrow_mut(|open| {
        let known = open.iter().position(|(known, table)| table.name == name && is_same(known)).map(|at| open.remove(at));
        let entry = known.unwrap_or_else(|| {
            let files = members.iter().filter_map(|m| File::open(m).ok()).collect();
            (members.iter().map(|m| (*m).clone()).collect(), Rc::new(Table::new(name, files)))
        });
        let table = Rc::clone(&entry.1);
        open.push(entry);
        if open.len() > MOST_OPEN {
            open.remove(0);
        }
        table
    })
}

/// `n` rows of a table from `first` on, with the columns of all its files.
pub fn rows(input: &InputSet, name: &str, first: u64, n: u64) -> Result<Vec<Vec<Cell>>, ImportError> {
    let table = opened(input, name);
    let columns = table.columns();
    let broken = Cell::Text(UNREADABLE.into());
    let wanted: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    let mut begins = 0;
    for file in &table.files {
        let left = n - out.len() as u64;
        let from = (first + out.len() as u64).saturating_sub(begins);
        if left > 0 && from < file.n_rows {
            let read = part(file, &wanted, (from, left), (&mut out, &broken));
            read.map_err(|why| ImportError::Invalid(format!("The table `{name}` cannot be read: {why}.")))?;
        }
        begins += file.n_rows;
    }
    Ok(out)
}

/// Units and meanings of a table's columns, from the profile's own `SchemaFields`.
pub fn help(input: &InputSet, table: &str) -> HashMap<String, (String, String)> {
    let mut out = HashMap::new();
    for file in &opened(input, "SchemaFields").files {
        let wanted = ["table_name", "field_name", "field_unit", "field_description"];
        let read = file.rows(&wanted, (0, u64::MAX), |b, _| {
            for row in (0..b.n_rows).filter(|&row| b.text(0, row) == table) {
                out.insert(b.text(1, row).into(), (unit(b.text(2, row)).into(), plain(b.text(3, row))));
            }
            ControlFlow::Continue(())
        });
        if read.is_err() {
            // Without help the fields are shown all the same.
            break;
        }
    }
    out
}

/// A sentence of the schema without its markup: code is between two back-ticks, and a star behind a backslash.
fn plain(text: &str) -> String {
    text.replace("``", "`").replace("\\*", "*").replace("\\_", "_")
}

/// The schema's word for a unit as the page writes it.
fn unit(word: &str) -> &str {
    match word {
        "nanoseconds" => "ns",
        "bytes_per_second" => "B/s",
        "percent" => "",
        other => other,
    }
}

/// Heading of a column.
pub fn group(key: &str) -> &'static str {
    match key {
        _ if key.ends_with("_bytes") || key.contains("size") || key.contains("address") => "Memory",
        _ if key.ends_with("_ts") || key.ends_with("_ns") || matches!(key, "timestamp" | "engine" | "timeline_track" | "pcore_idx") => {
            "Event"
        }
        _ if key == "id" || key.ends_with("_id") || key.ends_with("_ids") => "Links",
        _ if key.contains("queue")
            || key.contains("dma")
            || matches!(key, "variable" | "throughput" | "crc" | "source" | "dest" | "op") =>
        {
            "Transfer"
        }
        _ if key.contains("hlo") || key.contains("layer") || key.contains("location") || key.contains("bir_") || key.contains("kernel") => {
            "Program"
        }
        _ => "Instruction",
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn help_has_no_markup() {
        assert_eq!(plain("Example: ``tensor``. With sizes 128 \\* 128."), "Example: `tensor`. With sizes 128 * 128.");
    }
}
