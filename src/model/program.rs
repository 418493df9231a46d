//! Programs of the engines: the words of an image, decoded where known.

use serde::{Deserialize, Serialize};

/// One instruction word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramWord {
    /// Program counter in the loaded image, or in the compiler's program where nothing is loaded.
    pub pc: u32,
    /// Its opcode by name, or by number: `opcode 0x41`.
    pub opcode: String,
    /// Operands as neuron-profile prints them; empty where there are none, or where they are not known.
    pub operands: String,
    /// Why the operands are not known; empty where they are.
    pub refused: String,
    /// The word as hexadecimal digits, where its operands, or the name of its activation function, are not known though words of the hardware are decoded.
    pub bytes: String,
    /// Where it branches to; `None` for no branch, or for one out of the program.
    pub target: Option<u32>,
    /// Whether the runtime put it before or after the compiler's program.
    pub is_runtime: bool,
    /// The compiler's instruction (BIR); empty where not known.
    pub bir: String,
    /// Layer; empty where not known.
    pub layer: String,
    /// `file:line`; empty where not known.
    pub source: String,
}

/// The program of one engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineProgram {
    /// The part of the model that a physical core runs: `sg00`.
    pub subgraph: String,
    /// Physical core; `None` where nothing is loaded.
    pub nc: Option<u64>,
    /// `Vector`.
    pub engine: String,
    /// Ordered by program counter.
    pub words: Vec<ProgramWord>,
}

/// What a code of an operand means, as the profiler's output of another run writes it: not verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LearnedCode {
    /// What the code is of: `data type`, `arithmetic`, `activation function`.
    pub field: String,
    /// The code.
    pub code: u8,
    /// Its name: `fp8_e4m3`, `SUBTRACT`, `GELU`.
    pub name: String,
}

/// Names that a browser learned from the profiler's output of runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedNames {
    /// Names of opcodes by their number.
    pub opcodes: Vec<(u8, String)>,
    /// Names of codes of operands.
    pub codes: Vec<LearnedCode>,
}

impl LearnedNames {
    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.opcodes.is_empty() && self.codes.is_empty()
    }
}

/// Whether a text can be the name of an operand's code.
pub fn is_code_name(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a text can be the name of an opcode: capital letters, digits and underscores.
pub fn is_opcode_name(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (2..=64).contains(&text.len()) && text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_of_name)
}
