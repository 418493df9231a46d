//! The content of the packets of a trace, in the order of the file.

use super::super::ntff::Message;
use super::args::{Generation, Names};
use super::clocks::{ClockError, Clocks};
use super::event::{Event, Kind, Scope};
use super::packets::{PACKET_MAX, PacketSplitter};
use super::sequence::Sequence;
use super::tracks::{TrackKey, Tracks};
use crate::base::{Ledger, Severity, StrId};
use crate::model::{ColumnId, ProfileBuilder, RecordRef};
use rustc_hash::FxHashMap;

/// An event of a track at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A slice begins.
    Begin,
    /// The innermost slice ends.
    End,
    /// A slice with its duration, ns.
    Whole(i64),
    /// A moment: a slice without a duration, as arrows lead to times too.
    Instant,
    /// Only an arrow: it connects to the innermost open slice.
    Arrow,
}

/// An event on a track.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Nanoseconds of the trace's clock.
    pub time: i64,
    /// What happens.
    pub step: Step,
    /// Where: a position in [`Content::keys`].
    pub track: u32,
    /// Name; empty for an end that names no slice.
    pub name: StrId,
    /// Categories, joined by commas; the empty string for none.
    pub category: StrId,
    /// Its packet.
    pub record: RecordRef,
    /// Arrows: a range of [`Content::arrows`].
    pub arrows: (u32, u32),
    /// Whether its packet is counted with it; others are counted when they are read.
    pub is_record: bool,
}

/// What distinguishes arrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrowId {
    /// A number of the whole trace.
    Number(u64),
    /// A number that counts among events of the same name and category, as in the Chrome trace format.
    Named(u64, StrId, StrId),
}

/// How an arrow connects to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meets {
    /// It begins, or continues if it has begun.
    Passes,
    /// It begins anew.
    Begins,
    /// It continues.
    GoesOn,
    /// It ends.
    Ends,
    /// It ends at the next slice that begins on the track.
    EndsAtNext,
}

/// Samples of a counter.
pub type Samples = Vec<(i64, Vec<f64>)>;

/// Everything read so far.
pub struct Content {
    /// Strings.
    pub builder: ProfileBuilder,
    /// Column of categories.
    pub category: ColumnId,
    /// Descriptors.
    pub tracks: Tracks,
    /// Tracks that events name.
    pub keys: Vec<TrackKey>,
    key_at: FxHashMap<TrackKey, u32>,
    /// Events.
    pub rows: Vec<Row>,
    /// Arrows of events: id, how.
    pub arrows: Vec<(ArrowId, Meets)>,
    /// Values by track.
    pub samples: FxHashMap<u64, Samples>,
    /// Names that only details show.
    pub names: Names,
    /// Packets read.
    pub n_packets: u64,
    clocks: Clocks,
    sequences: FxHashMap<u64, Sequence>,
}

impl Default for Content {
    fn default() -> Self {
        let mut builder = ProfileBuilder::new();
        let category = builder.attribute("category", "Category");
        Content {
            builder,
            category,
            tracks: Tracks::default(),
            keys: Vec::new(),
            key_at: FxHashMap::default(),
            rows: Vec::new(),
            arrows: Vec::new(),
            samples: FxHashMap::default(),
            names: Names::default(),
            n_packets: 0,
            clocks: Clocks::default(),
            sequences: FxHashMap::default(),
        }
    }
}

/// Parts of a packet that are looked at.
#[derive(Default)]
struct Packet<'a> {
    time: Option<u64>,
    clock: Option<u64>,
    sequence: u64,
    flags: u64,
    is_first_after_loss: bool,
    event: Option<&'a [u8]>,
    other: Option<(u64, &'a [u8])>,
    interned: Option<&'a [u8]>,
    defaults: Option<&'a [u8]>,
}

impl<'a> Packet<'a> {
    fn read(bytes: &'a [u8]) -> (Packet<'a>, bool) {
        let mut out = Packet::default();
        let mut fields = Message::new(bytes);
        for (field, value) in fields.by_ref() {
            match field {
                8 => out.time = Some(value.number()),
                10 => out.sequence = value.number(),
                11 => out.event = Some(value.bytes()),
                12 => out.interned = Some(value.bytes()),
                13 => out.flags |= value.number(),
                41 if value.number() != 0 => out.flags |= CLEARED,
                42 => out.is_first_after_loss = value.number() != 0,
                58 => out.clock = Some(value.number()),
                59 => out.defaults = Some(value.bytes()),
                // Who wrote the packet, and marks of a stream's beginning.
                3 | 79 | 87 | 88 | 89 => {}
                _ => out.other = Some((field, value.bytes())),
            }
        }
        (out, fields.is_broken())
    }
}

const CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;

impl Content {
    /// Reads a packet. `offset` is that of its body in the file; `None` for one that was packed in another.
    pub fn packet(&mut self, offset: Option<u64>, bytes: &[u8], ledger: &mut Ledger) {
        self.n_packets += 1;
        ledger.read += 1;
        let at = offset.unwrap_or(0);
        let (packet, is_broken) = Packet::read(bytes);
        if is_broken {
            let reason = "The packet breaks the protobuf wire format.";
            return ledger.skip(Severity::DataLoss, "broken_packet", reason, at, || format!("{} bytes", bytes.len()));
        }
        let sequence = self.sequences.entry(packet.sequence).or_insert_with(|| Sequence { id: packet.sequence, ..Sequence::default() });
        if packet.is_first_after_loss {
            sequence.is_valid = false;
        }
        if packet.flags & CLEARED != 0 {
            sequence.clear();
            self.names.begin(Generation { sequence: packet.sequence, offset: at });
        }
        if packet.flags & NEEDS_STATE != 0 && !sequence.is_valid {
            let reason = "The packet refers to names of an earlier packet that is missing.";
            return ledger.skip(Severity::DataLoss, "missing_state", reason, at, || format!("sequence {}", packet.sequence));
        }
        if let Some(bytes) = packet.interned {
            sequence.intern(bytes, &mut self.builder.strings);
            self.names.intern(packet.sequence, bytes);
        }
        if let Some(bytes) = packet.defaults {
            sequence.defaults(bytes);
        }
        match (packet.event, packet.other) {
            (Some(event), _) => {
                let record = offset.map_or_else(RecordRef::default, |offset| RecordRef::new(0, offset, bytes.len() as u64));
                self.event(&packet, event, record, at, ledger);
            }
            (None, Some((field, body))) => self.other(&packet, field, body, at, ledger),
            (None, None) => ledger.shown += 1,
        }
    }

    /// A packet that is no track event.
    fn other(&mut self, packet: &Packet<'_>, field: u64, bytes: &[u8], at: u64, ledger: &mut Ledger) {
        match field {
            2 => self.process_tree(bytes),
            6 => {
                if !self.clocks.snapshot(packet.sequence, bytes) {
                    let reason = "A clock snapshot holds a time that does not fit into 64 bits.";
                    return ledger.skip(Severity::DataLoss, "clock_overflow", reason, at, String::new);
                }
            }
            43 => self.tracks.name_process(Message::field(bytes, 1).number() as i64, Message::field(bytes, 6).text()),
            44 => {
                if let Some(sequence) = self.sequences.get_mut(&packet.sequence) {
                    let (pid, tid, name) = sequence.thread_descriptor(bytes);
                    self.tracks.name_thread(pid, tid, name);
                }
            }
            1 => return self.ftrace(bytes, at, ledger),
            50 => return self.compressed(bytes, at, ledger),
            // Not shown, but the next time of the sequence counts from it.
            54 => {
                if let Some(sequence) = self.sequences.get_mut(&packet.sequence) {
                    sequence.advance(bytes);
                }
                let reason = "Sampled stacks and heap profiles are not shown.";
                return ledger.skip(Severity::Info, "samples", reason, at, || format!("{} bytes", bytes.len()));
            }
            60 => self.tracks.descriptor(bytes),
            // Settings and marks of the recording, without content for a timeline.
            33 | 35 | 36 | 45 | 46 | 64 | 90 => {}
            _ => {
                let (kind, reason) = match field {
                    66 | 37 => ("samples", "Sampled stacks and heap profiles are not shown."),
                    _ => ("other_packet", "Packets of this kind are not shown."),
                };
                return ledger.skip(Severity::Info, kind, reason, at, || format!("packet field {field}, {} bytes", bytes.len()));
            }
        }
        ledger.shown += 1;
    }

    fn process_tree(&mut self, bytes: &[u8]) {
        for (field, value) in Message::new(bytes) {
            let entry = value.bytes();
            match field {
                1 => self.tracks.name_process(Message::field(entry, 1).number() as i64, Message::field(entry, 3).text()),
                2 => {
                    let (tid, pid) = (Message::field(entry, 1).number() as i64, Message::field(entry, 3).number() as i64);
                    self.tracks.name_thread(pid, tid, Message::field(entry, 2).text());
                }
                _ => {}
            }
        }
    }

    /// The position of a track in `keys`.
    pub fn track(&mut self, key: TrackKey) -> u32 {
        *self.key_at.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        })
    }

    /// Packets that were deflated together.
    fn compressed(&mut self, bytes: &[u8], at: u64, ledger: &mut Ledger) {
        use std::io::Read;
        ledger.read -= 1;
        self.n_packets -= 1;
        let mut inflated = Vec::new();
        let outcome = flate2::read::ZlibDecoder::new(bytes).take(PACKET_MAX as u64).read_to_end(&mut inflated);
        let mut packets = PacketSplitter::default();
        let mut bodies: Vec<(usize, usize)> = Vec::new();
        let cut = packets.feed(&inflated, &mut |offset, body| bodies.push((offset as usize, body.len()))).is_err()
            || packets.unfinished().is_some();
        for (start, length) in bodies {
            // No program writes a packed packet within a packed one.
            let body = &inflated[start..start + length];
            if Message::new(body).any(|(field, _)| field == 50) {
                ledger.read += 1;
                ledger.skip(
                    Severity::DataLoss,
                    "nested_compression",
                    "A compressed packet inside a compressed packet is not read.",
                    at,
                    String::new,
                );
                continue;
            }
            self.packet(None, body, ledger);
        }
        if outcome.is_err() || cut {
            ledger.read += 1;
            let reason = "The compressed packets are damaged; what follows the damage is not read.";
            ledger.skip(Severity::DataLoss, "damaged_compression", reason, at, || format!("{} bytes", bytes.len()));
        }
    }

    fn event(&mut self, packet: &Packet<'_>, bytes: &[u8], record: RecordRef, at: u64, ledger: &mut Ledger) {
        let event = Event::read(bytes);
        let time = match self.time(packet, &event) {
            Ok(time) => time,
            Err(ClockError::NoSnapshot(clock)) => {
                let reason = "The event's clock is not related to the trace's clock by any snapshot.";
                return ledger.skip(Severity::DataLoss, "unknown_clock", reason, at, || format!("clock {clock}"));
            }
            Err(ClockError::Overflow) => {
                let reason = "The event's time does not fit into 64 bits.";
                return ledger.skip(Severity::DataLoss, "time_overflow", reason, at, || format!("sequence {}", packet.sequence));
            }
        };
        let Some(sequence) = self.sequences.get_mut(&packet.sequence) else { return };
        // An event of the old kind on track 0 is on the thread of its sequence.
        let is_of_sequence = event.legacy.is_some() && event.track_uuid == Some(0) && sequence.track_uuid.is_some();
        let uuid = event.track_uuid.filter(|_| !is_of_sequence).or(sequence.track_uuid);
        let pairs = |at: usize| {
            let (tracks, values) = &event.extra[at];
            let tracks = if tracks.is_empty() { sequence.extra_tracks[at].clone() } else { tracks.clone() };
            tracks.into_iter().zip(values.iter().copied()).collect::<Vec<_>>()
        };
        let extra = [pairs(0), pairs(1)].concat();
        let step = step(&event);
        for (uuid, value) in extra {
            self.sample(packet.sequence, uuid, time, value);
        }
        if event.kind == Kind::Counter {
            return match uuid.zip(event.value) {
                Some((uuid, value)) => {
                    self.sample(packet.sequence, uuid, time, value);
                    ledger.shown += 1;
                }
                None => {
                    ledger.skip(Severity::DataLoss, "counter_without_value", "A counter event without a track or a value.", at, String::new)
                }
            };
        }
        let Some(step) = step else {
            let phase = event.legacy.as_ref().map_or(0, |l| l.phase);
            let reason = "Events of this phase are not shown.";
            return ledger.skip(Severity::Info, "other_phase", reason, at, || format!("phase `{}`", char::from(phase).escape_default()));
        };
        let Some(sequence) = self.sequences.get(&packet.sequence) else { return };
        let name_iid = event.name_iid.or(event.legacy.as_ref().and_then(|l| l.name_iid));
        let name = match (event.name, name_iid) {
            (Some(text), _) => Some(self.builder.strings.intern(&String::from_utf8_lossy(text))),
            (None, Some(iid)) => sequence.names.get(&iid).copied(),
            _ => None,
        };
        let key = key(&event, uuid, sequence, &self.tracks);
        let mut categories: Vec<StrId> = event.category_iids.iter().filter_map(|iid| sequence.categories.get(iid).copied()).collect();
        categories.extend(event.categories.iter().map(|c| self.builder.strings.intern(&String::from_utf8_lossy(c))));
        let category = match categories.as_slice() {
            [] => StrId(0),
            [one] => *one,
            several => {
                let texts: Vec<&str> = several.iter().map(|c| self.builder.strings.get(*c)).collect();
                let joined = texts.join(",");
                self.builder.strings.intern(&joined)
            }
        };
        let first_arrow = self.arrows.len() as u32;
        self.arrows.extend(event.flows.iter().map(|&id| (ArrowId::Number(id), Meets::Passes)));
        self.arrows.extend(event.ending_flows.iter().map(|&id| (ArrowId::Number(id), Meets::Ends)));
        if let Some((id, legacy)) = event.legacy.as_ref().and_then(|l| Some((l.bind_id?, l))) {
            let meets = [None, Some(Meets::Ends), Some(Meets::Begins), Some(Meets::GoesOn)];
            let meets = meets.get(legacy.flow_direction as usize).copied().flatten();
            self.arrows.extend(meets.map(|meets| (ArrowId::Number(id), meets)));
        }
        if let (Step::Arrow, Some(legacy)) = (step, event.legacy.as_ref()) {
            let meets = match legacy.phase {
                b's' => Meets::Begins,
                b't' => Meets::GoesOn,
                _ if legacy.binds_to_enclosing => Meets::Ends,
                _ => Meets::EndsAtNext,
            };
            let id = legacy.id.map_or(0, |id| id.0);
            self.arrows.push((ArrowId::Named(id, name.unwrap_or(StrId(0)), category), meets));
        }
        let track = self.track(key);
        let name = match name {
            Some(name) => name,
            None if step == Step::End => StrId(0),
            None => self.builder.strings.intern("(no name)"),
        };
        self.rows.push(Row { time, step, track, name, category, record, arrows: (first_arrow, self.arrows.len() as u32), is_record: true });
    }

    fn time(&mut self, packet: &Packet<'_>, event: &Event<'_>) -> Result<i64, ClockError> {
        let us = |us: i64| us.checked_mul(1000).ok_or(ClockError::Overflow);
        if let Some(absolute) = event.absolute_us {
            return self.clocks.monotonic(us(absolute)?);
        }
        let sequence = self.sequences.get_mut(&packet.sequence);
        if let (Some(delta), Some(sequence)) = (event.delta_us, sequence) {
            let time = sequence.reference_ns.unwrap_or(0).checked_add(us(delta)?).ok_or(ClockError::Overflow)?;
            sequence.reference_ns = Some(time);
            return self.clocks.monotonic(time);
        }
        let clock = packet.clock.or_else(|| self.sequences.get(&packet.sequence).map(|s| s.clock)).unwrap_or(0);
        self.clocks.trace_time(packet.sequence, clock, packet.time.unwrap_or(0))
    }

    fn sample(&mut self, sequence: u64, uuid: u64, time: i64, value: f64) {
        let descriptor = self.tracks.get(uuid).and_then(|d| d.counter.as_ref());
        let (multiplier, is_incremental) = descriptor.map_or((1.0, false), |c| (c.multiplier, c.is_incremental));
        let mut value = value * multiplier;
        if is_incremental && let Some(sequence) = self.sequences.get_mut(&sequence) {
            let sum = sequence.counters.entry(uuid).or_insert(0.0);
            *sum += value;
            value = *sum;
        }
        self.samples.entry(uuid).or_default().push((time, vec![value]));
    }
}

/// What an event does; `None` for phases without a place on a timeline.
fn step(event: &Event<'_>) -> Option<Step> {
    match event.kind {
        Kind::Begin => return Some(Step::Begin),
        Kind::End => return Some(Step::End),
        Kind::Instant => return Some(Step::Instant),
        Kind::Counter => return None,
        Kind::Unspecified => {}
    }
    let legacy = event.legacy.as_ref()?;
    match legacy.phase {
        b'B' | b'b' | b'S' => Some(Step::Begin),
        b'E' | b'e' | b'F' => Some(Step::End),
        b'X' => Some(Step::Whole(legacy.duration_us.checked_mul(1000)?.max(0))),
        b'i' | b'I' | b'R' | b'n' => Some(Step::Instant),
        b's' | b't' | b'f' => Some(Step::Arrow),
        _ => None,
    }
}

fn key(event: &Event<'_>, uuid: Option<u64>, sequence: &Sequence, tracks: &Tracks) -> TrackKey {
    let legacy = event.legacy.as_ref();
    let (pid, tid) = legacy.map_or((None, None), |l| l.thread);
    let thread = sequence.thread;
    if let Some((id, scope)) = legacy.filter(|l| matches!(l.phase, b'b' | b'e' | b'n' | b'S' | b'F' | b'T' | b'p')).and_then(|l| l.id) {
        let pid = if scope == Scope::Global { 0 } else { pid.or(thread.map(|t| t.0)).unwrap_or(0) };
        return TrackKey::Async(pid, id);
    }
    match (uuid, thread) {
        (Some(uuid), _) if uuid != 0 || event.track_uuid.is_some() && thread.is_none() => tracks.key(uuid),
        (_, Some((own_pid, own_tid))) => TrackKey::Thread(pid.unwrap_or(own_pid), tid.unwrap_or(own_tid)),
        _ => match (pid, tid) {
            (Some(pid), Some(tid)) => TrackKey::Thread(pid, tid),
            _ => TrackKey::Uuid(0),
        },
    }
}
