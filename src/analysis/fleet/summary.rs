//! What a run answers at once: its ranks, step times, findings, stragglers, collectives, operators, hosts and devices.

use super::collectives::{self, CollectiveRow, GroupRow, WaitPlace};
use super::findings::{self, Finding};
use super::map::{Metric, RowOrder, orders, values};
use super::trace_name::TraceName;
use crate::base::{DurationNs, Order as _, text};
use crate::model::fleet::{FleetRun, FleetTrace, Histogram, N_CAUSES, N_METRICS, Spread, StepTimes, bucket, bucket_value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows of operators and of kernels.
const SPREADS_MAX: usize = 500;
/// Steps listed as outliers.
const OUTLIERS_MAX: usize = 100;
/// Bars of the distribution: as many as a narrow screen shows.
const N_BINS: usize = 18;

/// A trace in numbers: means of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RankRow {
    /// Its name.
    pub trace: TraceName,
    /// Name of the device.
    pub device: String,
    /// Steps.
    pub n_steps: u64,
    /// Mean of each [`Metric`], nanoseconds.
    pub means: [i64; N_METRICS],
    /// Idle time by cause, mean of a step, nanoseconds.
    pub idle: [i64; N_CAUSES],
    /// Peak of allocated memory, bytes.
    pub memory_peak: Option<u64>,
    /// Collectives that other ranks have too.
    pub n_collectives: u64,
    /// Those in which it arrived last and the others waited.
    pub n_last: u64,
    /// How long each of the others waited for it on average, in total, nanoseconds.
    pub caused_ns: i64,
    /// How long it waited in total, nanoseconds.
    pub waited_ns: Option<i64>,
    /// The collectives at which the others waited most for it.
    pub place: Option<WaitPlace>,
    /// What it did instead while the others waited: the category with the most time above the median rank, and how much in a step.
    pub instead: Option<(Metric, i64)>,
    /// Time of its kernels ÷ the median time of the same kernels on other ranks, in thousandths.
    pub kernel_ratio_thousandths: Option<i64>,
    /// Records that were skipped with a warning or a loss.
    pub n_concerns: u64,
}

/// A step that took much longer than the others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepOutlier {
    /// Place in [`FleetSummary::ranks`].
    pub trace: u32,
    /// Number of the step.
    pub step: u32,
    /// Its time within 0.2%, nanoseconds.
    pub ns: i64,
}

/// Step times of all ranks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Distribution {
    /// Steps of all ranks.
    pub n: u64,
    /// Mean, nanoseconds.
    pub mean_ns: i64,
    /// Least, median, p95, p99, most; within 0.2%, nanoseconds.
    pub quantiles: [i64; 5],
    /// (from, to, steps), nanoseconds.
    pub bins: Vec<(i64, i64, u64)>,
    /// Above the upper quartile by more than 3 interquartile ranges and 10% of the median; longest first.
    pub outliers: Vec<StepOutlier>,
    /// How many there are.
    pub n_outliers: u64,
}

/// An operator or kernel over the ranks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SpreadRow {
    /// Name.
    pub name: String,
    /// Input shape; empty where it is not recorded.
    pub shape: String,
    /// Ranks that have it.
    pub n_traces: u64,
    /// Calls of all ranks.
    pub calls: u64,
    /// Device time of all ranks, nanoseconds.
    pub device_ns: i64,
    /// Host time of all ranks, nanoseconds; 0 for kernels.
    pub host_ns: i64,
    /// Time of the median rank, within 0.2%, nanoseconds.
    pub p50_ns: i64,
    /// Time of the rank at 95%, likewise.
    pub p95_ns: i64,
    /// Most time of a rank, nanoseconds.
    pub most_ns: i64,
    /// The rank with that time.
    pub most: TraceName,
}

/// A machine: means of its ranks and their steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostRow {
    /// Its name; empty where it is not recorded.
    pub host: String,
    /// Traces.
    pub n_traces: u64,
    /// Mean of each [`Metric`], nanoseconds.
    pub means: [i64; N_METRICS],
    /// Time of its kernels ÷ the median time of the same kernels on other ranks, in thousandths.
    pub kernel_ratio_thousandths: Option<i64>,
}

/// Devices of one name: means of their ranks and steps.
pub type DeviceRow = HostRow;

/// Answer to [`super::FleetQuery::Summary`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FleetSummary {
    /// Names of the runs.
    pub runs: Vec<String>,
    /// World size, the largest in any trace.
    pub n_ranks: Option<u32>,
    /// Ordered by rank.
    pub ranks: Vec<RankRow>,
    /// Step times.
    pub distribution: Distribution,
    /// Most costly first.
    pub findings: Vec<Finding>,
    /// Indices in [`FleetSummary::ranks`] of stragglers, largest wait first.
    pub stragglers: Vec<u32>,
    /// Collectives in total.
    pub n_collectives: u64,
    /// The longest collectives.
    pub collectives: Vec<CollectiveRow>,
    /// Process groups, the slowest beside its like first.
    pub groups: Vec<GroupRow>,
    /// Orders of the rows of the heat map that the traces record.
    pub orders: Vec<RowOrder>,
    /// Operators, most device time first.
    pub operators: Vec<SpreadRow>,
    /// Kernels, most time first.
    pub kernels: Vec<SpreadRow>,
    /// Ordered by name.
    pub hosts: Vec<HostRow>,
    /// Ordered by name.
    pub devices: Vec<DeviceRow>,
    /// Advice of the traces: (what was found, traces, cost in nanoseconds, the trace with the highest cost).
    pub advice: Vec<(String, u64, i64, TraceName)>,
    /// Sentences on what is missing or in doubt.
    pub notes: Vec<String>,
}

/// The whole run.
pub fn summary(run: &FleetRun) -> FleetSummary {
    let place: FxHashMap<u64, u32> = run.traces.iter().enumerate().map(|(at, t)| (t.meta.id, at as u32)).collect();
    let name = |id: u64| place.get(&id).map(|at| TraceName::of(&run.traces[*at as usize])).unwrap_or_default();
    let kernels = findings::kernel_times(run);
    let ranks = ranks(run, &place, &kernels);
    let mut stragglers: Vec<u32> = (0..ranks.len() as u32).filter(|at| ranks[*at as usize].n_last > 0).collect();
    stragglers.order_by_key(|at| std::cmp::Reverse(ranks[*at as usize].caused_ns));
    let groups = collectives::group_times(run);
    let mut advice: Vec<(String, u64, i64, TraceName)> =
        run.advice.iter().map(|a| (a.title.clone(), a.n_traces, a.cost_ns, name(a.most.trace))).collect();
    advice.order_by_key(|a| std::cmp::Reverse(a.2));
    let mut runs: Vec<String> = run.traces.iter().map(|t| t.meta.run.clone()).collect();
    runs.order();
    runs.dedup();
    FleetSummary {
        n_ranks: run.traces.iter().filter_map(|t| t.meta.n_ranks).max(),
        distribution: distribution(run),
        findings: findings::findings(run, &groups, &kernels),
        n_collectives: run.collectives.len() as u64,
        collectives: collectives::slowest(run, name),
        groups: collectives::group_rows(&groups),
        orders: orders(run),
        operators: spreads(&run.operators, name),
        kernels: spreads(&run.kernels, name),
        hosts: compared(run, &kernels, |t| &t.meta.host),
        devices: compared(run, &kernels, |t| &t.meta.device),
        advice,
        notes: notes(run, &runs),
        runs,
        stragglers,
        ranks,
    }
}

fn per_step(times: [i64; N_METRICS], n: u64) -> [i64; N_METRICS] {
    times.map(|t| t / i64::try_from(n.max(1)).unwrap_or(i64::MAX))
}

/// A ratio in thousandths.
fn thousandths((time, usual): (f64, f64)) -> Option<i64> {
    (usual > 0.0).then(|| (time / usual * 1000.0).round() as i64)
}

fn ranks(run: &FleetRun, place: &FxHashMap<u64, u32>, kernels: &[(f64, f64)]) -> Vec<RankRow> {
    let waits = collectives::waits(run, place);
    let mut medians = [0i64; N_METRICS];
    for (at, median) in medians.iter_mut().enumerate() {
        let mut all: Vec<i64> = run.traces.iter().map(|t| per_step(t.totals.metrics(), t.steps.len() as u64)[at]).collect();
        all.sort_unstable();
        *median = all.get(all.len() / 2).copied().unwrap_or(0);
    }
    let row = |((trace, waits), kernels): ((&FleetTrace, collectives::Waits), &(f64, f64))| {
        let n_steps = trace.steps.len() as u64;
        let means = per_step(trace.totals.metrics(), n_steps);
        // Communication is where a rank waits, not what makes others wait; idle repeats the categories of the host.
        let own = Metric::ALL.into_iter().filter(|m| !matches!(m, Metric::Duration | Metric::Communication | Metric::Idle));
        let instead = own.map(|m| (m, means[m as usize] - medians[m as usize])).max_by_key(|m| m.1).filter(|m| m.1 > 0 && waits.n_last > 0);
        RankRow {
            trace: TraceName::of(trace),
            device: trace.meta.device.clone(),
            n_steps,
            means,
            idle: trace.totals.idle.map(|t| t / i64::try_from(n_steps.max(1)).unwrap_or(i64::MAX)),
            memory_peak: trace.meta.memory_peak,
            n_collectives: waits.n,
            n_last: waits.n_last,
            caused_ns: waits.caused_ns,
            waited_ns: waits.waited_ns,
            place: waits.place,
            instead,
            kernel_ratio_thousandths: thousandths(*kernels),
            n_concerns: trace.meta.n_concerns,
        }
    };
    run.traces.iter().zip(waits).zip(kernels).map(row).collect()
}

fn distribution(run: &FleetRun) -> Distribution {
    let mut counts = vec![0u64; usize::from(u16::MAX) + 1];
    run.traces.iter().flat_map(|t| values(t, Metric::Duration)).for_each(|cell| counts[usize::from(*cell)] += 1);
    let used = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(bucket, n)| (bucket as u16, *n));
    let all = Histogram { counts: used.collect() };
    let n = all.n();
    let Some((least, most)) = all.quantile(0.0).zip(all.quantile(1.0)) else { return Distribution::default() };
    let at = |share: f64| all.quantile(share).unwrap_or(0);
    // No narrower than a bucket: others would be empty between two.
    let bucket_ns = bucket_value(bucket(most).saturating_add(1)).saturating_sub(most);
    let width = ((most - least) / N_BINS as i64 + 1).max(bucket_ns);
    let mut bins: Vec<(i64, i64, u64)> =
        (0..N_BINS as i64).map(|i| (least + i * width, least + (i + 1) * width, 0)).take_while(|b| b.0 <= most).collect();
    for &(bucket, count) in &all.counts {
        if let Some(bin) = bins.get_mut(((bucket_value(bucket) - least) / width) as usize) {
            bin.2 += count;
        }
    }
    let limit = (at(0.75) + 3 * (at(0.75) - at(0.25))).max(at(0.5) + at(0.5) / 10);
    let mut outliers = Vec::new();
    for (trace, found) in run.traces.iter().enumerate() {
        for (step, cell) in found.steps.iter().zip(values(found, Metric::Duration)) {
            let ns = bucket_value(*cell);
            if ns > limit {
                outliers.push(StepOutlier { trace: trace as u32, step: *step, ns });
            }
        }
    }
    outliers.order_by_key(|o| std::cmp::Reverse(o.ns));
    let n_outliers = outliers.len() as u64;
    outliers.truncate(OUTLIERS_MAX);
    let total = run.traces.iter().map(|t| i128::from(t.totals.total)).sum::<i128>();
    let mean_ns = i64::try_from(total / i128::from(n.max(1))).unwrap_or(i64::MAX);
    Distribution { n, mean_ns, quantiles: [least, at(0.5), at(0.95), at(0.99), most], bins, outliers, n_outliers }
}

fn spreads(rows: &[Spread], name: impl Fn(u64) -> TraceName) -> Vec<SpreadRow> {
    let mut order: Vec<&Spread> = rows.iter().collect();
    order.order_by_key(|r| std::cmp::Reverse((r.device_self, r.host_self)));
    let row = |s: &&Spread| SpreadRow {
        name: s.name.clone(),
        shape: s.shape.clone(),
        n_traces: s.n_traces,
        calls: s.calls,
        device_ns: s.device_self,
        host_ns: s.host_self,
        p50_ns: s.by_trace.quantile(0.5).unwrap_or(0),
        p95_ns: s.by_trace.quantile(0.95).unwrap_or(0),
        most_ns: s.most.value,
        most: name(s.most.trace),
    };
    order.iter().take(SPREADS_MAX).map(row).collect()
}

/// Sums over the traces of a host, or of a device.
#[derive(Default)]
struct HostSum {
    n_traces: u64,
    n_steps: u64,
    times: StepTimes,
    /// As [`thousandths`] takes them.
    kernels: (f64, f64),
}

fn compared<'a>(run: &'a FleetRun, kernels: &[(f64, f64)], key: impl Fn(&'a FleetTrace) -> &'a String) -> Vec<HostRow> {
    let mut all: BTreeMap<&str, HostSum> = BTreeMap::new();
    for (trace, kernels) in run.traces.iter().zip(kernels) {
        let sum = all.entry(key(trace)).or_default();
        sum.n_traces += 1;
        sum.n_steps += trace.steps.len() as u64;
        sum.times.add(&trace.totals);
        sum.kernels = (sum.kernels.0 + kernels.0, sum.kernels.1 + kernels.1);
    }
    let row = |(name, sum): (&str, HostSum)| HostRow {
        host: name.into(),
        n_traces: sum.n_traces,
        means: per_step(sum.times.metrics(), sum.n_steps),
        kernel_ratio_thousandths: thousandths(sum.kernels),
    };
    all.into_iter().map(row).collect()
}

/// A few numbers as text.
fn few(all: &[u32]) -> String {
    let shown: Vec<String> = all.iter().take(10).map(u32::to_string).collect();
    if all.len() > 10 { format!("{}, … ({} in total)", shown.join(", "), text::count(all.len() as u64)) } else { shown.join(", ") }
}

fn notes(run: &FleetRun, runs: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut by_rank: BTreeMap<u32, u32> = BTreeMap::new();
    run.traces.iter().filter_map(|t| t.meta.rank).for_each(|rank| *by_rank.entry(rank).or_default() += 1);
    if runs.len() > 1 {
        out.push(format!(
            "Traces of {} runs are merged here: {}.",
            runs.len(),
            runs.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    // A world size is a claim of the file: counted without a list of its length.
    if let Some(n) = run.traces.iter().filter_map(|t| t.meta.n_ranks).max().filter(|n| *n as usize > by_rank.len()) {
        let missing: Vec<u32> = (0..n).filter(|rank| !by_rank.contains_key(rank)).take(11).collect();
        let n_missing = u64::from(n) - by_rank.len() as u64;
        let list = missing.iter().take(10).map(u32::to_string).collect::<Vec<_>>().join(", ");
        let more = if missing.len() > 10 { ", …" } else { "" };
        let verb = if n_missing == 1 { "has" } else { "have" };
        out.push(format!("{} of {} ranks {verb} no trace here: {list}{more}.", text::count(n_missing), text::count(u64::from(n))));
    }
    let twice: Vec<u32> = by_rank.iter().filter(|(_, n)| **n > 1).map(|(rank, _)| *rank).collect();
    if !twice.is_empty() {
        out.push(format!("Some ranks have more than one trace; each counts: {}.", few(&twice)));
    }
    let n_without = run.traces.iter().filter(|t| t.meta.rank.is_none()).count() as u64;
    if n_without > 0 {
        out.push(format!("The rank is not recorded in {}.", text::counted(n_without, "trace")));
    }
    let n_empty = run.traces.iter().filter(|t| t.steps.is_empty()).count() as u64;
    if n_empty > 0 {
        out.push(format!("{} without steps: no row in the heat map has a value.", text::counted(n_empty, "trace")));
    }
    out.extend(shared_devices(run));
    if let Some(ns) = collectives::clock_difference(run) {
        out.push(format!(
            "Clocks of the ranks differ by at least {}: in a collective one rank ended before another began. Waiting is computed from durations, which need no common clock.",
            text::duration(DurationNs(ns))
        ));
    }
    let n_unnumbered = run.traces.iter().fold(0u64, |n, t| n.saturating_add(t.meta.n_unnumbered));
    if n_unnumbered > 0 {
        out.push(format!("{} collectives record no group or number and are not matched across ranks.", text::count(n_unnumbered)));
    }
    let n_alone = run.collectives.iter().filter(|c| c.n < 2).count() as u64;
    if n_alone > 0 {
        out.push(format!("{} collectives are in one trace only and are not compared.", text::count(n_alone)));
    }
    let n_left_out = run.traces.iter().fold(0u64, |n, t| n.saturating_add(t.meta.n_left_out));
    if n_left_out > 0 {
        out.push(format!(
            "{} rows of operators, kernels and collectives exceed the limits of a part; operators and kernels are summed as `(others)`.",
            text::count(n_left_out)
        ));
    }
    out
}

/// Two ranks of one host that used one device: two hosts may have one name.
fn shared_devices(run: &FleetRun) -> Option<String> {
    let mut used: BTreeMap<(&str, u32), Option<u32>> = BTreeMap::new();
    for trace in run.traces.iter().filter(|t| !t.meta.host.is_empty() && t.meta.rank.is_some()) {
        for device in &trace.meta.devices {
            let other = used.insert((&trace.meta.host, *device), trace.meta.rank);
            if let Some(other) = other.flatten().filter(|other| Some(*other) != trace.meta.rank) {
                return Some(format!(
                    "Ranks {other} and {} both used device {device} of host {}: several hosts may have this name, or each process saw one device only.",
                    trace.meta.rank.unwrap_or(0),
                    trace.meta.host
                ));
            }
        }
    }
    None
}
