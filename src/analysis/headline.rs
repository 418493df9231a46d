//! A profile in one line of the library: the device it ran on, and the one value that is asked for first.

use super::device::run_metrics::summary::Summary;
use super::device::run_metrics::units::Unit;
use super::torch::overview::Overview;
use crate::base::text;
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// Device and first value of a profile, as texts; empty where the file records neither.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Headline {
    /// "2 × NVIDIA H100", "trn2.48xlarge".
    pub device: String,
    /// "GPU busy 55.5%".
    pub figure: String,
}

/// A PyTorch trace: its devices by name; the share of the steps in which the busiest of them runs a kernel, or without one the mean step.
pub fn of_trace(overview: &Overview) -> Headline {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for name in overview.devices.iter().filter_map(|d| d.name.as_deref()) {
        match names.iter_mut().find(|n| n.0 == name) {
            Some(known) => known.1 += 1,
            None => names.push((name, 1)),
        }
    }
    let named = |&(name, n): &(&str, usize)| if n > 1 { format!("{n} × {name}") } else { name.to_string() };
    let device = match names.as_slice() {
        [] => overview.device_type.clone(),
        all => all.iter().map(named).collect::<Vec<_>>().join(", "),
    };
    let busiest = overview.devices.iter().filter_map(|d| d.utilization).reduce(f64::max);
    let step = overview.mean_step_ns.filter(|_| overview.has_step_marks);
    let figure = busiest.map(|share| format!("GPU busy {}", text::percent(share)));
    let figure = figure.or_else(|| step.map(|ns| format!("mean step {}", Unit::Nanoseconds.shown(ns))));
    Headline { device, figure: figure.unwrap_or_default() }
}

/// A Neuron device profile: the instance type; model FLOPs utilization as recorded or computed, or without it the engine that is busy longest.
pub fn of_device(profile: &Profile, summary: &Summary) -> Headline {
    let device = profile.meta.facts.iter().find(|f| f.name == "Instance type").map(|f| f.value.clone());
    let metric = summary.metrics.iter().find(|m| m.name == "mfu_estimated_percent");
    let mfu = metric.and_then(|m| m.file.or(m.computed)).filter(|v| v.is_finite());
    let busiest = summary.engines.iter().max_by_key(|e| e.busy).filter(|_| summary.duration.0 > 0);
    let figure = mfu.map(|share| format!("MFU {}", text::percent(share)));
    let share = |busy: i64| text::percent(busy as f64 / summary.duration.0 as f64);
    let figure = figure.or_else(|| busiest.map(|e| format!("{} busy {}", e.engine, share(e.busy.0))));
    Headline { device: device.unwrap_or_default(), figure: figure.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::run_metrics::summary::EngineTime;
    use crate::analysis::torch::overview::DeviceRow;
    use crate::base::DurationNs;

    fn check(found: Headline, device: &str, figure: &str) {
        assert_eq!((found.device.as_str(), found.figure.as_str()), (device, figure));
    }

    #[test]
    fn a_trace_shows_its_busiest_device_or_its_mean_step() {
        let gpu = |name: &str, utilization| DeviceRow { name: Some(name.into()), utilization, ..DeviceRow::default() };
        let two = Overview { devices: vec![gpu("H100", Some(0.25)), gpu("H100", Some(0.5))], ..Overview::default() };
        check(of_trace(&two), "2 × H100", "GPU busy 50.0%");
        let cpu = Overview { device_type: "CPU".into(), mean_step_ns: Some(2e6), has_step_marks: true, ..Overview::default() };
        check(of_trace(&cpu), "CPU", "mean step 2.00 ms");
        check(of_trace(&Overview { has_step_marks: false, ..cpu }), "CPU", "");
    }

    #[test]
    fn a_device_profile_without_recorded_utilization_shows_its_busiest_engine() {
        let engine =
            |engine: &str, busy| EngineTime { core: "NC 0".into(), engine: engine.into(), busy: DurationNs(busy), count: 1, bytes: None };
        let summary =
            Summary { duration: DurationNs(1_000), engines: vec![engine("Vector", 100), engine("Tensor", 750)], ..Summary::default() };
        check(of_device(&Profile::default(), &summary), "", "Tensor busy 75.0%");
        check(of_device(&Profile::default(), &Summary::default()), "", "");
    }
}
