//! Tracks and their lanes.

use crate::base::{SliceId, StrId, StringTable, TrackId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a track shows; decides its icon, height and where slices may overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackKind {
    /// Holds other tracks: a process, a device, a NeuronCore.
    Group,
    /// A host thread.
    Thread,
    /// A device stream.
    Stream,
    /// An engine of a NeuronCore.
    Engine,
    /// A DMA queue or engine.
    Queue,
    /// Waits and semaphores: drawn thin.
    Wait,
    /// Asynchronous slices.
    Async,
    /// Values over time.
    Counter,
    /// Anything else with slices or instants.
    Other,
}

/// A row of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track {
    /// The group it belongs to; always earlier in the table.
    pub parent: Option<TrackId>,
    /// Groups above it.
    pub level: u16,
    /// Name.
    pub name: StrId,
    /// What it shows.
    pub kind: TrackKind,
    /// Its lanes, in depth order; empty for groups and counters.
    pub lanes: Range<u32>,
}

/// Slices of one track and depth that never overlap: `first..end` of the slice table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Its track.
    pub track: TrackId,
    /// 0 is the outermost.
    pub depth: u16,
    /// First slice.
    pub first: u32,
    /// One after the last.
    pub end: u32,
}

/// Names from the root to the track, joined by ` / `: how a track is named outside.
pub fn path(tracks: &[Track], strings: &StringTable, track: TrackId) -> String {
    let mut parts = Vec::new();
    let mut at = Some(track);
    while let Some(t) = at.and_then(|id| tracks.get(id.index())) {
        parts.push(strings.get(t.name));
        at = t.parent.filter(|p| Some(*p) < at);
    }
    parts.reverse();
    parts.join(" / ")
}

/// The lane a slice is in; `lanes` are in the order of their slices.
pub fn lane_of(lanes: &[Lane], slice: SliceId) -> Option<&Lane> {
    let at = lanes.partition_point(|lane| lane.end <= slice.0);
    lanes.get(at).filter(|lane| lane.first <= slice.0)
}
