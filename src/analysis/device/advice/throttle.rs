//! R41 and R42: throttling.

use super::{Case, Finding, Location, MOST_PLACES, Out, Severity, Verdict, percent};
use crate::analysis::spans::length_in;
use crate::base::order::keep_largest;
use crate::base::{TimeNs, TimeRange, text};
use crate::model::domain::Throttle;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R41", "Throttled tensor engine", throttled(case));
    out.rule("R42", "Throttling after idle gaps", ramps(case));
}

/// Time of a core's tensor engine under a limit, and what it lost of it while it worked, nanoseconds.
#[derive(Default)]
struct Limited {
    core: String,
    time: f64,
    lost: f64,
    /// Times under a limit by what they cost, most first; those that cost nothing are omitted.
    places: Vec<(i64, Location)>,
}

/// For each core, from recorded times.
fn limited(case: &Case<'_>) -> Vec<Limited> {
    let mut out: Vec<Limited> = Vec::new();
    for limit in case.device().map_or(&[][..], |d| &d.throttles) {
        let core = case.profile.strings.get(case.profile.tracks[limit.core.index()].name);
        let at = out.iter().position(|l| l.core == core).unwrap_or_else(|| {
            out.push(Limited { core: core.into(), ..Limited::default() });
            out.len() - 1
        });
        if limit.limit < 1.0 {
            let lost = lost(case, core, limit);
            out[at].time += limit.end.saturating_sub(limit.start) as f64;
            out[at].lost += lost;
            if lost >= 1.0 {
                let range = TimeRange::new(TimeNs(limit.start), TimeNs(limit.end));
                let place = Location { label: format!("{core} limited to {}", percent(limit.limit)), range, slice: None };
                keep_largest(&mut out[at].places, MOST_PLACES, (lost as i64, place), |p| p.0);
            }
        }
    }
    out
}

/// What a limit took from the tensor engine while it worked: it costs nothing while that is idle.
fn lost(case: &Case<'_>, core: &str, limit: &Throttle) -> f64 {
    let tensor = case.busy_engines().iter().filter(|b| b.engine == "Tensor" && b.core == core);
    tensor.map(|b| length_in(&b.ranges, limit.start, limit.end)).sum::<i64>() as f64 * (1.0 - limit.limit)
}

/// An upper bound from the summary: assumes that the engine of the busiest core ran under the limits first.
fn at_most(case: &Case<'_>) -> Vec<Limited> {
    let worked = case.engines.iter().filter(|e| e.engine == "Tensor").map(|e| e.busy.0 as f64).reduce(f64::max);
    let of = |core: usize| {
        let kinds = case.facts.throttling(core);
        let limited = || kinds.iter().filter(|k| k.1 < 1.0);
        let (time, lost) = (limited().map(|k| k.0).sum::<f64>(), limited().map(|k| k.0 * (1.0 - k.1)).sum::<f64>());
        let most = worked.map_or(f64::INFINITY, |worked| worked * limited().map(|k| 1.0 - k.1).fold(0.0, f64::max));
        let lost = (lost * case.total).min(most);
        (!kinds.is_empty()).then(|| Limited { core: format!("nc{core}"), time: time * case.total, lost, places: Vec::new() })
    };
    (0..2).filter_map(of).collect()
}

fn throttled(case: &Case<'_>) -> Verdict {
    let (rows, shares) = (limited(case), at_most(case));
    let is_of_rows = !rows.is_empty();
    let Some(worst) = if is_of_rows { rows } else { shares }.into_iter().max_by(|a, b| a.lost.total_cmp(&b.lost)) else {
        return Verdict::Missing("throttling intervals, or the time share of each throttling kind");
    };
    Verdict::when(worst.lost > 0.05 * case.total && case.total > 0.0, || {
        Finding::new(Severity::Warning, "Throttled tensor engine")
            .cost(worst.lost)
            .says("Core", worst.core)
            .says("Time under a limit", percent(worst.time / case.total))
            .says(if is_of_rows { "Lost while active" } else { "Lost while active, upper bound" }, percent(worst.lost / case.total))
            .at(worst.places.into_iter().map(|p| p.1))
            .because(
                "After idle times or at high power, the hardware limits the start rate of the array.",
                "Keep the tensor engine busy for at least half of any 3 µs and overlap transfers with compute. Throttling of an idle engine costs nothing.",
                "Time lost to limits below 1 while the engine was active exceeds 5% of the run (our threshold); cost = Σ active time under a limit × (1 − limit). If the file records only time shares: Σ share × (1 − limit) × run, at most active time × (1 − lowest limit), an upper bound.",
            )
    })
}

fn ramps(case: &Case<'_>) -> Verdict {
    const GAP_NS: i64 = 3000;
    let counters: Vec<_> = case.profile.counters.iter().filter(|c| case.profile.track_path(c.track).contains("hrottl")).collect();
    if counters.is_empty() || case.gaps.engines.is_empty() {
        return Verdict::Missing("throttling over time, or instructions of the tensor engine");
    }
    let (mut found, mut cost): (Vec<Location>, f64) = (Vec::new(), 0.0);
    let limits = case.device().map_or(&[][..], |d| &d.throttles);
    for counter in counters {
        let core = case.profile.track_path(counter.track).split(" / ").next().unwrap_or_default().to_string();
        let values = counter.series.first().map_or(&[][..], |s| s.values.as_slice());
        let drops = counter.times.iter().zip(values).filter(|(_, v)| **v <= 50.0).map(|t| *t.0);
        let gaps: Vec<_> =
            case.gaps.gaps.iter().filter(|g| g.core == core && g.engine == "Tensor" && g.range.duration().0 >= GAP_NS).collect();
        for at in drops {
            let after = gaps.iter().find(|g| (0..=GAP_NS).contains(&at.saturating_sub(g.range.end.0)));
            let Some(gap) = after else { continue };
            found.push(Location { label: "Gap before throttling".into(), range: gap.range, slice: gap.next });
            let mut losses = limits.iter().filter(|l| l.start == at && l.limit < 1.0).map(|l| lost(case, &core, l)).peekable();
            cost += if losses.peek().is_some() { losses.sum() } else { GAP_NS as f64 * 0.5 };
        }
    }
    let n = found.len();
    Verdict::when(n > 0, || {
        Finding::new(Severity::Info, "Throttling after idle gaps of the tensor engine")
            .cost(cost)
            .says("Count", text::count(n as u64))
            .at(found)
            .because(
                "After an idle gap of 3 µs the engine ramps up at half speed to limit current changes.",
                "Close the gap, or keep the engine active with dummy products.",
                "A limit of 50% or less within 3 µs after a gap of at least 3 µs; cost = Σ active time under this limit × (1 − limit), or 3 µs × 50% each if its duration is not recorded.",
            )
    })
}
