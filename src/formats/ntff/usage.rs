//! Usage of State Buffer and PSUM over time: the bytes that instructions wrote and that are still read later, as `neuron-profile` counts them.
//!
//! A value is in use from the start of the instruction that writes it to the end of the last one that reads it before it is overwritten; a value
//! that nothing reads, to the end of its writer. Verified on both public runs: all 274 samples of `instruction_usage` are equal. Three habits of
//! the profiler are kept, so that the curves can be compared: DMA transfers neither write nor read, addresses of biases and immediates are not
//! read, and a pattern with a negative step is taken to begin one element too low and to end one too low.

use super::isa::{Access, End, Instruction, Operand, Value};
use crate::base::Order as _;
use std::collections::BTreeMap;
use std::rc::Rc;

/// First address of PSUM.
const PSUM: i64 = 0x200_0000;
/// Bytes of a partition of the State Buffer that the profiler takes for 100% on trn2.
const STATE_BUFFER: i64 = 224 << 10;
/// Banks of a partition of PSUM, and bytes of one.
const N_BANKS: i64 = 8;
const BANK: i64 = 2 << 10;
/// Partitions that have a curve of their own stand for this many.
const GROUP: u64 = 32;
/// Executions of a core that are looked at; of more, no usage is computed.
pub(super) const MOST_RUNS: usize = 300_000;

/// Bytes of a partition that an instruction reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touch {
    pub is_write: bool,
    pub is_psum: bool,
    /// First byte within the partition, and the byte after the last one.
    pub bytes: (i64, i64),
    /// Partitions, from the first on.
    pub n_partitions: u64,
}

/// What an instruction reads and writes on the chip; `None` where an address is beyond what is verified.
pub(super) fn touches(instruction: &Instruction) -> Option<Rc<[Touch]>> {
    let channels = instruction.operands.iter().find_map(|o| match o {
        Operand::Named("channels", Value::Number(n)) => Some(*n),
        _ => None,
    });
    let accesses = instruction.operands.iter().filter_map(|o| if let Operand::Access(access) = o { Some(access) } else { None });
    accesses.filter(|a| a.elements() != Some(0)).map(|a| touch(a, channels)).collect()
}

fn touch(access: &Access, channels: Option<u64>) -> Option<Touch> {
    // Products have no type of their own: PSUM holds four bytes.
    let size = access.dtype.map_or(4, |dtype| dtype.n_bytes as i64);
    let dims = || access.steps.iter().zip(&access.counts).map(|(step, count)| (i64::from(*step), i64::from(*count)));
    let up: i64 = dims().filter(|d| d.0 > 0).map(|(step, count)| step * (count - 1)).sum();
    let down: i64 = dims().filter(|d| d.0 < 0 && d.1 > 1).map(|(step, count)| step * count).sum();
    let is_psum = access.is_psum();
    let first = i64::from(access.address) - if is_psum { PSUM } else { 0 };
    let bytes = if down < 0 { (first + down * size, first + up * size) } else { (first, first + (up + 1) * size) };
    let end = if is_psum { N_BANKS * BANK } else { STATE_BUFFER };
    let is_write = access.end == End::Destination;
    (bytes.0 >= 0 && bytes.1 <= end).then_some(Touch { is_write, is_psum, bytes, n_partitions: channels.unwrap_or(128) })
}

/// An execution.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Picoseconds on the device clock.
    pub time: (u64, u64),
    pub touches: Rc<[Touch]>,
}

/// Values of a memory at a moment: percent of four partitions of the State Buffer, or 1 for each bank of PSUM in use.
pub(super) type Sample = (u64, Vec<f64>);

/// The curve of the State Buffer: of the partitions 0, 32, 64 and 96.
pub(super) fn state_buffer(runs: &[Run]) -> Vec<Sample> {
    let curves = [0u64, 1, 2, 3].map(|at| {
        let changes = changes(runs, |t| !t.is_psum && t.n_partitions > at * GROUP);
        let mut used = 0;
        let step = |(time, spans): (u64, Vec<(i64, i64, i64)>)| {
            used += spans.iter().map(|s| s.2 * (s.1 - s.0)).sum::<i64>();
            (time, used)
        };
        changes.into_iter().map(step).collect::<BTreeMap<u64, i64>>()
    });
    let mut times: Vec<u64> = curves.iter().flat_map(|c| c.keys().copied()).collect();
    times.sort_unstable();
    times.dedup();
    let at = |curve: &BTreeMap<u64, i64>, time| curve.range(..=time).next_back().map_or(0, |c| *c.1);
    let percent = |used: i64| 100.0 * used as f64 / STATE_BUFFER as f64;
    times.into_iter().map(|time| (time, curves.iter().map(|c| percent(at(c, time))).collect())).collect()
}

/// The curve of PSUM, bank by bank: a sample where an instruction writes to it, and where a bank comes into use or is free again.
pub(super) fn psum(runs: &[Run]) -> Vec<Sample> {
    let mut used = [0i64; N_BANKS as usize];
    let mut out: Vec<Sample> = Vec::new();
    for (time, spans) in changes(runs, |t| t.is_psum) {
        let is_write = spans.iter().any(|s| s.2 > 0);
        for (from, to, sign) in spans {
            for (bank, used) in (0..).zip(&mut used) {
                *used += sign * (to.min((bank + 1) * BANK) - from.max(bank * BANK)).max(0);
            }
        }
        let values: Vec<f64> = used.iter().map(|n| f64::from(u8::from(*n > 0))).collect();
        if is_write || out.last().is_none_or(|last| last.1 != values) {
            out.push((time, values));
        }
    }
    out
}

/// A value: the byte after its last one, when it is first in use, and when it no longer is.
type Live = (i64, u64, u64);

/// What comes into use (1) or is free again (−1) at each moment: (first byte, byte after the last one, sign).
fn changes(runs: &[Run], is_wanted: impl Fn(&Touch) -> bool) -> BTreeMap<u64, Vec<(i64, i64, i64)>> {
    let wanted = |run: &Run| run.touches.iter().copied().filter(|t| is_wanted(t)).map(|t| (run.time, t)).collect::<Vec<_>>();
    let mut all: Vec<((u64, u64), Touch)> = runs.iter().flat_map(wanted).collect();
    // An instruction reads before it writes.
    all.order_by_key(|a| (a.0.0, a.1.is_write));
    let mut live: BTreeMap<i64, Live> = BTreeMap::new();
    let mut out: BTreeMap<u64, Vec<(i64, i64, i64)>> = BTreeMap::new();
    let mut close = |from: i64, (to, start, end): Live| {
        out.entry(start).or_default().push((from, to, 1));
        out.entry(end).or_default().push((from, to, -1));
    };
    for ((start, end), touch) in all {
        let (from, to) = touch.bytes;
        if from >= to {
            continue;
        }
        cut(&mut live, from);
        cut(&mut live, to);
        if touch.is_write {
            let keys: Vec<i64> = live.range(from..to).map(|v| *v.0).collect();
            keys.into_iter().filter_map(|key| Some((key, live.remove(&key)?))).for_each(|(key, value)| close(key, value));
            live.insert(from, (to, start, end));
        } else {
            live.range_mut(from..to).for_each(|(_, value)| value.2 = value.2.max(end));
        }
    }
    live.into_iter().for_each(|(from, value)| close(from, value));
    out
}

/// Makes a value end at `at` that goes beyond it, and another one begin there.
fn cut(live: &mut BTreeMap<i64, Live>, at: i64) {
    if let Some((_, value)) = live.range_mut(..at).next_back().filter(|v| v.1.0 > at) {
        let rest = *value;
        value.0 = at;
        live.insert(at, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(time: (u64, u64), all: &[(bool, i64, i64)]) -> Run {
        let touch = |&(is_write, from, to): &(bool, i64, i64)| Touch { is_write, is_psum: false, bytes: (from, to), n_partitions: 128 };
        Run { time, touches: all.iter().map(touch).collect() }
    }

    fn bytes(runs: &[Run]) -> Vec<(u64, i64)> {
        state_buffer(runs).into_iter().map(|s| (s.0, (s.1[0] / 100.0 * STATE_BUFFER as f64).round() as i64)).collect()
    }

    #[test]
    fn a_value_is_in_use_until_its_last_read() {
        let runs = [
            run((10, 20), &[(true, 0, 100)]),
            run((30, 40), &[(false, 0, 50)]),
            run((50, 60), &[(false, 0, 50), (true, 200, 204)]),
            run((70, 80), &[(true, 0, 100)]),
        ];
        assert_eq!(bytes(&runs), [(10, 100), (20, 50), (50, 54), (60, 0), (70, 100), (80, 0)]);
    }

    #[test]
    fn partitions_and_banks_are_distinguished() {
        let few = Run { time: (1, 2), touches: [Touch { is_write: true, is_psum: false, bytes: (0, 2294), n_partitions: 40 }].into() };
        assert_eq!(state_buffer(&[few])[0].1.iter().map(|v| (v * 10.0).round()).collect::<Vec<_>>(), [10.0, 10.0, 0.0, 0.0]);
        let two = |time, bytes, is_write| Run { time, touches: [Touch { is_write, is_psum: true, bytes, n_partitions: 128 }].into() };
        let found = psum(&[two((1, 2), (2000, 2100), true), two((3, 4), (2000, 2048), false), two((5, 6), (14_336, 14_340), true)]);
        let banks: Vec<(u64, Vec<usize>)> = found.iter().map(|s| (s.0, (0..8).filter(|b| s.1[*b] > 0.0).collect())).collect();
        assert_eq!(banks, [(1, vec![0, 1]), (2, vec![0]), (4, vec![]), (5, vec![7]), (6, vec![])]);
        assert!(psum(&[]).is_empty() && state_buffer(&[]).is_empty());
    }
}
