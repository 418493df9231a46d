//! A column of texts that repeat: each distinct text once, and which one each row has.

use super::Values;
use crate::base::{StrId, StringTable};
use rustc_hash::FxHashMap;

/// Texts of rows, each distinct one once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// For each row a position in `words`; [`Words::ABSENT`] where it has none.
    pub codes: Vec<u32>,
    /// Distinct texts, in the order first seen.
    pub words: Vec<String>,
}

/// Marks a string that no row has used yet. Larger than any code.
const UNSEEN: u32 = u32::MAX - 1;
/// Strings for each row up to which all are listed.
const LISTED_STRINGS: usize = 8;

impl Words {
    /// The code of a row without a text.
    pub const ABSENT: u32 = u32::MAX;

    /// The text of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.codes.iter().map(|code| self.words.get(*code as usize).map(String::as_str))
    }

    /// Texts that repeat; an empty one is not recorded.
    pub(super) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Values {
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut words: Vec<String> = Vec::new();
        let code = |text: &'a str| match text {
            "" => Words::ABSENT,
            _ => *known.entry(text).or_insert_with(|| {
                words.push(text.to_string());
                words.len() as u32 - 1
            }),
        };
        let codes = texts.map(code).collect();
        Values::Words(Words { codes, words })
    }

    /// Strings of a profile; the empty one is not recorded.
    pub(super) fn of_strings(strings: &StringTable, ids: impl Iterator<Item = Option<StrId>>) -> Values {
        let mut words: Vec<String> = Vec::new();
        let mut new_code = |id: StrId| match strings.get(id) {
            "" => Words::ABSENT,
            text => {
                words.push(text.to_string());
                words.len() as u32 - 1
            }
        };
        let mut codes: Vec<u32> = Vec::with_capacity(ids.size_hint().0);
        // A list of all strings is faster than a map, unless rows are few.
        if strings.len() <= LISTED_STRINGS * ids.size_hint().0 {
            let mut known = vec![UNSEEN; strings.len()];
            codes.extend(ids.map(|id| match id.and_then(|id| Some((id, known.get_mut(id.index())?))) {
                None => Words::ABSENT,
                Some((id, code)) => {
                    if *code == UNSEEN {
                        *code = new_code(id);
                    }
                    *code
                }
            }));
        } else {
            let mut known: FxHashMap<StrId, u32> = FxHashMap::default();
            codes.extend(ids.map(|id| id.map_or(Words::ABSENT, |id| *known.entry(id).or_insert_with(|| new_code(id)))));
        }
        Values::Words(Words { codes, words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_there_once() {
        let mut strings = StringTable::default();
        let [b, a] = ["b", "a"].map(|text| strings.push(text));
        let ids = vec![b, a, b, StrId(0)];
        let Values::Words(words) = Words::of_strings(&strings, ids.into_iter().map(Some).chain([None])) else { panic!() };
        assert_eq!((&words.codes[..], &words.words[..]), (&[0, 1, 0, u32::MAX, u32::MAX][..], &["b".to_string(), "a".into()][..]));
        assert_eq!(words.iter().collect::<Vec<_>>(), [Some("b"), Some("a"), Some("b"), None, None]);
        assert_eq!(
            Words::of_texts(["b", "a", "b", ""].into_iter()),
            Words::of_strings(&strings, [b, a, b, StrId(0)].map(Some).into_iter())
        );
        for i in 0..100 {
            strings.push(&i.to_string());
        }
        let few = Words::of_strings(&strings, [a, StrId(0), a].into_iter().map(Some));
        let expected = Words { codes: vec![0, Words::ABSENT, 0], words: vec!["a".into()] };
        assert_eq!(few, Values::Words(expected), "a map gives the same as a list");
    }
}
