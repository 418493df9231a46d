//! What one worker contributes.

use super::super::View;
use super::super::core::steps::Step;
use super::calls::{Call, calls, used_devices};
use super::{CommunicationCall, DistributedPart, DistributedPartQuery, OverlapTimes, PartStep, WorkerDevice};
use crate::analysis::spans::{Ranges, common, length_in};
use crate::base::{DurationNs, TimeNs};
use rustc_hash::FxHashMap;

/// The part of this trace.
pub fn part(view: &View<'_>, query: &DistributedPartQuery) -> DistributedPart {
    let (calls, backends) = calls(view);
    let mut names = Names::default();
    let steps = steps(view);
    let in_steps = in_steps(&calls, view);
    let calls: Vec<CommunicationCall> = calls
        .into_iter()
        .zip(in_steps)
        .map(|(call, step)| CommunicationCall {
            name: names.of(&call.name),
            step,
            size_bytes: call.size_bytes,
            group: call.group.map(|g| names.of(view.profile.strings.get(g))),
            seq: call.seq,
            slice: call.slice,
            ranges: call.ranges.into_iter().map(|(start, end)| (TimeNs(start), TimeNs(end))).collect(),
        })
        .collect();
    let notes = notes(view, &calls);
    DistributedPart {
        worker: query.worker.clone(),
        span: query.span.clone(),
        rank: view.torch.rank,
        devices: used_devices(view).into_iter().map(|id| device(view, id)).collect(),
        has_device: view.model.has_device(),
        steps,
        names: names.texts,
        calls,
        backends,
        notes,
    }
}

/// Computation and communication in each step. Without kernels the host's own work is what computes.
fn steps(view: &View<'_>) -> Vec<PartStep> {
    let ranges = &view.model.roles.ranges;
    let (computing, communicating) = (if ranges[0].is_empty() { &ranges[6] } else { &ranges[0] }, &ranges[3]);
    let both = common(computing, communicating);
    let part = |step: &Step| {
        let of = |ranges: &Ranges| length_in(ranges, step.start, step.end);
        let (computation, communication, overlap) = (of(computing), of(communicating), of(&both));
        PartStep {
            name: step.name.clone(),
            start: TimeNs(step.start),
            times: OverlapTimes {
                computation_only: DurationNs(computation - overlap),
                overlap: DurationNs(overlap),
                communication_only: DurationNs(communication - overlap),
                other: DurationNs(
                    step.end.saturating_sub(step.start).saturating_add(overlap).saturating_sub(computation).saturating_sub(communication),
                ),
            },
        }
    };
    view.model.steps.steps.iter().map(part).collect()
}

/// Texts, each once.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    known: FxHashMap<String, u32>,
}

impl Names {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        let at = self.texts.len() as u32;
        self.texts.push(text.into());
        self.known.insert(text.into(), at);
        at
    }
}

fn device(view: &View<'_>, id: u32) -> WorkerDevice {
    let recorded = view.torch.devices.iter().find(|d| d.id == id);
    WorkerDevice {
        id,
        name: recorded.map(|d| d.name.clone()).filter(|n| !n.is_empty()),
        memory_bytes: recorded.and_then(|d| d.memory_bytes),
        compute: recorded.and_then(|d| d.compute),
    }
}

/// The step that each call (by start) is in wholly; calls and steps are walked forward together.
fn in_steps(calls: &[Call], view: &View<'_>) -> Vec<Option<u32>> {
    let steps = &view.model.steps.steps;
    let mut at = 0;
    calls
        .iter()
        .map(|call| {
            while steps.get(at).is_some_and(|s| call.span.0 >= s.end) {
                at += 1;
            }
            steps.get(at).filter(|s| call.span.0 >= s.start && call.span.1 <= s.end).map(|_| at as u32)
        })
        .collect()
}

fn notes(view: &View<'_>, calls: &[CommunicationCall]) -> Vec<String> {
    let mut out = Vec::new();
    if calls.is_empty() {
        out.push("No communication operations are recorded in this trace.".into());
    }
    if view.model.steps.steps.is_empty() {
        out.push("No steps are recorded in this trace: call `prof.step()` after each iteration.".into());
    }
    let n_outside = calls.iter().filter(|c| c.step.is_none()).count();
    if n_outside > 0 && !calls.is_empty() {
        out.push(format!(
            "{n_outside} of {} communication operations are outside steps; they are in the tables, not in the charts.",
            calls.len()
        ));
    }
    let has_kernel = view.model.roles.is_communication.contains(&true);
    let is_of_device = |c: &CommunicationCall| view.profile.name_of(c.slice).starts_with("nccl:");
    if !has_kernel && calls.iter().any(is_of_device) {
        out.push("No communication kernels are recorded in this trace: times are host call times.".into());
    }
    if !calls.is_empty() && calls.iter().all(|c| c.size_bytes.is_none()) {
        out.push("Sizes are not available: communication records have neither shapes nor elements.".into());
    }
    out
}
