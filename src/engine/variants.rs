//! What a profile contributes to a comparison of two, and to a table of many.

use super::question::Refusal;
use super::{Session, full};
use crate::analysis::device::bounds::{BoundsQuery, bounds_of};
use crate::analysis::device::explain as of_device;
use crate::analysis::explain::{ExplainPart, ExplainQuery};
use crate::analysis::headline::{self, Headline};
use crate::analysis::system::{self, ServingQuery, explain as of_system};
use crate::analysis::torch::explain as of_trace;
use crate::analysis::torch::memory::MemoryQuery;
use crate::analysis::torch::overview::OverviewQuery;
use crate::analysis::variants::{VariantPart, device, serving, steps};
use crate::model::Domain;

impl Session {
    /// What the profile contributes to an explanation of two.
    pub(super) fn explain_part(&self, query: &ExplainQuery) -> Result<ExplainPart, Refusal> {
        match &self.profile.domain {
            Domain::NeuronDevice(_) | Domain::NeuronSystem(_) => Ok((full::linked()?.explain_part)(self, query)),
            Domain::Torch(_) => Ok(of_trace::part(&self.view()?, query)),
            _ => Err(Refusal::OtherKind("a Neuron device or system profile, or a PyTorch trace")),
        }
    }

    /// The rows that it contributes to a table.
    pub(super) fn variant_parts(&self) -> Result<Vec<VariantPart>, Refusal> {
        match &self.profile.domain {
            Domain::NeuronDevice(_) | Domain::NeuronSystem(_) => (full::linked()?.variant_parts)(self),
            Domain::Torch(_) => {
                let overview = self.ask(&OverviewQuery::default())?;
                let explained = self.ask(&ExplainQuery::default())?;
                let memory = self.ask(&MemoryQuery::default())?;
                Ok(vec![steps::part(&self.profile, &overview, &explained, Some(&memory))])
            }
            _ => Err(Refusal::NoVariants(self.profile.meta.title.clone())),
        }
    }

    /// Its line of the library; what has no such values answers with empty texts.
    pub(super) fn headline(&self) -> Result<Headline, Refusal> {
        Ok(match &self.profile.domain {
            Domain::NeuronDevice(_) => (full::linked()?.headline)(self),
            Domain::Torch(_) => headline::of_trace(&self.ask(&OverviewQuery::default())?),
            _ => Headline::default(),
        })
    }

    /// [`Session::explain_part`] of a device or system profile.
    pub(super) fn neuron_explain_part(&self, query: &ExplainQuery) -> ExplainPart {
        let Domain::NeuronSystem(system) = &self.profile.domain else {
            return of_device::part_of(&self.profile, query, &self.summary(query.range), &self.core_rows(query.range));
        };
        let found = system::serving(&self.profile, system, ServingQuery { range: query.range, burst: None });
        of_system::part(&self.profile, system, query, serving::metrics(&serving::part(&self.profile, &found)))
    }

    /// [`Session::variant_parts`] of a device or system profile.
    pub(super) fn neuron_variant_parts(&self) -> Result<Vec<VariantPart>, Refusal> {
        Ok(match &self.profile.domain {
            Domain::NeuronSystem(_) => vec![serving::part(&self.profile, &self.ask(&ServingQuery::default())?)],
            _ => {
                let query = BoundsQuery::default();
                let bounds = (!self.profile.slices.is_empty()).then(|| bounds_of(&self.profile, &query, &self.core_rows(query.range)));
                device::parts(&self.profile, &self.summary(None), bounds.as_ref())
            }
        })
    }

    /// [`Session::headline`] of a device profile.
    pub(super) fn device_headline(&self) -> Headline {
        headline::of_device(&self.profile, &self.summary(None))
    }
}
