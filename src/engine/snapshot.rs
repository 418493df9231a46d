//! Questions of a memory snapshot.

use super::Session;
use super::question::{Refusal, answers};
use crate::analysis::snapshot::{
    AllocationDetail, AllocationsQuery, Live, LiveAllocations, LiveQuery, Picture, PictureQuery, SegmentMap, SnapshotError, SnapshotModel,
    SnapshotSummary, View, live, picture, segments, summary,
};
use crate::model::Domain;
use serde::{Deserialize, Serialize};

/// The values of each device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotQuery;

/// One allocation, with its stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationQuery {
    /// Device.
    pub device: u32,
    /// Its number on the device.
    pub id: u32,
}

/// Segments of a device and their blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentsQuery {
    /// Device.
    pub device: u32,
}

impl Session {
    fn snapshot_view(&self) -> Result<View<'_>, Refusal> {
        let Domain::MemorySnapshot(snapshot) = &self.profile.domain else { return Err(Refusal::OtherKind("a memory snapshot")) };
        let model = self.snapshot.get_or_init(|| SnapshotModel::new(&self.profile, snapshot));
        Ok(View { profile: &self.profile, snapshot, model })
    }
}

answers! {
    SnapshotQuery => SnapshotSummary: |session, _| Ok(summary::summary(&session.snapshot_view()?));
    PictureQuery => Picture: |session, q| {
        let view = session.snapshot_view()?;
        Ok(picture::picture(&view, view.device(q.device)?, q))
    };
    LiveQuery => Live: |session, q| {
        let view = session.snapshot_view()?;
        Ok(live::live(&view, view.device(q.device)?, q))
    };
    AllocationsQuery => LiveAllocations: |session, q| {
        let view = session.snapshot_view()?;
        Ok(live::allocations(&view, view.device(q.device)?, q))
    };
    AllocationQuery => AllocationDetail: |session, q| {
        let view = session.snapshot_view()?;
        let found = live::allocation(&view, view.device(q.device)?, q.id);
        Ok(found.ok_or(SnapshotError::NoAllocation { device: q.device, id: q.id })?)
    };
    SegmentsQuery => SegmentMap: |session, q| {
        let view = session.snapshot_view()?;
        Ok(segments::segments(&view, view.device(q.device)?))
    };
}
