//! What happens to a semaphore, by time: a long run has tens of millions of values, so that each takes eight bytes.

use crate::base::{first_position_near, for_each_chunk};
use std::cell::Cell;

/// Ascending times with a number each.
#[derive(Debug, Default)]
pub(super) struct ByTime {
    times: Times,
    pub numbers: Vec<u32>,
    /// How many came until the time that was asked for last: most questions are about times near each other.
    near: Cell<usize>,
}

/// Ascending times, nanoseconds.
#[derive(Debug)]
enum Times {
    /// From the first one on, where all are within four seconds.
    Since(i64, Vec<u32>),
    Wide(Vec<i64>),
}

impl Default for Times {
    fn default() -> Self {
        Times::Wide(Vec::new())
    }
}

impl ByTime {
    /// Numbers whose times ascend: `time(number)`.
    pub fn of(numbers: Vec<u32>, time: impl Fn(u32) -> i64) -> Self {
        let first = numbers.first().map_or(0, |number| time(*number));
        let is_near = numbers.last().is_some_and(|last| u32::try_from(time(*last).wrapping_sub(first)).is_ok());
        let times = if is_near {
            let mut since = Vec::with_capacity(numbers.len());
            for_each_chunk(numbers.len(), &mut |part| since.extend(numbers[part].iter().map(|n| time(*n).wrapping_sub(first) as u32)));
            Times::Since(first, since)
        } else {
            Times::Wide(numbers.iter().map(|n| time(*n)).collect())
        };
        ByTime { times, numbers, near: Cell::default() }
    }

    pub fn time(&self, at: usize) -> i64 {
        match &self.times {
            Times::Since(first, since) => first.wrapping_add(since[at].into()),
            Times::Wide(times) => times[at],
        }
    }

    /// How many came at or before a time.
    pub fn n_until(&self, time: i64) -> usize {
        let n = first_position_near(0..self.numbers.len(), self.near.get(), |at| self.time(at) > time);
        self.near.set(n);
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_near_and_far_from_each_other() {
        for times in [[-5, 0, 7, 7, i64::from(u32::MAX) - 5], [-5, 0, 7, 7, i64::from(u32::MAX) - 4], [i64::MIN, 0, 7, 7, i64::MAX]] {
            let list = ByTime::of((0..5).collect(), |n| times[n as usize]);
            assert!((0..5).map(|at| list.time(at)).eq(times));
            for time in times.iter().flat_map(|t| [t.saturating_sub(1), *t, t.saturating_add(1)]) {
                assert_eq!(list.n_until(time), times.partition_point(|t| *t <= time), "{time} of {times:?}");
            }
        }
        assert_eq!(ByTime::of(Vec::new(), |_| 0).n_until(0), 0);
    }
}
