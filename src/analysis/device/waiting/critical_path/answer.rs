//! What is recorded of the longest chain.

use crate::analysis::device::waiting::cause::Cause;
use crate::base::{DurationNs, SliceId, TimeRange};
use serde::{Deserialize, Serialize};

/// What the time of a chain is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// Work of an engine.
    Compute,
    /// A DMA transfer, or the wait for one.
    Dma,
    /// A wait for an engine, a barrier, a collective operation.
    Wait,
    /// Not recorded in the file.
    Gap,
}

/// How much of the chain is of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathShare {
    /// What.
    pub kind: PathKind,
    /// The engine that worked, or what was waited for.
    pub name: String,
    /// How long.
    pub time: DurationNs,
    /// Share of the chain's length, 0 to 1.
    pub share: f64,
    /// Steps.
    pub count: u64,
}

/// One step of the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathStep {
    /// The instruction or transfer.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// `NC 4`.
    pub core: String,
    /// `Vector`, `DMA-E64`.
    pub engine: String,
    /// Its start and end.
    pub range: TimeRange,
    /// The part of it that no earlier step covers; none of it is work if it only waits.
    pub own: DurationNs,
    /// From the end of the steps before to its start.
    pub gap: DurationNs,
    /// What that time, or a step that only waits, waits for.
    pub cause: Option<Cause>,
    /// What ties it to the step before: `same engine`, `semaphore`, `transfer`, or the kind of the dependency.
    pub via: String,
}

/// The longest chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// From the start of its first to the end of its last step.
    pub range: TimeRange,
    /// Time with work on it.
    pub work: DurationNs,
    /// One for each kind, most first.
    pub shares: Vec<PathShare>,
    /// In order; the first ones if there are too many.
    pub steps: Vec<PathStep>,
    /// Steps there are.
    pub n_steps: u64,
    /// Arrows that were followed or could have been.
    pub n_edges: u64,
    /// Notes.
    pub notes: Vec<String>,
}
