//! Values of a PyTorch trace: the mean step, its categories, GPU utilization, operators with most device time, peak memory.

use super::{VariantCell, VariantColumn, VariantPart};
use crate::analysis::device::run_metrics::units::{Better, Unit};
use crate::analysis::explain::{ExplainPart, UnitFacts, UnitPart};
use crate::analysis::torch::memory::Memory;
use crate::analysis::torch::overview::{Category, Overview};
use crate::base::Order as _;
use crate::model::Profile;
use rustc_hash::FxHashMap;

/// Operators of one trace that become columns: those with most device time.
const MOST_OPERATORS: usize = 20;
/// Operators that are shown unless columns are chosen.
const SHOWN_OPERATORS: usize = 3;

/// The row of a trace.
pub fn part(profile: &Profile, overview: &Overview, explained: &ExplainPart, memory: Option<&Memory>) -> VariantPart {
    let mut out = VariantPart { title: profile.meta.title.clone(), epoch_ns: profile.meta.origin_epoch_ns, values: Vec::new() };
    let number = |v: Option<f64>| v.map_or(VariantCell::Absent, VariantCell::Number);
    let time = |id: &str, label: &str, group: &str| VariantColumn::new(id, label, group, Unit::Nanoseconds, Some(Better::Less));
    out.put(time("step", "Mean step", "Steps").shown(), number(overview.mean_step_ns));
    for row in overview.summary.iter().filter(|r| r.is_recorded) {
        let label = row.category.label();
        let id = format!("category.{}", label.to_lowercase().replace(' ', "_"));
        let column = time(&id, label, "Categories");
        let is_common =
            matches!(row.category, Category::Kernel | Category::Communication | Category::DataLoader | Category::CpuExec | Category::Other);
        out.put(if is_common { column.shown() } else { column }, VariantCell::Number(row.mean_ns));
    }
    let busiest = overview.devices.iter().filter_map(|d| d.utilization).reduce(f64::max);
    out.put(VariantColumn::new("gpu_busy_percent", "GPU busy", "Steps", Unit::Share, Some(Better::More)).shown(), number(busiest));
    let peaks = memory.into_iter().flat_map(|m| &m.devices).filter(|d| d.name != "CPU").filter_map(|d| d.peak);
    let peak = peaks.map(|p| p.allocated_bytes as f64).reduce(f64::max);
    out.put(VariantColumn::new("memory_peak", "Peak memory", "Memory", Unit::Bytes, Some(Better::Less)).shown(), number(peak));
    out.put(VariantColumn::new("n_steps", "Steps", "Steps", Unit::Plain, None), VariantCell::Number(overview.steps.len() as f64));
    if let Some(unit) = explained.units.first() {
        if let UnitFacts::Step(facts) = unit.facts {
            out.put(VariantColumn::new("kernels", "Kernels per step", "Steps", Unit::Plain, None), VariantCell::Number(facts.kernels));
            out.put(VariantColumn::new("launches", "Launches per step", "Steps", Unit::Plain, None), VariantCell::Number(facts.launches));
        }
        for (rank, (name, ns)) in operators(unit).into_iter().enumerate() {
            let column = time(&format!("operator.{name}"), &name, "Operators");
            out.put(if rank < SHOWN_OPERATORS { column.shown() } else { column }, VariantCell::Number(ns as f64));
        }
    }
    out
}

/// Operators by exclusive device time per step, most first.
fn operators(unit: &UnitPart) -> Vec<(String, i64)> {
    let device = [Category::Kernel, Category::Memcpy, Category::Memset, Category::Communication].map(Category::label);
    let mut sums: FxHashMap<&str, i64> = FxHashMap::default();
    let mut category = "";
    for node in &unit.nodes {
        match node.level {
            1 => category = &node.name,
            2 if device.contains(&category) => *sums.entry(&node.name).or_default() += node.time.0,
            _ => {}
        }
    }
    let mut out: Vec<(String, i64)> = sums.into_iter().filter(|s| s.1 > 0).map(|(name, ns)| (name.to_string(), ns)).collect();
    out.order_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out.truncate(MOST_OPERATORS);
    out
}
