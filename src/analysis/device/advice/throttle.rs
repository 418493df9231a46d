//! R41 and R42: throttling.

use super::{Case, Finding, Out, Place, Severity, Verdict, nanoseconds, percent};
use crate::base::text;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    out.rule("R41", "The tensor engine is throttled", throttled(case));
    out.rule("R42", "Throttling after idle gaps", ramps(case));
}

fn throttled(case: &Case<'_>) -> Verdict {
    let kinds: Vec<(usize, f64, f64)> =
        (0..2).flat_map(|core| case.facts.throttling(core).into_iter().map(move |(share, limit)| (core, share, limit))).collect();
    if kinds.is_empty() {
        return Verdict::Missing("the shares of time under each kind of throttling");
    }
    let of = |core: usize| {
        let limited = kinds.iter().filter(move |k| k.0 == core && k.2 < 1.0);
        limited.fold((0.0, 0.0), |sum, k| (sum.0 + k.1, sum.1 + k.1 * (1.0 - k.2)))
    };
    let worst = (0..2).map(|c| (c, of(c))).max_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap_or_default();
    let (core, (share, lost)) = worst;
    Verdict::when(share > 0.05, || {
        Finding::new(Severity::Warning, "The tensor engine is throttled")
            .cost(lost * case.total)
            .says("Core of the profile", format!("nc{core}"))
            .says("Under a limit", percent(share))
            .says("Lost, were it all computing", percent(lost))
            .because(
                "After idle times or at high power the hardware limits how often the array may start.",
                "Keep the tensor engine busy at least half of any 3 µs; overlap transfers with compute. Throttling while it is idle costs nothing.",
                "Under a limit below 1 for more than 5 % of the run (our threshold); cost = Σ share × (1 − limit) × run, the most it can be.",
            )
    })
}

fn ramps(case: &Case<'_>) -> Verdict {
    const GAP_NS: i64 = 3000;
    let counters: Vec<_> = case.profile.counters.iter().filter(|c| case.profile.track_path(c.track).contains("hrottl")).collect();
    if counters.is_empty() || case.gaps.engines.is_empty() {
        return Verdict::Missing("throttling over time, or instructions of the tensor engine");
    }
    let mut found: Vec<Place> = Vec::new();
    for counter in counters {
        let core = case.profile.track_path(counter.track).split(" / ").next().unwrap_or_default().to_string();
        let values = counter.series.first().map_or(&[][..], |s| s.values.as_slice());
        let drops = counter.times.iter().zip(values).filter(|(_, v)| **v <= 50.0).map(|t| *t.0);
        let gaps: Vec<_> =
            case.gaps.gaps.iter().filter(|g| g.core == core && g.engine == "Tensor" && g.range.duration().0 >= GAP_NS).collect();
        for at in drops {
            let after = gaps.iter().find(|g| (0..=GAP_NS).contains(&at.saturating_sub(g.range.end.0)));
            found.extend(after.map(|g| Place { label: "Gap before throttling".into(), range: g.range, slice: g.next }));
        }
    }
    let n = found.len();
    Verdict::when(n > 0, || {
        Finding::new(Severity::Info, "Throttling follows idle gaps of the tensor engine")
            .cost(n as f64 * GAP_NS as f64 * 0.5)
            .says("Times", text::count(n as u64))
            .says("Each", nanoseconds(GAP_NS as f64))
            .at(found)
            .because(
                "After a pause of 3 µs the engine ramps up at half speed, so that the current does not jump.",
                "Close the gap, or keep the engine warm with products that nobody needs.",
                "A limit of 50 % or less within 3 µs after a gap of at least 3 µs; cost = times × 3 µs × 50 %, an estimate.",
            )
    })
}
