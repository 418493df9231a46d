//! What one instruction waits for and sets: each semaphore with the moment its condition became true, and who brought that about.

use crate::analysis::details::{Neighbour, neighbour};
use crate::analysis::device::waiting::signals::{Signal, Signals, Used, condition};
use crate::base::{SliceId, StrId, TimeNs};
use crate::model::{Profile, SemaphoreRole};
use serde::{Deserialize, Serialize};

/// One semaphore of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SemaphoreFact {
    /// `S[5] (Tensor) ≥ 4`, or `S[5] + 1`.
    pub what: String,
    /// Whether it waits for the semaphore, else it sets it.
    pub is_wait: bool,
    /// Whether its instruction does nothing but wait, and so ends when the condition holds; all others begin then.
    pub is_pure_wait: bool,
    /// When the condition became true; `None` where the file has no values of the semaphore, or for what it sets.
    pub reached: Option<TimeNs>,
    /// Nanoseconds from then until the instruction began, or ended if it only waits: short, and this is what held it up.
    pub slack_ns: Option<i64>,
    /// What raised it (for a wait), or the next instruction that waits for it (for what it sets).
    pub other: Option<Neighbour>,
    /// Whether `other` raised it by a DMA transfer that it started.
    pub is_transfer: bool,
    /// The transfer that ended last before the condition became true, where a queue raised it.
    pub transfer: Option<Neighbour>,
}

/// Whether an instruction of that name does nothing but wait. `EVENT_SEMAPHORE_RANGE_CLEAR` clears semaphores, for up to 0.4 µs: the profiler
/// counts that as work, in its table `active_time` and in its summary.
pub(in crate::analysis::device) fn is_wait(name: &str) -> bool {
    name == "EVENT_SEMAPHORE"
}

/// The same for each string, by id.
pub(in crate::analysis) fn names(profile: &Profile) -> Vec<bool> {
    profile.strings.iter().map(|(_, name)| is_wait(name)).collect()
}

/// The semaphores of an instruction: those it waits for first, then those it sets. Empty where the file records no operands.
pub fn semaphores(profile: &Profile, slice: SliceId) -> Vec<SemaphoreFact> {
    let signals = Signals::about(profile, slice);
    let waits = signals.waits(slice).map(|wait| waited(profile, &signals, wait));
    let sets = signals.of_slice(slice).filter(|u| !u.role.is_wait()).map(|set| given(profile, &signals, set));
    waits.chain(sets).collect()
}

/// Whether an instruction does nothing but wait, and when its waiting is over: then such a one ends, and all others begin.
pub(in crate::analysis::device) fn over(profile: &Profile, slice: SliceId) -> (bool, i64) {
    let is_pure = is_wait(profile.name_of(slice));
    (is_pure, if is_pure { profile.slices.end(slice.index()) } else { profile.slices.start[slice.index()] })
}

fn waited(profile: &Profile, signals: &Signals<'_>, wait: Used<'_>) -> SemaphoreFact {
    let slice = SliceId(wait.slice);
    let (is_pure, begun) = over(profile, slice);
    let reached = signals.reached(wait, begun);
    let signal = reached.and_then(|time| signals.signal(wait, time));
    let other = signal.map(|s| between(profile, s.slice(), slice));
    let is_transfer = matches!(signal, Some(Signal::Transfer(_)));
    let transfer = reached.and_then(|time| signals.transfer_before(wait, time)).map(|s| between(profile, s, slice));
    SemaphoreFact {
        what: condition(profile, &wait),
        is_wait: true,
        is_pure_wait: is_pure,
        reached: reached.map(TimeNs),
        slack_ns: reached.map(|time| begun.saturating_sub(time)),
        other,
        is_transfer,
        transfer,
    }
}

fn given(profile: &Profile, signals: &Signals<'_>, set: Used<'_>) -> SemaphoreFact {
    let slice = SliceId(set.slice);
    let waiter = signals.next_waiter(set, profile.slices.end(slice.index()));
    let owner = profile.strings.get(set.owner);
    let owner = if owner.is_empty() { String::new() } else { format!(" ({owner})") };
    let id = profile.strings.get(set.id);
    let by = match (set.role, set.value) {
        (SemaphoreRole::Sets, 0) => " is set".to_string(),
        (_, by @ ..0) => format!(" − {}", by.unsigned_abs()),
        (_, by) => format!(" + {by}"),
    };
    let waits = waiter.map(|(_, wait)| condition(profile, wait)).unwrap_or_default();
    let other = waiter.map(|(waiter, _)| Neighbour { kind: waits, ..between(profile, waiter, slice) });
    SemaphoreFact {
        what: format!("S[{id}]{owner}{by}"),
        is_wait: false,
        is_pure_wait: false,
        reached: None,
        slack_ns: None,
        other: other
            .map(|n| Neighbour { gap_ns: profile.slices.start[n.slice.index()].saturating_sub(profile.slices.end(slice.index())), ..n }),
        is_transfer: set.role == SemaphoreRole::Transfers,
        transfer: None,
    }
}

/// `from` relative to `to`, with the time between them.
fn between(profile: &Profile, from: SliceId, to: SliceId) -> Neighbour {
    let gap = profile.slices.start[to.index()].saturating_sub(profile.slices.end(from.index()));
    neighbour(profile, from, StrId(0), gap)
}
