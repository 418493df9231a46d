//! The seven pieces of advice of the old plugin, under its conditions.

use super::{EVIDENCE_MAX, percent, share, sum, whole, worst_steps};
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::analysis::torch::core::names;
use crate::analysis::torch::overview::{Category, Evidence, Overview, Recommendation};
use crate::analysis::torch::overview_rows::{operator_kernels, properties};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, largest, text};
use crate::model::NO_SLICE;

const DATA_LOADING_MIN: f64 = 0.05;
const COMMUNICATION_MIN: f64 = 0.1;
const UTILIZATION_MIN: f64 = 0.5;
const MEMORY_MIN: f64 = 0.9;
/// Compute capability from which on tensor cores exist.
const TENSOR_CORES_FROM: u32 = 7;

pub fn recommendations(view: &View<'_>, overview: &Overview) -> Vec<Recommendation> {
    let all = [
        data_loading(overview),
        data_parallel(view, overview),
        backend(view, overview),
        communication(overview),
        utilization(overview),
        tensor_cores(view),
        memory(view),
    ];
    all.into_iter().flatten().collect()
}

fn data_loading(overview: &Overview) -> Option<Recommendation> {
    let cost = sum(overview, Category::DataLoader);
    let part = share(cost, whole(overview));
    (part > DATA_LOADING_MIN).then(|| Recommendation {
        id: "data_loading".into(),
        title: "Long data loading".into(),
        text: format!(
            "{} of the step time is spent waiting for the data loader. Try more workers: `num_workers` of DataLoader.",
            percent(part)
        ),
        threshold: "DataLoader over 5% of the time of the steps".into(),
        how: "Time of category DataLoader in all steps / time of all steps.".into(),
        cost: Some(cost),
        evidence: worst_steps(overview, Category::DataLoader),
        link: "https://pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading".into(),
    })
}

/// Whether any host range has one of these flags, and the first.
fn range_with(view: &View<'_>, flags: names::Flags) -> Option<crate::base::SliceId> {
    let found = view.model.events.host.iter().find(|&&i| view.model.names.of(view.profile.slices.name[i as usize]) & flags != 0);
    found.map(|&i| crate::base::SliceId(i))
}

fn data_parallel(view: &View<'_>, overview: &Overview) -> Option<Recommendation> {
    let slice = range_with(view, names::DATA_PARALLEL)?;
    let n_devices = used_devices(view);
    (n_devices > 1).then(|| Recommendation {
        id: "data_parallel".into(),
        title: "DataParallel instead of DistributedDataParallel".into(),
        text: format!(
            "One process drives {n_devices} devices with DataParallel. Use DistributedDataParallel, which runs one process per device."
        ),
        threshold: "a range `DataParallel.forward`, and more than one device in use".into(),
        how: format!("Devices with kernels in {} steps.", overview.steps.len()),
        cost: None,
        evidence: vec![super::at_slice(view, slice, "DataParallel.forward".into())],
        link: "https://pytorch.org/docs/stable/notes/cuda.html#cuda-nn-ddp-instead".into(),
    })
}

/// Devices with any work, by the process of their tracks.
fn used_devices(view: &View<'_>) -> usize {
    let track_of = crate::analysis::torch::core::events::tracks_by_slice(view.profile);
    let mut tracks: Vec<_> = view.model.events.work.iter().map(|&w| track_of(w)).map(|t| view.profile.tracks[t.index()].parent).collect();
    tracks.order();
    tracks.dedup();
    tracks.len()
}

fn backend(view: &View<'_>, _overview: &Overview) -> Option<Recommendation> {
    let slice = range_with(view, names::DISTRIBUTED)?;
    let has_nccl = range_with(view, names::NCCL).is_some()
        || view.model.rules.is_communication_by_kernel && view.model.roles.is_communication.contains(&true);
    let is_able = view.torch.devices.iter().any(|d| d.compute.is_some_and(|(major, minor)| (major, minor) >= (3, 5)));
    (!has_nccl && is_able).then(|| Recommendation {
        id: "nccl".into(),
        title: "Communication without NCCL".into(),
        text: "DistributedDataParallel runs without NCCL operations in this trace. Use the NCCL backend, the fastest on these devices."
            .into(),
        threshold: "a range `DistributedDataParallel.forward`, no `nccl:` operation, and a device of compute capability 3.5 or more".into(),
        how: "Derived from names of host ranges and kernels, and from `deviceProperties`.".into(),
        cost: None,
        evidence: vec![super::at_slice(view, slice, "DistributedDataParallel.forward".into())],
        link: "https://pytorch.org/docs/stable/distributed.html#which-backend-to-use".into(),
    })
}

fn communication(overview: &Overview) -> Option<Recommendation> {
    let cost = sum(overview, Category::Communication);
    let part = share(cost, whole(overview));
    (part > COMMUNICATION_MIN).then(|| Recommendation {
        id: "communication".into(),
        title: "Long exposed communication".into(),
        text: format!(
            "{} of the step time is exposed communication. Try gradient compression, gradient accumulation, or a larger batch.",
            percent(part)
        ),
        threshold: "Communication over 10% of the time of the steps".into(),
        how: "Time of category Communication in all steps / time of all steps.".into(),
        cost: Some(cost),
        evidence: worst_steps(overview, Category::Communication),
        link: "https://pytorch.org/docs/stable/ddp_comm_hooks.html".into(),
    })
}

fn utilization(overview: &Overview) -> Option<Recommendation> {
    let low: Vec<_> = overview.devices.iter().filter(|d| d.utilization.is_some_and(|u| u < UTILIZATION_MIN)).collect();
    let ids: Vec<String> = low.iter().map(|d| format!("GPU {}: {}", d.device, percent(d.utilization.unwrap_or(0.0)))).collect();
    let (first, last) = (overview.steps.first()?, overview.steps.last()?);
    let range = TimeRange { start: first.start, end: last.end };
    let idle = low.iter().map(|d| range.duration().0 - d.busy.0).max()?;
    Some(Recommendation {
        id: "utilization".into(),
        title: "Low GPU utilization".into(),
        text: format!(
            "Utilization: {}. Try a larger batch, which can affect convergence.",
            ids.join(", ")
        ),
        threshold: "GPU Utilization under 50%".into(),
        how: "Time in which at least one kernel runs / time from the first step's start to the last one's end. The cost is the largest idle time of a device.".into(),
        cost: Some(DurationNs(idle)),
        evidence: vec![Evidence { label: "All steps".into(), range, slice: None }],
        link: String::new(),
    })
}

fn tensor_cores(view: &View<'_>) -> Option<Recommendation> {
    let is_able = view.torch.devices.first()?.compute?.0 >= TENSOR_CORES_FROM;
    let uses =
        |i: u32| view.model.class[i as usize] == Class::Kernel && view.model.uses_tensor_cores(view.profile, crate::base::SliceId(i));
    if !is_able || view.model.events.work.iter().any(|&i| uses(i)) {
        return None;
    }
    let (all, eligible, longest) = eligible_time(view);
    let part = share(eligible, all);
    (part > 0.0).then(|| Recommendation {
        id: "tensor_cores".into(),
        title: "Unused tensor cores".into(),
        text: format!(
            "No kernel uses tensor cores, although {} of the kernel time is launched by operators that can use them. Try automatic mixed precision.",
            percent(part)
        ),
        threshold: "a device of compute capability 7 or more, no kernel that uses tensor cores, and some launched by operators that could"
            .into(),
        how: "Time of kernels launched by the innermost operators that can use tensor cores / time of kernels launched by operators."
            .into(),
        cost: None,
        evidence: longest.into_iter().map(|slice| super::at_slice(view, slice, view.profile.name_of(slice).into())).collect(),
        link: "https://pytorch.org/docs/stable/amp.html".into(),
    })
}

/// Kernel time launched by operators, the part launched by the innermost ones that can use tensor cores, and the longest kernels of that part.
fn eligible_time(view: &View<'_>) -> (DurationNs, DurationNs, Vec<SliceId>) {
    let trees = &view.model.trees;
    let mut has_below = vec![false; trees.len()];
    for node in (0..trees.len()).rev() {
        if let Some(of_parent) = has_below.get(trees.parent[node] as usize).copied() {
            has_below[trees.parent[node] as usize] = of_parent || has_below[node] || view.model.is_tc_eligible[node];
        }
    }
    let duration = |slice: SliceId| view.profile.slices.duration[slice.index()];
    let all = operator_kernels(view, None).fold(0i64, |sum, (_, slice)| sum.saturating_add(duration(slice)));
    let mut eligible = 0i64;
    let of_eligible =
        operator_kernels(view, None).filter(|(node, _)| view.model.is_tc_eligible[*node as usize] && !has_below[*node as usize]);
    let kernels = of_eligible.map(|(_, slice)| slice).inspect(|&slice| eligible = eligible.saturating_add(duration(slice)));
    let longest = largest(EVIDENCE_MAX, kernels, |&slice| duration(slice));
    (DurationNs(all), DurationNs(eligible), longest)
}

fn memory(view: &View<'_>) -> Option<Recommendation> {
    // The CPU is omitted: its memory is not among the devices'.
    let on_device = view.torch.memory.iter().filter(|m| m.device_type != 0 && m.device_id >= 0);
    let (event, allocated, capacity) = on_device
        .filter_map(|m| Some((m, m.allocated?, properties(view, m.device_id as u32)?.memory_bytes?)))
        .max_by(|a, b| (a.1 as f64 / a.2 as f64).total_cmp(&(b.1 as f64 / b.2 as f64)))?;
    let part = allocated as f64 / capacity as f64;
    (part > MEMORY_MIN).then(|| Recommendation {
        id: "memory".into(),
        title: "Device memory nearly full".into(),
        text: format!(
            "GPU {} used {} of its {} at the peak. Near the limit the allocator stalls or fails: try a smaller batch, checkpointing or mixed precision.",
            event.device_id,
            text::bytes(allocated),
            text::bytes(capacity)
        ),
        threshold: "peak allocated memory over 90% of the device's".into(),
        how: "Largest `Total Allocated` of a device / its `totalGlobalMem`.".into(),
        cost: None,
        evidence: vec![Evidence {
            label: "Peak".into(),
            range: TimeRange { start: TimeNs(event.time), end: TimeNs(event.time) },
            slice: view.profile.slice_at(event.track, TimeNs(event.time)).filter(|s| s.0 != NO_SLICE),
        }],
        link: String::new(),
    })
}
