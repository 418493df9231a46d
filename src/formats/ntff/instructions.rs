//! Executed instructions: starts and ends, opcodes from the loaded image, names from the NEFF.

use super::info::{Region, Subgraph};
use super::isa::{Counters, Refused};
use super::job::Job;
use super::opcodes::{self, ENGINES};
use super::programs::{WORD, WordKey};
use super::records::{Record, Step};
use super::usage::{self, MOST_RUNS, Run, Runs, Touch};
use super::words::Word;
use crate::base::{Ledger, Severity};
use crate::formats::ImportError;
use crate::formats::neff::{Name, Program, dependency};
use crate::formats::neuron_json::timeline::{Attr, Instruction, ReadOperands, Work};
use crate::model::RecordRef;
use std::collections::VecDeque;
use std::rc::Rc;

/// Arrows from one instruction to the executions of one predecessor: loops make more than anyone can follow.
const MAX_EXECUTIONS: usize = 64;
/// Sixteen times as many arrows as slices are drawn at most, counted from this many slices.
const MIN_ARROWS: usize = 10_000;
/// Engine cycles per microsecond of the wait counter, on trn2.
pub(super) const WAIT_CYCLES_PER_US: u32 = 1200;

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

/// What is known of a word's operands.
#[derive(Default)]
struct Read {
    work: Work,
    operands: ReadOperands,
    instruction_type: &'static str,
    touches: Option<Rc<[Touch]>>,
    counters: Option<Counters>,
    refused: Option<(String, String)>,
    is_learned: bool,
}

fn read_word(job: &mut Job<'_, '_>, key: WordKey) -> Read {
    match job.words.loaded.decode(key) {
        Some(Ok(decoded)) => Read {
            work: work(&decoded.counters),
            operands: job.timeline.read_operands(&decoded.text),
            instruction_type: decoded.instruction_type,
            touches: usage::touches(&decoded.instruction),
            counters: Some(decoded.counters),
            refused: None,
            is_learned: !decoded.learned.is_empty(),
        },
        Some(Err(not)) => {
            let Refused { opcode, field, code } = not.refused;
            let field = if field.is_empty() { String::new() } else { format!("_{}_{code:02x}", field.replace(' ', "_")) };
            let sentence = not.refused.to_string();
            let refused = Some((format!("operands_{opcode:02x}{field}"), format!("Shown with opcode, wait and update only: {sentence}.")));
            Read { operands: job.timeline.read_operands(&not.sync), refused, ..Read::default() }
        }
        None => Read::default(),
    }
}

/// The word of an engine of a core, which is read when it first ends.
fn word(job: &mut Job<'_, '_>, core: usize, subgraph: &Subgraph, step: &Step) -> Rc<Word> {
    let engine = step.engine as u64;
    let address = subgraph.images.iter().find(|i| i.engine == engine).map_or(0, |i| i.address);
    let pc = pc(step, address);
    let key = (subgraph.nc, engine, pc);
    if let Some(word) = job.words.known.get(&key) {
        return word.clone();
    }
    let opcode = job.words.loaded.opcode(key);
    let read = read_word(job, key);
    let shown = opcode.map_or("opcode unknown".into(), opcodes::shown);
    let unnamed = match opcode {
        Some(byte) if opcodes::opcode(byte).is_some() => None,
        Some(byte) if opcodes::learned(byte).is_some() => Some((
            "learned_opcode",
            "An opcode with a name that this browser learned from the profiler's output of another run: the name is not verified.",
        )),
        Some(_) => Some(("unknown_opcode", "An opcode without a known name: its number is shown.")),
        None => Some(("pc_outside_image", "An instruction outside the stored program: its opcode is not known.")),
    };
    let program = job.named.get(&(subgraph.nc, step.engine)).cloned();
    let index = job.words.loaded.program(key.0, engine).and_then(|p| usize::try_from(p.compiler_pc(pc)?).ok());
    let name = program.as_ref().and_then(|program| program.names.get(index?));
    let mut texts = vec![(Attr::InstructionType, read.instruction_type)];
    let tensorizer = name.and_then(|name| tensorizer(subgraph, name)).unwrap_or_default();
    texts.extend(name.into_iter().flat_map(|name| texts_of(name, &tensorizer)).filter(|text| !text.1.is_empty()));
    let strings = &mut job.timeline.builder.strings;
    let instruction = Instruction {
        core,
        label: opcodes::label(step.engine, opcode),
        engine: strings.intern(ENGINES[step.engine]),
        opcode: strings.intern(&shown),
        start: 0,
        duration: 0,
        pc: Some(pc),
        work: read.work,
        wait_ns: None,
        record: RecordRef::default(),
    };
    let variable = job.words.loaded.variables.get(&key).copied();
    let word = Rc::new(Word {
        shared: job.timeline.word(&instruction, read.operands, variable, &texts),
        opcode,
        place: format!("{shown} at pc {pc} of {}", ENGINES[step.engine]),
        touches: read.touches,
        counters: read.counters,
        refused: read.refused,
        is_learned: read.is_learned,
        unnamed,
        bir_id: name.and_then(|name| name.bir_id),
    });
    job.words.known.insert(key, word.clone());
    word
}

/// Counters as columns; what is beyond 32 bits counts as the largest number.
fn work(counters: &Counters) -> Work {
    let column = |n: u64| n.min(u64::from(u32::MAX - 1)) as u32;
    Work {
        elements: counters.elements.map(column),
        sbuf_bytes: Work::sum(counters.sbuf_read, counters.sbuf_write).map(column),
        hbm_read: counters.hbm_read,
        hbm_written: counters.hbm_write,
        spilled: None,
    }
}

/// A word of an engine: executions that have not ended, and what it says once it has ended.
#[derive(Default)]
struct Slot {
    starts: VecDeque<Record>,
    word: Option<Rc<Word>>,
    /// Executions that are shown.
    n_runs: u64,
}

/// Bits of the lower part of a word's number, which has 20 bits.
const PAGE_BITS: u32 = 10;
const PAGE: usize = 1 << PAGE_BITS;

/// The words of all engines that records name, without a look-up by hash for each record.
struct Slots {
    /// Page of numbers, from 1 on, by engine and upper part of the word's number; 0 where none was met.
    pages: Vec<u32>,
    /// Number of the slot, from 1 on, by page and lower part; 0 where none was met.
    numbers: Vec<u32>,
    all: Vec<Slot>,
}

impl Slots {
    fn new() -> Self {
        Slots { pages: vec![0; ENGINES.len() << (20 - PAGE_BITS)], numbers: Vec::new(), all: Vec::new() }
    }

    /// The slot of a record's word.
    #[inline]
    fn of(&mut self, step: &Step) -> Option<&mut Slot> {
        let page = self.pages.get_mut(step.engine << (20 - PAGE_BITS) | step.word as usize >> PAGE_BITS)?;
        if *page == 0 {
            self.numbers.resize(self.numbers.len() + PAGE, 0);
            *page = (self.numbers.len() >> PAGE_BITS) as u32;
        }
        let number = self.numbers.get_mut((*page as usize - 1) << PAGE_BITS | step.word as usize & (PAGE - 1))?;
        if *number == 0 {
            self.all.push(Slot::default());
            *number = self.all.len() as u32;
        }
        self.all.get_mut(*number as usize - 1)
    }
}

/// Reads a region of instruction records.
pub(super) async fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let Some(subgraph) = job.subgraph(region.nc) else {
        return Ok(());
    };
    let mut slots = Slots::new();
    // Those of a region of the same core before.
    let mut runs = job.runs.remove(&core);
    job.for_each(region.span, &mut |job, record| {
        let Some((step, slot)) = Step::read(&record).and_then(|step| slots.of(&step).map(|slot| (step, slot))) else {
            return job.unknown(core, &format!("instruction record {:#04x}", record.bytes[3]), &record);
        };
        if !step.is_end {
            return slot.starts.push_back(record);
        }
        match slot.starts.pop_front() {
            Some(start) => instruction(job, (core, &subgraph), &step, (slot, &mut runs), (&start, &record)),
            None => job.end_without_start(0, &record, "The end of an instruction without a start: it is not shown."),
        }
    })
    .await?;
    job.runs.extend(runs.map(|runs| (core, runs)));
    for slot in slots.all.iter().filter(|slot| slot.n_runs > 0) {
        match (slot.word.as_ref().and_then(|word| word.counters), &mut job.totals) {
            (Some(counters), Some(totals)) => totals.add(&counters, slot.n_runs),
            _ => job.totals = None,
        }
    }
    let reason = "The start of an instruction without an end: it was still running at the end of the trace.";
    job.starts_without_end(0, slots.all.into_iter().flat_map(|slot| slot.starts).collect(), reason);
    Ok(())
}

fn instruction(
    job: &mut Job<'_, '_>,
    (core, subgraph): (usize, &Subgraph),
    step: &Step,
    (slot, runs): (&mut Slot, &mut Option<Runs>),
    (start, end): (&Record, &Record),
) {
    let (from, to) = (start.time(), end.time());
    if from < job.window.0 || to > job.window.1 || to < from {
        return job.outside(2, start.offset);
    }
    slot.n_runs += 1;
    let word = &**slot.word.get_or_insert_with(|| word(job, core, subgraph, step));
    let span = job.span(start, end);
    let wait_ns = (u64::from(start.half(6)) * 1000 / u64::from(WAIT_CYCLES_PER_US)) as u32;
    let slice = job.timeline.execution(&word.shared, span, wait_ns);
    job.ledger.shown += 2;
    job.activity.instruction(core, step.engine, word.opcode, (from, to));
    let runs = runs.get_or_insert_with(|| Some(Vec::new()));
    match (&word.touches, runs.as_mut().filter(|runs| runs.len() < MOST_RUNS)) {
        (Some(touches), Some(_)) if touches.is_empty() => (),
        (Some(touches), Some(runs)) => runs.push(Run { time: (from, to), touches: touches.clone() }),
        // A write that is not known makes all that follows wrong.
        _ => *runs = None,
    }
    if let Some((kind, sentence)) = &word.refused {
        job.ledger.skip(Severity::Warning, kind, sentence, start.offset, || word.place.clone());
    }
    if word.is_learned {
        let reason =
            "Operands decoded with a code that this browser learned from the profiler's output of another run: its name is not verified.";
        job.ledger.skip(Severity::Info, "learned_operands", reason, start.offset, || word.place.clone());
    }
    if let Some((kind, reason)) = word.unnamed {
        job.ledger.skip(Severity::Info, kind, reason, start.offset, || word.place.clone());
    }
    if let Some(id) = word.bir_id {
        let executions = job.executions.entry((subgraph.nc, id)).or_default();
        // With more executions no arrows are drawn.
        if executions.len() <= MAX_EXECUTIONS {
            executions.push(slice);
        }
    }
}

/// The compiler's name of the tensorizer's instruction, as the profiler writes it: `sg0000:17`.
fn tensorizer(subgraph: &Subgraph, name: &Name) -> Option<String> {
    let number: u32 = subgraph.name.trim_start_matches("sg").parse().unwrap_or(0);
    name.penguin_id.map(|id| format!("sg{number:04}:{id}"))
}

/// What the NEFF says of an instruction.
fn texts_of<'a>(name: &'a Name, tensorizer: &'a str) -> [(Attr, &'a str); 8] {
    [
        (Attr::Tensorizer, tensorizer),
        (Attr::Bir, name.bir.as_str()),
        (Attr::InstructionType, name.instruction_type),
        (Attr::Layer, name.layer.as_str()),
        (Attr::Hlo, name.hlo.as_str()),
        (Attr::Operator, name.operator.as_str()),
        (Attr::Source, name.source.as_str()),
        (Attr::Function, name.function.as_str()),
    ]
}

/// Draws the compiler's dependencies between the executions of its instructions.
pub(super) fn link(job: &mut Job<'_, '_>) {
    let (mut n_long, mut n_arrows) = (0u64, 0);
    let mut done = rustc_hash::FxHashSet::default();
    for ((nc, _), program) in &job.named {
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
    use super::*;

    #[test]
    fn each_word_of_each_engine_has_a_slot_of_its_own() {
        let mut slots = Slots::new();
        let words = [(0, 0), (0, 1), (0, 1023), (0, 1024), (4, 0xf_ffff), (3, 1024), (4, 0)];
        for round in 1..=2 {
            for (engine, word) in words {
                let step = Step { engine, word, is_end: false, is_last: false };
                let slot = slots.of(&step).expect("an engine of a record");
                slot.n_runs += 1;
                assert_eq!(slot.n_runs, round, "{step:?}");
            }
        }
        assert_eq!(slots.all.len(), words.len());
    }

    #[test]
    fn the_program_counter_wraps_at_20_bits() {
        let step = Step { engine: 0, word: 1, is_end: true, is_last: false };
        assert_eq!(pc(&step, 0xf_ffff * 64), 2);
    }
}
