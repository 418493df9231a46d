//! The outside world: address, `localStorage`, title, theme, attributes of the body.

use crate::app::clock::now_ms;
use crate::app::console::log_failure;
use crate::app::open::follow_link::follow;
use crate::app::storage::local_storage::{store, stored};
use crate::app::storage::stored_annotations;
use crate::app::storage::url_state::current;
use crate::app::workers::idle;
use crate::state::steps::{Step, Steps};
use crate::state::{App, AppStateStoreFields as _, Theme, actions, layout::Layout, saved_defaults::SavedDefaults, url::UrlState};
use crate::ui::effect::effect;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell;
use wasm_bindgen::JsValue;

/// The address follows the last change after this.
const ADDRESS_PAUSE_MS: u32 = 200;
/// What users do.
const INPUTS: [&str; 5] = ["keydown", "pointerdown", "click", "wheel", "drop"];
const LAYOUT: &str = "axonscope.layout";
const SAVED_DEFAULTS: &str = "axonscope.own";
const THEME: &str = "axonscope.theme";

thread_local! {
    static IS_STEPPING: Cell<bool> = const { Cell::new(true) };
}

/// Whether the page is dark now.
pub fn is_dark(theme: Theme) -> bool {
    match theme {
        Theme::Dark => true,
        Theme::Light => false,
        Theme::System => window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|m| m.matches()),
    }
}

/// Light to dark and back; the choice is remembered.
pub fn toggle_theme(app: App) {
    let theme = if is_dark(app.state.theme().get_untracked()) { Theme::Light } else { Theme::Dark };
    store(THEME, if theme == Theme::Dark { "dark" } else { "light" });
    app.state.theme().set(theme);
}

/// Joins the state to the world around it. Once, by the root.
pub fn join(app: App) {
    crate::app::storage::library::join(app);
    app.state.theme().set(match stored(THEME).as_deref() {
        Some("dark") => Theme::Dark,
        Some("light") => Theme::Light,
        _ => Theme::System,
    });
    effect(move || {
        if let Some(root) = document().document_element() {
            let set = match app.state.theme().get() {
                Theme::System => root.remove_attribute("data-theme"),
                Theme::Dark => root.set_attribute("data-theme", "dark"),
                Theme::Light => root.set_attribute("data-theme", "light"),
            };
            log_failure(set);
        }
    });
    effect(move || {
        let front = app.front();
        let title = front.as_ref().map_or("Axonscope".into(), |p| format!("{} – Axonscope", p.title));
        document().set_title(&title);
        if let Some(body) = document().body() {
            log_failure(match &front {
                Some(p) => body.set_attribute("data-profile", &p.format),
                None => body.remove_attribute("data-profile"),
            });
        }
    });
    let n_writes = RwSignal::new(0usize);
    idle::join(app, n_writes);
    join_address(app, n_writes);
    crate::app::storage::library::resume(app);
    crate::app::storage::log_directories::join(app);
    stored_annotations::join(app);
    join_layout(app);
}

/// Place of the details, and what profiles begin with.
fn join_layout(app: App) {
    app.layout.set(stored(LAYOUT).map(|text| Layout::from_text(&text)).unwrap_or_default());
    Effect::new(move |before: Option<Layout>| {
        let now = app.layout.get();
        if before.is_some_and(|b| b != now) {
            store(LAYOUT, &now.to_text());
        }
        now
    });
    app.saved_defaults.set(stored(SAVED_DEFAULTS).map(|text| SavedDefaults::from_text(&text)).unwrap_or_default());
    Effect::new(move |before: Option<String>| {
        let now = app.saved_defaults.with(SavedDefaults::to_text);
        if before.is_some_and(|b| b != now) {
            store(SAVED_DEFAULTS, &now);
        }
        now
    });
}

/// Reads the address once; afterwards writes it, shortly after the last change.
fn join_address(app: App, n_writes: RwSignal<usize>) {
    let wanted = UrlState::from_fragment(&location().hash().unwrap_or_default());
    if !wanted.hash.is_empty() {
        app.state.wanted().set(Some(wanted));
    }
    let n_changes = StoredValue::new(0u32);
    let history = StoredValue::new(Steps::default());
    for input in INPUTS {
        let touch = move |_: &web_sys::Event| {
            history.try_update_value(Steps::touch);
        };
        EventListener::new_with_options(&window(), input, EventListenerOptions::run_in_capture_phase(), touch).forget();
    }
    // The fragment at the last write or event.
    let known = StoredValue::new(fragment_now());
    let on_change = window_event_listener(leptos::ev::hashchange, move |event| {
        history.update_value(|steps| steps.arrive(now_ms()));
        // The address may have changed again before this event; what it is now is the entry to write to.
        known.set_value(fragment_now());
        let fragment = event.new_url().split_once('#').map_or("", |url| url.1).to_string();
        arrive(app, &fragment);
    });
    on_cleanup(move || on_change.remove());
    Effect::new(move |previous: Option<UrlState>| {
        let now = current(app);
        if let Some(previous) = previous.as_ref().filter(|p| **p != now) {
            n_changes.update_value(|n| *n += 1);
            let change = n_changes.get_value();
            let has_same_profile = previous.hash == now.hash;
            let step = Step::between(previous, &now);
            history.update_value(|steps| steps.pending = steps.pending.max(step));
            let fragment = now.to_fragment();
            // A profile just opened is ready before its address is.
            let is_awaited = usize::from(has_same_profile);
            n_writes.update(|n| *n += is_awaited);
            spawn_local(async move {
                TimeoutFuture::new(ADDRESS_PAUSE_MS).await;
                // After Back, Forward or a link whose event is on its way, the entry of the history is another one already.
                let is_here = known.try_with_value(|known| *known == fragment_now()) == Some(true);
                if is_here && n_changes.try_get_value() == Some(change) {
                    let is_step = history.try_update_value(|steps| steps.is_new(now_ms()));
                    write(&fragment, is_step == Some(true) && IS_STEPPING.get());
                }
                known.try_update_value(|known| *known = fragment_now());
                n_writes.try_update(|n| *n -= is_awaited);
            });
        }
        now
    });
}

/// While views are shown for a report, they are no steps of the history.
pub(in crate::app) fn set_stepping(is_on: bool) {
    IS_STEPPING.set(is_on);
}

/// The fragment of the address, without `#`.
fn fragment_now() -> String {
    location().hash().unwrap_or_default().trim_start_matches('#').to_string()
}

fn write(fragment: &str, is_step: bool) {
    let Ok(history) = window().history() else {
        return;
    };
    if fragment_now() == fragment {
        return;
    }
    // Relative to the address, not to the document's base.
    let path = format!("{}{}#{fragment}", location().pathname().unwrap_or_default(), location().search().unwrap_or_default());
    log_failure(match is_step {
        true => history.push_state_with_url(&JsValue::NULL, "", Some(&path)),
        false => history.replace_state_with_url(&JsValue::NULL, "", Some(&path)),
    });
}

/// Back, forward, or a link typed into the address of the open page.
fn arrive(app: App, fragment: &str) {
    if fragment.is_empty() {
        // Back to where no profile was in front.
        return actions::show_start(app);
    }
    let wanted = UrlState::from_fragment(fragment);
    if wanted.hash.is_empty() || wanted == untrack(|| current(app)) {
        return;
    }
    let known = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == wanted.hash).map(|p| (p.id, p.ask.clone())));
    match known {
        Some((id, ask)) => {
            actions::show_profile(app, id);
            if wanted.selection.is_none() {
                app.selection.set(None);
            }
            follow(app, ask, UrlState { view: non_empty(wanted.view.clone()), ..wanted });
        }
        None => app.state.wanted().set(Some(wanted)),
    }
}

fn non_empty(view: String) -> String {
    if view.is_empty() { "timeline".into() } else { view }
}
