//! Places of the keys met lately, for loops over millions of slices that ask for the same few again and again.

/// A place by key; a new key takes the room of an older one. What was never met, or was overwritten, is to be looked up elsewhere.
pub(crate) struct Lately<K> {
    slots: Vec<Option<(K, u32)>>,
}

impl<K> Default for Lately<K> {
    fn default() -> Self {
        Lately { slots: (0..256).map(|_| None).collect() }
    }
}

impl<K: Copy + Eq> Lately<K> {
    /// The place of a key. `hint` is any number that tells keys apart, the same for the same key.
    #[inline]
    pub fn get(&self, hint: u32, key: K) -> Option<u32> {
        self.slots[hint as usize % self.slots.len()].filter(|slot| slot.0 == key).map(|slot| slot.1)
    }

    /// Notes it.
    #[inline]
    pub fn set(&mut self, hint: u32, key: K, place: u32) {
        let n = self.slots.len();
        self.slots[hint as usize % n] = Some((key, place));
    }
}

#[cfg(test)]
mod tests {
    use super::Lately;

    #[test]
    fn a_key_is_found_until_another_takes_its_room() {
        let mut lately = Lately::default();
        lately.set(3, (1, 'a'), 7);
        assert_eq!((lately.get(3, (1, 'a')), lately.get(3, (1, 'b')), lately.get(4, (1, 'a'))), (Some(7), None, None));
        lately.set(3 + 256, (2, 'c'), 8);
        assert_eq!((lately.get(3, (1, 'a')), lately.get(259, (2, 'c'))), (None, Some(8)));
    }
}
