//! Intervals of the timeline of interest: tensors that are moved again and again, and many small transfers at once.

use crate::analysis::device::memory::tensor_row::{RELOADED, TensorRow};
use crate::base::Order as _;
use crate::base::{TimeNs, TimeRange, TrackId, for_each_chunk, radix_order};
use crate::model::{Domain, NeuronDevice, Profile, TrackKind};
use serde::{Deserialize, Serialize};

/// A transfer of fewer bytes is small: it takes about as long as one of this size.
pub const SMALL_BYTES: u32 = 512;
/// Number of consecutive small transfers that make an interval.
pub const SMALL_MOST: u64 = 64;
/// Maximum time from the end of one to the start of the next.
pub const SMALL_GAP_NS: i64 = 1_000;
/// Intervals that are listed.
const MOST: usize = 10_000;

/// Start, end and bytes of a transfer.
type Transfer = (i64, i64, u32);

/// Why an interval is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BandKind {
    /// A tensor is moved more than twice.
    Reloaded,
    /// Many small transfers.
    SmallTransfers,
}

/// An interval of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Why.
    pub kind: BandKind,
    /// When.
    pub range: TimeRange,
    /// The tensor, or the core.
    pub name: String,
    /// Transfers in it.
    pub transfers: u64,
    /// Their bytes; `None` if not recorded.
    pub bytes: Option<u64>,
    /// How many times the tensor's size was moved.
    pub factor: Option<f64>,
}

/// All intervals, by start.
pub fn bands(profile: &Profile, tensors: &[TensorRow]) -> Vec<Band> {
    let reloaded = tensors.iter().filter_map(|t| {
        let (range, factor) = (t.used?, t.factor().filter(|f| *f > RELOADED)?);
        let (name, transfers) = (t.name.clone(), t.transfers.unwrap_or(0));
        Some(Band { kind: BandKind::Reloaded, range, name, transfers, bytes: t.moved_bytes, factor: Some(factor) })
    });
    let mut out: Vec<Band> = reloaded.collect();
    out.extend(small(profile));
    out.order_by_key(|b| b.range.start);
    out.truncate(MOST);
    out
}

/// Intervals of small transfers, core by core.
fn small(profile: &Profile) -> Vec<Band> {
    let Domain::NeuronDevice(device) = &profile.domain else {
        return Vec::new();
    };
    let mut by_core: Vec<(String, Vec<Transfer>)> = Vec::new();
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let path = profile.track_path(TrackId(t as u32));
        let core = path.split(" / ").next().unwrap_or_default();
        let at = by_core.iter().position(|c| c.0 == core).unwrap_or_else(|| {
            by_core.push((core.into(), Vec::new()));
            by_core.len() - 1
        });
        let slices = profile.slices_of(TrackId(t as u32));
        let (all, small) = (device.bytes.as_slice(), &mut by_core[at].1);
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|k| slices.start + k) {
                let bytes = all.get(i).copied().unwrap_or(NeuronDevice::ABSENT);
                if bytes < SMALL_BYTES {
                    small.push((profile.slices.start[i], profile.slices.end(i), bytes));
                }
            }
        });
    }
    by_core.into_iter().flat_map(|(core, transfers)| intervals(&core, transfers)).collect()
}

fn intervals(core: &str, transfers: Vec<Transfer>) -> Vec<Band> {
    let order = radix_order(transfers.len(), |i| transfers[i].0);
    let mut sorted: Vec<Transfer> = Vec::with_capacity(order.len());
    for_each_chunk(order.len(), &mut |part| sorted.extend(order[part].iter().map(|i| transfers[*i as usize])));
    let transfers = sorted;
    let groups = transfers.chunk_by(|a, b| b.0.saturating_sub(a.0) <= SMALL_GAP_NS);
    let band = |group: &[Transfer]| Band {
        kind: BandKind::SmallTransfers,
        range: TimeRange { start: TimeNs(group[0].0), end: TimeNs(group.iter().map(|t| t.1).max().unwrap_or(group[0].0)) },
        name: core.into(),
        transfers: group.len() as u64,
        bytes: Some(group.iter().map(|t| u64::from(t.2)).sum()),
        factor: None,
    };
    groups.filter(|g| g.len() as u64 >= SMALL_MOST).map(band).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_transfers_are_one_stretch() {
        let near = (0..100).map(|i| (i * 500, i * 500 + 60, 8));
        let far = (0..63).map(|i| (1_000_000 + i * 500, 1_000_100 + i * 500, 8));
        let bands = intervals("NC 4", near.chain(far).collect());
        assert_eq!(bands.len(), 1, "63 are too few");
        assert_eq!((bands[0].transfers, bands[0].bytes, bands[0].range.end.0), (100, Some(800), 99 * 500 + 60));
    }
}
