//! Executed instructions: starts and ends, opcodes from the loaded image, names from the NEFF.

use super::import::Job;
use super::info::{Image, Region, Subgraph};
use super::opcodes::{self, ENGINES};
use super::records::{Pairs, Record, Step};
use crate::base::{Ledger, Member, Severity};
use crate::formats::ImportError;
use crate::formats::neff::{Name, Program, dependency};
use crate::formats::neuron_json::timeline::{Attr, Instruction, Work};
use crate::model::RecordRef;

/// Bytes of an instruction word.
pub(super) const WORD: u64 = 64;
const CHUNK: u64 = 1 << 20;
/// Arrows from one instruction to the executions of one predecessor: loops make more than anyone can follow.
const MAX_EXECUTIONS: usize = 64;
/// Sixteen times as many arrows as slices are drawn at most, counted from this many slices.
const MIN_ARROWS: usize = 10_000;
/// Engine cycles per microsecond of the wait counter, on trn2.
pub(super) const WAIT_CYCLES_PER_US: u32 = 1200;

/// The first byte of each word of an image.
pub(super) fn opcodes(member: &Member, image: &Image) -> Result<Vec<u8>, ImportError> {
    if !image.inline.is_empty() {
        return Ok(image.inline.chunks_exact(WORD as usize).map(|word| word[0]).collect());
    }
    let mut out = Vec::new();
    let end = image.span.offset.saturating_add(image.span.n_bytes);
    let mut at = image.span.offset;
    while at < end {
        let block = member.read(at, CHUNK.min(end - at))?;
        out.extend(block.chunks_exact(WORD as usize).map(|word| word[0]));
        at += block.len() as u64;
    }
    Ok(out)
}

/// The program counter of a record's word.
pub(super) fn pc(step: &Step, address: u64) -> u32 {
    (u64::from(step.word).wrapping_sub(address / WORD) & 0xf_ffff) as u32
}

/// Notes a program that does not fit what was loaded: its names would be wrong.
pub(super) fn check_program(ledger: &mut Ledger, subgraph: &Subgraph, engine: usize, program: &Program, n_loaded: u64) {
    let patches = || subgraph.patches.iter().filter(|p| p.engine == engine as u64);
    let inserted: u64 = patches().map(|p| p.n_inserted).fold(0, u64::saturating_add);
    let removed: u64 = patches().map(|p| p.n_removed).fold(0, u64::saturating_add);
    if program.n_words.saturating_add(inserted) != n_loaded.saturating_add(removed) {
        let reason = "A program of the NEFF and its loaded image differ in length: instruction names may be wrong.";
        ledger.skip(Severity::Warning, "program_length", reason, 0, || {
            format!(
                "{} {}: {} words + {inserted} − {removed}, loaded {n_loaded}",
                subgraph.name,
                ENGINES.get(engine).unwrap_or(&"?"),
                program.n_words
            )
        });
    }
}

/// The compiler's program counter of a device's: the loader puts a prologue before the program and drops its second word.
fn compiler_pc(subgraph: &Subgraph, engine: usize, pc: u32) -> Option<usize> {
    let mut patches = subgraph.patches.iter().filter(|p| p.engine == engine as u64);
    let prologue = patches.find(|p| p.offset == 0 && p.n_removed == 0).map_or(0, |p| p.n_inserted);
    match u64::from(pc).checked_sub(prologue)? {
        0 => Some(0),
        n => usize::try_from(n + 1).ok(),
    }
}

/// Reads a region of instruction records.
pub(super) fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let Some(subgraph) = job.subgraph(region.nc) else {
        return Ok(());
    };
    let mut pairs: Pairs<(usize, u32)> = Pairs::new();
    job.for_each(region.span, &mut |job, record| {
        let Some(step) = Step::read(&record) else {
            return job.unknown(core, &format!("instruction record {:#04x}", record.bytes[3]), &record);
        };
        if !step.is_end {
            return pairs.start((step.engine, step.word), record);
        }
        match pairs.end(&(step.engine, step.word)) {
            Some(start) => instruction(job, core, &subgraph, &step, &start, &record),
            None if job.is_inside(record.time()) => {
                let reason = "The end of an instruction without a start: it is not shown.";
                job.ledger
                    .skip(Severity::DataLoss, "end_without_start", reason, record.offset, || crate::formats::neff::hex(&record.bytes));
            }
            None => job.outside(1, record.offset),
        }
    })?;
    for record in pairs.rest() {
        match job.is_inside(record.time()) {
            true => {
                let reason = "The start of an instruction without an end: it was still running at the end of the trace.";
                job.ledger.skip(Severity::Warning, "start_without_end", reason, record.offset, || crate::formats::neff::hex(&record.bytes));
            }
            false => job.outside(1, record.offset),
        }
    }
    Ok(())
}

fn instruction(job: &mut Job<'_, '_>, core: usize, subgraph: &Subgraph, step: &Step, start: &Record, end: &Record) {
    let (from, to) = (start.time(), end.time());
    if from < job.window.0 || to > job.window.1 || to < from {
        return job.outside(2, start.offset);
    }
    let engine = step.engine as u64;
    let address = subgraph.images.iter().find(|i| i.engine == engine).map_or(0, |i| i.address);
    let pc = pc(step, address);
    let opcode = job.opcodes.get(&(subgraph.nc, engine)).and_then(|words| words.get(pc as usize)).copied();
    let named = opcode.and_then(opcodes::opcode);
    let shown = named.map_or_else(|| opcode.map_or("opcode unknown".into(), |b| format!("opcode {b:#04x}")), str::to_string);
    let at = job.ns(from);
    let strings = &mut job.timeline.builder.strings;
    let (engine, opcode_name) = (strings.intern(ENGINES[step.engine]), strings.intern(&shown));
    let slice = job.timeline.instruction(&Instruction {
        core,
        label: opcodes::label(step.engine, opcode),
        engine,
        opcode: opcode_name,
        start: at,
        duration: ((to - from) / 1000) as i64,
        pc: Some(pc),
        work: Work::default(),
        wait_ns: Some((u64::from(start.half(6)) * 1000 / u64::from(WAIT_CYCLES_PER_US)) as u32),
        record: RecordRef::new(0, start.offset, super::records::RECORD),
    });
    let duration = ((to - from) / 1000) as i64;
    job.timeline.builder.end_slice(slice, at.saturating_add(duration), RecordRef::new(0, end.offset, super::records::RECORD));
    job.ledger.shown += 2;
    if named.is_none() {
        let (kind, reason) = match opcode {
            Some(_) => ("unknown_opcode", "An opcode without a known name: its number is shown."),
            None => ("pc_outside_image", "An instruction outside the stored program: its opcode is not known."),
        };
        job.ledger.skip_n(Severity::Info, kind, reason, 1, start.offset, || format!("{shown} at pc {pc} of {}", ENGINES[step.engine]));
    }
    let program = job.programs.get(&(subgraph.nc, step.engine)).cloned();
    let index = compiler_pc(subgraph, step.engine, pc);
    if let Some(name) = program.as_ref().and_then(|program| program.names.get(index?)) {
        set_names(job, subgraph, slice, name);
    }
}

fn set_names(job: &mut Job<'_, '_>, subgraph: &Subgraph, slice: u32, name: &Name) {
    // As the profiler writes it: `sg0000:17`.
    let number: u32 = subgraph.name.trim_start_matches("sg").parse().unwrap_or(0);
    let tensorizer = name.penguin_id.map(|id| format!("sg{number:04}:{id}")).unwrap_or_default();
    for (attr, text) in [
        (Attr::Tensorizer, tensorizer.as_str()),
        (Attr::Bir, name.bir.as_str()),
        (Attr::InstructionType, name.instruction_type),
        (Attr::Layer, name.layer.as_str()),
        (Attr::Hlo, name.hlo.as_str()),
        (Attr::Operator, name.operator.as_str()),
        (Attr::Source, name.source.as_str()),
    ] {
        job.timeline.set_text(slice, attr, text);
    }
    if let Some(id) = name.bir_id {
        job.executions.entry((subgraph.nc, id)).or_default().push(slice);
    }
}

/// Draws the compiler's dependencies between the executions of its instructions.
pub(super) fn link(job: &mut Job<'_, '_>) {
    let (mut n_long, mut n_arrows) = (0u64, 0);
    let mut done = rustc_hash::FxHashSet::default();
    for ((nc, _), program) in &job.programs {
        for name in &program.names {
            let Some(id) = name.bir_id.filter(|id| done.insert((*nc, *id))) else {
                continue;
            };
            let successors = job.executions.get(&(*nc, id)).map_or(&[][..], Vec::as_slice);
            for (from, kind) in &name.depends {
                let predecessors = job.executions.get(&(*nc, *from)).map_or(&[][..], Vec::as_slice);
                let is_full = job.timeline.builder.n_slices().max(MIN_ARROWS) * 16 < n_arrows;
                if is_full || predecessors.len().max(successors.len()) > MAX_EXECUTIONS {
                    n_long += 1;
                    continue;
                }
                n_arrows += predecessors.len() * successors.len();
                let kind = job.timeline.builder.strings.intern(&dependency(*kind));
                for &from in predecessors {
                    successors.iter().for_each(|&to| job.timeline.builder.flow(from, to, kind));
                }
            }
        }
    }
    if n_long > 0 {
        let reason = "Dependencies between instructions that ran several times: the matching runs are not recorded, so no flows are drawn.";
        job.ledger.skip_n(Severity::Info, "looped_dependency", reason, n_long, 0, String::new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::info::Patch;
    use super::*;

    #[test]
    fn the_loader_shifts_the_program() {
        let patch = |offset, n_inserted, n_removed| Patch { engine: 0, offset, n_inserted, n_removed };
        let subgraph = Subgraph { patches: vec![patch(0, 67, 0), patch(4352, 1, 2), patch(12160, 11, 0)], ..Subgraph::default() };
        assert_eq!(compiler_pc(&subgraph, 0, 66), None);
        assert_eq!(compiler_pc(&subgraph, 0, 67), Some(0));
        assert_eq!(compiler_pc(&subgraph, 0, 68), Some(2));
        assert_eq!(compiler_pc(&subgraph, 0, 70), Some(4));
    }

    #[test]
    fn the_program_counter_wraps_at_20_bits() {
        let step = Step { engine: 0, word: 1, is_end: true, is_last: false };
        assert_eq!(pc(&step, 0xf_ffff * 64), 2);
    }
}
