//! The library of profiles that were opened before: the list in `localStorage`, files and copies by `public/library.js`, which is loaded when it is
//! first needed.

use crate::app::open::file_drop::Dropped;
use crate::app::open::opening;
use crate::app::storage::library_list::{LIST, call, change, listed, set};
use crate::app::storage::local_storage::stored;
use crate::app::workers::worker_registry;
use crate::base::text;
use crate::state::library::{self, Entry, StoredAs};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::effect::effect;
use crate::views::start::library::Action;
use crate::worker::error::BrowserError;
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};

/// Loads the stored list and keeps it up to date.
pub fn join(app: App) {
    app.state.library().set(library::from_text(&stored(LIST).unwrap_or_default()));
    effect(move || {
        let view = app.state.view().get();
        if view == "diff" || view == "compare" {
            note_compared(app);
        }
    });
    effect(move || {
        let is_start = app.state.front().get().is_none();
        if is_start && app.state.library().with(|list| list.iter().any(|e| e.stored != StoredAs::Nothing)) {
            spawn_local(measure(app));
        }
    });
}

/// Tabs of this window, which a reload opens again.
const TABS: &str = "axonscope.tabs";

fn session() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

/// Opens the profiles that were open before a reload; those that need the user's permission are listed on the start page.
pub fn resume(app: App) {
    let before = session().and_then(|s| s.get_item(TABS).ok().flatten()).unwrap_or_default();
    let front = app.state.wanted().get_untracked().map(|w| w.hash);
    let is_stored =
        |hash: &&str| app.state.library().with_untracked(|all| all.iter().any(|e| e.hash == **hash && e.stored != StoredAs::Nothing));
    let hashes: Vec<String> = before.split(',').filter(is_stored).map(Into::into).collect();
    effect(move || {
        let open = app.state.profiles().with(|all| all.iter().map(|p| p.hash.clone()).collect::<Vec<_>>());
        let waiting = app.state.resumable().get();
        // What waits for permission is still offered after the next reload.
        let all = open.iter().chain(waiting.iter().filter(|w| !open.contains(w)));
        let text = all.cloned().collect::<Vec<_>>().join(",");
        // Private windows may refuse; then a reload opens nothing.
        let _ = session().map(|s| s.set_item(TABS, &text));
    });
    if hashes.is_empty() {
        return;
    }
    app.state.resumable().set(hashes.clone());
    spawn_local(async move {
        let asked: Array = hashes.iter().map(|hash| JsValue::from(hash.as_str())).collect();
        let ready = call("ready", &[asked.into()]).await.ok().and_then(|found| found.dyn_into::<Array>().ok()).unwrap_or_default();
        let ready: Vec<String> = ready.iter().filter_map(|hash| hash.as_string()).collect();
        open_again(app, ready, front).await;
    });
}

/// Opens the profiles one after the other: first the one that was in front, the others behind it. Their tabs come in the order of `hashes`.
async fn open_again(app: App, hashes: Vec<String>, front: Option<String>) {
    let (first, behind): (Vec<&String>, Vec<&String>) = hashes.iter().partition(|hash| Some(*hash) == front.as_ref());
    for hash in first.into_iter().chain(behind) {
        app.state.resumable().update(|all| all.retain(|h| h != hash));
        let Some(entry) = app.state.library().with_untracked(|all| all.iter().find(|e| e.hash == *hash).cloned()) else { continue };
        match files_of(&entry).await {
            Ok((files, _)) => app.state.background_drop().set(opening::open(app, files)),
            Err(error) => actions::notify(app, error.to_string(), true),
        }
        while app.state.imports().try_with_untracked(|all| !all.is_empty()) == Some(true) {
            TimeoutFuture::new(RESUME_STEP_MS).await;
        }
        actions::order_profiles(app, &hashes);
    }
    app.state.background_drop().set(None);
}

/// Opens the profiles that wait for permission.
pub fn resume_waiting(app: App) {
    let hashes = app.state.resumable().get_untracked();
    let front = app.state.wanted().get_untracked().map(|w| w.hash);
    spawn_local(open_again(app, hashes, front));
}

/// Names of the profiles that wait for permission. Tracked.
pub fn resumable_names(app: App) -> Vec<String> {
    let hashes = app.state.resumable().get();
    app.state.library().with(|all| all.iter().filter(|e| hashes.contains(&e.hash)).map(|e| e.label().to_string()).collect())
}

/// Between two looks at whether a profile is open, ms.
const RESUME_STEP_MS: u32 = 50;

/// How much the browser's storage holds. Where it does not say, nothing is shown.
async fn measure(app: App) {
    let Ok(found) = call("usage", &[]).await else { return };
    let numbers: Vec<f64> = found.dyn_into::<Array>().unwrap_or_default().iter().filter_map(|n| n.as_f64()).collect();
    if let [used, available] = numbers[..] {
        let now = Some((used as u64, available as u64));
        if app.state.storage().try_get_untracked().is_some_and(|before| before != now) {
            app.state.storage().set(now);
        }
    }
}

/// The profile in front is compared with the others of its kind that are open.
fn note_compared(app: App) {
    let Some(front) = app.front_untracked() else { return };
    let all = app.state.profiles().get_untracked();
    let others: Vec<&OpenProfile> = all.iter().filter(|p| p.format == front.format && p.hash != front.hash).collect();
    for other in others {
        change(app, &front.hash, |entry| entry.compared_with(&other.own_title));
        change(app, &other.hash, |entry| entry.compared_with(&front.own_title));
    }
}

/// Does what the user chose in the list.
pub fn act(app: App, hash: String, action: Action) {
    let find = |hash: &str| app.state.library().with_untracked(|list| list.iter().find(|e| e.hash == hash).cloned());
    match action {
        Action::Open => open(app, hash),
        Action::Star => change(app, &hash, |entry| entry.is_starred = !entry.is_starred),
        Action::Rename(title, tags) => change(app, &hash, |entry| entry.rename(&title, &tags)),
        Action::Copy => {
            let Some(entry) = find(&hash) else { return };
            spawn_local(async move {
                match copy(app, &entry).await {
                    Ok(()) => change(app, &hash, |entry| entry.stored = StoredAs::Copy),
                    Err(error) => actions::notify(app, error.to_string(), true),
                }
                measure(app).await;
            });
        }
        Action::Delete => {
            let list = app.state.library().get_untracked();
            set(app, list.into_iter().filter(|e| e.hash != hash).collect());
            spawn_local(async move {
                // What cannot be deleted was not kept.
                let _ = call("forget", &[hash.as_str().into()]).await;
                measure(app).await;
            });
        }
        Action::SaveWorkspace => crate::app::storage::workspace::save(app),
        Action::DeleteAll => {
            set(app, Vec::new());
            spawn_local(async move {
                // As above.
                let _ = call("clear", &[]).await;
                app.state.storage().set(None);
            });
        }
    }
}

/// Copies the files of an entry: those of an open profile, or those that it is opened from.
async fn copy(app: App, entry: &Entry) -> Result<(), BrowserError> {
    let open = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == entry.hash).map(|p| p.id));
    let files = match open.and_then(worker_registry::files) {
        Some((files, _)) => files,
        None => files_of(entry).await?.0,
    };
    let name = JsValue::from(entry.label());
    call("copy", &[entry.hash.as_str().into(), listed(&files), name]).await.map(drop)
}

/// The stored files, and whether one of them has changed. May ask the user for permission.
async fn files_of(entry: &Entry) -> Result<(Vec<Dropped>, bool), BrowserError> {
    let found: Array = call("open", &[entry.hash.as_str().into(), entry.label().into()]).await?.unchecked_into();
    let mut is_changed = false;
    let mut files = Vec::new();
    for part in found.iter().filter_map(|part| part.dyn_into::<Array>().ok()) {
        is_changed |= part.get(2).is_truthy();
        files.extend(part.get(0).as_string().zip(part.get(1).dyn_into().ok()).map(|(name, file)| Dropped { name, file }));
    }
    Ok((files, is_changed))
}

/// Opens an entry from its files; without any the user is asked for them.
pub fn open(app: App, hash: String) {
    let entry = app.state.library().with_untracked(|list| list.iter().find(|e| e.hash == hash).cloned());
    let open = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == hash).map(|p| p.id));
    if let Some(id) = open {
        return actions::show_profile(app, id);
    }
    let Some(entry) = entry else { return };
    if entry.stored == StoredAs::Nothing {
        actions::notify_of_drop(app, format!("The library has only the name of `{}`. Select the file to open it.", entry.name), false);
        return crate::app::pick("open-files");
    }
    spawn_local(async move {
        actions::drop_begins(app);
        match files_of(&entry).await {
            Ok((files, is_changed)) => {
                opening::open(app, files);
                if is_changed {
                    let what = format!("`{}` has changed since {} UTC. The file is opened as it is now.", entry.name, entry.date);
                    actions::notify_of_drop(app, what, false);
                }
            }
            Err(error) => actions::notify_of_drop(app, error.to_string(), true),
        }
    });
}

/// "1.2 GiB of 20 GiB of browser storage used".
pub fn storage_sentence(app: App) -> Option<String> {
    let (used, available) = app.state.storage().get()?;
    Some(format!("Browser storage: {} of {} used.", text::bytes(used), text::bytes(available)))
}
