//! The list of profiles that were opened before, and the calls of `public/library.js`.

use crate::app::open::file_drop::Dropped;
use crate::app::storage::local_storage::store;
use crate::app::workers::worker_registry;
use crate::state::library::{self, Entry, StoredAs};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, WorkerState};
use crate::worker::error::BrowserError;
use crate::worker::protocol::HeadlineQuery;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Key of the list.
pub(super) const LIST: &str = "axonscope.recents";
/// The first value of a profile is asked for when its user has looked at it for so long, ms.
const HEADLINE_AFTER_MS: u32 = 2_000;

/// Calls a function of `public/library.js`.
pub(in crate::app) async fn call(name: &str, arguments: &[JsValue]) -> Result<JsValue, BrowserError> {
    let called = async {
        let keeper = Reflect::get(&window(), &"axonscopeEarly".into())?;
        let load: Function = Reflect::get(&keeper, &"library".into())?.dyn_into()?;
        let module = JsFuture::from(load.call0(&keeper)?.dyn_into::<Promise>()?).await?;
        let function: Function = Reflect::get(&module, &name.into())?.dyn_into()?;
        JsFuture::from(function.apply(&module, &arguments.iter().collect())?.dyn_into::<Promise>()?).await
    };
    called.await.map_err(|error: JsValue| BrowserError::from(error))
}

/// Paths and files as `public/library.js` takes them: `[[path, file], …]`.
pub(in crate::app) fn listed(files: &[Dropped]) -> JsValue {
    files.iter().map(|f| Array::of2(&f.name.as_str().into(), &f.file)).collect::<Array>().into()
}

/// Stores the list.
pub(super) fn set(app: App, list: Vec<Entry>) {
    let list = library::ordered(list);
    store(LIST, &library::to_text(&list));
    app.state.library().set(list);
}

/// Changes one entry.
pub(super) fn change(app: App, hash: &str, change: impl FnOnce(&mut Entry)) {
    let mut list = app.state.library().get_untracked();
    if let Some(entry) = list.iter_mut().find(|e| e.hash == hash) {
        change(entry);
        set(app, list);
    }
}

/// Notes a profile that has been opened, how its files are opened again, and a little later its first value.
pub fn remember(app: App, profile: &OpenProfile) {
    let kind = app.state.formats().with_untracked(|f| f.iter().find(|f| f.id == profile.format).map(|f| f.title.clone()));
    let iso = String::from(js_sys::Date::new_0().to_iso_string());
    let (files, needs_full) = worker_registry::files(profile.id).map(|(files, found)| (files, found.needs_full)).unwrap_or_default();
    let duration_ns = profile.columns.range().duration().0;
    let newest = Entry {
        name: profile.own_title.clone(),
        kind: kind.unwrap_or_else(|| profile.format.clone()),
        hash: profile.hash.clone(),
        date: iso.chars().take(16).collect::<String>().replace('T', " "),
        duration_ns: (duration_ns > 0).then_some(duration_ns),
        n_steps: profile.columns.info.steps.len() as u64,
        n_bytes: files.iter().map(|f| f.file.size() as u64).sum(),
        needs_full,
        ..Entry::default()
    };
    let list = app.state.library().with_untracked(|list| library::with(list, newest));
    store(LIST, &library::to_text(&list));
    app.state.library().set(list);
    let (id, hash, ask) = (profile.id, profile.hash.clone(), profile.ask.clone());
    spawn_local(async move {
        // Without storage the entry stays, and its file is selected again.
        let stored = call("keep", &[hash.as_str().into(), listed(&files)]).await.ok().and_then(|k| k.as_string()).unwrap_or_default();
        change(app, &hash, |entry| entry.stored = StoredAs::named(&stored));
        loop {
            TimeoutFuture::new(HEADLINE_AFTER_MS).await;
            let state = app.state.profiles().try_with_untracked(|all| all.iter().find(|p| p.id == id).map(|p| p.worker_state));
            match state.flatten() {
                Some(WorkerState::Awake) => break,
                // It is not woken for this.
                Some(_) => {}
                None => return,
            }
        }
        if let Ok(found) = ask.ask_uncounted(HeadlineQuery).await {
            change(app, &hash, |entry| (entry.device, entry.figure) = (found.device, found.figure));
        }
    });
}
