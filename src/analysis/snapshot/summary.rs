//! Values of a snapshot, device by device.

use super::{View, peak_state};
use crate::model::snapshot::{BlockState, SnapshotDevice};
use serde::{Deserialize, Serialize};

/// The snapshot.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SnapshotSummary {
    /// Whether events have times.
    pub has_times: bool,
    /// Ordered by number.
    pub devices: Vec<DeviceSummary>,
}

/// One device. Bytes of allocations are those asked for; bytes of blocks are with rounding.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceSummary {
    /// Its number.
    pub device: u32,
    /// Events.
    pub n_events: u64,
    /// Events by what they did.
    pub actions: Vec<(String, u64)>,
    /// Allocations of the whole history.
    pub n_allocations: u64,
    /// Bytes of the largest allocation.
    pub largest_allocation: u64,
    /// Segments at the snapshot.
    pub n_segments: u64,
    /// Their bytes.
    pub reserved: u64,
    /// Blocks in use, released but in use on another stream, and free.
    pub n_blocks: (u64, u64, u64),
    /// Bytes of blocks in use, with rounding.
    pub allocated_rounded: u64,
    /// Bytes of blocks in use, as asked for.
    pub allocated_requested: u64,
    /// Bytes lost to rounding within blocks in use.
    pub free_internal: u64,
    /// Bytes of free blocks.
    pub free_external: u64,
    /// Bytes of the largest free block.
    pub largest_free_block: u64,
    /// Time of the first and of the last event, nanoseconds since the profile's origin.
    pub times: Option<(i64, i64)>,
    /// Bytes and allocations before the first event.
    pub before: (u64, u64),
    /// Most bytes at a time.
    pub peak: u64,
    /// The first state with them; 0 is before the first event.
    pub peak_state: u32,
    /// Its time.
    pub peak_time: Option<i64>,
    /// Allocations in it.
    pub n_at_peak: u64,
    /// Bytes after the last event.
    pub after: u64,
    /// Most reserved bytes at a time.
    pub peak_reserved: u64,
    /// Failed allocations.
    pub ooms: Vec<OomRow>,
}

/// A failed allocation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OomRow {
    /// State.
    pub state: u32,
    /// Time.
    pub time: Option<i64>,
    /// Bytes asked for.
    pub size: u64,
    /// Free bytes of the device.
    pub device_free: Option<u64>,
    /// Allocated bytes at that moment.
    pub allocated: u64,
    /// Reserved bytes at that moment.
    pub reserved: u64,
    /// Its innermost Python frame.
    pub frame: String,
}

/// Failed allocations that are listed at most.
const OOMS_MAX: usize = 1000;

/// The values of every device.
pub fn summary(view: &View<'_>) -> SnapshotSummary {
    SnapshotSummary { has_times: view.snapshot.has_times, devices: view.snapshot.devices.iter().map(|d| of_device(view, d)).collect() }
}

fn of_device(view: &View<'_>, device: &SnapshotDevice) -> DeviceSummary {
    let (all, peak) = (&device.allocations, peak_state(device));
    let n_live = |state: u32| (0..all.len()).filter(|&i| all.is_live(i, state)).count() as u64;
    let of = |state: BlockState| device.blocks.iter().filter(move |b| b.state == state);
    let count = |state| of(state).count() as u64;
    let oom = |oom: &crate::model::snapshot::Oom| OomRow {
        state: oom.state,
        time: device.time(oom.state),
        size: oom.size,
        device_free: oom.device_free,
        allocated: device.allocated.get(oom.state as usize).copied().unwrap_or(0),
        reserved: device.reserved_at(oom.state),
        frame: view.model.named(oom.stack).0.into(),
    };
    DeviceSummary {
        device: device.device,
        n_events: device.allocated.len() as u64 - 1,
        actions: device.actions.iter().map(|&(name, n)| (view.profile.strings.get(name).to_string(), n)).collect(),
        n_allocations: all.len() as u64,
        largest_allocation: all.size.iter().copied().max().unwrap_or(0),
        n_segments: device.segments.len() as u64,
        reserved: device.segments.iter().fold(0, |sum: u64, s| sum.saturating_add(s.size)),
        n_blocks: (count(BlockState::Allocated), count(BlockState::PendingFree), count(BlockState::Free)),
        allocated_rounded: of(BlockState::Allocated).map(|b| b.size).sum(),
        allocated_requested: of(BlockState::Allocated).map(|b| b.requested).sum(),
        free_internal: of(BlockState::Allocated).map(|b| b.size.saturating_sub(b.requested)).sum(),
        free_external: of(BlockState::Free).map(|b| b.size).sum(),
        largest_free_block: of(BlockState::Free).map(|b| b.size).max().unwrap_or(0),
        times: device.times.first().copied().zip(device.times.last().copied()),
        before: (device.allocated.first().copied().unwrap_or(0), n_live(0)),
        peak: device.allocated.get(peak as usize).copied().unwrap_or(0),
        peak_state: peak,
        peak_time: device.time(peak),
        n_at_peak: n_live(peak),
        after: device.allocated.last().copied().unwrap_or(0),
        peak_reserved: device.reserved.iter().map(|r| r.1).max().unwrap_or(0),
        ooms: device.ooms.iter().take(OOMS_MAX).map(oom).collect(),
    }
}
