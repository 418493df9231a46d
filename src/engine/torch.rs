//! Questions of a PyTorch trace.

use super::Session;
use super::question::{Question, Refusal, answers};
use crate::analysis::torch::diff::{self, Diff, DiffPart, DiffQuery, FlatDiff, FlatDiffQuery};
use crate::analysis::torch::distributed::{self, Distributed, DistributedPart, DistributedPartQuery};
use crate::analysis::torch::efficiency::{self, Efficiency, EfficiencyQuery};
use crate::analysis::torch::inference::{self, StepTable, StepsQuery};
use crate::analysis::torch::kernels::{KernelMembers, KernelMembersQuery, Kernels, KernelsQuery};
use crate::analysis::torch::memory::{self, Memory, MemoryEvents, MemoryEventsQuery, MemoryFrames, MemoryFramesQuery, MemoryQuery};
use crate::analysis::torch::modules::{self, Modules, TreePart, TreeQuery};
use crate::analysis::torch::ops::{OpMembers, OpMembersQuery, Ops, OpsQuery};
use crate::analysis::torch::overview::{Overview, OverviewQuery};
use crate::analysis::torch::run_part::{self, RunPartQuery};
use crate::analysis::torch::trace::{Links, TraceCounters};
use crate::analysis::torch::{self, TorchModel, View, kernel_rows, ops_rows, overview_rows, trace_rows};
use crate::base::SliceId;
use crate::model::fleet::RunPart;
use crate::model::{Domain, Torch};
use serde::{Deserialize, Serialize};

/// Counter tracks and step marks for the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceCountersQuery;

/// What a slice is linked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinksQuery {
    /// Which.
    pub slice: SliceId,
}

/// What follows from the parts of the workers of one span. Any worker can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistributedQuery {
    /// Their answers to [`DistributedPartQuery`].
    pub parts: Vec<DistributedPart>,
}

/// Modules and what they cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModulesQuery;

/// What this trace contributes as the base of a [`DiffQuery`] or a [`FlatDiffQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffPartQuery;

impl Session {
    /// Computes what many answers share, so that the first of them need not wait for it.
    pub fn prepare(&self) {
        if let Domain::Torch(tables) = &self.profile.domain {
            torch::prepare(&self.view_of(tables));
        }
    }

    fn view_of<'a>(&'a self, torch: &'a Torch) -> View<'a> {
        let model = self.torch.get_or_init(|| TorchModel::new(&self.profile, torch));
        View { profile: &self.profile, torch, model, slots: self.name_slots() }
    }

    /// What every answer of a trace is computed from.
    pub(super) fn view(&self) -> Result<View<'_>, Refusal> {
        match &self.profile.domain {
            Domain::Torch(torch) => Ok(self.view_of(torch)),
            _ => Err(Refusal::OtherKind("a PyTorch trace")),
        }
    }
}

/// A question about a trace view, whose model may follow other rules than the session's.
pub trait TraceQuestion: Question {
    /// Answers it.
    fn of(&self, view: &View<'_>) -> Result<Self::Answer, Refusal>;
}

/// `Question => Answer: what computes it from the view and the question`.
macro_rules! of_a_trace {
    ($($question:ty => $answer:ty: $compute:expr;)*) => {$(
        impl TraceQuestion for $question {
            fn of(&self, view: &View<'_>) -> Result<$answer, Refusal> {
                let compute: fn(&View<'_>, &$question) -> Result<$answer, Refusal> = $compute;
                compute(view, self)
            }
        }
        answers! { $question => $answer: |session, question| question.of(&session.view()?); }
    )*};
}

of_a_trace! {
    OverviewQuery => Overview: |view, q| Ok(overview_rows::overview(view, q));
    OpsQuery => Ops: |view, q| Ok(ops_rows::ops(view, q));
    OpMembersQuery => OpMembers: |view, q| Ok(ops_rows::members(view, q));
    KernelsQuery => Kernels: |view, q| Ok(kernel_rows::kernels(view, q));
    KernelMembersQuery => KernelMembers: |view, q| Ok(kernel_rows::members(view, q));
    EfficiencyQuery => Efficiency: |view, q| Ok(efficiency::efficiency(view, q));
    StepsQuery => StepTable: |view, q| Ok(inference::steps(view, q)?);
    TraceCountersQuery => TraceCounters: |view, _| Ok(torch::counters(view.profile, view.torch));
    LinksQuery => Links: |view, q| Ok(trace_rows::links(view, q.slice));
    MemoryQuery => Memory: |view, q| Ok(memory::memory(view, q));
    MemoryEventsQuery => MemoryEvents: |view, q| Ok(memory::events(view, q));
    MemoryFramesQuery => MemoryFrames: |view, q| Ok(memory::frames(view, q));
    DistributedPartQuery => DistributedPart: |view, q| Ok(distributed::part(view, q));
    DistributedQuery => Distributed: |_, q| Ok(distributed::merge(&q.parts));
    ModulesQuery => Modules: |view, _| Ok(modules::modules(view));
    TreeQuery => TreePart: |view, q| Ok(modules::tree(view, q)?);
    DiffPartQuery => DiffPart: |view, _| Ok(diff::part(view));
    DiffQuery => Diff: |view, q| Ok(diff::diff(&q.base, &diff::part(view), &q.path)?);
    FlatDiffQuery => FlatDiff: |view, q| Ok(diff::flat_diff(&q.base, &diff::part(view), q.by));
    RunPartQuery => RunPart: |view, q| Ok(run_part::run_part(view, q));
}
