//! Positions of the keys seen last, for loops over millions of slices that ask for the same few again and again.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher as _, Hash};

/// Keys that a cache holds at most. A constant, so that no lookup divides.
const N_SLOTS: usize = 256;

/// A direct-mapped cache of positions by key: a new key replaces an older one in its slot. After a miss, look the key up elsewhere.
pub(crate) struct RecentCache<K> {
    slots: Vec<Option<(K, u32)>>,
}

impl<K> Default for RecentCache<K> {
    fn default() -> Self {
        RecentCache { slots: (0..N_SLOTS).map(|_| None).collect() }
    }
}

impl<K: Copy + Eq> RecentCache<K> {
    /// The position of a key. `hint` is any number that distinguishes keys, the same for the same key.
    #[inline]
    pub fn get(&self, hint: u32, key: K) -> Option<u32> {
        self.slots[hint as usize % N_SLOTS].filter(|slot| slot.0 == key).map(|slot| slot.1)
    }

    /// Stores the position of a key.
    #[inline]
    pub fn set(&mut self, hint: u32, key: K, place: u32) {
        self.slots[hint as usize % N_SLOTS] = Some((key, place));
    }
}

/// Sums by key, in the order in which the keys came.
pub(crate) struct Groups<K, T> {
    /// All of them.
    pub all: Vec<(K, T)>,
    known: FxHashMap<K, u32>,
    recent: RecentCache<K>,
}

impl<K, T> Default for Groups<K, T> {
    fn default() -> Self {
        Groups { all: Vec::new(), known: FxHashMap::default(), recent: RecentCache::default() }
    }
}

impl<K: Copy + Eq + Hash, T: Default> Groups<K, T> {
    /// The sum of a key, which may be new; `hint` as in [`RecentCache::get`].
    #[inline]
    pub fn of(&mut self, hint: u32, key: K) -> &mut T {
        let place = self.recent.get(hint, key).unwrap_or_else(|| self.find(hint, key));
        &mut self.all[place as usize].1
    }

    /// The same where no number of the key is at hand.
    #[inline]
    pub fn of_key(&mut self, key: K) -> &mut T {
        self.of(FxBuildHasher.hash_one(key) as u32, key)
    }

    fn find(&mut self, hint: u32, key: K) -> u32 {
        let place = *self.known.entry(key).or_insert(self.all.len() as u32);
        if place as usize == self.all.len() {
            self.all.push((key, T::default()));
        }
        self.recent.set(hint, key, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::{Groups, RecentCache};

    #[test]
    fn sums_are_found_again_also_where_their_hints_meet() {
        let mut sums: Groups<u32, u32> = Groups::default();
        for key in [7, 3, 7, 263, 3, 263] {
            *sums.of(key, key) += key;
        }
        assert_eq!(sums.all, [(7, 14), (3, 6), (263, 526)]);
        *sums.of_key(3) += 1;
        *sums.of_key(5) += 1;
        assert_eq!(sums.all, [(7, 14), (3, 7), (263, 526), (5, 1)]);
    }

    #[test]
    fn a_key_is_found_until_another_takes_its_room() {
        let mut recent = RecentCache::default();
        recent.set(3, (1, 'a'), 7);
        assert_eq!((recent.get(3, (1, 'a')), recent.get(3, (1, 'b')), recent.get(4, (1, 'a'))), (Some(7), None, None));
        recent.set(3 + 256, (2, 'c'), 8);
        assert_eq!((recent.get(3, (1, 'a')), recent.get(259, (2, 'c'))), (None, Some(8)));
    }
}
