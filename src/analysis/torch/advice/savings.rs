//! Calls and what could be saved of each: what advice about single operators is made of.

use super::{EVIDENCE_MAX, at_slice};
use crate::analysis::torch::View;
use crate::analysis::torch::core::names::operator_name;
use crate::analysis::torch::overview::Evidence;
use crate::base::{DurationNs, SliceId, largest, text};

/// Savings from this share of the steps on are reported.
pub(super) const COST_MIN: f64 = 0.02;

/// A slice of a call, and the nanoseconds that could be saved of it.
pub(super) type Saving = (u32, i64);

/// The calls with the largest savings.
pub(super) fn evidence(view: &View<'_>, all: &[Saving]) -> Vec<Evidence> {
    let label = |slice: u32, won: i64| {
        let name = operator_name(view.profile.name_of(SliceId(slice)));
        format!("{name}: {}", text::duration(DurationNs(won)))
    };
    largest(EVIDENCE_MAX, all.iter(), |w| w.1).into_iter().map(|&(slice, won)| at_slice(view, SliceId(slice), label(slice, won))).collect()
}

pub(super) fn sum(all: &[Saving]) -> DurationNs {
    all.iter().fold(DurationNs(0), |sum, w| DurationNs(sum.0.saturating_add(w.1)))
}
