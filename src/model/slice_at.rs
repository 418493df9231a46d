//! Which slice a track shows at a time.

use super::Profile;
use crate::base::{SliceId, TimeNs, TrackId, first_position, first_position_near};

impl Profile {
    /// The innermost slice of `track` that holds `time`; one that starts right there counts even without duration.
    pub fn slice_at(&self, track: TrackId, time: TimeNs) -> Option<SliceId> {
        let range = self.tracks.get(track.index()).map(|_| self.slices_of(track))?;
        let after = first_position(range.clone(), |at| self.starts_after(at, time));
        let last = after.checked_sub(1).filter(|last| range.contains(last))?;
        self.innermost(track, time, SliceId(self.slices.by_start[last]))
    }

    /// Whether the slice at a position of `by_start` starts after `time`.
    fn starts_after(&self, at: usize, time: TimeNs) -> bool {
        self.slices.start[self.slices.by_start[at] as usize] > time.0
    }

    /// The innermost slice that holds `time`. `last` is the track's latest slice that starts at `time` or before.
    fn innermost(&self, track: TrackId, time: TimeNs, last: SliceId) -> Option<SliceId> {
        let mut at = Some(last);
        while let Some(slice) = at {
            if self.slices.start[slice.index()] == time.0 || self.slices.end(slice.index()) > time.0 {
                return at;
            }
            at = self.slices.parent(slice);
        }
        // The last to start and all that hold it are over; one in another sub-row may still run.
        let lanes = self.tracks[track.index()].lanes.clone();
        lanes.rev().find_map(|lane| {
            let lane = self.lanes[lane as usize];
            let starts = &self.slices.start[lane.first as usize..lane.end as usize];
            let i = lane.first as usize + starts.partition_point(|&s| s <= time.0).checked_sub(1)?;
            (self.slices.end(i) > time.0).then_some(SliceId(i as u32))
        })
    }
}

/// Answers [`Profile::slice_at`] for many times: those of a track that are near each other are found sooner.
pub struct SliceFinder<'a> {
    profile: &'a Profile,
    /// Indexed by track: the position in `by_start` that was found last.
    near: Vec<usize>,
}

impl<'a> SliceFinder<'a> {
    /// For times of `profile`.
    pub fn new(profile: &'a Profile) -> Self {
        SliceFinder { profile, near: vec![0; profile.tracks.len()] }
    }

    /// What [`Profile::slice_at`] returns.
    pub fn at(&mut self, track: TrackId, time: TimeNs) -> Option<SliceId> {
        let profile = self.profile;
        let near = self.near.get_mut(track.index())?;
        let range = profile.slices_of(track);
        let after = first_position_near(range.clone(), *near, |at| profile.starts_after(at, time));
        let last = after.checked_sub(1).filter(|last| range.contains(last))?;
        *near = last;
        profile.innermost(track, time, SliceId(profile.slices.by_start[last]))
    }
}
