//! DMA throughput over time: the sum of the rates of the transfers that are under way, sampled as `neuron-profile` does.
//!
//! A transfer moves its bytes evenly from its start to its end. A sample is at each moment at which one starts or ends, unless the sample
//! before is less than 10 ns old. Verified on both public runs: all 1,522 samples of `dma_throughput` are equal.

use super::precise;
use crate::base::{TrackId, for_each_chunk};
use crate::model::{NeuronDevice, Profile, TrackKind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Shortest time between two samples, picoseconds.
const STEP_PS: u64 = 10_000;
/// Samples of a core at most, about: of a longer run they are further apart.
const MOST: u64 = 500_000;

/// A transfer in 16 bytes: a long trace has millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moved {
    /// Picoseconds.
    pub from: u64,
    /// Picoseconds, or with the highest bit set, units of 2^20 picoseconds, about a microsecond.
    duration: u32,
    bytes: u32,
}

/// The highest bit of a duration, and the bits of a long unit.
const IS_LONG: u32 = 1 << 31;
const LONG_BITS: u32 = 20;

impl Moved {
    /// From and to on one clock. Durations above two milliseconds, which no packet of 64 KiB takes, are kept to the microsecond.
    pub fn new(from: u64, to: u64, bytes: u32) -> Self {
        let ps = to.saturating_sub(from);
        let long = || IS_LONG | u32::try_from(ps >> LONG_BITS).unwrap_or(u32::MAX).min(IS_LONG - 1);
        let duration = u32::try_from(ps).ok().filter(|d| *d < IS_LONG).unwrap_or_else(long);
        Moved { from, duration, bytes }
    }

    fn duration(&self) -> u64 {
        match self.duration & IS_LONG {
            0 => self.duration.into(),
            _ => u64::from(self.duration & !IS_LONG) << LONG_BITS,
        }
    }

    /// Its end, picoseconds.
    fn to(&self) -> u64 {
        self.from.saturating_add(self.duration())
    }

    /// Bytes per second; 0 of a transfer without a duration, which adds to no moment.
    fn rate(&self) -> f64 {
        let duration = self.duration();
        if duration == 0 { 0.0 } else { f64::from(self.bytes) / duration as f64 * 1e12 }
    }
}

/// Throughput at a moment, which holds until the next sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// Picoseconds.
    pub time: u64,
    /// Bytes per second of all transfers under way.
    pub rate: f64,
    /// Bytes of all transfers that have started.
    pub total: u64,
}

/// Calls `each` with every sample of a core's transfers, which are sorted by their start for it.
pub(crate) fn samples(moved: &mut [Moved], each: &mut dyn FnMut(Rate)) {
    moved.sort_unstable_by_key(|m| m.from);
    let (Some(first), Some(last)) = (moved.first(), moved.iter().map(Moved::to).max()) else { return };
    let mut sampler = Sampler::new(last - first.from);
    sampler.add_all(moved, each);
    sampler.finish(each);
}

/// Takes transfers by their start.
///
/// The last end has a sample in any case, so that the curve ends at 0; `neuron-profile` drops it where another sample is less than 10 ns old.
struct Sampler {
    /// Shortest time between two samples, picoseconds.
    step: u64,
    /// Ends of the transfers under way, and which they are of: (end, number, transfer).
    open: BinaryHeap<Reverse<(u64, u64, Moved)>>,
    n_begun: u64,
    /// The last time at which a transfer began or ended; its sample is pending.
    now: Option<u64>,
    latest: Option<u64>,
    rate: f64,
    total: u64,
}

impl Sampler {
    /// `span`: from the first start to the last end.
    fn new(span: u64) -> Self {
        let step = STEP_PS.max(span / MOST);
        Sampler { step, open: BinaryHeap::new(), n_begun: 0, now: None, latest: None, rate: 0.0, total: 0 }
    }

    fn add(&mut self, begun: Moved, each: &mut dyn FnMut(Rate)) {
        self.advance(begun.from, false, each);
        self.rate += begun.rate();
        self.total = self.total.saturating_add(u64::from(begun.bytes));
        self.open.push(Reverse((begun.to(), self.n_begun, begun)));
        self.n_begun += 1;
        self.now = Some(begun.from);
    }

    /// The same for many, by their start. A function of its own, since a browser enters an optimized build only at a call.
    #[inline(never)]
    fn add_all(&mut self, begun: &[Moved], each: &mut dyn FnMut(Rate)) {
        begun.iter().for_each(|begun| self.add(*begun, each));
    }

    fn finish(mut self, each: &mut dyn FnMut(Rate)) {
        self.advance(u64::MAX, true, each);
    }

    /// Writes the samples of all times before `time`; at the end, all samples.
    fn advance(&mut self, time: u64, is_over: bool, each: &mut dyn FnMut(Rate)) {
        while let Some(at) = [self.now, self.open.peek().map(|e| e.0.0)].into_iter().flatten().min().filter(|at| is_over || *at < time) {
            self.now = None;
            while let Some(Reverse((_, _, done))) = self.open.peek().copied().filter(|e| e.0.0 == at) {
                self.open.pop();
                self.rate -= done.rate();
            }
            if self.open.is_empty() {
                // What sums of unequal numbers leave over is not throughput.
                self.rate = 0.0;
            }
            let is_last = is_over && self.open.is_empty();
            if is_last || self.latest.is_none_or(|latest| at - latest >= self.step) {
                self.latest = Some(at);
                each(Rate { time: at, rate: self.rate.max(0.0), total: self.total });
            }
        }
    }
}

/// Transfers that are sorted at a time: as many as fit into a processor's cache.
const WINDOW: usize = 1 << 14;

/// Picoseconds from whole nanoseconds and a remainder. Times before 0 become 0, times beyond the clock its end.
fn picoseconds(ns: i64, rest: u16) -> u64 {
    const MOST_NS: i64 = (u64::MAX / 1000) as i64 - 1;
    ns.clamp(0, MOST_NS) as u64 * 1000 + u64::from(rest)
}

/// Calls `each` with every sample of the transfers on the queues of a core, which is a track without a parent. `bytes` are those of a slice, `precise` is the column of
/// times to the picosecond; transfers of `left_out`, ascending, are not counted.
pub(super) fn of_core(
    profile: &Profile,
    core: TrackId,
    (bytes, precise, left_out): (&impl Fn(u32) -> Option<u32>, &[u32], &[u32]),
    each: &mut dyn FnMut(Rate),
) {
    let is_below =
        |track: usize| std::iter::successors(Some(TrackId(track as u32)), |t| profile.tracks[t.index()].parent).any(|t| t == core);
    let tracks = (0..profile.tracks.len()).filter(|t| profile.tracks[*t].kind == TrackKind::Queue && is_below(*t));
    let slices = &profile.slices;
    let tracks: Vec<Range<usize>> = tracks.map(|t| profile.slices_of(TrackId(t as u32))).collect();
    let mut queues: Vec<&[u32]> = tracks.iter().map(|part| &slices.by_start[part.clone()]).collect();
    let moved = |slice: u32| {
        let i = slice as usize;
        let bytes = bytes(slice).filter(|bytes| *bytes != NeuronDevice::ABSENT)?;
        let is_counted = left_out.is_empty() || left_out.binary_search(&slice).is_err();
        let (start, duration) = precise::rest(precise[i]);
        let from = picoseconds(slices.start[i], start);
        is_counted.then(|| Moved::new(from, from.saturating_add(picoseconds(slices.duration[i], duration)), bytes))
    };
    let (mut first, mut last) = (u64::MAX, 0);
    // In the order of the table, which is faster than by start.
    for part in &tracks {
        for_each_chunk(part.len(), &mut |some| {
            for m in some.filter_map(|k| moved((part.start + k) as u32)) {
                (first, last) = (first.min(m.from), last.max(m.to()));
            }
        });
    }
    if first > last {
        return;
    }
    let mut sampler = Sampler::new(last - first);
    // Transfers of all queues are merged by their starts, window by window.
    let n_windows = queues.iter().map(|queue| queue.len()).sum::<usize>().div_ceil(WINDOW) as u64;
    let (from, length) = ((first / 1000) as i64, (last - first) / 1000);
    let mut together: Vec<Moved> = Vec::new();
    for window in 1..=n_windows {
        let to = if window == n_windows { i64::MAX } else { from.saturating_add((length / n_windows * window) as i64) };
        for queue in &mut queues {
            *queue = take_until(queue, |slice| slices.start[slice as usize] >= to, |slice| together.extend(moved(slice)));
        }
        together.sort_by_key(|m| m.from);
        sampler.add_all(&together, each);
        together.clear();
    }
    sampler.finish(each);
}

/// Calls `take` with the slices of a queue before the first that `is_later`, and returns the others. A function of its own, since a browser enters an
/// optimized build only at a call.
#[inline(never)]
fn take_until(queue: &[u32], is_later: impl Fn(u32) -> bool, mut take: impl FnMut(u32)) -> &[u32] {
    for (at, slice) in queue.iter().enumerate() {
        if is_later(*slice) {
            return &queue[at..];
        }
        take(*slice);
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(from: u64, to: u64, bytes: u32) -> Moved {
        Moved::new(from, to, bytes)
    }

    fn samples(moved: &mut [Moved]) -> Vec<Rate> {
        let mut out = Vec::new();
        super::samples(moved, &mut |rate| out.push(rate));
        out
    }

    #[test]
    fn durations_are_exact_up_to_two_milliseconds() {
        for ps in [0, 1, 43_000, (1 << 31) - 1] {
            assert_eq!(moved(7, 7 + ps, 1).to(), 7 + ps);
        }
        let long = 5_000_000_000_000;
        assert!(long - moved(0, long, 1).to() < 1 << LONG_BITS);
    }

    #[test]
    fn rates_of_what_is_under_way_add_up() {
        // 1 byte per nanosecond each; the second starts while the first is under way.
        let mut all = [moved(500_000, 1_500_000, 1000), moved(0, 1_000_000, 1000)];
        let found: Vec<(u64, f64, u64)> = samples(&mut all).iter().map(|s| (s.time, s.rate, s.total)).collect();
        assert_eq!(found, [(0, 1e9, 1000), (500_000, 2e9, 2000), (1_000_000, 1e9, 2000), (1_500_000, 0.0, 2000)]);
    }

    #[test]
    fn samples_are_ten_nanoseconds_apart_and_the_curve_ends_at_zero() {
        let mut all = [moved(0, 9_000, 9), moved(4_000, 12_000, 8), moved(12_000, 13_000, 5)];
        let found: Vec<(u64, f64)> = samples(&mut all).iter().map(|s| (s.time, s.rate)).collect();
        assert_eq!(found, [(0, 1e9), (12_000, 5e9), (13_000, 0.0)]);
        assert!(samples(&mut []).is_empty());
        let at_once = samples(&mut [moved(7, 7, 64)]);
        assert_eq!(at_once, [Rate { time: 7, rate: 0.0, total: 64 }]);
    }

    #[test]
    fn hostile_times_and_long_runs_are_bounded() {
        let mut all: Vec<Moved> = (0..2_000_000u64).map(|i| moved(i * 20_000, i * 20_000 + 15_000, 64)).collect();
        let found = samples(&mut all);
        assert!(found.len() as u64 <= MOST + 2 && found.iter().all(|s| s.rate < 5e9), "{}", found.len());
        assert!(found.is_sorted_by(|a, b| a.time < b.time));
        let far = samples(&mut [moved(0, u64::MAX, u32::MAX), moved(u64::MAX, u64::MAX, 1)]);
        assert_eq!((far.len(), far.last().map(|s| s.rate)), (3, Some(0.0)));
    }
}
