//! R5 and R37–R40: collective operations.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent, rate};
use crate::analysis::device::activity::engines::Engine;
use crate::analysis::device::charts::operations;
use crate::analysis::spans::{self, Spans, length_in};
use crate::base::{SliceId, StrId, largest, text};
use crate::model::domain::CollectiveOp;
use rustc_hash::FxHashMap;

const NONE: &str = "collective operations";

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let slices: Vec<SliceId> = operations(case.profile).collect();
    let is_recorded = !slices.is_empty();
    let or = |judge: &dyn Fn() -> Verdict| if is_recorded { judge() } else { Verdict::Missing(NONE) };
    out.rule("R5", "Exposed collective operations", or(&|| exposed(case, &slices)));
    out.rule("R37", "Collective operations slower than others of the same kind", or(&|| outliers(case, &slices)));
    out.rule("R38", "Late start of collective operations", or(&|| late(case)));
    out.rule("R39", "Small collective operations with low bandwidth", or(&|| small(case)));
    out.rule("R40", "Late rank", Verdict::Missing("arrival times of the other ranks (a device profile covers one rank)"));
}

fn exposed(case: &Case<'_>, slices: &[SliceId]) -> Verdict {
    let span = |s: &SliceId| (case.profile.slices.start[s.index()], case.profile.slices.end(s.index()));
    let moving = slices.iter().map(span);
    let work = |e: &Engine<'_>| Spans::union(e.executed().filter(|i| !i.is_wait).map(|i| (i.start, i.end))).0;
    let working = spans::union_of(case.work.iter().map(work).collect());
    let alone = spans::length(&spans::without(&Spans::union(moving).0, &working));
    Verdict::when(alone as f64 > 0.1 * case.total, || {
        Finding::new(Severity::Warning, "Exposed collective operations")
            .cost(alone as f64)
            .says("Without compute", nanoseconds(alone as f64))
            .says("Share of the run", percent(alone as f64 / case.total))
            .at(slices.iter().take(3).map(|s| case.place(*s)))
            .because(
                "The engines wait while data is transferred between cores.",
                "Start collectives earlier or split them so that they overlap with compute.",
                "Collectives without compute above 10% of the run (our threshold); cost = that time.",
            )
    })
}

/// What alike operations have in common: their name, and their size as the chart of them writes it.
type Alike = (StrId, Option<String>);

fn outliers(case: &Case<'_>, slices: &[SliceId]) -> Verdict {
    let operations = case.device().map_or(&[][..], |d| &d.operations);
    let size = |s: SliceId| operations.binary_search_by_key(&s.0, |o| o.slice).ok().and_then(|at| operations[at].bytes).map(text::bytes);
    let mut groups: FxHashMap<Alike, Vec<(i64, SliceId)>> = FxHashMap::default();
    for s in slices {
        let key = (case.profile.slices.name[s.index()], size(*s));
        groups.entry(key).or_default().push((case.profile.slices.duration[s.index()], *s));
    }
    let mut found: Vec<(i64, SliceId)> = Vec::new();
    for group in groups.values_mut().filter(|g| g.len() >= 4) {
        group.sort_unstable();
        let median = group[group.len() / 2].0;
        found.extend(group.iter().filter(|g| g.0 > median.saturating_mul(2)).map(|g| (g.0 - median, g.1)));
    }
    found.sort_unstable_by_key(|f| std::cmp::Reverse(f.0));
    Verdict::when(!found.is_empty(), || {
        let mut finding = Finding::new(Severity::Warning, "Collective operations slower than others of the same kind")
            .cost(found.iter().map(|f| f.0 as f64).sum())
            .says("Operations", text::count(found.len() as u64));
        for (busy, name) in found.first().map(|f| beside(case, f.1)).unwrap_or_default() {
            finding = finding.says("Concurrent with the slowest", format!("{name}, {}", nanoseconds(busy as f64)));
        }
        finding
            .at(found.iter().map(|f| case.place(f.1)))
            .because(
                "They share links and DMA with concurrent transfers, or wait for a late rank.",
                "Check which transfers overlap them.",
                "Longer than twice the median of the operations of one name and size (our factor), four or more of them; cost = time above the median.",
            )
    })
}

/// What ran most while an operation did: time within it, and the name.
fn beside(case: &Case<'_>, operation: SliceId) -> Vec<(i64, String)> {
    let slices = &case.profile.slices;
    let (start, end) = (slices.start[operation.index()], slices.end(operation.index()));
    let all = case.busy_engines().iter().chain(case.busy_dma());
    let times = all.map(|b| (length_in(&b.ranges, start, end), format!("{} {}", b.core, b.engine)));
    // Excludes the row of the operation itself.
    let others = times.filter(|t| t.0 > 0 && !t.1.contains("Collectives"));
    largest(3, others, |t| t.0)
}

fn late(case: &Case<'_>) -> Verdict {
    let operations = case.device().map_or(&[][..], |d| &d.operations);
    let mut delays: Vec<(i64, SliceId)> =
        operations.iter().filter_map(|o| Some((o.delay_ns.filter(|d| *d >= 0)?, SliceId(o.slice)))).collect();
    if delays.is_empty() {
        return Verdict::Missing("cc_trigger_start_delay of collective operations");
    }
    delays.sort_unstable_by_key(|d| std::cmp::Reverse(d.0));
    let sum: f64 = delays.iter().map(|d| d.0 as f64).sum();
    Verdict::when(case.total > 0.0 && sum > 0.05 * case.total, || {
        Finding::new(Severity::Warning, "Late start of collective operations")
            .cost(sum)
            .says("From trigger to start, sum", nanoseconds(sum))
            .says("Mean", nanoseconds(sum / delays.len() as f64))
            .says("Longest", nanoseconds(delays[0].0 as f64))
            .at(delays.iter().map(|d| case.place(d.1)))
            .because(
                "They queue behind other operations, or the triggering engine is busy.",
                "Trigger them from a less busy engine and distribute them over streams.",
                "Sum of cc_trigger_start_delay above 5% of the run (our threshold); cost = that time.",
            )
    })
}

/// Operations smaller than this pay mostly for being started; ours.
const SMALL: u64 = 256 << 10;

fn small(case: &Case<'_>) -> Verdict {
    let operations = case.device().map_or(&[][..], |d| &d.operations);
    let duration = |o: &CollectiveOp| case.profile.slices.duration[o.slice as usize];
    let sized: Vec<(u64, i64, SliceId)> = operations.iter().filter_map(|o| Some((o.bytes?, duration(o), SliceId(o.slice)))).collect();
    if sized.is_empty() {
        return Verdict::Missing("sizes of collective operations");
    }
    let small: Vec<_> = sized.iter().filter(|s| s.0 < SMALL && s.1 > 0).collect();
    let time: f64 = small.iter().map(|s| s.1 as f64).sum();
    Verdict::when(small.len() >= 4 && time > 0.05 * case.total, || {
        let speed = |list: &[&(u64, i64, SliceId)]| {
            let (n, ns) = list.iter().fold((0.0, 0.0), |sum, s| (sum.0 + s.0 as f64, sum.1 + s.1 as f64));
            n / (ns / 1e9)
        };
        let large: Vec<_> = sized.iter().filter(|s| s.0 >= SMALL && s.1 > 0).collect();
        let moved: f64 = small.iter().map(|s| s.0 as f64).sum();
        let mut finding = Finding::new(Severity::Warning, "Many small collective operations")
            .says("Below 256 KiB", format!("{} of {}", text::count(small.len() as u64), text::count(sized.len() as u64)))
            .says("Bandwidth of these", rate(speed(&small)));
        if !large.is_empty() {
            finding = finding.says("Bandwidth of the others", rate(speed(&large))).cost(time - moved / speed(&large) * 1e9);
        }
        finding.at(small.iter().map(|s| case.place(s.2))).because(
            "Each operation has a fixed cost independent of its size.",
            "Combine small operations: flatten tensors into one buffer.",
            "At least four operations below 256 KiB, together above 5% of the run (our thresholds); cost = their time − their time at the bandwidth of the larger operations, if there are any.",
        )
    })
}
