//! Serving on Neuron: executions by model and bucket, bursts of traffic, how busy the cores are and what the host does between executions.

mod buckets;
mod host;
mod invocations;

pub use buckets::{BucketRow, Phase, PhaseRow, Times};
pub use host::{Delay, GapPart, Gaps};

use super::figures::{self, TransferRow};
use super::memory::{self, HbmRow};
use super::{Spans, View};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TimeNs, TimeRange};
use crate::model::system::RowKind;
use crate::model::{NeuronSystem, Profile};
use invocations::CoreKey;
pub(super) use invocations::{Invocation, invocations};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingQuery {
    /// Only this range.
    pub range: Option<TimeRange>,
    /// Only this burst, counted from 0; it goes before the range.
    pub burst: Option<u32>,
}

/// A system profile as one of serving.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Serving {
    /// What the answer is about.
    pub scope: TimeRange,
    /// The burst that is the scope, counted from 0.
    pub burst: Option<u32>,
    /// Executions of physical cores that start in the scope.
    pub n_executions: u64,
    /// Invocations that start in it: executions of the physical cores of a logical one count once.
    pub n_invocations: u64,
    /// Invocations by model, bucket and phase, most time first. Durations are whole, also of those that end after the scope.
    pub buckets: Vec<BucketRow>,
    /// The same by phase.
    pub phases: Vec<PhaseRow>,
    /// Bursts of traffic of the whole profile, by time: no execution for 5 s and more parts them.
    pub bursts: Vec<Burst>,
    /// Logical cores by busy time.
    pub cores: Vec<ServingCore>,
    /// Time in which any core executes, clipped to the scope.
    pub busy: DurationNs,
    /// Mean over the scope of the number of logical cores that execute; `None` without a scope of some length.
    pub mean_cores_busy: Option<f64>,
    /// Time between executions, by what the host did.
    pub gaps: Gaps,
    /// From submission to start; `None`: no submission is recorded.
    pub delay: Option<Delay>,
    /// Collectives on the device; `None`: none is recorded.
    pub collectives: Option<Collectives>,
    /// Copies between host and device.
    pub copies: Vec<TransferRow>,
    /// Time of copies while no core of their process executes.
    pub copies_in_gaps: DurationNs,
    /// Each HBM at its fullest, by category.
    pub hbm: Vec<HbmRow>,
    /// Bytes of spills (DRAM and DMA rings) then, over all HBMs; `None`: no use of HBM is recorded.
    pub spill_bytes: Option<u64>,
    /// What is a guess or not available, and why.
    pub notes: Vec<String>,
}

/// A burst of traffic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// From the start of its first execution to the end of its last.
    pub range: TimeRange,
    /// Invocations.
    pub count: u64,
    /// Time in which any core executes.
    pub busy: DurationNs,
    /// Time without any execution before it; `None` for the first.
    pub idle_before: Option<DurationNs>,
}

/// A logical core.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServingCore {
    /// `i-0f · PID 7 · NC 0`.
    pub place: String,
    /// Physical cores that ran its invocations.
    pub n_physical: u32,
    /// Invocations that start in the scope.
    pub count: u64,
    /// Time in which one runs, clipped to the scope.
    pub busy: DurationNs,
    /// Share of the scope; of 1.
    pub share: Option<f64>,
}

/// Collectives on the device while models execute.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Collectives {
    /// Collective operations, on any physical core.
    pub count: u64,
    /// Time in which any runs while a model of the same process executes.
    pub time: DurationNs,
    /// Share of the time in which a model executes; of 1.
    pub share: Option<f64>,
    /// Time that is spent in barriers (`cc_exec_barrier`) alone.
    pub barrier: DurationNs,
}

/// Idle time that parts two bursts, nanoseconds.
pub(super) const BURST_IDLE_NS: i64 = 5_000_000_000;

/// The answer.
pub fn serving(profile: &Profile, system: &NeuronSystem, query: ServingQuery) -> Serving {
    let all = invocations(profile, system);
    let bursts = bursts(&all);
    let burst = query.burst.filter(|at| bursts.get(*at as usize).is_some());
    let range = burst.and_then(|at| bursts.get(at as usize)).map(|b| b.range).or(query.range);
    let view = View { profile, system, range };
    let scope = view.whole();
    let is_asked = |i: &Invocation| range.is_none_or(|r| i.span.0 >= r.start.0 && i.span.0 < r.end.0);
    let clipped = |i: &Invocation| (i.span.0.max(scope.start.0), i.span.1.min(scope.end.0));
    let labels = buckets::labels(profile, &all);
    let (buckets, phases) = buckets::rows(profile, &all, &labels, is_asked);
    let mut by_core: BTreeMap<CoreKey, Vec<&Invocation>> = BTreeMap::new();
    all.iter().for_each(|i| by_core.entry(i.core).or_default().push(i));
    let length = scope.duration().0;
    let core = |(key, of): (&CoreKey, &Vec<&Invocation>)| {
        let text = |id: StrId| profile.strings.get(id);
        let busy = Spans::union(of.iter().map(|i| clipped(i)).filter(|s| s.0 < s.1)).total();
        ServingCore {
            place: figures::place(&[("", text(key.0)), ("PID ", text(key.1)), ("NC ", text(key.2))]),
            n_physical: of.iter().map(|i| i.n_physical).max().unwrap_or(0),
            count: of.iter().filter(|i| is_asked(i)).count() as u64,
            busy: DurationNs(busy),
            share: (length > 0).then(|| busy as f64 / length as f64),
        }
    };
    let mut cores: Vec<ServingCore> = by_core.iter().map(core).filter(|c| c.count > 0 || c.busy.0 > 0).collect();
    cores.order_by(|a, b| b.busy.cmp(&a.busy).then_with(|| a.place.cmp(&b.place)));
    let mut by_process: BTreeMap<(StrId, StrId), Vec<(i64, i64)>> = BTreeMap::new();
    for i in &all {
        by_process.entry((i.core.0, i.core.1)).or_default().push(clipped(i));
    }
    let by_process: BTreeMap<(StrId, StrId), Spans> =
        by_process.into_iter().map(|(process, spans)| (process, Spans::union(spans.into_iter().filter(|s| s.0 < s.1)))).collect();
    let quiet = Spans(bursts.windows(2).map(|pair| (pair[0].range.end.0, pair[1].range.start.0)).collect());
    let (gaps, gap_spans) = host::gaps(&view, &by_process, &quiet);
    let moving = Spans::union(system.transfers.iter().filter_map(|t| view.span(t.slice)));
    let asked: Vec<&Invocation> = all.iter().filter(|i| is_asked(i)).collect();
    let busy_sum = cores.iter().fold(0i64, |sum, c| sum.saturating_add(c.busy.0));
    let hbm = memory::hbm(&view);
    let is_spill = |name: &str| name.to_ascii_lowercase().contains("spill");
    let spills = hbm.iter().flat_map(|h| &h.categories).filter(|c| is_spill(&c.0)).fold(0u64, |sum, c| sum.saturating_add(c.1));
    let mut out = Serving {
        scope,
        burst,
        n_executions: asked.iter().map(|i| u64::from(i.n_physical)).sum(),
        n_invocations: asked.len() as u64,
        buckets,
        phases,
        cores,
        busy: DurationNs(Spans::union(by_process.values().flat_map(|s| s.0.iter().copied())).total()),
        mean_cores_busy: (length > 0).then(|| busy_sum as f64 / length as f64),
        gaps,
        delay: host::delay(&view, &all, is_asked),
        collectives: collectives(&view, &by_process),
        copies: figures::transfers(&view),
        copies_in_gaps: DurationNs(moving.intersection(&gap_spans).total()),
        spill_bytes: (!hbm.is_empty()).then_some(spills),
        hbm,
        bursts,
        notes: Vec::new(),
    };
    out.notes = notes(&out, !all.is_empty());
    out
}

fn bursts(all: &[Invocation]) -> Vec<Burst> {
    let busy = Spans::union(all.iter().map(|i| i.span));
    let mut out: Vec<Burst> = Vec::new();
    for &(start, end) in &busy.0 {
        let idle = out.last().map(|b: &Burst| start.saturating_sub(b.range.end.0));
        match out.last_mut().filter(|_| idle.is_some_and(|idle| idle < BURST_IDLE_NS)) {
            Some(last) => {
                last.range.end = TimeNs(end);
                last.busy = DurationNs(last.busy.0.saturating_add(end - start));
            }
            None => out.push(Burst {
                range: TimeRange { start: TimeNs(start), end: TimeNs(end) },
                busy: DurationNs(end - start),
                idle_before: idle.map(DurationNs),
                count: 0,
            }),
        }
    }
    for i in all {
        let at = out.partition_point(|b| b.range.start.0 <= i.span.0);
        if let Some(burst) = at.checked_sub(1).and_then(|at| out.get_mut(at)) {
            burst.count += 1;
        }
    }
    out
}

/// Collectives of each process within its executions.
fn collectives(view: &View<'_>, busy: &BTreeMap<(StrId, StrId), Spans>) -> Option<Collectives> {
    let kinds: Vec<u8> = view
        .profile
        .strings
        .iter()
        .map(|(_, name)| u8::from(name.starts_with("cc_")) + u8::from(name.starts_with("cc_exec_barrier")))
        .collect();
    // Of a process: collectives other than barriers, and barriers, as (start, end).
    type Intervals = Vec<(i64, i64)>;
    let mut of: BTreeMap<(StrId, StrId), [Intervals; 2]> = BTreeMap::new();
    let mut count = 0;
    for track in view.tracks(RowKind::Hardware) {
        let row = view.system.rows[track.index()];
        for at in view.profile.slices_of(track) {
            let kind = kinds.get(view.profile.slices.name[at].index()).copied().unwrap_or(0);
            if let (1 | 2, Some(span)) = (kind, view.span(crate::base::SliceId(at as u32))) {
                count += 1;
                of.entry((row.instance, row.process)).or_default()[usize::from(kind - 1)].push(span);
            }
        }
    }
    if count == 0 {
        return None;
    }
    let (mut time, mut barrier) = (0i64, 0i64);
    for (process, [running, barriers]) in of {
        let Some(busy) = busy.get(&process) else { continue };
        let all = Spans::union(running.iter().chain(&barriers).copied()).intersection(busy).total();
        let without = Spans::union(running).intersection(busy).total();
        (time, barrier) = (time.saturating_add(all), barrier.saturating_add(all - without));
    }
    let whole = busy.values().map(Spans::total).fold(0, i64::saturating_add);
    let share = (whole > 0).then(|| time as f64 / whole as f64);
    Some(Collectives { count, time: DurationNs(time), share, barrier: DurationNs(barrier) })
}

fn notes(serving: &Serving, has_any: bool) -> Vec<String> {
    let mut out = Vec::new();
    if !has_any {
        out.push(
            "Executions are not recorded in this file (event `nc_exec_running`): capture with `NEURON_RT_INSPECT_SYSTEM_PROFILE=1`.".into(),
        );
        return out;
    }
    if serving.n_invocations == 0 {
        out.push("No execution starts in this range.".into());
        return out;
    }
    if serving.buckets.iter().any(|b| b.path.is_empty()) {
        out.push("Some executions record no model: they are grouped by duration.".into());
    }
    if serving.phases.iter().any(|p| p.is_guess) {
        out.push("Prefill and decode are a guess: an execution of more than 3 × the median duration is taken for a prefill.".into());
    } else if serving.phases.iter().any(|p| p.phase == Phase::Unknown) {
        out.push("Prefill and decode are not distinguished: neither the names of models nor the durations differ enough.".into());
    }
    if serving.n_executions > serving.n_invocations {
        out.push(format!(
            "{} executions of physical cores are {} invocations: those of one logical core that overlap count once.",
            serving.n_executions, serving.n_invocations
        ));
    }
    if serving.delay.is_none() {
        out.push(
            "Submission to start is not available: no event `nrt_model_submit`, `nrta_execute_schedule` or `nrt_execute` is recorded."
                .into(),
        );
    }
    if serving.collectives.is_none() {
        out.push("Collectives are not recorded in this range (events `cc_running`, `cc_exec_barrier`).".into());
    }
    if serving.hbm.is_empty() {
        out.push("HBM use is not recorded in this file (section `device_mem_usage`).".into());
    }
    out
}
