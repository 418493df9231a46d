//! Strings, once each: all text in one buffer, found by hash.

use crate::base::StrId;
use crate::base::bytes::same;
use serde::{Deserialize, Serialize};

/// All distinct strings of a profile, by [`StrId`]. Id 0 is the empty string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringTable {
    text: String,
    /// End of string `i` in `text`; its start is the end before.
    ends: Vec<u32>,
}

impl Default for StringTable {
    fn default() -> Self {
        StringTable { text: String::new(), ends: vec![0] }
    }
}

impl StringTable {
    /// The string of `id`; empty for an id that is not of this table.
    pub fn get(&self, id: StrId) -> &str {
        let Some(&end) = self.ends.get(id.index()) else {
            return "";
        };
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] };
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// How many strings there are; at least one.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the empty string is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Bytes of text and index.
    pub fn n_bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 4
    }

    /// The same ids, with texts only for those in `keep`; other texts are empty.
    pub fn reduced(&self, keep: impl Fn(StrId) -> bool) -> StringTable {
        let mut out = StringTable { text: String::new(), ends: Vec::with_capacity(self.ends.len()) };
        for (id, text) in self.iter() {
            if keep(id) {
                out.text.push_str(text);
            }
            out.ends.push(out.text.len() as u32);
        }
        out
    }

    /// Adds a string that may be there already, and returns its new id; the empty string's where the table is full.
    pub fn push(&mut self, text: &str) -> StrId {
        let Ok(end) = u32::try_from(self.text.len() + text.len()) else { return StrId(0) };
        self.text.push_str(text);
        self.ends.push(end);
        StrId(self.ends.len() as u32 - 1)
    }

    /// Every id with its string, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        (0..self.len() as u32).map(|i| (StrId(i), self.get(StrId(i))))
    }
}

/// Hands out one [`StrId`] per distinct string.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Interner {
    table: StringTable,
    /// Open addressing: (upper hash bits, id + 1); 0 marks a free place. Made again where the table came from another program.
    #[serde(skip)]
    slots: Vec<(u32, u32)>,
}

impl Interner {
    /// An interner that holds the empty string.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of `text`, new or known.
    ///
    /// Text beyond the table's 4 GiB is taken for the empty string: no profile that fits in memory has it.
    pub fn intern(&mut self, text: &str) -> StrId {
        if text.is_empty() {
            return StrId(0);
        }
        if self.slots.len() < self.table.len() * 2 {
            self.grow();
        }
        let hash = hash_bytes(text.as_bytes());
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => break,
                (known, id) if known == tag && same(self.table.get(StrId(id - 1)).as_bytes(), text.as_bytes()) => {
                    return StrId(id - 1);
                }
                _ => at = (at + 1) & mask,
            }
        }
        let Ok(end) = u32::try_from(self.table.text.len() + text.len()) else {
            return StrId(0);
        };
        let id = self.table.len() as u32;
        self.table.text.push_str(text);
        self.table.ends.push(end);
        self.slots[at] = (tag, id + 1);
        StrId(id)
    }

    /// Adds every string of `table` in its order. Returns their ids here, by their ids there.
    pub fn absorb(&mut self, table: &StringTable) -> Vec<StrId> {
        table.iter().map(|(_, text)| self.intern(text)).collect()
    }

    /// The id of `text`, if it was interned.
    pub fn find(&self, text: &str) -> Option<StrId> {
        if text.is_empty() {
            return Some(StrId(0));
        }
        let hash = hash_bytes(text.as_bytes());
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => return None,
                (known, id) if known == (hash >> 32) as u32 && same(self.table.get(StrId(id - 1)).as_bytes(), text.as_bytes()) => {
                    return Some(StrId(id - 1));
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The string of `id`.
    pub fn get(&self, id: StrId) -> &str {
        self.table.get(id)
    }

    /// The strings so far.
    pub fn table(&self) -> &StringTable {
        &self.table
    }

    /// The finished table.
    pub fn finish(self) -> StringTable {
        self.table
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).next_power_of_two().max(self.slots.len() * 2).max(256);
        let mask = size - 1;
        let mut slots = vec![(0, 0); size];
        for (id, text) in self.table.iter().skip(1) {
            let hash = hash_bytes(text.as_bytes());
            let mut at = hash as usize & mask;
            while slots[at].1 != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = ((hash >> 32) as u32, id.0 + 1);
        }
        self.slots = slots;
    }
}

/// Sixty-four bits on every platform: the hashers of hash maps have as many as a pointer, and the upper half is the tag.
fn hash_bytes(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(K);
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = mix(hash, u64::from_le_bytes(last));
    // The low bits pick the place: fold the well-mixed high ones in.
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_has_one_id() {
        let mut interner = Interner::new();
        let ids: Vec<_> = (0..2000).map(|i| interner.intern(&format!("op{}", i % 1000))).collect();
        assert_eq!(ids[3], ids[1003]);
        assert_eq!(interner.get(ids[999]), "op999");
        assert_eq!(interner.find("op7"), Some(ids[7]));
        assert_eq!(interner.find("nothing"), None);
        assert_eq!(interner.intern(""), StrId(0));
        assert_eq!(interner.table().len(), 1001);
    }

    #[test]
    fn places_and_tags_are_well_spread() {
        let hashes: Vec<u64> = (0..4096).map(|i| hash_bytes(format!("void kernel<{i}>(float*)").as_bytes())).collect();
        let distinct = |bits: fn(u64) -> u64| hashes.iter().map(|h| bits(*h)).collect::<std::collections::HashSet<_>>().len();
        assert_eq!(distinct(|h| h >> 32), 4096);
        // Balls into bins: of 8192 places 4096 random hashes hit about 3220.
        let n_places = distinct(|h| h & 8191);
        assert!(n_places > 3000, "{n_places}");
    }
}
