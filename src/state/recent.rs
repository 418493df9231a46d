//! What was opened before: names and dates, never content. Kept in the browser's `localStorage` by the page.

use serde::{Deserialize, Serialize};

/// A profile that was open once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// Name of the file.
    pub name: String,
    /// "PyTorch profiler trace".
    pub kind: String,
    /// Content hash.
    pub hash: String,
    /// When, `2026-11-20 23:05`.
    pub date: String,
}

const N_KEPT: usize = 8;

/// The list with `newest` in front, each content once.
pub fn with(list: &[Recent], newest: Recent) -> Vec<Recent> {
    let others = list.iter().filter(|r| r.hash != newest.hash).cloned();
    std::iter::once(newest.clone()).chain(others).take(N_KEPT).collect()
}

/// The list as text; what cannot be read is an empty list.
pub fn from_text(text: &str) -> Vec<Recent> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The list to text.
pub fn to_text(list: &[Recent]) -> String {
    serde_json::to_string(list).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_comes_first_and_each_once() {
        let recent = |i: usize| Recent { name: format!("f{i}"), kind: "k".into(), hash: format!("{}", i % 10), date: String::new() };
        let list = (0..12).fold(Vec::new(), |list, i| with(&list, recent(i)));
        assert_eq!(list.len(), N_KEPT);
        assert_eq!(list[0].name, "f11");
        assert_eq!(list.iter().filter(|r| r.hash == "1").count(), 1);
        assert_eq!(from_text(&to_text(&list)), list);
        assert_eq!(from_text("nonsense"), []);
    }
}
