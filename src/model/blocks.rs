//! Columns that grow without being copied: one block as long as the file lets expect, then blocks of a fixed length.

mod travel;

pub use travel::one_by_one;

use crate::base::{SliceId, for_each_chunk};

const BLOCK_BITS: u32 = 16;
const BLOCK_LEN: usize = 1 << BLOCK_BITS;

/// Values in the order written. What [`Blocks::expect`] made room for is in one block, which becomes the finished column as it is: nothing is
/// held twice at the end.
#[derive(Debug, Clone)]
pub struct Blocks<T> {
    first: Vec<T>,
    /// How many values the first block takes.
    room: usize,
    /// Blocks of [`BLOCK_LEN`] after the first.
    rest: Vec<Vec<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks { first: Vec::new(), room: BLOCK_LEN, rest: Vec::new() }
    }
}

impl<T: Copy> Blocks<T> {
    /// Makes room for `n` values in total. Only a hint: more can come, and where memory is short nothing happens.
    pub fn expect(&mut self, n: usize) {
        if self.rest.is_empty() && n > self.room && self.first.try_reserve_exact(n - self.first.len()).is_ok() {
            self.room = n;
        }
    }

    /// Adds a value.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.first.len() < self.room { self.first.push(value) } else { self.push_behind(value) }
    }

    /// Adds a value after the first block. Apart, so that the rest of a push is short enough to stand where it is called.
    #[inline(never)]
    fn push_behind(&mut self, value: T) {
        match self.rest.last_mut() {
            Some(block) if block.len() < BLOCK_LEN => block.push(value),
            _ => {
                let mut block = Vec::with_capacity(BLOCK_LEN);
                block.push(value);
                self.rest.push(block);
            }
        }
    }

    /// Adds `n` values: the `i`-th is `value(i)`.
    pub fn extend(&mut self, n: usize, value: impl Fn(usize) -> T) {
        match self.first.len() + n <= self.room {
            true => self.first.extend((0..n).map(value)),
            false => (0..n).for_each(|i| self.push(value(i))),
        }
    }

    /// Adds the values of `other` as `map` gives them; each of its blocks is freed when it was read.
    pub fn append(&mut self, other: Blocks<T>, map: impl Fn(T) -> T) {
        for block in std::iter::once(other.first).chain(other.rest) {
            for_each_chunk(block.len(), &mut |part| {
                let values = &block[part];
                self.extend(values.len(), |i| map(values[i]));
            });
        }
    }

    /// Adds `value` until there are `n` values.
    #[inline]
    pub fn pad(&mut self, n: usize, value: T) {
        if self.len() < n {
            self.pad_behind(n, value);
        }
    }

    /// The same where some are missing. Apart, as what is behind a push.
    #[inline(never)]
    fn pad_behind(&mut self, n: usize, value: T) {
        while self.len() < n {
            let missing = n - self.len();
            if self.first.len() < self.room {
                let to = self.first.len() + missing.min(self.room - self.first.len());
                self.first.resize(to, value);
            } else {
                match self.rest.last_mut() {
                    Some(block) if block.len() < BLOCK_LEN => block.resize(BLOCK_LEN.min(block.len() + missing), value),
                    _ => self.rest.push(Vec::with_capacity(BLOCK_LEN)),
                }
            }
        }
    }

    /// How many values.
    #[inline]
    pub fn len(&self) -> usize {
        self.first.len() + self.rest.last().map_or(0, |last| (self.rest.len() - 1) * BLOCK_LEN + last.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The value at `i`, which must be there.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        match self.first.get(i) {
            Some(value) => *value,
            None => self.rest[(i - self.first.len()) >> BLOCK_BITS][(i - self.first.len()) & (BLOCK_LEN - 1)],
        }
    }

    /// Changes the value at `i`, which must be there.
    #[inline]
    pub fn set(&mut self, i: usize, value: T) {
        let n_first = self.first.len();
        match self.first.get_mut(i) {
            Some(old) => *old = value,
            None => self.rest[(i - n_first) >> BLOCK_BITS][(i - n_first) & (BLOCK_LEN - 1)] = value,
        }
    }

    /// In the order written.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(self.rest.iter().flatten())
    }

    /// To change each.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first.iter_mut().chain(self.rest.iter_mut().flatten())
    }

    /// One list in the order written; each block is freed when it was copied.
    pub fn into_vec(self) -> Vec<T> {
        let mut out = self.first;
        out.reserve_exact(self.rest.iter().map(Vec::len).sum());
        self.rest.into_iter().for_each(|block| out.extend_from_slice(&block));
        out.shrink_to_fit();
        out
    }

    /// The values permuted: value `i` moves to `places[i]`; unwritten positions get `rest`. `places` is a permutation.
    ///
    /// Written to where they belong, not fetched from where they are: the values of each lane follow each other there, and a memory keeps up with
    /// some thousand lanes that grow at once. Fetched lane by lane, each value would be waited for.
    pub fn placed(mut self, places: &[SliceId], rest: T) -> Vec<T> {
        debug_assert!(self.len() <= places.len(), "each value has its place");
        let mut is_same = true;
        for_each_chunk(places.len(), &mut |part| is_same = is_same && part.into_iter().all(|i| places[i].index() == i));
        if is_same {
            self.pad(places.len(), rest);
            return self.into_vec();
        }
        let mut out = vec![rest; places.len()];
        let mut from = 0;
        for block in std::iter::once(self.first).chain(self.rest) {
            let places = &places[from..];
            for_each_chunk(block.len().min(places.len()), &mut |part| {
                for (value, place) in block[part.clone()].iter().zip(&places[part]) {
                    out[place.index()] = *value;
                }
            });
            from += block.len();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values come to their places, whatever these are.
    fn check_places(column: Blocks<u32>, places: &[u32], rest: u32) {
        let values: Vec<u32> = column.iter().copied().collect();
        let mut want = vec![rest; places.len()];
        values.iter().zip(places).for_each(|(value, place)| want[*place as usize] = *value);
        let places: Vec<SliceId> = places.iter().map(|place| SliceId(*place)).collect();
        assert_eq!(column.placed(&places, rest), want);
    }

    fn check(expected: usize) {
        let mut column = Blocks::default();
        assert!(column.is_empty());
        column.push(0);
        column.expect(expected);
        let n = BLOCK_LEN as u32 * 2 + 3;
        column.pad(1, 99);
        (1..7).for_each(|i| column.push(i));
        let mut padded = column.clone();
        (7..n / 2).for_each(|i| column.push(i));
        column.extend(9, |i| n / 2 + i as u32);
        column.extend((n - n / 2 - 9) as usize, |i| n / 2 + 9 + i as u32);
        padded.pad(n as usize, 5);
        assert_eq!((padded.len(), padded.get(6), padded.get(7), padded.get(n as usize - 1)), (n as usize, 6, 5, 5));
        column.set(BLOCK_LEN, 7);
        column.set(n as usize - 1, 8);
        assert_eq!((column.len(), column.get(BLOCK_LEN), column.get(BLOCK_LEN + 1)), (n as usize, 7, BLOCK_LEN as u32 + 1));
        assert_eq!(column.get(n as usize - 1), 8);
        column.iter_mut().enumerate().for_each(|(i, v)| *v = i as u32);
        assert_eq!(column.iter().copied().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
        // One circle through all blocks: 7919 is prime, and no divisor of n.
        let order: Vec<u32> = (0..u64::from(n)).map(|i| (i * 7919 % u64::from(n)) as u32).collect();
        check_places(column.clone(), &order, 77);
        let longer: Vec<u32> = (n..n + 5).chain(order).collect();
        check_places(column, &longer, 77);
    }

    #[test]
    fn values_keep_their_order_whatever_was_expected() {
        check(0);
        check(BLOCK_LEN + 100);
        check(BLOCK_LEN * 3);
    }

    #[test]
    fn appended_values_follow() {
        for (n, m) in [(0, 5), (5, 0), (BLOCK_LEN - 3, 7), (BLOCK_LEN + 3, 2 * BLOCK_LEN + 1)] {
            let (mut column, mut other) = (Blocks::default(), Blocks::default());
            column.extend(n, |i| i);
            other.extend(m, |i| i);
            column.append(other, |i| i + n);
            assert!(column.iter().copied().eq(0..n + m), "{n} and {m}");
        }
    }

    #[test]
    fn what_was_not_written_is_the_rest() {
        let mut column = Blocks::default();
        (0..2).for_each(|i| column.push(i * 10));
        assert_eq!(column.clone().placed(&[0, 1, 2].map(SliceId), 7), [0, 10, 7]);
        assert_eq!(column.placed(&[2, 1, 0].map(SliceId), 7), [7, 10, 0]);
    }

    #[test]
    fn any_permutation_is_followed() {
        for order in [vec![], vec![0], vec![1, 0], vec![2, 0, 1], vec![0, 2, 1], vec![1, 2, 3, 0], vec![3, 2, 1, 0], vec![4, 1, 0, 3, 2]] {
            let mut column = Blocks::default();
            (0..order.len() as u32).for_each(|i| column.push(i * 10));
            check_places(column, &order, 0);
        }
    }
}
