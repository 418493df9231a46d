//! The loaded programs of a trace: read once, and each of their words decoded once, however often it ran.

use super::info::{Image, Info};
use super::isa::{self, CorePrograms, Decoded, End, Functions, Memory, NotDecoded, Program};
use crate::base::{Ledger, Member, Severity, StrId};
use crate::formats::ImportError;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bytes of an instruction word.
pub(super) const WORD: u64 = 64;

/// How much of an image is read at a time.
const CHUNK: u64 = 1 << 20;

/// A word by (physical core, engine, program counter).
pub(super) type WordKey = (u64, u64, u32);

/// Programs by physical core, and names that they need.
#[derive(Debug, Default)]
pub(super) struct Programs {
    cores: FxHashMap<u64, CorePrograms>,
    /// Names of activation functions.
    pub functions: Functions,
    /// Memories of the ends of transfers, where the NEFF has them.
    pub memories: FxHashMap<WordKey, [Option<Memory>; 2]>,
    /// Variables in device memory that transfers move, where the NEFF names them.
    pub variables: FxHashMap<WordKey, StrId>,
    /// Whether the words of this architecture are verified.
    pub is_verified: bool,
}

impl Programs {
    /// Reads the images of every core.
    pub fn read(member: &Member, info: &Info, ledger: &mut Ledger) -> Result<Self, ImportError> {
        let mut cores = FxHashMap::default();
        for subgraph in &info.subgraphs {
            let mut programs: Vec<(u64, Rc<Program>)> = Vec::new();
            for image in &subgraph.images {
                if cores.contains_key(&subgraph.nc) || programs.iter().any(|p| p.0 == image.engine) {
                    let reason = "A second image of an engine is skipped.";
                    ledger.skip(Severity::Warning, "second_image", reason, image.span.offset, String::new);
                    continue;
                }
                let words = words(member, image)?;
                let n_cut = words.len() as u64 % WORD;
                if n_cut > 0 {
                    let reason = "An image of instructions ends within a word of 64 bytes: its last word is skipped.";
                    ledger.skip(Severity::Warning, "partial_word", reason, image.span.offset + words.len() as u64 - n_cut, String::new);
                }
                programs.push((image.engine, Rc::new(Program::new(words, image.engine, &subgraph.patches))));
            }
            cores.entry(subgraph.nc).or_insert_with(|| CorePrograms::new(subgraph, programs));
        }
        let is_verified = info.architecture == isa::VERIFIED_ARCHITECTURE;
        Ok(Programs { cores, is_verified, ..Programs::default() })
    }

    /// The program of an engine.
    pub fn program(&self, nc: u64, engine: u64) -> Option<&Program> {
        self.cores.get(&nc)?.program(engine).map(|p| &**p)
    }

    /// Who raises each semaphore of a core: (semaphore, owner), where words of this architecture are verified.
    pub fn owners(&self, nc: u64) -> impl Iterator<Item = (usize, &str)> {
        self.cores.get(&nc).filter(|_| self.is_verified).into_iter().flat_map(|core| core.owners().iter())
    }

    /// The programs of a core.
    pub fn core(&self, nc: u64) -> Option<&CorePrograms> {
        self.cores.get(&nc)
    }

    /// The first byte of a word.
    pub fn opcode(&self, (nc, engine, pc): WordKey) -> Option<u8> {
        Some(self.program(nc, engine)?.word(pc)?[0])
    }

    /// Decodes a word; `None` where there is none, or where words of this architecture are not verified.
    pub fn decode(&self, key: WordKey) -> Option<Result<Decoded, NotDecoded>> {
        let known = self.memories.get(&key).copied().unwrap_or_default();
        let memory = |end| match end {
            End::Source => known[0],
            End::Destination => known[1],
        };
        self.cores.get(&key.0).filter(|_| self.is_verified)?.decode(key.1, key.2, &self.functions, &memory)
    }
}

/// The bytes of an image.
pub(super) fn words(member: &Member, image: &Image) -> Result<Vec<u8>, ImportError> {
    if !image.inline.is_empty() {
        return Ok(image.inline.clone());
    }
    let mut out = Vec::new();
    let end = image.span.offset.saturating_add(image.span.n_bytes);
    let mut at = image.span.offset;
    while at < end {
        let block = member.read_up_to(at, CHUNK.min(end - at))?;
        if block.is_empty() {
            break;
        }
        at += block.len() as u64;
        out.extend_from_slice(&block);
    }
    Ok(out)
}
