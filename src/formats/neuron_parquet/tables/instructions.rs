//! Rows of the table `Instruction`.

use super::framework::{self, Paths};
use super::functions::Functions;
use super::reading::{Reading, RowsOfTable};
use super::table::{SLICE_TABLES, Table, column, span};
use crate::base::StrId;
use crate::formats::neuron_json::timeline::{Attr, Instruction, Work};
use crate::formats::neuron_parquet::pages::batch::{Batch, Ints};
use crate::model::RecordRef;
use std::collections::BTreeMap;

const INSTRUCTION: [&str; 29] = [
    "start_ts",
    "end_ts",
    "duration_ns",
    "pcore_idx",
    "engine",
    "timeline_track",
    "opcode",
    "pc",
    "evt_wait_time_ns",
    "tensor_instruction_type",
    "layer",
    "hlo_name",
    "nki_source_location",
    "bir_instruction_name",
    "id",
    "penguin_id",
    "raw_flops",
    "tensor_elements",
    "sbuf_read_bytes",
    "sbuf_write_bytes",
    "hbm_read_bytes",
    "hbm_write_bytes",
    "spill_save_bytes",
    "spill_reload_bytes",
    "bir_debug_info_source_location",
    "operands",
    "raw_framework_id",
    "kernel_instruction_name",
    "stack_frame_ids",
];

/// Values of the columns from `raw_flops` on.
fn work(columns: &[Ints<'_>; 8], row: usize) -> Work {
    let bytes = |at: usize| columns[at].get(row).and_then(|n| u64::try_from(n).ok());
    let narrow = |n: u64| n.min(u64::from(u32::MAX - 1)) as u32;
    Work {
        // The schema warns of the column of elements where FLOPs are recorded.
        elements: bytes(0).map(|flops| flops / 2).or_else(|| bytes(1)).filter(|n| *n > 0).map(narrow),
        sbuf_bytes: Work::sum(bytes(2), bytes(3)).map(narrow),
        hbm_read: bytes(4),
        hbm_written: bytes(5),
        spilled: Work::sum(bytes(6), bytes(7)),
    }
}

/// Columns that become attributes of a slice.
const ATTRS: [(Attr, usize); 6] =
    [(Attr::InstructionType, 9), (Attr::Layer, 10), (Attr::Hlo, 11), (Attr::Source, 12), (Attr::Bir, 13), (Attr::Tensorizer, 15)];

/// What other tables say of instructions.
#[derive(Default)]
pub struct OtherTables {
    /// Paths of framework operators: layers, where the table `Instruction` names none.
    pub paths: Paths,
    /// Functions of the source.
    pub functions: Functions,
}

impl OtherTables {
    /// Reads them, where there are instructions.
    pub fn of(tables: &BTreeMap<String, Table>) -> OtherTables {
        match tables.contains_key(SLICE_TABLES[0]) {
            true => OtherTables { paths: framework::paths(tables), functions: Functions::of(tables) },
            false => OtherTables::default(),
        }
    }
}

/// How the rows of the table `Instruction` get on the timeline.
pub fn rows(others: &OtherTables) -> RowsOfTable<'_> {
    // Columns that name no function are not read.
    let n_columns = if others.functions.is_empty() { INSTRUCTION.len() - 2 } else { INSTRUCTION.len() };
    RowsOfTable { wanted: INSTRUCTION[..n_columns].to_vec(), put: Box::new(|r, b, first| batch(r, b, first, others)) }
}

/// The rows of a batch; how many are shown.
fn batch(r: &mut Reading, b: &Batch, first: u64, others: &OtherTables) -> usize {
    let [starts, ends, durations, pcores, pcs, waits, ids] = [0, 1, 2, 3, 7, 8, 14].map(|column| b.ints(column));
    let works = [16, 17, 18, 19, 20, 21, 22, 23].map(|column| b.ints(column));
    let strings = &mut r.t.builder.strings;
    let (engines, opcodes) = (b.ids(4, strings), b.ids(6, strings));
    let attrs = ATTRS.map(|(attr, column)| (attr, b.ids(column, strings)));
    let lines = b.ids(24, strings);
    let unnamed = strings.intern("unnamed opcode");
    let (mut found, mut rows) = (Vec::with_capacity(b.n_rows), Vec::with_capacity(b.n_rows));
    for row in 0..b.n_rows {
        let Some((start, duration)) = span(starts.get(row), ends.get(row), durations.get(row)) else {
            continue;
        };
        let track = b.text(5, row);
        rows.push(row);
        found.push(Instruction {
            core: r.core(pcores.get(row)),
            label: if track.is_empty() { b.text(4, row) } else { track },
            engine: engines.get(row),
            opcode: Some(opcodes.get(row)).filter(|id| *id != StrId(0)).unwrap_or(unnamed),
            start,
            duration,
            pc: column(pcs.get(row)),
            wait_ns: column(waits.get(row)),
            work: work(&works, row),
            record: RecordRef::new(0, first + row as u64, 1),
        });
    }
    let slices = r.t.instructions(&found);
    for (attr, values) in &attrs {
        let text = |row: &usize| match (attr, values.get(*row)) {
            (Attr::Source, StrId(0)) => lines.get(*row),
            (Attr::Layer, StrId(0)) => layer(r, b, *row, &others.paths),
            (_, text) => text,
        };
        let texts: Vec<StrId> = rows.iter().map(text).collect();
        r.t.set_ids(slices, *attr, texts.len(), |k| texts[k]);
    }
    if !others.functions.is_empty() {
        let strings = &mut r.t.builder.strings;
        let function = |row: &usize| strings.intern(others.functions.find(b.int(3, *row), b.text(27, *row), b.text(28, *row)));
        let functions: Vec<StrId> = rows.iter().map(function).collect();
        r.t.set_ids(slices, Attr::Function, functions.len(), |k| functions[k]);
    }
    for (slice, row) in (slices..).zip(&rows) {
        r.t.operands(slice, b.text(25, *row));
        r.links.note(0, ids.get(*row), slice);
    }
    found.len()
}

/// The framework operator's path, if the table of operators has one.
fn layer(r: &mut Reading, b: &Batch, row: usize, paths: &Paths) -> StrId {
    if paths.is_empty() {
        return StrId(0);
    }
    b.int(26, row).and_then(|id| paths.get(&id)).map_or(StrId(0), |path| r.t.builder.strings.intern(path))
}
