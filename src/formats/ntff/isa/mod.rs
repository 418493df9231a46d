//! Instruction words of trn2: operands, counters and text, from the 64 bytes alone.
//!
//! AWS publishes no description of the encoding. The tables come from joining the words of public traces with what neuron-profile prints of them
//! (docs/formats/ntff.md); whatever they do not hold is refused.

mod codes;
mod counters;
mod decode;
mod instruction;
mod layout;
mod learned;
mod learning;
mod program;
mod sync;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;
mod word;

pub(super) use codes::Refused;
pub(super) use counters::{Counters, Memory};
pub(super) use instruction::{Access, Instruction, Operand, TransferEnd, TransferPlace, Value};
pub(super) use layout::End;
pub(super) use learned::learn as learn_codes;
pub(super) use learning::codes as learned_codes;
pub(super) use program::{CorePrograms, Decoded, Functions, NotDecoded, Owners, Program, WordPlace, compiler_pc, decode_word};
pub(super) use word::WORD_BYTES;

/// The architecture whose words are verified, as the trace numbers it: trn2.
pub(super) const VERIFIED_ARCHITECTURE: u64 = 2;
