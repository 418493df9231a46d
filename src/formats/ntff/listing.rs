//! The programs of the engines, word by word: what the loader put into memory, or what the compiler wrote.

use super::isa::{self, Functions, Owners, WORD_BYTES, WordPlace, decode_word};
use super::opcodes::{self, ENGINES};
use super::operand_fields::WordReader;
use super::programs::{self, WORD};
use crate::base::InputSet;
use crate::formats::{ImportError, WordText};
use crate::model::Profile;
use crate::model::program::{EngineProgram, LearnedCode, ProgramWord};

/// Words of one program that are listed.
const MOST_WORDS: usize = 1 << 20;
/// Why nothing is decoded on other hardware.
const OTHER_HARDWARE: &str = "operands not available: instruction words are verified on trn2 only";

/// The loaded image of every engine.
pub(super) fn loaded(input: &InputSet, profile: &Profile) -> Result<Vec<EngineProgram>, ImportError> {
    let reader = WordReader::new(input, profile)?;
    let mut out: Vec<EngineProgram> = Vec::new();
    for subgraph in &reader.info.subgraphs {
        for image in &subgraph.images {
            let engine = ENGINES.get(image.engine as usize).map_or_else(|| format!("engine {}", image.engine), |name| (*name).into());
            // The first image of an engine counts, as on import.
            if out.iter().any(|p| p.nc == Some(subgraph.nc) && p.engine == engine) {
                continue;
            }
            let bytes = programs::words(reader.member(), image)?;
            let words = bytes.chunks_exact(WORD_BYTES).take(MOST_WORDS).zip(0u32..).filter_map(|(bytes, pc)| {
                let word: &[u8; WORD_BYTES] = bytes.try_into().ok()?;
                let place = reader.place((subgraph.nc, image.engine, pc));
                Some(listed(word, pc, place.as_ref(), true))
            });
            let words = within(words.collect());
            out.push(EngineProgram { subgraph: subgraph.name.clone(), nc: Some(subgraph.nc), engine, words });
        }
    }
    Ok(out)
}

/// The program of an engine as the compiler wrote it; `is_verified` says whether it is for hardware whose words are verified.
pub(crate) fn compiled(subgraph: &str, engine: usize, bytes: &[u8], is_verified: bool, functions: &Functions) -> EngineProgram {
    let owners = Owners::default();
    let words = bytes.chunks_exact(WORD_BYTES).take(MOST_WORDS).zip(0u32..).filter_map(|(bytes, pc)| {
        let word: &[u8; WORD_BYTES] = bytes.try_into().ok()?;
        let place = WordPlace { nc: u64::MAX, compiler_pc: Some(pc.into()), owners: &owners, functions };
        // How the compiler stores the target of a branch is not verified: the loader replaces it.
        Some(listed(word, pc, is_verified.then_some(&place), false))
    });
    let engine = ENGINES.get(engine).map_or_else(|| format!("engine {engine}"), |name| (*name).into());
    EngineProgram { subgraph: subgraph.into(), nc: None, engine, words: words.collect() }
}

fn hex_digits(word: &[u8; WORD_BYTES]) -> String {
    word.iter().map(|b| format!("{b:02x}")).collect()
}

fn listed(word: &[u8; WORD_BYTES], pc: u32, place: Option<&WordPlace<'_>>, has_targets: bool) -> ProgramWord {
    let opcode = opcodes::shown(word[0]);
    let mut out = ProgramWord { pc, opcode, ..ProgramWord::default() };
    let Some(place) = place else {
        out.refused = OTHER_HARDWARE.into();
        return out;
    };
    out.is_runtime = place.compiler_pc.is_none();
    match decode_word(word, place, &|_| None) {
        Ok(decoded) => {
            out.operands = decoded.text.trim().into();
            if !decoded.is_named {
                out.bytes = hex_digits(word);
            }
            out.target = decoded.instruction.branch_offset().filter(|_| has_targets).and_then(|offset| target(pc, offset));
        }
        Err(not) => {
            (out.operands, out.refused) = (not.sync.trim().into(), not.refused.to_string());
            out.bytes = hex_digits(word);
        }
    }
    out
}

/// The codes of operands that words of this trace give with the profiler's texts of them.
pub(super) fn learned_codes(input: &InputSet, profile: &Profile, pairs: &[WordText]) -> Result<Vec<LearnedCode>, ImportError> {
    let reader = WordReader::new(input, profile)?;
    let of_pair = |pair: &'_ WordText| {
        let subgraph = reader.info.subgraphs.iter().find(|s| {
            let row = format!("NC {}", s.nc);
            pair.core == row || pair.core == format!("{row} {}", s.name)
        })?;
        let key = (subgraph.nc, ENGINES.iter().position(|e| *e == pair.engine)? as u64, pair.pc);
        Some((reader.word(key)?, key))
    };
    let found: Vec<_> = pairs.iter().filter_map(|pair| Some((of_pair(pair)?, pair.operands.as_str()))).collect();
    Ok(isa::learned_codes(found.iter().filter_map(|((word, key), text)| Some((*word, reader.place(*key)?, *text)))))
}

/// The word that lies `offset` bytes after the one at `pc`.
fn target(pc: u32, offset: i32) -> Option<u32> {
    let word = i64::from(offset).checked_div(WORD as i64).filter(|_| i64::from(offset) % WORD as i64 == 0)?;
    u32::try_from(i64::from(pc) + word).ok()
}

/// Drops targets beyond the program.
fn within(mut words: Vec<ProgramWord>) -> Vec<ProgramWord> {
    let n = words.len() as u32;
    words.iter_mut().for_each(|word| word.target = word.target.filter(|to| *to < n));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_lead_to_whole_words_of_the_program() {
        assert_eq!(target(10, -128), Some(8));
        assert_eq!(target(10, 64), Some(11));
        assert_eq!(target(1, -128), None);
        assert_eq!(target(1, 63), None);
        assert_eq!(target(u32::MAX, i32::MAX), None);
        let word = |pc, target| ProgramWord { pc, target, ..ProgramWord::default() };
        let kept: Vec<Option<u32>> = within(vec![word(0, Some(1)), word(1, Some(2))]).into_iter().map(|w| w.target).collect();
        assert_eq!(kept, [Some(1), None]);
    }

    #[test]
    fn hardware_that_is_not_verified_has_opcodes_only() {
        let program = compiled("sg00", 3, &[0x46; 130], false, &Functions::default());
        assert_eq!((program.engine.as_str(), program.words.len()), ("Vector", 2));
        assert!(program.words.iter().all(|w| w.opcode == "COPY" && w.operands.is_empty() && w.refused == OTHER_HARDWARE));
    }
}
