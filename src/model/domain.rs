//! What only one kind of profile has.

use super::accesses::{Access, Executions, Moved, Packet};
use super::column::Column;
use super::fleet::FleetRun;
use super::neuron_log::NeuronLog;
use super::perfetto::PerfettoNames;
use super::semaphores::SemaphoreUse;
use super::snapshot::MemorySnapshot;
use super::support::SupportReport;
use super::system::NeuronSystem;
use super::torch::Torch;
use crate::base::TrackId;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The typed part of a profile.
#[derive(Debug, Default)]
#[allow(clippy::large_enum_variant, reason = "there is one for each profile; on 32 bits it is not large")]
pub enum Domain {
    /// A timeline and nothing more.
    #[default]
    Plain,
    /// A PyTorch profiler trace.
    Torch(Box<Torch>),
    /// A Neuron device profile.
    NeuronDevice(NeuronDevice),
    /// A run of the TensorBoard Neuron plugin.
    NeuronLog(Box<NeuronLog>),
    /// A Neuron system profile.
    NeuronSystem(Box<NeuronSystem>),
    /// A Perfetto trace.
    Perfetto(Box<PerfettoNames>),
    /// A memory snapshot of PyTorch's allocator.
    MemorySnapshot(Box<MemorySnapshot>),
    /// Which operators of a model Neuron supports; no timeline.
    SupportReport(Box<SupportReport>),
    /// A run summary: merged parts of many traces; no timeline.
    Fleet(Box<FleetRun>),
}

/// What a profile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ProfileKind {
    /// A timeline and nothing more, or tables alone.
    #[default]
    Plain,
    /// A trace of the PyTorch profiler.
    Torch,
    /// A profile, a program or a summary of a Neuron device.
    NeuronDevice,
    /// A run of the TensorBoard Neuron plugin.
    NeuronLog,
    /// A Neuron system profile.
    NeuronSystem,
    /// A Perfetto trace.
    Perfetto,
    /// A memory snapshot of PyTorch's allocator.
    MemorySnapshot,
    /// An `analyze` report.
    SupportReport,
    /// A run summary.
    Fleet,
}

impl Domain {
    /// What the profile is.
    pub fn kind(&self) -> ProfileKind {
        match self {
            Domain::Plain => ProfileKind::Plain,
            Domain::Torch(_) => ProfileKind::Torch,
            Domain::NeuronDevice(_) => ProfileKind::NeuronDevice,
            Domain::NeuronLog(_) => ProfileKind::NeuronLog,
            Domain::NeuronSystem(_) => ProfileKind::NeuronSystem,
            Domain::Perfetto(_) => ProfileKind::Perfetto,
            Domain::MemorySnapshot(_) => ProfileKind::MemorySnapshot,
            Domain::SupportReport(_) => ProfileKind::SupportReport,
            Domain::Fleet(_) => ProfileKind::Fleet,
        }
    }
}

/// Neuron's device tables: rows that analyses read. Everything else is in generic tables.
#[derive(Debug, Default)]
pub struct NeuronDevice {
    /// Hardware generation: `trn2`.
    pub instance_type: String,
    /// Physical NeuronCores in the profile.
    pub n_cores: u32,
    /// Execution window, nanoseconds.
    pub window_ns: i64,
    /// Program counter of each slice that is an instruction; [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub pc: Column<u32>,
    /// Bytes of each slice that is a DMA transfer; [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub bytes: Column<u32>,
    /// Nanoseconds each instruction waited for its semaphore; [`NeuronDevice::ABSENT`] if not recorded. As long as the slice table.
    pub wait_ns: Column<u32>,
    /// Multiplications and additions of each matrix product, half its FLOPs (`Σ 2 × elements` is the summary's `hardware_flops`);
    /// [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table.
    pub elements: Column<u32>,
    /// Bytes that each instruction read from and wrote to the State Buffer; [`NeuronDevice::ABSENT`] if not recorded. As long as the slice table.
    pub sbuf_bytes: Column<u32>,
    /// Instructions that moved bytes from or to HBM, by slice: few do.
    pub hbm: Vec<HbmTraffic>,
    /// DMA slices of packets that have another slice too, ascending; not counted in sums of bytes.
    pub duplicates: Vec<u32>,
    /// DMA slices that the profiler leaves out of its tables, ascending: an NTFF holds them, the JSON of the same run does not.
    pub unreported: Vec<u32>,
    /// DMA slices that a collective operation made, ascending.
    pub collective: Vec<u32>,
    /// Semaphores that instructions wait for and set, by slice; empty if operands are not recorded.
    pub semaphores: Column<SemaphoreUse>,
    /// Sizes of the operands of instructions, by slice; empty if operands are not recorded.
    pub shapes: Column<Shape>,
    /// From the first record of a slice to its last one, in records; [`NeuronDevice::ABSENT`] where it has one record. As long as the slice table.
    pub end_distance: Column<u32>,
    /// Place of each instruction's accesses in [`NeuronDevice::access_sets`]; [`NeuronDevice::ABSENT`] where it has none, or where operands are not
    /// recorded. As long as the slice table.
    pub accesses: Column<u32>,
    /// What instructions read and write in memory, each set once: executions of a loop share one.
    pub access_sets: Vec<Vec<Access>>,
    /// The instruction that asked for the transfer of each DMA packet; [`NeuronDevice::ABSENT`] elsewhere. As long as the slice table, or empty where no
    /// packet's instruction is known.
    pub triggers: Vec<u32>,
    /// The transfers of these packets, by instruction.
    pub transfers: Vec<Moved>,
    /// Executions by what they access, made when it is first asked for.
    pub executions: OnceLock<Executions>,
    /// Times under a throttling limit, by start; empty if their durations are not recorded.
    pub throttles: Vec<Throttle>,
    /// Recorded data of collective operations, by slice.
    pub operations: Vec<CollectiveOp>,
    /// Transfers that transpose; `None` if not recorded.
    pub transposing: Option<TransposingDma>,
    /// In a profile of some windows alone: whether the entire one has transfers, and sizes of any. `None`: the rows are the entire profile's.
    pub entire_has: Option<(bool, bool)>,
}

/// Kind of number that an instruction works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Dtype {
    /// Not recorded, or unknown.
    #[default]
    Other,
    /// 32 bits, floating.
    Fp32,
    /// 16 bits, floating, or TF32.
    Fp16,
    /// 8 bits, floating.
    Fp8,
    /// Whole numbers.
    Int,
}

/// Size of the first source operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shape {
    /// The instruction.
    pub slice: u32,
    /// Elements of each partition; of a matrix product the columns that move through the array.
    pub elements: u32,
    /// Partitions, or rows of the stationary matrix; 0 if not recorded.
    pub partitions: u16,
    /// Columns of the matrix that is held; 0 where it is no matrix product.
    pub columns: u16,
    /// Kind of its numbers.
    pub dtype: Dtype,
    /// Whether an FP32 product runs in two passes (`fp32_mode=LOW_HIGH`).
    pub is_low_high: bool,
}

/// A time in which the hardware limited a core's tensor engine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throttle {
    /// The core: a track without a parent.
    pub core: TrackId,
    /// Start, nanoseconds.
    pub start: i64,
    /// End, nanoseconds.
    pub end: i64,
    /// Share of the full rate that was allowed: 1 is no limit.
    pub limit: f64,
}

/// Sizes and delay of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectiveOp {
    /// The operation.
    pub slice: u32,
    /// The larger of what goes in and what comes out, bytes.
    pub bytes: Option<u64>,
    /// From its trigger to its start, nanoseconds.
    pub delay_ns: Option<i64>,
}

/// Transfers with transposing packets, and all transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TransposingDma {
    /// Transfers that transpose, and all.
    pub count: (u64, u64),
    /// Bytes of both.
    pub bytes: (u64, u64),
    /// Durations of both added up, nanoseconds.
    pub time_ns: (i64, i64),
}

/// Bytes that an instruction moved from and to HBM, through the DMA transfers that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HbmTraffic {
    /// The instruction.
    pub slice: u32,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// The part of both that was spilled and reloaded because the State Buffer was full; `None` if not recorded.
    pub spilled: Option<u64>,
}

impl NeuronDevice {
    /// "Not recorded" in a number column.
    pub const ABSENT: u32 = u32::MAX;

    /// What an instruction reads and writes in memory; nothing where its operands are not recorded.
    pub fn accesses_of(&self, slice: u32) -> &[Access] {
        let set = self.accesses.at(slice as usize).and_then(|set| self.access_sets.get(set as usize));
        set.map_or(&[], Vec::as_slice)
    }

    /// What an instruction does with semaphores.
    pub fn semaphores_of(&self, slice: u32) -> &[SemaphoreUse] {
        let from = self.semaphores.partition_point(|u| u.slice < slice);
        let n = self.semaphores[from..].partition_point(|u| u.slice == slice);
        &self.semaphores[from..from + n]
    }

    /// The instruction that asked for the transfer of a DMA packet.
    pub fn trigger_of(&self, packet: u32) -> Option<u32> {
        self.triggers.get(packet as usize).copied().filter(|instruction| *instruction != Self::ABSENT)
    }

    /// DMA packets with the instruction that asked for their transfer, by slice.
    pub fn packets(&self) -> impl Iterator<Item = Packet> + Clone {
        let packets = (0u32..).zip(&self.triggers).filter(|(_, instruction)| **instruction != Self::ABSENT);
        packets.map(|(slice, instruction)| Packet { slice, instruction: *instruction })
    }

    /// The transfer that an instruction asked for, where its packets are known.
    pub fn transfer_of(&self, instruction: u32) -> Option<&Moved> {
        let at = self.transfers.binary_search_by_key(&instruction, |t| t.instruction).ok()?;
        self.transfers.get(at)
    }
}
