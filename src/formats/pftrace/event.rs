//! A `TrackEvent`, decoded from its packet.

use super::super::ntff::Message;

/// What an event does on its track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Neither: an old event has a phase instead.
    #[default]
    Unspecified,
    /// A slice begins.
    Begin,
    /// The innermost open slice ends.
    End,
    /// A moment.
    Instant,
    /// A value.
    Counter,
}

/// Fields of the old kind (`LegacyEvent`).
#[derive(Debug, Clone, Default)]
pub struct Legacy {
    /// Number of the name.
    pub name_iid: Option<u64>,
    /// Phase: a letter of the Chrome trace format; 0 for none.
    pub phase: u8,
    /// Duration of phase `X`.
    pub duration_us: i64,
    /// Id of asynchronous slices, with its scope: unscoped, of the process, global.
    pub id: Option<(u64, Scope)>,
    /// Arrow.
    pub bind_id: Option<u64>,
    /// Whether an arrow of phase `f` ends at the slice that is open.
    pub binds_to_enclosing: bool,
    /// 1 in, 2 out, 3 both.
    pub flow_direction: u64,
    /// Process and thread, where the event is of another than its sequence.
    pub thread: (Option<i64>, Option<i64>),
}

/// The scope of the ids of asynchronous slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The process.
    Process,
    /// The whole trace.
    Global,
}

/// An event.
#[derive(Debug, Clone, Default)]
pub struct Event<'a> {
    /// What it does.
    pub kind: Kind,
    /// Name, written out.
    pub name: Option<&'a [u8]>,
    /// Name, by number.
    pub name_iid: Option<u64>,
    /// Categories, written out.
    pub categories: Vec<&'a [u8]>,
    /// Categories, by number.
    pub category_iids: Vec<u64>,
    /// Track.
    pub track_uuid: Option<u64>,
    /// Value of a counter event.
    pub value: Option<f64>,
    /// Further values (whole numbers, then with a fraction) and their tracks, where the event names these.
    pub extra: [(Vec<u64>, Vec<f64>); 2],
    /// Ids of arrows that continue.
    pub flows: Vec<u64>,
    /// Arrows that end here.
    pub ending_flows: Vec<u64>,
    /// Fields of the old kind.
    pub legacy: Option<Legacy>,
    /// Time after the one before on the sequence, µs.
    pub delta_us: Option<i64>,
    /// Time, µs.
    pub absolute_us: Option<i64>,
}

impl<'a> Event<'a> {
    /// Reads a `TrackEvent`.
    pub fn read(bytes: &'a [u8]) -> Event<'a> {
        let mut out = Event::default();
        for (field, value) in Message::new(bytes) {
            match field {
                1 => out.delta_us = Some(value.number() as i64),
                3 => out.category_iids.extend(value.numbers()),
                6 => out.legacy = Some(Legacy::read(value.bytes())),
                9 => {
                    out.kind = match value.number() {
                        1 => Kind::Begin,
                        2 => Kind::End,
                        3 => Kind::Instant,
                        4 => Kind::Counter,
                        _ => Kind::Unspecified,
                    }
                }
                10 => out.name_iid = Some(value.number()),
                11 => out.track_uuid = Some(value.number()),
                12 => out.extra[0].1.extend(value.numbers().into_iter().map(|n| n as i64 as f64)),
                16 => out.absolute_us = Some(value.number() as i64),
                22 => out.categories.push(value.bytes()),
                23 => out.name = Some(value.bytes()),
                30 => out.value = Some(value.number() as i64 as f64),
                31 => out.extra[0].0.extend(value.numbers()),
                // Lists of 64-bit numbers of fixed width may come packed or one by one.
                36 | 47 => out.flows.extend(fixed_or_number(value)),
                42 | 48 => out.ending_flows.extend(fixed_or_number(value)),
                44 => out.value = Some(f64::from_bits(value.number())),
                45 => out.extra[1].0.extend(value.numbers()),
                46 => out.extra[1].1.extend(fixed_or_number(value).into_iter().map(f64::from_bits)),
                _ => {}
            }
        }
        out
    }
}

fn fixed_or_number(value: super::super::ntff::Value<'_>) -> Vec<u64> {
    match value {
        super::super::ntff::Value::Number(n) => vec![n],
        super::super::ntff::Value::Bytes(bytes) => bytes.chunks_exact(8).map(super::super::ntff::little_endian).collect(),
    }
}

impl Legacy {
    fn read(bytes: &[u8]) -> Legacy {
        let mut out = Legacy::default();
        for (field, value) in Message::new(bytes) {
            let n = value.number();
            match field {
                1 => out.name_iid = Some(n),
                2 => out.phase = u8::try_from(n).unwrap_or(0),
                3 => out.duration_us = n as i64,
                6 | 10 => out.id = Some((n, Scope::Process)),
                8 => out.bind_id = Some(n),
                11 => out.id = Some((n, Scope::Global)),
                12 => out.binds_to_enclosing = n != 0,
                13 => out.flow_direction = n,
                18 => out.thread.0 = Some(i64::from(n as i32)),
                19 => out.thread.1 = Some(i64::from(n as i32)),
                _ => {}
            }
        }
        out
    }
}
