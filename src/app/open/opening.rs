//! Opens dropped files: one worker per profile, a tab for each success, a notice for each failure.

use crate::app::clock::now_ms;
use crate::app::error::OpenError;
use crate::app::open::file_drop::Dropped;
use crate::app::open::follow_link::follow;
use crate::app::open::import_queue::{self, Job};
use crate::app::open::importing::begin;
use crate::app::open::script_events;
use crate::app::open::sources;
use crate::app::open::triage::{self, Target};
use crate::app::open::unpacking;
use crate::app::open::wanted_step;
use crate::app::storage::{library_list, stored_annotations};
use crate::app::workers::sleep;
use crate::app::workers::worker_registry::{self, Handle};
use crate::base::text;
use crate::state::{
    App, AppStateStoreFields as _, BackgroundChoices, OpenProfile, WorkerState, actions, runs, saved_defaults::DefaultsKind,
    url::ANY_PROFILE,
};
use crate::views::timeline::state::memory;
use crate::worker::client::Ask;
use crate::worker::page::{Events, FromWorker, Link};
use crate::worker::protocol::{Found, Occasion, Opened, PageColumns};
use futures_util::future::abortable;
use futures_util::{FutureExt as _, StreamExt as _};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Starts to open files; returns at once, with the number of the drop: none if there is nothing to read.
pub fn open(app: App, files: Vec<Dropped>) -> Option<u32> {
    if !files.is_empty() {
        actions::drop_begins(app);
    }
    let files = sources::take(app, crate::app::storage::workspace::take(app, files));
    if files.is_empty() {
        return None;
    }
    let name = if files.len() == 1 { files[0].name.clone() } else { format!("{} files", files.len()) };
    let total = files.iter().map(|f| f.file.size() as u64).sum();
    let id = actions::import_begins(app, name, total, now_ms());
    let drop = actions::new_id(app);
    script_events::expect(id, drop);
    let (task, abort) = abortable(async move {
        let files = unpacking::unpacked(app, id, files).await?;
        triage::sort(app, drop, &files).await.map_err(|error| with_name(error, &files))
    });
    worker_registry::keep_abort(id, abort);
    spawn_now(async move {
        let done = task.await;
        let needs_full = matches!(&done, Ok(Ok(sorted)) if sorted.iter().any(|s| s.0.needs_full));
        if !needs_full {
            worker_registry::end_full_ahead();
        }
        match done {
            Ok(Ok(sorted)) => {
                expect_files(app, drop, sorted.iter().filter(|s| s.2.replaces.is_none()).map(|s| &s.0));
                // The first profile replaces the import entry of the drop.
                let ids = |i: usize| if i == 0 { id } else { actions::import_begins(app, String::new(), 0, now_ms()) };
                let jobs = sorted.into_iter().enumerate().map(|(i, (found, files, target))| job(app, ids(i), found, files, target));
                import_queue::submit(app, jobs.collect());
            }
            Ok(Err(error)) => {
                let sentence = error.to_string();
                script_events::failed(drop, &sentence);
                actions::notify_of_drop(app, sentence, true);
                actions::import_ends(app, id);
            }
            // The job was cancelled.
            Err(_) => {}
        }
    });
    Some(drop)
}

/// Stops an import at once: its worker is terminated.
pub fn cancel(app: App, id: u32) {
    worker_registry::abort(id);
    script_events::cancelled(id);
    actions::import_ends(app, id);
    import_queue::ended(app, id);
}

/// Stops all imports, waiting ones first.
pub fn cancel_all(app: App) {
    let ids: Vec<u32> = app.state.imports().with_untracked(|all| all.iter().rev().map(|i| i.id).collect());
    ids.into_iter().for_each(|id| cancel(app, id));
}

/// Closes a tab and returns its memory.
pub fn close(app: App, id: u32) {
    actions::close_profile(app, id);
    worker_registry::remove(id);
    import_queue::go_on(app);
}

/// Opens the files of a tab again after its worker stopped.
pub fn reopen(app: App, id: u32) {
    let registered = worker_registry::files(id);
    let drop = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.id == id).map(|p| p.drop));
    let (Some((files, found)), Some(drop)) = (registered, drop) else {
        return;
    };
    let import = actions::import_begins(app, String::new(), 0, now_ms());
    expect_files(app, drop, std::iter::once(&found));
    let job = job(app, import, found, files, Target { drop, replaces: None });
    close(app, id);
    import_queue::submit(app, vec![job]);
}

/// Runs a task until it waits, the rest later: a worker is asked before the page draws that something is read.
fn spawn_now(task: impl Future<Output = ()> + 'static) {
    let mut task = Box::pin(task);
    if task.as_mut().now_or_never().is_none() {
        spawn_local(task);
    }
}

/// Runs an import that `cancel` can stop.
fn run(app: App, id: u32, task: impl Future<Output = ()> + 'static) {
    let (task, abort) = abortable(task);
    worker_registry::keep_abort(id, abort);
    spawn_now(async move {
        // An aborted task has been ended by `cancel`.
        if task.await.is_ok() {
            actions::import_ends(app, id);
            worker_registry::abort(id);
            import_queue::ended(app, id);
        }
    });
}

/// The error with the file it is about, where there is one.
fn with_name(error: OpenError, files: &[Dropped]) -> OpenError {
    match files {
        [one] => error.of_file(&one.name),
        _ => error,
    }
}

/// A profile to be read, out of the files of its drop.
fn job(app: App, id: u32, mut found: Found, files: Vec<Dropped>, target: Target) -> Job {
    let files: Vec<Dropped> = found.files.iter().filter_map(|&i| files.get(i).cloned()).collect();
    found.files = (0..files.len()).collect();
    let name = found.paths.first().cloned().unwrap_or_default();
    actions::import_waits(app, id, name, found.n_bytes, found.heap_bytes);
    let heap_bytes = found.heap_bytes;
    script_events::expect(id, target.drop);
    let start = move || {
        run(app, id, async move {
            match open_found(app, id, found, files, target).await {
                Ok(hash) => script_events::opened(target.drop, &hash),
                Err(error) => {
                    let sentence = error.to_string();
                    script_events::failed(target.drop, &sentence);
                    actions::notify_of_drop(app, sentence, true);
                }
            }
        });
    };
    Job { id, heap_bytes, start: Box::new(start) }
}

/// Formats whose files have workers and spans.
const WITH_WORKERS: [&str; 1] = ["kineto"];

/// The file names give runs and spans before anything is read.
fn expect_files<'a>(app: App, drop: u32, found: impl Iterator<Item = &'a Found>) {
    let traces = found.filter(|f| WITH_WORKERS.contains(&f.claim.format.as_str()));
    runs::expect_files(app, drop, traces.filter_map(|f| f.paths.first().cloned()));
}

/// Opens one profile; returns its content hash, also where the same content is open.
async fn open_found(app: App, id: u32, found: Found, files: Vec<Dropped>, target: Target) -> Result<String, OpenError> {
    let name = found.paths.first().cloned().unwrap_or_default();
    // A directory of tables is named instead of one of its tables.
    let meant = name.rsplit_once('/').filter(|_| found.claim.format == "neuron_parquet").map_or(name.as_str(), |path| path.0);
    let is_first = app.state.profiles().with_untracked(|all| all.is_empty());
    let occasion = if is_first { Occasion::First } else { Occasion::Further };
    let (link, mut events) = begin(app, &found, &files, occasion).await.map_err(|error| error.of_file(meant))?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Hashed(hash) if is_known(app, &hash) => return Ok(hash),
            FromWorker::Progress(progress) => actions::import_goes_on(app, id, progress),
            // The same content may have been read meanwhile.
            FromWorker::Opened(opened, _) if is_known(app, &opened.hash) => return Ok(opened.hash),
            FromWorker::Opened(opened, columns) => {
                if let Some(old) = target.replaces {
                    close(app, old);
                }
                let hash = opened.hash.clone();
                show(app, (link, events), Handle { files, found }, (*opened, *columns), (target.drop, id, name));
                return Ok(hash);
            }
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(OpenError::Worker(sentence).of_file(meant)),
            FromWorker::Ready(_)
            | FromWorker::Inspected(..)
            | FromWorker::Hashed(_)
            | FromWorker::Written(_)
            | FromWorker::Unpacked(..) => {}
        }
    }
    Err(OpenError::Stopped.of_file(meant))
}

/// Whether a profile of that content is open; if so, shows it.
fn is_known(app: App, hash: &str) -> bool {
    let known = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == hash && p.stopped.is_none()).map(|p| p.id));
    if let Some(known) = known {
        actions::show_profile(app, known);
    }
    known.is_some()
}

/// Summaries of one file: a run has no more cores in it.
const MOST_CORES: usize = 16;

/// Makes a tab of an opened profile.
fn show(
    app: App,
    worker: (Link, Events),
    handle: Handle,
    (opened, columns): (Opened, PageColumns),
    (drop, import, path): (u32, u32, String),
) {
    let id = actions::new_id(app);
    let (ask, calls) = Ask::channel();
    worker_registry::insert(id, handle);
    sleep::join(app, id, worker);
    sleep::relay(app, id, calls);
    let title =
        if columns.info.meta.title.is_empty() { text::middle_ellipsis(&opened.claim.format, 40) } else { columns.info.meta.title.clone() };
    let wanted = app.state.wanted().get_untracked().filter(|w| w.hash == opened.hash || w.hash == ANY_PROFILE);
    let choices = app.saved_defaults.with_untracked(|own| own.of(DefaultsKind::of(columns.info.kind)));
    let awaited = app.state.awaited().with_untracked(|all| all.iter().find(|w| w.hash == opened.hash).cloned());
    // Many summaries in one drop are looked at as a table.
    let view = if crate::app::wiring::device_views::n_variants(&columns.info.meta) > MOST_CORES { "variants" } else { "" };
    let background = BackgroundChoices {
        view: view.into(),
        annotations: stored_annotations::annotations(&opened.hash),
        choices,
        ..BackgroundChoices::default()
    };
    let profile = OpenProfile {
        id,
        title: title.clone(),
        own_title: title,
        hash: opened.hash,
        format: opened.claim.format,
        drop,
        import,
        path,
        place: None,
        ask: ask.clone(),
        columns: Arc::new(columns),
        ledger: Arc::new(opened.ledger),
        memory: opened.memory,
        stopped: None,
        worker_state: WorkerState::Awake,
        background,
    };
    library_list::remember(app, &profile);
    memory::forget(&profile.columns.info.meta);
    actions::add_profile(app, profile, opened.rank);
    if wanted.is_some() {
        app.state.wanted().set(None);
    }
    // If another profile of the same drop is in front, the link shows this one.
    let is_front = app.state.front().get_untracked() == Some(id);
    if let Some(wanted) = wanted.or(awaited.filter(|_| is_front)) {
        app.state.awaited().update_untracked(|all| all.retain(|w| w.hash != wanted.hash));
        follow(app, ask, wanted);
    }
    wanted_step::arrived(app, id);
    crate::app::open::samples::arrived(app);
    sleep::keep_budget(app);
}
