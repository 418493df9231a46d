//! One metric of a run.

use serde::{Deserialize, Serialize};

/// One metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Which of the summaries.
    pub node: u32,
    /// Its name in the file.
    pub name: String,
    /// Heading it is under.
    pub group: String,
    /// The recorded value, if it is a number.
    pub file: Option<f64>,
    /// The recorded value, if it is a text.
    pub text: Option<String>,
    /// What the formula or the rows give.
    pub computed: Option<f64>,
    /// How.
    pub how: String,
    /// What it means, in the file's own words.
    pub meaning: String,
    /// Whether both are there and disagree.
    pub differs: bool,
    /// Whether they differ only by what rows lose that are of whole nanoseconds, or by the digits that the file has.
    pub is_rounded: bool,
    /// Half of the last digit of the recorded value, in its unit; `None` where it is not rounded.
    pub rounding: Option<f64>,
    /// Whether it is computed with clocks, an array size or a bandwidth that are published for the hardware and not recorded in the file.
    pub is_published: bool,
}
