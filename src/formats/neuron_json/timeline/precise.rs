//! Times to the picosecond and places of ends, four bytes for each slice.

use crate::base::{SliceId, for_each_chunk};
use crate::model::builder::ColumnId;
use crate::model::{Column, NeuronDevice, ProfileBuilder, RawSliceId};

/// Bits of a remainder below 1000.
const REST_BITS: u32 = 10;
const REST: u32 = (1 << REST_BITS) - 1;
/// Where the distance of the end begins.
const DISTANCE_AT: u32 = 2 * REST_BITS;
/// In place of a distance that is too long for its bits: see [`Precise`].
const FAR: u32 = u32::MAX >> DISTANCE_AT;

/// Distances that are too long for the column, by slice.
#[derive(Debug, Default)]
pub(super) struct Precise {
    far: Vec<(u32, u32)>,
}

/// What nanoseconds leave over of start and duration, picoseconds, by the entry of a slice; 0 where only nanoseconds are recorded.
pub(super) fn rest(entry: u32) -> (u16, u16) {
    match entry {
        NeuronDevice::ABSENT => (0, 0),
        _ => ((entry & REST) as u16, (entry >> REST_BITS & REST) as u16),
    }
}

impl Precise {
    /// Notes of a slice what nanoseconds leave over of start and duration, and how many records after its first its last one is.
    #[inline]
    pub fn push(&mut self, builder: &mut ProfileBuilder, column: ColumnId, slice: RawSliceId, (rest, distance): ((u16, u16), Option<u32>)) {
        let near = distance.filter(|distance| *distance < FAR);
        if near.is_none() {
            self.far.push((slice, distance.unwrap_or(NeuronDevice::ABSENT)));
        }
        let entry = u32::from(rest.0) & REST | (u32::from(rest.1) & REST) << REST_BITS | near.unwrap_or(FAR) << DISTANCE_AT;
        builder.set(column, slice, entry);
    }

    /// Distances of the ends, by slice, made when they are first read.
    pub fn end_distance(mut self, entries: std::sync::Arc<Column<u32>>, slice_of_raw: &[SliceId]) -> Column<u32> {
        self.far.iter_mut().for_each(|far| far.0 = slice_of_raw[far.0 as usize].0);
        self.far.sort_unstable();
        Column::later(entries.len(), entries.is_recorded(), move || {
            let mut out = vec![NeuronDevice::ABSENT; entries.len()];
            let entries = entries.as_slice();
            for_each_chunk(entries.len(), &mut |part| {
                for i in part {
                    out[i] = if entries[i] == NeuronDevice::ABSENT { NeuronDevice::ABSENT } else { entries[i] >> DISTANCE_AT };
                }
            });
            self.far.iter().for_each(|(slice, distance)| out[*slice as usize] = *distance);
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::StrId;
    use crate::model::{Meta, RawSlice, RecordRef, TrackKind, TrackSpec};

    #[test]
    fn distances_and_rests_are_kept() {
        let mut builder = ProfileBuilder::new();
        let column = builder.number(NeuronDevice::ABSENT);
        let track = builder.track(TrackSpec { parent: None, name: "t".into(), kind: TrackKind::Queue, sort: 0 });
        let (mut precise, absent) = (Precise::default(), NeuronDevice::ABSENT);
        // Later slices start earlier.
        let want = [Some(1), Some(FAR - 1), Some(FAR), Some(absent - 1), None];
        for (i, distance) in (0..).zip(want) {
            let slice = RawSlice { track, start: -i, duration: 0, name: StrId(0), record: RecordRef::default() };
            let slice = builder.slice(slice);
            precise.push(&mut builder, column, slice, ((999, i as u16), distance));
        }
        builder.slice(RawSlice { track, start: -9, duration: 0, name: StrId(0), record: RecordRef::default() });
        let mut finished = builder.finish(Meta::default());
        let entries = std::sync::Arc::new(finished.numbers.remove(0));
        assert_eq!(
            entries.iter().map(|entry| rest(*entry)).collect::<Vec<_>>(),
            [(0, 0), (999, 4), (999, 3), (999, 2), (999, 1), (999, 0)]
        );
        let distances = precise.end_distance(entries, &finished.slice_of_raw);
        assert_eq!(distances.as_slice(), [absent, absent, absent - 1, FAR, FAR - 1, 1]);
    }
}
