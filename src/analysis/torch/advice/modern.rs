//! Advice that today's traces allow: launches, idle gaps, overlap of communication, small kernels, synchronisation, pageable copies.

use super::idle::{Cause, Gap, gaps};
use super::{EVIDENCE_MAX, at_slice, percent, share, whole};
use crate::analysis::spans::{common, length, union, without};
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::core::names;
use crate::analysis::torch::overview::{Evidence, Overview, Recommendation, StepRow};
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, largest, text};
use crate::model::NO_SLICE;

/// A step is launch-bound when its device waits this share of it for launches.
const LAUNCH_BOUND_MIN: f64 = 0.2;
const IDLE_MIN: f64 = 0.1;
const EXPOSED_MIN: f64 = 0.05;
/// A small kernel: about what a launch costs the host.
const SMALL_NS: i64 = 10_000;
const SMALL_SHARE_MIN: f64 = 0.5;
/// Fewer kernels than this prove nothing.
const SMALL_COUNT_MIN: usize = 100;
const WAITING_MIN: f64 = 0.01;
const PAGEABLE_MIN: f64 = 0.01;

pub fn recommendations(view: &View<'_>, overview: &Overview) -> Vec<Recommendation> {
    let gaps = gaps(view, overview);
    let all = [
        launch_bound(overview, &gaps),
        idle(overview, &gaps),
        exposed_communication(view, overview),
        small_kernels(view, overview),
        waiting_calls(view, overview),
        pageable_copies(view, overview),
    ];
    all.into_iter().flatten().collect()
}

fn span(start: i64, end: i64) -> TimeRange {
    TimeRange { start: TimeNs(start), end: TimeNs(end) }
}

/// Items within the steps.
fn is_in_steps(overview: &Overview, start: i64) -> bool {
    let after = overview.steps.partition_point(|s| s.start.0 <= start);
    after.checked_sub(1).is_some_and(|at| start < overview.steps[at].end.0)
}

fn launch_bound(overview: &Overview, gaps: &[Gap]) -> Option<Recommendation> {
    let mut waited = vec![0i64; overview.steps.len()];
    for gap in gaps.iter().filter(|g| g.cause == Cause::HostLate) {
        let first = overview.steps.partition_point(|s| s.end.0 <= gap.start);
        for (step, waited) in overview.steps.iter().zip(&mut waited).skip(first).take_while(|(s, _)| s.start.0 < gap.end) {
            *waited += (gap.end.min(step.end.0) - gap.start.max(step.start.0)).max(0);
        }
    }
    let bound: Vec<(&StepRow, i64)> =
        overview.steps.iter().zip(waited).filter(|(s, waited)| share(DurationNs(*waited), s.total) > LAUNCH_BOUND_MIN).collect();
    let cost = DurationNs(bound.iter().map(|b| b.1).sum());
    let worst = largest(EVIDENCE_MAX, bound.iter(), |b| b.1);
    (!bound.is_empty()).then(|| Recommendation {
        id: "launch_bound".into(),
        title: "Launch-bound steps".into(),
        text: format!(
            "In {} of {} steps the device waits {} for the host to launch the next kernel. Try torch.compile or CUDA graphs, fewer and larger operators, or a larger batch.",
            text::count(bound.len() as u64),
            text::count(overview.steps.len() as u64),
            text::duration(cost)
        ),
        threshold: "over 20% of a step".into(),
        how: "Gaps between kernels of a step in which the next launch started after the start of the gap, while the host waited neither for the device nor for data.".into(),
        cost: Some(cost),
        evidence: worst
            .into_iter()
            .map(|(s, waited)| Evidence {
                label: format!("Step {}: {}", s.name, text::duration(DurationNs(*waited))),
                range: TimeRange { start: s.start, end: s.end },
                slice: s.slice,
            })
            .collect(),
        link: "https://pytorch.org/docs/stable/notes/cuda.html#cuda-graphs".into(),
    })
}

fn idle(overview: &Overview, gaps: &[Gap]) -> Option<Recommendation> {
    let cost = DurationNs(gaps.iter().map(Gap::length).sum());
    let n_devices = overview.devices.len().max(1) as i64;
    let part = share(cost, DurationNs(whole(overview).0.saturating_mul(n_devices)));
    let by_cause = Cause::ALL.iter().filter_map(|&cause| {
        let time: i64 = gaps.iter().filter(|g| g.cause == cause).map(Gap::length).sum();
        (time > 0).then(|| format!("{}: {}", cause.label(), text::duration(DurationNs(time))))
    });
    let by_cause: Vec<String> = by_cause.collect();
    let longest = largest(EVIDENCE_MAX, gaps.iter(), |g| g.length());
    (part > IDLE_MIN).then(|| Recommendation {
        id: "idle_gaps".into(),
        title: "Idle gaps between kernels".into(),
        text: format!("{} of the device time of the steps is idle. By cause: {}.", percent(part), by_cause.join("; ")),
        threshold: "over 10% of the time of the steps".into(),
        how: "Gaps between kernels, copies and sets of a device within the steps; the cause is the host activity from the start of the gap until the launch of the next kernel.".into(),
        cost: Some(cost),
        evidence: longest
            .into_iter()
            .map(|g| Evidence {
                label: format!("{}: {}", text::duration(DurationNs(g.length())), g.cause.label()),
                range: span(g.start, g.end),
                slice: Some(g.next),
            })
            .collect(),
        link: String::new(),
    })
}

fn exposed_communication(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let roles = &view.model.roles.ranges;
    let steps: Vec<(i64, i64)> = overview.steps.iter().map(|s| (s.start.0, s.end.0)).collect();
    let communication = common(&roles[3], &union(steps));
    let exposed = without(&communication, if roles[0].is_empty() { &roles[6] } else { &roles[0] });
    let cost = DurationNs(length(&exposed));
    let part = share(cost, whole(overview));
    (part > EXPOSED_MIN).then(|| Recommendation {
        id: "exposed_communication".into(),
        title: "Exposed communication".into(),
        text: format!(
            "{} of {} of communication do not overlap with computation. Try larger buckets, earlier gradients (gradient_as_bucket_view, prefetch), or fewer, larger collectives.",
            text::duration(cost),
            text::duration(DurationNs(length(&communication)))
        ),
        threshold: "over 5% of the time of the steps".into(),
        how: "Time in which communication runs and no other kernel does, within the steps.".into(),
        cost: Some(cost),
        evidence: largest(EVIDENCE_MAX, exposed.iter(), |r| r.1 - r.0)
            .into_iter()
            .map(|&(start, end)| Evidence { label: text::duration(DurationNs(end - start)), range: span(start, end), slice: None })
            .collect(),
        link: String::new(),
    })
}

fn small_kernels(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let slices = &view.profile.slices;
    let model = view.model;
    let is_kernel = |slice: u32| model.class[slice as usize] == Class::Kernel && is_in_steps(overview, slices.start[slice as usize]);
    // A graph is one launch, however many kernels it has.
    let is_of_graph = |work: usize| match model.launch[work] {
        NO_SLICE => false,
        call => model.names.of(slices.name[call as usize]) & names::GRAPH_LAUNCH != 0,
    };
    let kernels = || model.events.work.iter().copied().enumerate().filter(|(w, s)| is_kernel(*s) && !is_of_graph(*w));
    let small = || kernels().filter(|(_, s)| slices.duration[*s as usize] < SMALL_NS);
    let (n_kernels, n_small) = (kernels().count(), small().count());
    if n_kernels < SMALL_COUNT_MIN || (n_small as f64) < n_kernels as f64 * SMALL_SHARE_MIN {
        return None;
    }
    let over = |&(w, slice): &(usize, u32)| match model.launch[w] {
        NO_SLICE => 0,
        call => (slices.duration[call as usize] - slices.duration[slice as usize]).max(0),
    };
    let cost = DurationNs(small().map(|k| over(&k)).sum());
    Some(Recommendation {
        id: "small_kernels".into(),
        title: "Mostly small kernels".into(),
        text: format!(
            "{} of {} kernels are shorter than 10 µs, about the cost of a launch. Try torch.compile, fused operators, CUDA graphs or a larger batch.",
            text::count(n_small as u64),
            text::count(n_kernels as u64)
        ),
        threshold: "at least half of 100 or more kernels under 10 µs".into(),
        how: "Kernels that start in a step and are launched one by one, not by a graph. The cost is the time of their launches on the host minus their own time.".into(),
        cost: (cost.0 > 0).then_some(cost),
        evidence: largest(EVIDENCE_MAX, small(), over)
            .into_iter()
            .map(|(_, s)| at_slice(view, SliceId(s), view.profile.name_of(SliceId(s)).into()))
            .collect(),
        link: String::new(),
    })
}

/// Calls or copies within the steps.
struct Found {
    n: u64,
    /// What they take together.
    cost: DurationNs,
    /// The longest.
    evidence: Vec<Evidence>,
}

fn within_steps(view: &View<'_>, overview: &Overview, slices_of: impl Iterator<Item = u32>) -> Found {
    let slices = &view.profile.slices;
    let (mut n, mut cost) = (0u64, 0i64);
    let inside = slices_of.filter(|&i| is_in_steps(overview, slices.start[i as usize])).inspect(|&i| {
        n += 1;
        cost = cost.saturating_add(slices.duration[i as usize]);
    });
    let longest = largest(EVIDENCE_MAX, inside, |&i| slices.duration[i as usize]);
    let evidence = longest.into_iter().map(|i| at_slice(view, SliceId(i), view.profile.name_of(SliceId(i)).into())).collect();
    Found { n, cost: DurationNs(cost), evidence }
}

fn waiting_calls(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let name = |i: u32| view.profile.slices.name[i as usize];
    let waits = |i: &u32| view.model.names.of(name(*i)) & names::WAITS_FOR_DEVICE != 0;
    let Found { n, cost, evidence } = within_steps(view, overview, view.model.events.runtimes.iter().copied().filter(waits));
    (share(cost, whole(overview)) > WAITING_MIN).then(|| Recommendation {
        id: "synchronising_calls".into(),
        title: "Host calls waiting for the device".into(),
        text: format!(
            "{} calls in the steps block the host for {} until the device has finished. Look for `.item()`, `.cpu()`, `print` of tensors, or `torch.cuda.synchronize()`.",
            text::count(n),
            text::duration(cost)
        ),
        threshold: "over 1% of the time of the steps".into(),
        how: "Durations of synchronizing runtime calls that start in a step.".into(),
        cost: Some(cost),
        evidence,
        link: String::new(),
    })
}

fn pageable_copies(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let is_pageable = |i: &u32| view.model.class[*i as usize] == Class::Memcpy && view.profile.name_of(SliceId(*i)).contains("Pageable");
    let Found { n, cost, evidence } = within_steps(view, overview, view.model.events.work.iter().copied().filter(is_pageable));
    (share(cost, whole(overview)) > PAGEABLE_MIN).then(|| Recommendation {
        id: "pageable_memory".into(),
        title: "Copies from pageable memory".into(),
        text: format!(
            "{} copies between pageable host memory and the device take {}. They are slow and block the host: try `pin_memory=True` of DataLoader with `non_blocking=True`.",
            text::count(n),
            text::duration(cost)
        ),
        threshold: "over 1% of the time of the steps".into(),
        how: "Durations of copies that start in a step, with `Pageable` in their name.".into(),
        cost: Some(cost),
        evidence,
        link: "https://pytorch.org/docs/stable/data.html#memory-pinning".into(),
    })
}
