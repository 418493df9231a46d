//! Tables of a run summary.

use super::chosen::TraceStep;
use crate::analysis::fleet::{CollectiveRow, FleetSummary, GroupRow, HostRow, Metric, RankRow, SpreadRow, StepOutlier};
use crate::base::{DurationNs, text};
use crate::ui::bars::{Bar, Series};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Columns, Kind, Row};

fn rank(rank: Option<u32>) -> Cell {
    rank.map(u64::from).into()
}

fn name(text: &str) -> Cell {
    if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) }
}

/// Help of a ratio of kernel times.
const RATIO: &str = "Time of its kernels ÷ the median time of the same kernels on other ranks; collectives excluded.";

fn ratio(thousandths: Option<i64>) -> Cell {
    thousandths.map_or(Cell::Absent, |t| Cell::Float(t as f64 / 1000.0))
}

/// Bytes per second as gigabytes per second with two decimals.
fn gigabytes(per_s: Option<f64>) -> Cell {
    per_s.map(|b| (b / 1e7).round() / 100.0).into()
}

/// Every rank.
pub fn ranks() -> Columns<RankRow> {
    let mut out = Columns::<RankRow>::new()
        .column("rank", "Rank", Kind::Count, "Rank in the run.", |r: &RankRow| rank(r.trace.rank))
        .column("host", "Host", Kind::Text, "Name of the machine.", |r| name(&r.trace.host))
        .column("n_steps", "Steps", Kind::Count, "Steps in the trace.", |r| r.n_steps.into());
    for metric in Metric::ALL {
        let help = "Mean of a step.";
        out = out.column(metric.id(), metric.label(), Kind::Duration, help, move |r| Cell::Int(r.means[metric as usize]));
    }
    out.column("waited", "Waited", Kind::Duration, "Time in collectives beyond the transfer, all steps.", |r| {
        r.waited_ns.map(DurationNs).into()
    })
    .column("speed", "Kernel time ratio", Kind::Number, RATIO, |r| ratio(r.kernel_ratio_thousandths))
    .column("memory", "Memory peak", Kind::Bytes, "Most memory allocated on a device.", |r| r.memory_peak.into())
    .column("device", "Device", Kind::Text, "Name of the device.", |r| name(&r.device))
    .column("concerns", "Skipped records", Kind::Count, "Records skipped with a warning or a loss.", |r| r.n_concerns.into())
    .column("file", "Trace", Kind::Name, "File of the trace, below the directory of the run.", |r| name(&r.trace.name))
}

/// Ranks that others wait for.
pub fn stragglers() -> Columns<RankRow> {
    Columns::<RankRow>::new()
        .column("rank", "Rank", Kind::Count, "Rank in the run.", |r: &RankRow| rank(r.trace.rank))
        .column("host", "Host", Kind::Text, "Name of the machine.", |r| name(&r.trace.host))
        .column(
            "caused",
            "Wait caused",
            Kind::Duration,
            "Mean time that each other rank of the group waited for this one, all collectives.",
            |r| Cell::Int(r.caused_ns),
        )
        .column(
            "n_last",
            "Last to arrive",
            Kind::Count,
            "Collectives in which this rank arrived last and the others waited more than 2 µs and 10% of the transfer.",
            |r| r.n_last.into(),
        )
        .column("n", "Collectives", Kind::Count, "Collectives of this rank.", |r| r.n_collectives.into())
        .column("at", "Most at", Kind::Text, "Operation and process group at which the others waited most for it.", |r| {
            r.place.as_ref().map(|p| format!("{} of {}", p.op, p.group)).into()
        })
        .column("at_n", "Last there", Kind::Count, "How often it arrived last there.", |r| r.place.as_ref().map(|p| p.n_last).into())
        .column("instead", "Instead", Kind::Text, "Category with the most time above the median rank.", |r| {
            r.instead.map(|i| i.0.label().to_string()).into()
        })
        .column("excess", "Above median", Kind::Duration, "How much more of that category a step has than on the median rank.", |r| {
            r.instead.map(|i| DurationNs(i.1)).into()
        })
        .column("file", "Trace", Kind::Name, "File of the trace.", |r| name(&r.trace.name))
}

/// Help of a bus bandwidth.
const BUS: &str = "Bus bandwidth as nccl-tests define it, in gigabytes per second.";

/// Process groups beside their like.
pub fn groups() -> Columns<GroupRow> {
    Columns::<GroupRow>::new()
        .column("group", "Group", Kind::Name, "Process group.", |r: &GroupRow| r.group.clone().into())
        .column("op", "Collective", Kind::Text, "Operation.", |r| r.op.clone().into())
        .column("n", "Ranks", Kind::Count, "Ranks with this operation in their trace.", |r| u64::from(r.n).into())
        .column("bytes", "Bytes", Kind::Bytes, "Bytes of its tensors on a rank.", |r| r.bytes.into())
        .column("calls", "Calls", Kind::Count, "Calls.", |r| r.calls.into())
        .column("transfer", "Median transfer", Kind::Duration, "Median of the shortest durations.", |r| Cell::Int(r.transfer_ns))
        .column("bus", "Bus GB/s", Kind::Number, BUS, |r| gigabytes(r.bus_bytes_per_s))
        .column(
            "ratio",
            "Ratio",
            Kind::Number,
            "Median transfer ÷ that of groups with the same operation, bytes and number of ranks.",
            |r| ratio(r.ratio_thousandths),
        )
}

/// The slowest collectives.
pub fn collectives() -> Columns<CollectiveRow> {
    Columns::<CollectiveRow>::new()
        .column("op", "Collective", Kind::Name, "Operation.", |r: &CollectiveRow| r.op.clone().into())
        .column("group", "Group", Kind::Text, "Process group.", |r| r.group.clone().into())
        .column("seq", "Number", Kind::Count, "Number of the operation in its group.", |r| u64::from(r.seq).into())
        .column("step", "Step", Kind::Count, "Step.", |r| r.step.map(u64::from).into())
        .column("n", "Ranks", Kind::Count, "Ranks with this operation in their trace.", |r| u64::from(r.n).into())
        .column("bytes", "Bytes", Kind::Bytes, "Bytes of its tensors on a rank.", |r| r.bytes.into())
        .column("longest", "Longest", Kind::Duration, "Longest duration of a rank.", |r| Cell::Int(r.longest_ns))
        .column("transfer", "Transfer", Kind::Duration, "Shortest duration of a rank: the last to arrive does not wait.", |r| {
            Cell::Int(r.transfer_ns)
        })
        .column("wait", "Mean wait", Kind::Duration, "Mean time that the other ranks waited for the last.", |r| Cell::Int(r.mean_wait_ns))
        .column("spread", "Spread", Kind::Duration, "Longest − shortest duration: how far apart the ranks arrived.", |r| {
            Cell::Int(r.spread_ns())
        })
        .column("bus", "Bus GB/s", Kind::Number, BUS, |r| gigabytes(r.bus_bytes_per_s))
        .column(
            "usual",
            "Median GB/s",
            Kind::Number,
            "Bus bandwidth of the median collective with this operation, bytes and number of ranks.",
            |r| gigabytes(r.usual_bus_bytes_per_s),
        )
        .column("last", "Last to arrive", Kind::Text, "Rank that arrived last.", |r| name(&r.last.label()))
}

/// Operators or kernels over the ranks.
pub fn spreads() -> Columns<SpreadRow> {
    Columns::<SpreadRow>::new()
        .column("name", "Name", Kind::Name, "Name.", |r: &SpreadRow| r.name.clone().into())
        .column("shape", "Input shape", Kind::Text, "Input shapes; empty where they are not recorded.", |r| name(&r.shape))
        .column("device", "Device time", Kind::Duration, "Device time of all ranks.", |r| Cell::Int(r.device_ns))
        .column("host", "Host time", Kind::Duration, "Host time of all ranks, without operators inside.", |r| Cell::Int(r.host_ns))
        .column("calls", "Calls", Kind::Count, "Calls of all ranks.", |r| r.calls.into())
        .column("n", "Ranks", Kind::Count, "Ranks that have it.", |r| r.n_traces.into())
        .column("p50", "p50", Kind::Duration, "Time of the median rank, within 0.2%.", |r| Cell::Int(r.p50_ns))
        .column("p95", "p95", Kind::Duration, "95% of the ranks take at most this time, within 0.2%.", |r| Cell::Int(r.p95_ns))
        .column("max", "Max", Kind::Duration, "Most time of a rank.", |r| Cell::Int(r.most_ns))
        .column("rank", "Rank of max", Kind::Text, "Rank with the most time.", |r| name(&r.most.label()))
}

/// Hosts or devices.
pub fn hosts(what: &str) -> Columns<HostRow> {
    let mut out = Columns::<HostRow>::new()
        .column("name", what, Kind::Text, "Name; empty where it is not recorded.", |r: &HostRow| name(&r.host))
        .column("n", "Traces", Kind::Count, "Traces.", |r| r.n_traces.into());
    for metric in Metric::ALL {
        out = out.column(metric.id(), metric.label(), Kind::Duration, "Mean of a step.", move |r| Cell::Int(r.means[metric as usize]));
    }
    out.column("speed", "Kernel time ratio", Kind::Number, RATIO, |r| ratio(r.kernel_ratio_thousandths))
}

/// Steps that took much longer.
pub fn outliers(found: &FleetSummary) -> Columns<StepOutlier> {
    let ranks: Vec<(Option<u32>, String, String)> =
        found.ranks.iter().map(|r| (r.trace.rank, r.trace.host.clone(), r.trace.name.clone())).collect();
    let ranks = std::rc::Rc::new(ranks);
    let (first, second, third) = (ranks.clone(), ranks.clone(), ranks);
    Columns::<StepOutlier>::new()
        .column("time", "Step time", Kind::Duration, "Time of the step, within 0.2%.", |o: &StepOutlier| Cell::Int(o.ns))
        .column("step", "Step", Kind::Count, "Number of the step.", |o| u64::from(o.step).into())
        .column("rank", "Rank", Kind::Count, "Rank in the run.", move |o| first.get(o.trace as usize).map_or(Cell::Absent, |r| rank(r.0)))
        .column("host", "Host", Kind::Text, "Name of the machine.", move |o| {
            second.get(o.trace as usize).map_or(Cell::Absent, |r| name(&r.1))
        })
        .column("file", "Trace", Kind::Name, "File of the trace.", move |o| {
            third.get(o.trace as usize).map_or(Cell::Absent, |r| name(&r.2))
        })
}

/// Rows of the ranks at these places.
pub fn straggler_rows(found: &FleetSummary) -> Vec<Row> {
    let rows = found.stragglers.iter().filter_map(|at| found.ranks.get(*at as usize));
    stragglers().rows(rows)
}

/// The trace of a row of [`straggler_rows`], at the step of the longest wait.
pub fn straggler_trace(found: &FleetSummary, at: usize) -> Option<TraceStep> {
    let row = found.ranks.get(*found.stragglers.get(at)? as usize)?;
    Some(TraceStep { trace: row.trace.clone(), step: row.place.as_ref().and_then(|p| p.step) })
}

/// The trace and step of an outlier.
pub fn outlier_trace(found: &FleetSummary, at: usize) -> Option<TraceStep> {
    let outlier = found.distribution.outliers.get(at)?;
    Some(TraceStep { trace: found.ranks.get(outlier.trace as usize)?.trace.clone(), step: Some(outlier.step) })
}

/// Steps by their time.
pub fn bars(found: &FleetSummary) -> Vec<Bar> {
    let bar = |(from, to, n): &(i64, i64, u64)| {
        let [first, last] = [*from, *to].map(|ns| text::duration_in_steps(DurationNs(ns), to - from));
        Bar { note: format!("{first} – {last}"), name: first, values: vec![*n as f64], ..Bar::default() }
    };
    found.distribution.bins.iter().map(bar).collect()
}

/// What the bars count.
pub fn series() -> Vec<Series> {
    vec![Series { name: "Steps".into(), colour: fixed::KERNEL, help: "Steps of all ranks with a time in this range.".into() }]
}
