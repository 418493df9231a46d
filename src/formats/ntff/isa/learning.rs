//! Learns names of operands' codes from neuron-profile's output of a run.
//!
//! A word that is refused for such a code is decoded with a placeholder for each name, and its text is compared with the profiler's. If all the rest is
//! equal, the profiler's text at the placeholders has the names. Only fields whose codes are names are learned, and only if all words agree and no two
//! codes share a name.

use super::codes;
use super::decode::decode_by;
use super::learned::{MARK, stored};
use super::program::{WordPlace, word_names};
use super::text::{Names, text};
use super::word::WORD_BYTES;
use crate::model::program::{LearnedCode, is_code_name};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// In the place of names, by the order in which they are met: a character that no text has, and a letter.
const PLACEHOLDERS: [&str; 8] = ["\u{1}a", "\u{1}b", "\u{1}c", "\u{1}d", "\u{1}e", "\u{1}f", "\u{1}g", "\u{1}h"];

/// Names with a placeholder for an activation function that has none.
struct Unnamed<'a>(&'a dyn Names, &'static str);

impl Names for Unnamed<'_> {
    fn is_runtime(&self) -> bool {
        self.0.is_runtime()
    }

    fn owner(&self, semaphore: u8) -> &str {
        self.0.owner(semaphore)
    }

    fn function(&self, id: u8) -> Option<&str> {
        self.0.function(id).or(Some(self.1))
    }
}

/// The names of codes that one word gives with the profiler's text of its operands.
fn of_pair(word: &[u8; WORD_BYTES], place: &WordPlace<'_>, written: &str) -> Vec<LearnedCode> {
    let met: RefCell<Vec<(&'static str, u8)>> = RefCell::default();
    let placeholder = |field: &'static str, code: u8| {
        let mut met = met.borrow_mut();
        let at = met.iter().position(|m| *m == (field, code)).unwrap_or_else(|| {
            met.push((field, code));
            met.len() - 1
        });
        PLACEHOLDERS.get(at).copied().filter(|_| codes::LEARNABLE.contains(&field))
    };
    let Ok(instruction) = decode_by(word, &placeholder) else { return Vec::new() };
    let names = word_names(place);
    let function = instruction.function().filter(|id| names.function(*id).is_none());
    let of_function = function.and_then(|id| placeholder(codes::FUNCTION, id)).unwrap_or_default();
    let template = text(&instruction, &Unnamed(&names, of_function));
    let Some(found) = captures(&template, written) else { return Vec::new() };
    let met = met.into_inner();
    let code = |(placeholder, name): (&str, &str)| {
        let (field, code) = *met.get(PLACEHOLDERS.iter().position(|p| *p == placeholder)?)?;
        Some(LearnedCode { field: field.into(), code, name: name.into() })
    };
    found.into_iter().filter_map(code).collect()
}

/// The texts of `written` at the placeholders of `template`: (placeholder, name). `None` if anything but these and white space differs.
fn captures<'a>(template: &'a str, written: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut out: Vec<(&str, &str)> = Vec::new();
    let (mut ours, mut theirs) = (template.split_whitespace(), written.split_whitespace());
    loop {
        let (mut a, mut b) = match (ours.next(), theirs.next()) {
            (None, None) => return Some(out),
            (a, b) => (a?, b?),
        };
        while let Some(at) = a.find(MARK) {
            b = b.strip_prefix(&a[..at])?;
            let (placeholder, rest) = a[at..].split_at_checked(2)?;
            let n = b.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(b.len());
            let name = &b[..n];
            // A name that runs into what follows it could end anywhere.
            let is_apart = rest.chars().next().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
            let is_same = out.iter().all(|known| known.0 != placeholder || known.1 == name);
            if !is_code_name(name) || !is_apart || !is_same {
                return None;
            }
            out.push((placeholder, name));
            (a, b) = (rest, &b[n..]);
        }
        if a != b {
            return None;
        }
    }
}

/// The names of codes that words give with the profiler's texts of their operands; none of a code that has two, or whose name another code has.
pub(crate) fn codes<'a>(pairs: impl Iterator<Item = ([u8; WORD_BYTES], WordPlace<'a>, &'a str)>) -> Vec<LearnedCode> {
    let mut names: BTreeMap<(String, u8), Option<String>> = BTreeMap::new();
    for (word, place, written) in pairs {
        for found in of_pair(&word, &place, written) {
            let known = names.entry((found.field, found.code)).or_insert_with(|| Some(found.name.clone()));
            if known.as_ref() != Some(&found.name) {
                *known = None;
            }
        }
    }
    let all: Vec<LearnedCode> =
        names.into_iter().filter_map(|((field, code), name)| Some(LearnedCode { field, code, name: name? })).collect();
    let is_alone = |code: &LearnedCode| {
        let is_taken = |other: &&LearnedCode| (&other.field, &other.name) == (&code.field, &code.name);
        all.iter().filter(is_taken).count() == 1 && !codes::is_verified_name(&code.field, &code.name)
    };
    // A type of unknown size would leave every count of bytes unknown.
    let has_size = |code: &LearnedCode| code.field != codes::DTYPE || stored(&code.name).and_then(codes::named_dtype).is_some();
    all.iter().filter(|code| is_alone(code) && has_size(code)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::super::learned::{learn, name};
    use super::super::program::{Functions, Owners, learned_texts};
    use super::*;

    fn word(opcode: u8, fields: &[(usize, &[u8])]) -> [u8; WORD_BYTES] {
        let mut out = [0; WORD_BYTES];
        (out[0], out[1]) = (opcode, 0x10);
        fields.iter().for_each(|(at, bytes)| out[*at..*at + bytes.len()].copy_from_slice(bytes));
        out
    }

    fn learned(pairs: &[([u8; WORD_BYTES], &str)]) -> Vec<(String, u8, String)> {
        let (owners, functions) = (Owners::named([(5, "Tensor".to_string())].into_iter()), Functions::default());
        let place = WordPlace { nc: 4, compiler_pc: Some(9), owners: &owners, functions: &functions };
        let found = codes(pairs.iter().map(|(word, text)| (*word, place, *text)));
        found.into_iter().map(|c| (c.field, c.code, c.name)).collect()
    }

    fn reduce(arithmetic: u8, dtype: u8) -> [u8; WORD_BYTES] {
        word(0x42, &[(0x04, &[5, 5, 0, 0, 3]), (0x20, &[dtype, 10, 128, 0, arithmetic, 2])])
    }

    const REST: &str = "@0x0[0,0,0,0][0,0,0,0] dst=fp32@0x0[0,0,0,0][0,0,0,0] channels=128";

    #[test]
    fn names_stand_where_all_the_rest_is_equal() {
        let text = format!(" S[5] (Tensor)>=3 op=MIN dim=X src=fp8_e4m3{REST} ");
        let both = [("arithmetic".to_string(), 9, "MIN".to_string()), ("data type".to_string(), 11, "fp8_e4m3".to_string())];
        assert_eq!(learned(&[(reduce(9, 11), &text)]), both);
        let other = text.replace(">=3", ">=4");
        assert_eq!(learned(&[(reduce(9, 11), &other)]), [], "the semaphore differs");
        assert_eq!(learned(&[(reduce(4, 11), &text.replace("MIN", "MAX"))]), [], "a verified code has another name");
        let again = text.replace("MIN", "MAXIMUM");
        assert_eq!(learned(&[(reduce(9, 11), &text), (reduce(9, 11), &again)]), both[1..], "two names");
        assert_eq!(learned(&[(reduce(9, 11), &text), (reduce(12, 11), &text)]), both[1..], "two codes of one name");
        assert_eq!(learned(&[(reduce(9, 11), &text.replace("MIN", "ADD"))]), both[1..], "the name of a verified code");
        assert_eq!(learned(&[(reduce(9, 11), &text.replace("fp8_e4m3", "odd7"))]), both[..1], "a type of unknown size");
        assert_eq!(learned(&[(reduce(9, 11), "")]), []);
        assert_eq!(learned(&[(word(0x41, &[]), &text)]), [], "an opcode without a layout");
    }

    #[test]
    fn activation_functions_are_learned() {
        let activate = word(0x21, &[(0x20, &[0xAA, 10, 128, 33])]);
        let text = "GELU bias_ptr=fp32@0x0 src=fp32@0x0[0,0,0][0,0,0] dst=fp32@0x0[0,0,0][0,0,0] channels=128 scale=0.000000 imm=0.000000 accumulator_cmd=IDLE";
        assert_eq!(learned(&[(activate, text)]), [("activation function".to_string(), 33, "GELU".to_string())]);
    }

    #[test]
    fn what_is_learned_decodes_and_is_marked() {
        let code = |field: &str, code, name: &str| LearnedCode { field: field.into(), code, name: name.into() };
        let word = reduce(9, 11);
        assert!(decode_by(&word, &name).is_err());
        learn(&[code("arithmetic", 9, "MIN"), code("data type", 11, "fp8_e4m3"), code("wait mode", 4, "X"), code("arithmetic", 10, "<b>")]);
        let (owners, functions) = (Owners::default(), Functions::default());
        let place = WordPlace { nc: 4, compiler_pc: None, owners: &owners, functions: &functions };
        let found = decode_by(&word, &name).map(|i| learned_texts(&i, &place));
        let refused = decode_by(&reduce(10, 11), &name).is_err();
        learn(&[]);
        assert_eq!(found, Ok(vec!["arithmetic 0x09 is MIN".to_string(), "data type 0x0b is fp8_e4m3".to_string()]));
        assert!(refused && decode_by(&word, &name).is_err(), "forgotten");
    }
}
