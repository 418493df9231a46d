//! Rows that have a place on the timeline.

use super::batch::{Batch, TextIds};
use super::import::Table;
use crate::base::{Ledger, Severity, StrId};
use crate::formats::neuron_json::timeline::{Extra, Ring, Timeline, Transfer};
use crate::model::domain::TransposingDma;
use crate::model::{RawSliceId, RecordRef, TrackKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Tables whose rows are slices; a slice's record says which of them (its member) and which row (its offset).
pub(super) const SLICE_TABLES: [&str; 6] = ["Instruction", "DmaPacket", "DmaPacketAggregated", "CcOp", "CcInstruction", "CoreBarriers"];

/// What is known of the cores.
pub(super) struct Place {
    /// NeuronCore of the first physical core, where the file tells.
    first_core: Option<i64>,
    known: FxHashMap<i64, usize>,
}

impl Place {
    /// Cores, of which the first is that NeuronCore.
    pub fn new(first_core: Option<i64>) -> Self {
        Place { first_core, known: FxHashMap::default() }
    }

    /// The core of that index.
    pub fn core(&mut self, t: &mut Timeline, pcore: Option<i64>) -> usize {
        let pcore = pcore.filter(|p| (0..4096).contains(p)).unwrap_or(0);
        *self.known.entry(pcore).or_insert_with(|| {
            let name = format!("sg{pcore:02}");
            if let Some(first) = self.first_core {
                t.set_nc(&name, first + pcore);
            }
            t.core(&name)
        })
    }
}

/// Slices by the ids of their rows, for the table `Flow`.
pub(super) struct Links {
    is_wanted: bool,
    slice_of: FxHashMap<(usize, i64), RawSliceId>,
}

impl Links {
    pub fn new(is_wanted: bool) -> Self {
        Links { is_wanted, slice_of: FxHashMap::default() }
    }

    pub fn note(&mut self, table: usize, id: Option<i64>, slice: RawSliceId) {
        if let Some(id) = id.filter(|_| self.is_wanted) {
            self.slice_of.insert((table, id), slice);
        }
    }

    /// Draws the arrows of `flows`.
    pub fn resolve(&self, flows: &Table, t: &mut Timeline, ledger: &mut Ledger) {
        let kind = t.builder.strings.intern("FLOW");
        let mut n_lost = 0;
        let table = |name: &str| SLICE_TABLES.iter().position(|s| *s == name);
        each(flows, &["in_table", "in_id", "out_table", "out_id"], ledger, |b, row, _| {
            let end = |at: usize| Some((table(b.text(at, row))?, b.int(at + 1, row)?));
            let slice = |end: Option<(usize, i64)>| self.slice_of.get(&end?).copied();
            match (slice(end(0)), slice(end(2))) {
                (Some(from), Some(to)) => t.builder.flow(from, to, kind),
                _ => n_lost += 1,
            }
            true
        });
        if n_lost > 0 {
            let reason = "An arrow whose ends are not both rows of the timeline.";
            ledger.skip_n(Severity::Info, "flow_without_row", reason, n_lost, 0, String::new);
        }
    }
}

/// Calls `row` with every row of a table and its number; it says whether the row is shown. What cannot be read is in the ledger.
pub(super) fn each(table: &Table, wanted: &[&str], ledger: &mut Ledger, mut row: impl FnMut(&Batch, usize, u64) -> bool) {
    let mut begins = 0;
    for file in &table.files {
        let (mut n_read, mut n_shown) = (0u64, 0u64);
        let done = file.all_rows(wanted, |batch, first| {
            for i in 0..batch.n_rows {
                n_shown += u64::from(row(batch, i, begins + first + i as u64));
            }
            n_read += batch.n_rows as u64;
            ControlFlow::Continue(())
        });
        ledger.read += n_read;
        ledger.shown += n_shown;
        if n_shown < n_read {
            let reason = "A row without the values that would place it on the timeline.";
            ledger.skip_n(Severity::DataLoss, "missing_value", reason, n_read - n_shown, 0, || table.name.clone());
        }
        if let Err(why) = done {
            let reason = "A table that cannot be read to its end; what stands before is shown.";
            ledger.skip(Severity::DataLoss, "broken_table", reason, 0, || format!("{}: {why}", table.name));
        }
        begins += file.n_rows;
    }
}

/// Puts every table with times on the timeline.
pub(super) fn timeline(tables: &BTreeMap<String, Table>, t: &mut Timeline, place: &mut Place, links: &mut Links, ledger: &mut Ledger) {
    let get = |name: &str| tables.get(name);
    if let Some(queues) = get("DmaQueuesInfo") {
        each(queues, &["pcore_idx", "idx", "name", "type"], ledger, |b, row, _| {
            let core = format!("sg{:02}", b.int(0, row).unwrap_or(0));
            let index = b.int(1, row).map(|i| i.to_string()).unwrap_or_default();
            t.queue_names.add(&core, &index, b.text(2, row), b.text(3, row));
            true
        });
    }
    if let Some(table) = get("Instruction") {
        super::instructions::read(table, &super::framework::paths(tables), t, place, links, ledger);
    }
    match (get("DmaPacket"), get("DmaPacketAggregated")) {
        (Some(packets), _) => transfers(1, packets, t, place, links, ledger),
        (None, Some(aggregated)) => transfers(2, aggregated, t, place, links, ledger),
        (None, None) => (),
    }
    if let Some(aggregated) = get("DmaPacketAggregated").filter(|a| a.columns().iter().any(|c| c == "is_transpose_mode")) {
        t.transposing = Some(transposing(aggregated));
    }
    for (at, sort) in [(3, 28), (4, 27), (5, 26)] {
        if let Some(table) = get(SLICE_TABLES[at]) {
            extras(at, sort, table, t, place, links, ledger);
        }
    }
    moments(tables, t, place, ledger);
    super::curves::curves(tables, t, place, ledger);
}

/// "Not told" is written in several words.
pub(super) fn known(text: &str) -> &str {
    match text {
        "Unknown" | "unknown" | "-1" => "",
        text => text,
    }
}

pub(super) fn span(b: &Batch, start: usize, end: usize, duration: usize, row: usize) -> Option<(i64, i64)> {
    let from = b.int(start, row)?;
    let told = b.int(duration, row).or_else(|| b.int(end, row)?.checked_sub(from))?;
    (told >= 0).then_some((from, told))
}

pub(super) fn column(value: Option<i64>) -> Option<u32> {
    value.and_then(|v| u32::try_from(v).ok()).filter(|v| *v != u32::MAX)
}

const TRANSFER: [&str; 11] = [
    "start_ts",
    "end_ts",
    "duration_ns",
    "pcore_idx",
    "engine_idx",
    "queue_idx",
    "queue_name",
    "variable",
    "transfer_bytes",
    "id",
    "queue_type",
];

fn transfers(kind: usize, table: &Table, t: &mut Timeline, place: &mut Place, links: &mut Links, ledger: &mut Ledger) {
    let mut texts = TextIds::default();
    let mut rings: FxHashMap<(usize, Option<i64>, Option<i64>, StrId), Ring> = FxHashMap::default();
    let wanted = TRANSFER.map(|name| if name == "id" && !links.is_wanted { "" } else { name });
    each(table, &wanted, ledger, |b, row, at| {
        texts.enter(at - row as u64);
        let Some((start, duration)) = span(b, 0, 1, 2, row) else {
            return false;
        };
        let core = place.core(t, b.int(3, row));
        let (engine, queue) = (b.int(4, row), b.int(5, row));
        // The name tells what the numbers do not.
        let named = engine.is_none() || queue.is_none();
        let name = if named { texts.id(b, 6, row, &mut t.builder.strings) } else { StrId(0) };
        let ring = *rings.entry((core, engine, queue, name)).or_insert_with(|| {
            let number = |n: Option<i64>| n.map(|n| n.to_string());
            t.ring(
                core,
                &number(engine).unwrap_or_else(|| engine_of(b.text(6, row)).into()),
                &number(queue).unwrap_or_else(|| b.text(6, row).into()),
            )
        });
        let strings = &mut t.builder.strings;
        let (variable, queue_type) = (texts.id(b, 7, row, strings), texts.id(b, 10, row, strings));
        let slice = t.transfer(&Transfer {
            ring,
            variable,
            start,
            duration,
            bytes: column(b.int(8, row)),
            queue_type,
            is_duplicate: false,
            is_collective: false,
            record: RecordRef::new(kind, at, 1),
        });
        links.note(kind, b.int(9, row), slice);
        true
    });
}

/// What the transfers that transpose are among all. Rows are in the ledger as rows of the timeline or of a table: not here again.
fn transposing(table: &Table) -> TransposingDma {
    let mut out = TransposingDma::default();
    for file in &table.files {
        // A file that cannot be read to its end is in the ledger by its table.
        let _ = file.rows(&["is_transpose_mode", "transfer_bytes", "duration_ns"], 0, |b, _| {
            for row in 0..b.n_rows {
                let is_one = b.text(0, row) == "true" || b.int(0, row) == Some(1);
                let (n, ns) = (b.int(1, row).and_then(|n| u64::try_from(n).ok()).unwrap_or(0), b.int(2, row).unwrap_or(0).max(0));
                out.count.1 += 1;
                out.bytes.1 = out.bytes.1.saturating_add(n);
                out.time_ns.1 = out.time_ns.1.saturating_add(ns);
                if is_one {
                    out.count.0 += 1;
                    out.bytes.0 = out.bytes.0.saturating_add(n);
                    out.time_ns.0 = out.time_ns.0.saturating_add(ns);
                }
            }
            ControlFlow::Continue(())
        });
    }
    out
}

/// `qScalarSpillReload0-Q1-E64` → `64`.
fn engine_of(queue_name: &str) -> &str {
    queue_name.rsplit_once("-E").map_or("", |p| p.1)
}

/// Collective operations, what the CC-cores did, core barriers.
fn extras(kind: usize, sort: i64, table: &Table, t: &mut Timeline, place: &mut Place, links: &mut Links, ledger: &mut Ledger) {
    let (name, lane) = match kind {
        3 => ("operation", "stream_index"),
        4 => ("description", "core_idx"),
        _ => ("compiler_opcode", "engine_name"),
    };
    let mut wanted = vec!["start_ts", "end_ts", "duration_ns", "pcore_idx", name, lane, "id", "op_id"];
    wanted.extend((kind == 3).then_some(["input_size", "output_size", "cc_trigger_start_delay"]).into_iter().flatten());
    each(table, &wanted, ledger, |b, row, at| {
        let Some((start, duration)) = span(b, 0, 1, 2, row) else {
            return false;
        };
        let core = place.core(t, b.int(3, row));
        let lane = b.int(5, row).map_or_else(|| b.text(5, row).to_string(), |n| n.to_string());
        let label = match kind {
            3 => format!("Collectives stream {lane}"),
            4 => format!("CC-core {lane}"),
            _ => format!("Core barriers {lane}"),
        };
        let track = if kind == 5 { TrackKind::Wait } else { TrackKind::Engine };
        let name = b.text(4, row);
        let name = if name.is_empty() { "unnamed" } else { name };
        let slice = t.extra(&Extra {
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
            t.operation(slice, bytes(8).max(bytes(9)), b.int(10, row));
        }
        links.note(kind, b.int(6, row).or(b.int(7, row)), slice);
        true
    });
}

fn moments(tables: &BTreeMap<String, Table>, t: &mut Timeline, place: &mut Place, ledger: &mut Ledger) {
    if let Some(table) = tables.get("SemaphoreUpdate") {
        each(table, &["timestamp", "id", "value", "pcore_idx"], ledger, |b, row, _| {
            let (Some(time), Some(value)) = (b.int(0, row), b.int(2, row)) else {
                return false;
            };
            let core = place.core(t, b.int(3, row));
            let id = b.int(1, row).map_or_else(|| b.text(1, row).to_string(), |n| n.to_string());
            t.semaphore(core, crate::formats::neuron_json::semaphore_id(&id).0, value, time);
            true
        });
    }
    if let Some(table) = tables.get("Error") {
        each(table, &["timestamp", "description", "pcore_idx"], ledger, |b, row, _| {
            let Some(time) = b.int(0, row) else {
                return false;
            };
            let core = place.core(t, b.int(2, row));
            t.error(core, b.text(1, row), time);
            true
        });
    }
}
