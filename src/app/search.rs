//! The search box: counts while one types, Enter goes from hit to hit.

use crate::state::{App, AppStateStoreFields as _, Search, actions};
use crate::worker::protocol::{Answer, Query, SearchQuery};
use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;

const ID: &str = "search";
const LIMIT: u32 = 100_000;
const PAUSE_MS: u32 = 120;

/// Puts the cursor into the search box.
pub fn focus() {
    if let Some(input) = document().get_element_by_id(ID).and_then(|e| e.dyn_into::<web_sys::HtmlInputElement>().ok()) {
        // An element that cannot be focused is hidden; then there is nothing to do.
        let _ = input.focus();
        input.select();
    }
}

/// Box, count and whether the text is a pattern.
#[component]
pub fn SearchBox() -> impl IntoView {
    let app = App::expect();
    let is_regex = RwSignal::new(false);
    let text = Memo::new(move |_| app.state.search().with(|s| s.text.clone()));
    let n_changes = StoredValue::new(0u32);
    Effect::new(move || {
        let query = SearchQuery { text: text.get(), is_regex: is_regex.get(), field: String::new(), limit: LIMIT };
        let front = app.state.front().get();
        n_changes.update_value(|n| *n += 1);
        let change = n_changes.get_value();
        if front.is_some() {
            spawn_local(async move {
                TimeoutFuture::new(PAUSE_MS).await;
                if n_changes.try_get_value() == Some(change) {
                    run(app, query, move || n_changes.try_get_value() == Some(change)).await;
                }
            });
        }
    });
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => step(app, event.shift_key()),
        "Escape" => {
            app.state.search().update(|s| s.text.clear());
            let input: web_sys::HtmlInputElement = event_target(&event);
            // As above.
            let _ = input.blur();
        }
        _ => {}
    };
    view! {
        <div class="search" role="search">
            <input
                id=ID type="search" class="search__input" placeholder="Search  /" autocomplete="off" spellcheck="false"
                aria-label="Search slices by name or attribute" prop:value=move || text.get()
                on:input:target=move |e| app.state.search().update(|s| s.text = e.target().value()) on:keydown=on_key
            />
            <span class="search__count figure" data-search-count="" aria-live="polite">{move || app.state.search().with(count)}</span>
            <button
                type="button" class="button button--icon search__regex mono" title="Regular expression"
                aria-pressed=move || is_regex.get().to_string() on:click=move |_| is_regex.update(|r| *r = !*r)
            >
                ".*"
            </button>
        </div>
    }
}

fn count(search: &Search) -> String {
    match (search.text.is_empty(), &search.refused, search.at) {
        (true, ..) => String::new(),
        (_, Some(sentence), _) => sentence.clone(),
        (_, _, Some(at)) => format!("{} of {}", crate::base::text::count(at as u64 + 1), crate::base::text::count(search.n_total)),
        _ => format!("{} found", crate::base::text::count(search.n_total)),
    }
}

/// Asks; the hits are shown unless something else is searched for meanwhile.
async fn run(app: App, query: SearchQuery, is_current: impl Fn() -> bool) {
    let text = query.text.clone();
    let Some(profile) = app.front_untracked() else {
        return;
    };
    if text.is_empty() {
        if app.state.search().with_untracked(|s| s.n_total > 0 || s.refused.is_some()) {
            app.state.search().set(Search::default());
            actions::set_highlights(app, Vec::new());
        }
        return;
    }
    let answer = profile.ask.ask(Query::Search(query)).await;
    if !is_current() {
        return;
    }
    let found = match answer {
        Ok(Answer::Search(hits)) => Search { text, hits: Arc::new(hits.slices), n_total: hits.n_total, at: None, refused: None },
        Ok(_) => return,
        Err(error) => Search { text, refused: Some(error.to_string()), ..Search::default() },
    };
    actions::set_highlights(app, found.hits.to_vec());
    app.state.search().set(found);
}

/// To the next hit, or the one before.
fn step(app: App, is_back: bool) {
    let (hits, at) = app.state.search().with_untracked(|s| (s.hits.clone(), s.at));
    if hits.is_empty() {
        return;
    }
    let n = hits.len();
    let next = match (at, is_back) {
        (None, false) => 0,
        (None, true) => n - 1,
        (Some(at), false) => (at + 1) % n,
        (Some(at), true) => (at + n - 1) % n,
    };
    app.state.search().update(|s| s.at = Some(next));
    actions::show_view(app, "timeline");
    app.selection.set(Some(hits[next]));
    app.reveal.set(Some(hits[next]));
}
