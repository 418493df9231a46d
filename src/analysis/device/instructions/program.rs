//! The program of an engine as a listing: every word with its operands, how often it ran and what that cost.

use crate::analysis::device::activity::engines::{Engine, Executed, engines};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId};
use crate::model::program::{EngineProgram, ProgramWord};
use crate::model::{Column, Domain, NeuronDevice, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Words of one answer.
const MOST_ROWS: usize = 200_000;
/// Brackets side by side; branches beyond have their target in the column only.
const MOST_LANES: usize = 6;
/// Branches that are drawn.
const MOST_BRANCHES: usize = 4096;

/// Which program is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProgramQuery {
    /// Place of the engine in the answer; `None` for that of the instruction, or the first.
    pub engine: Option<u32>,
    /// The instruction that is looked for in the program.
    pub slice: Option<SliceId>,
}

/// The engines, and the words of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Ordered by core, as the file lists them.
    pub engines: Vec<ProgramEngine>,
    /// Whether the profile has times.
    pub has_times: bool,
    /// Whether words that never ran are listed: the file holds the programs.
    pub is_whole: bool,
    /// Index in `engines` of the engine of the words.
    pub shown: u32,
    /// Program counter of the word that the instruction of the question executed, where it is of this engine.
    pub marked: Option<u32>,
    /// Ordered by program counter.
    pub rows: Vec<ProgramRow>,
    /// Words of that engine; more than `rows` where it has too many to send.
    pub n_rows: u64,
    /// Notes.
    pub notes: Vec<String>,
}

/// An engine's program in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramEngine {
    /// `NC 4`, or the subgraph where nothing is loaded.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Words of the program.
    pub n_words: u64,
    /// Words that ran at least once.
    pub n_executed: u64,
    /// Executions of all words.
    pub executions: u64,
    /// Durations of these added up.
    pub time: DurationNs,
    /// Time that they waited for semaphores before they began.
    pub wait: DurationNs,
}

/// A word of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRow {
    /// Program counter.
    pub pc: u32,
    /// Brackets of the branches that lead over this word.
    pub brackets: String,
    /// `MATMUL`.
    pub opcode: String,
    /// As neuron-profile prints them.
    pub operands: String,
    /// Why the operands are not known; empty where they are.
    pub refused: String,
    /// Where it branches to.
    pub target: Option<u32>,
    /// Whether it belongs to the runtime, not to the compiler's program.
    pub is_runtime: bool,
    /// The compiler's instruction (BIR).
    pub bir: String,
    /// Layer.
    pub layer: String,
    /// `file:line`.
    pub source: String,
    /// How often it ran; `None` without times.
    pub count: Option<u64>,
    /// Durations of its executions added up.
    pub time: Option<DurationNs>,
    /// Time that these waited for a semaphore before they began; `None` where not recorded.
    pub wait: Option<DurationNs>,
    /// Its first execution.
    pub first: Option<SliceId>,
}

/// What the executions of a word add up to.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::device) struct Cost {
    first: SliceId,
    count: u64,
    time: i64,
    wait: Option<i64>,
}

/// Costs of an engine's words by program counter.
pub(in crate::analysis::device) fn costs(device: &NeuronDevice, engine: &Engine<'_>) -> FxHashMap<u32, Cost> {
    let mut out: FxHashMap<u32, Cost> = FxHashMap::default();
    for Executed { start, end, slice, .. } in engine.executed() {
        let of = |column: &Column<u32>| column.at(slice.index()).filter(|n| *n != NeuronDevice::ABSENT);
        let Some(pc) = of(&device.pc) else { continue };
        let wait = of(&device.wait_ns).map(i64::from);
        let cost = out.entry(pc).or_insert(Cost { first: slice, count: 0, time: 0, wait: None });
        cost.count += 1;
        cost.time = cost.time.saturating_add(end.saturating_sub(start));
        cost.wait = wait.map(|wait| cost.wait.unwrap_or(0).saturating_add(wait)).or(cost.wait);
    }
    out
}

/// The words that ran, by engine, with the first execution of each in the same order; operands are left for the caller.
pub fn executed(profile: &Profile) -> (Vec<EngineProgram>, Vec<SliceId>) {
    let Domain::NeuronDevice(device) = &profile.domain else { return Default::default() };
    let (mut programs, mut firsts) = (Vec::new(), Vec::new());
    for engine in engines(profile) {
        let mut found: Vec<(u32, Cost)> = costs(device, &engine).into_iter().collect();
        found.sort_unstable_by_key(|(pc, _)| *pc);
        let word = |(pc, cost): &(u32, Cost)| ProgramWord { pc: *pc, opcode: profile.name_of(cost.first).into(), ..ProgramWord::default() };
        firsts.extend(found.iter().map(|(_, cost)| cost.first));
        // The core's own name takes the place of its number, which not every file records.
        programs.push(EngineProgram {
            subgraph: engine.core.clone(),
            nc: None,
            engine: engine.name.clone(),
            words: found.iter().map(word).collect(),
        });
    }
    (programs, firsts)
}

/// The listing of one engine. `programs` are those of the file, or what [`executed`] gives.
pub fn program(profile: &Profile, programs: &[EngineProgram], query: ProgramQuery) -> Program {
    let empty = NeuronDevice::default();
    let device = if let Domain::NeuronDevice(device) = &profile.domain { device } else { &empty };
    let ran = engines(profile);
    let names = |program: &EngineProgram| match program.nc {
        Some(nc) => vec![format!("NC {nc}"), format!("NC {nc} {}", program.subgraph), program.subgraph.clone()],
        None => vec![program.subgraph.clone()],
    };
    let of = |program: &EngineProgram| {
        let names = names(program);
        ran.iter().find(|e| e.name == program.engine && names.contains(&e.core))
    };
    let is_of = |program: &EngineProgram, slice: SliceId| {
        let engine = profile.attribute("engine").and_then(|a| a.values.at(slice.index())).map_or("", |id| profile.strings.get(id));
        let path = profile.track_of(slice).map(|t| profile.track_path(t)).unwrap_or_default();
        program.engine == engine && names(program).iter().any(|name| path.split(" / ").next() == Some(name))
    };
    let own = query.slice.and_then(|slice| programs.iter().position(|p| is_of(p, slice))).map(|at| at as u32);
    let shown = query.engine.or(own).unwrap_or(0).min((programs.len() as u32).saturating_sub(1));
    let mut out = Program { has_times: !ran.is_empty(), shown, ..Program::default() };
    if own == Some(shown) {
        out.marked = query.slice.and_then(|slice| device.pc.at(slice.index())).filter(|pc| *pc != NeuronDevice::ABSENT);
    }
    for (at, program) in programs.iter().enumerate() {
        let engine = of(program);
        let costs = engine.map(|engine| costs(device, engine)).unwrap_or_default();
        let sum = |value: fn(&Cost) -> i64| DurationNs(costs.values().map(value).fold(0, i64::saturating_add));
        out.engines.push(ProgramEngine {
            core: engine.map_or_else(|| names(program).swap_remove(0), |engine| engine.core.clone()),
            engine: program.engine.clone(),
            n_words: program.words.len() as u64,
            n_executed: program.words.iter().filter(|w| costs.contains_key(&w.pc)).count() as u64,
            executions: costs.values().map(|c| c.count).sum(),
            time: sum(|c| c.time),
            wait: sum(|c| c.wait.unwrap_or(0)),
        });
        out.is_whole |= program.nc.is_some() || !out.has_times;
        if at == out.shown as usize {
            out.n_rows = program.words.len() as u64;
            out.rows = rows(profile, program, &costs, out.has_times);
        }
    }
    notes(&mut out);
    out
}

fn rows(profile: &Profile, program: &EngineProgram, costs: &FxHashMap<u32, Cost>, has_times: bool) -> Vec<ProgramRow> {
    let text = |id: &str, slice: SliceId| {
        let value = profile.attribute(id).and_then(|a| a.values.at(slice.index())).unwrap_or_default();
        profile.strings.get(value).to_string()
    };
    let words = &program.words[..program.words.len().min(MOST_ROWS)];
    let row = |(word, brackets): (&ProgramWord, String)| {
        let cost = costs.get(&word.pc);
        let known = |own: &str, id: &str| match (own.is_empty(), cost) {
            (true, Some(cost)) => text(id, cost.first),
            _ => own.into(),
        };
        ProgramRow {
            pc: word.pc,
            brackets,
            opcode: word.opcode.clone(),
            operands: word.operands.clone(),
            refused: word.refused.clone(),
            target: word.target,
            is_runtime: word.is_runtime,
            bir: known(&word.bir, "bir"),
            layer: known(&word.layer, "layer"),
            source: known(&word.source, "source"),
            count: has_times.then(|| cost.map_or(0, |c| c.count)),
            time: cost.map(|c| DurationNs(c.time)),
            wait: cost.and_then(|c| c.wait).map(DurationNs),
            first: cost.map(|c| c.first),
        }
    };
    words.iter().zip(brackets(words)).map(row).collect()
}

/// Brackets of the branches of a program, a text of the same width for each word: `╭` and `╰` at the ends of a branch, `▸` at its target.
fn brackets(words: &[ProgramWord]) -> Vec<String> {
    let place = |pc: u32| words.binary_search_by_key(&pc, |w| w.pc).ok();
    let branches = words.iter().enumerate().filter_map(|(from, word)| Some((from, place(word.target?)?)));
    let mut branches: Vec<(usize, usize)> = branches.filter(|b| b.0 != b.1).take(MOST_BRANCHES).collect();
    // Short ones are drawn next to the words.
    branches.order_by_key(|(from, to)| from.abs_diff(*to));
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for (from, to) in &branches {
        let (low, high) = (*from.min(to), *from.max(to));
        let is_free = |lane: &Vec<(usize, usize)>| lane.iter().all(|(a, b)| high < *a || *b < low);
        match lanes.iter().position(is_free) {
            Some(lane) => lanes[lane].push((low, high)),
            None if lanes.len() < MOST_LANES => lanes.push(vec![(low, high)]),
            None => (),
        }
    }
    if lanes.is_empty() {
        return vec![String::new(); words.len()];
    }
    let mut grid = vec![' '; words.len() * (lanes.len() + 1)];
    let width = lanes.len() + 1;
    for (lane, spans) in lanes.iter().enumerate() {
        let column = lanes.len() - 1 - lane;
        for (low, high) in spans {
            grid[low * width + column] = '╭';
            grid[high * width + column] = '╰';
            (low + 1..*high).for_each(|row| grid[row * width + column] = '│');
        }
    }
    for (from, to) in branches {
        grid[from * width + width - 1] = if grid[from * width + width - 1] == '▸' { '▸' } else { '─' };
        grid[to * width + width - 1] = '▸';
    }
    grid.chunks(width).map(|row| row.iter().collect()).collect()
}

fn notes(out: &mut Program) {
    if out.engines.is_empty() {
        out.notes.push("No program is recorded in this file.".into());
    }
    if !out.has_times && !out.engines.is_empty() {
        out.notes.push("Times are not recorded: a NEFF is a program. Open it together with the .ntff of a run.".into());
    }
    if out.has_times && !out.is_whole {
        out.notes.push("Only executed words are listed: this file does not hold the programs. An .ntff does.".into());
    }
    let n_refused = out.rows.iter().filter(|r| !r.refused.is_empty()).count() as u64;
    if n_refused > 0 {
        let n = crate::base::text::counted(n_refused, "word");
        out.notes.push(format!("{n} of this engine have operands that are not decoded: only verified codes are."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(targets: &[Option<u32>]) -> Vec<ProgramWord> {
        targets.iter().zip(0u32..).map(|(target, pc)| ProgramWord { pc, target: *target, ..ProgramWord::default() }).collect()
    }

    #[test]
    fn loops_and_branches_are_brackets() {
        let nested = words(&[None, None, None, Some(1), Some(0), None]);
        assert_eq!(brackets(&nested), ["╭ ▸", "│╭▸", "││ ", "│╰─", "╰ ─", "   "]);
        assert_eq!(brackets(&words(&[Some(2), None, None])), ["╭─", "│ ", "╰▸"]);
        assert_eq!(brackets(&words(&[None, Some(9)])), ["", ""]);
        assert_eq!(brackets(&words(&[Some(0)])), [""], "a word that waits for itself spans nothing");
        assert_eq!(brackets(&[]), [""; 0]);
    }

    #[test]
    fn a_program_without_a_run_has_no_times() {
        let program = EngineProgram { subgraph: "sg00".into(), nc: None, engine: "Vector".into(), words: words(&[None, Some(0)]) };
        let found = super::program(&Profile::default(), &[program], ProgramQuery { engine: Some(7), slice: None });
        assert_eq!((found.shown, found.n_rows, found.has_times), (0, 2, false));
        assert_eq!((found.engines[0].core.as_str(), found.engines[0].n_words, found.engines[0].n_executed), ("sg00", 2, 0));
        assert!(found.rows.iter().all(|r| r.count.is_none() && r.time.is_none() && r.first.is_none()));
        assert!(found.notes[0].starts_with("Times are not recorded"));
        assert_eq!(super::program(&Profile::default(), &[], ProgramQuery::default()).notes, ["No program is recorded in this file."]);
    }
}
