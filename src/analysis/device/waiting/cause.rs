//! What an idle engine waits for, from the semaphore of the next instruction, or from what it depends on.

use crate::analysis::device::waiting::signals::{Signal, Signals, Used, condition, recorded_wait};
use crate::base::{SliceId, StrId};
use crate::model::{Cell, Column, NeuronDevice, Profile, SemaphoreUse};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Between two instructions that wait for nothing, so long is the engine's own way from one to the next.
const ISSUE_NS: i64 = 1000;
/// Dependencies of one instruction that are looked at.
const MOST_EDGES: usize = 256;
/// Setters of a semaphore that are looked at, to see whether several engines meet there.
const MOST_SETTERS: usize = 64;

/// Why an engine is idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Another engine's result.
    Engine,
    /// A DMA queue that brings data in.
    Load,
    /// A DMA queue that takes results out.
    Store,
    /// A queue that spills to memory and reloads.
    Spill,
    /// A queue with descriptors that are written at run time.
    Dynamic,
    /// Other cores, collective operations, or all engines of a barrier.
    Collective,
    /// Nothing has run on the engine yet.
    Start,
    /// The engine has nothing more to do.
    End,
    /// The next instruction waited for nothing: the time from one to the next.
    Issue,
    /// Not recorded.
    Unknown,
}

impl Cause {
    /// Every cause, in the order shown.
    pub const ALL: [Cause; 10] = [
        Cause::Engine,
        Cause::Load,
        Cause::Store,
        Cause::Spill,
        Cause::Dynamic,
        Cause::Collective,
        Cause::Start,
        Cause::End,
        Cause::Issue,
        Cause::Unknown,
    ];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Cause::Engine => "Another engine",
            Cause::Load => "Load",
            Cause::Store => "Store",
            Cause::Spill => "Spill or reload",
            Cause::Dynamic => "Dynamic DMA",
            Cause::Collective => "Barrier or collective",
            Cause::Start => "Start",
            Cause::End => "End of the program",
            Cause::Issue => "Issue",
            Cause::Unknown => "Unknown",
        }
    }

    /// What it means and what to do.
    pub fn meaning(self) -> &'static str {
        match self {
            Cause::Engine => {
                "The next instruction waited for a semaphore set by another engine: pipeline the engines or use smaller tiles."
            }
            Cause::Load => "The next instruction waited for a DMA queue that loads data: prefetch or use two buffers in turn.",
            Cause::Store => "The next instruction waited for a DMA queue that stores results: store later or from another buffer.",
            Cause::Spill => "The next instruction waited for a queue that spills and reloads data.",
            Cause::Dynamic => {
                "The next instruction waited for a queue with run-time descriptors. Hardware creates them much faster than GpSimd."
            }
            Cause::Collective => {
                "A barrier of several engines or cores, or a collective operation. The runtime adds barriers before and after the program."
            }
            Cause::Start => "No instruction has run on the engine yet: loading or host time.",
            Cause::End => "The engine has no more instructions until the execution ends.",
            Cause::Issue => {
                "The next instruction did not wait for a semaphore, or only for one set earlier: fetch, decode and start, up to 1 µs."
            }
            Cause::Unknown => "Not recorded in this file: the semaphore or dependency of the next instruction.",
        }
    }
}

/// Why an engine was idle before an instruction.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::device) struct Attribution {
    pub cause: Cause,
    /// The instruction that waited.
    pub next: Option<SliceId>,
    pub wait: Option<SemaphoreUse>,
    pub signal: Option<Signal>,
}

impl Attribution {
    pub fn of(cause: Cause, next: Option<SliceId>) -> Self {
        Attribution { cause, next, wait: None, signal: None }
    }

    /// The condition, or what else decided.
    pub fn what(&self, profile: &Profile) -> String {
        match (&self.wait, self.signal) {
            (Some(wait), _) => condition(profile, wait),
            (None, Some(signal)) => format!("depends on {}", profile.name_of(signal.slice())),
            (None, None) => String::new(),
        }
    }
}

/// Finds causes; what follows from a name or a semaphore is computed once.
pub(in crate::analysis::device) struct Causes<'a> {
    pub profile: &'a Profile,
    pub signals: &'a Signals<'a>,
    device: Option<&'a NeuronDevice>,
    engines: Option<&'a Column<StrId>>,
    /// Whether each string, by id, names an instruction that starts DMA transfers.
    transfers: Vec<bool>,
    /// Keyed by owner; by semaphore and the waiting engine where it has none.
    of_waits: RefCell<FxHashMap<(StrId, u32, StrId), Cause>>,
}

impl<'a> Causes<'a> {
    pub fn of(profile: &'a Profile, signals: &'a Signals<'a>) -> Self {
        let starts = |name: &str| name.starts_with("DMA_") || name.contains("DMA_TRIGGER");
        Causes {
            profile,
            signals,
            device: profile.neuron_device(),
            engines: profile.attribute("engine").map(|a| &a.values),
            transfers: profile.strings.iter().map(|(_, name)| starts(name)).collect(),
            of_waits: RefCell::default(),
        }
    }

    /// Why the engine that runs `slice` was idle from `piece.0` until `piece.1`, where the slice starts or, if it is a wait, ends.
    pub fn attribute(&self, slice: SliceId, piece: (i64, i64)) -> Attribution {
        if !self.signals.has_operands() {
            return self.by_dependencies(slice, piece);
        }
        // The one that became true last.
        let waits = self.signals.waits(slice);
        let binding = waits.filter_map(|wait| Some((self.reached(wait, piece)?, wait))).max_by_key(|b| b.0);
        if let Some((time, wait)) = binding {
            let signal = self.signals.signal(wait, time);
            return Attribution { cause: self.of_wait(wait), next: Some(slice), wait: Some(*wait), signal };
        }
        let is_short = piece.1.saturating_sub(piece.0) <= ISSUE_NS;
        Attribution::of(if is_short { Cause::Issue } else { Cause::Unknown }, Some(slice))
    }

    /// When the condition became true, if that was within the piece.
    fn reached(&self, wait: Used<'_>, (from, to): (i64, i64)) -> Option<i64> {
        if self.signals.is_recorded(wait) {
            let recorded = self.signals.reached(wait, to).filter(|t| *t > from);
            let over = crate::analysis::device::waiting::waits::over(self.profile, SliceId(wait.slice)).1;
            let missing = || self.signals.contradicted(wait, to).filter(|last| *last > from && over <= to);
            return recorded.or_else(|| missing().map(|_| to));
        }
        // Without the semaphore's values, the file's own waiting time decides.
        recorded_wait(self.device, SliceId(wait.slice)).filter(|w| *w > 0).map(|_| to)
    }

    fn engine(&self, slice: SliceId) -> Option<StrId> {
        self.engines?.at(slice.index())
    }

    fn of_wait(&self, wait: Used<'_>) -> Cause {
        let key = match wait.owner {
            StrId(0) => (StrId(0), wait.semaphore(), self.engine(SliceId(wait.slice)).unwrap_or_default()),
            owner => (owner, 0, StrId(0)),
        };
        *self.of_waits.borrow_mut().entry(key).or_insert_with(|| self.work_out(wait))
    }

    /// The cause by a semaphore's owner, else by the instruction that sets it.
    fn work_out(&self, wait: Used<'_>) -> Cause {
        let owner = self.profile.strings.get(wait.owner);
        if !owner.is_empty() {
            return of_owner(owner, |queue| queue_purpose(self.profile, queue));
        }
        let (setters, has_transfers) = self.signals.setters(wait, MOST_SETTERS);
        if has_transfers {
            return Cause::Dynamic;
        }
        let own = self.engine(SliceId(wait.slice));
        let mut others: Vec<_> = setters.into_iter().map(|s| self.engine(s)).filter(|e| *e != own).collect();
        others.sort_unstable();
        others.dedup();
        // Set by several engines of the core it is their barrier; set by none, it comes from another core or the runtime.
        if others.len() == 1 { Cause::Engine } else { Cause::Collective }
    }

    /// Whether an instruction starts DMA transfers.
    fn starts_transfer(&self, slice: SliceId) -> bool {
        self.transfers[self.profile.slices.name[slice.index()].index()]
    }

    /// The cause by dependencies: the predecessor that ended last while the engine was idle, else a transfer started earlier.
    fn by_dependencies(&self, slice: SliceId, (from, to): (i64, i64)) -> Attribution {
        let end = |s: SliceId| self.profile.slices.end(s.index());
        let (mut engine, mut transfer): (Option<SliceId>, Option<SliceId>) = (None, None);
        for edge in self.profile.flows.incoming(slice).take(MOST_EDGES).map(|e| e.0).filter(|s| end(*s) <= to) {
            let is_transfer = self.starts_transfer(edge);
            let last = if is_transfer { &mut transfer } else { &mut engine };
            // Of edges that ended together the last one counts.
            if (is_transfer || end(edge) > from) && last.is_none_or(|l| end(l) <= end(edge)) {
                *last = Some(edge);
            }
        }
        match (engine, transfer) {
            (Some(from), _) => Attribution { signal: Some(Signal::Instruction(from)), ..Attribution::of(Cause::Engine, Some(slice)) },
            (None, Some(from)) if to.saturating_sub(end(from)) > 0 => {
                Attribution { signal: Some(Signal::Transfer(from)), ..Attribution::of(Cause::Dynamic, Some(slice)) }
            }
            _ => Attribution::of(Cause::Unknown, Some(slice)),
        }
    }
}

/// The cause by the name of an engine or a queue (`qSyncDynamicHW`, `qActSpillReload0`, `qSpIO1`).
pub(in crate::analysis::device) fn of_owner(owner: &str, purpose: impl Fn(&str) -> Option<String>) -> Cause {
    const ENGINES: [&str; 12] =
        ["tensor", "tensormatrix", "vector", "scalar", "gpsimd", "sync", "pe", "act", "dve", "pool", "sp", "activation"];
    if owner.starts_with('q') {
        return match purpose(owner).as_deref() {
            _ if owner.contains("Spill") || owner.contains("Reload") => Cause::Spill,
            _ if owner.contains("Dynamic") => Cause::Dynamic,
            Some("output") => Cause::Store,
            _ => Cause::Load,
        };
    }
    let lower = owner.to_ascii_lowercase();
    match lower.as_str() {
        name if ENGINES.contains(&name) => Cause::Engine,
        name if name.contains("topsp") || name.contains("barrier") || name.starts_with("cc") => Cause::Collective,
        _ => Cause::Unknown,
    }
}

/// `input`, `output`, `weights`: usage of a queue in the table of queues.
pub(in crate::analysis::device) fn queue_purpose(profile: &Profile, queue: &str) -> Option<String> {
    let table = profile.tables.iter().find(|t| t.id == "dma_queues_info" || t.id == "DmaQueuesInfo")?;
    let column = |names: [&str; 2]| table.columns.iter().position(|c| names.contains(&c.as_str()));
    let (name, purpose) = (column(["q_name", "name"])?, column(["q_type", "type"])?);
    let is_it = |row: &&Vec<Cell>| matches!(row.get(name), Some(Cell::Text(n)) if n == queue);
    match table.rows.iter().take(10_000).find(is_it)?.get(purpose)? {
        Cell::Text(purpose) => Some(purpose.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_semaphores_tell_the_cause() {
        let check = |owner, want| assert_eq!(of_owner(owner, |q| (q == "qSpIOOut").then(|| "output".into())), want, "{owner}");
        check("Tensor", Cause::Engine);
        check("GpSimd", Cause::Engine);
        check("PE", Cause::Engine);
        check("qSyncIO0", Cause::Load);
        check("qSpIOOut", Cause::Store);
        check("qActSpillReload0", Cause::Spill);
        check("qGpSimdDynamic", Cause::Dynamic);
        check("qSyncDynamicHW", Cause::Dynamic);
        check("TopSp", Cause::Collective);
        check("something", Cause::Unknown);
    }
}
