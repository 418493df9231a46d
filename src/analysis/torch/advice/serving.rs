//! Advice on steps of LLM serving and on compiled programs: decode bound by launches, gaps between graph launches, uneven batches, recompilation.

use super::{EVIDENCE_MAX, at_slice, percent, share, whole};
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::core::names;
use crate::analysis::torch::inference::annotation::StepKind;
use crate::analysis::torch::inference::{self, StepRow, StepsQuery};
use crate::analysis::torch::overview::{Evidence, Overview, Recommendation};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, largest, text};
use crate::model::NO_SLICE;
use rustc_hash::FxHashMap;

/// A decode step waits for launches when its device is idle for more than this share of it.
const IDLE_MIN: f64 = 0.4;
/// Launches of a step from which they, and not one graph, are what it waits for.
const LAUNCHES_MIN: u64 = 20;
/// Gaps between graph replays, as a share of the steps.
const GAPS_MIN: f64 = 0.05;
/// Decode steps from which a batch can be called uneven.
const STEPS_MIN: usize = 8;
/// Requests of the median step, as a share of the largest.
const EVEN_MIN: f64 = 0.5;

pub fn recommendations(view: &View<'_>, overview: &Overview) -> Vec<Recommendation> {
    let (Some(first), Some(last)) = (overview.steps.first(), overview.steps.last()) else { return Vec::new() };
    let mut steps = inference::steps_without_work(view, &StepsQuery::default()).map(|t| t.steps).unwrap_or_default();
    // An annotation begins before the first operator in it, where a trace without marks begins its only step.
    steps.retain(|s| s.start < last.end && first.start.0 < s.start.0.saturating_add(s.duration.0));
    let found = [launch_bound_decode(&steps), graph_gaps(view, overview), uneven_batch(&steps), recompilation(view, overview)];
    found.into_iter().flatten().collect()
}

fn at_step(step: &StepRow, label: String) -> Evidence {
    let range = TimeRange { start: step.start, end: TimeNs(step.start.0.saturating_add(step.duration.0)) };
    Evidence { label, range, slice: Some(step.slice) }
}

fn launch_bound_decode(steps: &[StepRow]) -> Option<Recommendation> {
    let decode: Vec<&StepRow> = steps.iter().filter(|s| s.kind == StepKind::Decode && s.busy.is_some()).collect();
    let idle = |s: &StepRow| s.duration.0.saturating_sub(s.busy.map_or(0, |b| b.0)).max(0);
    let is_bound = |s: &&StepRow| s.n_launches >= LAUNCHES_MIN && share(DurationNs(idle(s)), s.duration) > IDLE_MIN;
    let bound: Vec<&StepRow> = decode.iter().copied().filter(is_bound).collect();
    let cost = DurationNs(bound.iter().map(|s| idle(s)).sum());
    (!bound.is_empty()).then(|| Recommendation {
        id: "decode_launch_bound".into(),
        title: "Decode steps wait for launches".into(),
        text: format!(
            "In {} of {} decode steps the device is idle for more than 40% of the step while the host launches kernels one by one: {}. Use CUDA or HIP graphs for decode (vLLM: without `--enforce-eager`; SGLang: without `--disable-cuda-graph`).",
            text::count(bound.len() as u64),
            text::count(decode.len() as u64),
            text::duration(cost)
        ),
        threshold: "20 or more launches and over 40% idle in a decode step".into(),
        how: "Duration of the step minus the time in which its kernels ran.".into(),
        cost: Some(cost),
        evidence: largest(EVIDENCE_MAX, bound.iter(), |s| idle(s))
            .into_iter()
            .map(|s| at_step(s, format!("{}: {} idle", s.name, text::duration(DurationNs(idle(s))))))
            .collect(),
        link: "https://docs.vllm.ai/en/latest/design/cuda_graphs.html".into(),
    })
}

/// Time between the end of a graph replay and the begin of the next, launched later than that.
fn graph_gaps(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let slices = &view.profile.slices;
    // Keyed by launch: first start and last end of its work.
    let mut replays: FxHashMap<u32, (i64, i64)> = FxHashMap::default();
    for (work, &slice) in view.model.events.work.iter().enumerate() {
        let launch = view.model.launch[work];
        if launch != NO_SLICE && view.model.names.of(slices.name[launch as usize]) & names::GRAPH_LAUNCH != 0 {
            let span = replays.entry(launch).or_insert((i64::MAX, i64::MIN));
            *span = (span.0.min(slices.start[slice as usize]), span.1.max(slices.end(slice as usize)));
        }
    }
    let mut all: Vec<(i64, i64, u32)> = replays.into_iter().map(|(launch, (start, end))| (start, end, launch)).collect();
    all.sort_unstable();
    let (first, last) = (overview.steps.first()?.start.0, overview.steps.last()?.end.0);
    let gap = |pair: &[(i64, i64, u32)]| {
        let (from, to, launch) = (pair[0].1.max(first), pair[1].0.min(last), pair[1].2);
        (slices.start[launch as usize] > from && to > from).then_some((from, to, launch))
    };
    let gaps: Vec<(i64, i64, u32)> = all.windows(2).filter_map(gap).collect();
    let cost = DurationNs(gaps.iter().map(|g| g.1 - g.0).sum());
    let part = share(cost, whole(overview));
    (part > GAPS_MIN).then(|| Recommendation {
        id: "graph_gaps".into(),
        title: "Gaps between graph launches".into(),
        text: format!(
            "The device waits {} ({} of the steps) between {} graph replays for the host to launch the next graph. Look at what the host does there: scheduling, sampling, detokenization; try asynchronous scheduling or several steps for each launch.",
            text::duration(cost),
            percent(part),
            text::count(gaps.len() as u64)
        ),
        threshold: "over 5% of the time of the steps".into(),
        how: "From the end of the last kernel of a replay to the first kernel of the next, where the launch came after the first of both.".into(),
        cost: Some(cost),
        evidence: largest(EVIDENCE_MAX, gaps.iter(), |g| g.1 - g.0)
            .into_iter()
            .map(|&(start, end, launch)| Evidence {
                label: text::duration(DurationNs(end - start)),
                range: TimeRange { start: TimeNs(start), end: TimeNs(end) },
                slice: Some(SliceId(launch)),
            })
            .collect(),
        link: String::new(),
    })
}

fn uneven_batch(steps: &[StepRow]) -> Option<Recommendation> {
    let mut decode: Vec<(&StepRow, u64)> =
        steps.iter().filter(|s| s.kind == StepKind::Decode).filter_map(|s| Some((s, s.requests?))).collect();
    decode.order_by_key(|s| s.1);
    let (median, most) = (decode.get(decode.len() / 2)?.1, decode.last()?.1);
    (decode.len() >= STEPS_MIN && (median as f64) < most as f64 * EVEN_MIN).then(|| Recommendation {
        id: "uneven_batch".into(),
        title: "Uneven batches".into(),
        text: format!(
            "The largest decode step has {} requests, the median one {}. Small steps read the same weights for fewer tokens: check the arrival of requests, and limits of the scheduler.",
            text::count(most),
            text::count(median)
        ),
        threshold: "8 or more decode steps, the median under half of the largest".into(),
        how: "Requests in the annotations of decode steps.".into(),
        cost: None,
        evidence: decode.iter().take(EVIDENCE_MAX).map(|(s, n)| at_step(s, format!("{n} requests"))).collect(),
        link: String::new(),
    })
}

/// Whether a name is of a compilation, or of running a recompiled region of Dynamo.
fn is_recompilation(name: &str) -> bool {
    // Torch-Compiled Region: FRAME/RECOMPILATION
    let recompiled = name.strip_prefix("Torch-Compiled Region: ").and_then(|rest| {
        let number = rest.split_once('/')?.1;
        number.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok()
    });
    recompiled.is_some_and(|n| n > 0)
}

fn is_compilation(name: &str) -> bool {
    name.contains("(dynamo_timed)") && (name.starts_with("_compile.") || name.starts_with("entire_frame_compile"))
}

fn recompilation(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let slices = &view.profile.slices;
    let name = |slice: u32| view.profile.name_of(SliceId(slice));
    let is_in = |slice: u32| {
        let start = slices.start[slice as usize];
        let after = overview.steps.partition_point(|s| s.start.0 <= start);
        after.checked_sub(1).is_some_and(|at| start < overview.steps[at].end.0)
    };
    let host = || view.model.events.host.iter().copied().filter(|&s| view.model.class[s as usize] != Class::Module && is_in(s));
    let compiled: Vec<u32> = host().filter(|&s| is_compilation(name(s))).collect();
    let recompiled: Vec<u32> = host().filter(|&s| is_recompilation(name(s))).collect();
    if compiled.is_empty() && recompiled.is_empty() {
        return None;
    }
    let spans = compiled.iter().map(|&s| (slices.start[s as usize], slices.end(s as usize))).collect();
    let cost = DurationNs(crate::analysis::spans::length(&crate::analysis::spans::union(spans)));
    let mut sentences = Vec::new();
    if cost.0 > 0 {
        sentences.push(format!("{} compilations take {} within the steps", text::count(compiled.len() as u64), text::duration(cost)));
    }
    if !recompiled.is_empty() {
        sentences.push(format!("{} calls run a region that was compiled again", text::count(recompiled.len() as u64)));
    }
    let evidence = largest(EVIDENCE_MAX, compiled.iter().chain(&recompiled), |&&s| slices.duration[s as usize]);
    Some(Recommendation {
        id: "recompilation".into(),
        title: "Recompilation".into(),
        text: format!(
            "{}. Find the guards that fail with `TORCH_LOGS=recompiles`; mark sizes that change with `torch._dynamo.mark_dynamic`, and warm up before profiling.",
            sentences.join("; ")
        ),
        threshold: "any compilation or recompiled region within the steps".into(),
        how: "Annotations `… (dynamo_timed)` of compilations, and `Torch-Compiled Region: FRAME/N` with N above 0.".into(),
        cost: (cost.0 > 0).then_some(cost),
        evidence: evidence.into_iter().map(|&s| at_slice(view, SliceId(s), name(s).into())).collect(),
        link: "https://pytorch.org/docs/stable/torch.compiler_troubleshooting.html".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilations() {
        assert!(is_recompilation("Torch-Compiled Region: 0/1"));
        assert!(is_recompilation("Torch-Compiled Region: 3/12 (Cache Lookup)"));
        assert!(
            !is_recompilation("Torch-Compiled Region: 3/0") && !is_recompilation("Torch-Compiled Region: 3") && !is_recompilation("x 0/1")
        );
        assert!(is_compilation("_compile.compile_inner (dynamo_timed)") && is_compilation("entire_frame_compile (dynamo_timed)"));
        assert!(!is_compilation("CachingAutotuner.benchmark_all_configs (dynamo_timed)") && !is_compilation("_compile"));
    }
}
