//! Values of a Neuron system profile as one of serving: invocations, percentiles by phase, busy cores, time between executions, delay, spills.

use super::{VariantCell, VariantColumn, VariantPart, VariantValue};
use crate::analysis::device::compare::PartMetric;
use crate::analysis::device::run_metrics::units::{Better, Unit};
use crate::analysis::system::{Phase, Serving, Times};
use crate::model::Profile;

/// The row of a profile.
pub fn part(profile: &Profile, found: &Serving) -> VariantPart {
    let mut out = VariantPart { title: profile.meta.title.clone(), epoch_ns: profile.meta.origin_epoch_ns, values: Vec::new() };
    let less = Some(Better::Less);
    let mut put = |id: &str, label: &str, group: &str, unit: Unit, better: Option<Better>, is_default: bool, value: Option<f64>| {
        let column = VariantColumn { is_default, ..VariantColumn::new(id, label, group, unit, better) };
        out.put(column, value.map_or(VariantCell::Absent, VariantCell::Number));
    };
    let length = found.scope.duration().0 as f64;
    put("length", "Length", "Serving", Unit::Nanoseconds, None, true, Some(length));
    put("invocations", "Invocations", "Serving", Unit::Plain, None, true, Some(found.n_invocations as f64));
    put("executions", "Executions", "Serving", Unit::Plain, None, false, Some(found.n_executions as f64));
    put("bursts", "Bursts", "Serving", Unit::Plain, None, false, Some(found.bursts.len() as f64));
    let busy = (length > 0.0).then(|| found.busy.0 as f64 / length);
    put("busy_percent", "Time with an execution", "Serving", Unit::Share, Some(Better::More), true, busy);
    put("mean_cores_busy", "Mean busy cores", "Serving", Unit::Plain, Some(Better::More), true, found.mean_cores_busy);
    let mut times = |id: &str, label: &str, times: &Times, is_default: bool| {
        let value = |ns: i64| Some(ns as f64).filter(|_| times.count > 0);
        put(&format!("{id}.count"), &format!("{label} count"), "Latency", Unit::Plain, None, false, Some(times.count as f64));
        put(&format!("{id}.p50"), &format!("{label} p50"), "Latency", Unit::Nanoseconds, less, is_default, value(times.p50.0));
        put(&format!("{id}.p90"), &format!("{label} p90"), "Latency", Unit::Nanoseconds, less, false, value(times.p90.0));
        put(&format!("{id}.p99"), &format!("{label} p99"), "Latency", Unit::Nanoseconds, less, is_default, value(times.p99.0));
    };
    for row in &found.phases {
        // The phase may be inferred from durations; the view Serving shows that.
        let (id, label) = match row.phase {
            Phase::Prefill => ("prefill", "Prefill"),
            Phase::Decode => ("decode", "Decode"),
            Phase::Unknown => ("unknown_phase", "Unknown phase"),
        };
        times(id, label, &row.times, true);
    }
    if let Some(delay) = &found.delay {
        times("submit_to_start", "Submit to start", &delay.times, false);
    }
    put("gaps", "Time between executions", "Host", Unit::Nanoseconds, less, true, Some(found.gaps.total.0 as f64));
    for gap in &found.gaps.parts {
        put(
            &format!("gap.{}", gap.id),
            &format!("Between executions: {}", gap.name),
            "Host",
            Unit::Nanoseconds,
            less,
            false,
            Some(gap.time.0 as f64),
        );
    }
    put("copies_in_gaps", "Copies between executions", "Host", Unit::Nanoseconds, less, false, Some(found.copies_in_gaps.0 as f64));
    let collectives = found.collectives.as_ref().and_then(|c| c.share);
    put("collectives_percent", "Collectives", "Serving", Unit::Share, less, false, collectives);
    put("spill_bytes", "Spilled to HBM", "Memory", Unit::Bytes, less, false, found.spill_bytes.map(|n| n as f64));
    out
}

/// The numbers of a row as metrics for a comparison; the name has the unit.
pub fn metrics(part: &VariantPart) -> Vec<PartMetric> {
    let metric = |value: &VariantValue| {
        let end = match value.column.unit {
            Unit::Nanoseconds => "_time_ns",
            _ => "",
        };
        let name = format!("{}{end}", value.column.id.replace('.', "_"));
        Some(PartMetric { name, group: value.column.group.clone(), meaning: value.column.label.clone(), value: value.cell.number()? })
    };
    part.values.iter().filter_map(metric).collect()
}
