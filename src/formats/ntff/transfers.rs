//! DMA transfers: a start paired with the next "data written" of its engine and queue.

use super::activity;
use super::info::{Region, Subgraph};
use super::job::Job;
use super::records::{Packet, Record};
use crate::base::Severity;
use crate::base::text::counted;
use crate::formats::ImportError;
use crate::formats::neff::hex;
use crate::formats::neuron_json::timeline::SharedRing;
use rustc_hash::FxHashMap;
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

/// Engines of a core and queues of an engine that a record can name.
const N_ENGINES: usize = 64;
const N_QUEUES: usize = 16;

/// The place of a packet's ring among all that records can name.
#[inline]
fn place(packet: &Packet) -> usize {
    packet.engine as usize * N_QUEUES + packet.queue as usize
}

/// A ring of a region.
#[derive(Clone, Default)]
struct Ring {
    /// Transfers that have not ended.
    starts: VecDeque<Record>,
    /// Whether a transfer was running on it when the window began: the profiler loses what follows.
    is_lost: bool,
}

/// What the records of a region so far leave to those that follow.
pub(super) struct Pending {
    /// By place.
    rings: Vec<Ring>,
    n_completed: u64,
    /// Transfers within the window on rings that the profiler loses.
    n_late: u64,
}

impl Default for Pending {
    fn default() -> Self {
        Pending { rings: vec![Ring::default(); N_ENGINES * N_QUEUES], n_completed: 0, n_late: 0 }
    }
}

/// What a record does.
pub(super) enum Step {
    /// It starts a transfer, or repeats that one has ended.
    Other,
    /// It ends a transfer that began with `start`. `is_late`: the profiler loses it.
    End { start: Record, is_late: bool },
    /// It ends a transfer without a start.
    EndWithoutStart,
}

impl Pending {
    /// Takes the next record of the region.
    #[inline]
    pub fn step(&mut self, record: &Record, packet: &Packet, window: (u64, u64)) -> Step {
        let Some(ring) = self.rings.get_mut(place(packet)) else { return Step::Other };
        match packet.kind {
            1 => ring.starts.push_back(*record),
            6 => self.n_completed += 1,
            _ => {
                let Some(start) = ring.starts.pop_front() else { return Step::EndWithoutStart };
                let (from, to) = (start.time(), record.time());
                let is_under_way = from < window.0 && to > window.0;
                let is_late = ring.is_lost && !is_under_way && from >= window.0 && to <= window.1;
                ring.is_lost |= is_under_way;
                self.n_late += u64::from(is_late);
                return Step::End { start, is_late };
            }
        }
        Step::Other
    }
}

/// Shows the transfers of a region.
struct Transfers {
    core: usize,
    first_engine: u64,
    queue_types: FxHashMap<(u64, u64), &'static str>,
    /// What all transfers of a ring have in common, and the place of its type among those whose activity is measured; by place of the ring.
    shared: Vec<Option<(SharedRing, usize)>>,
    pending: Pending,
}

impl Transfers {
    /// Shows those of a region of a core.
    fn new(job: &Job<'_, '_>, core: usize, region: &Region) -> Self {
        let subgraph = job.subgraph(region.nc);
        Transfers {
            core,
            first_engine: subgraph.as_deref().map_or(0, first_engine),
            queue_types: subgraph.as_deref().map(queue_types).unwrap_or_default(),
            shared: vec![None; N_ENGINES * N_QUEUES],
            pending: Pending::default(),
        }
    }

    /// Takes the next record.
    #[inline]
    fn record(&mut self, job: &mut Job<'_, '_>, record: &Record) {
        let Some(packet) = Packet::read(record) else {
            return job.unknown(self.core, &format!("DMA record {:#04x} {:#04x}", record.bytes[3], record.bytes[4]), record);
        };
        match self.pending.step(record, &packet, job.window) {
            Step::Other => (),
            Step::End { start, is_late } => self.transfer(job, (&start, record, &packet), is_late),
            Step::EndWithoutStart => job.end_without_start(1, record, "The end of a DMA transfer without a start: it is not shown."),
        }
    }

    #[inline]
    fn transfer(&mut self, job: &mut Job<'_, '_>, (start, end, packet): (&Record, &Record, &Packet), is_late: bool) {
        let Some(slot) = self.shared.get_mut(place(packet)) else { return };
        let (shared, queue_place) = match slot {
            Some(shared) => *shared,
            None => {
                let (engine, queue) = (self.first_engine + packet.engine, packet.queue);
                let queue_type = self.queue_types.get(&(engine, queue)).copied().unwrap_or(INSTRUCTION);
                let ring = job.timeline.ring(self.core, &engine.to_string(), &queue.to_string());
                let id = job.timeline.builder.strings.intern(queue_type);
                *slot.insert((job.timeline.shared_ring(ring, id), activity::queue_place(queue_type)))
            }
        };
        let (from, to) = (start.time(), end.time());
        if from < job.window.0 || to > job.window.1 || to < from {
            return job.outside(2, start.offset);
        }
        // All sizes seen fit two bytes; what a third would mean is not established.
        let is_sure = end.bytes[2] == 0;
        if !is_sure {
            let reason = "A DMA transfer with a size of possibly more than two bytes: its size is not shown.";
            job.ledger.skip(Severity::Warning, "unsure_size", reason, end.offset, || hex(&end.bytes));
        }
        let span = job.span(start, end);
        let slice = job.timeline.packet(&shared, span, is_sure.then_some(packet.bytes));
        if is_late {
            job.timeline.unreported(slice);
        } else {
            job.activity.packet(self.core, queue_place, (from, to));
        }
        job.ledger.shown += 2;
    }

    /// Accounts for what is left at the end of the region.
    fn end(self, job: &mut Job<'_, '_>, region: &Region) {
        let Pending { rings, n_completed, n_late } = self.pending;
        if n_late > 0 {
            let n = counted(n_late, "DMA transfer");
            job.ledger.note(format!(
                "{n} on rings that were active at the start of the execution: neuron-profile skips them, they are shown here."
            ));
        }
        if n_completed > 0 {
            let reason = "Completions of DMA transfers: redundant with their start and end.";
            job.ledger.skip_n(Severity::Info, "dma_completion", reason, n_completed, region.span.offset, String::new);
        }
        let reason = "The start of a DMA transfer without an end: it was still running at the end of the trace.";
        job.starts_without_end(1, rings.into_iter().flat_map(|ring| ring.starts).collect(), reason);
    }
}

/// Reads a region of DMA records.
pub(super) async fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let mut transfers = Transfers::new(job, core, region);
    job.for_each(region.span, &mut |job, record| transfers.record(job, &record)).await?;
    transfers.end(job, region);
    Ok(())
}
