//! Stragglers: workers that others wait for.

use super::matching::Matched;
use super::waits::waits;
use super::{DistributedPart, Straggler, WorkerTimes};
use crate::base::DurationNs;
use crate::base::Order as _;
use rustc_hash::FxHashMap;

/// (operations in which a worker came last, its matched operations).
type Counts = (u64, u64);

/// The worker that waited least, over all and step by step, where the others waited longer. The whole trace first; then the most expensive.
pub fn stragglers(parts: &[DistributedPart], workers: &[WorkerTimes], steps: &[String], matched: &Matched) -> Vec<Straggler> {
    let mut out = Vec::new();
    let whole = |(w, part): (usize, &DistributedPart)| (w, waits(part, &matched.transfer[w], 0..part.calls.len()).synchronizing.0);
    let waited: Vec<(usize, i64)> = parts.iter().enumerate().map(whole).collect();
    let counts = |w: usize, step: Option<u32>| {
        let calls =
            parts[w].calls.iter().enumerate().filter(|(i, c)| matched.transfer[w][*i].is_some() && (step.is_none() || c.step == step));
        calls.fold((0, 0), |n: Counts, (i, _)| (n.0 + u64::from(matched.is_last[w][i]), n.1 + 1))
    };
    out.extend(last(parts, None, &waited, |w| counts(w, None)));
    // Waiting in each step by its name, and where that step is in the worker's own list.
    let mut of_step: FxHashMap<&str, Vec<(usize, i64)>> = FxHashMap::default();
    let mut place: FxHashMap<(usize, &str), u32> = FxHashMap::default();
    for (w, worker) in workers.iter().enumerate() {
        for (at, (name, times)) in worker.wait_steps.iter().enumerate() {
            if place.insert((w, name), at as u32).is_none() {
                of_step.entry(name).or_default().push((w, times.synchronizing.0));
            }
        }
    }
    for name in steps {
        if let Some(waited) = of_step.get(name.as_str()) {
            out.extend(last(parts, Some(name), waited, |w| counts(w, place.get(&(w, name.as_str())).copied())));
        }
    }
    out.order_by_key(|s| (s.step.is_some(), std::cmp::Reverse(s.cost)));
    out
}

/// The worker that waited least of `waited` (worker, nanoseconds), if the others waited longer.
fn last(parts: &[DistributedPart], step: Option<&String>, waited: &[(usize, i64)], counts: impl Fn(usize) -> Counts) -> Option<Straggler> {
    let &(worker, least) = waited.iter().min_by_key(|w| w.1)?;
    let n_others = waited.len() as i64 - 1;
    let sum = waited.iter().filter(|w| w.0 != worker).fold(0i64, |s, w| s.saturating_add(w.1));
    let others = sum.checked_div(n_others).filter(|&o| o > least)?;
    let (n_last, n_operations) = counts(worker);
    Some(Straggler {
        worker: parts[worker].worker.clone(),
        step: step.cloned(),
        waited: DurationNs(least),
        others_waited: DurationNs(others),
        cost: DurationNs(others - least),
        n_last,
        n_operations,
    })
}
