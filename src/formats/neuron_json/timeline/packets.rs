//! Which instruction asked for the transfer of a DMA packet.
//!
//! An engine puts its transfers on its dynamic queue, `qGpSimdDynamic`, in the order in which it executes them. The 16 DMA engines each serve a ring
//! of the queue, and on every ring a transfer ends with one packet of 4 bytes that raises its semaphore. So on each ring the k-th interval up to such a
//! packet belongs to the k-th transfer. An interval is attributed only if the packets of all rings add up to the bytes that the instruction writes and
//! none begins before it: a packet of data with 4 bytes would look like an end.

use crate::base::text::{count, counted};
use crate::base::{Ledger, StrId, TrackId, for_each_chunk};
use crate::model::accesses::{Access, Moved};
use crate::model::builder::{ColumnId, Shared};
use crate::model::{Attribute, NeuronDevice, Profile, TrackKind};
use rustc_hash::FxHashMap;

/// Bytes of the packet that ends a transfer on its ring.
const END_BYTES: u32 = 4;

/// Positions of engines, bytes and access sets in records that slices share, so that no column is needed for them.
pub(super) struct Cells<'a> {
    pub shared: Option<&'a Shared>,
    pub engine: ColumnId,
    pub bytes: ColumnId,
    pub accesses: ColumnId,
}

impl Cells<'_> {
    #[inline]
    fn shared(&self, slice: u32, column: ColumnId) -> Option<u32> {
        self.shared?.value(slice as usize, column)
    }

    /// Columns to look things up in; none where slices share what is looked for.
    fn columns<'a>(&self, profile: &'a Profile, device: &'a NeuronDevice) -> Option<(&'a [StrId], &'a [u32])> {
        let engines = profile.attribute("engine").filter(|_| self.shared.is_none())?;
        Some((engines.values.as_slice(), device.bytes.as_slice()))
    }

    #[inline]
    fn engine(&self, columns: Option<(&[StrId], &[u32])>, slice: u32) -> StrId {
        let shared = || StrId(self.shared(slice, self.engine).unwrap_or(0));
        columns.map_or_else(shared, |columns| columns.0[slice as usize])
    }

    #[inline]
    fn bytes(&self, columns: Option<(&[StrId], &[u32])>, slice: u32) -> u32 {
        let shared = || self.shared(slice, self.bytes).unwrap_or(NeuronDevice::ABSENT);
        columns.map_or_else(shared, |columns| columns.1[slice as usize])
    }

    fn accesses<'a>(&self, device: &'a NeuronDevice, slice: u32) -> &'a [Access] {
        match self.shared(slice, self.accesses) {
            Some(set) => device.access_sets.get(set as usize).map_or(&[], Vec::as_slice),
            None => device.accesses_of(slice),
        }
    }
}

/// Packets that no instruction is known for, by reason.
#[derive(Debug, Default)]
struct Unknown {
    not_fed: u64,
    several_queues: u64,
    unfit: u64,
}

/// A transfer that an instruction asked for.
struct Transfer {
    instruction: u32,
    start: i64,
    /// Bytes that it writes; `None` where its pattern is not exact.
    bytes: Option<u64>,
}

/// What the packets of an interval add up to, on all rings.
#[derive(Clone, Copy)]
struct Interval {
    n_packets: u32,
    bytes: u64,
    first: i64,
    last: i64,
    is_complete: bool,
}

/// Links packets with instructions, and names what they move where `moved` names it by instruction. `starters` are the instructions that ask for
/// transfers.
pub(super) fn link(
    profile: &mut Profile,
    device: &mut NeuronDevice,
    cells: &Cells<'_>,
    (starters, moved): (&[u32], &FxHashMap<u32, StrId>),
    ledger: &mut Ledger,
) {
    let transfers = transfers(profile, device, cells, starters);
    if transfers.is_empty() {
        return;
    }
    let mut triggers = vec![NeuronDevice::ABSENT; profile.slices.len()];
    let (mut n_linked, mut found) = (0, Vec::new());
    let mut unknown = Unknown::default();
    let queues = queues(profile);
    for (track, feeder) in &queues {
        let n_slices = profile.slices_of(*track).len() as u64;
        let fed = feeder.as_ref().and_then(|feeder| transfers.get(feeder));
        match fed {
            None => unknown.not_fed += n_slices,
            Some(_) if queues.iter().filter(|other| other.1 == *feeder).count() > 1 => unknown.several_queues += n_slices,
            Some(transfers) => {
                let n = queue(profile, (device, cells), *track, transfers, (&mut triggers, &mut found));
                unknown.unfit += n_slices - n;
                n_linked += n;
            }
        }
    }
    if n_linked > 0 {
        found.sort_unstable_by_key(|t: &Moved| t.instruction);
        (device.triggers, device.transfers) = (triggers, found);
    }
    note(&unknown, n_linked, ledger);
    name(profile, device, moved);
}

/// The core of a track: the track above all others.
fn root(profile: &Profile, track: TrackId) -> TrackId {
    std::iter::successors(Some(track), |t| profile.tracks.get(t.index())?.parent).last().unwrap_or(track)
}

/// Transfers by (core, name of the engine), by start.
fn transfers(profile: &Profile, device: &NeuronDevice, cells: &Cells<'_>, starters: &[u32]) -> FxHashMap<(TrackId, String), Vec<Transfer>> {
    let mut out: FxHashMap<(TrackId, String), Vec<Transfer>> = FxHashMap::default();
    if starters.is_empty() {
        return out;
    }
    let columns = cells.columns(profile, device);
    for &slice in starters {
        let Some(lane) = profile.lane_of(crate::base::SliceId(slice)) else { continue };
        let engine = profile.strings.get(cells.engine(columns, slice));
        let written = cells.accesses(device, slice).iter().find(|a| a.kind.writes() && a.is_exact);
        let transfer = Transfer { instruction: slice, start: profile.slices.start[slice as usize], bytes: written.map(|a| a.n_bytes()) };
        out.entry((root(profile, lane.track), engine.into())).or_default().push(transfer);
    }
    for all in out.values_mut() {
        all.sort_unstable_by_key(|t| (t.start, t.instruction));
        all.dedup_by_key(|t| t.instruction);
    }
    out
}

/// Rows of DMA queues with the core and engine that feed each; `None` for queues that no engine feeds while it runs.
fn queues(profile: &Profile) -> Vec<(TrackId, Option<(TrackId, String)>)> {
    let tracks = (0..profile.tracks.len() as u32).map(TrackId);
    let rows = tracks.filter(|t| profile.tracks[t.index()].kind == TrackKind::Queue);
    let feeder = |track: TrackId| {
        // `Q0 qGpSimdDynamic`, `Q1 qSyncDynamicHW`.
        let (_, name) = profile.strings.get(profile.tracks[track.index()].name).split_once(' ')?;
        let (engine, _) = name.strip_prefix('q')?.split_once("Dynamic")?;
        (!engine.is_empty()).then(|| (root(profile, track), engine.to_string()))
    };
    rows.map(|track| (track, feeder(track))).collect()
}

/// A packet, with what is looked up of it.
#[derive(Clone, Copy)]
struct Packet {
    slice: u32,
    engine: StrId,
    /// Nanoseconds.
    start: i64,
    end: i64,
    bytes: u32,
}

/// Packets that are looked up together: a look-up that waits for memory then waits for no other one.
const LOOKED_UP: usize = 1 << 10;

/// A ring while its packets are gone through.
#[derive(Default)]
struct Ring {
    /// Transfers that ended on it.
    n_ended: usize,
    /// Packets that start at the same moment.
    pending: Vec<Packet>,
}

/// Notes the instruction of each packet of a queue that is attributed, and the transfers; returns how many packets these are.
fn queue(
    profile: &Profile,
    (device, cells): (&NeuronDevice, &Cells<'_>),
    track: TrackId,
    transfers: &[Transfer],
    (triggers, found): (&mut [u32], &mut Vec<Moved>),
) -> u64 {
    let (columns, slices) = (cells.columns(profile, device), &profile.slices);
    let on_track = profile.slices_of(track);
    let by_start = &slices.by_start[on_track.clone()];
    let nothing = Interval { n_packets: 0, bytes: 0, first: i64::MAX, last: i64::MIN, is_complete: false };
    let mut intervals = vec![nothing; transfers.len()];
    let (mut rings, mut ring_of): (Vec<Ring>, Vec<u32>) = (Vec::new(), vec![u32::MAX; profile.strings.len()]);
    // Notes which transfer the packets are of that start together on a ring, instead of the instruction.
    let mut settle = |ring: &mut Ring, triggers: &mut [u32]| {
        // Packets of a ring are sequential: those that start in the same nanosecond are ordered by end.
        ring.pending.sort_by_key(|packet| packet.end);
        for packet in ring.pending.drain(..) {
            // More transfers than the engine requested: the first ones belong to another run, so the order is no evidence.
            let interval = intervals.get_mut(ring.n_ended)?;
            triggers[packet.slice as usize] = ring.n_ended as u32;
            interval.n_packets += 1;
            interval.first = interval.first.min(packet.start);
            interval.last = interval.last.max(packet.end);
            match packet.bytes {
                END_BYTES => {
                    interval.is_complete = true;
                    ring.n_ended += 1;
                }
                NeuronDevice::ABSENT => return None,
                n => interval.bytes += u64::from(n),
            }
        }
        Some(())
    };
    let (mut is_sound, mut looked_up) = (true, Vec::with_capacity(LOOKED_UP));
    let look_up = |&slice: &u32| Packet {
        slice,
        engine: cells.engine(columns, slice),
        start: slices.start[slice as usize],
        end: slices.end(slice as usize),
        bytes: cells.bytes(columns, slice),
    };
    for_each_chunk(by_start.len(), &mut |part| {
        for some in by_start[part].chunks(LOOKED_UP) {
            looked_up.clear();
            looked_up.extend(some.iter().map(look_up));
            for packet in &looked_up {
                if !is_sound || !device.duplicates.is_empty() && device.duplicates.binary_search(&packet.slice).is_ok() {
                    continue;
                }
                let at = &mut ring_of[packet.engine.index()];
                if *at == u32::MAX {
                    *at = rings.len() as u32;
                    rings.push(Ring::default());
                }
                let ring = &mut rings[*at as usize];
                if ring.pending.first().is_some_and(|first| first.start != packet.start) {
                    is_sound = settle(ring, triggers).is_some();
                }
                ring.pending.push(*packet);
            }
        }
    });
    let is_sound = is_sound && rings.iter_mut().all(|ring| settle(ring, triggers).is_some());
    let is_fit = |(interval, transfer): (&Interval, &Transfer)| {
        is_sound && interval.is_complete && transfer.bytes == Some(interval.bytes) && interval.first >= transfer.start
    };
    let fit: Vec<bool> = intervals.iter().zip(transfers).map(is_fit).collect();
    let mut n_fit = 0;
    let triggers = &mut triggers[on_track];
    for_each_chunk(triggers.len(), &mut |part| {
        for trigger in &mut triggers[part] {
            let at = *trigger as usize;
            *trigger = match fit.get(at) {
                Some(true) => transfers[at].instruction,
                _ => NeuronDevice::ABSENT,
            };
            n_fit += u64::from(*trigger != NeuronDevice::ABSENT);
        }
    });
    let moved = |((interval, transfer), _): ((&Interval, &Transfer), &bool)| Moved {
        instruction: transfer.instruction,
        n_packets: interval.n_packets,
        bytes: interval.bytes,
        start: interval.first,
        end: interval.last,
    };
    found.extend(intervals.iter().zip(transfers).zip(&fit).filter(|t| *t.1).map(moved));
    n_fit
}

/// Counts what is attributed, and what is not and why.
fn note(unknown: &Unknown, n_linked: u64, ledger: &mut Ledger) {
    let n_all = n_linked + unknown.not_fed + unknown.several_queues + unknown.unfit;
    if n_all == 0 {
        return;
    }
    let reasons = [
        (unknown.not_fed, "on queues that no instruction feeds, such as instruction fetches"),
        (unknown.several_queues, "on queues of an engine that has several"),
        (unknown.unfit, "with bytes or times that fit no instruction"),
    ];
    let reasons: Vec<String> = reasons.iter().filter(|r| r.0 > 0).map(|(n, why)| format!("{} {why}", count(*n))).collect();
    let rest = if reasons.is_empty() { String::new() } else { format!("; not attributed: {}", reasons.join(", ")) };
    ledger.note(format!(
        "{} of {} are attributed to the instruction that started their transfer{rest}.",
        count(n_linked),
        counted(n_all, "DMA packet")
    ));
}

/// Writes the variables of attributed packets that have none.
fn name(profile: &mut Profile, device: &NeuronDevice, moved: &FxHashMap<u32, StrId>) {
    if moved.is_empty() || device.triggers.is_empty() {
        return;
    }
    let n_slices = profile.slices.len();
    let at = profile.attributes.iter().position(|a| a.id == "variable");
    let mut values = at.map_or_else(|| vec![StrId(0); n_slices], |at| profile.attributes[at].values.to_vec());
    for packet in device.packets() {
        if let (Some(value @ StrId(0)), Some(variable)) = (values.get_mut(packet.slice as usize), moved.get(&packet.instruction)) {
            *value = *variable;
        }
    }
    match at {
        Some(at) => profile.attributes[at].values = values.into(),
        None => {
            let (id, label) = ("variable".to_string(), "Variable".to_string());
            profile.attributes.push(Attribute { id, label, values: values.into() });
        }
    }
}
