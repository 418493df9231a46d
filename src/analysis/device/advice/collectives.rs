//! R5 and R37–R40: collective operations.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent};
use crate::base::{SliceId, StrId, TrackId, text};
use rustc_hash::FxHashMap;

const NONE: &str = "collective operations";

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let slices = operations(case);
    let is_told = !slices.is_empty();
    let or = |verdict: Verdict| if is_told { verdict } else { Verdict::Missing(NONE) };
    out.rule("R5", "Collective operations are not hidden by compute", or(exposed(case, &slices)));
    out.rule("R37", "A collective operation takes much longer than its like", or(outliers(case, &slices)));
    out.rule(
        "R38",
        "Collective operations start late",
        Verdict::Missing(if is_told { "cc_trigger_start_delay as a column" } else { NONE }),
    );
    out.rule(
        "R39",
        "Collective operations of low bandwidth",
        Verdict::Missing(if is_told { "sizes of collective operations as a column" } else { NONE }),
    );
    out.rule("R40", "A rank arrives late", Verdict::Missing("profiles of several ranks together"));
}

/// Slices of the rows of collective operations.
fn operations(case: &Case<'_>) -> Vec<SliceId> {
    let profile = case.profile;
    let is_row = |t: &usize| profile.strings.get(profile.tracks[*t].name).starts_with("Collectives stream");
    (0..profile.tracks.len()).filter(is_row).flat_map(|t| profile.slices_of(TrackId(t as u32))).map(|i| SliceId(i as u32)).collect()
}

fn exposed(case: &Case<'_>, slices: &[SliceId]) -> Verdict {
    let spans = |s: &SliceId| (case.profile.slices.start[s.index()], case.profile.slices.end(s.index()));
    let mut moving: Vec<(i64, i64)> = slices.iter().map(spans).collect();
    let engines = crate::analysis::device::gaps::engines(case.profile);
    let mut working: Vec<(i64, i64)> = engines.iter().flat_map(|e| e.items.iter().filter(|i| !i.3).map(|i| (i.0, i.1))).collect();
    moving.sort_unstable();
    working.sort_unstable();
    let both = union(moving.iter().chain(&working).copied().collect());
    let alone = both - union(working);
    Verdict::when(alone as f64 > 0.1 * case.total, || {
        Finding::new(Severity::Warning, "Collective operations are not hidden by compute")
            .cost(alone as f64)
            .says("While no engine computes", nanoseconds(alone as f64))
            .says("Of the run", percent(alone as f64 / case.total))
            .at(slices.iter().take(3).map(|s| case.place(*s)))
            .because(
                "The engines wait while data travels between cores.",
                "Start collectives earlier, or split them so that compute goes on beside them.",
                "Collectives without compute above 10 % of the run (our threshold); cost = that time.",
            )
    })
}

fn union(mut spans: Vec<(i64, i64)>) -> i64 {
    spans.sort_unstable();
    let (mut total, mut covered) = (0i64, i64::MIN);
    for (start, end) in spans {
        total = total.saturating_add(end.saturating_sub(start.max(covered)).max(0));
        covered = covered.max(end);
    }
    total
}

fn outliers(case: &Case<'_>, slices: &[SliceId]) -> Verdict {
    let mut groups: FxHashMap<StrId, Vec<(i64, SliceId)>> = FxHashMap::default();
    for s in slices {
        groups.entry(case.profile.slices.name[s.index()]).or_default().push((case.profile.slices.duration[s.index()], *s));
    }
    let mut found: Vec<(i64, SliceId)> = Vec::new();
    for group in groups.values_mut().filter(|g| g.len() >= 4) {
        group.sort_unstable();
        let median = group[group.len() / 2].0;
        found.extend(group.iter().filter(|g| g.0 > median.saturating_mul(2)).map(|g| (g.0 - median, g.1)));
    }
    found.sort_unstable_by_key(|f| std::cmp::Reverse(f.0));
    Verdict::when(!found.is_empty(), || {
        Finding::new(Severity::Warning, "Some collective operations take much longer than their like")
            .cost(found.iter().map(|f| f.0 as f64).sum())
            .says("Operations", text::count(found.len() as u64))
            .at(found.iter().map(|f| case.place(f.1)))
            .because(
                "They share links and DMA with what runs beside them, or wait for a late rank.",
                "See which transfers overlap them.",
                "Longer than twice the median of the operations of one name (our factor), four or more of them; cost = what is above the median.",
            )
    })
}
