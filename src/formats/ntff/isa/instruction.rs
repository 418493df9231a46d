//! A decoded instruction: typed operands in the order of neuron-profile's text.

use super::codes::Dtype;
use super::layout::{Class, End};
use super::sync::Sync;

/// An access pattern: a tensor in the State Buffer or in PSUM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access {
    pub end: End,
    /// Not stored for results of matrix products.
    pub dtype: Option<Dtype>,
    /// In State Buffer and PSUM together: byte within the partition.
    pub address: u32,
    /// In elements, innermost first.
    pub steps: Vec<i16>,
    pub counts: Vec<u16>,
}

/// The first address of PSUM; the State Buffer ends before it.
pub(super) const PSUM: u32 = 0x200_0000;
/// The first address beyond PSUM: 128 partitions in each, of 256 KiB of addresses.
pub(super) const MEMORY_END: u32 = 0x400_0000;

impl Access {
    /// Elements of each partition; `None` beyond 64 bits.
    pub fn elements(&self) -> Option<u64> {
        self.counts.iter().try_fold(1u64, |n, count| n.checked_mul(u64::from(*count)))
    }

    /// Whether the tensor is in PSUM.
    pub fn is_psum(&self) -> bool {
        self.address >= PSUM
    }
}

/// A place at an end of a DMA transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferPlace {
    /// A device address.
    Address(u64),
    /// An entry of the table of the model's tensors, and bytes into it.
    Table { index: u32, offset: u32 },
    /// A variable of the compiler, and bytes into it: only in programs of a NEFF.
    Variable { id: u32, offset: u32 },
}

/// An end of a DMA transfer: a pattern in two dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransferEnd {
    pub place: TransferPlace,
    /// Bytes.
    pub steps: [i32; 2],
    pub counts: [u16; 2],
    pub element_bytes: u16,
}

impl TransferEnd {
    /// Bytes that pass this end.
    pub fn n_bytes(&self) -> u64 {
        u64::from(self.element_bytes) * u64::from(self.counts[0]) * u64::from(self.counts[1])
    }
}

/// What a DMA_DIRECT2D moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The semaphore that each of its DMA engines raises at the end.
    pub semaphore: u8,
    pub increment: u8,
    pub source: TransferEnd,
    pub destination: TransferEnd,
    /// Types, printed where they differ.
    pub dtypes: (Dtype, Dtype),
}

/// A value of a named operand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(u64),
    Hex(u64),
    Float(f32),
    Name(&'static str),
    /// A register that holds the value.
    Register(u8),
    /// Values with commas between them.
    List(Vec<Value>),
    /// Type and address.
    Pointer(Dtype, u64),
    /// Steps and counts in memory: (type, address, steps, counts).
    Pattern(Dtype, u64, [i32; 2], [u8; 2]),
}

/// One operand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Named(&'static str, Value),
    Access(Access),
    /// Rows and columns of the matrix that the tensor engine holds.
    Array(u8, u8),
    /// An activation function by its id.
    Function(u8),
    /// A wait and an update beside those that every word has.
    Sync(Sync),
    Transfer(Transfer),
    /// A word without a key.
    Fixed(&'static str),
    /// Nothing: the text has two spaces.
    Gap,
}

/// A decoded word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instruction {
    pub opcode: u8,
    pub class: Class,
    pub sync: Sync,
    pub operands: Vec<Operand>,
    /// Whether a matrix product only transposes.
    pub is_transpose: bool,
    /// Codes whose names this browser learned, each once: (field, code).
    pub learned: Vec<(&'static str, u8)>,
}

impl Instruction {
    /// The access pattern of that end.
    pub fn access(&self, end: End) -> Option<&Access> {
        self.operands.iter().find_map(|o| if let Operand::Access(access) = o { Some(access).filter(|a| a.end == end) } else { None })
    }

    /// What it transfers.
    pub fn transfer(&self) -> Option<&Transfer> {
        self.operands.iter().find_map(|o| if let Operand::Transfer(transfer) = o { Some(transfer) } else { None })
    }

    /// From this word to the one that it branches to, in bytes; `None` where it does not branch.
    pub fn branch_offset(&self) -> Option<i32> {
        self.operands.iter().find_map(|o| match o {
            Operand::Named("label_id", Value::Number(offset)) => u32::try_from(*offset).ok().map(|offset| offset as i32),
            _ => None,
        })
    }

    /// The id of its activation function.
    pub fn function(&self) -> Option<u8> {
        self.operands.iter().find_map(|o| if let Operand::Function(id) = o { Some(*id) } else { None })
    }

    /// Rows × columns of the matrix that is held.
    pub fn array(&self) -> Option<u64> {
        self.operands.iter().find_map(|o| if let Operand::Array(r, c) = o { Some(u64::from(*r) * u64::from(*c)) } else { None })
    }
}
