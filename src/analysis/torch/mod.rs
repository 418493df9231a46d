//! Questions that only a PyTorch trace can answer. `docs/pytorch-views.md` states the rules.

mod advice;
pub mod core;
pub mod diff;
pub mod distributed;
pub mod efficiency;
pub mod explain;
pub mod inference;
mod kernel_rows;
mod kernel_time;
pub mod kernels;
pub mod memory;
pub mod modules;
pub mod ops;
mod ops_rows;
pub mod overview;
mod overview_rows;
pub mod plugin;
pub mod plugin_views;
pub mod trace;
mod trace_rows;
pub mod unattributed;
pub mod work;

pub use self::core::TorchModel;
use crate::analysis::explain::{ExplainPart, ExplainQuery};
use crate::base::{SliceId, StrId};
use crate::model::{Profile, Torch};
use diff::{Diff, DiffPart, DiffQuery, FlatDiff, FlatDiffQuery};
use distributed::{Distributed, DistributedPart, PartQuery};
use efficiency::{Efficiency, EfficiencyQuery};
use inference::{StepTable, StepsQuery};
use kernels::{KernelMembers, KernelMembersQuery, Kernels, KernelsQuery};
use memory::{Memory, MemoryEvents, MemoryEventsQuery, MemoryFrames, MemoryFramesQuery, MemoryQuery};
use modules::{Modules, TreePart, TreeQuery};
use ops::{OpMembers, OpMembersQuery, Ops, OpsQuery};
use overview::{Overview, OverviewQuery};
use serde::{Deserialize, Serialize};
use trace::{Links, TraceCounters};

/// A question to a PyTorch trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TorchQuery {
    /// Devices, steps, recommendations.
    Overview(OverviewQuery),
    /// Rows of the operator table.
    Operators(OpsQuery),
    /// What one row of it is made of.
    OperatorMembers(OpMembersQuery),
    /// Rows of the kernel table.
    Kernels(KernelsQuery),
    /// What one row of it is made of.
    KernelMembers(KernelMembersQuery),
    /// How fast operators were, against their device's peaks.
    Efficiency(EfficiencyQuery),
    /// Steps by annotations.
    Steps(StepsQuery),
    /// Counter tracks and step marks for the timeline.
    Counters,
    /// What a slice is linked to.
    Links(SliceId),
    /// Curve and statistics of memory.
    Memory(MemoryQuery),
    /// Pieces of memory, from allocation to release.
    MemoryEvents(MemoryEventsQuery),
    /// Where in the program a record of memory was written.
    MemoryFrames(MemoryFramesQuery),
    /// What this worker contributes to [`TorchQuery::Distributed`].
    DistributedPart(PartQuery),
    /// What follows from the parts of the workers of one span. Any worker can answer.
    Distributed(Vec<DistributedPart>),
    /// Modules and what they cost.
    Modules,
    /// A part of a thread's tree of operators.
    Tree(TreeQuery),
    /// What this trace contributes as the base of a diff.
    DiffPart,
    /// The base beside this trace, along their operator trees.
    Diff(DiffQuery),
    /// The base beside this trace, operator by operator.
    FlatDiff(FlatDiffQuery),
    /// What this trace gives to an explanation of two traces.
    ExplainPart(ExplainQuery),
}

/// The answer to the question of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TorchAnswer {
    /// Devices, steps, recommendations.
    Overview(Overview),
    /// Rows of the operator table.
    Operators(Ops),
    /// What one row of it is made of.
    OperatorMembers(OpMembers),
    /// Rows of the kernel table.
    Kernels(Kernels),
    /// What one row of it is made of.
    KernelMembers(KernelMembers),
    /// How fast operators were, against their device's peaks.
    Efficiency(Box<Efficiency>),
    /// Steps by annotations.
    Steps(StepTable),
    /// Counter tracks and step marks for the timeline.
    Counters(TraceCounters),
    /// What a slice is linked to.
    Links(Links),
    /// Curve and statistics of memory.
    Memory(Memory),
    /// Pieces of memory, from allocation to release.
    MemoryEvents(MemoryEvents),
    /// Where in the program a record of memory was written.
    MemoryFrames(MemoryFrames),
    /// What this worker contributes.
    DistributedPart(DistributedPart),
    /// What follows from the parts of the workers.
    Distributed(Distributed),
    /// Modules and what they cost.
    Modules(Modules),
    /// A part of a thread's tree of operators.
    Tree(TreePart),
    /// What this trace contributes as the base.
    DiffPart(Box<DiffPart>),
    /// The base beside this trace, along their operator trees.
    Diff(Box<Diff>),
    /// The base beside this trace, operator by operator.
    FlatDiff(FlatDiff),
    /// The mean step by category.
    ExplainPart(Box<ExplainPart>),
}

/// What every answer is computed from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its tables.
    pub torch: &'a Torch,
    /// What was worked out once for all answers.
    pub model: &'a TorchModel,
    /// Colour slot by string.
    pub slots: &'a [u16],
}

impl View<'_> {
    /// Colour slot of a name.
    fn colour(&self, name: StrId) -> u16 {
        self.slots.get(name.index()).copied().unwrap_or(0)
    }
}

/// Counter tracks and step marks, without the whole model.
pub fn counters(profile: &Profile, torch: &Torch) -> TraceCounters {
    trace_rows::counters(profile, torch, &core::devices::Devices::new(profile, torch))
}

/// Works out, beside the model itself, what several answers make use of.
pub fn prepare(view: &View<'_>) {
    if !view.torch.memory.is_empty() {
        view.model.owners(view.profile, view.torch);
    }
}

/// Answers a question, or says in a sentence why it cannot be answered.
pub fn answer(view: &View<'_>, query: &TorchQuery) -> Result<TorchAnswer, String> {
    Ok(match query {
        TorchQuery::Overview(q) => TorchAnswer::Overview(overview_rows::overview(view, q)),
        TorchQuery::Operators(q) => TorchAnswer::Operators(ops_rows::ops(view, q)),
        TorchQuery::OperatorMembers(q) => TorchAnswer::OperatorMembers(ops_rows::members(view, q)),
        TorchQuery::Kernels(q) => TorchAnswer::Kernels(kernel_rows::kernels(view, q)),
        TorchQuery::KernelMembers(q) => TorchAnswer::KernelMembers(kernel_rows::members(view, q)),
        TorchQuery::Efficiency(q) => TorchAnswer::Efficiency(Box::new(efficiency::efficiency(view, q))),
        TorchQuery::Steps(q) => TorchAnswer::Steps(inference::steps(view, q)?),
        TorchQuery::Counters => TorchAnswer::Counters(counters(view.profile, view.torch)),
        TorchQuery::Links(slice) => TorchAnswer::Links(trace_rows::links(view, *slice)),
        TorchQuery::Memory(q) => TorchAnswer::Memory(memory::memory(view, q)),
        TorchQuery::MemoryEvents(q) => TorchAnswer::MemoryEvents(memory::events(view, q)),
        TorchQuery::MemoryFrames(q) => TorchAnswer::MemoryFrames(memory::frames(view, q)),
        TorchQuery::DistributedPart(q) => TorchAnswer::DistributedPart(distributed::part(view, q)),
        TorchQuery::Distributed(parts) => TorchAnswer::Distributed(distributed::merge(parts)),
        TorchQuery::Modules => TorchAnswer::Modules(modules::modules(view)),
        TorchQuery::Tree(q) => TorchAnswer::Tree(modules::tree(view, q)?),
        TorchQuery::DiffPart => TorchAnswer::DiffPart(Box::new(diff::part(view))),
        TorchQuery::Diff(q) => TorchAnswer::Diff(Box::new(diff::diff(&q.base, &diff::part(view), &q.path)?)),
        TorchQuery::ExplainPart(q) => TorchAnswer::ExplainPart(Box::new(explain::part(view, q))),
        TorchQuery::FlatDiff(q) => TorchAnswer::FlatDiff(diff::flat_diff(&q.base, &diff::part(view), q.by)),
    })
}
