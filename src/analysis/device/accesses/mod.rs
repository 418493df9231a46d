//! What instructions and DMA transfers read and write: the map of State Buffer and PSUM over time, and who produced what is read there or in device
//! memory.

pub mod map;
pub mod neighbours;
pub mod producers;
mod sweep;

pub use map::{MemoryMap, MemoryMapQuery};

use crate::base::TrackId;
use crate::model::accesses::{Access, Memory};
use crate::model::{NeuronDevice, Profile, TrackKind};

/// Runs of one access that are looked at one by one; an access with more counts as one run that spans them.
const MOST_RUNS: u32 = 64;

/// When an instruction accesses memory: while it runs, or while its transfer does.
pub(super) fn access_time(profile: &Profile, device: &NeuronDevice, slice: u32) -> (i64, i64) {
    let own = || (profile.slices.start[slice as usize], profile.slices.end(slice as usize));
    device.transfer_of(slice).map_or_else(own, |t| (t.start, t.end))
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

/// Whether a memory is of one core alone; device memory is of all.
fn is_on_chip(memory: Memory) -> bool {
    matches!(memory, Memory::StateBuffer | Memory::Psum)
}

/// Partitions of an access (end exclusive). Device memory has none; its accesses share one constant range.
fn partitions(access: &Access) -> (u16, u16) {
    match is_on_chip(access.memory) {
        true => (access.partition, access.partition.saturating_add(access.n_partitions)),
        false => DEVICE_GROUP,
    }
}

/// The partition number of device memory.
const DEVICE_GROUP: (u16, u16) = (0, 1);

/// Whether two accesses have a byte of a partition in common. Addresses and entries of the table of tensors are two memories: which entry stands for
/// which address is not recorded.
fn overlap(a: &Access, b: &Access) -> bool {
    let (pa, pb) = (partitions(a), partitions(b));
    let is_apart = pa.0 >= pb.1 || pb.0 >= pa.1 || a.address >= b.end() || b.address >= a.end();
    if (a.memory, a.table) != (b.memory, b.table) || is_apart {
        return false;
    }
    a.runs(MOST_RUNS).any(|(from, to)| b.runs(MOST_RUNS).any(|(first, end)| from < end && first < to))
}
