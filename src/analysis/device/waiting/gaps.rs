//! Idle time of the engines: every gap between the work of an engine, and what it waits for.
//!
//! Work is any instruction but `EVENT_SEMAPHORE`, as in the summary. A gap is attributed piece by piece: the time before an instruction, and the
//! time of a semaphore wait, belong to the semaphore that the instruction waited for, if it became true only then.

use crate::analysis::device::activity::engines::{Engine, Executed, engines};
use crate::analysis::device::waiting::cause::{Attribution, Cause, Causes};
use crate::analysis::device::waiting::signals::Signals;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, for_each_chunk, text};
use crate::model::{Domain, Profile};
use serde::{Deserialize, Serialize};

/// Gaps up to this length are not listed.
const LEAST_NS: i64 = 1000;
/// Gaps of one answer; the totals are of all.
const MOST_LISTED: usize = 5000;

/// A time in which an engine did no work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// `NC 4`.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Start and end.
    pub range: TimeRange,
    /// What most of it waits for.
    pub cause: Cause,
    /// The awaited condition, or the evidence for the cause.
    pub what: String,
    /// The instruction that waited, or the first one after the gap.
    pub next: Option<SliceId>,
    /// Its opcode.
    pub next_name: String,
    /// The instruction that ended the wait, where it is known.
    pub signal: Option<SliceId>,
    /// All its time by cause, most first.
    pub parts: Vec<(Cause, DurationNs)>,
}

/// Idle time of an engine by one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTime {
    /// `NC 4`.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Why.
    pub cause: Cause,
    /// How long.
    pub time: DurationNs,
    /// Pieces of gaps.
    pub count: u64,
}

/// Work and idle time of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineIdle {
    /// `NC 4`.
    pub core: String,
    /// `Vector`.
    pub engine: String,
    /// Time with work.
    pub busy: DurationNs,
    /// Time without.
    pub idle: DurationNs,
    /// Gaps, also those too short to be listed.
    pub n_gaps: u64,
}

/// Idle time of all engines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// What is looked at.
    pub range: TimeRange,
    /// Gaps longer than this are listed.
    pub listed_above: DurationNs,
    /// Ordered by core and engine.
    pub engines: Vec<EngineIdle>,
    /// Ordered by core, engine, cause; most time first within an engine.
    pub causes: Vec<CauseTime>,
    /// Longest first.
    pub gaps: Vec<Gap>,
    /// Gaps that are long enough to be listed but are not, because there are too many.
    pub n_more: u64,
    /// Notes.
    pub notes: Vec<String>,
}

/// The time that a profile covers: its execution window, and what is outside of it.
pub(in crate::analysis::device) fn whole(profile: &Profile) -> TimeRange {
    let window = match &profile.domain {
        Domain::NeuronDevice(d) if d.window_ns > 0 => TimeRange::new(TimeNs(0), TimeNs(d.window_ns)),
        _ => profile.meta.range,
    };
    TimeRange { start: window.start.min(profile.meta.range.start.max(TimeNs(0))), end: window.end }
}

/// Whether a range holds all of the run that is recorded.
pub(in crate::analysis::device) fn holds_run(profile: &Profile, range: TimeRange) -> bool {
    let run = whole(profile);
    range.start <= run.start && range.end >= run.end.min(profile.meta.range.end)
}

/// All gaps of a profile, or of a range of it, by its semaphores.
pub fn gaps(signals: &Signals<'_>, range: Option<TimeRange>) -> Gaps {
    let profile = signals.profile();
    gaps_of(&engines(profile), &Causes::of(profile, signals), range)
}

/// The same for given engines.
pub(in crate::analysis::device) fn gaps_of(engines: &[Engine<'_>], causes: &Causes<'_>, range: Option<TimeRange>) -> Gaps {
    let profile = causes.profile;
    let range = range.unwrap_or_else(|| whole(profile));
    let listed_above = (range.duration().0 / 1000).max(LEAST_NS);
    let mut out = Gaps { range, listed_above: DurationNs(listed_above), ..Gaps::default() };
    for engine in engines {
        let mut sums: Vec<CauseTime> = Vec::new();
        let (mut idle, mut n_gaps) = (0i64, 0);
        each_gap(causes, engine, range, |(start, end), pieces| {
            idle = idle.saturating_add(end - start);
            n_gaps += 1;
            for (from, to, why) in pieces.iter() {
                add(&mut sums, engine, why.cause, to - from);
            }
            if end - start > listed_above {
                out.gaps.push(gap(profile, engine, (start, end), pieces));
            }
        });
        let length = range.duration().0;
        let (core, name) = (engine.core.clone(), engine.name.clone());
        out.engines.push(EngineIdle { core, engine: name, busy: DurationNs(length - idle), idle: DurationNs(idle), n_gaps });
        sums.order_by_key(|c| (std::cmp::Reverse(c.time), c.cause));
        out.causes.append(&mut sums);
    }
    out.gaps.order_by_key(|g| (std::cmp::Reverse(g.range.duration()), g.range.start));
    out.n_more = out.gaps.len().saturating_sub(MOST_LISTED) as u64;
    out.gaps.truncate(MOST_LISTED);
    out.notes = notes(profile, causes.signals, &out);
    out
}

fn add(sums: &mut Vec<CauseTime>, engine: &Engine<'_>, cause: Cause, ns: i64) {
    match sums.iter_mut().find(|c| c.cause == cause) {
        Some(sum) => {
            sum.time = DurationNs(sum.time.0.saturating_add(ns));
            sum.count += 1;
        }
        None => {
            let (core, engine) = (engine.core.clone(), engine.name.clone());
            sums.push(CauseTime { core, engine, cause, time: DurationNs(ns), count: 1 });
        }
    }
}

/// A piece of a gap: from, to, why.
type Piece = (i64, i64, Attribution);

fn gap(profile: &Profile, engine: &Engine<'_>, (start, end): (i64, i64), pieces: &[Piece]) -> Gap {
    let mut parts: Vec<(Cause, DurationNs)> = Vec::new();
    for (from, to, why) in pieces {
        match parts.iter_mut().find(|p| p.0 == why.cause) {
            Some(part) => part.1 = DurationNs(part.1.0 + to - from),
            None => parts.push((why.cause, DurationNs(to - from))),
        }
    }
    parts.order_by_key(|p| (std::cmp::Reverse(p.1), p.0));
    let cause = parts.first().map_or(Cause::Unknown, |p| p.0);
    let main = pieces.iter().filter(|p| p.2.cause == cause).max_by_key(|p| p.1 - p.0);
    let next = main.and_then(|m| m.2.next);
    Gap {
        core: engine.core.clone(),
        engine: engine.name.clone(),
        range: TimeRange::new(TimeNs(start), TimeNs(end)),
        cause,
        what: main.map(|m| m.2.what(profile)).unwrap_or_default(),
        next,
        next_name: next.map(|n| profile.name_of(n).to_string()).unwrap_or_default(),
        signal: main.and_then(|m| m.2.signal).map(|s| s.slice()),
        parts,
    }
}

/// Calls `found` with each time without work within `range`, and its pieces.
fn each_gap(causes: &Causes<'_>, engine: &Engine<'_>, range: TimeRange, mut found: impl FnMut((i64, i64), &[Piece])) {
    let window = (range.start.0, range.end.0);
    let mut covered = i64::MIN;
    let mut waits: Vec<(i64, i64, SliceId)> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut close = |covered: i64, until: i64, waits: &mut Vec<(i64, i64, SliceId)>, next: Option<SliceId>| {
        pieces.clear();
        add_pieces(&mut pieces, causes, (covered, until), waits, next, window);
        waits.clear();
        if let (Some(begin), Some(end)) = (pieces.first().map(|p| p.0), pieces.last().map(|p| p.1)) {
            found((begin, end), &pieces);
        }
    };
    for_each_chunk(engine.len(), &mut |part| {
        for Executed { start, end, slice, is_wait } in engine.part(part) {
            if is_wait {
                waits.push((start, end, slice));
                continue;
            }
            if start > covered {
                close(covered, start, &mut waits, Some(slice));
            } else {
                waits.clear();
            }
            covered = covered.max(end);
        }
    });
    close(covered, i64::MAX, &mut waits, None);
}

/// The pieces of the gap from `covered` to `until`, clipped to `window`: before each wait, during it, before the work that ends it.
fn add_pieces(
    out: &mut Vec<Piece>,
    causes: &Causes<'_>,
    (covered, until): (i64, i64),
    waits: &[(i64, i64, SliceId)],
    next: Option<SliceId>,
    window: (i64, i64),
) {
    let mut at = covered;
    let mut add = |from: i64, to: i64, slice: Option<SliceId>, is_first: bool| {
        let clipped = (from.max(window.0), to.min(window.1));
        if clipped.0 < clipped.1 {
            let why = match slice {
                _ if is_first => Attribution::of(Cause::Start, slice),
                None => Attribution::of(Cause::End, None),
                Some(slice) => causes.attribute(slice, (from, to)),
            };
            out.push((clipped.0, clipped.1, why));
        }
    };
    for &(start, end, slice) in waits {
        let (start, end) = (start.clamp(at, until), end.clamp(at, until));
        add(at, start, Some(slice), at == i64::MIN);
        add(start, end, Some(slice), false);
        at = end;
    }
    add(at, until, next, at == i64::MIN && next.is_some());
}

fn notes(profile: &Profile, signals: &Signals<'_>, gaps: &Gaps) -> Vec<String> {
    let mut out = Vec::new();
    if gaps.engines.is_empty() {
        out.push("Idle time is not available: no engine instructions are recorded in this file.".into());
        return out;
    }
    if !signals.has_operands() {
        let rest = if profile.flows.from.is_empty() {
            "nor dependencies: causes of waits are not available"
        } else {
            "so causes are derived from the dependencies in the NEFF; otherwise the cause is unknown"
        };
        out.push(format!("Operands of instructions are not recorded in this file, {rest}."));
    }
    if gaps.n_more > 0 {
        out.push(format!("{} more gaps are longer than the limit; the totals include them.", text::count(gaps.n_more)));
    }
    out
}
