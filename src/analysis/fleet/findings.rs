//! What is wrong in a run, and where: slow devices, slow links, waiting for data, slow hosts. A rule compares each rank with the median of all.
//!
//! A rank stands out when it differs from the median by more than [`N_DEVIATIONS`] robust deviations (1.4826 × the median absolute deviation) and by
//! more than a share of the median step. Kernels are compared by name, so that stages of a pipeline with other kernels are no outliers.

use super::collectives::{GroupTime, PEERS_MIN};
use super::map::Metric;
use super::trace_name::TraceName;
use crate::base::Order as _;
use crate::base::{DurationNs, text};
use crate::model::fleet::{FleetRun, FleetTrace, stable_hash};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Deviations from the median that make an outlier.
pub const N_DEVIATIONS: f64 = 6.0;
/// Kernels of a slow device take at least this multiple of the usual time.
pub const SLOW_DEVICE_MIN: f64 = 1.08;
/// Data or host work above the median that counts, as a share of the median step.
pub const EXCESS_MIN: f64 = 0.03;
/// Transfers of a slow link take at least this multiple of the usual time.
pub const SLOW_LINK_MIN: f64 = 1.3;

/// The rules, for the page and the docs: (kind, sentence).
pub const RULES: [(FindingKind, &str); 4] = [
    (
        FindingKind::SlowDevice,
        "Kernels take at least 1.08 × the median time of the same kernels on other ranks, and more than 6 deviations.",
    ),
    (
        FindingKind::DataStall,
        "Waiting for data takes at least 3% of the median step more than on the median rank, and more than 6 deviations.",
    ),
    (
        FindingKind::SlowHost,
        "Host work (CPU Exec, Runtime, Other) takes at least 3% of the median step more than on the median rank, and more than 6 deviations.",
    ),
    (
        FindingKind::SlowLink,
        "Transfers of a process group take at least 1.3 × the median of groups with the same operation, bytes and ranks, and more than 6 deviations.",
    ),
];

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Kernels run slower than on other ranks.
    SlowDevice,
    /// The host waits for data.
    DataStall,
    /// The host launches late: operators, runtime calls or nothing recorded.
    SlowHost,
    /// Collectives of a group move data slower than those of like groups.
    SlowLink,
}

impl FindingKind {
    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            FindingKind::SlowDevice => "Slow device",
            FindingKind::DataStall => "Waiting for data",
            FindingKind::SlowHost => "Late host work",
            FindingKind::SlowLink => "Slow link",
        }
    }

    /// What of the heat map shows it.
    pub fn metric(self) -> Metric {
        match self {
            FindingKind::SlowDevice => Metric::Kernel,
            FindingKind::DataStall => Metric::DataLoader,
            FindingKind::SlowHost => Metric::CpuExec,
            FindingKind::SlowLink => Metric::Communication,
        }
    }
}

/// A share or ratio, so that answers can be compared: in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Fraction(pub i64);

/// Something wrong, where, and what it costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Where: `rank 12`, `host node3`, `group tp1`.
    pub subject: String,
    /// One sentence with the values.
    pub text: String,
    /// Time above the usual of a step, nanoseconds.
    pub cost_ns: i64,
    /// Times the usual time, in thousandths; `None` where the rule compares differences.
    pub ratio: Option<Fraction>,
    /// The ranks concerned, by rank; at most 64.
    pub traces: Vec<TraceName>,
}

/// Ranks that a finding lists.
const TRACES_MAX: usize = 64;

/// Median, and the robust deviation from it.
fn spread(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let middle = |all: &mut Vec<f64>| {
        all.order_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    };
    let mut all: Vec<f64> = values.collect();
    if all.len() < PEERS_MIN {
        return None;
    }
    let median = middle(&mut all)?;
    let mut apart: Vec<f64> = all.iter().map(|v| (v - median).abs()).collect();
    Some((median, middle(&mut apart)? * 1.4826))
}

/// All findings, most costly first.
pub fn findings(run: &FleetRun, groups: &[GroupTime], kernels: &[(f64, f64)]) -> Vec<Finding> {
    let Some((step, _)) = spread(run.traces.iter().filter(|t| !t.steps.is_empty()).map(|t| mean(t, |t| t.totals.total))) else {
        return Vec::new();
    };
    let mut out = slow_devices(run, kernels);
    let data = |t: &FleetTrace| t.totals.categories[5];
    let host = |t: &FleetTrace| [4, 6, 7].iter().fold(0i64, |sum, c| sum.saturating_add(t.totals.categories[*c]));
    out.extend(excess(run, FindingKind::DataStall, step, data));
    out.extend(excess(run, FindingKind::SlowHost, step, host));
    out.extend(slow_links(run, groups));
    out.order_by(|a, b| (b.cost_ns, a.kind, &a.subject).cmp(&(a.cost_ns, b.kind, &b.subject)));
    out
}

/// Mean of a step, nanoseconds.
fn mean(trace: &FleetTrace, of: impl Fn(&FleetTrace) -> i64) -> f64 {
    of(trace) as f64 / trace.steps.len().max(1) as f64
}

/// Time of the kernels of each trace, and what calls of the same kernels take on the median rank; 0 where there are none to compare.
pub(super) fn kernel_times(run: &FleetRun) -> Vec<(f64, f64)> {
    let mut means: FxHashMap<u64, Vec<f64>> = FxHashMap::default();
    for (name, calls, time) in run.traces.iter().flat_map(|t| &t.kernels).filter(|k| k.1 > 0) {
        means.entry(*name).or_default().push(*time as f64 / *calls as f64);
    }
    let usual: FxHashMap<u64, f64> = means.into_iter().filter_map(|(name, all)| Some((name, spread(all.into_iter())?.0))).collect();
    let times = |t: &FleetTrace| {
        let known = t.kernels.iter().filter_map(|(name, calls, time)| Some((*time as f64, usual.get(name)? * *calls as f64)));
        known.fold((0.0, 0.0), |sum, k| (sum.0 + k.0, sum.1 + k.1))
    };
    run.traces.iter().map(times).collect()
}

fn slow_devices(run: &FleetRun, times: &[(f64, f64)]) -> Vec<Finding> {
    let ratios: Vec<Option<f64>> = times.iter().map(|(time, usual)| (*usual > 0.0).then(|| time / usual)).collect();
    let Some((median, deviation)) = spread(ratios.iter().flatten().copied()) else { return Vec::new() };
    let is_slow = |ratio: f64| ratio >= SLOW_DEVICE_MIN * median && ratio - median > N_DEVIATIONS * deviation;
    let finding = |((trace, ratio), (time, usual)): ((&FleetTrace, &Option<f64>), &(f64, f64))| {
        let ratio = ratio.filter(|r| is_slow(*r))?;
        let cost = (time - usual) / trace.steps.len().max(1) as f64;
        let devices = trace.meta.devices.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let device = if devices.is_empty() { String::new() } else { format!(" (device {devices})") };
        let name = TraceName::of(trace);
        Some(Finding {
            kind: FindingKind::SlowDevice,
            subject: name.label(),
            text: format!(
                "Kernels of {}{device} take {} × the median time of the same kernels on other ranks: {} more in each step.",
                name.placed(),
                text::three_digits(ratio),
                text::duration(DurationNs(cost as i64))
            ),
            cost_ns: cost as i64,
            ratio: Some(Fraction((ratio * 1000.0).round() as i64)),
            traces: vec![name],
        })
    };
    run.traces.iter().zip(&ratios).zip(times).filter_map(finding).collect()
}

/// Traces, and how much each is above the median.
type Above<'a> = Vec<(&'a FleetTrace, f64)>;

/// Ranks with more of a category than the median rank; where half of a host's ranks are, the host.
fn excess(run: &FleetRun, kind: FindingKind, step: f64, of: impl Fn(&FleetTrace) -> i64) -> Vec<Finding> {
    let with_steps = || run.traces.iter().filter(|t| !t.steps.is_empty());
    let Some((median, deviation)) = spread(with_steps().map(|t| mean(t, &of))) else { return Vec::new() };
    let above = |t: &FleetTrace| Some(mean(t, &of) - median).filter(|e| *e >= EXCESS_MIN * step && *e > N_DEVIATIONS * deviation);
    let mut hosts: BTreeMap<&str, (usize, Above<'_>)> = BTreeMap::new();
    for trace in with_steps() {
        let host = hosts.entry(&trace.meta.host).or_default();
        host.0 += 1;
        host.1.extend(above(trace).map(|excess| (trace, excess)));
    }
    let mut out = Vec::new();
    for (host, (n, found)) in hosts {
        if !host.is_empty() && found.len() > 1 && found.len() * 2 >= n {
            out.push(finding_of(kind, format!("host {host}"), &found, Some(n)));
        } else {
            out.extend(found.iter().map(|one| finding_of(kind, TraceName::of(one.0).label(), std::slice::from_ref(one), None)));
        }
    }
    out
}

fn finding_of(kind: FindingKind, subject: String, found: &[(&FleetTrace, f64)], of_host: Option<usize>) -> Finding {
    let cost = found.iter().map(|f| f.1).sum::<f64>() / found.len().max(1) as f64;
    let what = if kind == FindingKind::DataStall { "wait for data" } else { "spend on host work" };
    let who = match (of_host, found) {
        (Some(n), _) => format!("{} of {n} ranks of {subject}", found.len()),
        (None, [(trace, _), ..]) => TraceName::of(trace).placed(),
        _ => subject.clone(),
    };
    let verb = if of_host.is_none() { what.replacen("wait", "waits", 1).replacen("spend", "spends", 1) } else { what.to_string() };
    Finding {
        kind,
        subject,
        text: format!("{who} {verb} {} more in each step than the median rank.", text::duration(DurationNs(cost as i64))),
        cost_ns: cost as i64,
        ratio: None,
        traces: found.iter().take(TRACES_MAX).map(|f| TraceName::of(f.0)).collect(),
    }
}

fn slow_links(run: &FleetRun, groups: &[GroupTime]) -> Vec<Finding> {
    let mut alike: BTreeMap<(&str, Option<u64>, u32), Vec<&GroupTime>> = BTreeMap::new();
    for group in groups {
        alike.entry((&group.op, group.bytes, group.n)).or_default().push(group);
    }
    let mut slow: BTreeMap<&str, (f64, f64, &GroupTime)> = BTreeMap::new();
    let n_steps = run.traces.iter().map(|t| t.steps.len()).max().unwrap_or(1).max(1) as f64;
    for all in alike.values() {
        let Some((median, deviation)) = spread(all.iter().map(|g| g.transfer_ns as f64)) else { continue };
        for group in all {
            let time = group.transfer_ns as f64;
            if median <= 0.0 || time < SLOW_LINK_MIN * median || time - median <= N_DEVIATIONS * deviation {
                continue;
            }
            let entry = slow.entry(&group.group).or_insert((0.0, 0.0, group));
            entry.0 += (time - median) * group.calls as f64 / n_steps;
            entry.1 = entry.1.max(time / median);
        }
    }
    let finding = |(name, (cost, ratio, group)): (&str, (f64, f64, &GroupTime))| {
        let hash = stable_hash(&[name, &group.op]);
        let members: Vec<TraceName> = run.traces.iter().filter(|t| t.groups.iter().any(|g| g.0 == hash)).map(TraceName::of).collect();
        let ranks: Vec<String> = members.iter().take(8).map(|m| m.rank.map_or("?".into(), |r| r.to_string())).collect();
        let more = if members.len() > 8 { ", …" } else { "" };
        Finding {
            kind: FindingKind::SlowLink,
            subject: format!("group {name}"),
            text: format!(
                "Transfers of process group {name} (ranks {}{more}) take {} × the median of like groups: {} more in each step.",
                ranks.join(", "),
                text::three_digits(ratio),
                text::duration(DurationNs(cost as i64))
            ),
            cost_ns: cost as i64,
            ratio: Some(Fraction((ratio * 1000.0).round() as i64)),
            traces: members.into_iter().take(TRACES_MAX).collect(),
        }
    };
    slow.into_iter().map(finding).collect()
}
