//! Saves and loads workspaces: files that end in `.axonspace`.

use crate::app::error::WorkspaceFileError;
use crate::app::open::file_drop::Dropped;
use crate::app::open::follow_link::follow;
use crate::app::storage::{stored_annotations, url_state};
use crate::state::workspace::{ENDING, LONGEST, SavedProfile, Workspace, joined};
use crate::state::{App, AppStateStoreFields as _, BackgroundChoices, OpenProfile, actions, layout::Layout, url::UrlState};
use crate::ui::dom::{file_name, save_text};
use crate::views::sql::SavedQueries;
use crate::worker::error::BrowserError;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

/// Saves the workspace of the open profiles as a file.
pub fn save(app: App) {
    actions::keep_choices(app);
    let front = app.front_untracked();
    let profiles = app.state.profiles().get_untracked();
    let Some(first) = front.as_ref().or(profiles.first()) else {
        return actions::notify(app, "Open a profile first: a workspace holds what is noted on open profiles.".into(), false);
    };
    let saved = profiles.iter().map(|profile| {
        let is_front = front.as_ref().is_some_and(|f| f.id == profile.id);
        let state = if is_front { untrack(|| url_state::current(app)) } else { url_state::background(profile) };
        let annotations = profile.background.annotations.clone();
        SavedProfile { hash: profile.hash.clone(), name: profile.own_title.clone(), link: state.to_fragment(), annotations }
    });
    let mut workspace = Workspace::new(first.hash.clone(), app.layout.get_untracked().to_text(), saved.collect());
    workspace.queries = SavedQueries::load().named;
    save_text(&file_name(&first.own_title, ENDING.trim_start_matches('.')), "application/json", &workspace.to_text());
}

/// Loads the workspaces of a drop and returns the other files.
pub(in crate::app) fn take(app: App, dropped: Vec<Dropped>) -> Vec<Dropped> {
    let (workspaces, rest): (Vec<_>, Vec<_>) = dropped.into_iter().partition(|f| f.name.ends_with(ENDING));
    for Dropped { name, file } in workspaces {
        spawn_local(async move {
            match read(&file).await {
                Ok(workspace) => load(app, workspace),
                Err(error) => actions::notify_of_drop(app, format!("`{name}`: {error}"), true),
            }
        });
    }
    rest
}

async fn read(file: &File) -> Result<Workspace, WorkspaceFileError> {
    if file.size() > LONGEST {
        return Err(WorkspaceFileError::TooLarge);
    }
    let text = JsFuture::from(file.text()).await.map_err(BrowserError::from)?;
    Ok(Workspace::from_text(&text.as_string().unwrap_or_default())?)
}

fn load(app: App, workspace: Workspace) {
    if !workspace.layout.is_empty() {
        app.layout.set(Layout::from_text(&workspace.layout));
    }
    if !workspace.queries.is_empty() {
        let mut queries = SavedQueries::load();
        workspace.queries.iter().for_each(|(name, query)| queries.name(name, query));
        queries.save();
    }
    let sentence = workspace.sentence(|hash| open_profile(app, hash).is_some());
    actions::keep_choices(app);
    for saved in &workspace.profiles {
        let state = saved.state();
        match open_profile(app, &saved.hash) {
            Some(profile) => apply(app, &profile, saved, state),
            None => {
                let annotations = joined(&stored_annotations::annotations(&saved.hash), &saved.annotations);
                stored_annotations::keep_annotations(&saved.hash, &annotations);
                app.state.awaited().update(|all| {
                    all.retain(|s| s.hash != saved.hash);
                    all.push(state);
                });
            }
        }
    }
    if let Some(front) = open_profile(app, &workspace.front) {
        actions::show_profile(app, front.id);
    }
    actions::notify_of_drop(app, sentence, false);
}

fn open_profile(app: App, hash: &str) -> Option<OpenProfile> {
    app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == hash).cloned())
}

/// Applied at once to the profile in front, to another one when it is shown.
fn apply(app: App, profile: &OpenProfile, saved: &SavedProfile, state: UrlState) {
    let annotations = joined(&profile.background.annotations, &saved.annotations);
    stored_annotations::keep_annotations(&profile.hash, &annotations);
    if app.state.front().get_untracked() == Some(profile.id) {
        app.annotations.set(annotations);
        return follow(app, profile.ask.clone(), state);
    }
    let background = BackgroundChoices {
        view: state.view,
        range: state.range,
        region: None,
        rows: Arc::new(state.rows),
        selection: None,
        choices: state.choices,
        annotations,
    };
    app.state.profiles().update_untracked(|all| {
        if let Some(profile) = all.iter_mut().find(|p| p.id == profile.id) {
            profile.background = background;
        }
    });
}
