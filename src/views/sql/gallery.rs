//! Queries that come with the page: a file that is fetched when the view is first shown. docs/sql.md lists the same.

use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// Where the page finds it.
const URL: &str = "./sql/gallery.json";

/// Title, what it answers, and the query.
pub type Entry = [String; 3];

/// Queries by kind of profile: `device`, `torch`, `trace`.
pub type Gallery = BTreeMap<String, Vec<Entry>>;

/// Reads the file. Fails with a sentence.
pub async fn fetch() -> Result<Gallery, String> {
    let failed = |_| "The gallery of queries could not be loaded from this site.".to_string();
    let response: web_sys::Response = JsFuture::from(leptos::prelude::window().fetch_with_str(URL)).await.map_err(failed)?.unchecked_into();
    let text = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?;
    parse(&text.as_string().unwrap_or_default())
}

fn parse(text: &str) -> Result<Gallery, String> {
    serde_json::from_str(text).map_err(|e| format!("The gallery of queries could not be read: {e}."))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{Statement, statement};
    use super::*;

    #[test]
    fn every_query_is_one_query() {
        let gallery = parse(include_str!("../../../public/sql/gallery.json")).expect("a gallery");
        assert_eq!(gallery.keys().collect::<Vec<_>>(), ["device", "torch", "trace"]);
        for (kind, entries) in &gallery {
            assert!(entries.len() >= 25, "{kind}");
            for [title, what, text] in entries {
                assert!(!title.is_empty() && !what.is_empty() && !what.ends_with('.'), "{title}");
                assert!(matches!(statement(text), Ok(Statement::Query(_))), "{title}");
                assert_eq!(entries.iter().filter(|e| e[0] == *title).count(), 1, "{title}");
            }
        }
    }

    #[test]
    fn what_is_no_gallery_is_a_sentence() {
        assert!(parse("<html>").unwrap_err().ends_with('.'));
    }
}
