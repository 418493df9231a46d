//! Lengths of the sequences of each step, for operators whose work depends on them.

use super::find::find;
use crate::analysis::torch::View;
use crate::analysis::torch::core::names::operator_name;
use crate::analysis::torch::work::StepLengths;
use crate::analysis::torch::work::paged::{SequenceLengths, needs_lengths};

/// Lengths of the steps that record them, by start; empty where no operator needs them.
pub fn step_lengths(view: &View<'_>) -> StepLengths {
    if !view.profile.strings.iter().any(|(_, name)| needs_lengths(operator_name(name))) {
        return StepLengths::new();
    }
    // Without a pattern nothing can be wrong with it.
    let marks = find(view, "").unwrap_or_default().marks;
    let lengths = |mark: &super::find::Marked| {
        let shape = mark.shape?;
        Some((mark.start, mark.end, SequenceLengths { keys: shape.context()?, pairs: shape.pairs()? }))
    };
    marks.iter().filter_map(lengths).collect()
}
