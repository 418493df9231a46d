//! Answers that only a Neuron device profile can give.

pub mod curves;
pub mod layers;
pub mod metrics;
pub mod roofline;
pub mod summary;

pub use layers::{Layers, LayersQuery};
pub use roofline::Roofline;
use serde::{Deserialize, Serialize};
pub use summary::{EngineTime, Metric, Summary};

use crate::base::{SliceId, TimeRange};
use crate::model::Profile;

/// A question to a Neuron device profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceQuery {
    /// Metrics of the run, or of a range of it.
    Summary(Option<TimeRange>),
    /// The hierarchy of the program.
    Layers(LayersQuery),
    /// Instructions of the node at a place of the answer to the same question.
    LayerSlices(LayersQuery, u32),
    /// Ceilings, and the run and its parts beneath them.
    Roofline(LayersQuery),
}

/// An answer to the query of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeviceAnswer {
    /// Metrics of the run.
    Summary(Summary),
    /// Nodes in pre-order.
    Layers(Layers),
    /// By start.
    LayerSlices(Vec<SliceId>),
    /// Ceilings and points.
    Roofline(Roofline),
}

/// Answers one question.
pub fn answer(profile: &Profile, query: &DeviceQuery) -> DeviceAnswer {
    match query {
        DeviceQuery::Summary(range) => DeviceAnswer::Summary(summary::summary(profile, *range)),
        DeviceQuery::Layers(query) => DeviceAnswer::Layers(layers::layers(profile, query)),
        DeviceQuery::LayerSlices(query, node) => DeviceAnswer::LayerSlices(layers::slices(profile, query, *node)),
        DeviceQuery::Roofline(query) => DeviceAnswer::Roofline(roofline::roofline(profile, query)),
    }
}
