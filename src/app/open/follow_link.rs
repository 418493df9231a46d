//! Shows what a link names.

use crate::state::{App, AppStateStoreFields as _, actions, region_scope, url::Named, url::UrlState};
use crate::worker::client::Ask;
use crate::worker::protocol::FindQuery;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Applies a link to the profile in front.
pub fn follow(app: App, ask: Ask, wanted: UrlState) {
    if !wanted.view.is_empty() {
        actions::show_view(app, &wanted.view);
    }
    app.choices.set(wanted.choices);
    app.range.set(wanted.range);
    app.rows.set(Arc::new(if wanted.range.is_some() { wanted.rows } else { Vec::new() }));
    region_scope::restore(app);
    // A timeline that is shown keeps its window where none is set.
    app.window.set(wanted.window.or_else(|| app.front_untracked().map(|p| p.columns.range())));
    if !wanted.search.is_empty() {
        app.state.search().update(|s| s.text = wanted.search.clone());
    }
    let Some(Named { is_instant, track, start, name }) = wanted.selection else {
        return;
    };
    let query = FindQuery { track, time: start, name, is_instant };
    spawn_local(async move {
        if let Ok(Some(item)) = ask.ask(query).await {
            app.selection.set(Some(item));
            app.state.is_details_open().set(true);
            if wanted.window.is_none() {
                app.reveal.set(Some(item));
            }
        }
    });
}
