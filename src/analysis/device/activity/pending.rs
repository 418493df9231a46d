//! DMA transfers under way: each counts from the start of the instruction that asks for it to the end of its last packet.
//!
//! The curve `pending_dma` that `neuron-profile` writes rises with each of these instructions and never falls.

use crate::analysis::device::activity::line::Line;
use crate::analysis::device::waiting::signals;
use crate::base::TrackId;
use crate::model::{NeuronDevice, Profile};
use std::collections::BTreeMap;

/// Transfers under way on each core, of those with attributed packets.
pub(in crate::analysis::device) fn pending(profile: &Profile, device: &NeuronDevice) -> Vec<Line> {
    let roots = signals::roots(profile);
    // Changes by core and time.
    let mut cores: BTreeMap<u32, BTreeMap<i64, i64>> = BTreeMap::new();
    for transfer in &device.transfers {
        let (at, end) = (crate::base::SliceId(transfer.instruction), transfer.end);
        let Some(core) = profile.track_of(at).and_then(|t| roots.get(t.index())) else { continue };
        let start = profile.slices.start[at.index()];
        let changes = cores.entry(*core).or_default();
        *changes.entry(start).or_default() += 1;
        *changes.entry(end.max(start)).or_default() -= 1;
    }
    let line = |(core, changes): (u32, BTreeMap<i64, i64>)| {
        let mut count = 0;
        let (times, values) = changes
            .into_iter()
            .map(|(time, change)| {
                count += change;
                (time, count as f64)
            })
            .unzip();
        Line { group: Some(TrackId(core)), name: "DMA Transfers Under Way", unit: "", times, values }
    };
    cores.into_iter().map(line).collect()
}
