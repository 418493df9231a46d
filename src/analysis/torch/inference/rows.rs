//! The device work of each step, and what follows from it.

use super::annotation::{Phase, StepKind, StepShape};
use super::find::{Found, Marked, candidates, find};
use super::groups::groups;
use super::{StepRow, StepTable, StepsQuery};
use crate::analysis::matcher::PatternError;
use crate::analysis::spans::{length, union};
use crate::analysis::torch::View;
use crate::analysis::torch::core::NodeTimes;
use crate::analysis::torch::efficiency::{Call, calls, device_peaks, launched_at};
use crate::base::{DurationNs, SliceId, TimeNs, text};
use crate::model::NO_SLICE;

/// Device work of a step.
#[derive(Debug, Default, Clone)]
struct Launched {
    /// (start, end) of each piece.
    spans: Vec<(i64, i64)>,
    /// The call that launched the piece before: pieces of one call follow each other.
    last_call: Option<u32>,
    n_launches: u64,
    flops: Option<u64>,
    /// Nanoseconds of the matrix operations at their peaks; `None` where a peak is not known.
    matrix_ns: Option<f64>,
}

/// The steps of a trace.
pub fn steps(view: &View<'_>, query: &StepsQuery) -> Result<StepTable, PatternError> {
    steps_with(view, query, true)
}

/// The same without FLOPs and MFU, which need a pass over all operators.
pub fn steps_without_work(view: &View<'_>, query: &StepsQuery) -> Result<StepTable, PatternError> {
    steps_with(view, query, false)
}

fn steps_with(view: &View<'_>, query: &StepsQuery, has_work: bool) -> Result<StepTable, PatternError> {
    let Found { marks, source } = find(view, &query.pattern)?;
    let slices = &view.profile.slices;
    let is_in = |m: &Marked| query.range.is_none_or(|r| r.start.0 <= m.start && m.start < r.end.0);
    let marks: Vec<Marked> = marks.into_iter().filter(is_in).collect();
    let (device, peaks) = device_peaks(view, query.peaks);
    let mut launched = vec![Launched { matrix_ns: peaks.map(|_| 0.0), ..Launched::default() }; marks.len()];
    // The latest end of each step and those before it.
    let reach: Vec<i64> = marks.iter().scan(i64::MIN, |latest, m| Some(std::mem::replace(latest, m.end.max(*latest)).max(m.end))).collect();
    // The step of a moment on the host: the last to begin that has not ended. Steps of two threads may overlap; of one thread they do not.
    let at = |time: i64| {
        let next = marks.partition_point(|m| m.start <= time);
        let is_open = next.checked_sub(1).is_some_and(|last| time < reach[last]);
        if is_open { marks[..next].iter().rposition(|m| time < m.end) } else { None }
    };
    let mut n_outside = 0u64;
    for (work, &slice) in view.model.events.work.iter().enumerate() {
        let call = view.model.launch[work];
        let step = (call != NO_SLICE).then(|| slices.start[call as usize]).and_then(at);
        let Some(step) = step.and_then(|step| launched.get_mut(step)) else {
            n_outside += 1;
            continue;
        };
        step.spans.push((slices.start[slice as usize], slices.end(slice as usize)));
        if step.last_call != Some(call) {
            (step.last_call, step.n_launches) = (Some(call), step.n_launches + 1);
        }
    }
    let add_work = |call: Call| {
        let step = launched_at(view, &call).and_then(at).and_then(|step| launched.get_mut(step));
        let Some(step) = step.filter(|_| !call.is_inner) else { return };
        step.flops = Some(step.flops.unwrap_or(0).saturating_add(call.work.flops));
        if call.work.is_matrix {
            step.matrix_ns = step.matrix_ns.zip(peaks.and_then(|p| p.roof(&call.work).compute_ns)).map(|(sum, ns)| sum + ns);
        }
    };
    if has_work {
        calls(view, &NodeTimes::new(view.profile, view.model), add_work);
    }
    let steps: Vec<StepRow> = marks.iter().zip(launched).map(|(mark, launched)| row(view, mark, launched)).collect();
    let mut out = StepTable { groups: groups(&steps), steps, source, candidates: candidates(view), device, notes: Vec::new() };
    notes(view, query, n_outside, &mut out);
    Ok(out)
}

fn row(view: &View<'_>, mark: &Marked, launched: Launched) -> StepRow {
    let name = view.profile.slices.name[mark.slice as usize];
    let n_work = launched.spans.len() as u64;
    let first = launched.spans.iter().map(|s| s.0).min();
    let last = launched.spans.iter().map(|s| s.1).max();
    let busy = (n_work > 0).then(|| length(&union(launched.spans)));
    let duration = last.map_or(mark.end, |last| last.max(mark.end)).saturating_sub(mark.start);
    let seconds = duration as f64 / 1e9;
    let shape = mark.shape;
    let kind = shape.map_or(StepKind::Step, |s| s.kind);
    let tokens = shape.and_then(|s| s.tokens());
    let ratio = |shape: StepShape| {
        let (requests, tokens) = (shape.decode.requests?, shape.decode.tokens?);
        (kind == StepKind::Decode && requests > 0 && tokens > 0).then(|| duration as f64 * requests as f64 / tokens as f64)
    };
    StepRow {
        name: view.profile.strings.get(name).into(),
        slice: SliceId(mark.slice),
        start: TimeNs(mark.start),
        engine: shape.map(|s| s.engine),
        kind,
        requests: shape.and_then(|s| s.requests),
        tokens,
        context: shape.and_then(|s| s.context()),
        prefill: shape.map_or(Phase::default(), |s| s.prefill),
        decode: shape.map_or(Phase::default(), |s| s.decode),
        host: DurationNs(mark.end.saturating_sub(mark.start)),
        duration: DurationNs(duration),
        busy: busy.map(DurationNs),
        gaps: busy.zip(first.zip(last)).map(|(busy, (first, last))| DurationNs(last.saturating_sub(first).saturating_sub(busy))),
        launch_delay: first.map(|first| DurationNs(first.saturating_sub(mark.start))),
        n_work,
        n_launches: launched.n_launches,
        tokens_per_s: tokens.filter(|_| duration > 0).map(|tokens| tokens as f64 / seconds),
        time_per_token_ns: shape.and_then(ratio),
        flops: launched.flops,
        mfu: launched.matrix_ns.filter(|_| duration > 0 && launched.flops.is_some()).map(|ns| ns / duration as f64),
        colour: view.colour(name),
    }
}

fn notes(view: &View<'_>, query: &StepsQuery, n_outside: u64, out: &mut StepTable) {
    if out.steps.is_empty() {
        out.notes.push(if query.range.is_some() {
            "No steps begin in this range.".into()
        } else if !query.pattern.is_empty() {
            format!("No annotation matches `{}`.", query.pattern)
        } else {
            "No steps are recorded in this trace: no annotation of a serving engine and no `ProfilerStep`. Choose the annotation that marks a step, or call `prof.step()` after each iteration.".into()
        });
        return;
    }
    if view.model.events.work.is_empty() {
        out.notes.push("No kernels are recorded in this trace, so device times of steps are not available.".into());
    } else if n_outside > 0 && query.range.is_none() {
        let (n, all) = (text::count(n_outside), text::count(view.model.events.work.len() as u64));
        out.notes.push(format!("{n} of {all} kernels and copies were launched outside these steps, or have no launch event."));
    }
    if out.steps.iter().all(|s| s.flops.is_none()) {
        out.notes.push("No operator of these steps has a model of its work, so FLOPs and MFU are not available; see Efficiency.".into());
    }
}
