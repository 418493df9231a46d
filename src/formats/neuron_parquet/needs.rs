//! What a directory's tables lack, in sentences: nobody should look for rows that cannot be there.

use super::import::Table;
use crate::base::Ledger;
use std::collections::BTreeMap;

const NOT_PLACED: &str = "its rows are not on the timeline";

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

/// Notes the tables and columns that are not there.
pub(super) fn check(tables: &BTreeMap<String, Table>, ledger: &mut Ledger) {
    if !tables.contains_key("DmaPacket") && !tables.contains_key("DmaPacketAggregated") {
        ledger.note("There is no table `DmaPacket`: DMA transfers are not available.");
    }
    if !tables.contains_key("Summary") {
        ledger.note("There is no table `Summary`: the profiler's own metrics are not available.");
    }
    for (table, columns, lost) in NEEDS {
        let Some(found) = tables.get(table).map(Table::columns) else { continue };
        if !columns.iter().any(|column| found.iter().any(|f| f == column)) {
            let columns: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
            ledger.note(format!("The table `{table}` has no column {}: {lost}.", columns.join(" or ")));
        }
    }
}
