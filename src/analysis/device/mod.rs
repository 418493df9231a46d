//! Answers that only a Neuron device profile can give.

pub mod advice;
pub mod cause;
pub mod critical_path;
pub mod curves;
pub mod gaps;
pub mod layers;
pub mod metrics;
pub mod roofline;
pub mod signals;
pub mod summary;

pub use advice::Advice;
pub use cause::Cause;
pub use critical_path::CriticalPath;
pub use gaps::Gaps;
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
    /// Idle time of the engines by cause.
    Gaps(Option<TimeRange>),
    /// The longest chain of dependent work.
    CriticalPath,
    /// What to do.
    Advice,
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
    /// By engine and cause.
    Gaps(Gaps),
    /// Step by step.
    CriticalPath(CriticalPath),
    /// Costliest first.
    Advice(Box<Advice>),
}

/// Answers one question.
pub fn answer(profile: &Profile, query: &DeviceQuery) -> DeviceAnswer {
    match query {
        DeviceQuery::Gaps(range) => DeviceAnswer::Gaps(gaps::gaps(profile, *range)),
        DeviceQuery::Advice => DeviceAnswer::Advice(Box::new(advice::advice(profile))),
        DeviceQuery::CriticalPath => DeviceAnswer::CriticalPath(critical_path::critical_path(profile)),
        DeviceQuery::Summary(range) => DeviceAnswer::Summary(summary::summary(profile, *range)),
        DeviceQuery::Layers(query) => DeviceAnswer::Layers(layers::layers(profile, query)),
        DeviceQuery::LayerSlices(query, node) => DeviceAnswer::LayerSlices(layers::slices(profile, query, *node)),
        DeviceQuery::Roofline(query) => DeviceAnswer::Roofline(roofline::roofline(profile, query)),
    }
}
