//! The loaded program of one engine: its words, where the compiler's part begins and ends, and the names its operands need.

use super::codes::{FUNCTION, Refused};
use super::counters::{Counters, Memory, counters, memory_of};
use super::decode::{PSEUDO_TRANSFER, decode};
use super::instruction::{Instruction, Transfer, TransferEnd};
use super::layout::End;
use super::learned;
use super::sync::updated_semaphore;
use super::text::{Names, function_name, text, word_sync_text};
use super::word::WORD_BYTES;
use crate::formats::ntff::info::{Patch, Subgraph};
use crate::formats::ntff::opcodes::{self, ENGINES, NEFF_ENGINES};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// DMA_DIRECT2D, and the byte with the semaphore that it raises.
const TRANSFER: (u8, usize) = (0xB8, 0x0D);
/// The activation function that neuron-profile's text verifies; the others are named by the NEFF.
const VERIFIED_FUNCTION: (u8, &str) = (7, "EXP");

/// Names of activation functions by their id, from the NEFF.
pub(crate) type Functions = FxHashMap<u8, String>;

/// The words of an engine's image.
#[derive(Debug, Default)]
pub(crate) struct Program {
    words: Vec<u8>,
    /// Words that the compiler made.
    own: Range<u64>,
}

/// Words of an engine's image that the compiler made: what the loader's patches added before and after them is the runtime's.
fn own_words(n_words: u64, engine: u64, patches: &[Patch]) -> Range<u64> {
    let added = || patches.iter().filter(|p| p.engine == engine && p.n_removed == 0);
    let before = added().find(|p| p.offset == 0).map_or(0, |p| p.n_inserted);
    let after = added().rfind(|p| p.offset != 0).map_or(0, |p| p.n_inserted);
    before..n_words.saturating_sub(after)
}

/// The compiler's program counter of a word of an image with `n_words`: the loader puts a prologue before the program and drops its second word.
/// `None` for words of the runtime.
pub(crate) fn compiler_pc(pc: u32, n_words: u64, engine: u64, patches: &[Patch]) -> Option<u64> {
    within(&own_words(n_words, engine, patches), pc)
}

fn within(own: &Range<u64>, pc: u32) -> Option<u64> {
    let at = u64::from(pc);
    own.contains(&at).then(|| match at - own.start {
        0 => 0,
        n => n + 1,
    })
}

impl Program {
    /// The words of an image and where the loader's patches leave the compiler's.
    pub fn new(words: Vec<u8>, engine: u64, patches: &[Patch]) -> Self {
        let own = own_words((words.len() / WORD_BYTES) as u64, engine, patches);
        Program { words, own }
    }

    /// How many whole words there are.
    pub fn n_words(&self) -> u64 {
        (self.words.len() / WORD_BYTES) as u64
    }

    /// The word at a program counter.
    pub fn word(&self, pc: u32) -> Option<&[u8; WORD_BYTES]> {
        let at = (pc as usize).checked_mul(WORD_BYTES)?;
        self.words.get(at..at.checked_add(WORD_BYTES)?)?.try_into().ok()
    }

    /// The compiler's program counter; `None` for words of the runtime.
    pub fn compiler_pc(&self, pc: u32) -> Option<u64> {
        within(&self.own, pc)
    }

    /// Transfers of this program in the compiler's form (`compiled` is its file): program counter, the compiler's, text, transfer.
    fn compiled_transfers(&self, compiled: &[u8], owners: &Owners) -> Vec<(u32, u64, String, Transfer)> {
        let names = WordNames { is_runtime: false, owners, functions: &Functions::default() };
        let at = |pc: u64| Some((u32::try_from(pc).ok()?, self.compiler_pc(u32::try_from(pc).ok()?)?));
        let end = self.own.end.min(self.n_words());
        let read = |(pc, at): (u32, u64)| {
            let start = usize::try_from(at).ok()?.checked_mul(WORD_BYTES)?;
            let word: &[u8; WORD_BYTES] = compiled.get(start..start.checked_add(WORD_BYTES)?)?.try_into().ok()?;
            // Both forms are of the same transfer, or the NEFF's program is another one.
            let is_both = word[0] == PSEUDO_TRANSFER && self.word(pc)?[0] == TRANSFER.0;
            let instruction = decode(word).ok().filter(|_| is_both)?;
            let transfer = *instruction.transfer()?;
            Some((pc, at, text(&instruction, &names), transfer))
        };
        (self.own.start..end).filter_map(at).filter_map(read).collect()
    }

    fn own_words(&self) -> impl Iterator<Item = &[u8]> {
        let n_words = (self.words.len() / WORD_BYTES) as u64;
        let (from, to) = (self.own.start.min(n_words) as usize, self.own.end.min(n_words) as usize);
        self.words.get(from * WORD_BYTES..to.max(from) * WORD_BYTES).unwrap_or_default().chunks_exact(WORD_BYTES)
    }
}

/// Who raises each semaphore of a physical core.
#[derive(Debug, Default)]
pub(crate) struct Owners(Vec<String>);

impl Owners {
    /// Owners that are known already: (semaphore, owner).
    pub fn named(known: impl Iterator<Item = (u8, String)>) -> Self {
        let mut out = vec![String::new(); 256];
        known.for_each(|(id, owner)| out[usize::from(id)] = owner);
        Owners(out)
    }

    /// Semaphores with an owner.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.0.iter().map(String::as_str).enumerate().filter(|(_, owner)| !owner.is_empty())
    }

    /// From the programs of the core's engines (by engine) and the names of its DMA queues.
    pub fn of(programs: &[(u64, Rc<Program>)], subgraph: &Subgraph) -> Self {
        let mut out: Vec<Option<String>> = vec![None; 256];
        // Two that raise the same semaphore: neither is named.
        let mut note = |id: u8, owner: &str| match &mut out[usize::from(id)] {
            Some(known) if known != owner => known.clear(),
            Some(_) => (),
            none => *none = Some(owner.into()),
        };
        for (engine, program) in programs {
            let name = ENGINES.get(*engine as usize).copied().unwrap_or_default();
            let queue = dynamic_queue(*engine as usize, subgraph);
            for word in program.own_words() {
                updated_semaphore(word).into_iter().for_each(|id| note(id, name));
                if let (Some(queue), Some(&id), true) = (&queue, word.get(TRANSFER.1), word.first() == Some(&TRANSFER.0)) {
                    note(id, queue);
                }
            }
        }
        Owners(out.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// The queue to which an engine gives its transfers; `None` where it has none, or several.
fn dynamic_queue(engine: usize, subgraph: &Subgraph) -> Option<String> {
    let unit = NEFF_ENGINES.get(engine)?.to_ascii_lowercase();
    // `qActDynamicHW` is of the engine `Activation`.
    let is_own = |name: &str| {
        let lower = name.to_ascii_lowercase();
        lower.strip_prefix('q').and_then(|rest| rest.split_once("dynamic")).is_some_and(|(of, _)| !of.is_empty() && unit.starts_with(of))
    };
    let mut names = subgraph.queues.iter().map(|q| q.name.as_str()).filter(|name| is_own(name));
    let first = names.next()?;
    names.all(|name| name == first).then(|| opcodes::queue(first))
}

/// What a word of a program says.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub instruction: Instruction,
    pub text: String,
    pub counters: Counters,
    /// Empty where it applies none.
    pub activation: String,
    /// Codes whose names this browser learned from the profiler's output of another run, in words.
    pub learned: Vec<String>,
    /// Whether its activation function, if it has one, has a name.
    pub is_named: bool,
    /// As the compiler calls it; empty for words of the runtime.
    pub instruction_type: &'static str,
}

/// A word that is refused: wait and update are in the same bytes of every word.
#[derive(Debug, Clone)]
pub(crate) struct NotDecoded {
    pub refused: Refused,
    /// Wait and update; empty where there is none, or where they are not verified either.
    pub sync: String,
}

/// The programs of a physical core.
#[derive(Debug)]
pub(crate) struct CorePrograms {
    /// Physical core.
    nc: u64,
    programs: Vec<(u64, Rc<Program>)>,
    owners: Owners,
}

impl CorePrograms {
    /// The programs of a subgraph by engine.
    pub fn new(subgraph: &Subgraph, programs: Vec<(u64, Rc<Program>)>) -> Self {
        CorePrograms { nc: subgraph.nc, owners: Owners::of(&programs, subgraph), programs }
    }

    /// The program of an engine.
    pub fn program(&self, engine: u64) -> Option<&Rc<Program>> {
        self.programs.iter().find(|p| p.0 == engine).map(|p| &p.1)
    }

    /// Transfers of an engine in the compiler's form (`compiled` is its program's file): program counter, the compiler's, text, transfer.
    pub fn compiled_transfers(&self, engine: u64, compiled: &[u8]) -> Vec<(u32, u64, String, Transfer)> {
        self.program(engine).map(|program| program.compiled_transfers(compiled, &self.owners)).unwrap_or_default()
    }

    /// Who raises each semaphore.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// Decodes the word of an engine at `pc`; `None` where the image has none there. `memory` finds what the NEFF says of a transfer's end.
    pub fn decode(
        &self,
        engine: u64,
        pc: u32,
        functions: &Functions,
        memory: &dyn Fn(End) -> Option<Memory>,
    ) -> Option<Result<Decoded, NotDecoded>> {
        let program = self.program(engine)?;
        let place = WordPlace { nc: self.nc, compiler_pc: program.compiler_pc(pc), owners: &self.owners, functions };
        Some(decode_word(program.word(pc)?, &place, memory))
    }
}

/// Where a word stands, and the names that its text needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordPlace<'a> {
    /// Physical core.
    pub nc: u64,
    /// `None` for words of the runtime.
    pub compiler_pc: Option<u64>,
    pub owners: &'a Owners,
    pub functions: &'a Functions,
}

/// Decodes a word of a program.
pub(crate) fn decode_word(
    word: &[u8; WORD_BYTES],
    place: &WordPlace<'_>,
    memory: &dyn Fn(End) -> Option<Memory>,
) -> Result<Decoded, NotDecoded> {
    let names = word_names(place);
    let instruction = decode(word).map_err(|refused| NotDecoded { refused, sync: word_sync_text(word, &names) })?;
    let of_end = |at: &TransferEnd, end: End| memory(end).or_else(|| memory_of(at, place.nc));
    let instruction_type = match place.compiler_pc {
        None | Some(0) => "",
        Some(_) if instruction.is_transpose => "TRANSPOSE",
        Some(_) => "REGULAR",
    };
    Ok(Decoded {
        text: text(&instruction, &names),
        counters: counters(&instruction, &of_end),
        activation: instruction.function().map(|id| function_name(id, &names)).unwrap_or_default(),
        learned: learned_texts(&instruction, place),
        is_named: instruction.function().is_none_or(|id| names.function(id).is_some() || learned::name(FUNCTION, id).is_some()),
        instruction_type,
        instruction,
    })
}

/// The names that the text of a word needs.
pub(super) fn word_names<'a>(place: &WordPlace<'a>) -> WordNames<'a> {
    WordNames { is_runtime: place.compiler_pc.is_none(), owners: place.owners, functions: place.functions }
}

pub(super) struct WordNames<'a> {
    is_runtime: bool,
    owners: &'a Owners,
    functions: &'a Functions,
}

impl Names for WordNames<'_> {
    fn is_runtime(&self) -> bool {
        self.is_runtime
    }

    fn owner(&self, semaphore: u8) -> &str {
        self.owners.0.get(usize::from(semaphore)).map_or("", String::as_str)
    }

    fn function(&self, id: u8) -> Option<&str> {
        let named = self.functions.get(&id).map(String::as_str);
        named.or((id == VERIFIED_FUNCTION.0).then_some(VERIFIED_FUNCTION.1))
    }
}

/// The learned codes of an instruction in words: `data type 0x0b is fp8_e4m3`.
pub(super) fn learned_texts(instruction: &Instruction, place: &WordPlace<'_>) -> Vec<String> {
    let function = instruction.function().filter(|id| word_names(place).function(*id).is_none()).map(|id| (FUNCTION, id));
    let used = instruction.learned.iter().copied().chain(function);
    used.filter_map(|(field, code)| Some(format!("{field} {code:#04x} is {}", learned::name(field, code)?))).collect()
}
