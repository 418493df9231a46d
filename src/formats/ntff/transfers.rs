//! DMA transfers: a start paired with the next "data written" of its engine and queue.

use super::activity;
use super::info::{Region, Subgraph};
use super::job::Job;
use super::records::{Packet, Record};
use crate::base::Order as _;
use crate::base::Severity;
use crate::base::text::counted;
use crate::formats::ImportError;
use crate::formats::neff::hex;
use crate::formats::neuron_json::timeline::SharedRing;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Number of the first DMA engine that a core's records count from: its queues' engines, down to a multiple of 64.
pub(super) fn first_engine(subgraph: &Subgraph) -> u64 {
    subgraph.queues.iter().map(|q| q.engine).min().unwrap_or(0) / 64 * 64
}

/// Rings through which the engines fetch their instructions: the runtime makes them, and the description lists no queue on them.
const INSTRUCTION: &str = "instruction";

/// Queue types, in the profiler's words, by (engine, queue). Empty where the name of the queue does not establish one.
fn queue_types(subgraph: &Subgraph) -> FxHashMap<(u64, u64), &'static str> {
    let of = |name: &str| match name {
        _ if name.ends_with("DynamicHW") => "hardware_dynamic",
        _ if name.ends_with("Dynamic") => "software_dynamic",
        _ if name.ends_with("Table") => INSTRUCTION,
        _ => "",
    };
    subgraph.queues.iter().map(|q| ((q.engine, q.index), of(&q.name))).collect()
}

/// A ring of a region: transfers that have not ended, and what all of its transfers have in common.
#[derive(Default)]
struct Slot {
    starts: VecDeque<Record>,
    shared: Option<SharedRing>,
    /// Place of its type among those whose activity is measured.
    place: usize,
}

/// Engines of a core and queues of an engine that a record can name.
const N_ENGINES: usize = 64;
const N_QUEUES: usize = 16;

/// Reads a region of DMA records.
pub(super) async fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let base = job.subgraph(region.nc).map_or(0, |s| first_engine(&s));
    let mut slots: Vec<Slot> = Vec::new();
    slots.resize_with(N_ENGINES * N_QUEUES, Slot::default);
    let mut n_completed = 0;
    let mut rings = Rings::default();
    let queues = job.subgraph(region.nc).map(|s| queue_types(&s)).unwrap_or_default();
    job.for_each(region.span, &mut |job, record| {
        let Some(packet) = Packet::read(&record) else {
            return job.unknown(core, &format!("DMA record {:#04x} {:#04x}", record.bytes[3], record.bytes[4]), &record);
        };
        let Some(slot) = slots.get_mut(packet.engine as usize * N_QUEUES + packet.queue as usize) else { return };
        match packet.kind {
            1 => slot.starts.push_back(record),
            6 => n_completed += 1,
            _ => match slot.starts.pop_front() {
                Some(start) => {
                    let is_late = rings.note((packet.engine, packet.queue), (start.time(), record.time()), job.window);
                    if slot.shared.is_none() {
                        let ring = (base + packet.engine, packet.queue);
                        let queue_type = queues.get(&ring).copied().unwrap_or(INSTRUCTION);
                        let ring = job.timeline.ring(core, &ring.0.to_string(), &ring.1.to_string());
                        let id = job.timeline.builder.strings.intern(queue_type);
                        (slot.shared, slot.place) = (Some(job.timeline.shared_ring(ring, id)), activity::queue_place(queue_type));
                    }
                    transfer(job, core, slot, (&start, &record, packet), is_late);
                }
                None if job.is_inside(record.time()) => {
                    job.unpaired[1].0 += 1;
                    let reason = "The end of a DMA transfer without a start: it is not shown.";
                    job.ledger.skip(Severity::DataLoss, "end_without_start", reason, record.offset, || hex(&record.bytes));
                }
                None => job.outside(1, record.offset),
            },
        }
    })
    .await?;
    if rings.n_late > 0 {
        let n = counted(rings.n_late, "DMA transfer");
        job.ledger
            .note(format!("{n} on rings that were active at the start of the execution: neuron-profile skips them, they are shown here."));
    }
    if n_completed > 0 {
        let reason = "Completions of DMA transfers: redundant with their start and end.";
        job.ledger.skip_n(Severity::Info, "dma_completion", reason, n_completed, region.span.offset, String::new);
    }
    let mut rest: Vec<Record> = slots.into_iter().flat_map(|slot| slot.starts).collect();
    rest.order_by_key(|record| record.offset);
    for record in rest {
        match job.is_inside(record.time()) {
            true => {
                job.unpaired[1].1 += 1;
                let reason = "The start of a DMA transfer without an end: it was still running at the end of the trace.";
                job.ledger.skip(Severity::Warning, "start_without_end", reason, record.offset, || hex(&record.bytes));
            }
            false => job.outside(1, record.offset),
        }
    }
    Ok(())
}

/// Rings on which a transfer was running when the window began: the profiler loses what follows on them.
#[derive(Default)]
pub(super) struct Rings {
    moving: FxHashSet<(u64, u64)>,
    /// Transfers within the window on those.
    n_late: u64,
}

impl Rings {
    /// Whether it is one that the profiler loses.
    pub fn note(&mut self, ring: (u64, u64), (from, to): (u64, u64), window: (u64, u64)) -> bool {
        if from < window.0 && to > window.0 {
            self.moving.insert(ring);
            return false;
        }
        let is_late = from >= window.0 && to <= window.1 && self.moving.contains(&ring);
        self.n_late += u64::from(is_late);
        is_late
    }
}

fn transfer(job: &mut Job<'_, '_>, core: usize, slot: &Slot, (start, end, packet): (&Record, &Record, Packet), is_late: bool) {
    let (from, to) = (start.time(), end.time());
    if from < job.window.0 || to > job.window.1 || to < from {
        return job.outside(2, start.offset);
    }
    let Some(shared) = &slot.shared else { return };
    // All sizes seen fit two bytes; what a third would mean is not established.
    let is_sure = end.bytes[2] == 0;
    if !is_sure {
        let reason = "A DMA transfer with a size of possibly more than two bytes: its size is not shown.";
        job.ledger.skip(Severity::Warning, "unsure_size", reason, end.offset, || hex(&end.bytes));
    }
    let span = job.span(start, end);
    let slice = job.timeline.packet(shared, span, is_sure.then_some(packet.bytes));
    if is_late {
        job.timeline.unreported(slice);
    } else {
        job.activity.packet(core, slot.place, (from, to));
    }
    job.ledger.shown += 2;
}
