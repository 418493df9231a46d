//! What is on the timeline of a Neuron device.

use crate::base::{StrId, TrackId};
use crate::model::builder::SharedRow;
use crate::model::domain::HbmTraffic;
use crate::model::{RecordRef, TrackKind};

/// String columns of a Neuron slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attr {
    Engine,
    Opcode,
    InstructionType,
    Layer,
    Hlo,
    Operator,
    Source,
    Function,
    Bir,
    Queue,
    Variable,
    QueueType,
    Tensorizer,
}

pub(super) const ATTRS: [(Attr, &str, &str); 13] = [
    (Attr::Engine, "engine", "Engine"),
    (Attr::Opcode, "opcode", "Opcode"),
    (Attr::InstructionType, "instruction_type", "Instruction type"),
    (Attr::Layer, "layer", "Layer"),
    (Attr::Hlo, "hlo", "HLO"),
    (Attr::Operator, "operator", "Operator"),
    (Attr::Source, "source", "Source"),
    (Attr::Function, "function", "Function"),
    (Attr::Bir, "bir", "Compiler instruction (BIR)"),
    (Attr::Queue, "queue", "DMA queue"),
    (Attr::Variable, "variable", "Variable"),
    (Attr::QueueType, "queue_type", "Queue type"),
    (Attr::Tensorizer, "tensorizer", "Tensorizer instruction"),
];

/// Operands of an instruction, if recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Work {
    /// Multiplications and additions of a matrix product: half its FLOPs.
    pub elements: Option<u32>,
    /// Bytes read from and written to the State Buffer.
    pub sbuf_bytes: Option<u32>,
    /// Bytes read from HBM.
    pub hbm_read: Option<u64>,
    /// Bytes written to HBM.
    pub hbm_written: Option<u64>,
    /// Part of both that was only saved and loaded again for lack of space.
    pub spilled: Option<u64>,
}

impl Work {
    /// The sum of two numbers that may be missing.
    pub fn sum<T: std::ops::Add<Output = T>>(a: Option<T>, b: Option<T>) -> Option<T> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }
    }
}

/// An executed instruction as the timeline shows it.
pub(crate) struct Instruction<'a> {
    pub core: usize,
    /// The row: as the engine, but matrix products have their own.
    pub label: &'a str,
    pub engine: StrId,
    pub opcode: StrId,
    pub start: i64,
    pub duration: i64,
    pub pc: Option<u32>,
    pub wait_ns: Option<u32>,
    pub work: Work,
    pub record: RecordRef,
}

/// What all executions of an instruction word have in common: see [`super::Timeline::word`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedWord {
    pub(super) row: SharedRow,
    pub(super) hbm: Option<HbmTraffic>,
    /// Place among the sets of operands.
    pub(super) operands: u32,
    pub(super) variable: Option<StrId>,
}

/// What all packets of a ring have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedRing {
    pub(super) row: SharedRow,
}

/// The own columns of an execution or a packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub duration: i64,
    /// Its first record.
    pub record: RecordRef,
    /// Records from the first to the last one of the core.
    pub end_distance: Option<u32>,
    /// What nanoseconds leave over of start and duration, picoseconds: each below 1000.
    pub rest: (u16, u16),
}

/// A ring: the part of a DMA queue that one engine serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring {
    pub(super) track: TrackId,
    pub(super) engine: StrId,
    pub(super) queue: StrId,
}

/// A DMA transfer as the timeline shows it.
pub(crate) struct Transfer {
    pub ring: Ring,
    /// Empty when the file does not name it.
    pub variable: StrId,
    pub start: i64,
    pub duration: i64,
    pub bytes: Option<u32>,
    /// What feeds the queue, in the file's word; empty when it is not recorded.
    pub queue_type: StrId,
    /// The packet is recorded by another record.
    pub is_duplicate: bool,
    /// A collective operation made it.
    pub is_collective: bool,
    pub record: RecordRef,
}

/// Work or a wait that is neither instruction nor transfer: collectives, barriers.
pub(crate) struct Extra<'a> {
    pub core: usize,
    pub label: &'a str,
    pub kind: TrackKind,
    /// Place among the core's rows.
    pub sort: i64,
    pub name: &'a str,
    pub start: i64,
    pub duration: i64,
    pub record: RecordRef,
}
