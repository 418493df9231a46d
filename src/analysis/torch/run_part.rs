//! What a PyTorch trace contributes to a run of many ranks.

use super::View;
use super::advice::idle_gaps;
use super::distributed::{self, DistributedPartQuery};
use super::kernels::{KernelGrouping, KernelsQuery};
use super::ops::{OpGrouping, OpsQuery};
use super::overview::{Overview, OverviewQuery, StepRow};
use super::{kernel_rows, ops_rows, overview_rows};
use crate::base::Order as _;
use crate::model::fleet::{IDLE_CAUSES, N_CAUSES, PartAdvice, PartCollective, PartOperator, PartStep, RunPart, StepTimes, TraceMeta};
use crate::model::torch::PROCESS_GROUPS;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Rows of operators and of kernels in a part, longest first; the others are one row, [`OTHERS`].
pub const ROWS_MAX: usize = 1_000;
/// Collectives that a part keeps, first come.
pub const COLLECTIVES_MAX: usize = 100_000;
/// Name of the row of all operators, or kernels, beyond [`ROWS_MAX`].
pub const OTHERS: &str = "(others)";

/// What the caller knows of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunPartQuery {
    /// Path of the file.
    pub name: String,
    /// Hash of its content.
    pub id: u64,
    /// Name of the run.
    pub run: String,
    /// Name of the worker by the file's name: `host_1234`.
    pub worker: String,
    /// Rank by the file's name, where the trace records none.
    pub rank: Option<u32>,
}

/// The part of this trace.
pub fn run_part(view: &View<'_>, query: &RunPartQuery) -> RunPart {
    let overview = overview_rows::overview(view, &OverviewQuery::default());
    let communication = distributed::part(view, &DistributedPartQuery { worker: query.worker.clone(), span: String::new() });
    let mut out = RunPart { meta: meta(view, query, &overview), ..RunPart::default() };
    out.steps = steps(view, &overview);
    let (mut n_left_out, n_unnumbered);
    (out.collectives, n_unnumbered, n_left_out) = collectives(&communication, &out.steps, &described_groups(view));
    let ops = ops_rows::ops(view, &OpsQuery { grouping: OpGrouping::NameShape, ..OpsQuery::default() });
    let operators = ops.rows.into_iter().map(|r| PartOperator {
        name: r.name,
        shape: r.shape.filter(|s| s != "[]").unwrap_or_default(),
        calls: r.calls,
        host_self: r.times.host_self.0.max(0),
        device_self: r.times.device_self.0.max(0),
    });
    let of_kernels = KernelsQuery { grouping: KernelGrouping::Name, ..KernelsQuery::default() };
    let kernels = kernel_rows::kernels(view, &of_kernels).rows.into_iter().map(|r| PartOperator {
        name: r.name,
        calls: r.calls,
        device_self: r.total.0.max(0),
        ..PartOperator::default()
    });
    out.operators = longest(operators.collect(), &mut n_left_out);
    out.kernels = longest(kernels.collect(), &mut n_left_out);
    (out.meta.n_unnumbered, out.meta.n_left_out) = (n_unnumbered, n_left_out);
    let advice =
        |r: &super::overview::Recommendation| PartAdvice { id: r.id.clone(), title: r.title.clone(), cost_ns: r.cost.map(|c| c.0) };
    out.advice = overview.recommendations.iter().map(advice).collect();
    out
}

fn meta(view: &View<'_>, query: &RunPartQuery, overview: &Overview) -> TraceMeta {
    let about = &view.profile.meta;
    let recorded = about.facts.iter().find(|f| f.name == "host_name" || f.name == "hostname").map(|f| f.value.clone());
    let rank = view.torch.rank;
    TraceMeta {
        rank: rank.map(|r| r.0).or(query.rank),
        host: recorded.filter(|h| !h.is_empty()).unwrap_or_else(|| host(&query.worker)),
        name: query.name.clone(),
        id: query.id,
        run: query.run.clone(),
        n_ranks: rank.map(|r| r.1),
        device: overview.devices.iter().find_map(|d| d.name.clone()).unwrap_or_default(),
        devices: overview.devices.iter().filter(|d| d.n_kernels > 0).map(|d| d.device).collect(),
        origin_epoch_ns: about.origin_epoch_ns,
        start_ns: about.range.start.0,
        end_ns: about.range.end.0,
        memory_peak: view.torch.memory.iter().filter(|m| m.device_type != 0).filter_map(|m| m.allocated).max(),
        ..TraceMeta::default()
    }
}

/// `node3` of the worker `node3_1234`, as `tensorboard_trace_handler` names it; empty for other names.
fn host(worker: &str) -> String {
    let split = worker.rsplit_once('_').filter(|(_, pid)| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()));
    split.map(|(host, _)| host.to_string()).filter(|host| !host.to_ascii_lowercase().starts_with("rank")).unwrap_or_default()
}

fn steps(view: &View<'_>, overview: &Overview) -> Vec<PartStep> {
    let idle = idle(view, overview);
    let numbered = |s: &StepRow| s.name.parse::<u32>().ok();
    let are_numbered = overview.steps.iter().all(|s| numbered(s).is_some()) && {
        let mut all: Vec<u32> = overview.steps.iter().filter_map(numbered).collect();
        all.sort_unstable();
        all.windows(2).all(|pair| pair[0] != pair[1])
    };
    let step = |((at, step), idle): ((usize, &StepRow), [i64; N_CAUSES])| PartStep {
        number: numbered(step).filter(|_| are_numbered).unwrap_or(at as u32),
        start_ns: step.start.0,
        times: StepTimes { total: step.total.0.max(0), categories: step.parts.map(|p| p.0.max(0)), idle },
    };
    overview.steps.iter().enumerate().zip(idle).map(step).collect()
}

/// Idle time of the devices in each step, by cause.
fn idle(view: &View<'_>, overview: &Overview) -> Vec<[i64; N_CAUSES]> {
    debug_assert_eq!(IDLE_CAUSES.len(), N_CAUSES, "a word for each cause");
    let mut out = vec![[0i64; N_CAUSES]; overview.steps.len()];
    for (start, end, cause) in idle_gaps(view, overview) {
        let first = overview.steps.partition_point(|s| s.end.0 <= start);
        for (step, sums) in overview.steps.iter().zip(&mut out).skip(first).take_while(|(s, _)| s.start.0 < end) {
            sums[cause] = sums[cause].saturating_add((end.min(step.end.0) - start.max(step.start.0)).max(0));
        }
    }
    out
}

/// Names of process groups with what the framework calls them: `3 mesh_tp`.
fn described_groups<'a>(view: &'a View<'_>) -> FxHashMap<&'a str, String> {
    let facts = view.profile.meta.facts.iter().filter(|f| f.group == PROCESS_GROUPS);
    facts.map(|f| (f.name.as_str(), format!("{} {}", f.name, f.value))).collect()
}

/// The collectives that can be matched, how many cannot, and how many were omitted.
fn collectives(
    part: &distributed::DistributedPart,
    steps: &[PartStep],
    described: &FxHashMap<&str, String>,
) -> (Vec<PartCollective>, u64, u64) {
    let name = |at: u32| part.names.get(at as usize).map_or("", String::as_str);
    let mut known: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
    let mut out: Vec<PartCollective> = Vec::new();
    let (mut n_unnumbered, mut n_left_out) = (0, 0);
    for call in &part.calls {
        let (Some(group), Some(seq), Some(first)) = (call.group, call.seq, call.ranges.first()) else {
            n_unnumbered += 1;
            continue;
        };
        let duration_ns = call.ranges.iter().fold(0i64, |sum, (a, b)| sum.saturating_add(b.0.saturating_sub(a.0).max(0)));
        // Several kernels may carry one number: parts of one operation.
        if let Some(&at) = known.get(&(group, call.name, seq)) {
            out[at].duration_ns = out[at].duration_ns.saturating_add(duration_ns);
            continue;
        }
        if out.len() >= COLLECTIVES_MAX {
            n_left_out += 1;
            continue;
        }
        known.insert((group, call.name, seq), out.len());
        out.push(PartCollective {
            group: described.get(name(group)).map_or_else(|| name(group).into(), String::clone),
            op: name(call.name).into(),
            seq,
            bytes: call.size_bytes,
            step: call.step.and_then(|s| steps.get(s as usize)).map(|s| s.number),
            start_ns: first.0.0,
            duration_ns,
        });
    }
    (out, n_unnumbered, n_left_out)
}

/// The rows with most time, and one row for the others. Ties are ordered by name, independent of the file.
fn longest(mut rows: Vec<PartOperator>, n_left_out: &mut u64) -> Vec<PartOperator> {
    rows.order_by(|a, b| {
        (b.device_self, b.host_self).cmp(&(a.device_self, a.host_self)).then_with(|| (&a.name, &a.shape).cmp(&(&b.name, &b.shape)))
    });
    if rows.len() > ROWS_MAX {
        let rest = rows.split_off(ROWS_MAX - 1);
        *n_left_out += rest.len() as u64;
        let mut sum = PartOperator { name: OTHERS.into(), ..PartOperator::default() };
        for row in rest {
            sum.calls = sum.calls.saturating_add(row.calls);
            sum.host_self = sum.host_self.saturating_add(row.host_self);
            sum.device_self = sum.device_self.saturating_add(row.device_self);
        }
        rows.push(sum);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_names_of_workers() {
        assert_eq!(["node3_1234", "gpu-7", "a_b_99", "rank_0", "x_"].map(host), ["node3", "", "a_b", "", ""]);
    }

    #[test]
    fn rows_beyond_the_limit_are_one() {
        let row = |i: usize| PartOperator { name: format!("op{i}"), calls: 1, device_self: i as i64, ..PartOperator::default() };
        let mut n = 0;
        let rows = longest((0..ROWS_MAX + 5).map(row).collect(), &mut n);
        assert_eq!((rows.len(), n), (ROWS_MAX, 6));
        let last = rows.last().unwrap();
        assert_eq!((last.name.as_str(), last.calls, last.device_self), (OTHERS, 6, 15));
    }
}
