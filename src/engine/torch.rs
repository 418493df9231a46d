//! A session's answers to the questions of a PyTorch trace.

use super::Session;
use super::query::Answer;
use crate::analysis::torch::{self, TorchModel, TorchQuery};
use crate::model::Domain;

impl Session {
    pub(super) fn torch(&self, query: &TorchQuery) -> Answer {
        let Domain::Torch(tables) = &self.profile.domain else {
            return Answer::Refused("This profile is no PyTorch trace.".into());
        };
        let model = self.torch.get_or_init(|| TorchModel::new(&self.profile, tables));
        let slots = self.slots("name", &self.profile.slices.name);
        let view = torch::View { profile: &self.profile, torch: tables, model, slots: &slots };
        torch::answer(&view, query).map_or_else(Answer::Refused, Answer::Torch)
    }
}
