//! Lanes to draw while a timeline is still being read.

use crate::base::{StrId, TrackId};
use crate::formats::Preview;
use crate::model::ProfileBuilder;

/// Slices of the preview, per import.
const MOST: usize = 200_000;
/// A track without a lane.
const NONE: u32 = u32::MAX;

/// Raw lanes: one for each row that a slice was met on.
#[derive(Default)]
pub(super) struct Lanes {
    /// By track of the builder.
    lane_of: Vec<u32>,
    /// Tracks by lane.
    tracks: Vec<TrackId>,
    slices: Vec<(u32, i64, i64, u16)>,
    n: usize,
}

impl Lanes {
    /// A slice that was read.
    pub fn slice(&mut self, track: TrackId, (start, duration): (i64, i64), name: StrId) {
        if self.n == MOST {
            return;
        }
        self.n += 1;
        if self.lane_of.len() <= track.index() {
            self.lane_of.resize(track.index() + 1, NONE);
        }
        let lane = &mut self.lane_of[track.index()];
        if *lane == NONE {
            *lane = self.tracks.len() as u32;
            self.tracks.push(track);
        }
        self.slices.push((*lane, start, duration, name.0 as u16));
    }

    /// What is new since the last call.
    pub fn take(&mut self, builder: &mut ProfileBuilder) -> Preview {
        let lanes = self.tracks.iter().map(|t| builder.track_mut(*t).name.clone()).collect();
        Preview { slices: std::mem::take(&mut self.slices), lanes }
    }
}
