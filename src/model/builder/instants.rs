//! Instants in the order written, column by column, and as a table by (track, time).

use super::by_track::{by_track, counts, first_of_tracks, placed, reorder};
use super::records::Records;
use crate::base::Order as _;
use crate::base::{StrId, TrackId, for_each_chunk, is_ascending, radix_order};
use crate::model::{Blocks, Column, InstantTable, RecordRef, TrackRuns};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Instants to be; a long trace has millions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Instants {
    pub track: Blocks<u32>,
    /// Nanoseconds.
    pub time: Blocks<i64>,
    name: Blocks<StrId>,
    pub record: Records,
}

impl Instants {
    /// Reserves room for `n` instants with records in runs.
    pub fn expect(&mut self, n: usize) {
        self.record.expect_in_runs(n);
        self.track.expect(n);
        self.time.expect(n);
        self.name.expect(n);
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, track: TrackId, time: i64, name: StrId, record: RecordRef) {
        self.record.push(self.time.len(), record);
        self.track.push(track.0);
        self.time.push(time);
        self.name.push(name);
    }

    /// Adds those of a later part of the same file and renumbers their tracks and strings.
    pub fn append(&mut self, later: Instants, track: impl Fn(TrackId) -> TrackId, string: impl Fn(StrId) -> StrId) {
        self.record.append(self.time.len(), later.record);
        self.track.append(later.track, |id| track(TrackId(id)).0);
        self.time.append(later.time, |time| time);
        self.name.append(later.name, string);
    }

    /// How many are on each of `n_tracks` raw tracks.
    pub fn counts(&self, n_tracks: usize) -> Vec<usize> {
        counts(self.track.len(), n_tracks, |i| self.track.get(i) as usize)
    }

    /// Orders them by (final track, time, name, place of the record). `counts` are those of raw tracks.
    pub fn finish(self, counts: &[usize], track_of_raw: &[Option<TrackId>], n_tracks: usize) -> InstantTable {
        let Instants { track: tracks, time: times, name: names, record: records } = self;
        let n = times.len();
        let track_of = |i: usize| placed(track_of_raw, tracks.get(i)).index();
        let first = first_of_tracks(counts, track_of_raw, n_tracks);
        let mut time = by_track(&first, n, &track_of, |i| times.get(i));
        // Each column is freed when the next form of it is there.
        drop(times);
        let mut raw = by_track(&first, n, &track_of, |i| i as u32);
        drop(tracks);
        for part in first.windows(2) {
            sort(&mut time[part[0]..part[1]], &mut raw[part[0]..part[1]], |raw| (names.get(raw as usize), records.get(raw as usize).0));
        }
        let mut name = Vec::with_capacity(n);
        for_each_chunk(n, &mut |part| name.extend(raw[part].iter().map(|raw| names.get(*raw as usize))));
        drop(names);
        let records = records.ordered(&raw);
        drop(raw);
        let mut track = TrackRuns::default();
        (0..).zip(first.windows(2)).for_each(|(t, part)| track.push(TrackId(t), part[1] - part[0]));
        InstantTable { track, time, name, record: Column::later(n, n > 0, move || (0..n).map(|i| records.get(i)).collect()) }
    }
}

/// Sorts the instants of one track by time; `rest` orders those of equal time.
fn sort<K: Ord>(time: &mut [i64], raw: &mut [u32], rest: impl Fn(u32) -> K) {
    if !is_ascending(time.len(), |k| time[k]) {
        let order = radix_order(time.len(), |k| time[k]);
        reorder(time, &order);
        reorder(raw, &order);
    }
    let mut first = 0;
    for_each_chunk(time.len(), &mut |part: Range<usize>| {
        for k in part {
            if time.get(k + 1) != Some(&time[k]) {
                if k > first {
                    raw[first..=k].order_by_key(|raw| rest(*raw));
                }
                first = k + 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_stand_by_track_time_name_and_record() {
        let record = |at| RecordRef::new(0, at, 16);
        let all = [(1, 9, 2, 0), (0, 5, 1, 160), (1, 9, 1, 32), (0, 5, 1, 48), (1, 3, 7, 64), (0, 6, 0, 80)];
        let mut instants = Instants::default();
        instants.record.run(record(0), 6);
        all.iter().for_each(|(track, time, name, at)| instants.push(TrackId(*track), *time, StrId(*name), record(*at)));
        // The second track is shown first.
        let counts = instants.counts(2);
        let table = instants.finish(&counts, &[Some(TrackId(1)), Some(TrackId(0))], 2);
        assert_eq!(table.track, TrackRuns::from_iter([0, 0, 0, 1, 1, 1].map(TrackId)));
        assert_eq!(table.time, [3, 9, 9, 5, 5, 6]);
        assert_eq!(table.name, [7, 1, 2, 1, 1, 0].map(StrId));
        assert_eq!(table.record.as_slice(), [64, 32, 0, 48, 160, 80].map(record));
        assert_eq!(Instants::default().finish(&[], &[], 3), InstantTable::default());
    }
}
