//! Rows of the table `Instruction`.

use super::batch::{Batch, TextIds};
use super::framework::Paths;
use super::import::Table;
use super::reading::Reading;
use super::rows::{column, span};
use crate::base::{Ledger, StrId};
use crate::formats::neuron_json::timeline::{Attr, Instruction, Work};
use crate::model::RecordRef;

const INSTRUCTION: [&str; 27] = [
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
];

fn work(b: &Batch, row: usize) -> Work {
    let bytes = |at: usize| b.int(at, row).and_then(|n| u64::try_from(n).ok());
    let narrow = |n: u64| n.min(u64::from(u32::MAX - 1)) as u32;
    Work {
        // The schema warns of the column of elements where FLOPs are told.
        elements: bytes(16).map(|flops| flops / 2).or_else(|| bytes(17)).filter(|n| *n > 0).map(narrow),
        sbuf_bytes: Work::sum(bytes(18), bytes(19)).map(narrow),
        hbm_read: bytes(20),
        hbm_written: bytes(21),
        spilled: Work::sum(bytes(22), bytes(23)),
    }
}

/// Puts the table `Instruction` on the timeline. Where it names no layer, `paths` of framework operators do.
pub(super) fn read(table: &Table, paths: &Paths, r: &mut Reading, ledger: &mut Ledger) {
    let mut texts = TextIds::default();
    r.each(table, &INSTRUCTION, ledger, &mut |r, b, row, at| {
        texts.enter(at - row as u64);
        let Some((start, duration)) = span(b, 0, 1, 2, row) else {
            return false;
        };
        let core = r.core(b.int(3, row));
        let (engine, track) = (b.text(4, row), b.text(5, row));
        let opcode = b.text(6, row);
        let strings = &mut r.t.builder.strings;
        let opcode = if opcode.is_empty() { strings.intern("unnamed opcode") } else { texts.id(b, 6, row, strings) };
        let engine_id = texts.id(b, 4, row, strings);
        let slice = r.t.instruction(&Instruction {
            core,
            label: if track.is_empty() { engine } else { track },
            engine: engine_id,
            opcode,
            start,
            duration,
            pc: column(b.int(7, row)),
            wait_ns: column(b.int(8, row)),
            work: work(b, row),
            record: RecordRef::new(0, at, 1),
        });
        let attrs =
            [(Attr::InstructionType, 9), (Attr::Layer, 10), (Attr::Hlo, 11), (Attr::Source, 12), (Attr::Bir, 13), (Attr::Tensorizer, 15)];
        for (attr, column) in attrs {
            let strings = &mut r.t.builder.strings;
            let mut text = texts.id(b, column, row, strings);
            if attr == Attr::Source && text == StrId(0) {
                text = texts.id(b, 24, row, strings);
            }
            if attr == Attr::Layer && text == StrId(0) && !paths.is_empty() {
                text = b.int(26, row).and_then(|id| paths.get(&id)).map_or(StrId(0), |path| strings.intern(path));
            }
            r.t.set_id(slice, attr, text);
        }
        r.t.operands(slice, b.text(25, row));
        r.links.note(0, b.int(14, row), slice);
        true
    });
}
