//! Sentences on missing tables and columns of a directory, so that users do not look for absent rows.

use crate::base::{Ledger, text};
use crate::formats::neuron_parquet::pages::reader::File;
use crate::formats::neuron_parquet::tables::table::Table;
use std::collections::BTreeMap;

const NOT_PLACED: &str = "its rows are not on the timeline";
const ONE_CORE: &str = "its cores are not distinguished: all rows are on the first core";
const NO_SEMAPHORES: &str = "semaphores are not available";
const NO_STATE_BUFFER: &str = "State Buffer usage over time is not available";
const NO_LIMITS: &str = "throttling is not available";
const NO_PSUM: &str = "PSUM usage over time is not available";
const NO_DATA: &str = "its data is not available";

/// (table, what is missing without it).
const TABLES: [(&str, &str); 6] = [
    ("DmaPacket", "DMA transfers are not available"),
    ("SemaphoreUpdate", NO_SEMAPHORES),
    ("Summary", "the profiler's own metrics are not available"),
    ("Metadata", NO_DATA),
    ("NeffHeader", NO_DATA),
    ("Instruction", "the timeline has no instructions, and metrics of instructions are not available"),
];

/// (table, columns: each file needs one of them, what is missing without them).
const NEEDS: [(&str, &[&str], &str); 27] = [
    ("Instruction", &["start_ts"], NOT_PLACED),
    ("Instruction", &["end_ts", "duration_ns"], NOT_PLACED),
    ("Instruction", &["pcore_idx"], ONE_CORE),
    ("Instruction", &["opcode"], "its rows have no names, and busy times include waits"),
    ("Instruction", &["timeline_track"], "matrix products are on the row of their engine"),
    ("DmaPacket", &["start_ts"], NOT_PLACED),
    ("DmaPacket", &["end_ts", "duration_ns"], NOT_PLACED),
    ("DmaPacket", &["pcore_idx"], ONE_CORE),
    ("DmaPacket", &["queue_idx", "queue_name"], "its queues share one row"),
    ("DmaPacket", &["transfer_bytes"], "bytes of DMA are not available"),
    ("SemaphoreUpdate", &["timestamp"], NO_SEMAPHORES),
    ("SemaphoreUpdate", &["value"], NO_SEMAPHORES),
    ("SemaphoreUpdate", &["id"], "its semaphores are not distinguished"),
    ("SbufUsage", &["timestamp"], NO_STATE_BUFFER),
    ("SbufUsage", &["partition_0_util_percent"], NO_STATE_BUFFER),
    ("SbufUsage", &["partition_32_util_percent"], NO_STATE_BUFFER),
    ("SbufUsage", &["partition_64_util_percent"], NO_STATE_BUFFER),
    ("SbufUsage", &["partition_96_util_percent"], NO_STATE_BUFFER),
    ("PsumUsage", &["timestamp"], NO_PSUM),
    ("PendingDma", &["timestamp"], "the number of pending DMA is not available"),
    ("PendingDma", &["value"], "the number of pending DMA is not available"),
    ("DmaUsage", &["timestamp"], "DMA throughput over time is not available"),
    ("DmaUsage", &["current_throughput"], "DMA throughput over time is not available"),
    ("Throttle", &["timestamp"], NO_LIMITS),
    ("Throttle", &["k"], NO_LIMITS),
    ("Throttle", &["n"], NO_LIMITS),
    ("Throttle", &["duration"], "the duration of each limit is not recorded"),
];

/// (table, column, what views lack without it, whether that is so of a run on one core as well).
const COSTLY: [(&str, &str, &str, bool); 3] = [
    ("Instruction", "pcore_idx", "Engines by core: all engines are on the first core", false),
    ("DmaPacket", "pcore_idx", "DMA by core: all queues are on the first core", false),
    ("Instruction", "opcode", "Waits separate from work: busy times include waits", true),
];

/// What is missing without a table that is there but cannot be read.
fn without(table: &str) -> &'static str {
    TABLES.iter().find(|t| t.0 == table).map_or("metrics that use it are not available", |t| t.1)
}

/// The effect of unusable values of a column; `otherwise` if nothing is computed from it.
pub fn without_column(table: &str, column: &str, otherwise: &'static str) -> &'static str {
    let needed = NEEDS.iter().find(|(of, columns, _)| *of == table && columns.contains(&column));
    needed.map_or(otherwise, |n| n.2)
}

/// Notes the tables and columns that are not there; of the tables in `unreadable` a file could not be opened.
pub fn check(tables: &BTreeMap<String, Table>, unreadable: &[String], ledger: &mut Ledger) {
    for (table, lost) in TABLES {
        let has_other = table == "DmaPacket" && tables.contains_key("DmaPacketAggregated");
        if !tables.contains_key(table) && !has_other && !unreadable.iter().any(|name| name == table) {
            ledger.note(format!("The table `{table}` is missing: {lost}."));
        }
    }
    self::unreadable(tables, unreadable, ledger);
    for (table, columns, lost) in NEEDS {
        let Some(found) = tables.get(table) else { continue };
        let is_without = |file: &&File| !columns.iter().any(|column| file.columns.iter().any(|c| c == column));
        let without: Vec<&File> = found.files.iter().filter(is_without).collect();
        if without.is_empty() {
            continue;
        }
        let names: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
        let names = names.join(" or ");
        if without.len() == found.files.len() {
            ledger.note(format!("The table `{table}` has no column {names}: {lost}."));
        } else {
            let parts: Vec<&str> = without.iter().map(|f| f.name.as_str()).collect();
            ledger.note(format!("The table `{table}` has no column {names} in {}: in these parts {lost}.", some_of(&parts)));
        }
    }
}

/// The first few of some names.
fn some_of(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|n| format!("`{}`", n.as_ref())).collect();
    let more = if names.len() > shown.len() { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Notes the parts of a table that are not there.
pub fn note_missing(table: &str, parts: &[String], ledger: &mut Ledger) {
    let are = if parts.len() == 1 { "is" } else { "are" };
    ledger.note(format!("{} of the table `{table}` {are} missing: metrics that use it do not include those rows.", some_of(parts)));
}

/// Puts into the ledger, once, the columns of a file that turned out, while they were read, not to be readable to their end.
pub fn columns(table: &Table, file: &File, ledger: &mut Ledger) {
    for column in file.announce_columns(&table.name, ledger) {
        let lost = without_column(&table.name, &column, "the table is shown without it");
        ledger.note(format!("The column `{column}` of the table `{}` is only partly readable: {lost}.", table.name));
    }
}

/// What views lack for lack of a column that is not there, cannot be read, or is of another type, as `of_other_types` are; for the list of what is
/// not available.
pub fn costly(tables: &BTreeMap<String, Table>, of_other_types: &[(&str, &str)], is_one_core: bool) -> Vec<String> {
    let is_lost = |table: &str, column: &str| {
        of_other_types.contains(&(table, column)) || tables.get(table).is_some_and(|t| t.n_rows() > 0 && t.lacks(column))
    };
    let lost = COSTLY.iter().filter(|(table, column, _, is_always)| (*is_always || !is_one_core) && is_lost(table, column));
    lost.map(|(table, column, what, _)| format!("{what} (the table {table} has no readable column {column})")).collect()
}

/// Notes the tables in `names`, each with an unreadable file.
pub fn unreadable(tables: &BTreeMap<String, Table>, names: &[String], ledger: &mut Ledger) {
    for name in names {
        let lost = match name.as_str() {
            "DmaPacket" if tables.contains_key("DmaPacketAggregated") => "single DMA packets are not available",
            name => without(name),
        };
        ledger.note(match tables.contains_key(name) {
            true => format!("A part of the table `{name}` cannot be read: metrics that use it do not include those rows."),
            false => format!("The table `{name}` cannot be read: {lost}."),
        });
    }
}

/// Notes the tables that turned out, while they were read, not to be readable to their end.
pub fn broken(tables: &BTreeMap<String, Table>, ledger: &mut Ledger) {
    for (name, table) in tables {
        table.files.iter().for_each(|file| columns(table, file, ledger));
        let Some(n) = table.n_lost() else { continue };
        ledger.note(match table.is_lost() {
            true => format!("The table `{name}` cannot be read: {}.", without(name)),
            false => {
                let (n, of) = (text::count(n), text::count(table.n_rows()));
                format!("{n} of {of} rows of the table `{name}` cannot be read: metrics that use it do not include them.")
            }
        });
    }
}
