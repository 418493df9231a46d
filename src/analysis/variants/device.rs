//! Values of a Neuron device profile: metrics of its summary, bounds and exclusive parts of its cores. A bare summary has the metrics alone.

use super::{VariantCell, VariantColumn, VariantPart};
use crate::analysis::device::bounds::{Bounds, CoreBounds, Part};
use crate::analysis::device::run_metrics::summary::{Metric, Summary};
use crate::analysis::device::run_metrics::units::{Better, Unit};
use crate::base::DurationNs;
use crate::model::Profile;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Metrics that are shown unless columns are chosen: id, header.
const DEFAULTS: [(&str, &str); 13] = [
    ("total_time", "Total"),
    ("tensor_engine_active_time", "Tensor"),
    ("vector_engine_active_time", "Vector"),
    ("scalar_engine_active_time", "Scalar"),
    ("gpsimd_engine_active_time", "GpSimd"),
    ("dma_active_time", "DMA"),
    ("software_dynamic_dma_active_time", "SW DMA"),
    ("mfu_estimated_percent", "MFU"),
    ("hbm_read_bytes", "HBM read"),
    ("hbm_write_bytes", "HBM write"),
    ("spill_save_bytes", "Spills"),
    ("spill_reload_bytes", "Reloads"),
    ("throttle_avg_util_limit_nc0_percent", "Throttle limit"),
];

/// The rows of a profile: one, or one for each summary of its file. `bounds` are those of the run, where the profile has a timeline.
pub fn parts(profile: &Profile, summary: &Summary, bounds: Option<&Bounds>) -> Vec<VariantPart> {
    let n = summary.nodes.len().max(1);
    // Metrics are grouped by node.
    let mut of_nodes: Vec<&[Metric]> = vec![Default::default(); n];
    for metrics in summary.metrics.chunk_by(|a, b| a.node == b.node) {
        if let Some(of_node) = metrics.first().and_then(|m| of_nodes.get_mut(m.node as usize)) {
            *of_node = metrics;
        }
    }
    let mut known = Known::default();
    let parts = of_nodes.into_iter().enumerate().map(|(node, metrics)| of_node(profile, summary, (node, metrics), &mut known));
    let mut out: Vec<VariantPart> = parts.collect();
    if let (Some(part), Some(bounds)) = (out.first_mut(), bounds) {
        bounds.cores.iter().enumerate().for_each(|(at, core)| add_core(part, at, core));
    }
    out
}

/// Columns by metric: hundreds of summaries share theirs.
type Known<'a> = FxHashMap<&'a str, Arc<VariantColumn>>;

fn of_node<'a>(profile: &Profile, summary: &Summary, (node, metrics): (usize, &'a [Metric]), known: &mut Known<'a>) -> VariantPart {
    let title = match summary.nodes.get(node) {
        // Where there are many files, each node has the name of its file.
        Some(name) if has_file_names(profile) => name.clone(),
        Some(name) if summary.nodes.len() > 1 => format!("{} {name}", profile.meta.title),
        _ => profile.meta.title.clone(),
    };
    let mut out = VariantPart { title, epoch_ns: profile.meta.origin_epoch_ns, values: Vec::new() };
    for (id, label) in DEFAULTS {
        match metrics.iter().find(|m| m.name == id) {
            Some(metric) => {
                let column = known.entry(metric.name.as_str()).or_insert_with(|| Arc::new(column(metric, label).shown()));
                out.put(column.clone(), cell(metric));
            }
            // The file's summary may lack it; the run has a length.
            None if id == "total_time" && summary.duration > DurationNs(0) => {
                let column = VariantColumn::new(id, label, "Summary", Unit::Seconds, Some(Better::Less)).shown();
                out.put(column, VariantCell::Number(summary.duration.0 as f64 / 1e9));
            }
            None => {}
        }
    }
    for metric in metrics.iter().filter(|m| !DEFAULTS.iter().any(|d| d.0 == m.name)) {
        let column = known.entry(metric.name.as_str()).or_insert_with(|| Arc::new(column(metric, &metric.name)));
        out.put(column.clone(), cell(metric));
    }
    out
}

/// Whether the profile is of many summary files.
fn has_file_names(profile: &Profile) -> bool {
    profile.tables.iter().any(|t| t.id == "summary_nodes" && t.columns.iter().any(|c| c == "file"))
}

fn column(metric: &Metric, label: &str) -> VariantColumn {
    VariantColumn::new(&metric.name, label, "Summary", Unit::of(&metric.name), Better::of(&metric.name))
}

fn cell(metric: &Metric) -> VariantCell {
    match (metric.file.or(metric.computed), &metric.text) {
        (Some(value), _) => VariantCell::Number(value),
        (None, Some(text)) => VariantCell::Text(text.clone()),
        (None, None) => VariantCell::Absent,
    }
}

/// Bounds and exclusive parts of a core, counted from 0: `nc0.part.dma`.
fn add_core(out: &mut VariantPart, at: usize, core: &CoreBounds) {
    let mut put = |id: &str, label: String, group: &str, unit: Unit, better: Option<Better>, value: Option<f64>| {
        let column = VariantColumn::new(&format!("nc{at}.{id}"), &format!("NC{at} {label}"), group, unit, better);
        out.put(column, value.map_or(VariantCell::Absent, VariantCell::Number));
    };
    for step in core.ladders.iter().flat_map(|l| &l.steps) {
        let id = step.bound.id();
        put(&format!("bound.{id}"), id.replace('_', " "), "Bounds", Unit::Nanoseconds, Some(Better::Less), Some(step.time_ns));
    }
    for time in &core.exclusive {
        let (id, label) = time.part.map_or(("idle", "idle"), |p| (p.id(), p.label()));
        put(&format!("part.{id}"), format!("{label} exclusive"), "Parts", Unit::Nanoseconds, Some(Better::Less), Some(time.time.0 as f64));
    }
    for part in Part::ALL {
        let busy = core.busy(part).map(|t| t.0 as f64);
        put(&format!("busy.{}", part.id()), format!("{} busy", part.label()), "Busy", Unit::Nanoseconds, None, busy);
    }
    let count = |v: Option<u64>| v.map(|v| v as f64);
    put("moved_bytes", "moved bytes".into(), "Bounds", Unit::Bytes, Some(Better::Less), count(core.moved_bytes));
    put("flops", "FLOPs".into(), "Bounds", Unit::Plain, None, count(core.flops));
    let label = core.bottleneck.map_or("", Part::label);
    let column = VariantColumn::new(&format!("nc{at}.bottleneck"), &format!("NC{at} bottleneck"), "Bounds", Unit::Plain, None);
    out.put(column, VariantCell::Text(label.into()));
}
