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

/// A type by the name that the profiler writes; `None` where its size is not known.
pub(super) fn named_dtype(name: &'static str) -> Option<Dtype> {
    let n_bytes = match name {
        "fp32" | "fp32r" | "int32" | "uint32" => 4,
        "bfloat16" | "fp16" | "int16" | "uint16" => 2,
        "int8" | "uint8" => 1,
        _ if name.starts_with("fp8") => 1,
        _ => return None,
    };
    Some(Dtype { name, n_bytes })
}

/// What a code is of, and (code, name) of those that are verified.
#[derive(Debug, Clone, Copy)]
pub(super) struct Codes {
    pub field: &'static str,
    known: &'static [(u8, &'static str)],
}

const fn codes(field: &'static str, known: &'static [(u8, &'static str)]) -> Codes {
    Codes { field, known }
}

pub(super) const ALU: Codes = codes("arithmetic", &[(0, "BYPASS"), (4, "ADD"), (6, "MULTIPLY"), (8, "MAX")]);
/// fp32 products take several passes.
pub(super) const FP32_MODE: Codes = codes("fp32 mode", &[(1, "LOW"), (2, "HIGH"), (3, "LOW_HIGH")]);
pub(super) const TRANSPOSE_MODE: Codes = codes("transpose mode", &[(0, "DISABLED"), (1, "ENABLED")]);
pub(super) const ACCUMULATION: Codes = codes("accumulation flags", &[(0, "0"), (1, "1"), (2, "2"), (3, "3")]);
pub(super) const REDUCED_DIMENSIONS: Codes = codes("reduced dimensions", &[(2, "X")]);
pub(super) const ACCUMULATOR: Codes = codes("accumulator command", &[(0, "IDLE")]);
pub(super) const SETTER: Codes = codes("setter", &[(0, "0")]);
pub(super) const IMMEDIATE_SOURCE: Codes = codes("immediate source", &[(1, "PTR,INSTRUCTION")]);
pub(super) const ORDERING: Codes = codes("ordering mode", &[(0, "relaxed"), (1, "strict")]);
pub(super) const RANGE_CLEAR: Codes = codes("mode of clearing", &[(1, "SEMAPHORE_ZERO")]);
pub(super) const COMPUTE: Codes = codes("arithmetic of the transfer", &[(0, "NONE")]);

/// What the codes of types and of activation functions are called.
pub(super) const DTYPE: &str = "data type";
pub(super) const FUNCTION: &str = "activation function";

/// Fields whose codes can be learned from text: of the others the text depends on more than a name.
pub(super) const LEARNABLE: [&str; 7] =
    [DTYPE, FUNCTION, ALU.field, FP32_MODE.field, REDUCED_DIMENSIONS.field, ACCUMULATOR.field, ORDERING.field];

impl Codes {
    /// The name of a code.
    pub fn name(&self, code: u8) -> Option<&'static str> {
        self.known.iter().find(|c| c.0 == code).map(|c| c.1)
    }

    /// Whether a name is that of a verified code.
    fn has(&self, name: &str) -> bool {
        self.known.iter().any(|c| c.1 == name)
    }
}

/// Whether a learned name equals the name of a verified code.
pub(super) fn is_verified_name(field: &str, name: &str) -> bool {
    let tables = [ALU, FP32_MODE, REDUCED_DIMENSIONS, ACCUMULATOR, ORDERING];
    match field {
        DTYPE => DTYPES.iter().any(|d| d.1.name == name),
        _ => tables.iter().any(|table| table.field == field && table.has(name)),
    }
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
