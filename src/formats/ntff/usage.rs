//! Usage of State Buffer and PSUM over time: the bytes that instructions wrote and that are still read later, as `neuron-profile` counts them.
//!
//! A value is in use from the start of the instruction that writes it to the end of the last one that reads it before it is overwritten; a value
//! that nothing reads, to the end of its writer. Verified on both public runs: all 274 samples of `instruction_usage` are equal. Three habits of
//! the profiler are kept, so that the curves can be compared: DMA transfers neither write nor read, addresses of biases and immediates are not
//! read, and a pattern with a negative step is taken to begin one element too low and to end one too low.

use super::isa::{Access, End, Instruction, Operand, Value};
use crate::base::for_each_of;
use crate::base::radix_sort::{order_many, order_many_by, signed};
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

/// The executions of a core that read or write on the chip; `None` where what some of them write is not known, or where they are too many.
pub(super) type Runs = Option<Vec<Run>>;

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
    let is_wanted = |at: usize| move |t: &Touch| !t.is_psum && t.n_partitions > at as u64 * GROUP;
    let mut curves: [Vec<(u64, i64)>; 4] = Default::default();
    for at in 0..curves.len() {
        // What touches this partition mostly touches the one before as well.
        let is_same = at > 0 && runs.iter().all(|run| run.touches.iter().all(|t| is_wanted(at)(t) == is_wanted(at - 1)(t)));
        curves[at] = if is_same { curves[at - 1].clone() } else { used(runs, is_wanted(at)) };
    }
    let percent = |used: i64| 100.0 * used as f64 / STATE_BUFFER as f64;
    let mut left = curves.each_ref().map(|curve| (curve.as_slice(), 0));
    let mut out = Vec::with_capacity(curves[0].len());
    while let Some(time) = left.iter().filter_map(|(curve, _)| curve.first()).map(|c| c.0).min() {
        for (curve, used) in &mut left {
            if let Some((first, rest)) = curve.split_first().filter(|(first, _)| first.0 == time) {
                (*curve, *used) = (rest, first.1);
            }
        }
        out.push((time, left.iter().map(|l| percent(l.1)).collect()));
    }
    out
}

/// How many bytes are in use from each moment on at which that changes.
fn used(runs: &[Run], is_wanted: impl Fn(&Touch) -> bool) -> Vec<(u64, i64)> {
    let mut out: Vec<(u64, i64)> = Vec::new();
    let mut used = 0;
    for_each_of(&changes(runs, is_wanted), |change| {
        used += change.sign * (change.bytes.1 - change.bytes.0);
        match out.last_mut().filter(|last| last.0 == change.time) {
            Some(last) => last.1 = used,
            None => out.push((change.time, used)),
        }
    });
    out
}

/// The curve of PSUM, bank by bank: a sample where an instruction writes to it, and where a bank comes into use or is free again.
pub(super) fn psum(runs: &[Run]) -> Vec<Sample> {
    let mut used = [0i64; N_BANKS as usize];
    let mut out: Vec<Sample> = Vec::new();
    for at_once in changes(runs, |t| t.is_psum).chunk_by(|a, b| a.time == b.time) {
        for Change { bytes: (from, to), sign, .. } in at_once {
            for (bank, used) in (0..).zip(&mut used) {
                *used += sign * (*to.min(&((bank + 1) * BANK)) - *from.max(&(bank * BANK))).max(0);
            }
        }
        let is_write = at_once.iter().any(|change| change.sign > 0);
        let values: Vec<f64> = used.iter().map(|n| f64::from(u8::from(*n > 0))).collect();
        if is_write || out.last().is_none_or(|last| last.1 != values) {
            out.push((at_once[0].time, values));
        }
    }
    out
}

/// Bytes that come into use (1) or are free again (−1).
#[derive(Debug, Clone, Copy)]
struct Change {
    time: u64,
    /// The first, and the one after the last.
    bytes: (i64, i64),
    sign: i64,
}

/// A value: the byte after its last one, when it is first in use, and when it no longer is.
type Live = (i64, u64, u64);

/// What comes into use or is free again, by time.
fn changes(runs: &[Run], is_wanted: impl Fn(&Touch) -> bool) -> Vec<Change> {
    let mut all: Vec<((u64, u64), Touch)> = Vec::with_capacity(runs.len());
    for_each_of(runs, |run| all.extend(run.touches.iter().filter(|t| is_wanted(t)).map(|t| (run.time, *t))));
    // An instruction reads before it writes.
    order_many_by(&mut all, |a| signed(a.0.0), |a| a.1.is_write);
    let mut live: BTreeMap<i64, Live> = BTreeMap::new();
    let mut out: Vec<Change> = Vec::with_capacity(2 * all.len());
    let mut close = |from: i64, (to, start, end): Live| {
        out.extend([(start, 1), (end, -1)].map(|(time, sign)| Change { time, bytes: (from, to), sign }));
    };
    for_each_of(&all, |((start, end), touch)| {
        let (from, to) = touch.bytes;
        if from >= to {
            return;
        }
        cut(&mut live, from);
        cut(&mut live, to);
        if touch.is_write {
            while let Some((key, value)) = live.range(from..to).next().map(|(key, value)| (*key, *value)) {
                live.remove(&key);
                close(key, value);
            }
            live.insert(from, (to, *start, *end));
        } else {
            live.range_mut(from..to).for_each(|(_, value)| value.2 = value.2.max(*end));
        }
    });
    live.into_iter().for_each(|(from, value)| close(from, value));
    order_many(&mut out, |change| signed(change.time));
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
