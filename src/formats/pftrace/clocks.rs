//! Clocks of a trace: from the number in a packet to nanoseconds of the trace's clock.

use super::super::ntff::Message;
use rustc_hash::FxHashMap;

/// `CLOCK_BOOTTIME`: the trace's clock unless a snapshot names another.
const BOOTTIME: u64 = 6;
/// `CLOCK_MONOTONIC`: the clock of times in microseconds within events.
const MONOTONIC: u64 = 3;
/// Clocks of these numbers belong to the sequence that uses them.
const OF_SEQUENCE: std::ops::RangeInclusive<u64> = 64..=127;

/// A clock as the last snapshot has it.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    /// Nanoseconds for each unit.
    unit_ns: i64,
    /// Whether each time counts from the one before.
    is_incremental: bool,
    /// The last time of an incremental clock, nanoseconds.
    last_ns: i64,
    /// What to add to reach the trace's clock; `None` until a snapshot holds both.
    to_trace_ns: Option<i64>,
}

/// Why a time cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockError {
    /// No snapshot relates the clock to the trace's clock.
    NoSnapshot(u64),
    /// The sum leaves the range of 64 bits.
    Overflow,
}

/// All clocks, each with the sequence it belongs to (0: every sequence).
pub struct Clocks {
    trace_clock: u64,
    has_primary: bool,
    clocks: FxHashMap<(u64, u64), Clock>,
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks { trace_clock: BOOTTIME, has_primary: false, clocks: FxHashMap::default() }
    }
}

fn key(sequence: u64, clock: u64) -> (u64, u64) {
    (if OF_SEQUENCE.contains(&clock) { sequence } else { 0 }, clock)
}

impl Clocks {
    /// Reads a `ClockSnapshot`. Returns false when a number does not fit.
    pub fn snapshot(&mut self, sequence: u64, bytes: &[u8]) -> bool {
        let mut readings = Vec::new();
        for (field, value) in Message::new(bytes) {
            match field {
                1 => {
                    let (mut id, mut time, mut unit, mut is_incremental) = (0, 0, 1, false);
                    for (field, value) in Message::new(value.bytes()) {
                        match field {
                            1 => id = value.number(),
                            2 => time = value.number(),
                            3 => is_incremental = value.number() != 0,
                            4 => unit = value.number().max(1),
                            _ => {}
                        }
                    }
                    let (Ok(time), Ok(unit)) = (i64::try_from(time), i64::try_from(unit)) else { return false };
                    let Some(time_ns) = time.checked_mul(unit) else { return false };
                    readings.push((id, time_ns, unit, is_incremental));
                }
                2 if !self.has_primary => (self.trace_clock, self.has_primary) = (value.number(), true),
                _ => {}
            }
        }
        // The time of the snapshot on the trace's clock: directly, or through a clock that an earlier snapshot related to it.
        let direct = readings.iter().find(|r| r.0 == self.trace_clock).map(|r| r.1);
        let known = |&(id, time_ns, ..): &(u64, i64, i64, bool)| {
            self.clocks.get(&key(sequence, id)).and_then(|c| c.to_trace_ns)?.checked_add(time_ns)
        };
        let trace_ns = direct.or_else(|| readings.iter().find_map(known));
        for (id, time_ns, unit_ns, is_incremental) in readings {
            let clock = self.clocks.entry(key(sequence, id)).or_default();
            let to_trace_ns = trace_ns.and_then(|t| t.checked_sub(time_ns)).or(clock.to_trace_ns);
            *clock = Clock { unit_ns, is_incremental, last_ns: time_ns, to_trace_ns };
        }
        true
    }

    /// A time of `CLOCK_MONOTONIC` as nanoseconds of the trace's clock; unchanged where no snapshot has both.
    pub fn monotonic(&self, ns: i64) -> Result<i64, ClockError> {
        let to_trace = if self.trace_clock == MONOTONIC { None } else { self.clocks.get(&(0, MONOTONIC)).and_then(|c| c.to_trace_ns) };
        ns.checked_add(to_trace.unwrap_or(0)).ok_or(ClockError::Overflow)
    }

    /// `time` of clock `clock` (0: the trace's) as nanoseconds of the trace's clock. Advances incremental clocks.
    pub fn trace_time(&mut self, sequence: u64, clock: u64, time: u64) -> Result<i64, ClockError> {
        let number = if clock == 0 { self.trace_clock } else { clock };
        let time = i64::try_from(time).map_err(|_| ClockError::Overflow)?;
        let Some(clock) = self.clocks.get_mut(&key(sequence, number)) else {
            return if number == self.trace_clock { Ok(time) } else { Err(ClockError::NoSnapshot(number)) };
        };
        let mut ns = time.checked_mul(clock.unit_ns).ok_or(ClockError::Overflow)?;
        if clock.is_incremental {
            ns = clock.last_ns.checked_add(ns).ok_or(ClockError::Overflow)?;
            clock.last_ns = ns;
        }
        if number == self.trace_clock {
            return Ok(ns);
        }
        ns.checked_add(clock.to_trace_ns.ok_or(ClockError::NoSnapshot(number))?).ok_or(ClockError::Overflow)
    }
}
