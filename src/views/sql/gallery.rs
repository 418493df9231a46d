//! Queries that come with the page: a file that is fetched when the view is first shown. docs/sql.md lists the same.

use super::result::quoted;
use crate::engine::query::TableInfo;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// Where the page finds it.
const URL: &str = "./sql/gallery.json";

/// Title, what it answers, and the query.
pub type Entry = [String; 3];

/// Queries by kind of profile: `device`, `system`, `torch`, `trace`. A PyTorch trace and a system profile have those of `trace` as well.
pub type Gallery = BTreeMap<String, Vec<Entry>>;

/// Why there is no gallery.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GalleryError {
    /// The site does not send the file.
    #[error("The gallery of queries could not be loaded from this site.")]
    NotLoaded,
    /// The file is not as expected; what the reader met.
    #[error("The gallery of queries could not be read: {0}.")]
    Unreadable(String),
}

/// Reads the file.
pub async fn fetch() -> Result<Gallery, GalleryError> {
    let failed = |_| GalleryError::NotLoaded;
    let response: web_sys::Response = JsFuture::from(leptos::prelude::window().fetch_with_str(URL)).await.map_err(failed)?.unchecked_into();
    let text = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?;
    parse(&text.as_string().unwrap_or_default())
}

/// The queries of a kind. A profile without a timeline has two for each of its tables.
pub fn entries(all: &Gallery, kind: &str, tables: &[TableInfo]) -> Vec<Entry> {
    let lacks = |name: &str| !tables.is_empty() && tables.iter().all(|t| t.name != name);
    let of = |kind: &str| all.get(kind).cloned().unwrap_or_default();
    match kind {
        "torch" | "system" => [of(kind), of("trace")].concat(),
        "trace" if lacks("slice") => tables.iter().flat_map(of_table).collect(),
        // A NEFF alone.
        "device" if lacks("Instruction") => tables.iter().flat_map(of_table).collect(),
        kind => of(kind),
    }
}

fn of_table(table: &TableInfo) -> [Entry; 2] {
    let name = quoted(&table.name);
    [
        [format!("Rows of {}", table.name), "All rows and columns".into(), format!("from {name}")],
        [
            format!("Columns of {}", table.name),
            "Type, range, distinct values and missing values of each column".into(),
            format!("summarize {name}"),
        ],
    ]
}

fn parse(text: &str) -> Result<Gallery, GalleryError> {
    serde_json::from_str(text).map_err(|e| GalleryError::Unreadable(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{Statement, statement};
    use super::*;

    #[test]
    fn every_query_is_one_query() {
        let gallery = parse(include_str!("../../../public/sql/gallery.json")).expect("a gallery");
        assert_eq!(gallery.keys().collect::<Vec<_>>(), ["device", "system", "torch", "trace"]);
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
    fn a_profile_without_a_timeline_has_queries_of_its_tables() {
        let gallery = parse(include_str!("../../../public/sql/gallery.json")).expect("a gallery");
        let table = |name: &str| TableInfo { name: name.into(), columns: Vec::new() };
        let found = entries(&gallery, "trace", &[table("neff_header"), table("a b")]);
        assert_eq!(found.iter().map(|e| e[2].as_str()).collect::<Vec<_>>()[2..], ["from \"a b\"", "summarize \"a b\""]);
        assert_eq!(entries(&gallery, "trace", &[table("slice")]).len(), gallery["trace"].len());
        assert_eq!(entries(&gallery, "torch", &[]).len(), gallery["torch"].len() + gallery["trace"].len());
    }

    #[test]
    fn what_is_no_gallery_is_a_sentence() {
        assert!(parse("<html>").unwrap_err().to_string().ends_with('.'));
    }
}
