//! DMA throughput over time: the sum of the rates of the transfers that are under way, sampled as `neuron-profile` does.
//!
//! A transfer moves its bytes evenly from its start to its end. A sample is at each moment at which one starts or ends, unless the sample
//! before is less than 10 ns old. Verified on both public runs: all 1,522 samples of `dma_throughput` are equal. A long run would have too many samples:
//! it has the mean rate of each of equal steps.

use super::precise;
use crate::base::radix_sort::{order_many, signed};
use crate::base::{TrackId, for_each_chunk, for_each_of};
use crate::model::{Column, NeuronDevice, Profile, TrackKind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Shortest time between two samples, picoseconds.
const STEP_PS: u64 = 10_000;
/// Samples of a core at most, about: of a longer run they are further apart.
const MOST: u64 = 500_000;
/// Steps that are worked on together: 128 KiB.
const STEPS_OF_WINDOW: u64 = 1 << 12;
/// Transfers that are sorted by their start at most, 16 bytes each.
const MOST_SORTED: usize = 1 << 20;

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
    /// Bytes of all transfers that have started; with equal steps, before it.
    pub total: u64,
}

/// Calls `each` with every sample of a core's transfers, which are sorted by their start for it.
pub(crate) fn samples(moved: &mut Vec<Moved>, each: &mut dyn FnMut(Rate)) {
    let Some(first) = moved.iter().map(|m| m.from).min() else { return };
    let last = moved.iter().map(Moved::to).max().unwrap_or(first);
    match Steps::of(moved.len(), (first, last)) {
        Some(mut steps) => {
            for_each_of(moved, |m| steps.add(m));
            steps.finish(each);
        }
        None => {
            order_many(moved, |m| signed(m.from));
            let mut sampler = Sampler::default();
            sampler.add_all(moved, each);
            sampler.finish(each);
        }
    }
}

/// Mean rates of equal steps.
struct Steps {
    /// Where the first begins and the last transfer ends, picoseconds.
    range: (u64, u64),
    /// Length of a step, picoseconds.
    length: u64,
    steps: Vec<Step>,
}

/// What transfers add to a step.
#[derive(Clone, Copy, Default)]
struct Step {
    /// Bytes of transfers that do not fill the step.
    bytes: f64,
    /// Change of the number of transfers that fill the step, and of the sum of their rates in bytes per picosecond.
    n_filling: i32,
    rate: f64,
    /// Bytes of the transfers that start in it.
    begun: u64,
}

impl Steps {
    /// For `n` transfers from the first start to the last end; `None` where they have a sample at each change.
    fn of(n: usize, range: (u64, u64)) -> Option<Steps> {
        let span = range.1.saturating_sub(range.0);
        let length = STEP_PS.max(span / MOST);
        let is_long = length > STEP_PS || n > MOST_SORTED;
        is_long.then(|| Steps { range, length, steps: vec![Step::default(); (span / length) as usize + 1] })
    }

    /// Ends of stretches of time, nanoseconds, the last one open. Transfers that are added stretch by stretch change steps that are in the processor's
    /// cache; lane by lane, each lane would fetch all steps again.
    fn windows(&self) -> impl Iterator<Item = i64> + use<> {
        let (from, length) = (self.range.0, self.length.saturating_mul(STEPS_OF_WINDOW));
        let n = self.steps.len() as u64 / STEPS_OF_WINDOW;
        let ends = (1..=n).map(move |k| from.saturating_add(k.saturating_mul(length)) / 1000);
        ends.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)).chain([i64::MAX])
    }

    fn add(&mut self, moved: &Moved) {
        let since = |time: u64| time.clamp(self.range.0, self.range.1) - self.range.0;
        let (from, to) = (since(moved.from), since(moved.to()));
        let (first, last) = ((from / self.length) as usize, (to / self.length) as usize);
        let (bytes, steps) = (f64::from(moved.bytes), &mut self.steps);
        steps[first].begun += u64::from(moved.bytes);
        // One without a duration adds to no moment.
        if from == to {
            return;
        }
        if first == last {
            steps[first].bytes += bytes;
            return;
        }
        let rate = bytes / (to - from) as f64;
        steps[first].bytes += rate * ((first as u64 + 1) * self.length - from) as f64;
        steps[last].bytes += rate * (to - last as u64 * self.length) as f64;
        if first + 1 < last {
            for (step, sign) in [(first + 1, 1), (last, -1)] {
                steps[step].n_filling += sign;
                steps[step].rate += f64::from(sign) * rate;
            }
        }
    }

    /// A sample at the start of each step whose mean rate differs from the step before, and a last one at the end.
    fn finish(self, each: &mut dyn FnMut(Rate)) {
        let (mut n_filling, mut rate, mut total, mut latest) = (0, 0.0, 0u64, None);
        let mut at = self.range.0;
        for_each_of(&self.steps, |step| {
            let start = total;
            total = total.saturating_add(step.begun);
            if at >= self.range.1 {
                return;
            }
            n_filling += step.n_filling;
            // What sums of unequal numbers leave over is not throughput.
            rate = if n_filling == 0 { 0.0 } else { rate + step.rate };
            // The last one may be shorter; no transfer fills it.
            let width = self.length.min(self.range.1 - at);
            let mean = (step.bytes / width as f64 + rate).max(0.0) * 1e12;
            if latest != Some(mean) {
                latest = Some(mean);
                each(Rate { time: at, rate: mean, total: start });
            }
            at = at.saturating_add(self.length);
        });
        each(Rate { time: self.range.1, rate: 0.0, total });
    }
}

/// Takes transfers by their start.
///
/// The last end has a sample in any case, so that the curve ends at 0; `neuron-profile` drops it where another sample is less than 10 ns old.
#[derive(Default)]
struct Sampler {
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
            if is_last || self.latest.is_none_or(|latest| at - latest >= STEP_PS) {
                self.latest = Some(at);
                each(Rate { time: at, rate: self.rate.max(0.0), total: self.total });
            }
        }
    }
}

/// Picoseconds from whole nanoseconds and a remainder. Times before 0 become 0, times beyond the clock its end.
fn picoseconds(ns: i64, rest: u16) -> u64 {
    const MOST_NS: i64 = (u64::MAX / 1000) as i64 - 1;
    ns.clamp(0, MOST_NS) as u64 * 1000 + u64::from(rest)
}

/// Calls `each` with every sample of the transfers on the queues of a core, which is a track without a parent. `bytes` are those of slices, `precise`
/// has the entries of times to the picosecond; transfers of `left_out`, ascending, are not counted. Returns whether there is a sample at each change.
pub(super) fn of_core(
    profile: &Profile,
    core: TrackId,
    (bytes, precise, left_out): (&Column<u32>, &Column<u32>, &[u32]),
    each: &mut dyn FnMut(Rate),
) -> bool {
    let is_below =
        |track: usize| std::iter::successors(Some(TrackId(track as u32)), |t| profile.tracks[t.index()].parent).any(|t| t == core);
    let tracks = (0..profile.tracks.len()).filter(|t| profile.tracks[*t].kind == TrackKind::Queue && is_below(*t));
    let (lanes, slices) = (&profile.lanes, &profile.slices);
    let lanes: Vec<_> = tracks.flat_map(|t| &lanes[profile.tracks[t].lanes.start as usize..profile.tracks[t].lanes.end as usize]).collect();
    let span = |i: usize, entry: u32| {
        let (start, duration) = precise::rest(entry);
        let from = picoseconds(slices.start[i], start);
        (from, from.saturating_add(picoseconds(slices.duration[i], duration)))
    };
    let n_moved = lanes.iter().map(|lane| (lane.end - lane.first) as usize).sum();
    // The slices of a lane follow each other.
    let one = |slice: u32| span(slice as usize, precise.at(slice as usize).unwrap_or(NeuronDevice::ABSENT));
    let Some(first) = lanes.iter().map(|lane| one(lane.first).0).min() else { return true };
    let last = lanes.iter().map(|lane| one(lane.end - 1).1).max().unwrap_or(first);
    let (mut sizes, mut entries, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    let mut for_each_part = |slices: Range<usize>, each: &mut dyn FnMut(&[Moved])| {
        let mut left_out = &left_out[left_out.partition_point(|slice| (*slice as usize) < slices.start)..];
        for_each_chunk(slices.len(), &mut |part| {
            let part = slices.start + part.start..slices.start + part.end;
            bytes.part(part.clone(), &mut sizes);
            precise.part(part.clone(), &mut entries);
            moved.clear();
            for ((slice, bytes), entry) in part.zip(&sizes).zip(&entries) {
                if left_out.first() == Some(&(slice as u32)) {
                    left_out = &left_out[1..];
                } else if *bytes != NeuronDevice::ABSENT {
                    let (from, to) = span(slice, *entry);
                    moved.push(Moved::new(from, to, *bytes));
                }
            }
            each(&moved);
        });
    };
    let mut rest: Vec<Range<usize>> = lanes.iter().map(|lane| lane.first as usize..lane.end as usize).collect();
    match Steps::of(n_moved, (first, last)) {
        Some(mut steps) => {
            for until in steps.windows() {
                for lane in &mut rest {
                    let n = slices.start[lane.clone()].partition_point(|start| *start < until);
                    let part = lane.start..lane.start + n;
                    lane.start = part.end;
                    for_each_part(part, &mut |moved| moved.iter().for_each(|moved| steps.add(moved)));
                }
            }
            steps.finish(each);
            false
        }
        None => {
            let mut all = Vec::with_capacity(n_moved);
            rest.into_iter().for_each(|lane| for_each_part(lane, &mut |part| all.extend_from_slice(part)));
            samples(&mut all, each);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::StrId;
    use crate::model::{Meta, ProfileBuilder, RawSlice, RecordRef, TrackSpec};

    fn moved(from: u64, to: u64, bytes: u32) -> Moved {
        Moved::new(from, to, bytes)
    }

    fn samples(moved: &[Moved]) -> Vec<Rate> {
        let mut out = Vec::new();
        super::samples(&mut moved.to_vec(), &mut |rate| out.push(rate));
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
        let all = [moved(500_000, 1_500_000, 1000), moved(0, 1_000_000, 1000)];
        let found: Vec<(u64, f64, u64)> = samples(&all).iter().map(|s| (s.time, s.rate, s.total)).collect();
        assert_eq!(found, [(0, 1e9, 1000), (500_000, 2e9, 2000), (1_000_000, 1e9, 2000), (1_500_000, 0.0, 2000)]);
    }

    #[test]
    fn samples_are_ten_nanoseconds_apart_and_the_curve_ends_at_zero() {
        let all = [moved(0, 9_000, 9), moved(4_000, 12_000, 8), moved(12_000, 13_000, 5)];
        let found: Vec<(u64, f64)> = samples(&all).iter().map(|s| (s.time, s.rate)).collect();
        assert_eq!(found, [(0, 1e9), (12_000, 5e9), (13_000, 0.0)]);
        assert!(samples(&[]).is_empty());
        let at_once = samples(&[moved(7, 7, 64)]);
        assert_eq!(at_once, [Rate { time: 7, rate: 0.0, total: 64 }]);
    }

    #[test]
    fn steps_of_a_long_run_have_mean_rates() {
        // Steps of 2 µs, the last of 1 µs. The first transfer fills three and half of the next; each of the others is within a step.
        let us = 1_000_000;
        let all = [moved(2 * us, 9 * us, 7000), moved(us, us + 7, 600), moved(8 * us, 8 * us, 5), moved(998 * us, 999 * us, 40)];
        let mut steps = Steps::of(MOST_SORTED + 1, (0, 999 * us)).unwrap();
        steps.length = 2 * us;
        all.iter().for_each(|m| steps.add(m));
        let mut found = Vec::new();
        steps.finish(&mut |s| found.push((s.time / us, (s.rate / 1e6).round(), s.total)));
        let want = [(0, 300.0, 0), (2, 1000.0, 600), (8, 500.0, 7600), (10, 0.0, 7605), (998, 40.0, 7605), (999, 0.0, 7645)];
        assert_eq!(found, want);
    }

    #[test]
    fn a_curve_moves_all_bytes() {
        let all: Vec<Moved> =
            (0..5000u64).map(|i| moved(i * i % 7919 * ps_of(i), i * i % 7919 * ps_of(i) + i * 911_111, 7 + i as u32)).collect();
        let found = samples(&all);
        let sum: f64 = found.windows(2).map(|pair| pair[0].rate * (pair[1].time - pair[0].time) as f64 / 1e12).sum();
        let want: f64 = all.iter().filter(|m| m.duration() > 0).map(|m| f64::from(m.bytes)).sum();
        assert!((sum / want - 1.0).abs() < 1e-9, "{sum} {want}");
        assert_eq!(found.last().map(|s| (s.rate, s.total)), Some((0.0, all.iter().map(|m| u64::from(m.bytes)).sum())));
    }

    #[test]
    fn a_long_run_is_the_same_in_any_order() {
        let n = MOST_SORTED as u64 + 1;
        let mut builder = ProfileBuilder::new();
        let track = |parent, name: &str, kind| TrackSpec { parent, name: name.into(), kind, sort: 0 };
        let core = builder.track(track(None, "nc0", TrackKind::Group));
        let queues = ["q0", "q1", "q2"].map(|name| builder.track(track(Some(core), name, TrackKind::Queue)));
        for i in 0..n {
            // Bursts, pauses, and transfers of many steps.
            let (start, duration) = (i / 64 * 400 + i * 7919 % 300, if i.is_multiple_of(1001) { 90_000 } else { 5 + i % 700 });
            let (track, record) = (queues[(i % 3) as usize], RecordRef::default());
            builder.slice(RawSlice { track, start: start as i64, duration: duration as i64, name: StrId(0), record });
        }
        let profile = builder.finish(Meta::default()).profile;
        let bytes: Vec<u32> = (0..n as u32).map(|i| if i.is_multiple_of(77) { NeuronDevice::ABSENT } else { 64 + i % 4096 }).collect();
        let left_out: Vec<u32> = (0..n as u32).filter(|i| i % 500 < 3).collect();
        let precise = Column::by_value(n as usize, false, |_| NeuronDevice::ABSENT);
        let mut all = Vec::new();
        for (i, bytes) in
            bytes.iter().enumerate().filter(|(i, b)| **b != NeuronDevice::ABSENT && left_out.binary_search(&(*i as u32)).is_err())
        {
            all.push(moved(picoseconds(profile.slices.start[i], 0), picoseconds(profile.slices.end(i), 0), *bytes));
        }
        let ends = [profile.slices.start.iter().min(), (0..n as usize).map(|i| profile.slices.end(i)).max().as_ref()]
            .map(|t| picoseconds(*t.unwrap(), 0));
        let mut steps = Steps::of(n as usize, (ends[0], ends[1])).unwrap();
        let windows: Vec<i64> = steps.windows().collect();
        assert!(windows.len() > 2 && windows.is_sorted_by(|a, b| a < b) && windows.last() == Some(&i64::MAX), "{windows:?}");
        all.iter().for_each(|m| steps.add(m));
        let (mut want, mut found) = (Vec::new(), Vec::new());
        steps.finish(&mut |rate| want.push(rate));
        let core = profile.tracks.iter().position(|t| t.kind == TrackKind::Group).unwrap();
        assert!(!of_core(&profile, TrackId(core as u32), (&bytes.into(), &precise, &left_out), &mut |rate| found.push(rate)));
        assert_eq!(found.len(), want.len());
        for (found, want) in found.iter().zip(&want) {
            assert_eq!((found.time, found.total), (want.time, want.total));
            assert!((found.rate - want.rate).abs() <= 1e-6 * want.rate.max(1.0), "{found:?} {want:?}");
        }
    }

    /// Some times lie close, some far away.
    fn ps_of(i: u64) -> u64 {
        if i.is_multiple_of(2) { 1_000_000 } else { 1_234_567 }
    }

    #[test]
    fn hostile_times_and_long_runs_are_bounded() {
        let all: Vec<Moved> = (0..2_000_000u64).map(|i| moved(i * 20_000, i * 20_000 + i % 15_000, 64)).collect();
        let found = samples(&all);
        assert!(found.len() as u64 <= MOST + 2 && found.iter().all(|s| s.rate < 1e13), "{}", found.len());
        assert!(found.is_sorted_by(|a, b| a.time < b.time));
        let far = samples(&[moved(0, u64::MAX, u32::MAX), moved(u64::MAX, u64::MAX, 1)]);
        assert!(far.len() < 5 && far.last().is_some_and(|s| s.rate == 0.0), "{far:?}");
        let at_once = samples(&vec![moved(7, 7, 64); MOST_SORTED + 1]);
        assert_eq!(at_once, [Rate { time: 7, rate: 0.0, total: 64 * (MOST_SORTED as u64 + 1) }]);
    }
}
