//! Data from the capture of a CUDA or HIP graph about the kernels of its replays.

use super::absent::ABSENT;

/// Operators and modules of graph replays. A capture records them with the launches that became the graph; a replay has kernels only.
#[derive(Debug, Default)]
pub struct Replays {
    /// Operators and modules, replay by replay, each replay in pre-order.
    pub nodes: Vec<ReplayNode>,
    /// (slice of a kernel, copy or set; position in `nodes`), by slice.
    pub work: Vec<(u32, u32)>,
    /// Graph launches for which a capture was searched, by slice. Empty if no capture is open.
    pub launches: Vec<ReplayLaunch>,
}

/// An operator or module of one replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayNode {
    /// Its slice: from the start of its first kernel to the end of its last one.
    pub slice: u32,
    /// Position of its parent in [`Replays::nodes`], always smaller; [`ABSENT`] at the top.
    pub parent: u32,
    /// A call of an `nn.Module`; else an operator.
    pub is_module: bool,
}

impl ReplayNode {
    /// Position of its parent.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != ABSENT).then_some(self.parent)
    }
}

/// A graph launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayLaunch {
    /// The call's slice.
    pub slice: u32,
    /// What was found for it.
    pub outcome: ReplayOutcome,
}

/// What was found for a graph launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReplayOutcome {
    /// One capture fits.
    Matched,
    /// Several captures fit equally well and have the same operators; shapes or modules in which they differ are omitted.
    MatchedSeveral,
    /// The capture that fits is of a smaller batch than the step has requests; its shapes are omitted.
    MatchedSmaller,
    /// Several captures fit equally well and differ in their operators.
    Ambiguous,
    /// No open capture has the kernels of the replay.
    NoFit,
}

impl ReplayOutcome {
    /// Whether operators were attributed.
    pub fn is_matched(self) -> bool {
        matches!(self, ReplayOutcome::Matched | ReplayOutcome::MatchedSeveral | ReplayOutcome::MatchedSmaller)
    }
}
