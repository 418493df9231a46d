//! Steps of a trace by annotations: of LLM serving with requests and tokens, of training (`ProfilerStep#`), or of any name the user gives. Each with the
//! device work that was launched in it.

pub mod annotation;
mod find;
mod groups;
mod lengths;
mod rows;

use super::work::peaks::OwnPeaks;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange};
use annotation::{Engine, Phase, StepKind};
use serde::{Deserialize, Serialize};

pub(super) use lengths::step_lengths;
pub use rows::{steps, steps_without_work};

/// Which steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct StepsQuery {
    /// Steps that begin in this range. `None` is the entire trace.
    pub range: Option<TimeRange>,
    /// Regular expression for the names of annotations that are steps; empty for those that are recognised.
    pub pattern: String,
    /// Peaks to use instead of the published ones.
    pub peaks: Option<OwnPeaks>,
}

/// Answer to [`StepsQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepTable {
    /// Ordered by start.
    pub steps: Vec<StepRow>,
    /// Percentiles by kind and number of requests, in this order; with [`None`] requests all of a kind.
    pub groups: Vec<StepGroup>,
    /// What the steps are: names of serving engines, `ProfilerStep`, `model_inference`, or the pattern.
    pub source: String,
    /// Names of annotations that could be steps, digits as `#`: (regular expression, how many).
    pub candidates: Vec<(String, u64)>,
    /// The device that the peaks are of, as its driver names it; empty where it is not recorded.
    pub device: String,
    /// Sentences on what this trace cannot show.
    pub notes: Vec<String>,
}

/// A step. What is not recorded is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The name of its annotation.
    pub name: String,
    /// The annotation.
    pub slice: SliceId,
    /// When it began.
    pub start: TimeNs,
    /// What wrote the annotation.
    pub engine: Option<Engine>,
    /// What it ran.
    pub kind: StepKind,
    /// Requests.
    pub requests: Option<u64>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// Sum of the lengths of all sequences.
    pub context: Option<u64>,
    /// Requests that read their prompt.
    pub prefill: Phase,
    /// Requests that generate.
    pub decode: Phase,
    /// Duration of the annotation on the host.
    pub host: DurationNs,
    /// From the start of the annotation to its end or the end of its last device work, whichever is later.
    pub duration: DurationNs,
    /// Time in which at least one piece of its device work ran; `None` without device work.
    pub busy: Option<DurationNs>,
    /// Time between its first and last device work in which none of it ran.
    pub gaps: Option<DurationNs>,
    /// From the start of the annotation to its first device work.
    pub launch_delay: Option<DurationNs>,
    /// Kernels, copies and sets that it launched.
    pub n_work: u64,
    /// Calls that launched device work, graph launches included.
    pub n_launches: u64,
    /// Tokens ÷ duration.
    pub tokens_per_s: Option<f64>,
    /// Duration ÷ tokens that each request generates: the time a request waits for a token. Of decode steps.
    pub time_per_token_ns: Option<f64>,
    /// Operations of its calls with a model.
    pub flops: Option<u64>,
    /// Model FLOPs utilization (0 to 1): the time that its matrix operations take at the peak of their types ÷ duration.
    pub mfu: Option<f64>,
    /// Colour slot of its name.
    pub colour: u16,
}

/// Steps of a kind with the same number of requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepGroup {
    /// Kind of its steps.
    pub kind: StepKind,
    /// Requests of each; `None` for all steps of the kind.
    pub requests: Option<u64>,
    /// How many.
    pub n: u64,
    /// Durations, nearest rank: median, 90%, 99%, longest.
    pub percentiles: [DurationNs; 4],
    /// Mean of the durations, nanoseconds.
    pub mean_ns: f64,
    /// Sum of device busy time ÷ sum of durations.
    pub busy_share: Option<f64>,
    /// Sum of tokens ÷ sum of durations.
    pub tokens_per_s: Option<f64>,
    /// Median of the times per token, nanoseconds.
    pub time_per_token_ns: Option<f64>,
}
