//! Which reader gets which piece of a member: one owner, who adds the pieces in the order of the file, and helpers that read some of them ahead.

use std::collections::VecDeque;
use std::ops::Range;

/// How many pieces for each reader may be ahead of the owner: their columns wait in memory.
const AHEAD: usize = 2;

/// Hands out pieces. With `n` readers every `n`-th is meant for the owner, so that he seldom waits for one that a helper is still reading.
pub struct Schedule<I> {
    pieces: I,
    n_readers: usize,
    /// The first piece that was not added yet.
    at: usize,
    /// The due piece and the requested ones after it.
    known: VecDeque<(Range<u64>, PieceState)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceState {
    Free,
    /// A helper reads it.
    Assigned,
    /// The owner reads it, or will: no helper gets it any more.
    Reserved,
}

/// The next piece that the owner has to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Its number.
    pub number: usize,
    /// Its bytes, or rows.
    pub range: Range<u64>,
    /// A helper reads it.
    pub is_assigned: bool,
}

impl<I: Iterator<Item = Range<u64>>> Schedule<I> {
    /// These pieces for an owner and `n_readers` − 1 helpers.
    pub fn new(pieces: I, n_readers: usize) -> Self {
        Schedule { pieces, n_readers: n_readers.max(1), at: 0, known: VecDeque::new() }
    }

    /// The piece of that number, not before the one that is due.
    fn place(&mut self, number: usize) -> Option<&mut (Range<u64>, PieceState)> {
        while self.known.len() <= number.checked_sub(self.at)? {
            self.known.push_back((self.pieces.next()?, PieceState::Free));
        }
        self.known.get_mut(number - self.at)
    }

    /// The next piece that is not being read: one reserved for the owner, or one of the others.
    fn free(&mut self, is_owners: bool) -> Option<usize> {
        let n_readers = self.n_readers;
        (self.at + 1..=self.at + AHEAD * n_readers)
            .filter(|n| n.is_multiple_of(n_readers) == is_owners)
            .find(|n| self.place(*n).is_some_and(|p| p.1 == PieceState::Free))
    }

    /// A piece for a helper; `is_idle`: it has none. One that was meant for the owner only where it would be idle otherwise.
    pub fn assign(&mut self, is_idle: bool) -> Option<(usize, Range<u64>)> {
        if self.n_readers == 1 {
            return None;
        }
        let number = self.free(false).or_else(|| if is_idle { self.free(true) } else { None })?;
        let (range, place) = self.place(number)?;
        *place = PieceState::Assigned;
        Some((number, range.clone()))
    }

    /// The piece that has to be added next; `None` at the end of the member.
    pub fn due(&mut self) -> Option<Due> {
        let number = self.at;
        let (range, place) = self.place(number)?;
        let is_assigned = *place == PieceState::Assigned;
        if !is_assigned {
            *place = PieceState::Reserved;
        }
        Some(Due { number, range: range.clone(), is_assigned })
    }

    /// The next piece that the owner will read himself after the one that is due, if he already knows.
    pub fn keep(&mut self) -> Option<(usize, Range<u64>)> {
        let number = (self.at + 1).next_multiple_of(self.n_readers);
        let (range, place) = self.place(number)?;
        (*place != PieceState::Assigned).then(|| {
            *place = PieceState::Reserved;
            (number, range.clone())
        })
    }

    /// The piece that was due has been added.
    pub fn added(&mut self) {
        self.at += 1;
        self.known.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::formats::import::Feeder;
    use crate::formats::parallel::Cuts;
    use crate::formats::{Claim, Split, by_id};

    fn split() -> Option<&'static dyn Split> {
        let claim = Claim { format: "kineto".into(), members: vec![0], recognised: String::new() };
        Feeder::new(by_id("kineto")?, &claim, "t.json", 9, false)?.split()
    }

    /// A list of records, one of them in each ten bytes or so.
    fn text(n: usize) -> Member {
        let records: Vec<String> = (0..n).map(|i| format!(r#"{{"ph":"X","ts":{i},"name":"n","pid":1,"tid":1,"dur":1}}"#)).collect();
        Member::from_bytes("t.json", format!("[{}]", records.join(",")).into_bytes())
    }

    #[test]
    fn every_piece_is_read_once_whoever_is_faster() {
        let (member, split) = (text(400), split().expect("traces are read in pieces"));
        for n_readers in 1..6 {
            for speed in 0..5 {
                let mut schedule = Schedule::new(Cuts::new(split, &member, 700), n_readers);
                let (mut given, mut owned, mut read) = (Vec::new(), 0, 0);
                while let Some(due) = schedule.due() {
                    for _ in 0..speed {
                        given.extend(schedule.assign(true));
                    }
                    assert!(given.iter().all(|g| g.0 <= due.number + AHEAD * n_readers));
                    match due.is_assigned {
                        true => {
                            let at = given.iter().position(|g| *g == (due.number, due.range.clone())).expect("it was given");
                            given.remove(at);
                            read += 1;
                        }
                        false => {
                            owned += 1;
                            if let Some((number, _)) = schedule.keep() {
                                assert!(number > due.number && given.iter().all(|g| g.0 != number));
                            }
                        }
                    }
                    schedule.added();
                }
                assert!(given.is_empty());
                assert_eq!(owned + read, Cuts::new(split, &member, 700).count());
                assert_eq!(read > 0, n_readers > 1 && speed > 0);
            }
        }
    }

    #[test]
    fn two_readers_take_turns() {
        let (member, split) = (text(400), split().expect("traces are read in pieces"));
        let mut schedule = Schedule::new(Cuts::new(split, &member, 700), 2);
        assert!(schedule.due().is_some_and(|due| due.number == 0 && !due.is_assigned));
        assert_eq!((schedule.assign(true).map(|g| g.0), schedule.assign(false).map(|g| g.0)), (Some(1), Some(3)));
        assert_eq!(schedule.assign(false), None, "the owner's are left to him");
        assert_eq!(schedule.keep().map(|k| k.0), Some(2));
        assert_eq!(schedule.assign(true).map(|g| g.0), Some(4), "but not where a helper is idle");
    }
}
