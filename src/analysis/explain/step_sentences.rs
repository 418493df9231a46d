//! What changed in the mean step of a PyTorch trace, in words.

use super::sentences::{both, headline};
use super::{ExplainUnit, Sentence, StepFacts};
use crate::base::{DurationNs, text};

/// The sentences of a step: total with its spread, kernels and launches, communication, idle devices.
pub(super) fn of_step(base: &StepFacts, run: &StepFacts, unit: &ExplainUnit) -> Vec<Sentence> {
    let Some(total) = unit.total() else { return Vec::new() };
    let mut first = headline(unit, total, "exclusive");
    let (m, n) = unit.n_samples;
    first.text = format!("Mean step: {}", first.text);
    match total.spread_ns {
        Some(spread) => {
            let spread_text = text::duration(DurationNs(spread.round() as i64));
            first.evidence.push(format!("Steps: {m} → {n}; spread of both (√(s₁² + s₂²)): {spread_text}"));
            if total.is_noise() {
                first.text.push_str(&format!(" The difference is within the spread over steps ({spread_text})."));
            }
        }
        None => first.evidence.push(format!("Steps: {m} → {n}; a spread needs at least two steps")),
    }
    let mut out = vec![first];
    out.extend(kernels(base, run));
    out.extend(communication(base, run));
    out.extend(idle(base, run, unit));
    out
}

/// A mean count: without a fraction where it has none.
fn mean(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..9e15).contains(&value) { text::count(value as u64) } else { text::three_digits(value) }
}

fn kernels(base: &StepFacts, run: &StepFacts) -> Option<Sentence> {
    if base.kernels == 0.0 && run.kernels == 0.0 {
        return None;
    }
    let change = |what: &str, a: f64, b: f64| {
        if a == b { format!("{} {what}", mean(a)) } else { format!("{} → {} {what}", mean(a), mean(b)) }
    };
    let kernels = change("kernels, copies and sets", base.kernels, run.kernels);
    let launches = change("launches", base.launches, run.launches);
    let evidence = vec!["Device events with start inside a step, and runtime calls that launched any, ÷ steps".into()];
    Some(Sentence { text: format!("Per step: {kernels}, {launches}."), evidence })
}

fn communication(base: &StepFacts, run: &StepFacts) -> Option<Sentence> {
    if base.communication_ns == 0.0 && run.communication_ns == 0.0 {
        return None;
    }
    let (all, exposed) = ((base.communication_ns, run.communication_ns), (base.exposed_ns, run.exposed_ns));
    let text = format!(
        "Communication takes {} per step; {} is exposed.",
        both(all.0.round() as i64, all.1.round() as i64),
        both(exposed.0.round() as i64, exposed.1.round() as i64)
    );
    Some(Sentence { text, evidence: vec!["Exposed: no computation runs at the same time".into()] })
}

fn idle(base: &StepFacts, run: &StepFacts, unit: &ExplainUnit) -> Option<Sentence> {
    let (a, b) = base.device_busy_ns.zip(run.device_busy_ns)?;
    let total = unit.total()?;
    let length = |v: &Option<super::NodeValues>| v.map_or(0.0, |v| v.time.0 as f64);
    let (idle_a, idle_b) = ((length(&total.base) - a).max(0.0), (length(&total.run) - b).max(0.0));
    let share = |idle: f64, of: f64| if of > 0.0 { text::percent(idle / of) } else { text::percent(0.0) };
    let text = format!(
        "No device works during {} per step ({} → {}).",
        both(idle_a.round() as i64, idle_b.round() as i64),
        share(idle_a, length(&total.base)),
        share(idle_b, length(&total.run))
    );
    let evidence = vec![format!("Time with any kernel, copy or set per step: {}", both(a.round() as i64, b.round() as i64))];
    Some(Sentence { text, evidence })
}
