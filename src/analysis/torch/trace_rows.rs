//! How counter tracks and links are computed.

use super::View;
use super::core::class::Class;
use super::core::devices::Devices;
use super::core::events::NONE;
use super::core::gpu::Gpu;
use super::trace::*;
use crate::analysis::spans::length_in;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, for_each_chunk};
use crate::model::{NO_SLICE, Profile, Torch};

/// A trace is cut into at most this many buckets.
const BUCKETS_MAX: i64 = 100;
/// Kernels an answer about links lists.
const KERNELS_MAX: usize = 1_000;

/// Counter tracks and step marks.
pub fn counters(profile: &Profile, torch: &Torch, devices: &Devices) -> TraceCounters {
    let (start, end) = span(profile, torch, &devices.class);
    let marks = devices.marks.iter().map(|step| StepMark {
        name: step.name.clone(),
        slice: SliceId(step.slice),
        start: TimeNs(step.start),
        end: TimeNs(step.end),
    });
    let devices: Vec<DeviceCounters> = devices.gpus.iter().map(|gpu| device(gpu, start, end)).collect();
    let mut notes = Vec::new();
    if devices.is_empty() {
        notes.push("The device of kernels is not recorded in this trace, so there are no device counters.".into());
    } else if devices.iter().all(|d| d.sm_efficiency.times.is_empty()) {
        notes.push("Blocks per multiprocessor are not recorded in this trace, so there is no track of multiprocessor efficiency.".into());
    }
    TraceCounters { devices, steps: marks.collect(), notes }
}

/// The profiler's own span, else from the first to the last moment of anything.
fn span(profile: &Profile, torch: &Torch, class: &[Class]) -> (i64, i64) {
    let slices = &profile.slices;
    let is_span = |i: &usize| class[*i] == Class::Span && profile.name_of(SliceId(*i as u32)) == "PyTorch Profiler (0)";
    if let Some(i) = (0..slices.len()).find(is_span) {
        return (slices.start[i], slices.end(i));
    }
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for_each_chunk(slices.len(), &mut |part| {
        for i in part.filter(|i| class[*i].is_read_by_plugin()) {
            (first, last) = (first.min(slices.start[i]), last.max(slices.end(i)));
        }
    });
    let memory = torch.memory.first().zip(torch.memory.last());
    memory.into_iter().for_each(|(from, to)| (first, last) = (first.min(from.time), last.max(to.time)));
    if first > last { (0, 0) } else { (first, last) }
}

fn device(gpu: &Gpu, start: i64, end: i64) -> DeviceCounters {
    let length = end.saturating_sub(start);
    let mut bucket = 1_000;
    while length / BUCKETS_MAX > bucket || length > bucket.saturating_mul(BUCKETS_MAX) {
        bucket = bucket.saturating_mul(10);
    }
    let n = length / bucket;
    let mut utilization = Line::default();
    for i in 0..n {
        let from = start + i * bucket;
        let to = if i + 1 == n { end } else { from + bucket };
        utilization.times.push(TimeNs(from));
        utilization.values.push(length_in(&gpu.busy, from, to) as f64 / (to - from) as f64);
    }
    if n > 0 {
        utilization.times.push(TimeNs(end));
        utilization.values.push(0.0);
    }
    DeviceCounters { device: gpu.id, bucket: DurationNs(bucket), utilization, sm_efficiency: use_of_sms(gpu) }
}

/// Segments as a step function that is 0 between them.
fn use_of_sms(gpu: &Gpu) -> Line {
    let mut line = Line::default();
    let mut last_end = None;
    for segment in &gpu.use_of_sms {
        if last_end.is_some_and(|end| end < segment.start) {
            line.times.extend(last_end.map(TimeNs));
            line.values.push(0.0);
        }
        line.times.push(TimeNs(segment.start));
        line.values.push(segment.value);
        last_end = Some(segment.end);
    }
    if let Some(end) = last_end {
        line.times.push(TimeNs(end));
        line.values.push(0.0);
    }
    line
}

/// What a slice is linked to.
pub fn links(view: &View<'_>, slice: SliceId) -> Links {
    let model = view.model;
    let mut out = Links::default();
    let work = model.events.work.iter().position(|&w| w == slice.0);
    if let Some(work) = work {
        out.launch = model.launch.get(work).filter(|&&l| l != NO_SLICE).map(|&l| SliceId(l));
        out.operator = operator(view, model.node_of_work[work]);
    } else if view.model.class.get(slice.index()) == Some(&Class::Runtime) {
        let launched = (0..model.launch.len()).filter(|&w| model.launch[w] == slice.0);
        let launched: Vec<usize> = launched.collect();
        out.operator = launched.first().and_then(|&w| operator(view, model.node_of_work[w]));
        out.n_kernels = launched.len() as u64;
        out.kernels = launched.into_iter().take(KERNELS_MAX).map(|w| SliceId(model.events.work[w])).collect();
    } else if let Some(node) = model.trees.slice.iter().position(|&s| s == slice.0) {
        let end = model.trees.end[node];
        let first = model.trees.work.partition_point(|w| w.0 < node as u32);
        let mut below: Vec<SliceId> =
            model.trees.work[first..].iter().take_while(|w| w.0 < end).map(|w| SliceId(model.events.work[w.1 as usize])).collect();
        below.order_by_key(|s| view.profile.slices.start[s.index()]);
        out.n_kernels = below.len() as u64;
        below.truncate(KERNELS_MAX);
        out.kernels = below;
    }
    let is_backward = |kind: crate::base::StrId| view.profile.strings.get(kind).to_ascii_lowercase().contains("bwd");
    out.forward = view.profile.flows.incoming(slice).find(|f| is_backward(f.1)).map(|f| f.0);
    out.backward = view.profile.flows.outgoing(slice).filter(|f| is_backward(f.1)).map(|f| f.0).collect();
    out.backward.order_by_key(|s| view.profile.slices.start.get(s.index()).copied());
    out
}

fn operator(view: &View<'_>, node: u32) -> Option<SliceId> {
    let slice = if node == NONE { None } else { view.model.trees.slice.get(node as usize) };
    slice.filter(|&&s| s != NO_SLICE).map(|&s| SliceId(s))
}
