//! Bytes from and to HBM. Instructions record bytes when they start a transfer, but not when it runs; transfers record when, but neither memory nor direction.

use crate::analysis::device::activity::lanes;
use crate::analysis::device::share;
use crate::analysis::device::waiting::gaps;
use crate::base::{TimeRange, TrackId, for_each_chunk};
use crate::model::domain::HbmTraffic;
use crate::model::{Domain, NeuronDevice, Profile, TrackKind};

/// What feeds the queues through which engines fetch their instructions; the file's sums of HBM leave these bytes out.
const FETCH: &str = "instruction";

/// The instructions that start in `range` and have bytes of HBM.
pub(in crate::analysis::device) fn started<'a>(
    profile: &'a Profile,
    device: &'a NeuronDevice,
    range: TimeRange,
) -> impl Iterator<Item = &'a HbmTraffic> {
    device.hbm.iter().filter(move |row| (range.start.0..range.end.0).contains(&profile.slices.start[row.slice as usize]))
}

/// Bytes (read, written) that instructions which start in `range` move; `None` where instructions do not record them.
pub(in crate::analysis::device) fn traffic(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Option<(u64, u64)> {
    let add = |(read, written): (u64, u64), row: &HbmTraffic| (read.saturating_add(row.read), written.saturating_add(row.written));
    (!device.hbm.is_empty()).then(|| started(profile, device, range).fold((0, 0), add))
}

/// Bytes that moved in `range`, for the use of the bandwidth: of a range that holds the whole run those of the instructions, of a part of it those
/// of its transfers. `None` where the file does not record them.
pub(in crate::analysis::device) fn moved(profile: &Profile, range: TimeRange) -> Option<u64> {
    let Domain::NeuronDevice(device) = &profile.domain else { return None };
    if gaps::holds_run(profile, range) {
        return traffic(profile, device, range).map(|(read, written)| read.saturating_add(written));
    }
    transferred(profile, device, range)
}

/// Bytes of the transfers that run in `range`, parted over their time, fetches of instructions omitted. They stand for bytes of HBM: of both public
/// runs they are those that the instructions record it, and 320 bytes of semaphores (0.03%). Packets that occur twice in the file count once.
/// `None` where no instruction records bytes of HBM, which they could stand for, or no transfer records a size.
pub(in crate::analysis::device) fn transferred(profile: &Profile, device: &NeuronDevice, range: TimeRange) -> Option<u64> {
    let types = profile.attribute("queue_type").map(|a| a.values.as_slice());
    let fetch = profile.strings.iter().find(|(_, text)| *text == FETCH).map(|(id, _)| id);
    let is_fetch = |i: usize| fetch.is_some() && types.and_then(|t| t.get(i)).copied() == fetch;
    let size = |i: usize| device.bytes.get(i).copied().filter(|n| *n != NeuronDevice::ABSENT);
    let queues = || profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue).map(|t| TrackId(t.0 as u32));
    let is_recorded = !device.hbm.is_empty() && queues().any(|track| profile.slices_of(track).any(|i| size(i).is_some()));
    let mut sum = 0u64;
    for track in queues().filter(|_| is_recorded) {
        for (_, lane) in lanes::touching(profile, track, range) {
            let mut twice = lanes::Listed::from(&device.duplicates, lane.start);
            for_each_chunk(lane.len(), &mut |part| {
                for i in part.map(|k| lane.start + k).filter(|i| !is_fetch(*i) && !twice.has(*i)) {
                    let here = size(i).map_or(0, |n| share::within(n.into(), (profile.slices.start[i], profile.slices.end(i)), range));
                    sum = sum.saturating_add(here);
                }
            });
        }
    }
    is_recorded.then_some(sum)
}
