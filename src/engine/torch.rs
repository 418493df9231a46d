//! A session's answers to the questions of a PyTorch trace.

use super::Session;
use super::query::Answer;
use crate::analysis::torch::{self, TorchModel, TorchQuery, View};
use crate::model::{Domain, Torch};

impl Session {
    /// Works out what many answers share, so that the first of them need not wait for it.
    pub fn prepare(&self) {
        if let Domain::Torch(tables) = &self.profile.domain {
            self.viewed(tables, torch::prepare);
        }
    }

    pub(super) fn viewed<T>(&self, tables: &Torch, f: impl FnOnce(&View<'_>) -> T) -> T {
        let model = self.torch.get_or_init(|| TorchModel::new(&self.profile, tables));
        let slots = self.slots("name", &self.profile.slices.name);
        f(&View { profile: &self.profile, torch: tables, model, slots: &slots })
    }

    pub(super) fn torch(&self, query: &TorchQuery) -> Answer {
        let Domain::Torch(tables) = &self.profile.domain else {
            return Answer::Refused("This profile is not a PyTorch trace.".into());
        };
        self.viewed(tables, |view| torch::answer(view, query)).map_or_else(Answer::Refused, Answer::Torch)
    }
}
