//! What changed between two profiles of a kind: the difference of their times, opened level by level without remainder.
//!
//! Each worker gives its part: a tree of exclusive times, in which the children of a node sum to it exactly. Two parts are merged by names, so that
//! the differences sum as well. Sentences follow from the values by rules, each with its evidence.

pub mod assign;
mod invocation_sentences;
pub mod markdown;
mod merge;
mod metrics;
pub mod sentences;
pub mod slower;
mod step_sentences;
pub mod tree;

pub use merge::explain;
pub use metrics::MetricChange;

use super::device::bounds::{CoreBounds, Part};
use super::device::compare::PartMetric;
use crate::base::{DurationNs, TimeRange};
use serde::{Deserialize, Serialize};

/// What of a profile to explain.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExplainQuery {
    /// Only this range; `None` is the entire run.
    pub range: Option<TimeRange>,
    /// Device profiles: which part an instant with several busy ones belongs to, the first of these.
    pub order: Vec<Part>,
}

/// What one profile contributes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExplainPart {
    /// Title of the profile.
    pub title: String,
    /// Format and kind of device, as far as recorded: parts of one kind are compared.
    pub kind: ExplainKind,
    /// Instance type or name of the accelerator; empty where it is not recorded.
    pub architecture: String,
    /// Physical cores, the mean step, or a system profile and the mean invocations of its models.
    pub units: Vec<UnitPart>,
    /// Metrics of the summary that are numbers.
    pub metrics: Vec<PartMetric>,
    /// What is not available, and why.
    pub notes: Vec<String>,
}

/// Kinds of profiles that can be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ExplainKind {
    /// A Neuron device profile: one unit for each physical core.
    #[default]
    Device,
    /// A PyTorch trace: one unit, the mean step.
    Steps,
    /// A Neuron system profile: the entire profile, and the mean invocation of each model.
    System,
}

impl ExplainKind {
    /// What the levels of the tree are, from the total down.
    pub fn levels(self) -> [&'static str; 5] {
        match self {
            ExplainKind::Device => ["Total", "Part", "Region", "Opcode", "Source line or shape"],
            ExplainKind::Steps => ["Step", "Category", "Operator", "Kernel", "Input shape"],
            ExplainKind::System => ["Total", "Part", "Event or model", "Row", "Detail"],
        }
    }
}

/// The time of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnitPart {
    /// `NC 4`, or `Mean step`.
    pub name: String,
    /// Steps over which times are averaged; 1 for a run.
    pub n_samples: u32,
    /// In pre-order; the first one is the total.
    pub nodes: Vec<PartNode>,
    /// What sentences are made of.
    pub facts: UnitFacts,
}

/// A node of the tree of exclusive times.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PartNode {
    /// Its own name: parts are matched by the names from the root.
    pub name: String,
    /// 0 for the total, 1 for an exclusive part.
    pub level: u8,
    /// Nodes that follow and are below this one.
    pub n_below: u32,
    /// Mean over the samples. Children sum to it exactly.
    pub time: DurationNs,
    /// Sample standard deviation over the samples, nanoseconds; `None` with fewer than two.
    pub spread_ns: Option<f64>,
    /// Instructions, transfers, gaps, kernels or calls that start here; mean over the samples.
    pub count: f64,
    /// Bytes of transfers; mean over the samples.
    pub bytes: Option<f64>,
}

/// Values of a unit beside its tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum UnitFacts {
    /// Those of a physical core.
    Core(Box<CoreFacts>),
    /// Those of the mean step.
    Step(StepFacts),
    /// A system profile has none.
    Invocations,
}

/// Values of a physical core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoreFacts {
    /// Busy times, bytes, FLOPs, bottleneck.
    pub bounds: CoreBounds,
    /// Bytes of inputs, outputs and weights, each once, at most the moved bytes; known for an entire run only.
    pub necessary_bytes: Option<u64>,
    /// Bytes that instructions of the core spilled and reloaded, where recorded.
    pub spilled_bytes: Option<u64>,
    /// Matrix products that start in the range.
    pub n_products: u64,
}

/// Values of the mean step of a PyTorch trace, all per step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepFacts {
    /// Calls of the runtime that launched kernels, copies or sets.
    pub launches: f64,
    /// Kernels, copies and sets.
    pub kernels: f64,
    /// Time in which any device works, nanoseconds; `None` without a device.
    pub device_busy_ns: Option<f64>,
    /// Time in which a collective runs, nanoseconds.
    pub communication_ns: f64,
    /// Part of it in which nothing is computed, nanoseconds.
    pub exposed_ns: f64,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Explain {
    /// Title of the base.
    pub base: String,
    /// Title of the run that is compared with it.
    pub run: String,
    /// Kind of both.
    pub kind: ExplainKind,
    /// One for each physical core, paired by position; a single one of PyTorch traces; of system profiles paired by name.
    pub units: Vec<ExplainUnit>,
    /// Metrics that differ, largest relative change first.
    pub metrics: Vec<MetricChange>,
    /// Metrics that are equal to six digits.
    pub n_equal: u64,
    /// What cannot be compared, and what to know.
    pub notes: Vec<String>,
}

/// Changes in one unit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExplainUnit {
    /// Its name in the base, and in the run where that differs.
    pub name: String,
    /// Answers in words, most important first.
    pub sentences: Vec<Sentence>,
    /// In pre-order; the first one is the total. Siblings by the size of their difference.
    pub nodes: Vec<ExplainNode>,
    /// Steps averaged in the base and in the run.
    pub n_samples: (u32, u32),
}

impl ExplainUnit {
    /// The total.
    pub fn total(&self) -> Option<&ExplainNode> {
        self.nodes.first()
    }

    /// The exclusive parts, largest difference first.
    pub fn parts(&self) -> impl Iterator<Item = &ExplainNode> {
        self.nodes.iter().filter(|n| n.parent == Some(0))
    }
}

/// A sentence and the values that it follows from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sentence {
    /// The answer.
    pub text: String,
    /// Values behind it, one a line.
    pub evidence: Vec<String>,
}

/// Time of one name in both profiles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExplainNode {
    /// Its own name.
    pub name: String,
    /// 0 for the total, 1 for an exclusive part.
    pub level: u8,
    /// Position of its parent, always an earlier one.
    pub parent: Option<u32>,
    /// In the base; `None` if nothing has this name there: it is new.
    pub base: Option<NodeValues>,
    /// In the run; `None` if nothing has this name there.
    pub run: Option<NodeValues>,
    /// Run − base. Children sum to it exactly.
    pub delta: DurationNs,
    /// Spread over the steps of both, nanoseconds: √(s₁² + s₂²). `None` with fewer than two steps in both.
    pub spread_ns: Option<f64>,
}

impl ExplainNode {
    /// Whether the difference is not larger than the spread over steps or invocations.
    pub fn is_noise(&self) -> bool {
        self.spread_ns.is_some_and(|spread| self.delta.0.unsigned_abs() as f64 <= spread)
    }

    /// `new` or `gone`; `None` for what is in both.
    pub fn state(&self) -> Option<&'static str> {
        match (&self.base, &self.run) {
            (None, Some(_)) => Some("new"),
            (Some(_), None) => Some("gone"),
            _ => None,
        }
    }
}

/// One name in one profile.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct NodeValues {
    /// Exclusive time.
    pub time: DurationNs,
    /// How many start here.
    pub count: f64,
    /// Bytes of transfers.
    pub bytes: Option<f64>,
}
