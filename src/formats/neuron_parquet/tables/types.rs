//! Columns with values of another type than their name implies.

use super::table::Table;
use crate::base::Ledger;
use crate::formats::neuron_parquet::pages::reader::{BATCH, File};
use crate::model::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What a column must hold to be read.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Whole,
    Number,
    Text,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Whole => "whole numbers",
            Kind::Number => "numbers",
            Kind::Text => "texts",
        }
    }
}

const SPAN: &[&str] = &["start_ts", "end_ts", "duration_ns", "pcore_idx"];
const RINGS: &[&str] = &["engine_idx", "queue_idx", "transfer_bytes"];
const QUEUES: &[&str] = &["queue_name", "variable", "queue_type"];

/// (table, what columns of it hold, which).
const TYPES: [(&str, Kind, &[&str]); 24] = [
    ("Instruction", Kind::Whole, SPAN),
    ("Instruction", Kind::Whole, &["pc", "evt_wait_time_ns", "raw_flops", "tensor_elements", "sbuf_read_bytes", "sbuf_write_bytes"]),
    ("Instruction", Kind::Whole, &["hbm_read_bytes", "hbm_write_bytes", "spill_save_bytes", "spill_reload_bytes", "raw_framework_id"]),
    ("Instruction", Kind::Text, &["engine", "timeline_track", "opcode", "tensor_instruction_type", "layer", "hlo_name", "operands"]),
    ("DmaPacket", Kind::Whole, SPAN),
    ("DmaPacket", Kind::Whole, RINGS),
    ("DmaPacket", Kind::Text, QUEUES),
    ("DmaPacketAggregated", Kind::Whole, SPAN),
    ("DmaPacketAggregated", Kind::Whole, RINGS),
    ("DmaPacketAggregated", Kind::Text, QUEUES),
    ("CcOp", Kind::Whole, SPAN),
    ("CcInstruction", Kind::Whole, SPAN),
    ("CoreBarriers", Kind::Whole, SPAN),
    ("SemaphoreUpdate", Kind::Whole, &["timestamp", "value", "pcore_idx"]),
    ("Error", Kind::Whole, &["timestamp", "pcore_idx"]),
    ("SbufUsage", Kind::Whole, &["timestamp", "pcore_idx"]),
    ("PsumUsage", Kind::Whole, &["timestamp", "pcore_idx"]),
    ("PendingDma", Kind::Whole, &["timestamp", "pcore_idx"]),
    ("DmaUsage", Kind::Whole, &["timestamp", "pcore_idx"]),
    ("Throttle", Kind::Whole, &["timestamp", "duration", "pcore_idx"]),
    ("Throttle", Kind::Number, &["k", "n"]),
    ("Warning", Kind::Text, &["message"]),
    ("Metadata", Kind::Whole, &["first_hw_timestamp", "last_hw_timestamp", "num_physical_cores", "neuroncore_idx"]),
    ("Metadata", Kind::Number, super::facts::HARDWARE),
];

/// Notes the columns of another type: table, column, what was expected and what was found, and what is missing without them. Gives their tables
/// and names.
pub fn check(tables: &BTreeMap<String, Table>, ledger: &mut Ledger) -> Vec<(&'static str, &'static str)> {
    let mut out = Vec::new();
    for (name, kind, columns) in TYPES {
        for (file, column) in tables.get(name).iter().flat_map(|t| &t.files).flat_map(|f| columns.iter().map(move |c| (f, *c))) {
            if let Some(found) = file.type_of(column).filter(|found| !is_fit(file, column, kind, found)) {
                out.push((name, column));
                let lost = crate::formats::neuron_parquet::checks::missing::without_column(name, column, "its values are not available");
                ledger.note(format!("Expected {} in the column `{column}` of the table `{name}`, found {found}: {lost}.", kind.name()));
            }
        }
    }
    out
}

/// Whether values of that type can be read as that kind. Numbers may be stored as text; the first values are tried.
fn is_fit(file: &File, column: &str, kind: Kind, found: &str) -> bool {
    match (kind, found) {
        (Kind::Text, "texts" | "lists") | (Kind::Whole | Kind::Number, "whole numbers" | "dates") => true,
        (Kind::Number, "numbers with fractions") => true,
        (Kind::Whole, "numbers with fractions") | (Kind::Whole | Kind::Number, "texts" | "bytes") => has_numbers(file, column, kind),
        (Kind::Text, "bytes") => has_texts(file, column),
        _ => false,
    }
}

/// Whether one of the first values is such a number, or there is none at all.
fn has_numbers(file: &File, column: &str, kind: Kind) -> bool {
    let (mut n_recorded, mut n_read) = (0, 0);
    // What cannot be read is recorded when its table is.
    let _ = file.rows(&[column], (0, BATCH as u64), |b, _| {
        for row in 0..b.n_rows {
            let is_number = match kind {
                Kind::Whole => b.int(0, row).is_some(),
                _ => b.float(0, row).is_some(),
            };
            n_read += usize::from(is_number);
            n_recorded += usize::from(is_number || b.float(0, row).is_some() || !b.text(0, row).is_empty());
        }
        ControlFlow::Break(())
    });
    n_recorded == 0 || n_read > 0
}

/// Whether one of the first values is a text, or there is none at all.
fn has_texts(file: &File, column: &str) -> bool {
    let (mut n_recorded, mut n_read) = (0, 0);
    // As above.
    let _ = file.rows(&[column], (0, BATCH as u64), |b, _| {
        n_recorded += (0..b.n_rows).filter(|row| matches!(b.cell(0, *row), Cell::Text(text) if !text.is_empty())).count();
        n_read += (0..b.n_rows).filter(|row| !b.text(0, *row).is_empty()).count();
        ControlFlow::Break(())
    });
    n_recorded == 0 || n_read > 0
}
