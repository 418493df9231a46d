//! The answer: what a run, or a range of it, could reach per physical core, and where its time went.

use super::ladders::{Family, GapKind, Ladder};
use super::time_parts::{ExclusiveTime, Overlap, Part};
use crate::base::{DurationNs, TimeRange};
use serde::{Deserialize, Serialize};

/// What to look at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoundsQuery {
    /// Only this range; `None` is the entire run.
    pub range: Option<TimeRange>,
    /// Which part an instant with several busy ones belongs to: the first of these. Parts that are missing follow in the usual order.
    pub order: Vec<Part>,
}

/// Bounds of every physical core.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// What is looked at.
    pub range: TimeRange,
    /// Whether that is the entire run.
    pub is_run: bool,
    /// In the order of the timeline.
    pub cores: Vec<CoreBounds>,
    /// Bytes of inputs, outputs and weights, each once; `None` where they are not recorded.
    pub necessary_bytes: Option<u64>,
    /// Bytes per second of all DMA rings of a core.
    pub dma_bandwidth: Option<f64>,
    /// BF16 FLOP/s of one physical core.
    pub peak_flops: Option<f64>,
    /// What is not available and why, and what to know when reading this.
    pub notes: Vec<String>,
}

impl Bounds {
    /// Time that the necessary bytes take at peak bandwidth, nanoseconds.
    pub fn no_reloads_ns(&self) -> Option<f64> {
        Some(self.necessary_bytes? as f64 / self.dma_bandwidth? * 1e9)
    }
}

/// Bounds of one physical core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoreBounds {
    /// `NC 4`.
    pub core: String,
    /// Busy time by [`Part::place`]; of the DMA `None` where the file has no transfers at all.
    pub busy: [Option<DurationNs>; 6],
    /// The bounds as pictures: memory, compute, pipeline.
    pub ladders: Vec<Ladder>,
    /// The working part (all but Sync) with the longest busy time.
    pub bottleneck: Option<Part>,
    /// Bytes of the transfers that start here, without fetches of instructions and writes of semaphores.
    pub moved_bytes: Option<u64>,
    /// How many transfers these are.
    pub moves: u64,
    /// FLOPs of the matrix products that start here, as BF16 would need: FP32 in as many passes as it takes.
    pub flops: Option<u64>,
    /// FLOPs without products that only transpose.
    pub useful_flops: Option<u64>,
    /// `flops` as the profiler counts: four passes for each FP32 product.
    pub profiler_flops: Option<u64>,
    /// Sum over products of (start of the next − start of this − time at full rate), nanoseconds.
    pub excess_interval_ns: Option<f64>,
    /// Busy time of the DMA by queue type, by name.
    pub queue_types: Vec<(String, DurationNs)>,
    /// Every instant once, in the order asked for, idle last.
    pub exclusive: Vec<ExclusiveTime>,
    /// Every pair of parts.
    pub overlaps: Vec<Overlap>,
    /// Queue types that were busy together, and how long; none of them is idle. Fetches of instructions are excluded.
    pub dma_states: Vec<(Vec<String>, DurationNs)>,
    /// One for each engine and opcode, in the order of the engines, then most time first.
    pub opcodes: Vec<OpcodeTime>,
}

impl CoreBounds {
    /// Busy time of a part.
    pub fn busy(&self, part: Part) -> Option<DurationNs> {
        self.busy[part.place()]
    }

    /// The gap to look at first: what makes the bottleneck's own work longer than it must be, and where nothing does, what keeps it waiting.
    pub fn main_gap(&self) -> Option<GapKind> {
        let family = match self.bottleneck? {
            Part::Dma => Family::Memory,
            Part::Tensor => Family::Compute,
            _ => Family::Pipeline,
        };
        let gaps = || self.ladders.iter().filter(|l| l.family == family).flat_map(|l| l.steps.iter().filter_map(|s| s.gap));
        let own = gaps().skip(1).filter(|g| g.time_ns > 0.0).max_by(|a, b| a.time_ns.total_cmp(&b.time_ns));
        own.or_else(|| gaps().next()).map(|g| g.kind)
    }
}

/// Time and waits of the instructions with one opcode on one engine that start here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeTime {
    /// `Tensor`.
    pub engine: String,
    /// `MATMUL`.
    pub opcode: String,
    /// How many.
    pub count: u64,
    /// Their durations added up.
    pub time: DurationNs,
    /// Their waits for semaphores added up; they are before the start. `None` where waits are not recorded.
    pub wait: Option<DurationNs>,
    /// Number that waited.
    pub waiting: u64,
}
