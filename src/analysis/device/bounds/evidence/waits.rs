//! Which instructions wait for which engine: time in which work does not overlap.

use super::{Evidence, EvidenceContext, Groups, plus_time};
use crate::analysis::device::waiting::signals::{Signal, Signals};
use crate::base::{SliceId, StrId, for_each_chunk};
use crate::model::{NeuronDevice, TrackKind};

/// Waiting time by engine and opcode, and who signalled.
pub(super) fn waits(given: &EvidenceContext<'_>, signals: &Signals<'_>, out: &mut Evidence) {
    let mut groups: Groups<(StrId, StrId, Signaller)> = Groups::new();
    let mut has_waits = false;
    let mut add = |i: usize| {
        let Some(wait) = given.device.wait_ns.at(i).filter(|wait| *wait != NeuronDevice::ABSENT) else { return };
        has_waits = true;
        if wait == 0 || !given.starts_here(i) {
            return;
        }
        let slice = SliceId(i as u32);
        let engine = given.engine(i);
        let row = groups.add((engine, given.profile.slices.name[i], signaller(given, signals, slice)), slice);
        plus_time(&mut row.time, wait.into());
    };
    for slices in given.tracks(TrackKind::Engine).map(|t| given.profile.slices_of(t)) {
        for_each_chunk(slices.len(), &mut |part| part.for_each(|k| add(slices.start + k)));
    }
    let get = |id| given.profile.strings.get(id);
    let name = |(engine, name, by): &(StrId, StrId, Signaller)| {
        let by = match by {
            Signaller::NoSemaphore => "no semaphore recorded",
            Signaller::NotRecorded => "not recorded",
            Signaller::Dma => "DMA",
            Signaller::Engine(engine) => get(*engine),
        };
        (format!("{} {}", get(*engine), get(*name)), by.to_string())
    };
    out.rows = groups.rows(given.profile, name);
    if !has_waits {
        out.notes.push("Waiting times of instructions are not recorded in this file.".into());
    }
}

/// What made the last condition of an instruction true.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Signaller {
    NoSemaphore,
    NotRecorded,
    Dma,
    Engine(StrId),
}

fn signaller(given: &EvidenceContext<'_>, signals: &Signals<'_>, slice: SliceId) -> Signaller {
    let (_, until) = crate::analysis::device::waiting::waits::over(given.profile, slice);
    let reached = signals.waits(slice).filter_map(|wait| Some((signals.reached(wait, until)?, wait)));
    match reached.max_by_key(|r| r.0).map(|(time, wait)| signals.signal(wait, time)) {
        None => Signaller::NoSemaphore,
        Some(None) => Signaller::NotRecorded,
        Some(Some(Signal::Transfer(_))) => Signaller::Dma,
        Some(Some(Signal::Instruction(by))) => Signaller::Engine(given.engine(by.index())),
    }
}
