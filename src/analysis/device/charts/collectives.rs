//! Durations of collective operations: one by one, and as box plots of similar ones.

use super::{BoxFigures, ChartContext, Charts, Operation};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, TrackId, text};
use std::collections::BTreeMap;

/// Operations that are shown one by one.
const MOST: usize = 2000;

/// Slices of the rows of collective operations.
pub(in crate::analysis::device) fn operations(profile: &crate::model::Profile) -> impl Iterator<Item = SliceId> + '_ {
    let is_row = |t: &usize| profile.strings.get(profile.tracks[*t].name).starts_with("Collectives stream");
    (0..profile.tracks.len()).filter(is_row).flat_map(|t| profile.slices_of(TrackId(t as u32))).map(|i| SliceId(i as u32))
}

pub(super) fn collectives(given: &ChartContext<'_>, out: &mut Charts) {
    let (profile, facts) = (given.profile, &given.device.operations);
    let mut groups: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for slice in operations(profile) {
        if given.span(slice.index()).is_none() {
            continue;
        }
        let fact = facts.binary_search_by_key(&slice.0, |o| o.slice).ok().map(|at| facts[at]);
        let bytes = fact.and_then(|f| f.bytes);
        let name = profile.name_of(slice);
        let group = bytes.map_or_else(|| name.to_string(), |n| format!("{name} {}", text::bytes(n)));
        let i = slice.index();
        let range = TimeRange { start: TimeNs(profile.slices.start[i]), end: TimeNs(profile.slices.end(i)) };
        groups.entry(group.clone()).or_default().push(profile.slices.duration[i]);
        out.operations.push(Operation { group, bytes, range, delay: fact.and_then(|f| f.delay_ns).map(DurationNs), slice });
    }
    out.operations.order_by_key(|o| (std::cmp::Reverse(o.range.duration()), o.slice));
    out.n_more_operations = out.operations.len().saturating_sub(MOST) as u64;
    out.operations.truncate(MOST);
    out.boxes = groups.into_iter().map(figures).collect();
    let time = |b: &BoxFigures| b.mean * b.count as f64;
    out.boxes.order_by(|a, b| time(b).total_cmp(&time(a)));
    if out.n_more_operations > 0 {
        out.notes.push(format!("The {MOST} longest collective operations are shown; the box plots cover all."));
    }
}

fn figures((group, mut durations): (String, Vec<i64>)) -> BoxFigures {
    durations.sort_unstable();
    let n = durations.len() as f64;
    let mean = durations.iter().map(|d| *d as f64).sum::<f64>() / n;
    let variance = durations.iter().map(|d| (*d as f64 - mean).powi(2)).sum::<f64>() / n;
    BoxFigures { group, count: durations.len() as u64, five: quartiles(&durations), mean, variance }
}

/// Least, quartiles and most of ascending values; between two values in proportion. Zeros of none.
pub fn quartiles(sorted: &[i64]) -> [f64; 5] {
    let Some(last) = sorted.len().checked_sub(1) else { return [0.0; 5] };
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
        let place = share * last as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        let (a, b) = (sorted[below] as f64, sorted[(below + 1).min(last)] as f64);
        a + (b - a) * part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles(&[1, 2, 3, 4]), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(quartiles(&[7]), [7.0; 5]);
        let got = figures(("a".into(), vec![4, 2]));
        assert_eq!((got.count, got.mean, got.variance, got.five[2]), (2, 3.0, 1.0, 3.0));
    }
}
