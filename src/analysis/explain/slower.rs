//! What got slower than allowed, for checks of changes: times of two profiles by step, operator, kernel or shape, each with a verdict.
//!
//! A time is slower than allowed when all of these hold: both profiles have it; it grew by more than the limit; it grew by more than the spread over
//! steps, √(s₁² + s₂²), where both or one of the profiles have several steps; it grew by at least [`LEAST_SHARE`] of the step (or the run).

use super::{Explain, ExplainKind, ExplainNode, ExplainPart, ExplainUnit, UnitFacts};
use crate::analysis::device::bounds::Part;
use crate::analysis::torch::overview::Category;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Growth below this share of the base's step or run is never too slow: 5% of an operator of 2 µs are nothing in a step of 100 ms.
pub const LEAST_SHARE: f64 = 0.001;

/// What to list beside the totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SlowerBy {
    /// Operators of a trace, opcodes of a device profile.
    Operator,
    /// Kernels of a trace, regions of a device profile.
    Kernel,
    /// Operators with their input shapes, opcodes with their source line or shape.
    Shape,
}

impl SlowerBy {
    /// Level of the explanation's tree.
    fn level(self, kind: ExplainKind) -> u8 {
        match (self, kind) {
            (SlowerBy::Operator, ExplainKind::Steps) | (SlowerBy::Kernel, ExplainKind::Device) => 2,
            (SlowerBy::Operator | SlowerBy::Kernel, ExplainKind::System) => 2,
            (SlowerBy::Shape, ExplainKind::System) => 3,
            (SlowerBy::Kernel, ExplainKind::Steps) | (SlowerBy::Operator, ExplainKind::Device) => 3,
            (SlowerBy::Shape, _) => 4,
        }
    }

    /// Heading of a row.
    pub fn label(self, kind: ExplainKind) -> &'static str {
        match (self, kind) {
            (SlowerBy::Operator | SlowerBy::Kernel, ExplainKind::System) => "Event or model",
            (SlowerBy::Shape, ExplainKind::System) => "Row",
            (SlowerBy::Operator, ExplainKind::Steps) => "Operator",
            (SlowerBy::Operator, ExplainKind::Device) => "Opcode",
            (SlowerBy::Kernel, ExplainKind::Steps) => "Kernel",
            (SlowerBy::Kernel, ExplainKind::Device) => "Region",
            (SlowerBy::Shape, ExplainKind::Steps) => "Shape",
            (SlowerBy::Shape, ExplainKind::Device) => "Line or shape",
        }
    }
}

/// What a time did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It grew by more than is allowed.
    TooSlow,
    /// It grew by less, or within the spread.
    Within,
    /// It is equal or shrank.
    NotSlower,
    /// The base has no such name: its time is part of the totals.
    New,
    /// The run has no such name.
    Gone,
}

/// One time in both profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowerRow {
    /// `Total`, `Operator`, …
    pub group: String,
    /// Its name.
    pub name: String,
    /// Nanoseconds in the base; `None` where it has no such name.
    pub base: Option<i64>,
    /// Nanoseconds in the run.
    pub run: Option<i64>,
    /// Spread over the steps of both, nanoseconds; `None` without several steps.
    pub spread_ns: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

impl SlowerRow {
    /// Run − base.
    pub fn delta(&self) -> i64 {
        self.run.unwrap_or(0).saturating_sub(self.base.unwrap_or(0))
    }

    /// The change as a share of the base; `None` where the base is 0 or missing.
    pub fn share(&self) -> Option<f64> {
        self.base.filter(|b| *b != 0).map(|base| self.delta() as f64 / base as f64)
    }

    /// Whether the difference is not larger than the spread over steps.
    pub fn is_noise(&self) -> bool {
        self.spread_ns.is_some_and(|spread| self.delta().unsigned_abs() as f64 <= spread)
    }
}

/// One time before its verdict.
#[derive(Default)]
struct Sum {
    base: Option<i64>,
    run: Option<i64>,
    variance: Option<f64>,
}

impl Sum {
    fn add(&mut self, node: &ExplainNode) {
        let plus = |sum: &mut Option<i64>, time: Option<i64>| {
            if let Some(time) = time {
                *sum = Some(sum.unwrap_or(0).saturating_add(time));
            }
        };
        plus(&mut self.base, node.base.map(|v| v.time.0));
        plus(&mut self.run, node.run.map(|v| v.time.0));
        if let Some(spread) = node.spread_ns {
            self.variance = Some(self.variance.unwrap_or(0.0) + spread * spread);
        }
    }
}

/// Totals, then the names of each list, largest growth first. `limit` is a share of the base: 0.05 allows 5%.
pub fn slower(base: &ExplainPart, run: &ExplainPart, found: &Explain, by: &[SlowerBy], limit: f64) -> Vec<SlowerRow> {
    let mut out = Vec::new();
    for (at, unit) in found.units.iter().enumerate() {
        let Some(total) = unit.total() else { continue };
        let judge = Judge { limit, least: LEAST_SHARE * total.base.map_or(0.0, |v| v.time.0 as f64) };
        let prefix = if found.units.len() > 1 { format!("{}: ", unit.name) } else { String::new() };
        let facts = base.units.get(at).zip(run.units.get(at)).map(|(a, b)| (&a.facts, &b.facts));
        totals(&mut out, &judge, &prefix, unit, facts);
        for by in by {
            let mut rows = names(&judge, &prefix, unit, *by, found.kind);
            rows.sort_by(|a, b| b.delta().cmp(&a.delta()).then_with(|| a.name.cmp(&b.name)));
            out.extend(rows);
        }
    }
    out
}

struct Judge {
    limit: f64,
    /// Growth that matters, nanoseconds.
    least: f64,
}

impl Judge {
    fn row(&self, group: &str, name: String, sum: &Sum) -> SlowerRow {
        let spread_ns = sum.variance.map(f64::sqrt);
        let mut row = SlowerRow { group: group.into(), name, base: sum.base, run: sum.run, spread_ns, verdict: Verdict::NotSlower };
        let growth = row.delta() as f64;
        row.verdict = match (sum.base, sum.run) {
            (None, _) => Verdict::New,
            (_, None) => Verdict::Gone,
            _ if growth <= 0.0 => Verdict::NotSlower,
            (Some(base), _) if growth > self.limit * base as f64 && !row.is_noise() && growth >= self.least => Verdict::TooSlow,
            _ => Verdict::Within,
        };
        row
    }
}

fn totals(out: &mut Vec<SlowerRow>, judge: &Judge, prefix: &str, unit: &ExplainUnit, facts: Option<(&UnitFacts, &UnitFacts)>) {
    let mut sum = Sum::default();
    unit.nodes.iter().take(1).for_each(|node| sum.add(node));
    match facts {
        Some((UnitFacts::Core(a), UnitFacts::Core(b))) => {
            out.push(judge.row("Total", format!("{prefix}Total"), &sum));
            for part in Part::ALL {
                let time = |core: &super::CoreFacts| core.bounds.busy(part).map(|d| d.0);
                let busy = Sum { base: time(a), run: time(b), variance: None };
                if busy.base.or(busy.run).is_some() {
                    out.push(judge.row("Total", format!("{prefix}{} busy", part.label()), &busy));
                }
            }
        }
        Some((UnitFacts::Step(a), UnitFacts::Step(b))) => {
            out.push(judge.row("Total", format!("{prefix}Mean step"), &sum));
            if a.device_busy_ns.or(b.device_busy_ns).is_some() {
                let mut device = Sum::default();
                unit.parts().filter(|n| is_on_device(&n.name)).for_each(|node| device.add(node));
                out.push(judge.row("Total", format!("{prefix}GPU time"), &device));
            }
        }
        _ => out.push(judge.row("Total", format!("{prefix}Total"), &sum)),
    }
}

fn is_on_device(category: &str) -> bool {
    Category::ALL[..4].iter().any(|c| c.label() == category)
}

/// Times by name, over all parts. Idle time and calls of the runtime are no operators.
fn names(judge: &Judge, prefix: &str, unit: &ExplainUnit, by: SlowerBy, kind: ExplainKind) -> Vec<SlowerRow> {
    let mut path: Vec<&str> = Vec::new();
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let wanted = by.level(kind);
    for node in &unit.nodes {
        path.truncate(usize::from(node.level));
        path.push(&node.name);
        let part = path.get(1).copied().unwrap_or_default();
        let is_device = kind == ExplainKind::Steps && is_on_device(part);
        let has_names = match kind {
            ExplainKind::Device => Part::ALL.iter().any(|p| p.label() == part),
            ExplainKind::System => part != "Idle",
            ExplainKind::Steps => is_device || [Category::DataLoader, Category::CpuExec].iter().any(|c| c.label() == part),
        };
        // Below a category of the host there is no kernel: its shapes are a level higher.
        let level = match (kind, by) {
            (ExplainKind::Steps, SlowerBy::Kernel) if !is_device => continue,
            (ExplainKind::Steps, SlowerBy::Shape) if !is_device => 3,
            _ => wanted,
        };
        if !has_names || node.level != level {
            continue;
        }
        let name = match (by, kind) {
            (SlowerBy::Shape, ExplainKind::Steps) => format!("{} {}", path.get(2).unwrap_or(&""), node.name),
            (SlowerBy::Shape, ExplainKind::System) => format!("{} {}", path.get(2).unwrap_or(&""), node.name),
            (SlowerBy::Shape, ExplainKind::Device) => format!("{} {}", path.get(3).unwrap_or(&""), node.name),
            _ => node.name.clone(),
        };
        sums.entry(name).or_default().add(node);
    }
    sums.into_iter().map(|(name, sum)| judge.row(by.label(kind), format!("{prefix}{name}"), &sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::super::{StepFacts, UnitPart, explain};
    use super::*;

    /// A trace with two steps: (category, operator, kernel, times of the steps).
    fn trace(rows: &[(&str, &str, &str, [i64; 2])]) -> ExplainPart {
        let mut tree = Tree::new("Step", 2);
        for (category, operator, kernel, times) in rows {
            let names: Vec<&str> = [*category, operator, kernel].into_iter().filter(|n| !n.is_empty()).collect();
            let leaf = tree.path(0, &names);
            times.iter().enumerate().for_each(|(step, time)| tree.time(leaf, step as u32, *time));
        }
        let facts = UnitFacts::Step(StepFacts { device_busy_ns: Some(1.0), ..StepFacts::default() });
        let unit = UnitPart { name: "Mean step".into(), n_samples: 2, nodes: tree.finish(), facts };
        ExplainPart { kind: ExplainKind::Steps, units: vec![unit], ..ExplainPart::default() }
    }

    fn judged(base: &ExplainPart, run: &ExplainPart, by: &[SlowerBy], limit: f64) -> Vec<(String, Verdict)> {
        slower(base, run, &explain(base, run), by, limit).into_iter().map(|r| (r.name, r.verdict)).collect()
    }

    const BASE: [(&str, &str, &str, [i64; 2]); 3] = [
        ("Kernel", "aten::mm", "gemm", [50_000, 50_000]),
        ("Kernel", "aten::add", "add", [10_000, 30_000]),
        ("CPU Exec", "aten::copy_", "", [30_000, 30_000]),
    ];

    #[test]
    fn growth_over_the_limit_and_the_spread_is_too_slow() {
        let mut rows = BASE;
        (rows[0].3, rows[1].3) = ([56_000, 56_000], [20_000, 40_000]);
        let (base, run) = (trace(&BASE), trace(&rows));
        let of = |name: &str, verdict: Verdict| (name.to_string(), verdict);
        let want = [
            of("Mean step", Verdict::Within),
            of("GPU time", Verdict::Within),
            of("aten::add", Verdict::Within),
            of("aten::mm", Verdict::TooSlow),
            of("aten::copy_", Verdict::NotSlower),
        ];
        // The step grew by 16% within a spread of 20 µs.
        assert_eq!(judged(&base, &run, &[SlowerBy::Operator], 0.05), want);
        assert_eq!(judged(&base, &run, &[SlowerBy::Operator], 0.5)[3], of("aten::mm", Verdict::Within));
        assert_eq!(judged(&base, &run, &[SlowerBy::Kernel], 0.05)[3], of("gemm", Verdict::TooSlow));
        assert!(judged(&base, &base, &[SlowerBy::Operator], 0.0).iter().all(|r| r.1 == Verdict::NotSlower));
    }

    #[test]
    fn names_of_one_profile_and_tiny_growth_do_not_fail() {
        let base =
            trace(&[("Kernel", "aten::mm", "gemm", [1_000_000; 2]), ("Kernel", "tiny", "t", [100; 2]), ("Kernel", "old", "o", [9_000; 2])]);
        let run =
            trace(&[("Kernel", "aten::mm", "gemm", [1_000_000; 2]), ("Kernel", "tiny", "t", [200; 2]), ("Kernel", "new", "n", [8_000; 2])]);
        let rows = judged(&base, &run, &[SlowerBy::Operator], 0.05);
        let verdict = |name: &str| rows.iter().find(|r| r.0 == name).map(|r| r.1);
        assert_eq!((verdict("tiny"), verdict("old"), verdict("new")), (Some(Verdict::Within), Some(Verdict::Gone), Some(Verdict::New)));
    }
}
