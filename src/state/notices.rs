//! Notices: shown until dismissed; notices about dropped files until the next drop.

use super::ids::new_id;
use super::{App, AppStateStoreFields as _, Notice};
use leptos::prelude::*;

/// Shows a notice until it is dismissed.
pub fn notify(app: App, text: String, is_error: bool) {
    push(app, text, is_error, false);
}

/// Shows a notice about files just given, until it is dismissed or others are given.
pub fn notify_of_drop(app: App, text: String, is_error: bool) {
    push(app, text, is_error, true);
}

fn push(app: App, text: String, is_error: bool, is_of_drop: bool) {
    let id = new_id(app);
    app.state.notices().update(|all| {
        all.retain(|n| n.text != text);
        all.push(Notice { id, text, is_error, is_of_drop });
    });
}

/// New files were dropped: notices about earlier ones are removed.
pub fn drop_begins(app: App) {
    if app.state.notices().with_untracked(|all| all.iter().any(|n| n.is_of_drop)) {
        app.state.notices().update(|all| all.retain(|n| !n.is_of_drop));
    }
}

/// Takes a notice away.
pub fn dismiss(app: App, id: u32) {
    app.state.notices().update(|all| all.retain(|n| n.id != id));
}
