//! Rows of a table of profiles.

use super::Session;
use super::query::Answer;
use crate::analysis::explain::ExplainQuery;
use crate::analysis::torch::memory::MemoryQuery;
use crate::analysis::torch::overview::OverviewQuery;
use crate::analysis::torch::{TorchAnswer, TorchQuery};
use crate::analysis::variants::{self, VariantPart, device, steps};
use crate::model::Domain;

/// The table of these profiles.
pub fn variants(parts: Vec<VariantPart>) -> Answer {
    Answer::Variants(Box::new(variants::variants(&parts)))
}

impl Session {
    pub(super) fn variant_parts(&self) -> Answer {
        match &self.profile.domain {
            Domain::NeuronDevice(_) => Answer::VariantParts(device::parts(&self.profile, &self.summary(None))),
            Domain::Torch(_) => self.variant_of_trace(),
            _ => Answer::Refused(format!("{}: expected a Neuron device profile, a summary or a PyTorch trace.", self.profile.meta.title)),
        }
    }

    fn variant_of_trace(&self) -> Answer {
        let overview = match self.torch(&TorchQuery::Overview(OverviewQuery::default())) {
            Answer::Torch(TorchAnswer::Overview(found)) => found,
            other => return other,
        };
        let explained = match self.torch(&TorchQuery::ExplainPart(ExplainQuery::default())) {
            Answer::Torch(TorchAnswer::ExplainPart(found)) => found,
            other => return other,
        };
        let memory = match self.torch(&TorchQuery::Memory(MemoryQuery::default())) {
            Answer::Torch(TorchAnswer::Memory(found)) => Some(found),
            _ => None,
        };
        Answer::VariantParts(vec![steps::part(&self.profile, &overview, &explained, memory.as_ref())])
    }
}
