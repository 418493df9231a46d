//! Times of the names of a column in one run.

use super::{PartGroup, PartRow};
use crate::analysis::device::waiting::waits;
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TrackId, for_each_chunk};
use crate::model::{Profile, TrackKind};
use rustc_hash::FxHashMap;

/// Names of one column that a part holds, by time.
const MOST_NAMES: usize = 20_000;

/// Time and count of a name while its slices are walked, track by track, each by start.
#[derive(Default)]
struct Sum {
    time: i64,
    count: u64,
    /// The last track, and until when it is covered.
    covered: Option<(usize, i64)>,
}

impl Sum {
    fn add(&mut self, track: usize, (start, end): (i64, i64)) {
        let until = self.covered.filter(|c| c.0 == track).map_or(i64::MIN, |c| c.1);
        self.time = self.time.saturating_add(end.saturating_sub(start.max(until)).max(0));
        self.covered = Some((track, until.max(end)));
        self.count += 1;
    }
}

/// Times of the names of a column, on engines; `None` where the profile has no such column.
pub(super) fn group(profile: &Profile, by: &str) -> Option<PartGroup> {
    let column = profile.attribute(by)?;
    let mut sums: FxHashMap<u32, Sum> = FxHashMap::default();
    let is_wait = waits::names(profile);
    let slices = &profile.slices;
    for t in (0..profile.tracks.len()).filter(|&t| profile.tracks[t].kind == TrackKind::Engine) {
        let by_start = &slices.by_start[profile.slices_of(TrackId(t as u32))];
        for_each_chunk(by_start.len(), &mut |part| {
            for i in by_start[part].iter().map(|i| *i as usize) {
                let value = column.values.at(i).unwrap_or_default();
                if value.0 != 0 && !is_wait[slices.name[i].index()] {
                    sums.entry(value.0).or_default().add(t, (slices.start[i], slices.end(i)));
                }
            }
        });
    }
    let row = |(id, sum): (u32, Sum)| PartRow { name: profile.strings.get(StrId(id)).into(), time: DurationNs(sum.time), count: sum.count };
    let mut rows: Vec<PartRow> = sums.into_iter().map(row).collect();
    rows.order_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    let rest = rows.split_off(rows.len().min(MOST_NAMES));
    let rest = (rest.len() as u64, DurationNs(rest.iter().map(|r| r.time.0).fold(0, i64::saturating_add)));
    Some(PartGroup { by: by.into(), rows, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_on_a_track_counts_once() {
        let mut sum = Sum::default();
        for (track, span) in [(0, (0, 10)), (0, (5, 12)), (0, (6, 8)), (0, (20, 21)), (1, (5, 12))] {
            sum.add(track, span);
        }
        assert_eq!((sum.time, sum.count), (12 + 1 + 7, 5));
    }
}
