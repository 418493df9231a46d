//! Sorting with little code: the standard library's sort is compiled anew for every type and every key, at about 6 KB each.
//!
//! Rows that people read are few; they are sorted here, through one compiled sort of indices. Columns keep `sort_unstable`.

use std::cmp::Ordering;

/// Stable sorts of short lists.
pub trait Order<T> {
    /// Sorts by a comparison.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by a key that takes long to compute: once for each item.
    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Sorts by the items themselves.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        // Many lists come in order, and long ones cost more to sort here than to look through.
        if self.is_sorted_by(|a, b| compare(a, b).is_le()) {
            return;
        }
        // A list that does not fit 32-bit indices is no list that people read; it is sorted all the same.
        if u32::try_from(self.len()).is_err() {
            return self.sort_by(compare);
        }
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        sort_indices(&mut order, &mut |a, b| compare(&self[a as usize], &self[b as usize]));
        apply(&mut order, |a, b| self.swap(a, b));
    }

    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        if u32::try_from(self.len()).is_err() {
            return self.sort_by_cached_key(key);
        }
        let keys: Vec<K> = self.iter().map(key).collect();
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        sort_indices(&mut order, &mut |a, b| keys[a as usize].cmp(&keys[b as usize]));
        apply(&mut order, |a, b| self.swap(a, b));
    }
}

#[inline(never)]
fn sort_indices(order: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    order.sort_by(|a, b| compare(*a, *b));
}

/// Swaps items until place `i` holds what was at `order[i]`: each cycle of the permutation once.
fn apply(order: &mut [u32], mut swap: impl FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut here = first;
        loop {
            let next = order[here] as usize;
            order[here] = here as u32;
            if next == first {
                break;
            }
            swap(here, next);
            here = next;
        }
    }
}

/// The `n` items of `list` with the largest `amount`, largest first; of equal items the first ones. For a small `n`.
pub fn largest<T>(n: usize, list: impl Iterator<Item = T>, amount: impl Fn(&T) -> i64) -> Vec<T> {
    let mut out: Vec<T> = Vec::with_capacity(n + 1);
    list.for_each(|item| keep_largest(&mut out, n, item, &amount));
    out
}

/// The same, item by item: `item` takes its place among the `n` largest so far.
pub fn keep_largest<T>(out: &mut Vec<T>, n: usize, item: T, amount: impl Fn(&T) -> i64) {
    let much = amount(&item);
    if out.len() < n || out.last().is_some_and(|last| amount(last) < much) {
        let at = out.partition_point(|known| amount(known) >= much);
        out.insert(at, item);
        out.truncate(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_of_equals_the_earlier() {
        let items = [(3, 'a'), (7, 'b'), (1, 'c'), (7, 'd'), (5, 'e')];
        let names = |n| largest(n, items.iter(), |i| i.0).into_iter().map(|i| i.1).collect::<String>();
        assert_eq!(["", "b", "bde", "bdeac"], [names(0), names(1), names(3), names(9)].each_ref().map(String::as_str));
    }

    #[test]
    fn sorts_as_the_standard_library_does() {
        // A full-period generator: no repeated state, so that keys repeat in no simple pattern.
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 40
        };
        for n in [0, 1, 2, 3, 20, 21, 1000] {
            let items: Vec<(u64, usize)> = (0..n).map(|i| (next() % 17, i)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            ours.order_by_key(|i| i.0);
            theirs.sort_by_key(|i| i.0);
            assert_eq!(ours, theirs, "{n} items, stable");
            ours.order_by(|a, b| b.cmp(a));
            theirs.sort_by(|a, b| b.cmp(a));
            assert_eq!(ours, theirs, "{n} items, falling");
            ours.order();
            theirs.sort();
            assert_eq!(ours, theirs, "{n} items");
        }
    }
}
