//! Rows that have a place on the timeline.

use super::pieces;
use super::reading::Reading;
use super::table::{SLICE_TABLES, Table, span};
use super::transfers;
use crate::base::Ledger;
use crate::formats::neuron_json::timeline::Extra;
use crate::formats::row_pieces::RowHelpers;
use crate::model::{RecordRef, TrackKind};
use std::collections::BTreeMap;

/// The same for instants, with member numbers after those of slices.
const INSTANT_TABLES: [&str; 2] = ["SemaphoreUpdate", "Error"];

/// The table of a record's member number.
pub fn table_of_record(member: usize) -> Option<&'static str> {
    SLICE_TABLES.iter().chain(&INSTANT_TABLES).nth(member).copied()
}

/// The record of a row of `INSTANT_TABLES[table]`.
fn instant_record(table: usize, row: u64) -> RecordRef {
    RecordRef::new(SLICE_TABLES.len() + table, row, 1)
}

/// Puts every table with times on the timeline.
pub async fn timeline(tables: &BTreeMap<String, Table>, r: &mut Reading<'_, '_>, helpers: &mut dyn RowHelpers, ledger: &mut Ledger) {
    let get = |name: &str| tables.get(name);
    if let Some(queues) = get("DmaQueuesInfo") {
        r.each(queues, &["pcore_idx", "idx", "name", "type"], ledger, &mut |r, b, row, _| {
            let core = format!("sg{:02}", b.int(0, row).unwrap_or(0));
            let index = b.int(1, row).map(|i| i.to_string()).unwrap_or_default();
            r.t.queue_names.add(&core, &index, b.text(2, row), b.text(3, row));
            true
        });
    }
    pieces::read(tables, r, helpers, ledger).await;
    if let Some(aggregated) = get("DmaPacketAggregated").filter(|a| a.columns().iter().any(|c| c == "is_transpose_mode")) {
        r.t.transposing = transfers::transposing(aggregated);
    }
    for (at, sort) in [(3, 28), (4, 27), (5, 26)] {
        if let Some(table) = get(SLICE_TABLES[at]) {
            let first = r.t.builder.n_slices();
            extras(at, sort, table, r, ledger);
            r.note_end(SLICE_TABLES[at], first);
        }
    }
    instants(tables, r, ledger);
    super::curves::curves(tables, r, ledger);
}

/// Collective operations, what the CC-cores did, core barriers.
fn extras(kind: usize, sort: i64, table: &Table, r: &mut Reading, ledger: &mut Ledger) {
    let (name, lane) = match kind {
        3 => ("operation", "stream_index"),
        4 => ("description", "core_idx"),
        _ => ("compiler_opcode", "engine_name"),
    };
    let mut wanted = vec!["start_ts", "end_ts", "duration_ns", "pcore_idx", name, lane, "id", "op_id"];
    wanted.extend((kind == 3).then_some(["input_size", "output_size", "cc_trigger_start_delay"]).into_iter().flatten());
    r.each(table, &wanted, ledger, &mut |r, b, row, at| {
        let Some((start, duration)) = span(b.int(0, row), b.int(1, row), b.int(2, row)) else {
            return false;
        };
        let core = r.core(b.int(3, row));
        let lane = b.int(5, row).map_or_else(|| b.text(5, row).to_string(), |n| n.to_string());
        let label = match kind {
            3 => format!("Collectives stream {lane}"),
            4 => format!("CC-core {lane}"),
            _ => format!("Core barriers {lane}"),
        };
        let track = if kind == 5 { TrackKind::Wait } else { TrackKind::Engine };
        let name = b.text(4, row);
        let name = if name.is_empty() { "unnamed" } else { name };
        let slice = r.t.extra(&Extra {
            core,
            label: label.trim_end(),
            kind: track,
            sort,
            name,
            start,
            duration,
            record: RecordRef::new(kind, at, 1),
        });
        if kind == 3 {
            let bytes = |at| b.int(at, row).and_then(|n| u64::try_from(n).ok());
            r.t.operation(slice, bytes(8).max(bytes(9)), b.int(10, row));
        }
        r.links.note(kind, b.int(6, row).or(b.int(7, row)), slice);
        true
    });
}

fn instants(tables: &BTreeMap<String, Table>, r: &mut Reading, ledger: &mut Ledger) {
    if let Some(table) = tables.get(INSTANT_TABLES[0]) {
        let mut last = None;
        r.each(table, &["timestamp", "id", "value", "pcore_idx"], ledger, &mut |r, b, row, at| {
            let (Some(time), Some(value)) = (b.int(0, row), b.int(2, row)) else {
                return false;
            };
            let core = r.core(b.int(3, row));
            let id = b.int(1, row).map_or_else(|| b.text(1, row).to_string(), |n| n.to_string());
            r.t.semaphore(core, crate::formats::neuron_json::semaphore_id(&id).0, value, (time, instant_record(0, at)));
            last = last.max(Some(time));
            true
        });
        r.ends.extend(last.map(|end| (INSTANT_TABLES[0], end)));
    }
    if let Some(table) = tables.get(INSTANT_TABLES[1]) {
        r.each(table, &["timestamp", "description", "pcore_idx", "type"], ledger, &mut |r, b, row, at| {
            let Some(time) = b.int(0, row) else {
                return false;
            };
            let core = r.core(b.int(2, row));
            // The row holds three kinds; only errors are called by nothing but what happened.
            let name = match b.text(3, row) {
                "Warnings" => format!("Warning: {}", b.text(1, row)),
                "Custom Notification" => format!("Notification: {}", b.text(1, row)),
                _ => b.text(1, row).to_string(),
            };
            r.t.error(core, &name, (time, instant_record(1, at)));
            true
        });
    }
}
