//! Which instruction asked for the transfer of a DMA packet.
//!
//! An engine puts its transfers on its dynamic queue, `qGpSimdDynamic`, in the order in which it executes them. The 16 DMA engines each serve a ring
//! of the queue, and on every ring a transfer ends with one packet of 4 bytes that raises its semaphore. So on each ring the k-th stretch up to such a
//! packet belongs to the k-th transfer. A stretch is attributed only if the packets of all rings add up to the bytes that the instruction writes and
//! none begins before it: a packet of data with 4 bytes would look like an end.

use crate::base::Order as _;
use crate::base::text::{count, counted};
use crate::base::{Ledger, StrId, TrackId, in_parts};
use crate::model::accesses::Packet;
use crate::model::{Attribute, NeuronDevice, Profile, SemaphoreRole, TrackKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of the packet that ends a transfer on its ring.
const END_BYTES: u32 = 4;

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

/// What the packets of a stretch add up to, on all rings.
#[derive(Clone, Copy)]
struct Stretch {
    bytes: u64,
    first: i64,
    is_complete: bool,
}

/// Links packets with instructions, and names what they move where `moved` names it by instruction.
pub(super) fn link(profile: &mut Profile, device: &mut NeuronDevice, moved: &FxHashMap<u32, StrId>, ledger: &mut Ledger) {
    let transfers = transfers(profile, device);
    if transfers.is_empty() {
        return;
    }
    let mut packets = Vec::new();
    let mut unknown = Unknown::default();
    let queues = queues(profile);
    for (track, feeder) in &queues {
        let n_slices = profile.slices_of(*track).len() as u64;
        let fed = feeder.as_ref().and_then(|feeder| transfers.get(feeder));
        match fed {
            None => unknown.not_fed += n_slices,
            Some(_) if queues.iter().filter(|other| other.1 == *feeder).count() > 1 => unknown.several_queues += n_slices,
            Some(transfers) => unknown.unfit += n_slices - queue(profile, device, *track, transfers, &mut packets),
        }
    }
    packets.sort_unstable_by_key(|p| p.slice);
    device.packets = packets;
    note(&unknown, device.packets.len() as u64, ledger);
    name(profile, device, moved);
}

/// The core of a track: the track above all others.
fn root(profile: &Profile, track: TrackId) -> TrackId {
    std::iter::successors(Some(track), |t| profile.tracks.get(t.index())?.parent).last().unwrap_or(track)
}

/// Transfers by (core, name of the engine), by start.
fn transfers(profile: &Profile, device: &NeuronDevice) -> FxHashMap<(TrackId, String), Vec<Transfer>> {
    let mut out: FxHashMap<(TrackId, String), Vec<Transfer>> = FxHashMap::default();
    let Some(engines) = profile.attribute("engine") else { return out };
    let starters: FxHashSet<u32> = device.semaphores.iter().filter(|u| u.role == SemaphoreRole::Transfers).map(|u| u.slice).collect();
    for slice in starters {
        let Some(lane) = profile.lane_of(crate::base::SliceId(slice)) else { continue };
        let engine = engines.values.get(slice as usize).map_or("", |id| profile.strings.get(*id));
        let written = device.accesses_of(slice).iter().find(|a| a.kind.writes() && a.is_exact);
        let transfer = Transfer { instruction: slice, start: profile.slices.start[slice as usize], bytes: written.map(|a| a.n_bytes()) };
        out.entry((root(profile, lane.track), engine.into())).or_default().push(transfer);
    }
    out.values_mut().for_each(|all| all.sort_unstable_by_key(|t| (t.start, t.instruction)));
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

/// Adds the packets of a queue that are attributed; returns how many these are.
fn queue(profile: &Profile, device: &NeuronDevice, track: TrackId, transfers: &[Transfer], out: &mut Vec<Packet>) -> u64 {
    let (Some(engines), slices) = (profile.attribute("engine"), &profile.slices) else { return 0 };
    let bytes = device.bytes.as_slice();
    let mut rings: FxHashMap<StrId, Vec<u32>> = FxHashMap::default();
    let by_start = &slices.by_start[profile.slices_of(track)];
    in_parts(by_start.len(), &mut |part| {
        for &slice in by_start[part].iter().filter(|s| device.duplicates.binary_search(s).is_err()) {
            rings.entry(engines.values[slice as usize]).or_default().push(slice);
        }
    });
    let mut stretches = vec![Stretch { bytes: 0, first: i64::MAX, is_complete: false }; transfers.len()];
    let mut found: Vec<(u32, u32)> = Vec::with_capacity(by_start.len());
    for ring in rings.values_mut() {
        // Packets of a ring run one after the other: those that start within a nanosecond end in their order.
        ring.order_by_key(|s| (slices.start[*s as usize], slices.end(*s as usize)));
        let mut at = 0;
        for &slice in ring.iter() {
            // More transfers than the engine asked for: the first ones are of another run, and the order tells nothing.
            let Some(stretch) = stretches.get_mut(at as usize) else { return 0 };
            found.push((slice, at));
            stretch.first = stretch.first.min(slices.start[slice as usize]);
            match bytes[slice as usize] {
                END_BYTES => {
                    stretch.is_complete = true;
                    at += 1;
                }
                NeuronDevice::ABSENT => return 0,
                n => stretch.bytes += u64::from(n),
            }
        }
    }
    let is_fit = |at: usize| {
        let (stretch, transfer) = (stretches[at], &transfers[at]);
        stretch.is_complete && transfer.bytes == Some(stretch.bytes) && stretch.first >= transfer.start
    };
    let fit: Vec<bool> = (0..stretches.len()).map(is_fit).collect();
    let before = out.len();
    out.extend(
        found
            .into_iter()
            .filter(|f| fit[f.1 as usize])
            .map(|(slice, at)| Packet { slice, instruction: transfers[at as usize].instruction }),
    );
    (out.len() - before) as u64
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
    if moved.is_empty() || device.packets.is_empty() {
        return;
    }
    let n_slices = profile.slices.len();
    let at = profile.attributes.iter().position(|a| a.id == "variable");
    let mut values = at.map_or_else(|| vec![StrId(0); n_slices], |at| profile.attributes[at].values.to_vec());
    for packet in &device.packets {
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
