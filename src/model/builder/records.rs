//! Positions of the records of slices: one each, or four bytes each if records of one length are contiguous in the file.

use crate::base::{SliceId, for_each_chunk};
use crate::model::{Blocks, RecordRef};
use serde::{Deserialize, Serialize};

/// A slice with a record outside of runs.
const NONE: u32 = u32::MAX;

/// A stretch of a member in which one record follows the other.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Run {
    /// Number of its first record; records are numbered through all runs.
    first: u32,
    /// Position of its first record.
    place: RecordRef,
    /// Length of a record is two to the power of it, bytes.
    bits: u32,
}

/// Records of slices in the order written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Records {
    /// Records of slices that are not in a run, up to the last one of these.
    places: Blocks<RecordRef>,
    /// Numbers of the records of runs, up to the last slice that has one.
    numbers: Blocks<u32>,
    runs: Vec<Run>,
    /// Records of all runs.
    n_records: u64,
}

impl Records {
    pub fn expect(&mut self, n: usize) {
        self.places.expect(n);
    }

    /// Makes room for `n` in all that are in runs.
    pub fn expect_in_runs(&mut self, n: usize) {
        self.numbers.expect(n);
    }

    /// A stretch of `n` records of the length of `first`, a power of two, begins: records of the next slices are looked for in it.
    pub fn run(&mut self, first: RecordRef, n: u64) {
        let number = u32::try_from(self.n_records).ok().zip(first.n_bytes().filter(|bytes| bytes.is_power_of_two()));
        if let Some((number, n_bytes)) = number {
            self.runs.push(Run { first: number, place: first, bits: n_bytes.trailing_zeros() });
            self.n_records = self.n_records.saturating_add(n);
        }
    }

    /// The number of a record of the last run.
    #[inline]
    fn number(&self, record: RecordRef) -> Option<u32> {
        let run = self.runs.last()?;
        let distance = record.0.checked_sub(run.place.0)?;
        let number = u64::from(run.first) + (distance >> run.bits);
        let is_inside = distance & ((1 << run.bits) - 1) == 0 && number < self.n_records.min(NONE.into());
        is_inside.then_some(number as u32)
    }

    /// Adds the record of slice `slice`, after those of all slices before it.
    #[inline]
    pub fn push(&mut self, slice: usize, record: RecordRef) {
        match self.number(record) {
            Some(number) => {
                self.numbers.pad(slice, NONE);
                self.numbers.push(number);
            }
            None => {
                self.places.pad(slice, RecordRef::default());
                self.places.push(record);
            }
        }
    }

    /// Adds records of `n` slices from `first` on.
    pub fn extend(&mut self, first: usize, n: usize, record: impl Fn(usize) -> RecordRef) {
        if self.runs.is_empty() && self.places.len() == first {
            return self.places.extend(n, record);
        }
        (0..n).for_each(|i| self.push(first + i, record(i)));
    }

    /// Adds those of `other`, which has no runs, for slices from `first` on.
    pub fn append(&mut self, first: usize, other: Records) {
        debug_assert!(other.runs.is_empty(), "runs are of importers that read a file as a whole");
        self.places.pad(first, RecordRef::default());
        self.places.append(other.places, |record| record);
    }

    /// The record of the slice that was written as the `i`-th.
    pub fn get(&self, i: usize) -> RecordRef {
        let number = if i < self.numbers.len() { self.numbers.get(i) } else { NONE };
        match of_run(&self.runs, number) {
            Some(record) => record,
            None if i < self.places.len() => self.places.get(i),
            None => RecordRef::default(),
        }
    }

    /// In another order: the `i`-th is the one that was written as the `order[i]`-th.
    pub fn ordered(self, order: &[u32]) -> Placed {
        let of = |i: &u32| if (*i as usize) < self.numbers.len() { self.numbers.get(*i as usize) } else { NONE };
        let place = |i: &u32| if (*i as usize) < self.places.len() { self.places.get(*i as usize) } else { RecordRef::default() };
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        if !self.places.is_empty() {
            others.reserve_exact(order.len());
            for_each_chunk(order.len(), &mut |part| others.extend(order[part].iter().map(place)));
        }
        if !self.numbers.is_empty() {
            numbers.reserve_exact(order.len());
            for_each_chunk(order.len(), &mut |part| numbers.extend(order[part].iter().map(of)));
        }
        Placed { numbers, others, runs: self.runs }
    }

    /// By slice of the final order: `places` has the final slice of each in the order written.
    pub fn placed(self, places: &[SliceId]) -> Placed {
        let others = if self.places.is_empty() { Vec::new() } else { self.places.placed(places, RecordRef::default()) };
        Placed { numbers: self.numbers.placed(places, NONE), others, runs: self.runs }
    }

    /// The places alone, where no record is in a run.
    pub fn into_places(self) -> Result<Blocks<RecordRef>, Box<Records>> {
        if self.numbers.is_empty() { Ok(self.places) } else { Err(Box::new(self)) }
    }
}

/// Records of slices in the final order; some are in runs.
pub(super) struct Placed {
    numbers: Vec<u32>,
    /// Records of slices that are not in a run; empty where all are.
    others: Vec<RecordRef>,
    runs: Vec<Run>,
}

impl Placed {
    /// The record of a slice.
    pub fn get(&self, slice: usize) -> RecordRef {
        let number = self.numbers.get(slice).copied().unwrap_or(NONE);
        of_run(&self.runs, number).unwrap_or_else(|| self.others.get(slice).copied().unwrap_or_default())
    }
}

/// The record of a number; `None` for [`NONE`].
fn of_run(runs: &[Run], number: u32) -> Option<RecordRef> {
    let run = runs[..runs.partition_point(|run| run.first <= number)].last().filter(|_| number != NONE)?;
    Some(RecordRef(run.place.0 + (u64::from(number - run.first) << run.bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_runs_and_others_are_found_again() {
        let record = |offset| RecordRef::new(0, offset, 16);
        let mut records = Records::default();
        records.push(0, RecordRef::new(2, 5, 9));
        records.run(record(1000), 3);
        let all = [record(1000), record(1032), record(1048), record(1001), record(984), RecordRef::new(1, 1016, 16)];
        (1..).zip(all).for_each(|(slice, record)| records.push(slice, record));
        records.run(record(40), 1);
        records.extend(7, 2, |i| record(40 + 16 * i as u64));
        let mut want = [&[RecordRef::new(2, 5, 9)], &all[..], &[record(40), record(56), RecordRef::default()]].concat();
        assert_eq!((records.numbers.len(), records.places.len()), (8, 9));
        want.reverse();
        let places: Vec<SliceId> = (0..10).rev().map(SliceId).collect();
        let placed = records.placed(&places);
        assert_eq!((0..10).map(|slice| placed.get(slice)).collect::<Vec<_>>(), want);
    }
}
