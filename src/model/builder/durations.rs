//! Durations in four bytes each; the few longer ones are stored separately.

use crate::model::Blocks;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Marks a duration of 4.29 s or more.
const LONG: u32 = u32::MAX;

/// Durations of slices in the order written, nanoseconds; none is negative.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Durations {
    short: Blocks<u32>,
    /// Keyed by slice.
    long: BTreeMap<u32, i64>,
}

/// A stored duration.
#[inline]
fn short(duration: i64) -> u32 {
    u32::try_from(duration.max(0)).unwrap_or(LONG)
}

impl Durations {
    /// Makes room for `n` in all.
    pub fn expect(&mut self, n: usize) {
        self.short.expect(n);
    }

    /// Adds one; a negative one is taken for 0.
    #[inline]
    pub fn push(&mut self, duration: i64) {
        let short = short(duration);
        if short == LONG {
            self.long.insert(self.short.len() as u32, duration);
        }
        self.short.push(short);
    }

    /// Adds `n`: the `i`-th is `duration(i)`.
    pub fn extend(&mut self, n: usize, duration: impl Fn(usize) -> i64) {
        let first = self.short.len();
        self.short.extend(n, |i| short(duration(i)));
        let long = (0..n).filter(|i| self.short.get(first + i) == LONG);
        self.long.extend(long.map(|i| ((first + i) as u32, duration(i))));
    }

    /// Adds those of `other`.
    pub fn append(&mut self, other: Durations) {
        let first = self.short.len() as u32;
        self.short.append(other.short, |short| short);
        self.long.extend(other.long.into_iter().map(|(i, duration)| (first + i, duration)));
    }

    /// The one at `i`, which must be there.
    #[inline]
    pub fn get(&self, i: usize) -> i64 {
        match self.short.get(i) {
            LONG => self.long.get(&(i as u32)).copied().unwrap_or(i64::from(LONG)),
            short => i64::from(short),
        }
    }

    /// Changes the one at `i`, which must be there.
    #[inline]
    pub fn set(&mut self, i: usize, duration: i64) {
        let short = short(duration);
        if short == LONG {
            self.long.insert(i as u32, duration);
        }
        self.short.set(i, short);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_any_length_are_kept() {
        let all = [0, 7, i64::from(LONG) - 1, i64::from(LONG), 1 << 40, i64::MAX];
        let (mut column, mut other) = (Durations::default(), Durations::default());
        all[..2].iter().for_each(|d| column.push(*d));
        column.extend(all.len() - 2, |i| all[2 + i]);
        other.push(i64::from(LONG));
        other.push(-3);
        column.append(other);
        let got = |column: &Durations, n: usize| (0..n).map(|i| column.get(i)).collect::<Vec<_>>();
        assert_eq!(got(&column, 8), [&all[..], &[i64::from(LONG), 0]].concat());
        column.set(4, 3);
        column.set(0, 1 << 50);
        assert_eq!(got(&column, 5), [1 << 50, 7, i64::from(LONG) - 1, i64::from(LONG), 3]);
    }
}
