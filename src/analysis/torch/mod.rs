//! Questions that only a PyTorch trace can answer. `docs/pytorch-views.md` states the rules.

mod advice;
pub mod core;
pub mod diff;
pub mod distributed;
pub mod efficiency;
pub mod explain;
pub mod inference;
pub(crate) mod kernel_rows;
mod kernel_time;
pub mod kernels;
pub mod memory;
pub mod modules;
pub mod ops;
pub(crate) mod ops_rows;
pub mod overview;
pub(crate) mod overview_rows;
pub mod plugin;
pub mod plugin_views;
mod python_list;
pub mod run_part;
pub mod trace;
pub(crate) mod trace_rows;
pub mod unattributed;
pub mod work;

pub use self::core::TorchModel;
use crate::base::StrId;
use crate::model::{Profile, Torch};
use trace::TraceCounters;

/// What every answer is computed from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its tables.
    pub torch: &'a Torch,
    /// What was computed once for all answers.
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

/// Computes, beside the model itself, what several answers make use of.
pub fn prepare(view: &View<'_>) {
    if !view.torch.memory.is_empty() {
        view.model.owners(view.profile, view.torch);
    }
}
