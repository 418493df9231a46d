//! A column of texts that repeat: each distinct text once, and which one each row has.

use super::Values;
use crate::base::{StrId, StringTable};
use rustc_hash::FxHashMap;

/// Texts of rows, each distinct one once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// For each row a position in `words`; [`Words::ABSENT`] where it has none.
    pub codes: Vec<u32>,
    /// Distinct texts, in the order first met.
    pub words: Vec<String>,
}

impl Words {
    /// The code of a row without a text.
    pub const ABSENT: u32 = u32::MAX;

    /// The text of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.codes.iter().map(|code| self.words.get(*code as usize).map(String::as_str))
    }

    /// Strings of a profile; the empty one is not recorded.
    pub(super) fn of_strings(strings: &StringTable, ids: impl Iterator<Item = Option<StrId>>) -> Values {
        let mut known: FxHashMap<StrId, u32> = FxHashMap::default();
        let mut words: Vec<String> = Vec::new();
        let codes = ids.map(|id| match id.filter(|id| !strings.get(*id).is_empty()) {
            None => Words::ABSENT,
            Some(id) => *known.entry(id).or_insert_with(|| {
                words.push(strings.get(id).to_string());
                words.len() as u32 - 1
            }),
        });
        let codes = codes.collect();
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
    }
}
