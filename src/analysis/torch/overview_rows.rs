//! How the overview is summed.

use super::View;
use super::advice;
use super::core::class::Class;
use super::core::gpu::Gpu;
use super::core::steps::Step;
use super::kernel_time::kernel_time;
use super::overview::*;
use super::unattributed::{self, Reason};
use crate::analysis::combinations;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, text};
use crate::model::NO_SLICE;
use crate::model::torch::Device;

/// The overview of the whole trace, or of a range of it.
pub fn overview(view: &View<'_>, query: &OverviewQuery) -> Overview {
    let mut out = without_advice(view, query);
    out.recommendations = advice::recommendations(view, &out);
    out
}

/// The same without recommendations.
pub(super) fn without_advice(view: &View<'_>, query: &OverviewQuery) -> Overview {
    let steps = steps(view, query.range);
    let mut out = Overview {
        n_workers: 1,
        device_type: if view.model.has_device() { "GPU".into() } else { "CPU".into() },
        devices: devices(view, &steps),
        has_step_marks: !view.model.steps.marks.is_empty(),
        ..Overview::default()
    };
    out.summary = summary(view, &steps);
    if view.model.rules.sums_to_step {
        let windows: Vec<(i64, i64)> = steps.iter().map(|s| (s.start.0, s.end.0)).collect();
        out.combinations = in_combinations(view, &windows);
        (out.kernel_operators, out.kernel_names) = kernel_time(view, &windows);
    }
    out.mean_step_ns = mean(steps.iter().map(|s| s.total.0));
    out.steps = steps;
    out.notes = notes(view, &out);
    out
}

fn mean(times: impl ExactSizeIterator<Item = i64>) -> Option<f64> {
    let n = times.len();
    (n > 0).then(|| times.map(i128::from).sum::<i128>() as f64 / n as f64)
}

/// Time of all windows in each combination of categories.
fn in_combinations(view: &View<'_>, windows: &[(i64, i64)]) -> Vec<(u32, DurationNs)> {
    let sets: Vec<&[(i64, i64)]> = view.model.roles.ranges.iter().map(Vec::as_slice).collect();
    let mut out = Vec::new();
    for (start, end) in windows {
        combinations::add(&mut out, &combinations::combinations(&sets, TimeRange { start: TimeNs(*start), end: TimeNs(*end) }));
    }
    out
}

/// Steps, cut to `range`.
fn steps(view: &View<'_>, range: Option<TimeRange>) -> Vec<StepRow> {
    let cut = |step: &Step| match range {
        Some(range) => (step.start.max(range.start.0), step.end.min(range.end.0)),
        None => (step.start, step.end),
    };
    let windowed: Vec<(&Step, (i64, i64))> =
        view.model.steps.steps.iter().map(|s| (s, cut(s))).filter(|(_, c)| range.is_none() || c.0 < c.1).collect();
    let windows: Vec<(i64, i64)> = windowed.iter().map(|k| k.1).collect();
    let costs = view.model.roles.costs(&windows, view.model.rules.sums_to_step);
    windowed
        .iter()
        .zip(costs)
        .map(|((step, (start, end)), parts)| {
            let (computation, communication, overlap) = view.model.roles.overlap((*start, *end));
            StepRow {
                name: step.name.clone(),
                start: TimeNs(*start),
                end: TimeNs(*end),
                slice: (step.slice != NO_SLICE).then_some(SliceId(step.slice)),
                total: DurationNs(end.saturating_sub(*start)),
                parts: parts.map(DurationNs),
                computation: DurationNs(computation),
                communication: DurationNs(communication),
                overlap: DurationNs(overlap),
            }
        })
        .collect()
}

fn summary(view: &View<'_>, steps: &[StepRow]) -> Vec<SummaryRow> {
    let Some(whole) = mean(steps.iter().map(|s| s.total.0)) else {
        return Vec::new();
    };
    let is_recorded = |category: Category| match category {
        Category::Kernel | Category::Memcpy | Category::Memset | Category::Runtime => view.model.has_device(),
        Category::Communication => !view.model.roles.ranges[3].is_empty(),
        Category::DataLoader | Category::CpuExec | Category::Other => true,
    };
    let row = |(i, &category): (usize, &Category)| {
        let mean_ns = mean(steps.iter().map(|s| s.parts[i].0)).unwrap_or(0.0);
        let share = if whole > 0.0 { mean_ns / whole } else { 0.0 };
        SummaryRow { category, mean_ns, share, is_recorded: is_recorded(category) }
    };
    Category::ALL.iter().enumerate().map(row).collect()
}

/// Values of the devices over the time of the steps, gaps between them included.
fn devices(view: &View<'_>, steps: &[StepRow]) -> Vec<DeviceRow> {
    let window = steps.first().zip(steps.last()).map(|(first, last)| (first.start.0, last.end.0));
    view.model.gpus.iter().map(|gpu| device(view, gpu, window)).collect()
}

fn device(view: &View<'_>, gpu: &Gpu, window: Option<(i64, i64)>) -> DeviceRow {
    let recorded = properties(view, gpu.id);
    let (start, end) = window.unwrap_or((0, 0));
    DeviceRow {
        device: gpu.id,
        name: recorded.map(|d| d.name.clone()).filter(|n| !n.is_empty()),
        memory_bytes: recorded.and_then(|d| d.memory_bytes),
        compute: recorded.and_then(|d| d.compute),
        n_sms: recorded.and_then(|d| d.n_sms),
        utilization: gpu.utilization(start, end),
        sm_efficiency: gpu.sm_efficiency(start, end),
        occupancy_percent: gpu.occupancy_percent(start, end),
        tensor_core_share: tensor_core_share(view, gpu.id),
        busy: DurationNs(crate::analysis::spans::length_in(&gpu.busy, start, end)),
        n_kernels: gpu.n_kernels,
    }
}

/// Recorded properties of a device.
pub(super) fn properties<'a>(view: &View<'a>, device: u32) -> Option<&'a Device> {
    let devices = &view.torch.devices;
    devices.iter().find(|d| d.id == device).or_else(|| devices.get(device as usize))
}

/// Share of the time of kernels that operators launched on a device which went to kernels that use tensor cores.
fn tensor_core_share(view: &View<'_>, device: u32) -> Option<f64> {
    let (mut all, mut tc) = (0i64, 0i64);
    for (node, slice) in operator_kernels(view, Some(device)) {
        debug_assert!((node as usize) < view.model.trees.len(), "a node of the trees");
        let duration = view.profile.slices.duration[slice.index()];
        all = all.saturating_add(duration);
        if view.model.uses_tensor_cores(view.profile, slice) {
            tc = tc.saturating_add(duration);
        }
    }
    (all > 0).then(|| tc as f64 / all as f64)
}

/// (node, kernel) for all kernels that operators launched themselves.
pub(super) fn operator_kernels<'a>(view: &View<'a>, device: Option<u32>) -> impl Iterator<Item = (u32, SliceId)> + 'a {
    let (model, profile, torch) = (view.model, view.profile, view.torch);
    model.trees.work.iter().filter_map(move |&(node, work)| {
        let slice = model.events.work[work as usize];
        let is_wanted = model.class[slice as usize] == Class::Kernel
            && model.is_operator(profile, node)
            && device.is_none_or(|d| model.kernel(torch, work).is_some_and(|k| k.device == d));
        is_wanted.then_some((node, SliceId(slice)))
    })
}

fn notes(view: &View<'_>, overview: &Overview) -> Vec<String> {
    let mut out = Vec::new();
    let model = view.model;
    if overview.steps.is_empty() {
        out.push("No steps in this range.".into());
    } else if !overview.has_step_marks {
        out.push(
            "Steps are not recorded in this trace (call `prof.step()` after each iteration), so the entire trace counts as one step."
                .into(),
        );
    }
    if model.steps.n_left_out > 0 {
        let n = model.steps.n_left_out;
        out.push(format!("The last {n} steps are excluded: their kernels are not completely recorded in this trace."));
    }
    if model.steps.marks.windows(2).any(|pair| pair[1].start < pair[0].end) {
        out.push("Steps overlap: time in an overlap counts for each step.".into());
    }
    if model.events.host.is_empty() {
        out.push("No host activity is recorded in this trace, so operators, data loading and launches are not available.".into());
    }
    if !model.has_device() {
        out.push("No device activity is recorded in this trace, so device metrics are not available.".into());
    } else if model.events.work.is_empty() {
        out.push("Launches but no kernels are recorded in this trace, so device metrics are not available.".into());
    } else if model.gpus.is_empty() {
        out.push("The device of kernels is not recorded in this trace, so device metrics are not available.".into());
    }
    let n_unlinked = model.launch.iter().filter(|&&l| l == NO_SLICE).count() as u64;
    if n_unlinked > 0 {
        let n = text::count(n_unlinked);
        out.push(format!("{n} kernels have no launch event in this trace and are not attributed to an operator."));
    }
    let mut unattributed = unattributed::unattributed(view, None);
    unattributed.retain(|u| u.reason != Reason::NoLaunch);
    out.extend(unattributed::sentences(&unattributed));
    if overview.devices.iter().any(|d| d.sm_efficiency.is_none()) {
        out.push("Blocks per multiprocessor are not recorded in this trace, so multiprocessor efficiency is not available.".into());
    }
    out
}
