//! Metrics of a run: recorded values, values computed from rows and formulas, and their differences.

use crate::analysis::device::activity::busy::{Busy, busy, execution};
pub use crate::analysis::device::activity::engine_time::EngineTime;
pub use crate::analysis::device::run_metrics::metric::Metric;
use crate::analysis::device::run_metrics::metrics::{Computed, ENGINES, MetricSource, QUEUE_TIMES};
use crate::analysis::device::run_metrics::units::SAME;
use crate::base::{DurationNs, TimeRange};
use crate::model::{Cell, Domain, Profile};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Times of rows are of whole nanoseconds, rounded down: of short rows that is up to this share.
const ROUNDED: f64 = 1e-2;
/// Names in a sentence at most.
const MOST_NAMED: usize = 6;
/// More summaries than any run has cores.
const MOST_NODES: usize = 4096;

/// The run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Whether the values are of the entire run. Recorded values do not apply to a part of it; those metrics are computed from rows.
    pub is_whole: bool,
    /// Length of what is summed.
    pub duration: DurationNs,
    /// Summaries of the file, where it has several: `nc_4`. Engines and notes are of all.
    pub nodes: Vec<String>,
    /// Every metric, summary by summary, group by group in the order of the file.
    pub metrics: Vec<Metric>,
    /// Busy time per core and engine, from the rows.
    pub engines: Vec<EngineTime>,
    /// Notes about these values.
    pub notes: Vec<String>,
}

/// Metrics that follow from clocks, array size or bandwidth.
const OF_HARDWARE: [&str; 11] = [
    "hfu_estimated_percent",
    "mfu_inst_estimated_percent",
    "mfu_hlo_estimated_percent",
    "mfu_estimated_percent",
    "mbu_estimated_percent",
    "mbu_min_read_util_percent",
    "peak_flops_bandwidth_ratio",
    "mfu_inst_max_achievable_estimated_percent",
    "mfu_max_achievable_estimated_percent",
    "neuroncore_cycle_count",
    "dma_active_cycles",
];

/// Whether a metric is computed with published values of the hardware.
fn is_published(facts: &MetricSource<'_>, name: &str) -> bool {
    facts.constants_source().is_some() && OF_HARDWARE.contains(&name)
}

/// The run, or a range of it, in numbers.
pub fn summary(profile: &Profile, range: Option<TimeRange>) -> Summary {
    let facts = MetricSource::of(profile);
    let window = match &profile.domain {
        Domain::NeuronDevice(d) if d.window_ns > 0 => d.window_ns,
        // Tables without a timeline have only their summary.
        _ if profile.slices.is_empty() => facts.number("total_time").map_or(0, |seconds| (seconds * 1e9).floor() as i64),
        _ => profile.meta.range.duration().0,
    };
    let busy = busy(profile, range);
    let engines = busy.iter().map(Busy::time).collect();
    let mut out =
        Summary { is_whole: range.is_none(), duration: range.map_or(DurationNs(window), |r| r.duration()), engines, ..Summary::default() };
    if let Some(range) = range {
        out.metrics = of_range(profile, &busy, range);
        crate::analysis::device::run_metrics::metric_order::sort(profile, &mut out.metrics);
        return out;
    }
    let tables = &profile.tables;
    let n_nodes = tables.iter().find(|t| t.id == "summary" || t.id == "Summary").map_or(1, |t| t.rows.len().clamp(1, MOST_NODES));
    out.nodes = node_names(profile, n_nodes);
    let mut labels = Labels::of(profile);
    for node in 0..n_nodes {
        out.metrics.extend(metrics(profile, &MetricSource::of_node(profile, node), &busy, &mut labels, (node, n_nodes == 1)));
    }
    crate::analysis::device::run_metrics::metric_order::sort(profile, &mut out.metrics);
    out.notes = notes(&facts, &out.metrics);
    out.notes.extend(differing(&out.metrics));
    out
}

/// Names of the summaries; empty where there is one alone.
fn node_names(profile: &Profile, n: usize) -> Vec<String> {
    let names = profile.tables.iter().find(|t| t.id == "summary_nodes");
    let name = |at: usize| match names.and_then(|t| t.rows.get(at)?.first()) {
        Some(Cell::Text(name)) => name.clone(),
        _ => format!("summary {at}"),
    };
    if n > 1 || names.is_some() { (0..n).map(name).collect() } else { Vec::new() }
}

/// Values computed from the rows of a range; the file records none for a part.
fn of_range(profile: &Profile, busy: &[Busy], range: TimeRange) -> Vec<Metric> {
    let mut labels = Labels::of(profile);
    let metric = |(name, value, how): Computed| {
        let Label { group, meaning } = labels.get(name);
        Metric {
            node: 0,
            name: name.into(),
            group,
            file: None,
            text: None,
            computed: Some(value),
            how: how.into(),
            meaning,
            differs: false,
            is_rounded: false,
            rounding: None,
            is_published: is_published(&MetricSource::of(profile), name),
        }
    };
    crate::analysis::device::activity::window::metrics(profile, busy, range, &|_| true).into_iter().map(metric).collect()
}

/// What a metric is listed under, and what it means.
#[derive(Debug, Clone)]
struct Label {
    /// The heading that the file gives the metric, else the one of its name.
    group: String,
    /// In the file's words; empty where there are none.
    meaning: String,
}

/// Labels by metric: hundreds of summaries share theirs.
struct Labels {
    groups: FxHashMap<String, String>,
    meanings: FxHashMap<String, String>,
    known: FxHashMap<String, Label>,
}

impl Labels {
    fn of(profile: &Profile) -> Labels {
        Labels { groups: words(profile, "summary_groups"), meanings: words(profile, "terminology"), known: FxHashMap::default() }
    }

    fn get(&mut self, name: &str) -> Label {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let group = match self.groups.get(name).filter(|group| !group.is_empty()) {
            Some(group) => group.replace('_', " "),
            None => crate::analysis::device::run_metrics::metric_groups::group(name).replace('_', " "),
        };
        let label = Label { group, meaning: self.meanings.get(name).cloned().unwrap_or_default() };
        self.known.insert(name.into(), label.clone());
        label
    }
}

/// Which values of the file are not what its formulas and rows give.
fn differing(metrics: &[Metric]) -> Option<String> {
    let names: Vec<&str> = metrics.iter().filter(|m| m.differs).map(|m| m.name.as_str()).collect();
    let shown = names[..names.len().min(MOST_NAMED)].join("`, `");
    let more = if names.len() > MOST_NAMED { " and others" } else { "" };
    let listed = "both are listed under Metrics. Cards show the recorded value.";
    (!names.is_empty()).then(|| format!("Recorded and computed values differ for `{shown}`{more}: {listed}"))
}

/// What the rows say about a whole run: metrics that no formula over the file's summary gives; those that it states itself only where `is_beside` it.
fn of_rows(profile: &Profile, facts: &MetricSource<'_>, computed: &[Computed], busy: &[Busy], is_beside: bool) -> Vec<Computed> {
    let is_wanted = |name: &str| (is_beside || facts.number(name).is_none()) && computed.iter().all(|c| c.0 != name);
    let mut out = crate::analysis::device::activity::window::metrics(profile, busy, execution(profile), &is_wanted);
    out.extend(crate::analysis::device::run_metrics::packets::tensor_sizes(profile).into_iter().filter(|c| is_wanted(c.0)));
    out.extend(crate::analysis::device::run_metrics::counts::counts(profile).into_iter().filter(|c| is_wanted(c.0)));
    exact_times(facts, &mut out);
    let least = out.iter().find(|c| c.0 == "inputs_and_weights_size_bytes").map(|c| c.1);
    if let Some(((bytes, bandwidth), seconds)) = least.zip(facts.hbm_bandwidth()).zip(facts.window_seconds()).filter(|v| v.1 > 0.0) {
        let how = "inputs_and_weights_size_bytes ÷ total_time ÷ bandwidth of one HBM stack";
        out.extend(Some(("mbu_min_read_util_percent", bytes / seconds / bandwidth, how)).filter(|c| is_wanted(c.0)));
    }
    out
}

/// Replaces times and shares from rows of whole nanoseconds with recorded times in picoseconds, if the file has them.
fn exact_times(facts: &MetricSource<'_>, out: &mut [Computed]) {
    let share = |name: &str, all: Option<f64>| facts.exact_seconds(name).zip(all.filter(|s| *s > 0.0)).map(|(s, all)| s / all);
    let (run, dma) = (facts.window_seconds(), facts.exact_seconds("dma_active_time"));
    let engines = ENGINES.iter().map(|e| (e.share, share(e.active, run)));
    let all = ["dma_active_time", "total_active_time"].into_iter().zip(["dma_active_time_percent", "total_active_time_percent"]);
    let mut shares: Vec<(&str, Option<f64>)> = engines.chain(all.map(|(time, name)| (name, share(time, run)))).collect();
    let queues = QUEUE_TIMES.map(|(time, name)| (name, share(time, dma)));
    let dynamic = queues[0].1.zip(queues[1].1).map(|(software, hardware)| software + hardware);
    shares.extend(queues.into_iter().chain([("dynamic_dma_active_time_percent", dynamic)]));
    for (name, value, _) in out {
        let known = || shares.iter().find(|s| s.0 == *name).and_then(|s| s.1);
        *value = facts.exact_seconds(name).or_else(known).unwrap_or(*value);
    }
}

/// The metrics of the summary at place `node`, which may be alone.
fn metrics(
    profile: &Profile,
    facts: &MetricSource<'_>,
    engines: &[Busy],
    labels: &mut Labels,
    (node, is_alone): (usize, bool),
) -> Vec<Metric> {
    let mut computed = facts.computed();
    // Rows are of all cores together; without any instruction nothing can be counted.
    let has_instructions = ENGINES.iter().any(|e| engines.iter().any(|b| b.engine == e.engine && b.count > 0));
    for engine in ENGINES.iter().filter(|_| node == 0 && has_instructions) {
        let n: u64 = engines.iter().filter(|e| e.engine == engine.engine).map(|e| e.count).sum();
        computed.push((engine.count, n as f64, "instructions of the engine on the timeline"));
    }
    // Rows are of all cores: they are beside the values of a summary that is alone.
    let n_formulas = computed.len();
    if node == 0 {
        computed.extend(of_rows(profile, facts, &computed, engines, is_alone));
    }
    let mut names: Vec<String> = facts.names().to_vec();
    let recorded: FxHashSet<&String> = facts.names().iter().collect();
    names.extend(computed.iter().map(|c| c.0.to_string()).filter(|c| !recorded.contains(c)));
    let metric = |name: String| {
        let file = facts.number(&name);
        let at = computed.iter().position(|c| c.0 == name);
        let ours = at.map(|at| computed[at]);
        let value = ours.map(|c| c.1);
        let is_beyond =
            |most: f64| file.zip(value).is_some_and(|(a, b)| (a - b).abs() > most * a.abs().max(b.abs()).max(f64::MIN_POSITIVE));
        let is_time_of_rows = at.is_some_and(|at| at >= n_formulas) && name.contains("_time");
        // A computed value can be off by the rounding of each of its inputs: as many digits as the recorded value has are compared.
        let rounding = facts.rounding(&name);
        let is_within = rounding.zip(file.zip(value)).is_some_and(|(half, (a, b))| (a - b).abs() <= 2.0 * half);
        let differs = !is_within && is_beyond(if is_time_of_rows { ROUNDED } else { SAME });
        let Label { group, meaning } = labels.get(&name);
        Metric {
            node: node as u32,
            group,
            meaning,
            text: facts.text(&name).map(Into::into),
            how: ours.map(|c| c.2.to_string()).unwrap_or_default(),
            computed: value,
            file,
            differs,
            is_rounded: !differs && is_beyond(SAME),
            rounding,
            is_published: file.is_none() && value.is_some() && is_published(facts, &name),
            name,
        }
    };
    names.into_iter().map(metric).collect()
}

/// Texts of a one-row table by the names of their columns; the first of each name.
fn words(profile: &Profile, table: &str) -> FxHashMap<String, String> {
    let Some(table) = profile.tables.iter().find(|t| t.id == table) else {
        return FxHashMap::default();
    };
    let row = table.rows.first().map(Vec::as_slice).unwrap_or_default();
    let pairs = table.columns.iter().zip(row).rev();
    pairs.filter_map(|(name, cell)| if let Cell::Text(text) = cell { Some((name.clone(), text.clone())) } else { None }).collect()
}

/// Values that a run may lack: (metric, what it is).
const WANTED: [(&str, &str); 4] = [
    ("hardware_flops", "FLOPs"),
    ("hbm_read_bytes", "bytes of HBM"),
    ("hfu_estimated_percent", "FLOPs utilization"),
    ("mbu_estimated_percent", "memory bandwidth utilization"),
];

fn notes(facts: &MetricSource<'_>, metrics: &[Metric]) -> Vec<String> {
    let mut out = Vec::new();
    let n_rounded = metrics.iter().filter(|m| m.rounding.is_some()).count();
    if n_rounded > 0 {
        out.push(format!("{n_rounded} values are rounded in this file; they are marked with ≈. The JSON (`summary-json`) has all digits."));
    }
    if facts.names().is_empty() {
        let is_there = |name: &str| metrics.iter().any(|m| m.name == name);
        let missing: Vec<&str> = WANTED.iter().filter(|w| !is_there(w.0)).map(|w| w.1).collect();
        let lost = if missing.is_empty() { String::new() } else { format!(" Not available without it: {}.", missing.join(", ")) };
        out.push(format!("No summary is recorded in this file: values are computed from the rows.{lost}"));
        if missing.len() == WANTED.len() {
            return out;
        }
    }
    out.extend(
        facts.constants_source().map(|source| format!("Clocks, array size and bandwidths are not recorded in this file. {source}.")),
    );
    match facts.hardware() {
        None => out.push("The metadata do not record a clock, an array size or a bandwidth: utilization cannot be checked.".into()),
        Some(hw) if hw.n_cores > 1.0 => {
            let (one, all) = (hw.core_flops / hw.hbm_bandwidth, hw.core_flops * hw.n_cores / hw.hbm_bandwidth);
            out.push(format!(
                "peak_flops_bandwidth_ratio is {one:.1} for one core, but {} cores share the memory, and HFU and MFU cover all of them. The run is memory-bound below {all:.1} FLOP per byte.",
                hw.n_cores
            ));
        }
        Some(_) => (),
    }
    for core in 0..2 {
        if let Some(limit) = facts.throttle_limit(core) {
            out.push(format!(
                "throttle_avg_util_limit_nc{core}_percent counts time without a throttling record as a limit of 0. Over the time with records the limit was {:.1}%.",
                100.0 * limit
            ));
        }
    }
    if facts.number("model_flops") == Some(0.0) {
        out.push(
            "model_flops is 0 because the NEFF has no HLO statistics; mfu_estimated_percent is then computed from instructions.".into(),
        );
    }
    out.push("Metrics with names ending in _percent are fractions of 1. The active time of an engine is the time in which it was active on any core: overlaps of cores count once.".into());
    out
}
