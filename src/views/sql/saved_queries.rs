//! Stored queries: the last ones, and named ones.

use crate::base::Order as _;
use leptos::prelude::window;
use serde::{Deserialize, Serialize};

const KEY: &str = "axonscope.sql";
/// Queries of the history.
const MOST: usize = 50;
/// Named queries.
const MOST_NAMED: usize = 200;
/// Longer ones are not kept, bytes.
const LONGEST: usize = 100_000;

/// What is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedQueries {
    /// The newest first, each once.
    pub history: Vec<String>,
    /// Name and query, by name.
    pub named: Vec<(String, String)>,
}

impl SavedQueries {
    /// What the browser has; nothing where it keeps nothing.
    pub fn load() -> SavedQueries {
        let text = window().local_storage().ok().flatten().and_then(|s| s.get_item(KEY).ok().flatten());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Gives it to the browser, which may refuse: then it is kept as long as the page.
    pub fn save(&self) {
        if let (Ok(Some(storage)), Ok(text)) = (window().local_storage(), serde_json::to_string(self)) {
            let _ = storage.set_item(KEY, &text);
        }
    }

    /// Adds a query that was run.
    pub fn ran(&mut self, text: &str) {
        if text.len() <= LONGEST {
            self.history.retain(|other| other != text);
            self.history.insert(0, text.into());
            self.history.truncate(MOST);
        }
    }

    /// Keeps a query under a name; an empty query removes it.
    pub fn name(&mut self, name: &str, text: &str) {
        let name = name.trim();
        self.named.retain(|(other, _)| other != name);
        if !name.is_empty() && !text.trim().is_empty() && text.len() <= LONGEST && self.named.len() < MOST_NAMED {
            self.named.push((name.into(), text.into()));
            self.named.order();
        }
    }
}

/// A query in one line, for a list.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() > 90 { line.chars().take(88).chain(['…']).collect() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_first_and_each_is_once() {
        let mut saved = SavedQueries::default();
        (0..60).for_each(|i| saved.ran(&format!("select {}", i % 55)));
        assert_eq!((saved.history.len(), saved.history[0].as_str()), (MOST, "select 4"));
        saved.name(" a ", "select 1");
        saved.name("a", "select 2");
        saved.name("", "select 3");
        assert_eq!(saved.named, [("a".to_string(), "select 2".to_string())]);
        saved.name("a", " ");
        assert_eq!(saved.named, []);
        assert_eq!(one_line("select\n  1"), "select 1");
        assert_eq!(one_line(&"x".repeat(200)).chars().count(), 89);
    }
}
