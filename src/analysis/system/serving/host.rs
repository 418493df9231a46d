//! What the host did while no model executed, and how long a submission took to start on the device.

use super::buckets::Times;
use super::invocations::{CoreKey, Invocation};
use crate::analysis::spans::Spans;
use crate::analysis::system::View;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId};
use crate::model::system::RowKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Time without an execution by what the host did in it: the parts add up to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Gaps between executions, process by process.
    pub count: u64,
    /// Their time.
    pub total: DurationNs,
    /// The longest one.
    pub longest: DurationNs,
    /// What the host did in their time; the first of these that runs counts.
    pub parts: Vec<GapPart>,
}

/// A part of the time without an execution.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GapPart {
    /// Stable word: `copy-in`, `submit`, `none`.
    pub id: String,
    /// What the host did.
    pub name: String,
    /// Names of its events, most time first, at most [`MOST_NAMES`].
    pub events: Vec<String>,
    /// Time.
    pub time: DurationNs,
    /// Share of all gaps; of 1.
    pub share: Option<f64>,
}

const MOST_NAMES: usize = 3;

/// Kinds of work of the host: (id, name), in the order in which they count where several run.
const KINDS: [(&str, &str); 10] = [
    ("copy-in", "Copies to the device"),
    ("copy-out", "Copies to the host"),
    ("collective", "Collectives and barriers"),
    ("load", "Compiling and loading models"),
    ("submit", "Submission of an execution"),
    ("complete", "Completion of an execution"),
    ("wait", "Waiting for the device"),
    ("runtime", "Other runtime calls"),
    ("framework", "Framework"),
    ("none", "No host event recorded"),
];
const RUNTIME: u8 = 7;
const FRAMEWORK: u8 = 8;
const NONE: usize = 9;

/// The kind of a runtime event, as a place in [`KINDS`].
fn kind_of(name: &str) -> u8 {
    let begins = |names: &[&str]| names.iter().any(|n| name.starts_with(n));
    match name {
        _ if begins(&["dmem_buf_copyin", "nrt_tensor_write"]) => 0,
        _ if begins(&["dmem_buf_copyout", "nrt_tensor_read"]) => 1,
        _ if begins(&["enc_", "cc_", "nrt_barrier", "nrt_all"]) || name.contains("barrier") => 2,
        _ if begins(&["nrt_load", "nrt_unload", "kmgr_load"]) || name.to_ascii_lowercase().contains("compil") => 3,
        _ if begins(&["nrt_model_submit", "nrta_", "kbl_exec_pre"]) => 4,
        _ if begins(&["kbl_exec_post"]) => 5,
        _ if begins(&["kbl_exec_wait"]) => 6,
        _ => RUNTIME,
    }
}

/// Server and process.
type Process = (StrId, StrId);

/// Gaps of each process between its executions, without those for which `is_quiet` reports no traffic.
pub(super) fn gaps(view: &View<'_>, busy: &BTreeMap<Process, Spans>, quiet: &Spans) -> (Gaps, Spans) {
    let mut gaps: BTreeMap<Process, Spans> = BTreeMap::new();
    for (process, spans) in busy {
        let Some((from, to)) = spans.bounds() else { continue };
        let whole = spans.gaps(from, to).0.into_iter().filter(|g| !quiet.touches(g.0, g.1));
        gaps.insert(*process, Spans(whole.collect()));
    }
    let total: i64 = gaps.values().map(Spans::total).fold(0, i64::saturating_add);
    let longest = gaps.values().flat_map(|g| &g.0).map(|g| g.1 - g.0).max().unwrap_or(0);
    let mut times = [0i64; KINDS.len()];
    let mut names: Vec<FxHashMap<StrId, i64>> = vec![FxHashMap::default(); KINDS.len()];
    let kinds: Vec<u8> = view.profile.strings.iter().map(|(_, text)| kind_of(text)).collect();
    for (process, gaps) in &gaps {
        let mut of: Vec<Vec<(i64, i64)>> = vec![Vec::new(); KINDS.len()];
        let mut events: Vec<(usize, StrId, (i64, i64))> = Vec::new();
        for (kind, track) in [RowKind::Runtime, RowKind::Framework].into_iter().flat_map(|k| view.tracks(k).map(move |t| (k, t))) {
            let row = view.system.rows[track.index()];
            if (row.instance, row.process) != *process {
                continue;
            }
            for at in view.profile.slices_of(track) {
                let Some((start, end)) = view.span(SliceId(at as u32)).filter(|s| gaps.touches(s.0, s.1)) else { continue };
                let name = view.profile.slices.name[at];
                let kind = if kind == RowKind::Framework { FRAMEWORK } else { kinds.get(name.index()).copied().unwrap_or(RUNTIME) };
                of[usize::from(kind)].push((start, end));
                events.push((usize::from(kind), name, (start, end)));
            }
        }
        // What an earlier kind covers is not of a later one.
        let mut left = gaps.clone();
        let mut own: Vec<Spans> = Vec::with_capacity(KINDS.len());
        for spans in of {
            let spans = Spans::union(spans);
            let part = left.intersection(&spans);
            left = Spans(crate::analysis::spans::without(&left.0, &part.0));
            own.push(part);
        }
        own[NONE] = left;
        for (kind, part) in own.iter().enumerate() {
            times[kind] = times[kind].saturating_add(part.total());
        }
        for (kind, name, (start, end)) in events {
            *names[kind].entry(name).or_default() += own[kind].total_within(start, end);
        }
    }
    let part = |kind: usize| {
        let mut all: Vec<(i64, &str)> = names[kind].iter().map(|(name, time)| (*time, view.profile.strings.get(*name))).collect();
        all.order_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        let events = all.into_iter().filter(|e| e.0 > 0).take(MOST_NAMES).map(|e| e.1.to_string()).collect();
        let share = (total > 0).then(|| times[kind] as f64 / total as f64);
        GapPart { id: KINDS[kind].0.into(), name: KINDS[kind].1.into(), events, time: DurationNs(times[kind]), share }
    };
    let mut parts: Vec<GapPart> = (0..KINDS.len()).filter(|k| times[*k] > 0).map(part).collect();
    parts.order_by_key(|p| std::cmp::Reverse(p.time));
    let count = gaps.values().map(|g| g.0.len() as u64).sum();
    let all = Spans::union(gaps.into_values().flat_map(|g| g.0));
    (Gaps { count, total: DurationNs(total), longest: DurationNs(longest), parts }, all)
}

/// From the host's submission of an execution to its start on the device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Delay {
    /// The event that is taken for the submission.
    pub event: String,
    /// How submissions and executions were paired: a sentence.
    pub pairing: String,
    /// Delays.
    pub times: Times,
    /// Executions without a submission before them.
    pub n_unpaired: u64,
}

/// Events that submit an execution, the most precise first.
const SUBMITS: [&str; 3] = ["nrt_model_submit", "nrta_execute_schedule", "nrt_execute"];

/// Delays of the invocations that are asked about; `None` where no submission is recorded.
pub(super) fn delay(view: &View<'_>, all: &[Invocation], is_asked: impl Fn(&Invocation) -> bool) -> Option<Delay> {
    let (profile, system) = (view.profile, view.system);
    let name = SUBMITS.iter().find(|name| system.submits.iter().any(|s| profile.name_of(s.slice) == **name))?;
    // Keyed by server, process and core, and by server and process alone where submissions name no core.
    let mut by_core: BTreeMap<(Process, StrId), Vec<(i64, StrId)>> = BTreeMap::new();
    for submit in system.submits.iter().filter(|s| profile.name_of(s.slice) == *name) {
        let Some(track) = profile.track_of(submit.slice) else { continue };
        let row = system.rows[track.index()];
        let start = profile.slices.start[submit.slice.index()];
        by_core.entry(((row.instance, row.process), row.core)).or_default().push((start, submit.execution));
    }
    by_core.values_mut().for_each(|all| all.sort_unstable());
    let mut of_core: BTreeMap<CoreKey, Vec<&Invocation>> = BTreeMap::new();
    all.iter().for_each(|i| of_core.entry(i.core).or_default().push(i));
    let (mut delays, mut n_unpaired, mut ways) = (Vec::new(), 0, BTreeSet::new());
    for (core, invocations) in of_core {
        let process = (core.0, core.1);
        let submits = by_core.get(&(process, core.2)).or_else(|| by_core.get(&(process, StrId(0))));
        let pairs = submits.map(|s| paired(s, &invocations)).unwrap_or_default();
        for (at, invocation) in invocations.iter().enumerate().filter(|(_, i)| is_asked(i)) {
            match pairs.1.get(at).copied().flatten() {
                Some(start) => {
                    ways.insert(pairs.0);
                    delays.push(invocation.span.0 - start);
                }
                None => n_unpaired += 1,
            }
        }
    }
    let pairing = ways.into_iter().collect::<Vec<_>>().join(" ");
    Some(Delay { event: (*name).into(), pairing, times: Times::of(delays), n_unpaired })
}

/// The start of the submission of each invocation of a core, both by start, and how they were paired.
fn paired(submits: &[(i64, StrId)], invocations: &[&Invocation]) -> (&'static str, Vec<Option<i64>>) {
    let ids: BTreeMap<StrId, i64> = submits.iter().rev().filter(|s| s.1 != StrId(0)).map(|s| (s.1, s.0)).collect();
    let distinct: BTreeSet<StrId> = invocations.iter().map(|i| i.execution).collect();
    // An id that comes again names something else than one execution.
    if ids.len() == submits.len() && distinct.len() == invocations.len() {
        let of = |i: &&Invocation| ids.get(&i.execution).copied().filter(|start| *start <= i.span.0);
        return ("Paired by the id of the execution (`exec_id`).", invocations.iter().map(of).collect());
    }
    if submits.len() == invocations.len() && submits.iter().zip(invocations).all(|(s, i)| s.0 <= i.span.0) {
        return ("Paired in the order of time.", submits.iter().map(|s| Some(s.0)).collect());
    }
    let mut used = 0;
    let latest = |i: &&Invocation| {
        let n = submits.partition_point(|s| s.0 <= i.span.0);
        let found = (n > used).then(|| submits[n - 1].0);
        used = used.max(n);
        found
    };
    ("Paired with the latest submission before the start.", invocations.iter().map(latest).collect())
}
