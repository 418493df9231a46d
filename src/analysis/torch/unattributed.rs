//! Device work that belongs to no operator, and why.

use super::View;
use super::core::events::NONE;
use super::core::names;
use crate::base::{DurationNs, Order as _, StrId, TimeNs, TimeRange, text};
use crate::model::NO_SLICE;
use crate::model::replays::ReplayOutcome;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Why device work belongs to no operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// From a graph replay, without a trace of the graph's capture.
    NoCapture,
    /// From a graph replay that no capture fits.
    NoFit,
    /// From a graph replay that several captures fit, with different operators.
    Ambiguous,
    /// From a matched graph replay, but not in its capture or there outside operators.
    NotInCapture,
    /// Its launch is not in the trace.
    NoLaunch,
    /// Launched outside operators: by Python, a library, a module.
    OutsideOperators,
}

/// Device work of one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unattributed {
    /// Why.
    pub reason: Reason,
    /// The launching call; empty if the reason is sufficient.
    pub launch: String,
    /// Kernels, copies and sets.
    pub n: u64,
    /// Sum of their durations.
    pub time: DurationNs,
}

/// Device work that begins in `range` and belongs to no operator, by reason and launching call; longest first.
pub fn unattributed(view: &View<'_>, range: Option<TimeRange>) -> Vec<Unattributed> {
    let (model, slices) = (view.model, &view.profile.slices);
    let trees = &model.trees;
    // Parents are before their children.
    let mut is_in_operator = vec![false; trees.len()];
    for node in 0..trees.len() {
        let of_parent = is_in_operator.get(trees.parent[node] as usize).copied().unwrap_or(false);
        is_in_operator[node] = of_parent || model.is_operator(view.profile, node as u32);
    }
    let mut sums: FxHashMap<(Reason, StrId), (u64, i64)> = FxHashMap::default();
    for (work, &slice) in model.events.work.iter().enumerate() {
        let start = TimeNs(slices.start[slice as usize]);
        let node = model.node_of_work[work];
        let is_inside = range.is_none_or(|r| r.start <= start && start < r.end);
        if !is_inside || node != NONE && is_in_operator[node as usize] {
            continue;
        }
        let sum = sums.entry(reason(view, model.launch[work])).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(slices.duration[slice as usize]));
    }
    let row = |((reason, launch), (n, time)): ((Reason, StrId), (u64, i64))| Unattributed {
        reason,
        launch: view.profile.strings.get(launch).into(),
        n,
        time: DurationNs(time),
    };
    let mut out: Vec<Unattributed> = sums.into_iter().map(row).collect();
    out.order_by(|a, b| (b.time, a.reason, &a.launch).cmp(&(a.time, b.reason, &b.launch)));
    out
}

fn reason(view: &View<'_>, launch: u32) -> (Reason, StrId) {
    if launch == NO_SLICE {
        return (Reason::NoLaunch, StrId(0));
    }
    let replays = &view.torch.replays;
    let name = view.profile.slices.name[launch as usize];
    if view.model.names.of(name) & names::GRAPH_LAUNCH == 0 {
        return (Reason::OutsideOperators, name);
    }
    let found = replays.launches.binary_search_by_key(&launch, |l| l.slice).ok().map(|at| replays.launches[at].outcome);
    let reason = match found {
        None => Reason::NoCapture,
        Some(ReplayOutcome::NoFit) => Reason::NoFit,
        Some(ReplayOutcome::Ambiguous) => Reason::Ambiguous,
        Some(ReplayOutcome::Matched | ReplayOutcome::MatchedSeveral | ReplayOutcome::MatchedSmaller) => Reason::NotInCapture,
    };
    (reason, StrId(0))
}

/// How to record the capture of graphs.
const HOW: &str = "Record the capture too (vLLM: `--profiler-config.capture_torch_profiler True`; SGLang: `--enable-profile-cuda-graph`) and open `capture_traces` together with this trace.";

/// A sentence for each reason.
pub fn sentences(rows: &[Unattributed]) -> Vec<String> {
    let mut reasons: Vec<Reason> = rows.iter().map(|r| r.reason).collect();
    reasons.order();
    reasons.dedup();
    let sentence = |reason: Reason| {
        let of = || rows.iter().filter(|r| r.reason == reason);
        let n: u64 = of().map(|r| r.n).sum();
        let time = of().fold(0i64, |sum, r| sum.saturating_add(r.time.0));
        let (n, time) = (text::count(n), text::duration(DurationNs(time)));
        let what = format!("{n} kernels and copies ({time})");
        match reason {
            Reason::NoCapture => {
                format!("{what} of graph replays are not attributed to an operator: a replay records kernels only. {HOW}")
            }
            Reason::NoFit => format!("{what} of graph replays are not attributed to an operator: no capture trace has the same kernels."),
            Reason::Ambiguous => format!(
                "{what} of graph replays are not attributed to an operator: several captures fit equally well and have different operators."
            ),
            Reason::NotInCapture => {
                format!("{what} of graph replays are not attributed to an operator: they are not in an operator of their capture.")
            }
            Reason::NoLaunch => {
                format!("{what} have no launch event in this trace and are not attributed to an operator.")
            }
            Reason::OutsideOperators => {
                let calls: Vec<&str> = of().map(|r| r.launch.as_str()).take(3).collect();
                format!("{what} were launched outside operators ({}) and are not attributed to one.", calls.join(", "))
            }
        }
    };
    reasons.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_one_sentence() {
        let row = |reason, launch: &str, n| Unattributed { reason, launch: launch.into(), n, time: DurationNs(1_000 * n as i64) };
        let found = sentences(&[
            row(Reason::OutsideOperators, "hipLaunchKernel", 2),
            row(Reason::NoCapture, "", 7),
            row(Reason::OutsideOperators, "hipModuleLaunchKernel", 1),
        ]);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("7 kernels and copies (7.00 µs) of graph replays"), "{}", found[0]);
        assert!(
            found[1].starts_with("3 kernels and copies (3.00 µs) were launched outside operators (hipLaunchKernel, hipModuleLaunchKernel)")
        );
        assert!(sentences(&[]).is_empty());
    }
}
