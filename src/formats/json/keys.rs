//! A cache of keys. Records of one kind have the same keys in the same order with the same white space, so most keys are recognised by comparing
//! their first bytes with those of the previous record.

use super::cursor::{Broken, Cursor};

/// Keys of earlier objects with their meanings, and the successor of each.
pub struct Keys<M> {
    known: Vec<Known<M>>,
    /// The last successor of the beginning of an object, then of each known key: positions in `known`, from 1; 0 if none.
    after: Vec<[u8; N_AFTER]>,
}

/// A key with the text before it and its colon: `, "pid":`.
struct Known<M> {
    /// Its bytes as integers, zero-padded.
    text: [u128; 2],
    /// Mask of its bytes.
    mask: [u128; 2],
    len: usize,
    meaning: M,
}

/// Longest cached key, bytes, and most cached keys; others are parsed each time.
const LEN_MAX: usize = 32;
const N_MAX: usize = 128;
/// Number of keys that are tried: args of operators, launches and kernels have the same first keys.
const N_AFTER: usize = 3;

impl<M> Default for Keys<M> {
    fn default() -> Self {
        Keys { known: Vec::new(), after: vec![[0; N_AFTER]] }
    }
}

impl<M: Copy> Keys<M> {
    /// What the next key of an object means, `None` after the last. `at` is the place of the key before, 0 at the beginning; it is moved on where the key is kept.
    /// The same as [`Cursor::key`] and then `meaning` of the key.
    #[inline(always)]
    pub fn next(&mut self, cursor: &mut Cursor<'_>, at: &mut usize, meaning: impl Fn(&[u8]) -> M) -> Result<Option<M>, Broken> {
        let rest = cursor.rest();
        for guess in self.after[*at] {
            let Some(known) = self.known.get(usize::from(guess).wrapping_sub(1)) else { break };
            if known.begins(rest) {
                cursor.pass(known.len);
                *at = usize::from(guess);
                return Ok(Some(known.meaning));
            }
        }
        self.read(cursor, at, meaning)
    }

    #[inline(never)]
    fn read(&mut self, cursor: &mut Cursor<'_>, at: &mut usize, meaning: impl Fn(&[u8]) -> M) -> Result<Option<M>, Broken> {
        let (rest, from) = (cursor.rest(), cursor.at());
        let Some(key) = cursor.key()? else {
            return Ok(None);
        };
        let meaning = meaning(key);
        let place = self.place(&rest[..cursor.at() - from], meaning);
        // A key that is not stored does not change the prediction.
        if place > 0 {
            let after = &mut self.after[*at];
            if !after.contains(&(place as u8)) {
                after.copy_within(..N_AFTER - 1, 1);
                after[0] = place as u8;
            }
            *at = place;
        }
        Ok(Some(meaning))
    }

    /// The place of a text among those known, if need be a new one; 0 where it is not kept.
    fn place(&mut self, text: &[u8], meaning: M) -> usize {
        if text.len() > LEN_MAX {
            return 0;
        }
        let new = Known::new(text, meaning);
        if let Some(at) = self.known.iter().position(|k| k.len == new.len && k.text == new.text) {
            return at + 1;
        }
        if self.known.len() == N_MAX {
            return 0;
        }
        self.known.push(new);
        self.after.push([0; N_AFTER]);
        self.known.len()
    }
}

impl<M> Known<M> {
    fn new(text: &[u8], meaning: M) -> Self {
        let (mut padded, mut mask) = ([0u8; LEN_MAX], [0u8; LEN_MAX]);
        padded[..text.len()].copy_from_slice(text);
        mask[..text.len()].fill(0xff);
        let halves = |bytes: [u8; LEN_MAX]| {
            let (halves, _) = bytes.as_chunks::<16>();
            [u128::from_le_bytes(halves[0]), u128::from_le_bytes(halves[1])]
        };
        Known { text: halves(padded), mask: halves(mask), len: text.len(), meaning }
    }

    /// Whether `rest` begins with the key.
    #[inline(always)]
    fn begins(&self, rest: &[u8]) -> bool {
        match rest.first_chunk::<16>() {
            Some(chunk) => (u128::from_le_bytes(*chunk) ^ self.text[0]) & self.mask[0] == 0 && (self.len <= 16 || self.goes_on(rest)),
            None => self.is_short(rest),
        }
    }

    #[inline]
    fn goes_on(&self, rest: &[u8]) -> bool {
        let chunk = rest.get(16..).and_then(|r| r.first_chunk::<16>());
        chunk.is_some_and(|c| (u128::from_le_bytes(*c) ^ self.text[1]) & self.mask[1] == 0)
    }

    /// The typical end of a record: `,"args":{}}`.
    #[inline]
    fn is_short(&self, rest: &[u8]) -> bool {
        let chunk = rest.first_chunk::<8>().filter(|_| self.len <= 8);
        chunk.is_some_and(|c| (u64::from_le_bytes(*c) ^ self.text[0] as u64) & self.mask[0] as u64 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and values of an object, by keys known from others, or by the cursor alone.
    fn entries(text: &[u8], keys: Option<&mut Keys<u64>>) -> Result<Vec<(u64, Vec<u8>)>, Broken> {
        let meaning = |key: &[u8]| key.iter().fold(key.len() as u64, |h, b| h.wrapping_mul(131).wrapping_add(u64::from(*b)));
        let (mut cursor, mut out, mut at, mut none) = (Cursor::new(text), Vec::new(), 0, Keys::default());
        let is_known = keys.is_some();
        let keys = keys.unwrap_or(&mut none);
        loop {
            let key = if is_known { keys.next(&mut cursor, &mut at, meaning)? } else { cursor.key()?.map(meaning) };
            let Some(key) = key else { return Ok(out) };
            let from = cursor.at();
            cursor.value()?;
            out.push((key, text[from..cursor.at()].to_vec()));
        }
    }

    #[test]
    fn keys_of_the_next_record_are_known() {
        let mut keys = Keys::default();
        for text in [
            r#"{"ph":"X", "a key that is rather long":1,"args":{}}"#,
            r#"{"ph":"X", "a key that is rather long":2,"args":{}}"#,
            r#"{"ph":"X", "a key that is much too long to be kept":2,"args":{}}"#,
            "{\n  \"ph\": 1\n}",
            "{ }",
        ] {
            assert_eq!(entries(text.as_bytes(), Some(&mut keys)), entries(text.as_bytes(), None), "{text}");
        }
        assert_eq!(keys.known.len(), 4);
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            /// The result for a record does not depend on earlier records; zeros are not a key.
            #[test]
            fn what_is_known_changes_nothing(texts in prop::collection::vec(r#"\{(,?[ \n]{0,2}"(a|b|pid|args|External id|registers per thread)" ?:? ?(1|"x\\""|\{\}|\[\])?,?){0,6}(\x00{16})?\}?"#, 1..40)) {
                let mut keys = Keys::default();
                for text in &texts {
                    prop_assert_eq!(entries(text.as_bytes(), Some(&mut keys)), entries(text.as_bytes(), None));
                }
            }
        }
    }
}
