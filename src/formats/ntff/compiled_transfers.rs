//! DMA transfers as the compiler wrote them into the NEFF: which variables they move, and hence which memories.

use super::isa::{End, Memory, TransferEnd, TransferPlace};
use super::job::Job;
use super::opcodes::{ENGINES, NEFF_ENGINES};
use super::operand_fields::{FUNCTIONS, TRANSFERS};
use crate::formats::neff::{self, Neff, Variable, Variables};
use crate::formats::neuron_json::tables::Tables;
use crate::model::Cell;

/// Kind of a variable in the State Buffer.
const STATE_BUFFER: &str = "state-buffer";

/// The tensor that a transfer moves: what is read where it is in device memory, else what is written.
fn moved([source, destination]: [Option<&Variable>; 2]) -> Option<&str> {
    let in_device = |variable: &&Variable| variable.kind != STATE_BUFFER;
    source.filter(in_device).or(destination).or(source).map(|variable| variable.name.as_str())
}

/// Notes names of functions, and of each loaded transfer what the NEFF says of its ends.
pub(super) fn read(job: &mut Job<'_, '_>, neff: &Neff, tables: &mut Tables) {
    if !job.words.loaded.is_verified {
        return;
    }
    for (id, name) in neff::functions(neff, job.ledger) {
        tables.row(FUNCTIONS.0, FUNCTIONS.1.into_iter().zip([Cell::Int(id.into()), Cell::Text(name.clone())]));
        job.words.loaded.functions.insert(id, name);
    }
    for subgraph in job.info.subgraphs.clone() {
        let variables = Variables::of(neff, &subgraph.name);
        for (engine, unit) in NEFF_ENGINES.iter().enumerate() {
            let Some(compiled) = neff.archive.file(&format!("{}/{unit}.bin", subgraph.name)) else {
                continue;
            };
            let engine_number = engine as u64;
            let Some(core) = job.words.loaded.core(subgraph.nc) else {
                continue;
            };
            let (mut found, mut named) = (Vec::new(), Vec::new());
            for (pc, at, text, transfer) in core.compiled_transfers(engine_number, compiled) {
                let of_end = |end: &TransferEnd| match end.place {
                    TransferPlace::Variable { id, .. } => variables.get(id),
                    TransferPlace::Table { index, .. } => variables.of_table(index),
                    TransferPlace::Address(_) => None,
                };
                let ends = [of_end(&transfer.source), of_end(&transfer.destination)];
                let memory = |variable: &Variable| if variable.kind == STATE_BUFFER { Memory::StateBuffer } else { Memory::Hbm };
                found.push(((subgraph.nc, engine_number, pc), ends.map(|v| v.map(memory))));
                named.extend(moved(ends).map(|name| ((subgraph.nc, engine_number, pc), name.to_string())));
                let name = |end: End| {
                    let variable = ends[if end == End::Source { 0 } else { 1 }];
                    variable.map_or(Cell::Absent, |v| Cell::Text(v.name.clone()))
                };
                let row = [
                    Cell::Text(subgraph.name.clone()),
                    Cell::Text(ENGINES[engine].into()),
                    Cell::Int(pc.into()),
                    i64::try_from(at).map_or(Cell::Absent, Cell::Int),
                    name(End::Source),
                    name(End::Destination),
                    Cell::Text(text),
                ];
                tables.row(TRANSFERS.0, TRANSFERS.1.into_iter().zip(row));
            }
            job.words.loaded.memories.extend(found);
            for (key, name) in named {
                job.words.loaded.variables.insert(key, job.timeline.builder.strings.intern(&name));
            }
        }
    }
}
