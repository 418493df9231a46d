//! What changed in a system profile, or in the mean invocation of a model, in words.

use super::sentences::headline;
use super::{ExplainUnit, Sentence};
use crate::base::{DurationNs, text};

/// The sentence of a unit: total with its spread over invocations.
pub(super) fn of_unit(unit: &ExplainUnit) -> Vec<Sentence> {
    let Some(total) = unit.total() else { return Vec::new() };
    let mut first = headline(unit, total, "exclusive");
    let (m, n) = unit.n_samples;
    if m.max(n) < 2 {
        return vec![first];
    }
    first.text = format!("{}: {}", unit.name, first.text);
    let (m, n) = (text::count(m.into()), text::count(n.into()));
    if let Some(spread) = total.spread_ns {
        let spread = text::duration(DurationNs(spread.round() as i64));
        first.evidence.push(format!("Invocations: {m} → {n}; spread of both (√(s₁² + s₂²)): {spread}"));
        if total.is_noise() && total.delta.0 != 0 {
            first.text.push_str(&format!(" The difference is within the spread over invocations ({spread})."));
        }
    }
    vec![first]
}
