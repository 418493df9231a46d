//! The typed part of a PyTorch trace, once every slice and track has its final id.

use super::facts::TraceMetadata;
use super::flows::FlowEnd;
use super::lanes::Lanes;
use super::table_rows::Tables;
use crate::base::Order as _;
use crate::base::radix_sort::order_many;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk};
use crate::model::builder::Finished;
use crate::model::replays::Replays;
use crate::model::torch::{Thread, Torch};
use crate::model::{Blocks, ProfileBuilder, RawSliceId};
use rustc_hash::FxHashMap;

/// A thread with its raw track, and the texts of its ids.
pub(super) type RawThread = (TrackId, StrId, StrId);

/// Ids of every thread, as texts of the profile.
pub(super) fn threads(lanes: &Lanes, builder: &mut ProfileBuilder) -> Vec<RawThread> {
    let mut text = |id| builder.strings.intern(lanes.ids.get(id));
    lanes.threads.iter().map(|t| (t.track, text(lanes.processes[t.process].pid), text(t.tid))).collect()
}

/// What only PyTorch traces have, as typed values. Times in `tables` and `flows` are moved by `offset`, as those of the slices were.
pub(super) fn torch(
    finished: &mut Finished,
    facts: &mut TraceMetadata,
    tables: Tables,
    replays: Replays,
    threads: &[RawThread],
    backward: Vec<(i64, i64)>,
    offset: i64,
) -> Torch {
    let mut numbers = std::mem::take(&mut finished.numbers).into_iter();
    let (correlation, external_id) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let of = &*finished.slice_of_raw;
    let mut memory = tables.memory.into_vec();
    for_each_chunk(memory.len(), &mut |part| {
        for event in &mut memory[part] {
            event.time = event.time.saturating_add(offset);
            event.track = finished.track_of_raw[event.track.index()].unwrap_or_default();
        }
    });
    // They are in the order of the file.
    order_many(&mut memory, |m| m.time);
    let track = |raw: TrackId| finished.track_of_raw[raw.index()];
    let mut threads: Vec<Thread> = threads.iter().filter_map(|&(raw, pid, tid)| Some(Thread { track: track(raw)?, pid, tid })).collect();
    threads.order_by_key(|t| t.track);
    let moved = |t: i64| t.saturating_add(offset);
    Torch {
        correlation,
        external_id,
        rank: facts.rank,
        has_text_thread_ids: tables.has_text_thread_ids,
        framework: std::mem::take(&mut facts.framework),
        devices: std::mem::take(&mut facts.devices),
        threads,
        kernels: by_slice(tables.kernels, of, |k| &mut k.slice),
        memory,
        collectives: by_slice(tables.collectives, of, |c| &mut c.slice),
        functions: by_slice(tables.functions, of, |f| &mut f.slice),
        stacks: by_slice(tables.stacks, of, |s| &mut s.0),
        inputs: by_slice(tables.inputs, of, |i| &mut i.slice),
        launch_kernels: by_slice(tables.launch_kernels, of, |l| &mut l.0),
        replays: placed(replays, of),
        backward: backward.into_iter().map(|(from, to)| (moved(from), moved(to))).collect(),
    }
}

/// Replays with their final slices.
fn placed(mut replays: Replays, slice_of_raw: &[SliceId]) -> Replays {
    replays.nodes.iter_mut().for_each(|node| node.slice = slice_of_raw[node.slice as usize].0);
    replays.work.iter_mut().for_each(|work| work.0 = slice_of_raw[work.0 as usize].0);
    replays.launches.iter_mut().for_each(|launch| launch.slice = slice_of_raw[launch.slice as usize].0);
    replays.work.sort_unstable();
    replays.launches.order_by_key(|launch| launch.slice);
    replays
}

/// Rows with their final slices, sorted by them.
fn by_slice<T: Copy>(rows: Blocks<T>, slice_of_raw: &[SliceId], slice: impl Fn(&mut T) -> &mut RawSliceId) -> Vec<T> {
    let mut rows = rows.into_vec();
    for_each_chunk(rows.len(), &mut |part| {
        for row in &mut rows[part] {
            let slice = slice(row);
            *slice = slice_of_raw[*slice as usize].0;
        }
    });
    // A copy of one row is what the key function can look into.
    order_many(&mut rows, |row| i64::from(*slice(&mut { *row })));
    rows
}

/// Pairs (start of the forward operator, start of the backward one) of the flows `fwdbwd`, in the order their ids were found. Where an id has
/// several beginnings or ends, the last one in the file counts.
pub(super) fn backward(flows: &Blocks<FlowEnd>, is_kind: impl Fn(StrId) -> bool) -> Vec<(i64, i64)> {
    let mut place: FxHashMap<u64, usize> = FxHashMap::default();
    let mut pairs: Vec<(Option<i64>, Option<i64>)> = Vec::new();
    for end in flows.iter().filter(|f| f.phase() != b't' && is_kind(f.kind)) {
        let at = *place.entry(end.id).or_insert_with(|| {
            pairs.push((None, None));
            pairs.len() - 1
        });
        match end.phase() {
            b's' => pairs[at].0 = Some(end.time),
            _ => pairs[at].1 = Some(end.time),
        }
    }
    pairs.into_iter().filter_map(|(from, to)| Some((from?, to?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_end_of_an_id_counts() {
        let end = |phase, id, time| FlowEnd::new(StrId(1), id, TrackId(0), time, phase);
        let other = FlowEnd::new(StrId(2), 1, TrackId(0), 99, b's');
        let mut flows = Blocks::default();
        for end in [
            end(b's', 1, 10),
            end(b's', 2, 20),
            other,
            end(b'f', 2, 70),
            end(b'f', 1, 80),
            end(b's', 1, 11),
            end(b'f', 1, 90),
            end(b's', 3, 30),
            end(b't', 3, 35),
            end(b'f', 4, 40),
        ] {
            flows.push(end);
        }
        assert_eq!(backward(&flows, |kind| kind == StrId(1)), [(11, 90), (20, 70)]);
    }
}
