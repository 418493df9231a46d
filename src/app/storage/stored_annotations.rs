//! Annotations of profiles by their content, in the storage of the browser.

use crate::app::storage::local_storage::{store, stored};
use crate::state::{App, annotations, annotations::Book};
use crate::ui::effect::effect;
use leptos::prelude::*;

const ANNOTATIONS: &str = "axonscope.annotations.";

/// Markers and regions that were put on a profile of that content before.
pub fn annotations(hash: &str) -> Book {
    stored(&format!("{ANNOTATIONS}{hash}")).map(|text| annotations::text::book_from_text(&text)).unwrap_or_default()
}

/// Notes the annotations of a profile of that content.
pub(in crate::app) fn keep_annotations(hash: &str, book: &Book) {
    store(&format!("{ANNOTATIONS}{hash}"), &annotations::text::book_to_text(book));
}

/// Keeps the annotations of the profile in front.
pub fn join(app: App) {
    effect(move || {
        let text = app.annotations.with(annotations::text::book_to_text);
        if let Some(profile) = app.front_untracked() {
            let key = format!("{ANNOTATIONS}{}", profile.hash);
            if stored(&key).unwrap_or_default() != text {
                store(&key, &text);
            }
        }
    });
}
