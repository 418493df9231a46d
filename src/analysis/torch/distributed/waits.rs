//! What the time of communication calls went to.

use super::matching::Transfer;
use super::{DistributedPart, WaitTimes};
use crate::analysis::spans::{Ranges, length, union};
use crate::base::DurationNs;

/// Moving data and waiting in those of `calls` that were matched.
pub fn waits(part: &DistributedPart, transfer: &[Transfer], calls: impl Iterator<Item = usize>) -> WaitTimes {
    let (mut all, mut moving): (Ranges, Ranges) = Default::default();
    for i in calls {
        if let (Some(call), Some(Some(transfer))) = (part.calls.get(i), transfer.get(i)) {
            all.extend(call.ranges.iter().map(|r| (r.0.0, r.1.0)));
            moving.extend(transfer);
        }
    }
    let (all, moving) = (length(&union(all)), length(&union(moving)));
    WaitTimes { transfer: DurationNs(moving), synchronizing: DurationNs(all.saturating_sub(moving)) }
}
