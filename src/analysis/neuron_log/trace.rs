//! Host and device side by side: per step, how long the device was idle, and what the host did meanwhile.

use super::{slices, span, tracks, within};
use crate::analysis::spans::Spans;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId};
use crate::model::Profile;
use crate::model::neuron_log::{NeuronLog, Role};
use serde::{Deserialize, Serialize};

/// A trace in numbers: the run, or a range of it. Sums are of the range; a step that touches it is counted whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogTrace {
    /// Time in which the device executes; `None` where the trace has no such row.
    pub execution: Option<DurationNs>,
    /// Time in which data moves between host and device.
    pub io: Option<DurationNs>,
    /// Time in which collectives wait for each other.
    pub synchronisation: Option<DurationNs>,
    /// Steps of the host by start; at most [`MAX_STEPS`].
    pub steps: Vec<StepRow>,
    /// Steps of the host, all of them, or all that touch the range.
    pub n_steps: u64,
    /// What the steps are called in the trace; empty when none was found.
    pub step_name: String,
}

/// One step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The host's slice.
    pub slice: SliceId,
    /// Its name.
    pub name: String,
    /// When it begins.
    pub start: TimeNs,
    /// How long it takes.
    pub duration: DurationNs,
    /// Time the device executes in it.
    pub execution: DurationNs,
    /// Time data moves in it.
    pub io: DurationNs,
    /// Time collectives wait in it.
    pub synchronisation: DurationNs,
    /// Time in which the device does none of these.
    pub idle: DurationNs,
    /// Idle as a share of the step, 0 to 1; `None` for a step without length.
    pub idle_share: Option<f64>,
    /// The longest pause of the device: when it begins.
    pub gap_start: Option<TimeNs>,
    /// The longest pause of the device.
    pub gap: DurationNs,
    /// The shortest slice of the host that covers four fifths of that pause, else the one that covers most of it.
    pub host_slice: Option<SliceId>,
    /// Its name.
    pub host_name: String,
}

/// The values of the run, or of a range.
pub fn trace(profile: &Profile, log: &NeuronLog, range: Option<TimeRange>) -> LogTrace {
    let has = |role| !tracks(log, |r| r == role).is_empty();
    let [execution, io, sync] = [Role::DeviceExecution, Role::IoTransfer, Role::CcSync].map(|role| busy(profile, log, move |r| r == role));
    let device = Spans::union(execution.0.iter().chain(&io.0).chain(&sync.0).copied());
    let (step_name, n_steps, steps) = steps(profile, log, range);
    let sum = |spans: &Spans| range.map_or_else(|| spans.total(), |r| spans.total_within(r.start.0, r.end.0));
    let total = |role, spans: &Spans| has(role).then(|| DurationNs(sum(spans)));
    let row = |slice: SliceId| {
        let (start, end) = span(profile, slice);
        let inside = |spans: &Spans| DurationNs(spans.total_within(start, end));
        let gaps = device.gaps(start, end);
        let idle = gaps.total();
        let gap = gaps.0.iter().copied().max_by_key(|g| (g.1 - g.0, std::cmp::Reverse(g.0)));
        let host = gap.and_then(|gap| covering(profile, log, gap, slice));
        StepRow {
            slice,
            name: profile.name_of(slice).into(),
            start: TimeNs(start),
            duration: DurationNs(end - start),
            execution: inside(&execution),
            io: inside(&io),
            synchronisation: inside(&sync),
            idle: DurationNs(idle),
            idle_share: (end > start).then(|| idle as f64 / (end - start) as f64),
            gap_start: gap.map(|g| TimeNs(g.0)),
            gap: DurationNs(gap.map_or(0, |g| g.1 - g.0)),
            host_slice: host,
            host_name: host.map_or(String::new(), |s| profile.name_of(s).into()),
        }
    };
    LogTrace {
        execution: total(Role::DeviceExecution, &execution),
        io: total(Role::IoTransfer, &io),
        synchronisation: total(Role::CcSync, &sync),
        steps: steps.into_iter().map(row).collect(),
        n_steps,
        step_name,
    }
}

/// Busy time of some rows.
fn busy(profile: &Profile, log: &NeuronLog, is_wanted: impl Fn(Role) -> bool) -> Spans {
    Spans::union(tracks(log, is_wanted).into_iter().flat_map(|t| slices(profile, t)).map(|s| span(profile, s)))
}

/// More steps than these are counted, not listed.
const MAX_STEPS: usize = 10_000;

/// The steps: slices of the host called `Step` and a number, else `StepMarker`. What they are called, how many there are, and the first ones.
fn steps(profile: &Profile, log: &NeuronLog, range: Option<TimeRange>) -> (String, u64, Vec<SliceId>) {
    let numbered = |name: &str| {
        let rest = name.strip_prefix("Step").or(name.strip_prefix("step"));
        rest.map(|r| r.trim_start_matches([' ', '_', '#'])).is_some_and(|r| !r.is_empty() && r.bytes().all(|b| b.is_ascii_digit()))
    };
    for (label, is_step) in [("Step", &numbered as &dyn Fn(&str) -> bool), ("StepMarker", &|n: &str| n == "StepMarker")] {
        // A name is looked at once, however often it is there.
        let wanted: Vec<bool> = profile.strings.iter().map(|(_, text)| is_step(text)).collect();
        let host = tracks(log, |r| r == Role::Host).into_iter().flat_map(|t| slices(profile, t));
        let mut found: Vec<SliceId> = host.filter(|s| wanted.get(profile.slices.name[s.index()].index()) == Some(&true)).collect();
        if !found.is_empty() {
            found.retain(|s| within(profile, *s, range).is_some());
            found.order_by_key(|s| profile.slices.start[s.index()]);
            let n = found.len() as u64;
            found.truncate(MAX_STEPS);
            return (label.into(), n, found);
        }
    }
    (String::new(), 0, Vec::new())
}

/// The shortest slice of the host, other than the step, that covers four fifths of a pause; else the one that covers most of it, if that is half.
fn covering(profile: &Profile, log: &NeuronLog, gap: (i64, i64), step: SliceId) -> Option<SliceId> {
    let length = gap.1 - gap.0;
    let mut best: Option<(bool, i64, SliceId)> = None;
    for i in tracks(log, |r| r == Role::Host).into_iter().flat_map(|t| at_middle(profile, t, gap)) {
        let slice = SliceId(i as u32);
        let (start, end) = span(profile, slice);
        let common = end.min(gap.1) - start.max(gap.0);
        if slice == step || common.saturating_mul(2) < length || common <= 0 {
            continue;
        }
        let covers = common.saturating_mul(5) >= length.saturating_mul(4);
        let key = (!covers, if covers { end - start } else { -common }, slice);
        if best.is_none_or(|b| key < b) {
            best = Some(key);
        }
    }
    best.map(|b| b.2)
}

/// The slices of a track that touch the middle of a span: nothing else covers half of it. Slices of a lane never overlap, so these are few.
fn at_middle(profile: &Profile, track: TrackId, (from, to): (i64, i64)) -> impl Iterator<Item = usize> {
    let middle = from.midpoint(to);
    let lanes = profile.tracks[track.index()].lanes.clone();
    lanes.flat_map(move |lane| {
        let lane = profile.lanes[lane as usize];
        let first = lane.first as usize;
        let after = first + profile.slices.start[first..lane.end as usize].partition_point(|&s| s <= middle);
        (first..after).rev().take_while(move |&i| profile.slices.end(i) >= middle)
    })
}
