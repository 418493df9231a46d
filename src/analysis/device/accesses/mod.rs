//! What instructions and DMA transfers read and write in State Buffer and PSUM: the map of a memory over time, and who produced what is read.

pub mod map;
pub mod neighbours;
pub mod producers;
mod sweep;

pub use map::{MemoryMap, MemoryMapQuery};

use crate::base::TrackId;
use crate::model::accesses::{Access, Memory};
use crate::model::{NeuronDevice, Profile, TrackKind};
use rustc_hash::FxHashMap;

/// Runs of one access that are looked at one by one; an access with more counts as one run that spans them.
const MOST_RUNS: u32 = 64;

/// When each transfer with attributed packets moved its bytes: (first start, last end) by the instruction that started it.
pub(super) fn transfer_times(profile: &Profile, device: &NeuronDevice) -> FxHashMap<u32, (i64, i64)> {
    let mut out: FxHashMap<u32, (i64, i64)> = FxHashMap::default();
    for packet in &device.packets {
        let at = packet.slice as usize;
        let (start, end) = (profile.slices.start[at], profile.slices.end(at));
        let span = out.entry(packet.instruction).or_insert((start, end));
        *span = (span.0.min(start), span.1.max(end));
    }
    out
}

/// When an instruction accesses memory: while it runs, or while its transfer does.
fn access_time(profile: &Profile, transfers: &FxHashMap<u32, (i64, i64)>, slice: u32) -> (i64, i64) {
    let own = (profile.slices.start[slice as usize], profile.slices.end(slice as usize));
    transfers.get(&slice).copied().unwrap_or(own)
}

/// Rows of engines with the core of each.
fn engine_tracks(profile: &Profile) -> impl Iterator<Item = (TrackId, TrackId)> {
    let tracks = (0..profile.tracks.len() as u32).map(TrackId).filter(|t| profile.tracks[t.index()].kind == TrackKind::Engine);
    tracks.map(|track| (track, core_of(profile, track)))
}

/// The track above all others.
fn core_of(profile: &Profile, track: TrackId) -> TrackId {
    std::iter::successors(Some(track), |t| profile.tracks.get(t.index())?.parent).last().unwrap_or(track)
}

/// Whether two accesses have a byte of a partition in common.
fn overlap(a: &Access, b: &Access) -> bool {
    let of_partitions = |x: &Access| (x.partition, x.partition.saturating_add(x.n_partitions));
    let (pa, pb) = (of_partitions(a), of_partitions(b));
    let is_on_chip = matches!(a.memory, Memory::StateBuffer | Memory::Psum);
    if a.memory != b.memory || !is_on_chip || pa.0 >= pb.1 || pb.0 >= pa.1 || a.address >= b.end() || b.address >= a.end() {
        return false;
    }
    a.runs(MOST_RUNS).any(|(from, to)| b.runs(MOST_RUNS).any(|(first, end)| from < end && first < to))
}
