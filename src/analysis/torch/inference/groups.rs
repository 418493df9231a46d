//! Percentiles of steps by kind and number of requests.

use super::annotation::StepKind;
use super::{StepGroup, StepRow};
use crate::base::DurationNs;
use std::collections::BTreeMap;

/// Kinds with all their steps, each followed by its numbers of requests.
pub fn groups(steps: &[StepRow]) -> Vec<StepGroup> {
    let mut by_key: BTreeMap<(StepKind, Option<u64>), Vec<&StepRow>> = BTreeMap::new();
    for step in steps {
        by_key.entry((step.kind, None)).or_default().push(step);
        if step.requests.is_some() {
            by_key.entry((step.kind, step.requests)).or_default().push(step);
        }
    }
    by_key.into_iter().map(|((kind, requests), steps)| group(kind, requests, &steps)).collect()
}

fn group(kind: StepKind, requests: Option<u64>, steps: &[&StepRow]) -> StepGroup {
    let mut durations: Vec<i64> = steps.iter().map(|s| s.duration.0).collect();
    durations.sort_unstable();
    let sum = durations.iter().fold(0i64, |sum, d| sum.saturating_add(*d));
    let busy: Option<i64> = steps.iter().map(|s| s.busy.map(|b| b.0)).try_fold(0i64, |sum, b| Some(sum.saturating_add(b?)));
    let tokens: Option<u64> = steps.iter().map(|s| s.tokens).try_fold(0u64, |sum, t| sum.checked_add(t?));
    let mut per_token: Vec<f64> = steps.iter().filter_map(|s| s.time_per_token_ns).collect();
    per_token.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| DurationNs(nearest_rank(&durations, percent).unwrap_or(0));
    StepGroup {
        kind,
        requests,
        n: steps.len() as u64,
        percentiles: [at(50), at(90), at(99), at(100)],
        mean_ns: sum as f64 / durations.len().max(1) as f64,
        busy_share: busy.filter(|_| sum > 0).map(|busy| busy as f64 / sum as f64),
        tokens_per_s: tokens.filter(|_| sum > 0).map(|tokens| tokens as f64 / sum as f64 * 1e9),
        time_per_token_ns: nearest_rank(&per_token, 50),
    }
}

/// Nearest-rank percentile: the smallest value that at least `percent` of the values do not exceed. `None` without values.
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::nearest_rank;

    #[test]
    fn percentiles_are_values_that_occur() {
        let values: Vec<i64> = (1..=10).collect();
        assert_eq!([50, 90, 99, 100].map(|p| nearest_rank(&values, p)), [Some(5), Some(9), Some(10), Some(10)]);
        assert_eq!(nearest_rank(&[7], 1), Some(7));
        assert_eq!(nearest_rank::<i64>(&[], 50), None);
    }
}
