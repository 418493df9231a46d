//! Which moment made a semaphore's condition true, and which instruction or transfer brought it about.

mod by_time;
mod read;

use crate::base::{SliceId, SortedIndex, TrackId};
use crate::model::{Domain, NeuronDevice, Profile, SemaphoreRole, SemaphoreUse, TrackKind};
use by_time::ByTime;
use std::cell::Cell;
use std::rc::Rc;

/// Earlier values of a semaphore that are looked at; a condition that was true before those was true long ago.
const MOST_STEPS: usize = 256;

/// Not the place of a semaphore.
const NONE: u32 = u32::MAX;

/// Values of the semaphores over time, and who changes them.
pub struct Signals<'a> {
    profile: &'a Profile,
    uses: &'a [SemaphoreUse],
    history: Rc<SemaphoreHistory>,
}

/// What was read of the semaphores of a profile.
#[derive(Debug)]
pub struct SemaphoreHistory {
    /// Positions of a slice's uses; empty if only one slice was requested.
    places: SortedIndex,
    /// The topmost track of each track: its core.
    roots: Vec<u32>,
    /// For each use, from the first one asked for on: the place of its semaphore.
    of_use: Vec<u32>,
    first_use: usize,
    /// Where the uses that were found last end.
    near_use: Cell<usize>,
    semaphores: Vec<Semaphore>,
    /// The value that an instant of a name gives its semaphore, by name; 0 for other names.
    values_of_names: Vec<i64>,
}

/// What happens to one semaphore.
#[derive(Debug, Default)]
struct Semaphore {
    /// New values, as names of instants.
    values: ByTime,
    /// Instructions that set it when they end.
    setters: ByTime,
    /// Instructions whose transfer, begun with them, raises it.
    triggers: ByTime,
}

/// A semaphore in the operands of an instruction.
#[derive(Clone, Copy)]
pub struct Used<'a> {
    used: &'a SemaphoreUse,
    /// Which of the semaphores.
    place: u32,
}

impl std::ops::Deref for Used<'_> {
    type Target = SemaphoreUse;

    fn deref(&self) -> &SemaphoreUse {
        self.used
    }
}

impl Used<'_> {
    /// Which of the semaphores it is, of all cores.
    pub fn semaphore(&self) -> u32 {
        self.place
    }
}

/// What raised a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// An instruction, when it ended.
    Instruction(SliceId),
    /// A DMA transfer that this instruction started.
    Transfer(SliceId),
}

impl Signal {
    /// The instruction.
    pub fn slice(self) -> SliceId {
        match self {
            Signal::Instruction(slice) | Signal::Transfer(slice) => slice,
        }
    }
}

impl<'a> Signals<'a> {
    /// Reads a whole profile; linear in its instants and semaphores.
    pub fn of(profile: &'a Profile) -> Self {
        Signals::with(profile, Rc::new(SemaphoreHistory::reading(profile, None)))
    }

    /// The same from what was read of that profile before.
    pub fn with(profile: &'a Profile, history: Rc<SemaphoreHistory>) -> Self {
        Signals { profile, uses: uses(profile), history }
    }

    /// What was read, for [`Signals::with`].
    pub fn history(&self) -> Rc<SemaphoreHistory> {
        self.history.clone()
    }

    /// The profile whose semaphores they are.
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// Only of the semaphores in the operands of one instruction: looks at as much, and keeps much less.
    pub fn about(profile: &'a Profile, slice: SliceId) -> Self {
        let uses = uses(profile);
        let first = uses.partition_point(|u| u.slice < slice.0);
        let n = uses[first..].partition_point(|u| u.slice == slice.0);
        Signals::with(profile, Rc::new(SemaphoreHistory::reading(profile, Some(first..first + n))))
    }

    fn recorded(&self, used: Used<'_>) -> Option<&Semaphore> {
        self.history.semaphores.get(used.place as usize)
    }

    /// Whether the file records operands at all.
    pub fn has_operands(&self) -> bool {
        !self.uses.is_empty()
    }

    /// The semaphores in the operands of an instruction.
    pub fn of_slice(&self, slice: SliceId) -> impl Iterator<Item = Used<'a>> + '_ {
        self.uses_near(slice, &self.history.near_use)
    }

    /// The same, for instructions that are asked about in order: `near` is where the last one was found, and 0 at first.
    pub fn uses_near(&self, slice: SliceId, near: &Cell<usize>) -> impl Iterator<Item = Used<'a>> + use<'a, '_> {
        let found = self.history.places.find_near(self.uses.len(), near.get(), slice.0, |at| self.uses[at].slice);
        near.set(found.end);
        found.map(|at| {
            let place = at.checked_sub(self.history.first_use).and_then(|at| self.history.of_use.get(at));
            Used { used: &self.uses[at], place: place.copied().unwrap_or(NONE) }
        })
    }

    /// Those of them that it waits for.
    pub fn waits(&self, slice: SliceId) -> impl Iterator<Item = Used<'a>> + '_ {
        self.of_slice(slice).filter(|u| u.role.is_wait())
    }

    /// The core that a slice runs on: its topmost track.
    pub fn core(&self, slice: SliceId) -> Option<TrackId> {
        self.profile.track_of(slice).map(|t| TrackId(self.history.roots[t.index()]))
    }

    /// The values of the semaphore of `wait` at or before a time, latest first: (when, value).
    fn values_until(&self, wait: Used<'_>, time: i64) -> Option<impl Iterator<Item = (i64, i64)>> {
        let (history, list) = (&self.history, &self.recorded(wait)?.values);
        let value = |at: usize| (list.time(at), history.values_of_names[list.numbers[at] as usize]);
        Some((0..list.n_until(time)).rev().map(value))
    }

    /// Whether the values of the semaphore over time are known.
    pub fn is_recorded(&self, wait: Used<'_>) -> bool {
        self.recorded(wait).is_some_and(|s| !s.values.numbers.is_empty())
    }

    /// When the condition of `wait` last became true, at or before `until`.
    pub fn reached(&self, wait: Used<'_>, until: i64) -> Option<i64> {
        let mut latest = self.values_until(wait, until)?.take(MOST_STEPS);
        let found = match wait.role {
            SemaphoreRole::Exactly => latest.find(|v| v.1 == wait.value),
            // Back to the first of the values that hold.
            _ => latest.take_while(|v| v.1 >= wait.value).last(),
        };
        found.map(|v| v.0)
    }

    /// When the last value recorded at or before `until` came, where it is not what `wait` waits for: if the wait was over by then, the change that
    /// ended it came later and is missing in the file.
    pub fn contradicted(&self, wait: Used<'_>, until: i64) -> Option<i64> {
        let (time, value) = self.values_until(wait, until)?.next()?;
        let holds = if wait.role == SemaphoreRole::Exactly { value == wait.value } else { value >= wait.value };
        (!holds).then_some(time)
    }

    /// What made the condition of `wait` true at `time`.
    pub fn signal(&self, wait: Used<'_>, time: i64) -> Option<Signal> {
        let before = |list: &ByTime| (0..list.n_until(time)).rev().take(2).find(|at| list.numbers[*at] != wait.slice);
        let Semaphore { setters, triggers, .. } = self.recorded(wait)?;
        match (before(setters), before(triggers)) {
            (Some(set), Some(moved)) if setters.time(set) < triggers.time(moved) => {
                Some(Signal::Transfer(SliceId(triggers.numbers[moved])))
            }
            (Some(set), _) => Some(Signal::Instruction(SliceId(setters.numbers[set]))),
            (None, moved) => moved.map(|at| Signal::Transfer(SliceId(triggers.numbers[at]))),
        }
    }

    /// Instructions that set the semaphore of `wait`, at most `limit` of them evenly chosen; and whether transfers raise it.
    pub fn setters(&self, wait: Used<'_>, limit: usize) -> (Vec<SliceId>, bool) {
        let Some(semaphore) = self.recorded(wait) else { return Default::default() };
        let all = &semaphore.setters.numbers;
        let step = all.len().div_ceil(limit.max(1)).max(1);
        (all.iter().step_by(step).map(|slice| SliceId(*slice)).collect(), !semaphore.triggers.numbers.is_empty())
    }

    /// The first instruction of the same core that waits for the semaphore of `set` and starts at or after `time`. Linear in the semaphores.
    pub fn next_waiter(&self, set: Used<'_>, time: i64) -> Option<(SliceId, &'a SemaphoreUse)> {
        let core = self.core(SliceId(set.slice));
        let start = |u: &SemaphoreUse| self.profile.slices.start[u.slice as usize];
        let waits = self.uses.iter().filter(|u| u.id == set.id && u.role.is_wait() && u.slice != set.slice);
        let later = waits.filter(|u| start(u) >= time && self.core(SliceId(u.slice)) == core);
        later.min_by_key(|u| start(u)).map(|u| (SliceId(u.slice), u))
    }

    /// The transfer on the queue `owner` of the waiting core that ended last at or before `time`. Linear in the queue's transfers.
    pub fn transfer_before(&self, wait: Used<'_>, time: i64) -> Option<SliceId> {
        let (profile, root) = (self.profile, self.core(SliceId(wait.slice))?);
        let owner = profile.strings.get(wait.owner);
        let is_queue = |t: &usize| {
            let track = &profile.tracks[*t];
            track.kind == TrackKind::Queue && self.history.roots[*t] == root.0 && queue_name(profile.strings.get(track.name)) == owner
        };
        let queues = (0..profile.tracks.len()).filter(is_queue).filter(|_| !owner.is_empty());
        let ended = queues.flat_map(|t| profile.slices_of(TrackId(t as u32))).filter(|i| profile.slices.end(*i) <= time);
        ended.max_by_key(|i| profile.slices.end(*i)).map(|i| SliceId(i as u32))
    }
}

fn uses(profile: &Profile) -> &[SemaphoreUse] {
    match &profile.domain {
        Domain::NeuronDevice(device) => &device.semaphores,
        _ => &[],
    }
}

/// `Q1 qSyncDynamicHW` → `qSyncDynamicHW`.
fn queue_name(track: &str) -> &str {
    track.split_once(' ').map_or(track, |p| p.1)
}

/// The topmost track of each track.
pub(in crate::analysis::device) fn roots(profile: &Profile) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::with_capacity(profile.tracks.len());
    for (i, track) in profile.tracks.iter().enumerate() {
        let root = track.parent.and_then(|p| out.get(p.index())).copied().unwrap_or(i as u32);
        out.push(root);
    }
    out
}

/// `S[24] (qSyncDynamicHW) ≥ 16`.
pub fn condition(profile: &Profile, wait: &SemaphoreUse) -> String {
    let (id, owner) = (profile.strings.get(wait.id), profile.strings.get(wait.owner));
    let owner = if owner.is_empty() { String::new() } else { format!(" ({owner})") };
    let sign = if wait.role == SemaphoreRole::Exactly { "=" } else { "≥" };
    format!("S[{id}]{owner} {sign} {}", wait.value)
}

/// Recorded wait time of an instruction.
pub(in crate::analysis::device) fn recorded_wait(device: Option<&NeuronDevice>, slice: SliceId) -> Option<i64> {
    let recorded = device?.wait_ns.at(slice.index())?;
    (recorded != NeuronDevice::ABSENT).then_some(i64::from(recorded))
}
