//! What the user does, as functions over the state. Views call these; they do not set fields.

pub use super::ids::new_id;
pub use super::notices::{dismiss, drop_begins, notify, notify_of_drop};
pub use super::range::{all_rows, commit_range};
use super::{App, AppStateStoreFields as _, BackgroundChoices, Importing, OpenProfile, Phase, WorkerState, runs};
use crate::base::Order as _;
use crate::base::{EventId, SliceId};
use crate::worker::protocol::{Preview, Progress};
use leptos::prelude::*;
use std::sync::Arc;

/// Goes to a view.
pub fn show_view(app: App, view: &str) {
    if app.state.view().with_untracked(|v| v != view) {
        app.state.view().set(view.into());
    }
}

/// The view a profile opens with: the timeline, or what it has instead of one; where nothing could be read, or what there was got lost
/// (`has_lost`), the reasons.
pub fn first_view(views: &[String], has_lost: bool) -> &str {
    const LAST: [&str; 4] = ["tables", "ledger", "profile", "sql"];
    let has = |view: &str| views.iter().any(|v| v == view);
    // The timeline of a memory snapshot has its curves only.
    if let Some(first) = ["snapshot", "timeline"].into_iter().find(|v| has(v)) {
        return first;
    }
    if has_lost && has("ledger") {
        return "ledger";
    }
    let own = views.iter().map(String::as_str).find(|v| !LAST.contains(v));
    own.or(LAST.into_iter().find(|v| has(v))).unwrap_or("timeline")
}

/// Selects a slice and shows it in the timeline and the drawer.
pub fn go_to_slice(app: App, slice: SliceId) {
    go_to(app, slice.into());
}

/// Selects a slice or an instant and shows it in the timeline and the drawer.
pub fn go_to(app: App, item: EventId) {
    show_view(app, "timeline");
    select_and_reveal(app, Some(item));
    app.state.is_details_open().set(true);
}

/// Selects something, and the timeline goes to it when it is shown.
pub fn select_and_reveal(app: App, item: Option<impl Into<EventId>>) {
    let item = item.map(Into::into);
    app.selection.set(item);
    app.reveal.set(item);
}

/// Closes the drawer, or else clears the highlights, the selection, the range: the innermost thing that Esc ends.
pub fn escape(app: App) {
    if app.state.is_help_open().get_untracked() {
        app.state.is_help_open().set(false);
    } else if app.state.is_details_open().get_untracked() {
        app.state.is_details_open().set(false);
        app.selection.set(None);
    } else if app.selection.get_untracked().is_some() {
        app.selection.set(None);
    } else if !app.highlights.with_untracked(|h| h.is_empty()) {
        set_highlights(app, Vec::new());
    } else {
        commit_range(app, None);
    }
}

/// Marks slices in the timeline; a set that was marked is no more.
pub fn set_highlights(app: App, mut slices: Vec<SliceId>) {
    slices.order();
    slices.dedup();
    app.slice_set.set(None);
    app.highlights.set(Arc::new(slices));
}

/// Adds a profile and shows it, unless another one of its drop is in front or its drop stays behind. Tabs of a drop are in the order of its files,
/// whichever was read first. `rank`: rank and world size from the file.
pub fn add_profile(app: App, profile: OpenProfile, rank: Option<(u32, u32)>) {
    let (id, drop, path) = (profile.id, profile.drop, profile.path.clone());
    app.state.profiles().update_untracked(|all| {
        let is_behind = |other: &OpenProfile| other.drop == profile.drop && other.import > profile.import;
        let at = all.iter().position(is_behind).unwrap_or(all.len());
        all.insert(at, profile);
        runs::distinguish(all);
    });
    runs::place_all(app, drop, &path, rank).into_iter().for_each(|sentence| notify(app, sentence, false));
    let is_behind = app.state.background_drop().get_untracked() == Some(drop);
    if app.front_untracked().is_none_or(|front| front.drop != drop && !is_behind) {
        show_profile(app, id);
    }
}

/// Brings the tabs into the order of these content hashes; others follow, in the order that they have.
pub fn order_profiles(app: App, hashes: &[String]) {
    let position = |profile: &OpenProfile| hashes.iter().position(|hash| *hash == profile.hash).unwrap_or(hashes.len());
    if !app.state.profiles().with_untracked(|all| all.is_sorted_by_key(position)) {
        app.state.profiles().update(|all| all.order_by_key(position));
    }
}

/// Shows another worker or span with the same view and choices, if that profile has the view.
pub fn show_sibling(app: App, id: u32) {
    let (view, choices) = (app.state.view().get_untracked(), app.choices.get_untracked());
    show_profile(app, id);
    app.choices.set(choices);
    let Some(front) = app.front_untracked() else {
        return;
    };
    if front.columns.info.views.contains(&view) {
        show_view(app, &view);
    }
}

/// Brings a tab to front, with its choices as they were.
pub fn show_profile(app: App, id: u32) {
    if app.state.front().get_untracked() == Some(id) {
        return;
    }
    keep_choices(app);
    let background = app.state.profiles().with_untracked(|all| {
        let profile = all.iter().find(|p| p.id == id)?;
        let mut background = profile.background.clone();
        if background.view.is_empty() {
            background.view = first_view(&profile.columns.info.views, profile.has_lost()).into();
        }
        Some(background)
    });
    app.selection.set(None);
    app.window.set(None);
    app.range.set(None);
    all_rows(app);
    set_highlights(app, Vec::new());
    app.state.search().update(|s| *s = super::Search { text: std::mem::take(&mut s.text), ..super::Search::default() });
    app.state.front().set(Some(id));
    restore(app, background.unwrap_or_default());
}

/// Shows the start page; open profiles stay in their tabs.
pub fn show_start(app: App) {
    if app.state.front().get_untracked().is_some() {
        keep_choices(app);
        show_no_profile(app);
    }
}

fn show_no_profile(app: App) {
    app.state.front().set(None);
    app.selection.set(None);
    app.window.set(None);
    commit_range(app, None);
    app.choices.set(super::choices::Choices::default());
    app.annotations.set(super::annotations::Book::default());
    app.state.is_details_open().set(false);
    app.state.search().set(super::Search::default());
}

/// Notes the choices of the profile in front with it.
pub fn keep_choices(app: App) {
    let Some(front) = app.state.front().get_untracked() else {
        return;
    };
    let background = BackgroundChoices {
        view: app.state.view().get_untracked(),
        range: app.range.get_untracked(),
        region: app.region_scope.get_untracked(),
        rows: app.rows.get_untracked(),
        selection: app.selection.get_untracked(),
        choices: app.choices.get_untracked(),
        annotations: app.annotations.get_untracked(),
    };
    app.state.profiles().update_untracked(|all| {
        if let Some(profile) = all.iter_mut().find(|p| p.id == front) {
            profile.background = background;
        }
    });
}

fn restore(app: App, background: BackgroundChoices) {
    show_view(app, if background.view.is_empty() { "timeline" } else { &background.view });
    app.region_scope.set(background.region);
    app.range.set(background.range);
    app.rows.set(background.rows);
    app.choices.set(background.choices);
    super::region_scope::restore(app);
    app.chosen_annotation.set(None);
    app.annotations.set(background.annotations);
    app.selection.set(background.selection);
    app.state.is_details_open().set(background.selection.is_some());
}

/// Closes a tab and shows its neighbour or the start page.
pub fn close_profile(app: App, id: u32) {
    let at = app.state.profiles().with_untracked(|all| all.iter().position(|p| p.id == id));
    let Some(at) = at else {
        return;
    };
    let was_front = app.state.front().get_untracked() == Some(id);
    let next = app.state.profiles().with_untracked(|all| {
        let neighbour = if at + 1 < all.len() { at + 1 } else { at.wrapping_sub(1) };
        all.get(neighbour).map(|p| p.id)
    });
    if was_front {
        match next {
            Some(next) => show_profile(app, next),
            None => show_no_profile(app),
        }
    }
    app.state.profiles().update(|all| {
        all.retain(|p| p.id != id);
        runs::distinguish(all);
    });
    runs::forget_closed(app);
}

/// Marks a profile as stopped, with the reason.
pub fn profile_stopped(app: App, id: u32, sentence: String) {
    app.state.profiles().update(|all| {
        if let Some(profile) = all.iter_mut().find(|p| p.id == id) {
            profile.stopped = Some(sentence);
        }
    });
}

/// A tab falls asleep, or wakes. `memory` is that of its new worker, bytes.
pub fn set_worker_state(app: App, id: u32, worker_state: WorkerState, memory: Option<u64>) {
    app.state.profiles().update(|all| {
        if let Some(profile) = all.iter_mut().find(|p| p.id == id) {
            profile.worker_state = worker_state;
            profile.memory = memory.unwrap_or(profile.memory);
        }
    });
}

/// An import begins. Returns its id.
pub fn import_begins(app: App, name: String, total: u64, now_ms: f64) -> u32 {
    let id = new_id(app);
    let preview = ArcRwSignal::new(Preview::default());
    let import = Importing { id, name, bytes: 0, total, records: 0, began_ms: now_ms, heap_bytes: 0, phase: Phase::Reading, preview };
    app.state.imports().update(|all| all.push(import));
    id
}

/// Sets name and size of an import after its files were sorted; it waits in the queue.
pub fn import_waits(app: App, id: u32, name: String, total: u64, heap_bytes: u64) {
    update_import(app, id, |import| *import = Importing { name, total, heap_bytes, bytes: 0, phase: Phase::Waiting, ..import.clone() });
}

/// The turn of an import has come.
pub fn import_reads(app: App, id: u32, now_ms: f64) {
    update_import(app, id, |import| (import.phase, import.began_ms) = (Phase::Reading, now_ms));
}

/// An import waits, or is held.
pub fn import_phase(app: App, id: u32, phase: Phase) {
    update_import(app, id, |import| import.phase = phase);
}

fn update_import(app: App, id: u32, change: impl FnOnce(&mut Importing)) {
    app.state.imports().update(|all| {
        if let Some(import) = all.iter_mut().find(|i| i.id == id) {
            change(import);
        }
    });
}

/// An import got further.
pub fn import_goes_on(app: App, id: u32, progress: Progress) {
    app.state.imports().update(|all| {
        if let Some(import) = all.iter_mut().find(|i| i.id == id) {
            import.bytes = progress.bytes;
            import.total = progress.total;
            import.records = progress.records;
            if !progress.preview.slices.is_empty() {
                import.preview.update(|preview| preview.slices.extend(progress.preview.slices));
            }
        }
    });
}

/// An import ended, well or not.
pub fn import_ends(app: App, id: u32) {
    app.state.imports().update(|all| all.retain(|i| i.id != id));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_without_timeline_opens_at_what_it_has() {
        let check = |views: &[&str], has_lost, want| {
            assert_eq!(first_view(&views.iter().map(|v| v.to_string()).collect::<Vec<_>>(), has_lost), want);
        };
        check(&["profile", "ledger", "timeline", "operators"], false, "timeline");
        check(&["profile", "ledger", "timeline", "operators"], true, "timeline");
        check(&["profile", "ledger", "support"], false, "support");
        check(&["profile", "ledger", "tables"], false, "tables");
        check(&["profile", "ledger", "tables", "tensors"], true, "ledger");
        check(&["profile", "ledger"], false, "ledger");
    }
}
