//! Advice on the overview. Each has its threshold, its cost and how it is computed.

mod classic;
mod idle;
mod modern;
mod rates;
mod savings;
mod serving;
mod waves;

use super::View;
use super::overview::{Category, Evidence, Overview, Recommendation};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, text};

/// Places a piece of advice points at.
const EVIDENCE_MAX: usize = 5;

/// All that applies, most expensive first; what has no cost in time comes last.
pub fn recommendations(view: &View<'_>, overview: &Overview) -> Vec<Recommendation> {
    if overview.steps.is_empty() {
        return Vec::new();
    }
    let mut out = classic::recommendations(view, overview);
    out.extend(modern::recommendations(view, overview));
    out.extend(rates::recommendations(view, overview));
    out.extend(serving::recommendations(view, overview));
    out.order_by_key(|r| std::cmp::Reverse(r.cost));
    out
}

/// Idle time of the devices within the steps: (start, end, place of the cause in `model::fleet::IDLE_CAUSES`).
pub fn idle_gaps(view: &View<'_>, overview: &Overview) -> Vec<(i64, i64, usize)> {
    idle::gaps(view, overview).iter().map(|gap| (gap.start, gap.end, gap.cause as usize)).collect()
}

/// Sum of a category over the steps.
fn sum(overview: &Overview, category: Category) -> DurationNs {
    DurationNs(overview.steps.iter().map(|s| s.parts[category as usize].0).sum())
}

/// Sum of the steps' lengths.
fn whole(overview: &Overview) -> DurationNs {
    DurationNs(overview.steps.iter().map(|s| s.total.0).sum())
}

/// Share (0 to 1) of `part` in `whole`.
fn share(part: DurationNs, whole: DurationNs) -> f64 {
    if whole.0 > 0 { part.0 as f64 / whole.0 as f64 } else { 0.0 }
}

/// `12.3%`.
fn percent(share: f64) -> String {
    format!("{}%", text::three_digits(share * 100.0))
}

/// Evidence for a slice.
fn at_slice(view: &View<'_>, slice: SliceId, label: String) -> Evidence {
    let slices = &view.profile.slices;
    let range = TimeRange { start: TimeNs(slices.start[slice.index()]), end: TimeNs(slices.end(slice.index())) };
    Evidence { label, range, slice: Some(slice) }
}

/// The steps with the most of a category.
fn worst_steps(overview: &Overview, category: Category) -> Vec<Evidence> {
    let mut steps: Vec<_> = overview.steps.iter().filter(|s| s.parts[category as usize].0 > 0).collect();
    steps.order_by_key(|s| std::cmp::Reverse(s.parts[category as usize]));
    let label = |s: &super::overview::StepRow| format!("Step {}: {}", s.name, text::duration(s.parts[category as usize]));
    let evidence =
        |s: &super::overview::StepRow| Evidence { label: label(s), range: TimeRange { start: s.start, end: s.end }, slice: s.slice };
    steps.into_iter().take(EVIDENCE_MAX).map(evidence).collect()
}
