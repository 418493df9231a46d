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
    /// By the process groups that a rank belongs to, then by rank.
    Group,
    /// By the mean of the metric, highest first.
    Value,
}

impl RowOrder {
    /// All, as listed.
    pub const ALL: [RowOrder; 4] = [RowOrder::Rank, RowOrder::Host, RowOrder::Group, RowOrder::Value];

    /// Stable word.
    pub fn id(self) -> &'static str {
        ["rank", "host", "group", "value"][self as usize]
    }

    /// For people.
    pub fn label(self) -> &'static str {
        ["Rank", "Host", "Process group", "Mean value"][self as usize]
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
    /// The value that the darkest colour begins at: p99.9, nanoseconds.
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
    let (least_ns, most_ns) = (all.quantile(0.0).unwrap_or(0), all.quantile(0.999).unwrap_or(0));
    FleetMap { rows, steps, cells, least_ns, most_ns }
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
        // Ranks of one group stand together: the smallest group first.
        RowOrder::Group => {
            let first = group_sizes(run);
            let key = |at: &u32| trace(at).groups.iter().map(|g| (first.get(&g.0).copied().unwrap_or((0, 0)), g.0)).min();
            rows.order_by_cached_key(key);
        }
        RowOrder::Value => rows.order_by_key(|at| std::cmp::Reverse(mean(at))),
    }
    rows
}

/// Of each group and operation: (traces, first trace).
fn group_sizes(run: &FleetRun) -> rustc_hash::FxHashMap<u64, (u32, u32)> {
    let mut out = rustc_hash::FxHashMap::default();
    for (at, trace) in run.traces.iter().enumerate() {
        for group in &trace.groups {
            out.entry(group.0).or_insert((0, at as u32)).0 += 1;
        }
    }
    out
}
