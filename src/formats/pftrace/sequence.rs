//! State of a packet sequence: interned texts, defaults, the thread it writes for.

use super::super::ntff::Message;
use crate::base::{Interner, StrId};
use rustc_hash::FxHashMap;

/// Interned texts of one sequence, from one reset of its incremental state to the next.
#[derive(Default)]
pub struct Sequence {
    /// Number in the trace.
    pub id: u64,
    /// Whether the interned texts are those that packets refer to.
    pub is_valid: bool,
    /// Names of events by number.
    pub names: FxHashMap<u64, StrId>,
    /// Categories by number.
    pub categories: FxHashMap<u64, StrId>,
    /// Clock of packets that name none; 0: the trace's.
    pub clock: u64,
    /// Track of events that name none.
    pub track_uuid: Option<u64>,
    /// Tracks of extra counter values (whole numbers, then with a fraction) of events that name none.
    pub extra_tracks: [Vec<u64>; 2],
    /// Process and thread of events without a track, as old writers give them.
    pub thread: Option<(i64, i64)>,
    /// Sum of times that count from the one before, ns.
    pub reference_ns: Option<i64>,
    /// Values of incremental counters by track.
    pub counters: FxHashMap<u64, f64>,
}

impl Sequence {
    /// Forgets what a reset of the incremental state forgets.
    pub fn clear(&mut self) {
        *self = Sequence { id: self.id, is_valid: true, ..Sequence::default() };
    }

    /// Reads `InternedData`: names and categories. What only details show is in [`super::args::Names`].
    pub fn intern(&mut self, bytes: &[u8], strings: &mut Interner) {
        for (field, value) in Message::new(bytes) {
            let texts = match field {
                1 => &mut self.categories,
                2 => &mut self.names,
                _ => continue,
            };
            let entry = value.bytes();
            let id = Message::field(entry, 1).number();
            texts.insert(id, strings.intern(&String::from_utf8_lossy(Message::field(entry, 2).bytes())));
        }
    }

    /// Reads `TracePacketDefaults`.
    pub fn defaults(&mut self, bytes: &[u8]) {
        self.extra_tracks = Default::default();
        for (field, value) in Message::new(bytes) {
            match field {
                58 => self.clock = value.number(),
                11 => {
                    for (field, value) in Message::new(value.bytes()) {
                        match field {
                            11 => self.track_uuid = Some(value.number()),
                            31 => self.extra_tracks[0].extend(value.numbers()),
                            45 => self.extra_tracks[1].extend(value.numbers()),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the deltas of a `StreamingProfilePacket` to the time that later events count from; a sum beyond 64 bits changes nothing.
    pub fn advance(&mut self, bytes: &[u8]) {
        let deltas = Message::new(bytes).filter(|(field, _)| *field == 2).flat_map(|(_, value)| value.numbers());
        let sum = deltas.map(|us| (us as i64).checked_mul(1000)).try_fold(self.reference_ns.unwrap_or(0), |sum, ns| sum.checked_add(ns?));
        self.reference_ns = sum.or(self.reference_ns);
    }

    /// Reads a `ThreadDescriptor` of the sequence. Returns (process, thread, name).
    pub fn thread_descriptor(&mut self, bytes: &[u8]) -> (i64, i64, String) {
        let (mut pid, mut tid, mut name) = (0, 0, String::new());
        for (field, value) in Message::new(bytes) {
            match field {
                1 => pid = value.number() as i64,
                2 => tid = value.number() as i64,
                5 => name = value.text(),
                6 => self.reference_ns = (value.number() as i64).checked_mul(1000),
                _ => {}
            }
        }
        self.thread = Some((pid, tid));
        (pid, tid, name)
    }
}
