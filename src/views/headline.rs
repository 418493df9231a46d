//! The first line of a view: its main finding with values. Empty without a finding.

use crate::analysis::operators::Operators;
use crate::analysis::torch::efficiency::Efficiency;
use crate::analysis::torch::inference::StepTable;
use crate::analysis::torch::kernels::Kernels;
use crate::analysis::torch::ops::Ops;
use crate::analysis::torch::overview::Overview;
use crate::base::{DurationNs, short_name, text};
use leptos::prelude::*;
use std::sync::Arc;

/// What was found, and the values that prove it.
pub type Line = (String, String);

/// The first line of a view.
#[component]
pub fn Headline(
    /// Text.
    #[prop(into)]
    line: Signal<Arc<Line>>,
) -> impl IntoView {
    move || {
        let line = line.get();
        (!line.0.is_empty()).then(|| view! { <p class="headline" data-headline><strong>{line.0.clone()}</strong>{line.1.clone()}</p> })
    }
}

/// Characters of a name in a sentence.
const NAME_MAX: usize = 60;

fn name(name: &str) -> String {
    text::middle_ellipsis(&short_name(name), NAME_MAX)
}

/// ` (849 ms, 1 120 calls); aten::addmm takes 11.9%.`
fn proof(time: DurationNs, count: &str, second: Option<(&str, f64)>) -> String {
    let next = second.map(|(other, share)| format!("; {} takes {}", name(other), text::percent(share))).unwrap_or_default();
    format!(" ({}, {count}){next}.", text::duration(time))
}

/// Operators of a PyTorch trace: the one with the most self time on the device, or on the host without a device.
pub fn ops(found: &Ops) -> Line {
    let share = |row: &crate::analysis::torch::ops::OpRow| if found.has_device { row.shares.device_self } else { row.shares.host_self };
    let Some(first) = found.rows.first().filter(|row| share(row) > 0.0) else { return Line::default() };
    let (what, time) = if found.has_device { ("device time", first.times.device_self) } else { ("host time", first.times.host_self) };
    let second = found.rows.get(1).filter(|row| share(row) > 0.0).map(|row| (row.name.as_str(), share(row)));
    (
        format!("{} takes {} of {what}", name(&first.name), text::percent(share(first))),
        proof(time, &text::counted(first.calls, "call"), second),
    )
}

/// Slices by name, or by another grouping.
pub fn operators(found: &Operators) -> Line {
    let Some(first) = found.rows.first().filter(|row| row.time_share > 0.0 && !row.name.is_empty()) else { return Line::default() };
    let place = if first.device.is_empty() { String::new() } else { format!(" on {}", first.device) };
    let second =
        found.rows.get(1).filter(|row| row.name != first.name && !row.name.is_empty()).map(|row| (row.name.as_str(), row.time_share));
    (
        format!("{}{place} takes {} of busy time", name(&first.name), text::percent(first.time_share)),
        proof(first.self_time, &text::counted(first.occurrences, "slice"), second),
    )
}

/// Kernels: the one with the most time, and the share of tensor cores.
pub fn kernels(found: &Kernels) -> Line {
    let Some(first) = found.rows.first().filter(|_| found.total.0 > 0) else { return Line::default() };
    let share = |time: DurationNs| text::percent(time.0 as f64 / found.total.0 as f64);
    (
        format!("{} takes {} of kernel time", name(&first.name), share(first.total)),
        format!(
            " ({}, {}); kernels that use tensor cores take {}.",
            text::duration(first.total),
            text::counted(first.calls, "run"),
            share(found.tensor_core)
        ),
    )
}

/// Efficiency: what could be won, and where most of it.
pub fn efficiency(found: &Efficiency) -> Line {
    let (Some(all), Some(peaks)) = (found.recoverable.filter(|time| time.0 > 0), &found.peaks) else { return Line::default() };
    let most = found.rows.iter().filter(|row| !row.is_inner).max_by_key(|row| row.recoverable);
    let most = most.and_then(|row| Some(format!("; {} has the most, {}", name(&row.name), text::duration(row.recoverable?))));
    (
        format!("{} of {} of modelled kernel time could be saved", text::duration(all), text::duration(found.modelled)),
        format!(" at the roof of {}{}.", peaks.device, most.unwrap_or_default()),
    )
}

/// Steps: the median of the kind with the most steps.
pub fn steps(found: &StepTable) -> Line {
    let Some(group) = found.groups.iter().filter(|group| group.requests.is_none()).max_by_key(|group| group.n) else {
        return Line::default();
    };
    let [median, _, p99, _] = group.percentiles;
    let mut proof = vec![format!("{}, p99 {}", text::counted(group.n, "step"), text::duration(p99))];
    proof.extend(group.busy_share.map(|share| format!("the device is busy for {} of it", text::percent(share))));
    proof.extend(group.tokens_per_s.map(|rate| format!("{} tokens/s", text::count(rate.round() as u64))));
    let kind = group.kind.label();
    let kind = if kind == "Step" { kind.to_string() } else { format!("{kind} step") };
    (format!("{kind}: median {}", text::duration(median)), format!(" ({}).", proof.join(", ")))
}

/// Overview: what a step is spent on, and the most expensive advice.
pub fn overview(found: &Overview) -> Line {
    let most = found.summary.iter().filter(|row| row.is_recorded).max_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns));
    let (Some(most), Some(step)) = (most.filter(|row| row.mean_ns > 0.0), found.mean_step_ns) else { return Line::default() };
    let duration = |ns: f64| text::duration(DurationNs(ns.round() as i64));
    let what = if found.steps.len() > 1 { "the mean step" } else { "the step" };
    let advice = found
        .recommendations
        .first()
        .and_then(|advice| Some(format!(" Largest cost in Advice: {} ({}).", advice.title, text::duration(advice.cost?))));
    (
        format!("{} takes {} of {what}", most.category.label(), text::percent(most.share)),
        format!(" ({} of {}).{}", duration(most.mean_ns), duration(step), advice.unwrap_or_default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::operators::OperatorRow;
    use crate::analysis::torch::inference::StepGroup;
    use crate::analysis::torch::inference::annotation::StepKind;
    use crate::analysis::torch::kernels::KernelRow;
    use crate::analysis::torch::ops::{OpRow, OpShares, OpTimes};
    use crate::analysis::torch::overview::{Category, Recommendation, SummaryRow};

    fn sentence(line: Line) -> String {
        (line.0 + &line.1).replace('\u{202f}', " ")
    }

    #[test]
    fn nothing_found_says_nothing() {
        assert_eq!(ops(&Ops::default()), Line::default());
        assert_eq!(operators(&Operators::default()), Line::default());
        assert_eq!(kernels(&Kernels::default()), Line::default());
        assert_eq!(efficiency(&Efficiency::default()), Line::default());
        assert_eq!(steps(&StepTable::default()), Line::default());
        assert_eq!(overview(&Overview::default()), Line::default());
    }

    #[test]
    fn operators_and_kernels_name_the_longest() {
        let row = |name: &str, share: f64| OpRow {
            name: name.into(),
            calls: 1_120,
            times: OpTimes { device_self: DurationNs(849_000_000), host_self: DurationNs(5_000), ..OpTimes::default() },
            shares: OpShares { device_self: share, host_self: 0.5, ..OpShares::default() },
            ..OpRow::default()
        };
        let mut found = Ops { rows: vec![row("aten::mm", 0.412), row("aten::add", 0.1)], has_device: true, ..Ops::default() };
        assert_eq!(sentence(ops(&found)), "aten::mm takes 41.2% of device time (849 ms, 1 120 calls); aten::add takes 10.0%.");
        found.has_device = false;
        found.rows.truncate(1);
        assert_eq!(sentence(ops(&found)), "aten::mm takes 50.0% of host time (5.00 µs, 1 120 calls).");
        let kernel =
            KernelRow { name: "void at::native::softmax<float>(int)".into(), calls: 1, total: DurationNs(60), ..KernelRow::default() };
        let found = Kernels { rows: vec![kernel], total: DurationNs(100), tensor_core: DurationNs(90), ..Kernels::default() };
        assert_eq!(
            sentence(kernels(&found)),
            "softmax<float> takes 60.0% of kernel time (60 ns, 1 run); kernels that use tensor cores take 90.0%."
        );
        let slices = |name: &str| OperatorRow {
            name: name.into(),
            device: "nc0".into(),
            occurrences: 2,
            self_time: DurationNs(50),
            total: DurationNs(50),
            time_share: 0.5,
            min: DurationNs(1),
            mean: DurationNs(1),
            max: DurationNs(1),
            colour: 0,
            flops: None,
        };
        let found = Operators { rows: vec![slices("dot"), slices("dot")], ..Operators::default() };
        assert_eq!(sentence(operators(&found)), "dot on nc0 takes 50.0% of busy time (50 ns, 2 slices).");
    }

    #[test]
    fn steps_and_overview_say_how_long() {
        let group = |kind, n| StepGroup {
            kind,
            requests: None,
            n,
            percentiles: [10, 11, 12, 13].map(|ms| DurationNs(ms * 1_000_000)),
            mean_ns: 0.0,
            busy_share: Some(0.97),
            tokens_per_s: Some(2_990.2),
            time_per_token_ns: None,
        };
        let table = StepTable { groups: vec![group(StepKind::Prefill, 2), group(StepKind::Decode, 30)], ..StepTable::default() };
        let want = "Decode step: median 10.0 ms (30 steps, p99 12.0 ms, the device is busy for 97.0% of it, 2 990 tokens/s).";
        assert_eq!(sentence(steps(&table)), want);
        let row = |category, mean_ns| SummaryRow { category, mean_ns, share: mean_ns / 1e6, is_recorded: true };
        let advice = Recommendation {
            id: "launch_bound".into(),
            title: "Launch-bound steps".into(),
            text: String::new(),
            threshold: String::new(),
            how: String::new(),
            cost: Some(DurationNs(300_000)),
            evidence: Vec::new(),
            link: String::new(),
        };
        let mut found = Overview {
            summary: vec![row(Category::Kernel, 6e5), row(Category::Other, 4e5)],
            mean_step_ns: Some(1e6),
            recommendations: vec![advice],
            ..Overview::default()
        };
        assert_eq!(
            sentence(overview(&found)),
            "Kernel takes 60.0% of the step (600 µs of 1.00 ms). Largest cost in Advice: Launch-bound steps (300 µs)."
        );
        found.recommendations.clear();
        assert_eq!(sentence(overview(&found)), "Kernel takes 60.0% of the step (600 µs of 1.00 ms).");
    }
}
