//! The overview's answer as words, bars and slices of a pie.

use crate::analysis::torch::overview::{Category, DeviceRow, Overview, StepRow};
use crate::base::{DurationNs, TimeRange, text};
use crate::ui::bars::{Bar, Series};
use crate::ui::palette::fixed;
use crate::ui::pie::Slice;

/// The colour slot of a category.
pub fn colour(category: Category) -> u16 {
    match category {
        Category::Kernel => fixed::KERNEL,
        Category::Memcpy => fixed::MEMCPY,
        Category::Memset => fixed::MEMSET,
        Category::Communication => fixed::COMMUNICATION,
        Category::Runtime => fixed::RUNTIME,
        Category::DataLoader => fixed::DATA_LOADER,
        Category::CpuExec => fixed::CPU_EXEC,
        Category::Other => fixed::OTHER,
    }
}

/// Workers, kind of device, steps, in one line.
pub fn configuration(overview: &Overview) -> String {
    let plural = |n: u64, one: &str| format!("{} {one}{}", text::count(n), if n == 1 { "" } else { "s" });
    let steps = match (overview.has_step_marks, overview.steps.len()) {
        (_, 0) => "no steps".into(),
        (false, _) => "no step marks: the entire trace counts as one step".into(),
        (true, n) => plural(n as u64, "step"),
    };
    format!("{} · {} · {steps}", plural(overview.n_workers.into(), "worker"), overview.device_type)
}

/// `GPU 0 · NVIDIA H100`.
pub fn device_name(device: &DeviceRow) -> String {
    match &device.name {
        Some(name) => format!("GPU {} · {name}", device.device),
        None => format!("GPU {}", device.device),
    }
}

/// What the device is, in one line.
pub fn device_facts(device: &DeviceRow) -> String {
    let facts = [
        device.memory_bytes.map(text::bytes),
        device.compute.map(|(major, minor)| format!("compute capability {major}.{minor}")),
        device.n_sms.map(|n| format!("{n} SMs")),
        Some(text::counted(device.n_kernels, "kernel")),
        Some(format!("busy {}", text::duration(device.busy))),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A utilization value of a device: its text, and its share for the bar. `None` for values in the line of properties.
pub fn device_figure(device: &DeviceRow, id: &str) -> Option<(String, Option<f64>)> {
    let share = match id {
        "utilization" => device.utilization,
        "sm_efficiency" => device.sm_efficiency,
        "occupancy_percent" => device.occupancy_percent.map(|p| p / 100.0),
        "tensor_core_share" => device.tensor_core_share,
        _ => return None,
    };
    Some((share.map_or("not available".into(), text::percent), share))
}

/// A line of the execution summary.
pub struct SummaryLine {
    /// Colour slot.
    pub colour: u16,
    /// Its name.
    pub label: &'static str,
    /// What it means.
    pub definition: &'static str,
    /// Mean time.
    pub time: String,
    /// The same to the nanosecond.
    pub exact: String,
    /// Share of the mean step.
    pub share: String,
    /// Whether the trace records it at all.
    pub is_recorded: bool,
}

/// The eight categories in order of priority.
pub fn summary(overview: &Overview) -> Vec<SummaryLine> {
    let line = |r: &crate::analysis::torch::overview::SummaryRow| {
        let if_recorded = |text: String| if r.is_recorded { text } else { "not available".into() };
        SummaryLine {
            colour: colour(r.category),
            label: r.category.label(),
            definition: r.category.definition(),
            time: if_recorded(duration(r.mean_ns)),
            exact: if_recorded(text::time_exact(r.mean_ns.round() as i64)),
            share: if r.is_recorded { text::percent(r.share) } else { String::new() },
            is_recorded: r.is_recorded,
        }
    };
    overview.summary.iter().map(line).collect()
}

/// Mean length of a step.
pub fn mean_step(overview: &Overview) -> Option<String> {
    overview.mean_step_ns.map(duration)
}

fn duration(ns: f64) -> String {
    text::duration(DurationNs(ns.round() as i64))
}

/// The categories that the trace records, as slices.
pub fn slices(overview: &Overview) -> Vec<Slice> {
    let recorded = overview.summary.iter().filter(|r| r.is_recorded);
    recorded.map(|r| Slice { name: r.category.label().into(), value: r.mean_ns.round() as i64, colour: colour(r.category) }).collect()
}

/// Positions in [`Category::ALL`] of the categories that the trace records.
fn recorded_categories(overview: &Overview) -> impl Iterator<Item = usize> {
    (0..Category::ALL.len()).filter(|i| overview.summary.iter().any(|r| r.category == Category::ALL[*i] && r.is_recorded))
}

/// The colours of the steps' bars, from the ground up.
pub fn series(overview: &Overview) -> Vec<Series> {
    let one = |i: usize| {
        let category = Category::ALL[i];
        Series { name: category.label().into(), colour: colour(category), help: category.definition().into() }
    };
    recorded_categories(overview).map(one).collect()
}

/// A bar for each step, in the order of [`series`].
pub fn bars(overview: &Overview) -> Vec<Bar> {
    let bar = |s: &StepRow| Bar {
        name: s.name.clone(),
        group: String::new(),
        values: recorded_categories(overview).map(|i| s.parts[i].0 as f64).collect(),
        note: "Click to show it in the timeline.".into(),
    };
    overview.steps.iter().map(bar).collect()
}

/// From where to where a step goes.
pub fn range_of(step: &StepRow) -> TimeRange {
    TimeRange::new(step.start, step.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::overview::SummaryRow;
    use crate::base::TimeNs;

    fn overview() -> Overview {
        let row = |category, mean_ns: f64, is_recorded| SummaryRow { category, mean_ns, share: mean_ns / 100.0, is_recorded };
        let ns = DurationNs;
        let step = StepRow {
            name: "5".into(),
            start: TimeNs(0),
            end: TimeNs(100),
            slice: None,
            total: ns(100),
            parts: [ns(60), ns(5), ns(0), ns(0), ns(10), ns(0), ns(20), ns(5)],
            computation: ns(60),
            communication: ns(0),
            overlap: ns(0),
        };
        let recorded = [60.0, 5.0, 0.0, 0.0, 10.0, 0.0, 20.0, 5.0];
        Overview {
            n_workers: 1,
            device_type: "GPU".into(),
            summary: Category::ALL.iter().zip(recorded).map(|(c, v)| row(*c, v, *c != Category::Communication)).collect(),
            mean_step_ns: Some(100.0),
            steps: vec![step],
            has_step_marks: true,
            ..Overview::default()
        }
    }

    #[test]
    fn bars_and_series_go_together_and_add_up() {
        let overview = overview();
        let (series, bars) = (series(&overview), bars(&overview));
        assert_eq!(series.len(), 7, "communication is not recorded");
        assert_eq!(bars[0].values.len(), 7);
        assert_eq!(bars[0].values.iter().sum::<f64>(), 100.0);
        assert_eq!(series[3].name, "Runtime");
        assert_eq!(bars[0].values[3], 10.0);
    }

    #[test]
    fn what_is_not_recorded_is_not_zero() {
        let lines = summary(&overview());
        let line = |label| lines.iter().find(|l| l.label == label).map(|l| (l.time.as_str(), l.share.as_str()));
        assert_eq!(line("Kernel"), Some(("60 ns", "60.0%")));
        assert_eq!(line("Communication"), Some(("not available", "")));
        assert_eq!(line("DataLoader"), Some(("0 ns", "0.0%")));
        assert_eq!(slices(&overview()).len(), 7);
    }

    #[test]
    fn devices_say_what_they_are() {
        let device = DeviceRow { device: 3, utilization: Some(0.5551), occupancy_percent: Some(49.13), ..DeviceRow::default() };
        assert_eq!(device_name(&device), "GPU 3");
        assert_eq!(device_figure(&device, "utilization"), Some(("55.5%".into(), Some(0.5551))));
        assert_eq!(device_figure(&device, "occupancy_percent").map(|f| f.0), Some("49.1%".into()));
        assert_eq!(device_figure(&device, "sm_efficiency"), Some(("not available".into(), None)));
        assert_eq!(device_figure(&device, "name"), None);
        assert_eq!(configuration(&overview()), "1 worker · GPU · 1 step");
        assert_eq!(
            configuration(&Overview { has_step_marks: false, ..overview() }),
            "1 worker · GPU · no step marks: the entire trace counts as one step"
        );
    }
}
