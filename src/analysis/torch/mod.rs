//! Questions that only a PyTorch trace can answer. `docs/pytorch-views.md` states the rules.

pub mod core;
pub mod kernels;
pub mod ops;
pub mod overview;
pub mod trace;

pub use self::core::TorchModel;
use crate::base::SliceId;
use crate::model::{Profile, Torch};
use kernels::{KernelMembers, KernelMembersQuery, Kernels, KernelsQuery};
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
    /// Counter tracks and step marks for the timeline.
    Counters,
    /// What a slice is linked to.
    Links(SliceId),
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
    /// Counter tracks and step marks for the timeline.
    Counters(TraceCounters),
    /// What a slice is linked to.
    Links(Links),
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

/// Answers a question, or says in a sentence why it cannot be answered.
pub fn answer(view: &View<'_>, query: &TorchQuery) -> Result<TorchAnswer, String> {
    let _ = view;
    Err(format!("The question {query:?} is not answered yet."))
}
