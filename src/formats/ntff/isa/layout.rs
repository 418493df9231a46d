//! The table of opcodes: the position of each field in the word, in the order in which neuron-profile prints them.

use super::codes::{self, Codes};

/// What an instruction does, as far as its counters depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Loads the matrix that the tensor engine holds.
    Weights,
    /// A matrix product.
    Product,
    /// Reads one access pattern and writes another.
    Elementwise,
    /// Starts a DMA transfer.
    Transfer,
    /// No counters.
    Control,
}

/// Which end of the data flow an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Source,
    Destination,
}

/// Where the type of an access pattern stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum DtypeAt {
    /// A byte.
    Byte(usize),
    /// The low four bits of a byte.
    Low(usize),
    /// Not stored: the text has none.
    None,
}

/// A field of a word. Offsets are bytes from the start of the word.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// `key=17` of so many bytes.
    Number(&'static str, usize, usize),
    /// `key=1.000000`.
    Float(&'static str, usize),
    /// `key=NAME`.
    Code(&'static str, usize, Codes),
    /// The same, absent for 0.
    OptionalCode(&'static str, usize, Codes),
    /// `key=1`, absent for 0; no other value is verified.
    Flag(&'static str, usize),
    /// Not printed, and has this value in every verified word: (name, offset, value).
    Only(&'static str, usize, u8),
    /// A tensor in State Buffer or PSUM with so many dimensions.
    Access(End, usize, usize, DtypeAt),
    /// `128*128`: rows and columns of the matrix that is held.
    Array(usize, usize),
    /// The activation function.
    Function(usize),
    /// `bias_ptr=fp32@0x10`: (byte with the type in its high four bits, address).
    Bias(usize, usize),
    /// `ops=MULTIPLY,BYPASS imm=0x10,0 imm_src=PTR,INSTRUCTION`.
    ScalarSteps,
    /// A second wait and update.
    SecondSync,
    /// `data=… size=… dst=…`.
    Writes,
    /// `addr=…[…][…] data=$R[…]`.
    Loads,
    /// The condition and target of a branch.
    Branch,
    /// Both ends of a DMA transfer.
    Ends,
    /// A fixed word.
    Fixed(&'static str),
    /// Two spaces in the text.
    Gap,
}

/// An opcode and its fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub opcode: u8,
    pub class: Class,
    pub parts: &'static [Part],
}

use End::{Destination, Source};
use Part::{
    Access, Array, Bias, Branch, Code, Ends, Fixed, Flag, Float, Function, Gap, Loads, Number, Only, OptionalCode, ScalarSteps, SecondSync,
    Writes,
};

/// COPY, CAST and RECIPROCAL.
const MOVE: &[Part] =
    &[Access(Source, 0x0C, 4, DtypeAt::Byte(0x20)), Access(Destination, 0x2C, 4, DtypeAt::Byte(0x21)), Number("channels", 0x22, 1)];

/// Every opcode whose operands are verified.
pub(super) const LAYOUTS: [Layout; 20] = [
    Layout {
        opcode: 0x01,
        class: Class::Weights,
        parts: &[
            OptionalCode("fp32_mode", 0x21, codes::FP32_MODE),
            Code("transpose_mode", 0x22, codes::TRANSPOSE_MODE),
            Access(Source, 0x10, 3, DtypeAt::Byte(0x20)),
            Array(0x26, 0x27),
            Only("row group", 0x2C, 0x0F),
            Only("column group", 0x2D, 0x0F),
        ],
    },
    Layout {
        opcode: 0x02,
        class: Class::Product,
        parts: &[
            Code("acc_flags", 0x2B, codes::ACCUMULATION),
            OptionalCode("fp32_mode", 0x21, codes::FP32_MODE),
            Access(Source, 0x10, 3, DtypeAt::Byte(0x20)),
            Access(Destination, 0x30, 3, DtypeAt::None),
            Array(0x26, 0x27),
            Only("row group", 0x2C, 0x0F),
            Only("column group", 0x2D, 0x0F),
        ],
    },
    Layout {
        opcode: 0x21,
        class: Class::Elementwise,
        parts: &[
            Function(0x23),
            Bias(0x20, 0x28),
            Access(Source, 0x10, 3, DtypeAt::Low(0x20)),
            Access(Destination, 0x30, 3, DtypeAt::Byte(0x21)),
            Number("channels", 0x22, 1),
            Float("scale", 0x24),
            Float("imm", 0x2C),
            Code("accumulator_cmd", 0x0C, codes::ACCUMULATOR),
        ],
    },
    Layout { opcode: 0x23, class: Class::Control, parts: &[Number("table_sel", 0x0C, 4)] },
    Layout {
        opcode: 0x42,
        class: Class::Elementwise,
        parts: &[
            Code("op", 0x24, codes::ALU),
            Code("dim", 0x25, codes::REDUCED_DIMENSIONS),
            Flag("negated", 0x23),
            Access(Source, 0x0C, 4, DtypeAt::Byte(0x20)),
            Access(Destination, 0x2C, 4, DtypeAt::Byte(0x21)),
            Number("channels", 0x22, 1),
        ],
    },
    Layout {
        opcode: 0x43,
        class: Class::Elementwise,
        parts: &[
            ScalarSteps,
            Access(Source, 0x10, 3, DtypeAt::Byte(0x20)),
            Access(Destination, 0x30, 3, DtypeAt::Byte(0x21)),
            Number("channels", 0x22, 1),
        ],
    },
    Layout { opcode: 0x46, class: Class::Elementwise, parts: MOVE },
    Layout { opcode: 0x47, class: Class::Elementwise, parts: MOVE },
    Layout { opcode: 0x48, class: Class::Elementwise, parts: MOVE },
    Layout { opcode: 0xA0, class: Class::Control, parts: &[Code("setter", 0x0C, codes::SETTER), SecondSync] },
    Layout { opcode: 0xA2, class: Class::Control, parts: &[] },
    Layout { opcode: 0xA4, class: Class::Control, parts: &[Number("cycle", 0x0C, 4)] },
    Layout { opcode: 0xA5, class: Class::Control, parts: &[Writes] },
    Layout {
        opcode: 0xA6,
        class: Class::Control,
        parts: &[
            Gap,
            Number("hint", 0x24, 2),
            Only("kind of notification", 0x02, 9),
            Only("kind of trace", 0x27, 1),
            Fixed("notification=EXPLICIT"),
            Gap,
            Fixed("trace=START"),
        ],
    },
    Layout { opcode: 0xA9, class: Class::Control, parts: &[Branch] },
    Layout { opcode: 0xAA, class: Class::Control, parts: &[Loads] },
    Layout {
        opcode: 0xB0,
        class: Class::Control,
        parts: &[Code("mode", 0x0C, codes::RANGE_CLEAR), Number("first", 0x0D, 1), Number("last", 0x0E, 1)],
    },
    Layout { opcode: 0xB1, class: Class::Control, parts: &[Code("ordering_mode", 0x0C, codes::ORDERING)] },
    Layout { opcode: 0xB8, class: Class::Transfer, parts: &[Ends] },
    // Not loaded: the compiler's form of a transfer in the programs of a NEFF.
    Layout { opcode: 0xD4, class: Class::Transfer, parts: &[Fixed("dge_op=DIRECT2D"), Ends] },
];
