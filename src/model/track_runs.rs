//! The tracks of a table by track: one entry a run instead of one an element.

use crate::base::TrackId;
use std::ops::{Index, Range};

/// A track for each element, where those of one track follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackRuns {
    /// Of each run; neighbours differ.
    tracks: Vec<TrackId>,
    /// One after the last element of each run; ascending.
    ends: Vec<u32>,
}

impl TrackRuns {
    /// Of columns that came from elsewhere: `None` unless they are as [`columns`](Self::columns) gives them.
    pub fn of_columns(tracks: Vec<TrackId>, ends: Vec<u32>) -> Option<Self> {
        let is_ascending = ends.first() != Some(&0) && ends.is_sorted_by(|a, b| a < b);
        (tracks.len() == ends.len() && is_ascending).then_some(TrackRuns { tracks, ends })
    }

    /// Tracks and ends of the runs.
    pub fn columns(&self) -> (&[TrackId], &[u32]) {
        (&self.tracks, &self.ends)
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds `n` elements of a track. A table holds at most 2³² elements; what exceeds that is not added.
    pub fn push(&mut self, track: TrackId, n: usize) {
        let end = u32::try_from(self.len().saturating_add(n)).unwrap_or(u32::MAX);
        if end as usize == self.len() {
            return;
        }
        match self.tracks.last().zip(self.ends.last_mut()) {
            Some((last, known)) if *last == track => *known = end,
            _ => {
                self.tracks.push(track);
                self.ends.push(end);
            }
        }
    }

    /// The track of an element.
    pub fn get(&self, at: usize) -> Option<TrackId> {
        self.tracks.get(self.run_of(at)).copied()
    }

    /// Runs with the positions of their elements, in their order.
    pub fn runs(&self) -> impl Iterator<Item = (TrackId, Range<usize>)> + '_ {
        let mut first = 0;
        self.tracks.iter().zip(&self.ends).map(move |(track, end)| (*track, std::mem::replace(&mut first, *end as usize)..*end as usize))
    }

    /// The same with other tracks.
    pub fn map(&self, mut track: impl FnMut(TrackId) -> TrackId) -> Self {
        let mut out = TrackRuns::default();
        self.runs().for_each(|(old, part)| out.push(track(old), part.len()));
        out
    }

    fn run_of(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end as usize <= at)
    }
}

impl Index<usize> for TrackRuns {
    type Output = TrackId;

    fn index(&self, at: usize) -> &TrackId {
        &self.tracks[self.run_of(at)]
    }
}

impl FromIterator<TrackId> for TrackRuns {
    fn from_iter<I: IntoIterator<Item = TrackId>>(tracks: I) -> Self {
        let mut out = TrackRuns::default();
        tracks.into_iter().for_each(|track| out.push(track, 1));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(tracks: &[u32]) -> TrackRuns {
        tracks.iter().map(|t| TrackId(*t)).collect()
    }

    #[test]
    fn each_element_has_its_track() {
        for tracks in [&[][..], &[3], &[0, 0, 2, 2, 2, 1], &[5, 4, 5]] {
            let got = runs(tracks);
            let each: Vec<u32> = (0..got.len()).map(|i| got[i].0).collect();
            assert_eq!((each.as_slice(), got.len(), got.is_empty()), (tracks, tracks.len(), tracks.is_empty()));
            assert_eq!((got.get(tracks.len()), got.get(0).map(|t| t.0)), (None, tracks.first().copied()));
            let (track, end) = got.columns();
            assert_eq!(TrackRuns::of_columns(track.to_vec(), end.to_vec()), Some(got.clone()));
        }
        let got = runs(&[0, 0, 2, 2, 2, 1]);
        assert_eq!(got.runs().map(|(t, part)| (t.0, part)).collect::<Vec<_>>(), [(0, 0..2), (2, 2..5), (1, 5..6)]);
    }

    #[test]
    fn runs_that_become_one_track_are_one() {
        let got = runs(&[0, 0, 2, 2, 2, 1]).map(|t| TrackId(t.0.min(1)));
        assert_eq!(got, runs(&[0, 0, 1, 1, 1, 1]));
        assert_eq!(got.columns().0.len(), 2);
        let mut same = got.clone();
        same.push(TrackId(9), 0);
        assert_eq!(same, got);
    }

    #[test]
    fn columns_that_are_no_runs_are_refused() {
        for (tracks, ends) in [(vec![1], vec![]), (vec![1, 2], vec![4, 4]), (vec![1, 2], vec![4, 3]), (vec![1], vec![0])] {
            assert_eq!(TrackRuns::of_columns(tracks.into_iter().map(TrackId).collect(), ends), None);
        }
    }
}
