//! Two runs compared: means of a step by category, step times, ranks, operators and kernels, and findings that are new or gone.

use super::map::Metric;
use super::summary::{FleetSummary, SpreadRow};
use super::trace_name::TraceName;
use super::{Finding, FindingKind};
use crate::base::text;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Operators and kernels that are listed.
const MOST_NAMES: usize = 500;

/// What changed from the base to this run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FleetCompareQuery {
    /// Summary of the base.
    pub base: FleetSummary,
}

/// A time in both runs, nanoseconds; `None` where a run does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetChange {
    /// What.
    pub name: String,
    /// Input shapes, where recorded.
    pub shape: String,
    /// In the base.
    pub base_ns: Option<i64>,
    /// In the run.
    pub run_ns: Option<i64>,
}

impl FleetChange {
    /// Run − base.
    pub fn delta_ns(&self) -> i64 {
        self.run_ns.unwrap_or(0).saturating_sub(self.base_ns.unwrap_or(0))
    }

    /// Run ÷ base in thousandths; `None` where the base is 0 or one is missing.
    pub fn ratio_thousandths(&self) -> Option<i64> {
        let (base, run) = (self.base_ns.filter(|b| *b > 0)?, self.run_ns?);
        i64::try_from(i128::from(run) * 1000 / i128::from(base)).ok()
    }
}

/// The mean step of a rank in both runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RankChange {
    /// Its trace in the base.
    pub base: TraceName,
    /// Its trace in the run.
    pub run: TraceName,
    /// Mean step in the base, nanoseconds.
    pub base_ns: i64,
    /// Mean step in the run, nanoseconds.
    pub run_ns: i64,
    /// Category with the greatest change in the direction of the step's, and its change in nanoseconds.
    pub most: Option<(Metric, i64)>,
}

/// Where a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// In the run alone.
    New,
    /// In the base alone.
    Gone,
    /// In both.
    Same,
}

impl FindingState {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            FindingState::New => "New",
            FindingState::Gone => "Gone",
            FindingState::Same => "In both",
        }
    }
}

/// Answer to [`FleetCompareQuery`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FleetComparison {
    /// Step times: mean, median, p95, most. Then means of a step for each category and for idle devices.
    pub steps: Vec<FleetChange>,
    /// Ranks that both runs have, greatest change of the mean step first.
    pub ranks: Vec<RankChange>,
    /// Device time of operators for each step of a rank (host time, where neither run has a device), greatest change first.
    pub operators: Vec<FleetChange>,
    /// The same for kernels.
    pub kernels: Vec<FleetChange>,
    /// New ones first, then gone ones, then those of both.
    pub findings: Vec<(FindingState, Finding)>,
    /// What cannot be compared.
    pub notes: Vec<String>,
}

/// What changed from `base` to `run`.
pub fn compare(base: &FleetSummary, run: &FleetSummary) -> FleetComparison {
    let mut out = FleetComparison { steps: steps(base, run), ranks: ranks(base, run), ..FleetComparison::default() };
    let has_device = [base, run].iter().any(|s| s.operators.iter().chain(&s.kernels).any(|r| r.device_ns > 0));
    out.operators = names(base, run, |s| &s.operators, has_device);
    out.kernels = names(base, run, |s| &s.kernels, has_device);
    out.findings = findings(base, run);
    out.notes = notes(base, run, &out);
    out
}

/// Mean of a metric over all steps of all ranks.
fn mean(summary: &FleetSummary, metric: Metric) -> Option<i64> {
    let n: u64 = summary.ranks.iter().map(|r| r.n_steps).sum();
    let sum: i128 = summary.ranks.iter().map(|r| i128::from(r.means[metric as usize]) * i128::from(r.n_steps)).sum();
    (n > 0).then(|| i64::try_from(sum / i128::from(n)).unwrap_or(i64::MAX))
}

fn steps(base: &FleetSummary, run: &FleetSummary) -> Vec<FleetChange> {
    let change = |name: &str, of: &dyn Fn(&FleetSummary) -> Option<i64>| FleetChange {
        name: name.into(),
        shape: String::new(),
        base_ns: of(base),
        run_ns: of(run),
    };
    let quantile = |at: usize| move |s: &FleetSummary| (s.distribution.n > 0).then(|| s.distribution.quantiles[at]);
    let mut out = vec![
        change("Mean step", &|s| mean(s, Metric::Duration)),
        change("Median step", &quantile(1)),
        change("p95 of steps", &quantile(2)),
        change("Longest step", &quantile(4)),
    ];
    let parts = Metric::ALL.into_iter().filter(|m| *m != Metric::Duration);
    out.extend(parts.map(|metric| change(metric.label(), &|s| mean(s, metric))));
    out
}

/// Ranks by their number. A number that a run has twice names no one rank.
fn ranks(base: &FleetSummary, run: &FleetSummary) -> Vec<RankChange> {
    let by_rank = |summary: &FleetSummary| {
        let mut out: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        for (at, row) in summary.ranks.iter().enumerate() {
            if let Some(rank) = row.trace.rank {
                out.entry(rank).and_modify(|known| *known = None).or_insert(Some(at));
            }
        }
        out
    };
    let (a, b) = (by_rank(base), by_rank(run));
    let mut numbers: Vec<u32> = a.keys().filter(|rank| b.contains_key(rank)).copied().collect();
    numbers.sort_unstable();
    let pair = |rank: &u32| Some((&base.ranks[(*a.get(rank)?)?], &run.ranks[(*b.get(rank)?)?]));
    let steps = Metric::Duration as usize;
    let row = |(a, b): (&super::RankRow, &super::RankRow)| {
        let delta = b.means[steps] - a.means[steps];
        // Idle repeats the categories of the host.
        let own = Metric::ALL.into_iter().filter(|m| !matches!(m, Metric::Duration | Metric::Idle));
        let changes = own.map(|m| (m, b.means[m as usize] - a.means[m as usize]));
        let most = changes.max_by_key(|c| c.1.saturating_mul(delta.signum())).filter(|c| c.1 != 0 && delta != 0);
        RankChange { base: a.trace.clone(), run: b.trace.clone(), base_ns: a.means[steps], run_ns: b.means[steps], most }
    };
    let mut out: Vec<RankChange> = numbers.iter().filter_map(pair).map(row).collect();
    // Stable: equal ones stay in the order of ranks.
    out.sort_by_key(|r| std::cmp::Reverse((r.run_ns - r.base_ns).unsigned_abs()));
    out
}

fn names<'a>(
    base: &'a FleetSummary,
    run: &'a FleetSummary,
    rows: impl Fn(&'a FleetSummary) -> &'a Vec<SpreadRow>,
    has_device: bool,
) -> Vec<FleetChange> {
    let n_steps = |s: &FleetSummary| i64::try_from(s.distribution.n.max(1)).unwrap_or(i64::MAX);
    let time = |s: &FleetSummary, row: &SpreadRow| if has_device { row.device_ns } else { row.host_ns } / n_steps(s);
    let mut all: FxHashMap<(&str, &str), FleetChange> = FxHashMap::default();
    let empty = |row: &SpreadRow| FleetChange { name: row.name.clone(), shape: row.shape.clone(), ..FleetChange::default() };
    for row in rows(base) {
        all.entry((&row.name, &row.shape)).or_insert_with(|| empty(row)).base_ns = Some(time(base, row));
    }
    for row in rows(run) {
        all.entry((&row.name, &row.shape)).or_insert_with(|| empty(row)).run_ns = Some(time(run, row));
    }
    let mut out: Vec<FleetChange> = all.into_values().collect();
    out.sort_by(|a, b| {
        let size = |c: &FleetChange| c.delta_ns().unsigned_abs();
        size(b).cmp(&size(a)).then_with(|| (&a.name, &a.shape).cmp(&(&b.name, &b.shape)))
    });
    out.truncate(MOST_NAMES);
    out
}

fn findings(base: &FleetSummary, run: &FleetSummary) -> Vec<(FindingState, Finding)> {
    let key = |f: &Finding| -> (FindingKind, String) { (f.kind, f.subject.clone()) };
    let has = |all: &[Finding], f: &Finding| all.iter().any(|other| key(other) == key(f));
    let of_run = run.findings.iter().map(|f| (if has(&base.findings, f) { FindingState::Same } else { FindingState::New }, f.clone()));
    let gone = base.findings.iter().filter(|f| !has(&run.findings, f)).map(|f| (FindingState::Gone, f.clone()));
    let mut out: Vec<(FindingState, Finding)> = of_run.chain(gone).collect();
    // Stable: the most costly of a state stay first.
    out.sort_by_key(|f| f.0);
    out
}

fn notes(base: &FleetSummary, run: &FleetSummary, found: &FleetComparison) -> Vec<String> {
    let mut out = Vec::new();
    let (a, b) = (base.ranks.len() as u64, run.ranks.len() as u64);
    if a != b {
        out.push(format!(
            "The base has {} and the run {}: means are over all steps of each.",
            text::counted(a, "trace"),
            text::counted(b, "trace")
        ));
    }
    let n = found.ranks.len() as u64;
    if n < a.min(b) {
        out.push(format!(
            "{} in both runs by number; other traces record no rank, or one that occurs twice or in one run only.",
            text::counted(n, "rank")
        ));
    }
    if base.distribution.n == 0 || run.distribution.n == 0 {
        out.push("A run without steps has no times of steps to compare.".into());
    }
    out
}
