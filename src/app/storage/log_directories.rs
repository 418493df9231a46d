//! Log directories that the user added: their handles are kept by `public/library.js`, their profiles are sorted by a worker from heads of files.

use crate::app::error::OpenError;
use crate::app::open::file_drop::Dropped;
use crate::app::open::opening;
use crate::app::open::triage;
use crate::app::storage::library_list::call;
use crate::app::workers::worker_registry;
use crate::base::Order as _;
use crate::state::log_directory::{self, LogDirectory};
use crate::state::{App, AppStateStoreFields as _, actions};
use crate::views::start::log_directories::DirectoryAction;
use crate::worker::protocol::Found;
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::collections::HashMap;
use wasm_bindgen::{JsCast, JsValue};

/// What was found in a directory, and its files.
type Listed = (Vec<Found>, Vec<Dropped>);

thread_local! {
    static LISTED: RefCell<HashMap<String, Listed>> = RefCell::default();
}

/// Written once a directory was added: without it the storage is not looked at.
const HAS_SOME: &str = "axonscope.directories";
/// Between two looks at whether both profiles are open, ms.
const STEP_MS: u32 = 50;

/// The directories that were added before.
pub fn join(app: App) {
    if crate::app::storage::local_storage::stored(HAS_SOME).is_some() {
        spawn_local(async move {
            let found = call("directories", &[]).await.ok().and_then(|f| f.dyn_into::<Array>().ok()).unwrap_or_default();
            let all = found.iter().filter_map(|pair| {
                let pair: Array = pair.dyn_into().ok()?;
                Some(LogDirectory { id: pair.get(0).as_string()?, name: pair.get(1).as_string()?, ..LogDirectory::default() })
            });
            app.state.directories().set(all.collect());
        });
    }
}

fn change(app: App, id: &str, change: impl FnOnce(&mut LogDirectory)) {
    app.state.directories().update(|all| {
        if let Some(directory) = all.iter_mut().find(|d| d.id == id) {
            change(directory);
        }
    });
}

/// Carries out the chosen action.
pub fn act(app: App, id: String, action: DirectoryAction) {
    match action {
        DirectoryAction::Add => spawn_local(async move {
            match call("addDirectory", &[]).await {
                Ok(added) => {
                    let Some(id) = added.as_string() else { return };
                    crate::app::storage::local_storage::store(HAS_SOME, "1");
                    let name = id.split_once('/').map_or(id.as_str(), |p| p.1).to_string();
                    app.state.directories().update(|all| {
                        if all.iter().all(|d| d.id != id) {
                            all.push(LogDirectory { id: id.clone(), name, ..LogDirectory::default() });
                        }
                    });
                    list(app, id).await;
                }
                Err(error) => actions::notify_of_drop(app, error.to_string(), true),
            }
        }),
        DirectoryAction::List => spawn_local(list(app, id)),
        DirectoryAction::Remove => {
            app.state.directories().update(|all| all.retain(|d| d.id != id));
            LISTED.with_borrow_mut(|all| all.remove(&id));
            spawn_local(async move {
                // What cannot be deleted was not kept.
                let _ = call("forgetDirectory", &[id.as_str().into()]).await;
            });
        }
        DirectoryAction::Open(at) => {
            opening::open(app, files_of(&id, &at));
        }
        DirectoryAction::Compare(at) => {
            opening::open(app, files_of(&id, &at));
            spawn_local(compare(app));
        }
    }
}

/// The file of that path below the run's directory, in the first directory that has it. Asks for permission where the browser wants it.
pub async fn file_of(app: App, path: &str) -> Option<Dropped> {
    let ids: Vec<String> = app.state.directories().with_untracked(|all| all.iter().map(|d| d.id.clone()).collect());
    for id in ids {
        // A directory that cannot be read has no such file; the next one may.
        let pair = call("fileOfDirectory", &[id.into(), path.into()]).await.ok().and_then(|found| found.dyn_into::<Array>().ok());
        if let Some(pair) = pair {
            return Some(Dropped { name: pair.get(0).as_string()?, file: pair.get(1).dyn_into().ok()? });
        }
    }
    None
}

/// The files of the profiles, without duplicates.
fn files_of(id: &str, at: &[usize]) -> Vec<Dropped> {
    LISTED.with_borrow(|all| {
        let Some((found, files)) = all.get(id) else { return Vec::new() };
        let mut positions: Vec<usize> = at.iter().filter_map(|&i| found.get(i)).flat_map(|f| f.files.iter().copied()).collect();
        positions.order();
        positions.dedup();
        positions.into_iter().filter_map(|i| files.get(i).cloned()).collect()
    })
}

/// Shows the comparison once both profiles are open.
async fn compare(app: App) {
    while app.state.imports().try_with_untracked(|all| !all.is_empty()) == Some(true) {
        TimeoutFuture::new(STEP_MS).await;
    }
    let views = app.front_untracked().map(|p| p.columns.info.views.clone()).unwrap_or_default();
    if let Some(view) = ["diff", "compare"].into_iter().find(|id| views.iter().any(|v| v == id)) {
        actions::show_view(app, view);
    }
}

async fn list(app: App, id: String) {
    change(app, &id, |d| (d.is_busy, d.problem) = (true, String::new()));
    let listed = listed(app, &id).await;
    change(app, &id, |d| {
        d.is_busy = false;
        match listed {
            Ok((found, notes)) => {
                d.profiles = Some(log_directory::profiles(&found, d.profiles.as_deref()));
                d.problem = notes.join(" ");
            }
            Err(error) => d.problem = error.to_string(),
        }
    });
}

/// The profiles in a directory, and sentences on skipped files.
async fn listed(app: App, id: &str) -> Result<(Vec<Found>, Vec<String>), OpenError> {
    let found: Array = call("listDirectory", &[JsValue::from(id)]).await?.unchecked_into();
    let pairs = found.iter().filter_map(|pair| {
        let pair: Array = pair.dyn_into().ok()?;
        Some(Dropped { name: pair.get(0).as_string()?, file: pair.get(1).dyn_into().ok()? })
    });
    let files: Vec<Dropped> = pairs.collect();
    if files.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let (link, mut events) = worker_registry::ready_worker(app).await?;
    let inspection = triage::inspect(&link, &mut events, &files).await;
    worker_registry::give_back((link, events));
    let inspection = inspection?;
    LISTED.with_borrow_mut(|all| all.insert(id.to_string(), (inspection.found.clone(), files)));
    Ok((inspection.found, inspection.notes))
}
