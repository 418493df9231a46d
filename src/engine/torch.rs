//! A session's answers to the questions of a PyTorch trace.

use super::Session;
use super::query::Answer;
use crate::analysis::torch::{self, TorchModel, TorchQuery};
use crate::model::{Domain, Torch};

impl Session {
    /// Works out what many answers share, so that the first of them need not wait for it.
    pub fn prepare(&self) {
        if let Domain::Torch(tables) = &self.profile.domain {
            self.torch_model(tables);
        }
    }

    fn torch_model(&self, tables: &Torch) -> &TorchModel {
        self.torch.get_or_init(|| TorchModel::new(&self.profile, tables))
    }

    pub(super) fn torch(&self, query: &TorchQuery) -> Answer {
        let Domain::Torch(tables) = &self.profile.domain else {
            return Answer::Refused("This profile is no PyTorch trace.".into());
        };
        let model = self.torch_model(tables);
        let slots = self.slots("name", &self.profile.slices.name);
        let view = torch::View { profile: &self.profile, torch: tables, model, slots: &slots };
        torch::answer(&view, query).map_or_else(Answer::Refused, Answer::Torch)
    }
}
