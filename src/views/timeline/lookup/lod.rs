//! Levels of detail of a lane: how busy, and which slice is the longest, of any run of slices, without walking them.

use crate::base::{SharedColumn, first_position};
use std::ops::Range;

/// Slices in a block, and blocks in a block of blocks.
const FAN: usize = 16;

/// The pyramid over one lane's slices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaneLod {
    first: usize,
    end: usize,
    /// Busy nanoseconds before each block, and of all at the end.
    busy_before: Vec<i64>,
    /// Per level, per block: the slice with the longest duration; the earliest of equals.
    longest: Vec<Vec<u32>>,
}

impl LaneLod {
    /// The pyramid over slices `range` of the column.
    pub fn new(duration: &SharedColumn<i64>, range: Range<usize>) -> Self {
        let slices = duration.run(range.clone()).unwrap_or_default();
        let mut busy_before = Vec::with_capacity(slices.len().div_ceil(FAN) + 1);
        let mut level = Vec::with_capacity(slices.len().div_ceil(FAN));
        let mut busy = 0i64;
        for (b, block) in slices.chunks(FAN).enumerate() {
            busy_before.push(busy);
            let mut best = 0;
            for (i, &d) in block.iter().enumerate() {
                busy = busy.saturating_add(d);
                if d > block[best] {
                    best = i;
                }
            }
            level.push((range.start + b * FAN + best) as u32);
        }
        busy_before.push(busy);
        let mut longest = vec![level];
        while let Some(below) = longest.last().filter(|l| l.len() > FAN) {
            let above = below.chunks(FAN).map(|c| c.iter().fold(c[0], |a, &b| longer(duration, a, b))).collect();
            longest.push(above);
        }
        LaneLod { first: range.start, end: range.start + slices.len(), busy_before, longest }
    }

    /// Busy nanoseconds of all slices before `i`.
    fn busy_until(&self, duration: &SharedColumn<i64>, i: usize) -> i64 {
        let at = i.clamp(self.first, self.end) - self.first;
        let block = at / FAN;
        let tail = self.first + block * FAN..self.first + at;
        tail.fold(self.busy_before[block], |sum, i| sum.saturating_add(duration.value_at(i)))
    }

    /// Busy nanoseconds of slices `run`.
    pub fn busy(&self, duration: &SharedColumn<i64>, run: Range<usize>) -> i64 {
        if run.len() <= 2 * FAN {
            return run.fold(0, |sum, i| sum.saturating_add(duration.value_at(i)));
        }
        self.busy_until(duration, run.end).saturating_sub(self.busy_until(duration, run.start))
    }

    /// Busy nanoseconds of the whole lane.
    pub fn total(&self) -> i64 {
        self.busy_before.last().copied().unwrap_or(0)
    }

    /// The longest slice of a run that is not empty.
    pub fn longest(&self, duration: &SharedColumn<i64>, run: Range<usize>) -> usize {
        let mut best = run.start as u32;
        if run.len() <= 2 * FAN {
            return run.fold(best, |a, b| longer(duration, a, b as u32)) as usize;
        }
        let (mut lo, mut hi) = (run.start - self.first, run.end - self.first);
        let take = |best: u32, level: usize, i: usize| {
            let id = if level == 0 { (self.first + i) as u32 } else { self.longest[level - 1][i] };
            longer(duration, best, id)
        };
        let mut level = 0;
        loop {
            let is_top = level == self.longest.len();
            while lo < hi && (is_top || !lo.is_multiple_of(FAN)) {
                best = take(best, level, lo);
                lo += 1;
            }
            while lo < hi && !hi.is_multiple_of(FAN) && !self.ends_at(level, hi) {
                hi -= 1;
                best = take(best, level, hi);
            }
            if lo >= hi {
                break;
            }
            lo /= FAN;
            hi = hi.div_ceil(FAN);
            level += 1;
        }
        best as usize
    }

    /// Whether `hi` is the end of all on that level, so that the last, unfilled block is wholly inside.
    fn ends_at(&self, level: usize, hi: usize) -> bool {
        let n = if level == 0 { self.end - self.first } else { self.longest[level - 1].len() };
        hi == n
    }

    /// Nanoseconds of `from..to` in which a slice of the lane runs.
    pub fn busy_between(&self, start: &SharedColumn<i64>, duration: &SharedColumn<i64>, from: i64, to: i64) -> i64 {
        self.busy_before_time(start, duration, to).saturating_sub(self.busy_before_time(start, duration, from)).max(0)
    }

    fn busy_before_time(&self, start: &SharedColumn<i64>, duration: &SharedColumn<i64>, t: i64) -> i64 {
        let i = start.partition_point(self.first..self.end, |s| s < t);
        if i == self.first {
            return 0;
        }
        let over = start.value_at(i - 1).saturating_add(duration.value_at(i - 1)).saturating_sub(t).max(0);
        self.busy_until(duration, i) - over
    }
}

/// The longer of two slices; the earlier of equals.
fn longer(duration: &SharedColumn<i64>, a: u32, b: u32) -> u32 {
    let (da, db) = (duration.value_at(a as usize), duration.value_at(b as usize));
    if db > da || (db == da && b < a) { b } else { a }
}

/// First index in `from..end` with a start at or after `t`. Gallops, because the answer is usually near.
pub fn seek(start: impl Fn(usize) -> i64, from: usize, end: usize, t: i64) -> usize {
    let mut low = from;
    let mut step = 1;
    while low + step < end && start(low + step) < t {
        low += step;
        step *= 2;
    }
    first_position(low..(low + step).min(end), |i| start(i) >= t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<i64> {
        let mut x = 88_172_645_463_325_252u64;
        (0..n)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x % 1000) as i64
            })
            .collect()
    }

    #[test]
    fn any_run_is_as_if_walked() {
        let d = numbers(6000);
        let column = SharedColumn::from(d.clone());
        let lod = LaneLod::new(&column, 7..5993);
        assert_eq!(lod.total(), d[7..5993].iter().sum::<i64>());
        for pair in numbers(400).chunks(2) {
            let a = 7 + (pair[0] as usize * 5) % 5900;
            let b = (a + 1 + pair[1] as usize * 6).min(5993);
            assert_eq!(lod.busy(&column, a..b), d[a..b].iter().sum::<i64>(), "{a}..{b}");
            let max = d[a..b].iter().max().copied().unwrap_or(0);
            let want = a + d[a..b].iter().position(|&x| x == max).unwrap_or(0);
            assert_eq!(lod.longest(&column, a..b), want, "{a}..{b}");
        }
    }

    #[test]
    fn seeking_finds_the_first_at_or_after() {
        let s: Vec<i64> = (0..100).map(|i| i * 10).collect();
        for t in -5..1000 {
            let want = s.partition_point(|&x| x < t).max(3);
            assert_eq!(seek(|i| s[i], 3, 100, t), want, "{t}");
        }
        assert_eq!(seek(|i| s[i], 100, 100, 5), 100);
    }

    #[test]
    fn busy_between_clips_both_ends() {
        let (s, d) = (SharedColumn::from(vec![0, 20, 40]), SharedColumn::from(vec![10, 10, 10]));
        let lod = LaneLod::new(&d, 0..3);
        assert_eq!(lod.busy_between(&s, &d, 5, 45), 5 + 10 + 5);
        assert_eq!(lod.busy_between(&s, &d, 10, 20), 0);
        assert_eq!(LaneLod::new(&d, 1..1).busy_between(&s, &d, 0, 100), 0);
    }
}
