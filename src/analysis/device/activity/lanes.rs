//! Slices lane by lane, in the order in which they are in memory: for values to which the order on their track does not matter.

use crate::analysis::spans::{self, Ranges};
use crate::base::{TimeRange, TrackId, first_position_near};
use crate::model::domain::Shape;
use crate::model::{NeuronDevice, Profile};
use std::ops::Range;

/// The slices of each lane of a track that touch `range`, each by start, with the lane's number. Lanes without any are omitted.
pub(in crate::analysis::device) fn touching(
    profile: &Profile,
    track: TrackId,
    range: TimeRange,
) -> impl Iterator<Item = (u32, Range<usize>)> {
    let slices = &profile.slices;
    profile.tracks[track.index()].lanes.clone().filter_map(move |number| {
        let lane = profile.lanes[number as usize];
        let (first, end) = (lane.first as usize, lane.end as usize);
        // Slices of a lane do not overlap: their ends ascend as their starts do.
        let n = slices.start[first..end].partition_point(|start| *start < range.end.0);
        let from = first + slices.start[first..first + n].partition_point(|start| *start < range.start.0);
        let reaches = |i: &usize| slices.end(*i) >= range.start.0;
        let before = (first..from).rev().take_while(reaches).count();
        (from - before < first + n).then_some((number, from - before..first + n))
    })
}

/// Slices that are sorted at a time: as many as fit into a processor's cache with what is known of them.
const WINDOW_SLICES: usize = 1 << 16;

/// Calls `each` with the ends of windows of a range that hold few enough of `n` slices each to be sorted in a cache, if these are spread evenly; the
/// last one has no end. A function of its own for the reason of [`crate::base::for_each_chunk`].
#[inline(never)]
pub(in crate::analysis::device) fn for_each_window(range: TimeRange, n: usize, each: &mut dyn FnMut(i64)) {
    let (n_windows, from, length) = (n.div_ceil(WINDOW_SLICES) as i64, range.start.0, range.duration().0);
    for window in 1..=n_windows {
        each(if window == n_windows { i64::MAX } else { from.saturating_add(length / n_windows * window) });
    }
}

/// Takes the slices that start before a time from what is left of a lane.
pub(in crate::analysis::device) fn take_before(profile: &Profile, left: &mut Range<usize>, to: i64) -> Range<usize> {
    let starts = &profile.slices.start;
    let end = if to == i64::MAX { left.end } else { first_position_near(left.clone(), left.start, |i| starts[i] >= to) };
    std::mem::replace(&mut left.start, end)..end
}

/// Calls `each` with what `pick` takes of the slices of several lanes: starts, ascending, and values; those of one start by value. `lanes` are ranges
/// of slices by start, most of them in `range`, with what `pick` knows of the lane.
pub(in crate::analysis::device) fn for_each_by_start<L, T: Copy + Ord>(
    profile: &Profile,
    range: TimeRange,
    lanes: impl Iterator<Item = (Range<usize>, L)>,
    mut pick: impl FnMut(&mut L, usize) -> Option<T>,
    mut each: impl FnMut(i64, T),
) {
    let mut lanes: Vec<(Range<usize>, L)> = lanes.collect();
    let mut window: Vec<(i64, T)> = Vec::new();
    for_each_window(range, lanes.iter().map(|lane| lane.0.len()).sum(), &mut |to| {
        window.clear();
        for (left, lane) in &mut lanes {
            window.extend(take_before(profile, left, to).filter_map(|i| Some((profile.slices.start[i], pick(lane, i)?))));
        }
        // Lanes are sorted already: a stable sort merges them.
        window.sort();
        window.iter().for_each(|(start, value)| each(*start, *value));
    });
}

/// The shapes of instructions while the slices of a lane go by.
pub(in crate::analysis::device) struct Shapes<'a> {
    left: &'a [Shape],
}

impl<'a> Shapes<'a> {
    /// Those from a slice on; `all` by slice.
    pub fn from(all: &'a [Shape], slice: usize) -> Self {
        Shapes { left: &all[all.partition_point(|s| (s.slice as usize) < slice)..] }
    }

    /// The shape of a slice, none before the last one asked about.
    pub fn of(&mut self, slice: usize) -> Option<Shape> {
        while let Some((first, rest)) = self.left.split_first().filter(|s| s.0.slice as usize <= slice) {
            if first.slice as usize == slice {
                return Some(*first);
            }
            self.left = rest;
        }
        None
    }
}

/// Which slices are in an ascending list, while those of a lane go by.
pub(in crate::analysis::device) struct Listed<'a> {
    left: &'a [u32],
}

impl<'a> Listed<'a> {
    /// Those from a slice on.
    pub fn from(all: &'a [u32], slice: usize) -> Self {
        Listed { left: &all[all.partition_point(|s| (*s as usize) < slice)..] }
    }

    /// Whether a slice is listed, which is none before the last one asked about.
    pub fn has(&mut self, slice: usize) -> bool {
        while let Some((first, rest)) = self.left.split_first() {
            if *first as usize >= slice {
                return *first as usize == slice;
            }
            self.left = rest;
        }
        false
    }
}

/// The packets that the profiler counts, while those of a lane go by: each once, and none that it leaves out of its tables.
pub(in crate::analysis::device) struct Counted<'a> {
    twice: Listed<'a>,
    unreported: Listed<'a>,
}

impl<'a> Counted<'a> {
    /// Those from a slice on.
    pub fn from(device: &'a NeuronDevice, slice: usize) -> Self {
        Counted { twice: Listed::from(&device.duplicates, slice), unreported: Listed::from(&device.unreported, slice) }
    }

    /// Whether it counts a packet, which is none before the last one asked about.
    pub fn has(&mut self, slice: usize) -> bool {
        !self.twice.has(slice) && !self.unreported.has(slice)
    }
}

/// Spans of tracks, lane by lane: spans of a lane are sorted by start already.
#[derive(Debug, Default)]
pub(in crate::analysis::device) struct LaneSpans {
    /// Joined spans of each finished track.
    tracks: Vec<Ranges>,
    /// Joined spans of the finished lanes of the current track: lane by lane, since one lane can have millions of spans.
    lanes: Ranges,
    /// Spans of the current lane, and its number.
    of_lane: Ranges,
    lane: Option<u32>,
}

impl LaneSpans {
    /// Adds a span of a lane, not before the last one of the same lane.
    pub fn push(&mut self, lane: u32, span: (i64, i64)) {
        if self.lane != Some(lane) {
            self.end_lane();
            self.lane = Some(lane);
        }
        spans::push(&mut self.of_lane, span);
    }

    fn end_lane(&mut self) {
        let (lanes, of_lane) = (std::mem::take(&mut self.lanes), std::mem::take(&mut self.of_lane));
        self.lanes = spans::union_of_two(lanes, of_lane);
        self.lane = None;
    }

    /// Joins the lanes of the track that was walked.
    pub fn end_track(&mut self) {
        self.end_lane();
        if !self.lanes.is_empty() {
            self.tracks.push(std::mem::take(&mut self.lanes));
        }
    }

    /// All of them.
    pub fn union(mut self) -> Ranges {
        self.end_track();
        spans::union_of(self.tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::{SliceId, TimeNs};

    #[test]
    fn shapes_go_by_with_their_slices() {
        let shape = |slice| Shape { slice, elements: slice * 10, ..Shape::default() };
        let all = [shape(2), shape(3), shape(7)];
        let mut shapes = Shapes::from(&all, 3);
        let elements = [3, 3, 4, 7, 9].map(|i| shapes.of(i).map(|s| s.elements));
        assert_eq!(elements, [Some(30), Some(30), None, Some(70), None]);
        assert_eq!(Shapes::from(&[], 0).of(5), None);
    }

    #[test]
    fn listed_slices_go_by() {
        let mut listed = Listed::from(&[2, 3, 7], 3);
        assert_eq!([3, 3, 4, 7, 7, 9].map(|i| listed.has(i)), [true, true, false, true, true, false]);
        assert!(!Listed::from(&[], 0).has(0));
    }

    #[test]
    fn lanes_are_merged_by_start() {
        let profile = drawn("t: a 0+10, b 2+3, c 5+0, d 5+5, e 10+0, f 12+4, g 13+1, h 20+1");
        let lanes = || touching(&profile, TrackId(0), profile.meta.range).map(|(lane, slices)| (slices, lane));
        let mut found = Vec::new();
        let pick = |lane: &mut u32, i: usize| (i != 3).then_some((i, *lane));
        for_each_by_start(&profile, profile.meta.range, lanes(), pick, |start, (i, lane)| {
            assert_eq!((profile.slices.start[i], profile.lane_of(SliceId(i as u32))), (start, Some(&profile.lanes[lane as usize])));
            found.push((start, i));
        });
        let mut want: Vec<(i64, usize)> = profile.slices.start.iter().copied().zip(0..).filter(|s| s.1 != 3).collect();
        want.sort_unstable();
        assert_eq!(found, want);
        for_each_by_start(&profile, profile.meta.range, std::iter::empty(), pick, |_, _| panic!("no lane has no slice"));
    }

    #[test]
    fn windows_cover_everything_in_order() {
        let profile = drawn("t: a 0+1, b 2+1, c 4+1, d 6+1, e 8+1");
        let range = TimeRange { start: TimeNs(0), end: TimeNs(9) };
        let mut ends = Vec::new();
        for_each_window(range, 2 * WINDOW_SLICES + 1, &mut |to| ends.push(to));
        assert_eq!(ends, [3, 6, i64::MAX]);
        let mut left = 0..profile.slices.len();
        assert_eq!(ends.into_iter().map(|to| take_before(&profile, &mut left, to)).collect::<Vec<_>>(), [0..2, 2..3, 3..5]);
        assert_eq!(left, 5..5);
        for_each_window(range, 0, &mut |_| panic!("no slice needs no window"));
    }

    #[test]
    fn slices_of_a_range_are_those_that_touch_it() {
        let profile = drawn("t: a 0+10, b 2+3, c 5+0, d 5+5, e 10+0, f 12+4, g 13+1, h 20+1");
        let all = 0..profile.slices.len();
        for from in 0..22 {
            for to in from + 1..23 {
                let range = TimeRange { start: TimeNs(from), end: TimeNs(to) };
                let mut found: Vec<usize> = touching(&profile, TrackId(0), range).flat_map(|l| l.1).collect();
                found.sort_unstable();
                let want: Vec<usize> = all.clone().filter(|i| profile.slices.start[*i] < to && profile.slices.end(*i) >= from).collect();
                assert_eq!(found, want, "{from}..{to}");
            }
        }
    }
}
