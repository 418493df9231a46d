//! Codes of fields that neuron-profile's text verifies. A code that is not listed is refused, never guessed.

use std::fmt;

/// Type of the elements of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub name: &'static str,
    pub n_bytes: u64,
}

/// (code, type). 7 is verified by the float16 tensors of a NEFF, the others by text.
const DTYPES: [(u8, Dtype); 5] = [
    (6, Dtype { name: "bfloat16", n_bytes: 2 }),
    (7, Dtype { name: "fp16", n_bytes: 2 }),
    (8, Dtype { name: "int32", n_bytes: 4 }),
    (9, Dtype { name: "uint32", n_bytes: 4 }),
    (10, Dtype { name: "fp32", n_bytes: 4 }),
];

/// The type of that code.
pub(super) fn dtype(code: u8) -> Option<Dtype> {
    DTYPES.iter().find(|d| d.0 == code).map(|d| d.1)
}

/// (code, name) of a field.
pub(super) type Codes = &'static [(u8, &'static str)];

pub(super) const ALU: Codes = &[(0, "BYPASS"), (4, "ADD"), (6, "MULTIPLY"), (8, "MAX")];
/// fp32 products take several passes.
pub(super) const FP32_MODE: Codes = &[(1, "LOW"), (2, "HIGH"), (3, "LOW_HIGH")];
pub(super) const TRANSPOSE_MODE: Codes = &[(0, "DISABLED"), (1, "ENABLED")];
pub(super) const REDUCED_DIMENSIONS: Codes = &[(2, "X")];
pub(super) const ACCUMULATOR: Codes = &[(0, "IDLE")];
pub(super) const IMMEDIATE_SOURCE: Codes = &[(1, "PTR,INSTRUCTION")];
pub(super) const ORDERING: Codes = &[(0, "relaxed"), (1, "strict")];
pub(super) const RANGE_CLEAR: Codes = &[(1, "SEMAPHORE_ZERO")];
pub(super) const COMPUTE: Codes = &[(0, "NONE")];

/// The name of a code.
pub(super) fn name(codes: Codes, code: u8) -> Option<&'static str> {
    codes.iter().find(|c| c.0 == code).map(|c| c.1)
}

/// Why the operands of a word are not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Refused {
    /// First byte of the word.
    pub opcode: u8,
    /// The field with the code; empty where the opcode itself is unknown.
    pub field: &'static str,
    /// The code that is not verified.
    pub code: u64,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            "" => write!(f, "operands not available: code {:#04x} not verified", self.opcode),
            field => write!(f, "operands not available: {field} {:#04x} of code {:#04x} not verified", self.code, self.opcode),
        }
    }
}
