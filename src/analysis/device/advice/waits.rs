//! R14–R19: what idle engines wait for.

use super::{Case, Finding, Location, Out, Severity, Verdict, nanoseconds, percent};
use crate::analysis::device::waiting::cause::Cause;
use crate::analysis::device::waiting::gaps::Gap;
use crate::analysis::device::waiting::signals::condition;
use crate::base::Order as _;

/// Minimum share of the run on one engine for a cause to be reported. Our choice.
const WORTH: f64 = 0.05;
const NO_CAUSE: &str = "operands of instructions or dependencies (causes of waits)";

/// (rule, cause, what it looks for, title).
const RULES: [(&str, Cause, &str, &str); 6] = [
    ("R14", Cause::Engine, "Engines waiting for each other", "Engines waiting for each other"),
    ("R15 load", Cause::Load, "Engines waiting for loads", "Engines waiting for loads"),
    ("R15 store", Cause::Store, "Engines waiting for stores", "Engines waiting for stores"),
    ("R16", Cause::Spill, "Engines waiting for spills", "Engines waiting for spills"),
    ("R17", Cause::Dynamic, "Engines waiting for dynamic DMA", "Engines waiting for dynamic DMA"),
    ("R18", Cause::Collective, "Engines waiting for barriers or collectives", "Engines waiting for barriers or collectives"),
];

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let is_recorded = case.gaps.causes.iter().any(|c| !matches!(c.cause, Cause::Start | Cause::End | Cause::Unknown));
    for (id, cause, rule, title) in RULES {
        let verdict = if is_recorded { of_cause(case, cause, title) } else { Verdict::Missing(NO_CAUSE) };
        // Without operands much waiting has an unknown cause, which can be this one.
        let is_open = matches!(verdict, Verdict::Quiet) && !case.signals.has_operands();
        out.rule(id, rule, if is_open { Verdict::Missing(NO_CAUSE) } else { verdict });
    }
    out.rule("R19", "Long gap before the first instruction", start(case));
}

fn of_cause(case: &Case<'_>, cause: Cause, title: &str) -> Verdict {
    let mut times: Vec<_> = case.gaps.causes.iter().filter(|c| c.cause == cause).collect();
    times.order_by_key(|c| std::cmp::Reverse(c.time));
    let most = times.first().map_or(0.0, |c| c.time.0 as f64);
    Verdict::when(case.total > 0.0 && most >= WORTH * case.total, || {
        let on_path = case.path.shares.iter().find(|s| s.name == cause.label()).map_or(0.0, |s| s.time.0 as f64);
        let severity = if on_path >= 0.2 * case.total { Severity::Critical } else { Severity::Warning };
        let mut finding = Finding::new(severity, title).cost(on_path);
        for time in times.iter().take(4) {
            let share = percent(time.time.0 as f64 / case.total);
            finding =
                finding.says(&format!("{} {}", time.core, time.engine), format!("{}, {share} of the run", nanoseconds(time.time.0 as f64)));
        }
        finding = finding.says("On the critical path", nanoseconds(on_path));
        let gaps = case.gaps.gaps.iter().filter(|g| g.cause == cause);
        finding.at(gaps.map(|g| place(case, g))).because(
            cause.meaning(),
            action(cause),
            "Idle time of this cause at least 5% of the run on an engine (our threshold); cost = its time on the critical path.",
        )
    })
}

/// What the transfer moved that ended the gap: that of the wait's queue which ended last. `None` where no transfer names a tensor.
fn tensor<'a>(case: &Case<'a>, gap: &Gap) -> Option<&'a str> {
    let variables = case.profile.attribute("variable")?;
    let wait = case.signals.waits(gap.next?).find(|w| condition(case.profile, w) == gap.what)?;
    let moved = case.signals.transfer_before(wait, gap.range.end.0)?;
    let name = case.profile.strings.get(variables.values.at(moved.index())?);
    (!name.is_empty()).then_some(name)
}

fn place(case: &Case<'_>, gap: &Gap) -> Location {
    let mut label = if gap.what.is_empty() { gap.next_name.clone() } else { format!("{}: {}", gap.engine, gap.what) };
    if let Some(tensor) = tensor(case, gap) {
        label = format!("{label}, {tensor}");
    }
    Location { label, range: gap.range, slice: gap.next }
}

fn action(cause: Cause) -> &'static str {
    match cause {
        Cause::Engine => "Pipeline: let the engines process different tiles at the same time.",
        Cause::Load => "Load earlier, or into a second buffer while the first is in use.",
        Cause::Store => "Store results from a second buffer so that the engine does not wait.",
        Cause::Spill => "Reduce the live data: use smaller tiles and fused operators.",
        Cause::Dynamic => "Start transfers earlier. If GpSimd creates their descriptors, let hardware create them (on Sync or Scalar).",
        Cause::Collective => {
            "Overlap collectives with compute. Barriers of the runtime before and after the program have a fixed cost: do more work per execution."
        }
        _ => "",
    }
}

fn start(case: &Case<'_>) -> Verdict {
    if case.gaps.engines.is_empty() {
        return Verdict::Missing("instructions of engines");
    }
    let of = |engine: &crate::analysis::device::waiting::gaps::EngineIdle| {
        let starts = case.gaps.causes.iter().find(|c| c.cause == Cause::Start && c.core == engine.core && c.engine == engine.engine);
        starts.map_or(0, |c| c.time.0)
    };
    // The device waits until its first engine starts.
    let least = case.gaps.engines.iter().map(of).min().unwrap_or(0) as f64;
    Verdict::when(least >= 1000.0 && least >= WORTH * case.total, || {
        Finding::new(Severity::Warning, "Long gap before the first instruction")
            .cost(least)
            .says("Before the first instruction", nanoseconds(least))
            .because(
                "The first execution loads libraries, so its start is not representative.",
                "Capture a later execution (`--nth-exec 2`) or exclude the start.",
                "No engine runs for at least 5% of the run and 1 µs from its start (our threshold); cost = that time.",
            )
    })
}
