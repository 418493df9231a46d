//! The State Buffer or PSUM of a core as a map of address and time, from the operands of its instructions and transfers.

use super::engine_tracks;
use super::sweep::{Value, values};
use crate::base::{SliceId, TimeNs, TimeRange, TrackId};
use crate::model::accesses::{Memory, N_PARTITIONS};
use crate::model::{Domain, NeuronDevice, Profile};
use serde::{Deserialize, Serialize};

/// Areas of one answer.
const MOST: usize = 50_000;

/// A memory of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryMapQuery {
    /// Place among the cores of the answer.
    pub core: u32,
    /// PSUM; else the State Buffer.
    pub is_psum: bool,
}

/// What a memory held, and for how long.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryMap {
    /// Cores with accesses: `NC 4`.
    pub cores: Vec<String>,
    /// Ordered by start, then address.
    pub areas: Vec<MemoryArea>,
    /// How many there are; more than `areas` where there are too many to send.
    pub n_areas: u64,
    /// Most bytes that were needed at one moment, in all partitions.
    pub peak: Option<Peak>,
    /// Bytes written, in all partitions: values that are overwritten count again.
    pub written_bytes: u64,
    /// Written bytes that were overwritten before any read.
    pub unread_bytes: u64,
    /// Written bytes that were read more than once.
    pub reread_bytes: u64,
    /// Notes.
    pub notes: Vec<String>,
}

/// The most that was needed at once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// First moment.
    pub at: TimeNs,
    /// Bytes in all partitions.
    pub bytes: u64,
    /// From the lowest to the highest byte of a partition that is in use then.
    pub span: u64,
    /// Share of that span that is free, in partitions that hold anything: fragmentation.
    pub free_share: f64,
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// Read once.
    Read,
    /// Read more than once.
    ReadAgain,
    /// Overwritten before anybody read it.
    OverwrittenUnread,
    /// Not read by the end of the run: a transfer that is not attributed may have read it.
    NotRead,
    /// Read, and not written before: there when the run began, or brought by a transfer that is not attributed.
    NotWritten,
}

impl Fate {
    /// Every one.
    pub const ALL: [Fate; 5] = [Fate::Read, Fate::ReadAgain, Fate::OverwrittenUnread, Fate::NotRead, Fate::NotWritten];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Fate::Read => "read once",
            Fate::ReadAgain => "read again",
            Fate::OverwrittenUnread => "overwritten unread",
            Fate::NotRead => "not read",
            Fate::NotWritten => "not written in this run",
        }
    }
}

/// Bytes with one value, from when they are written until they are overwritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryArea {
    /// From the start of the write to its last read; where nobody reads it, to the end of the write.
    pub range: TimeRange,
    /// First byte within the partition.
    pub from: u64,
    /// Last byte.
    pub to: u64,
    /// First and last partition.
    pub partitions: (u16, u16),
    /// What became of it.
    pub fate: Fate,
    /// The instruction that wrote it, or started the transfer that did.
    pub writer: Option<SliceId>,
    /// Its opcode and engine.
    pub writer_name: String,
    /// Instructions that read it.
    pub n_reads: u32,
    /// The last one.
    pub reader: Option<SliceId>,
    /// Its opcode and engine.
    pub reader_name: String,
    /// The instruction that overwrote it.
    pub overwriter: Option<SliceId>,
    /// When.
    pub overwritten_at: Option<TimeNs>,
}

impl MemoryArea {
    /// Bytes in all its partitions.
    pub fn n_bytes(&self) -> u64 {
        (self.to + 1 - self.from) * u64::from(self.partitions.1 + 1 - self.partitions.0)
    }
}

/// The map that is asked for.
pub fn map(profile: &Profile, query: MemoryMapQuery) -> MemoryMap {
    let Domain::NeuronDevice(device) = &profile.domain else { return MemoryMap::default() };
    let mut cores: Vec<TrackId> = engine_tracks(profile).map(|t| t.1).collect();
    cores.dedup();
    let mut out = MemoryMap { cores: cores.iter().map(|core| profile.track_path(*core)).collect(), ..MemoryMap::default() };
    if device.access_sets.is_empty() {
        out.notes.push("Accesses are not available: operands of instructions are not recorded in this file.".into());
        return out;
    }
    let Some(core) = cores.get(query.core as usize) else { return out };
    let memory = if query.is_psum { Memory::Psum } else { Memory::StateBuffer };
    let found = values(profile, device, *core, memory);
    out.n_areas = found.len() as u64;
    for value in &found {
        let bytes = value.n_bytes();
        let fate = fate(value);
        out.written_bytes += if value.writer.is_some() { bytes } else { 0 };
        out.unread_bytes += if fate == Fate::OverwrittenUnread { bytes } else { 0 };
        out.reread_bytes += if fate == Fate::ReadAgain { bytes } else { 0 };
    }
    out.peak = peak(&found);
    out.areas = found.iter().take(MOST).map(|value| area(profile, value)).collect();
    notes(device, memory, &mut out);
    out
}

fn fate(value: &Value) -> Fate {
    match (value.writer, value.n_reads, value.overwritten) {
        (None, ..) => Fate::NotWritten,
        (_, 0, Some(_)) => Fate::OverwrittenUnread,
        (_, 0, None) => Fate::NotRead,
        (_, 1, _) => Fate::Read,
        _ => Fate::ReadAgain,
    }
}

/// `MATMUL on TensorMatrix`; of an instruction that starts transfers, the engine that did.
fn named(profile: &Profile, slice: Option<u32>) -> String {
    let Some(slice) = slice.map(SliceId) else { return String::new() };
    let track = profile.track_of(slice).map(|t| profile.strings.get(profile.tracks[t.index()].name)).unwrap_or_default();
    format!("{} on {track}", profile.name_of(slice))
}

fn area(profile: &Profile, value: &Value) -> MemoryArea {
    MemoryArea {
        range: TimeRange::new(TimeNs(value.start), TimeNs(value.live_end().max(value.start))),
        from: value.bytes.0,
        to: value.bytes.1.saturating_sub(1),
        partitions: (value.partitions.0, value.partitions.1.saturating_sub(1)),
        fate: fate(value),
        writer: value.writer.map(SliceId),
        writer_name: named(profile, value.writer),
        n_reads: value.n_reads,
        reader: value.last_read.map(|r| SliceId(r.0)),
        reader_name: named(profile, value.last_read.map(|r| r.0)),
        overwriter: value.overwritten.map(|o| SliceId(o.0)),
        overwritten_at: value.overwritten.map(|o| TimeNs(o.1)),
    }
}

/// The moment at which most bytes are needed.
fn peak(all: &[Value]) -> Option<Peak> {
    let mut changes: Vec<(i64, bool, u64)> = Vec::with_capacity(all.len() * 2);
    for value in all {
        let end = value.live_end();
        if end > value.start {
            changes.extend([(value.start, true, value.n_bytes()), (end, false, value.n_bytes())]);
        }
    }
    // What ends makes room for what begins at the same moment.
    changes.sort_unstable();
    let (mut held, mut most, mut at) = (0u64, 0u64, 0i64);
    for (time, is_more, bytes) in changes {
        held = if is_more { held + bytes } else { held - bytes };
        if held > most {
            (most, at) = (held, time);
        }
    }
    if most == 0 {
        return None;
    }
    let live = || all.iter().filter(|v| v.start <= at && at < v.live_end());
    let low = live().map(|v| v.bytes.0).min()?;
    let high = live().map(|v| v.bytes.1).max()?;
    let partitions = live().map(|v| v.partitions.1).max()?.saturating_sub(live().map(|v| v.partitions.0).min()?).clamp(1, N_PARTITIONS);
    let whole = (high - low) * u64::from(partitions);
    let free_share = 1.0 - most.min(whole) as f64 / whole.max(1) as f64;
    Some(Peak { at: TimeNs(at), bytes: most, span: high - low, free_share })
}

fn notes(device: &NeuronDevice, memory: Memory, out: &mut MemoryMap) {
    if device.transfers.is_empty() && memory == Memory::StateBuffer {
        out.notes.push("DMA transfers are shown while their instruction runs: their packets are not attributed.".into());
    }
    let n_rough = device.access_sets.iter().flatten().filter(|a| a.memory == memory && !a.is_exact).count() as u64;
    if n_rough > 0 {
        let n = crate::base::text::counted(n_rough, "access pattern");
        out.notes.push(format!("{n} with more than two dimensions count as one range from the first to the last byte."));
    }
    if out.n_areas > out.areas.len() as u64 {
        let (shown, all) = (crate::base::text::count(out.areas.len() as u64), crate::base::text::count(out.n_areas));
        out.notes.push(format!("The first {shown} of {all} areas are shown; the sums are of all."));
    }
}
