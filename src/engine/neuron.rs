//! Questions that only Neuron's reports, logs and system profiles answer.

use super::Answer;
use crate::analysis::support::{self, Support, SupportDiff};
use crate::model::{Domain, Profile};
use serde::{Deserialize, Serialize};

/// A question to a report, a log or a system profile of Neuron.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NeuronQuery {
    /// What an `analyze` report tells.
    Support,
    /// The report compared with an earlier one (the answer of its worker to `Support`).
    SupportDiff(Box<Support>),
}

/// The answer to the question of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NeuronAnswer {
    /// Operators, failures, instructions, remarks.
    Support(Box<Support>),
    /// Operators by what changed.
    SupportDiff(Box<SupportDiff>),
}

/// Answers from the open profile.
pub(super) fn answer(profile: &Profile, query: &NeuronQuery) -> Answer {
    let Domain::SupportReport(report) = &profile.domain else {
        return Answer::Refused("This profile is no analyze report.".into());
    };
    let own = support::support(report);
    Answer::Neuron(match query {
        NeuronQuery::Support => NeuronAnswer::Support(Box::new(own)),
        NeuronQuery::SupportDiff(before) => NeuronAnswer::SupportDiff(Box::new(support::diff(before, &own))),
    })
}
