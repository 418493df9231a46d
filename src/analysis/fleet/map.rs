//! Ranks × steps: one value of each step of each trace, for the heat map.

use crate::base::Order as _;
use crate::model::fleet::{FleetRun, FleetTrace, Histogram, N_METRICS, bucket_value};
use serde::{Deserialize, Serialize};

/// A value of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Metric {
    /// Time of the step.
    #[default]
    Duration,
    /// Kernels.
    Kernel,
    /// Copies.
    Memcpy,
    /// Setting of memory.
    Memset,
    /// Communication that no kernel or copy hides.
    Communication,
    /// Calls of the runtime.
    Runtime,
    /// Waiting for data.
    DataLoader,
    /// Operators on the host.
    CpuExec,
    /// Rest of the step.
    Other,
    /// Devices without work.
    Idle,
}

impl Metric {
    /// In the order of the cells of a trace.
    pub const ALL: [Metric; N_METRICS] = [
        Metric::Duration,
        Metric::Kernel,
        Metric::Memcpy,
        Metric::Memset,
        Metric::Communication,
        Metric::Runtime,
        Metric::DataLoader,
        Metric::CpuExec,
        Metric::Other,
        Metric::Idle,
    ];

    /// Stable word, for links and the command line.
    pub fn id(self) -> &'static str {
        ["duration", "kernel", "memcpy", "memset", "communication", "runtime", "data-loader", "cpu-exec", "other", "idle"][self as usize]
    }

    /// For people.
    pub fn label(self) -> &'static str {
        ["Step time", "Kernel", "Memcpy", "Memset", "Exposed communication", "Runtime", "DataLoader", "CPU Exec", "Other", "Device idle"]
            [self as usize]
    }

    /// The metric of a word.
    pub fn named(id: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|m| m.id() == id)
    }
}

/// Order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RowOrder {
    /// By rank.
    #[default]
    Rank,
    /// By host, then by rank.
    Host,
    /// By the smallest process group that a rank belongs to, then by rank.
    Group,
    /// By pipeline group.
    Pipeline,
    /// By tensor-parallel group.
    Tensor,
    /// By data-parallel group.
    Data,
    /// By the mean of the metric, highest first.
    Value,
}

impl RowOrder {
    /// All, as listed.
    pub const ALL: [RowOrder; 7] =
        [RowOrder::Rank, RowOrder::Host, RowOrder::Group, RowOrder::Pipeline, RowOrder::Tensor, RowOrder::Data, RowOrder::Value];

    /// Stable word.
    pub fn id(self) -> &'static str {
        ["rank", "host", "group", "pipeline", "tensor", "data", "value"][self as usize]
    }

    /// For people.
    pub fn label(self) -> &'static str {
        ["Rank", "Host", "Process group", "Pipeline group", "Tensor group", "Data group", "Mean value"][self as usize]
    }

    /// Whether a process group of that name is of this order. Frameworks name groups `tp0`, `mesh_dp` or `TENSOR_MODEL_PARALLEL_GROUP`.
    fn is_of(self, group: &str) -> bool {
        let words: &[&str] = match self {
            RowOrder::Pipeline => &["pp", "pipe", "pipeline", "stage"],
            RowOrder::Tensor => &["tp", "mp", "tensor"],
            RowOrder::Data => &["dp", "data", "fsdp", "ddp", "shard", "replicate"],
            RowOrder::Rank | RowOrder::Host | RowOrder::Group | RowOrder::Value => return false,
        };
        let lower = group.to_ascii_lowercase();
        lower.split(|c: char| !c.is_ascii_alphabetic()).any(|word| words.contains(&word))
    }
}

/// Answer to [`super::FleetQuery::Map`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetMap {
    /// Trace of each row, a place in [`super::FleetSummary::ranks`].
    pub rows: Vec<u32>,
    /// Number of the step of each column, ascending.
    pub steps: Vec<u32>,
    /// Row by row: two bytes each, the lower first; 0 where the trace has no such step, else 1 more than the bucket of the value
    /// ([`bucket_value`]).
    pub cells: Vec<u8>,
    /// Least value, nanoseconds.
    pub least_ns: i64,
    /// The value at which the last colour begins: p99.9, and at least 10% above the median. Nanoseconds.
    pub most_ns: i64,
}

impl FleetMap {
    /// Value of a cell, nanoseconds; `None` where the trace has no such step.
    pub fn value(cell: u16) -> Option<i64> {
        cell.checked_sub(1).map(bucket_value)
    }
}

/// The cells of a metric.
pub fn map(run: &FleetRun, metric: Metric, order: RowOrder) -> FleetMap {
    let mut steps: Vec<u32> = run.traces.iter().flat_map(|t| t.steps.iter().copied()).collect();
    steps.sort_unstable();
    steps.dedup();
    let rows = ordered(run, metric, order);
    let mut cells = vec![0u8; rows.len() * steps.len() * 2];
    let mut counts = vec![0u64; usize::from(u16::MAX) + 1];
    for (row, at) in cells.chunks_exact_mut((steps.len() * 2).max(1)).zip(&rows) {
        let trace = &run.traces[*at as usize];
        for (number, value) in trace.steps.iter().zip(values(trace, metric)) {
            let Ok(column) = steps.binary_search(number) else { continue };
            row[column * 2..column * 2 + 2].copy_from_slice(&value.saturating_add(1).to_le_bytes());
            counts[usize::from(*value)] += 1;
        }
    }
    let used = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(bucket, n)| (bucket as u16, *n));
    let all = Histogram { counts: used.collect() };
    let at = |share: f64| all.quantile(share).unwrap_or(0);
    // Where all cells are alike, their small differences are no contrast.
    let (least_ns, median) = (at(0.0), at(0.5));
    let most_ns = at(0.999).max(median.saturating_add(median / 10));
    FleetMap { rows, steps, cells, least_ns, most_ns: if most_ns > least_ns { most_ns } else { at(1.0) } }
}

/// The orders that the traces record: those by host and group where some rank has one.
pub(super) fn orders(run: &FleetRun) -> Vec<RowOrder> {
    let is_recorded = |order: &RowOrder| match order {
        RowOrder::Rank | RowOrder::Value => true,
        RowOrder::Host => run.traces.iter().any(|t| !t.meta.host.is_empty()),
        RowOrder::Group => run.traces.iter().any(|t| !t.groups.is_empty()),
        RowOrder::Pipeline | RowOrder::Tensor | RowOrder::Data => {
            let mut groups: Vec<u32> = run.collectives.iter().map(|c| c.group).collect();
            groups.dedup();
            groups.iter().filter_map(|g| run.texts.get(*g as usize)).any(|text| order.is_of(text))
        }
    };
    RowOrder::ALL.into_iter().filter(is_recorded).collect()
}

/// The cells of a metric of a trace, by step.
pub(super) fn values(trace: &FleetTrace, metric: Metric) -> &[u16] {
    let n = trace.steps.len();
    trace.cells.get(metric as usize * n..(metric as usize + 1) * n).unwrap_or(&[])
}

fn ordered(run: &FleetRun, metric: Metric, order: RowOrder) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..run.traces.len() as u32).collect();
    let trace = |at: &u32| &run.traces[*at as usize];
    let mean = |at: &u32| {
        let trace = trace(at);
        trace.totals.metrics()[metric as usize] / (trace.steps.len() as i64).max(1)
    };
    // Traces are by rank; sorting is stable.
    match order {
        RowOrder::Rank => (),
        RowOrder::Host => rows.order_by(|a, b| trace(a).meta.host.cmp(&trace(b).meta.host)),
        // Ranks of one group are neighbours; the smallest group is first.
        RowOrder::Group => {
            let first = group_sizes(run);
            let key = |at: &u32| trace(at).groups.iter().map(|g| (first.get(&g.0).copied().unwrap_or((0, 0)), g.0)).min();
            rows.order_by_cached_key(key);
        }
        RowOrder::Pipeline | RowOrder::Tensor | RowOrder::Data => {
            let of_order = groups_of(run, order);
            rows.order_by_cached_key(|at| {
                let place = trace(at).groups.iter().filter_map(|g| of_order.get(&g.0)).min();
                (place.is_none(), place.copied())
            });
        }
        RowOrder::Value => rows.order_by_key(|at| std::cmp::Reverse(mean(at))),
    }
    rows
}

/// For each group and operation: (traces, first trace).
fn group_sizes(run: &FleetRun) -> rustc_hash::FxHashMap<u64, (u32, u32)> {
    let mut out = rustc_hash::FxHashMap::default();
    for (at, trace) in run.traces.iter().enumerate() {
        for group in &trace.groups {
            out.entry(group.0).or_insert((0, at as u32)).0 += 1;
        }
    }
    out
}

/// For each group and operation of an order: the first rank of the group, so that groups are in the order of their ranks.
fn groups_of(run: &FleetRun, order: RowOrder) -> rustc_hash::FxHashMap<u64, (u32, u32)> {
    let text = |at: u32| run.texts.get(at as usize).map_or("", String::as_str);
    let mut pairs: Vec<(u32, u32)> = run.collectives.iter().map(|c| (c.group, c.op)).collect();
    pairs.dedup();
    let of_order = pairs.iter().filter(|(group, _)| order.is_of(text(*group)));
    let group_of: rustc_hash::FxHashMap<u64, u32> =
        of_order.map(|(group, op)| (crate::model::fleet::stable_hash(&[text(*group), text(*op)]), *group)).collect();
    let mut first: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
    for (at, trace) in run.traces.iter().enumerate() {
        for group in trace.groups.iter().filter_map(|g| group_of.get(&g.0)) {
            first.entry(*group).or_insert(at as u32);
        }
    }
    group_of.into_iter().filter_map(|(hash, group)| Some((hash, (*first.get(&group)?, group)))).collect()
}
