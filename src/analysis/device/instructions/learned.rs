//! Undecoded instruction words in the profiler's output of a run: names of their opcodes, and their operands as text.

use crate::analysis::device::activity::engines::engines;
use crate::analysis::device::instructions::program::costs;
use crate::model::program::EngineProgram;
pub use crate::model::program::{LearnedCode, LearnedNames, is_code_name, is_opcode_name};
use crate::model::{Domain, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Words of one answer.
const MOST_WORDS: usize = 2_000;

/// Why a decoded word is listed.
const UNNAMED_FUNCTION: &str = "the name of its activation function is not available without the NEFF";

/// The words of this trace that ran and are not decoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownWordsQuery;

/// Words of this profiler output with their text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnQuery {
    /// The answer of a trace of the same run.
    pub words: Vec<UnknownWord>,
}

/// The codes of operands that the profiler's texts give for words of this trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedCodesQuery {
    /// Words of this trace with their text in the profiler's output.
    pub words: Vec<LearnedWord>,
}

/// A word that is not decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnknownWord {
    /// The core's row: `NC 4`.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Program counter.
    pub pc: u32,
    /// Its 64 bytes, as hexadecimal digits.
    pub word: String,
    /// Its opcode as we show it: by name, or `opcode 0x41`.
    pub opcode: String,
    /// Why it is not decoded.
    pub refused: String,
}

/// The same with what the profiler writes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedWord {
    /// The word.
    pub word: UnknownWord,
    /// Its opcode's name.
    pub opcode: String,
    /// Its operands.
    pub operands: String,
}

/// The words of a trace that ran and are not decoded, each once.
pub fn unknown(profile: &Profile, programs: &[EngineProgram]) -> Vec<UnknownWord> {
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    let ran = engines(profile);
    let mut out: Vec<UnknownWord> = Vec::new();
    for program in programs {
        let Some(nc) = program.nc else { continue };
        let names = [format!("NC {nc}"), format!("NC {nc} {}", program.subgraph), program.subgraph.clone()];
        let Some(engine) = ran.iter().find(|e| e.name == program.engine && names.contains(&e.core)) else { continue };
        let costs = costs(device, engine);
        for word in program.words.iter().filter(|w| !w.bytes.is_empty() && costs.contains_key(&w.pc)) {
            if out.len() == MOST_WORDS {
                return out;
            }
            // The same bytes have the same text everywhere, except for names of semaphores.
            if out.iter().all(|w| w.word != word.bytes) {
                out.push(UnknownWord {
                    core: engine.core.clone(),
                    engine: program.engine.clone(),
                    pc: word.pc,
                    word: word.bytes.clone(),
                    opcode: word.opcode.clone(),
                    refused: if word.refused.is_empty() { UNNAMED_FUNCTION.into() } else { word.refused.clone() },
                });
            }
        }
    }
    out
}

/// What the executed words of the profiler's output say of these.
pub fn learn(words: &[UnknownWord], executed: &[EngineProgram]) -> Vec<LearnedWord> {
    let learned = |word: &UnknownWord| {
        let program = executed.iter().find(|p| p.subgraph == word.core && p.engine == word.engine)?;
        let found = &program.words[program.words.binary_search_by_key(&word.pc, |w| w.pc).ok()?];
        let operands = found.operands.trim().to_string();
        (!found.opcode.is_empty()).then(|| LearnedWord { word: word.clone(), opcode: found.opcode.clone(), operands })
    };
    words.iter().take(MOST_WORDS).filter_map(learned).collect()
}

/// Names of opcodes that have none here, by their number; none where the profiler's output has two names for one.
pub fn names(words: &[LearnedWord]) -> BTreeMap<u8, String> {
    let mut out: BTreeMap<u8, Option<String>> = BTreeMap::new();
    for word in words {
        let code = word.word.opcode.strip_prefix("opcode 0x").and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let Some(code) = code.filter(|_| is_opcode_name(&word.opcode)) else { continue };
        let known = out.entry(code).or_insert_with(|| Some(word.opcode.clone()));
        if known.as_ref() != Some(&word.opcode) {
            *known = None;
        }
    }
    out.into_iter().filter_map(|(code, name)| Some((code, name?))).collect()
}

/// The words with their texts as JSON, and the codes that follow from them, for a report of a code that is not decoded: no data, no names of tensors
/// or files.
pub fn sample(words: &[LearnedWord], codes: &[LearnedCode]) -> String {
    let one = |w: &LearnedWord| {
        serde_json::json!({
            "word": w.word.word, "engine": w.word.engine, "pc": w.word.pc, "refused": w.word.refused, "opcode": w.opcode, "operands": w.operands,
        })
    };
    let words: Vec<_> = words.iter().map(one).collect();
    let value = serde_json::json!({ "format": "axonscope-instruction-words", "version": 1, "words": words, "codes": codes });
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::program::ProgramWord;

    fn word(pc: u32, opcode: &str, bytes: &str) -> UnknownWord {
        UnknownWord { core: "NC 4".into(), engine: "Vector".into(), pc, word: bytes.into(), opcode: opcode.into(), refused: "code".into() }
    }

    fn executed(words: &[(u32, &str, &str)]) -> Vec<EngineProgram> {
        let of = |(pc, opcode, operands): &(u32, &str, &str)| ProgramWord {
            pc: *pc,
            opcode: opcode.to_string(),
            operands: operands.to_string(),
            ..ProgramWord::default()
        };
        vec![EngineProgram { subgraph: "NC 4".into(), nc: None, engine: "Vector".into(), words: words.iter().map(of).collect() }]
    }

    #[test]
    fn names_and_texts_come_from_the_profiler() {
        let words = [word(3, "opcode 0x41", "41"), word(5, "COPY", "46"), word(9, "opcode 0xab", "ab")];
        let found = learn(&words, &executed(&[(3, "TENSOR_TENSOR", " op=ADD "), (5, "COPY", "src=fp8")]));
        let texts: Vec<(u32, &str, &str)> = found.iter().map(|w| (w.word.pc, w.opcode.as_str(), w.operands.as_str())).collect();
        assert_eq!(texts, [(3, "TENSOR_TENSOR", "op=ADD"), (5, "COPY", "src=fp8")]);
        assert_eq!(names(&found), BTreeMap::from([(0x41, "TENSOR_TENSOR".to_string())]), "COPY is known");
        let sample: serde_json::Value = serde_json::from_str(&sample(&found, &[])).expect("JSON");
        assert_eq!((&sample["words"][0]["opcode"], sample["words"].as_array().map(Vec::len)), (&"TENSOR_TENSOR".into(), Some(2)));
    }

    #[test]
    fn two_names_for_one_code_and_odd_names_are_not_learned() {
        let words = [word(1, "opcode 0x41", "a"), word(2, "opcode 0x41", "b"), word(3, "opcode 0x42x", "c"), word(4, "opcode 0x43", "d")];
        let found = learn(&words, &executed(&[(1, "A1", ""), (2, "B1", ""), (3, "C1", ""), (4, "<b>", "")]));
        assert!(names(&found).is_empty(), "{:?}", names(&found));
        assert!(learn(&words, &[]).is_empty() && !is_opcode_name("x") && !is_opcode_name("") && is_opcode_name("ACT_TABLE_LOAD"));
    }
}
