//! Texts that the browser stores for this page.

use leptos::prelude::*;

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// The text of that key.
pub(in crate::app) fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a text under a key.
pub(in crate::app) fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // Private windows and full disks refuse; nothing depends on it.
        let _ = storage.set_item(key, value);
    }
}
