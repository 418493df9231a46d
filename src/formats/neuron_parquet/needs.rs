//! What a directory's tables lack, in sentences: nobody should look for rows that cannot be there.

use super::import::Table;
use crate::base::{Ledger, text};
use std::collections::BTreeMap;

const NOT_PLACED: &str = "its rows are not on the timeline";
const NOT_TOLD: &str = "what it would tell is not available";

/// (table, what is missing without it).
const TABLES: [(&str, &str); 5] = [
    ("DmaPacket", "DMA transfers are not available"),
    ("Summary", "the profiler's own metrics are not available"),
    ("Metadata", NOT_TOLD),
    ("NeffHeader", NOT_TOLD),
    ("Instruction", "the timeline has no instructions, and what is computed from them is not available"),
];

/// (table, columns of which one must be there, what is missing without them).
const NEEDS: [(&str, &[&str], &str); 9] = [
    ("Instruction", &["start_ts"], NOT_PLACED),
    ("Instruction", &["end_ts", "duration_ns"], NOT_PLACED),
    ("Instruction", &["opcode"], "its rows have no names, and waits look like work"),
    ("Instruction", &["timeline_track"], "matrix products stand on the row of their engine"),
    ("DmaPacket", &["start_ts"], NOT_PLACED),
    ("DmaPacket", &["end_ts", "duration_ns"], NOT_PLACED),
    ("DmaPacket", &["queue_idx", "queue_name"], "its queues stand on one row"),
    ("DmaPacket", &["transfer_bytes"], "bytes of DMA are not available"),
    ("SemaphoreUpdate", &["timestamp"], "semaphores are not available"),
];

/// What is missing without a table that is there but cannot be read.
fn without(table: &str) -> &'static str {
    TABLES.iter().find(|t| t.0 == table).map_or("what is computed from it is not available", |t| t.1)
}

/// What is missing where the values of a column cannot be used.
pub(super) fn without_column(table: &str, column: &str) -> &'static str {
    let needed = NEEDS.iter().find(|(of, columns, _)| *of == table && columns.contains(&column));
    needed.map_or("its values are not available", |n| n.2)
}

/// Notes the tables and columns that are not there; of the tables in `unreadable` a file could not be opened.
pub(super) fn check(tables: &BTreeMap<String, Table>, unreadable: &[String], ledger: &mut Ledger) {
    for (table, lost) in TABLES {
        let has_other = table == "DmaPacket" && tables.contains_key("DmaPacketAggregated");
        if !tables.contains_key(table) && !has_other && !unreadable.iter().any(|name| name == table) {
            ledger.note(format!("There is no table `{table}`: {lost}."));
        }
    }
    self::unreadable(tables, unreadable, ledger);
    for (table, columns, lost) in NEEDS {
        let Some(found) = tables.get(table).map(Table::columns) else { continue };
        if !columns.iter().any(|column| found.iter().any(|f| f == column)) {
            let columns: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
            ledger.note(format!("The table `{table}` has no column {}: {lost}.", columns.join(" or ")));
        }
    }
}

/// Notes the tables of `names`, of which a file could not be opened.
pub(super) fn unreadable(tables: &BTreeMap<String, Table>, names: &[String], ledger: &mut Ledger) {
    for name in names {
        let lost = match name.as_str() {
            "DmaPacket" if tables.contains_key("DmaPacketAggregated") => "single DMA packets are not available",
            name => without(name),
        };
        ledger.note(match tables.contains_key(name) {
            true => format!("A part of the table `{name}` cannot be read: what is computed from it lacks those rows."),
            false => format!("The table `{name}` cannot be read: {lost}."),
        });
    }
}

/// Notes the tables that turned out, while they were read, not to be readable to their end.
pub(super) fn broken(tables: &BTreeMap<String, Table>, ledger: &mut Ledger) {
    for (name, table) in tables {
        let Some(n) = table.n_lost() else { continue };
        ledger.note(match table.is_lost() {
            true => format!("The table `{name}` cannot be read: {}.", without(name)),
            false => {
                let (n, of) = (text::count(n), text::count(table.n_rows()));
                format!("Of the table `{name}` {n} of {of} rows cannot be read: what is computed from it lacks them.")
            }
        });
    }
}
