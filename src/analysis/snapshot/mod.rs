//! Answers about a memory snapshot of PyTorch's allocator.

pub mod labels;
pub mod live;
pub mod picture;
pub mod pyramid;
pub mod segments;
pub mod summary;

pub use labels::{GroupBy, SnapshotModel};
pub use live::{Allocation, AllocationDetail, AllocationsQuery, Live, LiveAllocations, LiveGroup, LiveQuery};
pub use picture::{Band, Layer, Picture, PictureQuery};
pub use segments::{SegmentCell, SegmentMap, SegmentRow};
pub use summary::{DeviceSummary, OomRow, SnapshotSummary};

use crate::model::snapshot::SnapshotDevice;
use crate::model::{MemorySnapshot, Profile};

/// A snapshot with what its answers share.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its snapshot.
    pub snapshot: &'a MemorySnapshot,
    /// Labels of stacks.
    pub model: &'a SnapshotModel,
}

/// What a question names and a snapshot has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The device of that number.
    #[error("This snapshot has no device {0}.")]
    NoDevice(u32),
    /// The allocation of that id.
    #[error("Device {device} has no allocation {id}.")]
    NoAllocation {
        /// The device.
        device: u32,
        /// The id.
        id: u32,
    },
}

impl View<'_> {
    /// Summaries of a device of this snapshot.
    fn pyramid(&self, device: &SnapshotDevice) -> &pyramid::HistoryPyramid {
        let at = self.snapshot.devices.iter().position(|d| std::ptr::eq(d, device)).unwrap_or(0);
        &self.model.pyramids[at]
    }

    /// The device of that number.
    pub fn device(&self, device: u32) -> Result<&SnapshotDevice, SnapshotError> {
        self.snapshot.devices.iter().find(|d| d.device == device).ok_or(SnapshotError::NoDevice(device))
    }
}

/// The state with the most allocated bytes; the first of equal ones.
pub fn peak_state(device: &SnapshotDevice) -> u32 {
    let mut peak = (0, 0);
    for (state, &bytes) in device.allocated.iter().enumerate() {
        if bytes > peak.1 {
            peak = (state as u32, bytes);
        }
    }
    peak.0
}

#[cfg(test)]
mod tests;
