//! The longest chain of dependent work: over dependencies, semaphores and the order on each engine.
//!
//! Each step counts the time that no earlier step of the chain covers, so the steps and the times between them add up to the chain's length.
//! Of all chains the one with the most work is taken. Steps are visited by their start, and an arrow against that order is not followed:
//! so there are no cycles, whatever the clocks say. Linear in instructions and arrows, after sorting.

mod answer;
mod steps;

pub use answer::{CriticalPath, PathKind, PathShare, PathStep};

use crate::analysis::device::accesses::producers::Producers;
use crate::analysis::device::waiting::cause::{Attribution, Cause, Causes};
use crate::analysis::device::waiting::signals::{Signal, Signals};
use crate::analysis::device::waiting::waits;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId, for_each_chunk, text};
use crate::model::accesses::Memory;
use crate::model::{Profile, TrackKind};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use steps::{Step, Steps};

/// Steps of one answer; the shares are of all.
const MOST_STEPS: usize = 5000;
/// Predecessors of one instruction that are followed.
const MOST_EDGES: usize = 4096;

/// What ties a step to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Via {
    First,
    Engine,
    Semaphore,
    Transfer,
    /// It reads what the other wrote; `is_moved`: the other is a DMA transfer, `is_round_trip`: both are, through device memory.
    Data {
        is_moved: bool,
        is_round_trip: bool,
    },
    /// An arrow.
    Flow,
}

/// No slice.
const NONE: u32 = u32::MAX;
/// No step is known yet.
const UNVISITED: u32 = u32::MAX - 1;

/// The best chain that ends with a step: 24 bytes, for millions of steps.
#[derive(Debug, Clone, Copy)]
struct Best {
    work: i64,
    /// End of the time that the chain covers.
    front: i64,
    /// The slice of the step before, [`NONE`], or [`UNVISITED`].
    from: u32,
    via: Via,
    /// Whether the step is a semaphore wait.
    is_wait: bool,
}

/// What a step adds to its chain.
struct StepTimes {
    /// Its time that no earlier step covers.
    own: DurationNs,
    /// The time before it that none covers.
    gap: DurationNs,
    /// What most of these waited for.
    cause: Option<Cause>,
}

/// Dependencies from data.
struct Data {
    producers: Producers,
    /// Instructions that started a transfer.
    triggers: FxHashSet<u32>,
}

struct Walk<'a> {
    profile: &'a Profile,
    causes: &'a Causes<'a>,
    /// Indexed by name of a slice, whether it is a semaphore wait.
    is_wait: Vec<bool>,
    /// Who wrote what is read, where the chain may follow data.
    data: Option<Data>,
    /// Slice by slice, from `first` on: the best chain to each step visited so far.
    best: Vec<Best>,
    first: usize,
    /// Lane by lane, where the semaphores of its last step end.
    near_uses: Vec<Cell<usize>>,
    /// The step visited last, by number of the engine.
    last_on: Vec<u32>,
    /// The step visited whose chain has the most work; of equal ones the chain that ends first.
    longest: Option<u32>,
    n_edges: u64,
    n_backward: u64,
}

/// The longest chain of a profile by its semaphores; one that follows data too where `is_by_data`: from the writer of what an instruction reads
/// in State Buffer, PSUM or device memory.
pub fn critical_path(signals: &Signals<'_>, is_by_data: bool) -> CriticalPath {
    let profile = signals.profile();
    let device = profile.neuron_device().filter(|_| is_by_data);
    let data = device.map(|device| Data {
        producers: Producers::of(profile, device),
        triggers: device.transfers.iter().map(|t| t.instruction).collect(),
    });
    longest(&Causes::of(profile, signals), data)
}

fn longest(causes: &Causes<'_>, data: Option<Data>) -> CriticalPath {
    let steps = Steps::of(causes.profile);
    let mut walk = Walk::new(causes, &steps, data);
    steps.for_each(|step| walk.visit(step));
    match walk.longest {
        Some(last) => walk.path(last),
        None => {
            let notes = vec!["The critical path is not available: no engine instructions are recorded in this file.".into()];
            CriticalPath { notes, ..CriticalPath::default() }
        }
    }
}

impl<'a> Walk<'a> {
    fn new(causes: &'a Causes<'a>, steps: &Steps<'_>, data: Option<Data>) -> Self {
        let slices = steps.slices();
        let unvisited = Best { work: 0, front: 0, from: UNVISITED, via: Via::First, is_wait: false };
        let mut best = Vec::with_capacity(slices.len());
        for_each_chunk(slices.len(), &mut |part| best.resize(part.end, unvisited));
        Walk {
            profile: causes.profile,
            causes,
            is_wait: waits::names(causes.profile),
            data,
            best,
            first: slices.start,
            near_uses: vec![Cell::default(); steps.n_lanes()],
            last_on: Vec::new(),
            longest: None,
            n_edges: 0,
            n_backward: 0,
        }
    }

    /// The best chain to a slice that was visited.
    fn best(&self, slice: u32) -> Option<&Best> {
        self.best.get((slice as usize).wrapping_sub(self.first)).filter(|best| best.from != UNVISITED)
    }

    /// Where the time before a step ends that its chain covers, if there is a step before.
    fn front_before(&self, best: &Best) -> Option<i64> {
        self.best(best.from).map(|before| before.front)
    }

    fn visit(&mut self, Step { slice, engine, lane }: Step) {
        let (profile, to) = (self.profile, SliceId(slice as u32));
        let (start, end) = (profile.slices.start[slice], profile.slices.end(slice));
        let is_wait = engine.is_some() && self.is_wait[profile.slices.name[slice].index()];
        let works = !is_wait;
        let mut best = Best { work: if works { end - start } else { 0 }, front: end.max(start), from: NONE, via: Via::First, is_wait };
        // The end of the chain before, once there is one.
        let mut front_before = i64::MIN;
        let (mut n_edges, mut n_backward) = (0, 0);
        let mut consider = |walk: &Self, from: u32, via: Via| {
            n_edges += 1;
            // Visited already: it starts earlier, so that arrows never form a circle.
            let Some(known) = walk.best(from) else {
                n_backward += 1;
                return;
            };
            let own = if works { end.saturating_sub(start.max(known.front)).max(0) } else { 0 };
            let found = Best { work: known.work.saturating_add(own), front: end.max(known.front), from, via, is_wait };
            if best.from == NONE && found.work >= best.work || (found.work, known.front) > (best.work, front_before) {
                (best, front_before) = (found, known.front);
            }
        };
        if let Some(engine) = engine.map(|n| n as usize) {
            if self.last_on.len() <= engine {
                self.last_on.resize(engine + 1, NONE);
            }
            let before = std::mem::replace(&mut self.last_on[engine], to.0);
            if before != NONE {
                consider(self, before, Via::Engine);
            }
        }
        for (from, _) in profile.flows.incoming(to).take(MOST_EDGES) {
            consider(self, from.0, Via::Flow);
        }
        let signals = self.causes.signals;
        for wait in signals.uses_near(to, &self.near_uses[lane as usize]).filter(|u| u.role.is_wait()) {
            let signal = signals.reached(wait, end).and_then(|t| signals.signal(wait, t));
            match signal {
                Some(Signal::Instruction(from)) => consider(self, from.0, Via::Semaphore),
                Some(Signal::Transfer(from)) => consider(self, from.0, Via::Transfer),
                None => {}
            }
        }
        for from in self.data.iter().flat_map(|d| d.producers.of_slice(to.0).take(MOST_EDGES)) {
            let starts_transfer = |slice: u32| self.data.as_ref().is_some_and(|d| d.triggers.contains(&slice));
            let is_moved = starts_transfer(from);
            let is_round_trip = is_moved && starts_transfer(to.0) && self.is_round_trip(from, to.0);
            // A transfer may start to read before its writer has: the order on chip is not that of the instructions.
            if self.best(from).is_some() {
                consider(self, from, Via::Data { is_moved, is_round_trip });
            }
        }
        self.n_edges += n_edges;
        self.n_backward += n_backward;
        self.best[slice - self.first] = best;
        let key = |best: &Best| (best.work, std::cmp::Reverse(best.front));
        if self.longest.and_then(|step| self.best(step)).is_none_or(|known| key(&best) >= key(known)) {
            self.longest = Some(to.0);
        }
    }

    /// Whether a transfer reads device memory that another transfer wrote.
    fn is_round_trip(&self, from: u32, to: u32) -> bool {
        let Some(device) = self.profile.neuron_device() else { return false };
        let in_device = |slice: u32, writes: bool| {
            let all = device.accesses_of(slice).iter();
            all.filter(move |a| a.kind.writes() == writes && matches!(a.memory, Memory::Device | Memory::Table))
                .map(|a| (a.memory, a.table))
        };
        in_device(from, true).any(|written| in_device(to, false).any(|read| read == written))
    }

    fn path(&self, last: u32) -> CriticalPath {
        let mut chain = vec![last];
        // Each step back goes to one visited earlier.
        for_each_chunk(self.best.len(), &mut |part| {
            for _ in part {
                let Some(from) = chain.last().and_then(|step| self.best(*step)).map(|b| b.from).filter(|from| *from != NONE) else {
                    return;
                };
                chain.push(from);
            }
        });
        chain.reverse();
        let first = self.profile.slices.start[chain[0] as usize];
        let Best { work, front: end, .. } = self.best[last as usize - self.first];
        let range = TimeRange { start: TimeNs(first), end: TimeNs(end.max(first)) };
        let mut out = CriticalPath { range, n_steps: chain.len() as u64, n_edges: self.n_edges, ..CriticalPath::default() };
        out.work = DurationNs(work);
        for_each_chunk(chain.len(), &mut |part| {
            for &step in &chain[part] {
                let times = self.times(step, &mut out.shares);
                if out.steps.len() < MOST_STEPS {
                    out.steps.push(self.listed(SliceId(step), times));
                }
            }
        });
        let length = range.duration().0.max(1) as f64;
        out.shares.iter_mut().for_each(|s| s.share = s.time.0 as f64 / length);
        out.shares.order_by(|a, b| (b.time, a.kind, &a.name).cmp(&(a.time, b.kind, &b.name)));
        out.notes = self.notes(chain.len());
        out
    }

    /// What a step adds to the chain; its times are added to the shares.
    fn times(&self, slice: u32, shares: &mut Vec<PathShare>) -> StepTimes {
        let (profile, i) = (self.profile, slice as usize);
        let best = self.best[i - self.first];
        let (start, end) = (profile.slices.start[i], profile.slices.end(i));
        let front = self.front_before(&best).unwrap_or(start);
        let (gap, own) = ((start - front).max(0), end.saturating_sub(start.max(front)).max(0));
        let waits = best.is_wait;
        // What most of its time waited for.
        let mut longest = None;
        for (ns, from, to) in [(gap, front, start), (if waits { own } else { 0 }, start.max(front), end)] {
            if ns > 0 {
                let why = self.why(slice, best.via, (from, to));
                longest = longest.filter(|(most, _)| *most >= ns).or(Some((ns, why)));
                add(shares, kind_of(why), why.label(), ns);
            }
        }
        if !waits {
            let track = profile.track_of(SliceId(slice)).unwrap_or_default();
            let is_transfer = profile.tracks.get(track.index()).is_some_and(|t| t.kind == TrackKind::Queue);
            let kind = if is_transfer { PathKind::Dma } else { PathKind::Compute };
            add(shares, kind, engine_name(profile, SliceId(slice), track), own);
        }
        StepTimes { own: DurationNs(own), gap: DurationNs(gap), cause: longest.map(|l| l.1) }
    }

    /// A step as the answer lists it.
    fn listed(&self, slice: SliceId, StepTimes { own, gap, cause }: StepTimes) -> PathStep {
        let (profile, best) = (self.profile, self.best[slice.index() - self.first]);
        let track = profile.track_of(slice).unwrap_or_default();
        let (start, end) = (profile.slices.start[slice.index()], profile.slices.end(slice.index()));
        PathStep {
            slice,
            name: profile.name_of(slice).into(),
            core: profile.track_path(track).split(" / ").next().unwrap_or_default().into(),
            engine: engine_name(profile, slice, track).into(),
            range: TimeRange { start: TimeNs(start), end: TimeNs(end) },
            own,
            gap,
            cause,
            via: match best.via {
                Via::First => String::new(),
                Via::Engine => "same engine".into(),
                Via::Semaphore => "semaphore".into(),
                Via::Transfer => "transfer".into(),
                Via::Data { is_round_trip: true, .. } => "data through device memory".into(),
                Via::Data { is_moved: false, .. } => "data".into(),
                Via::Data { is_moved: true, .. } => "data of a transfer".into(),
                // The first arrow of several between two steps: all are as good.
                Via::Flow => profile.flows.incoming(slice).find(|f| f.0.0 == best.from).map_or("", |f| profile.strings.get(f.1)).into(),
            },
        }
    }

    /// What the time before a step waits for.
    fn why(&self, slice: u32, via: Via, piece: (i64, i64)) -> Cause {
        let Attribution { cause, .. } = self.causes.attribute(SliceId(slice), piece);
        match (cause, via) {
            (Cause::Issue | Cause::Unknown, Via::Transfer | Via::Data { is_moved: true, .. }) => Cause::Dynamic,
            _ => cause,
        }
    }

    fn notes(&self, n_steps: usize) -> Vec<String> {
        let mut out = Vec::new();
        if self.profile.flows.from.is_empty() && !self.causes.signals.has_operands() {
            out.push(
                "Dependencies and semaphores are not recorded in this file: the critical path follows the order on one engine.".into(),
            );
        }
        if let Some(data) = &self.data {
            out.push(match data.producers.is_empty() {
                true => "Dependencies from data are not available: needs operands of instructions (recorded by trn2 traces and the profiler's JSON).".into(),
                false => format!(
                    "Dependencies from data are followed too: {} of an instruction that writes to State Buffer, PSUM or device memory and one that reads it.",
                    text::counted(data.producers.len() as u64, "pair")
                ),
            });
            if data.producers.is_cut {
                out.push("There are more dependencies from data than are followed.".into());
            }
        }
        if self.n_backward > 0 {
            let n = text::count(self.n_backward);
            out.push(format!("{n} dependencies point to an instruction that starts before its predecessor; they are ignored."));
        }
        if n_steps > MOST_STEPS {
            out.push(format!(
                "The critical path has {} steps; the first {} are listed.",
                text::count(n_steps as u64),
                text::count(MOST_STEPS as u64)
            ));
        }
        out
    }
}

fn engine_name(profile: &Profile, slice: SliceId, track: TrackId) -> &str {
    let recorded = profile.attribute("engine").and_then(|a| a.values.at(slice.index())).map_or("", |id| profile.strings.get(id));
    let own = || profile.tracks.get(track.index()).map_or("", |t| profile.strings.get(t.name));
    if recorded.is_empty() { own() } else { recorded }
}

fn kind_of(cause: Cause) -> PathKind {
    match cause {
        Cause::Load | Cause::Store | Cause::Spill | Cause::Dynamic => PathKind::Dma,
        Cause::Engine | Cause::Collective => PathKind::Wait,
        Cause::Start | Cause::End | Cause::Issue | Cause::Unknown => PathKind::Gap,
    }
}

fn add(shares: &mut Vec<PathShare>, kind: PathKind, name: &str, ns: i64) {
    match shares.iter_mut().find(|s| s.kind == kind && s.name == name) {
        Some(share) => {
            share.time = DurationNs(share.time.0.saturating_add(ns));
            share.count += 1;
        }
        None => shares.push(PathShare { kind, name: name.into(), time: DurationNs(ns), share: 0.0, count: 1 }),
    }
}
