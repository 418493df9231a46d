//! Answers that only a Neuron device profile can give.

pub mod metrics;
pub mod summary;

use serde::{Deserialize, Serialize};
pub use summary::{EngineTime, Metric, Summary};

use crate::base::TimeRange;
use crate::model::Profile;

/// A question to a Neuron device profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceQuery {
    /// Metrics of the run, or of a range of it.
    Summary(Option<TimeRange>),
}

/// An answer to the query of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceAnswer {
    /// Metrics of the run.
    Summary(Summary),
}

/// Answers one question.
pub fn answer(profile: &Profile, query: &DeviceQuery) -> DeviceAnswer {
    match query {
        DeviceQuery::Summary(range) => DeviceAnswer::Summary(summary::summary(profile, *range)),
    }
}
