//! What AWS's tutorial teaches to see in an operator timeline, found by rule.

use super::busy::Busy;
use super::names::Operators;
use super::{Level, part_of, slices, span, tracks};
use crate::analysis::spans::Spans;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, text};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Part, Role};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Something to see in the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caption {
    /// Stable word: `input_transfer`, `early_constants`, `lookup_table`, `memory_allocated`, `gap_filled`.
    pub kind: String,
    /// The sentence.
    pub text: String,
    /// When it begins.
    pub start: TimeNs,
    /// How long it takes.
    pub duration: DurationNs,
    /// A slice that shows it.
    pub slice: Option<SliceId>,
}

/// No more captions of one kind than these.
const N_OF_A_KIND: usize = 8;
/// A pause of execution shorter than this share of all of it is not remarked on.
const GAP_SHARE: f64 = 0.02;

/// Operators whose lowering reads a lookup table on the scalar engine.
const TABLED: [&str; 9] = ["tanh", "gelu", "sigmoid", "logistic", "exp", "erf", "softplus", "silu", "log"];
/// Operators whose lowering compares with a constant.
const CONSTANT: [&str; 4] = ["relu", "maximum", "threshold", "clamp"];

/// All captions, by start.
pub(super) fn captions(profile: &Profile, log: &NeuronLog, busy: &Busy<'_>) -> Vec<Caption> {
    let mut out = Vec::new();
    let execution = busy.of(|r| level_in(r, Part::Execution));
    if let Some((begin, _)) = execution.bounds() {
        let mut names = Operators::new(profile);
        early_transfers(profile, log, begin, &mut names, &mut out);
        control(profile, log, &mut names, &mut out);
        filled_gaps(busy, &execution, &mut out);
    }
    let mut n: FxHashMap<String, usize> = FxHashMap::default();
    out.order_by_key(|c| (c.start, c.duration));
    out.retain(|c| {
        let n = n.entry(c.kind.clone()).or_default();
        *n += 1;
        *n <= N_OF_A_KIND
    });
    out
}

fn level_in(role: Role, part: Part) -> bool {
    (Level::Framework.is_row(role) || Level::Hlo.is_row(role)) && part_of(role) == Some(part)
}

/// First start of each operator of the framework in a part, by its number in `names`; `i64::MAX` for those that are not there.
fn first_of_operators(profile: &Profile, log: &NeuronLog, part: Part, names: &mut Operators) -> Vec<i64> {
    let mut out: Vec<i64> = Vec::new();
    for track in tracks(log, |r| r == Role::FrameworkOps(part)) {
        for slice in slices(profile, track) {
            let at = names.of(profile, slice);
            if at >= out.len() {
                out.resize(at + 1, i64::MAX);
            }
            out[at] = out[at].min(span(profile, slice).0);
        }
    }
    out
}

/// Notes a number; whether it was new.
fn is_new(seen: &mut Vec<bool>, at: usize) -> bool {
    if at >= seen.len() {
        seen.resize(at + 1, false);
    }
    !std::mem::replace(&mut seen[at], true)
}

/// Whether a name is that of an input: a parameter, or device data of a lazy tensor.
fn is_input(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parameter = lower
        .strip_prefix("%p")
        .or(lower.strip_prefix('p'))
        .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()) && n.contains('.'));
    parameter || ["parameter", "device_data", "input"].iter().any(|w| lower.contains(w))
}

/// What is transferred before anything executes: inputs and constants.
fn early_transfers(profile: &Profile, log: &NeuronLog, begin: i64, names: &mut Operators, out: &mut Vec<Caption>) {
    let mut seen: Vec<bool> = Vec::new();
    for track in tracks(log, |r| r == Role::FrameworkOps(Part::Transfer)) {
        for slice in slices(profile, track) {
            let (start, end) = span(profile, slice);
            if start >= begin || !is_new(&mut seen, names.of(profile, slice)) {
                continue;
            }
            let name = names.name_of(profile, slice);
            let lower = name.to_ascii_lowercase();
            let is_constant = CONSTANT.iter().any(|w| lower.contains(w));
            let (kind, text) = if is_input(profile.name_of(slice)) {
                (
                    "input_transfer",
                    format!(
                        "`{name}` is transferred before execution: it is an input. A mark_step flow moves its inputs to the device in every step."
                    ),
                )
            } else if is_constant {
                (
                    "early_constants",
                    format!(
                        "`{name}` transfers data before execution: its lowering writes constants early, such as the zeros of max(x, 0)."
                    ),
                )
            } else if lower.contains("broadcast") || lower.contains("empty") || lower.contains("alloc") {
                ("memory_allocated", format!("`{name}` transfers data before execution: memory is set up for the operator."))
            } else {
                continue;
            };
            out.push(caption(kind, text, (start, end), Some(slice)));
        }
    }
}

/// Control work of an operator before it first executes: its lookup table is loaded.
fn control(profile: &Profile, log: &NeuronLog, names: &mut Operators, out: &mut Vec<Caption>) {
    let execution = first_of_operators(profile, log, Part::Execution, names);
    let mut seen: Vec<bool> = Vec::new();
    for track in tracks(log, |r| r == Role::FrameworkOps(Part::Control)) {
        for slice in slices(profile, track) {
            let (start, end) = span(profile, slice);
            let at = names.of(profile, slice);
            if execution.get(at).is_some_and(|first| start >= *first) || !is_new(&mut seen, at) {
                continue;
            }
            let name = names.name_of(profile, slice);
            let lower = name.to_ascii_lowercase();
            if !TABLED.iter().any(|w| lower.contains(w)) {
                continue;
            }
            out.push(caption(
                "lookup_table",
                format!("`{name}` runs control work before execution: its lookup table is preloaded."),
                (start, end),
                Some(slice),
            ));
        }
    }
}

/// Pauses of execution that transfers fill.
fn filled_gaps(busy: &Busy<'_>, execution: &Spans, out: &mut Vec<Caption>) {
    let transfer = busy.of(|r| level_in(r, Part::Transfer) || r == Role::DmaBusy);
    let Some((start, end)) = execution.bounds() else {
        return;
    };
    let mut gaps: Vec<(i64, i64)> = execution.gaps(start, end).0;
    gaps.retain(|g| (g.1 - g.0) as f64 >= (end - start) as f64 * GAP_SHARE);
    gaps.order_by_key(|g| std::cmp::Reverse(g.1 - g.0));
    for gap in gaps.into_iter().take(N_OF_A_KIND) {
        let filled = filled_share(&transfer, gap);
        if filled >= 0.5 {
            let length = text::duration(DurationNs(gap.1 - gap.0));
            out.push(caption(
                "gap_filled",
                format!("Execution pauses for {length}; data is transferred during {} of this gap.", text::percent(filled)),
                gap,
                None,
            ));
        }
    }
}

fn filled_share(transfer: &Spans, gap: (i64, i64)) -> f64 {
    transfer.total_within(gap.0, gap.1) as f64 / (gap.1 - gap.0).max(1) as f64
}

fn caption(kind: &str, text: String, (start, end): (i64, i64), slice: Option<SliceId>) -> Caption {
    Caption { kind: kind.into(), text, start: TimeNs(start), duration: DurationNs(end.saturating_sub(start)), slice }
}
