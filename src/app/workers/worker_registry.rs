//! Workers and files of open profiles, and imports that can be stopped. They belong to the browser's one thread, so signals cannot hold them.

use crate::app::error::StartError;
use crate::app::open::file_drop::Dropped;
use crate::state::{App, AppStateStoreFields as _};
use crate::worker::client::Call;
use crate::worker::error::LinkError;
use crate::worker::page::{Events, FromWorker, Link, Program};
use crate::worker::protocol::{Found, Preparation, ToWorker};
use futures_channel::oneshot;
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, OptionFuture};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Browser objects of an open profile: its files and its link to the worker.
pub struct Handle {
    /// Its files, to be read again.
    pub files: Vec<Dropped>,
    /// Which profile in these files.
    pub found: Found,
}

#[derive(Default)]
struct Handles {
    /// Each with its number: a profile that slept has another worker than before.
    links: HashMap<u32, (u32, Link)>,
    n_links: u32,
    files: HashMap<u32, (Vec<Dropped>, Found)>,
    /// When a profile was shown or asked last, counted.
    used: HashMap<u32, u64>,
    n_uses: u64,
    imports: HashMap<u32, AbortHandle>,
    /// Profiles whose worker was asked to prepare answers, and for what.
    prepared: HashSet<(u32, Preparation)>,
    spare: Option<(Link, Events)>,
    /// Comes with a worker of the program of every format that was started before a file needs it.
    ahead: Option<oneshot::Receiver<(Link, Events)>>,
}

thread_local! {
    static HANDLES: RefCell<Handles> = RefCell::default();
}

/// Keeps the handle of a profile.
pub fn insert(id: u32, handle: Handle) {
    HANDLES.with_borrow_mut(|h| h.files.insert(id, (handle.files, handle.found)));
    touch(id);
}

/// Keeps the worker of a profile. Returns its number, which [`drop_dead_link`] takes.
pub fn insert_link(id: u32, link: Link) -> u32 {
    let (number, old) = HANDLES.with_borrow_mut(|h| {
        h.n_links += 1;
        (h.n_links, h.links.insert(id, (h.n_links, link)))
    });
    drop(old);
    number
}

/// Forgets a profile; its worker ends.
pub fn remove(id: u32) {
    drop_link(id);
    let gone = HANDLES.with_borrow_mut(|h| {
        h.used.remove(&id);
        h.files.remove(&id)
    });
    drop(gone);
}

/// Ends the worker of a profile; its files stay known.
pub fn drop_link(id: u32) {
    let gone = HANDLES.with_borrow_mut(|h| {
        h.prepared.retain(|(of, _)| *of != id);
        h.links.remove(&id)
    });
    drop(gone);
}

/// Removes a stopped worker. Returns `false` if the profile already has another one.
pub fn drop_dead_link(id: u32, number: u32) -> bool {
    let is_current = HANDLES.with_borrow(|h| h.links.get(&id).is_some_and(|(n, _)| *n == number));
    if is_current {
        drop_link(id);
    }
    is_current
}

/// Passes a question to the worker of a profile; returns it if there is none.
pub fn ask(id: u32, call: Call) -> Option<Call> {
    touch(id);
    HANDLES.with_borrow(|h| match h.links.get(&id) {
        Some((_, link)) => {
            link.ask(call);
            None
        }
        None => Some(call),
    })
}

/// A profile is shown or asked.
pub fn touch(id: u32) {
    HANDLES.with_borrow_mut(|h| {
        h.n_uses += 1;
        h.used.insert(id, h.n_uses);
    });
}

/// When a profile was used last, counted, and how many questions it has to answer.
pub fn use_of(id: u32) -> (u64, usize) {
    HANDLES.with_borrow(|h| (h.used.get(&id).copied().unwrap_or(0), h.links.get(&id).map_or(0, |(_, link)| link.n_pending())))
}

/// Asks the worker of a profile, once and while it is idle, to compute intermediate results of many answers and the first answers.
pub fn prepare_answers(id: u32, what: Preparation) -> Result<(), LinkError> {
    HANDLES.with_borrow_mut(|h| match h.links.get(&id) {
        Some((_, link)) if h.prepared.insert((id, what)) => link.send(&ToWorker::Prepare(what), &[]),
        _ => Ok(()),
    })
}

/// The files of a profile, and which profile in them it is.
pub fn files(id: u32) -> Option<(Vec<Dropped>, Found)> {
    HANDLES.with_borrow(|h| h.files.get(&id).cloned())
}

/// Remembers how to stop an import.
pub fn keep_abort(id: u32, handle: AbortHandle) {
    HANDLES.with_borrow_mut(|h| h.imports.insert(id, handle));
}

/// Keeps a worker that listens and has nothing to do, for the next one who needs one.
pub fn give_back(worker: (Link, Events)) {
    let second = HANDLES.with_borrow_mut(|h| if h.spare.is_none() { h.spare.replace(worker) } else { Some(worker) });
    drop(second);
}

/// The spare worker, if there is one and it still runs.
pub fn take_spare() -> Option<(Link, Events)> {
    running(HANDLES.with_borrow_mut(|h| h.spare.take())?)
}

/// The worker, unless it has stopped.
fn running((link, mut events): (Link, Events)) -> Option<(Link, Events)> {
    (!matches!(events.try_recv(), Ok(FromWorker::Died(_)))).then_some((link, events))
}

/// Stops an import, or forgets one that has ended.
pub fn abort(id: u32) {
    if let Some(handle) = HANDLES.with_borrow_mut(|h| h.imports.remove(&id)) {
        handle.abort();
    }
}

/// Starts a worker ahead of need: it brings the list of formats, and the first file need not wait for it, nor for its being slow at first.
pub async fn prepare(app: App) -> Result<(), StartError> {
    let worker = started(app, Program::Common).await?;
    worker.0.send(&ToWorker::WarmUp { n_readers: crate::app::open::budget::n_readers(app) }, &[])?;
    HANDLES.with_borrow_mut(|h| h.spare = Some(worker));
    Ok(())
}

/// A worker that listens.
pub async fn ready_worker(app: App) -> Result<(Link, Events), StartError> {
    match take_spare() {
        Some(worker) => Ok(worker),
        None => started(app, Program::Common).await,
    }
}

/// A worker of the program that can import the profile.
pub async fn worker_for(app: App, found: &Found) -> Result<(Link, Events), StartError> {
    match Program::of(found) {
        Program::Common => ready_worker(app).await,
        Program::Full => {
            let ahead = OptionFuture::from(HANDLES.with_borrow_mut(|h| h.ahead.take())).await;
            match ahead.and_then(Result::ok).and_then(running) {
                Some(worker) => Ok(worker),
                None => started(app, Program::Full).await,
            }
        }
    }
}

/// Starts the program of every format before a file needs it, and lets it compile what reads runs: together that takes longer than most runs.
/// Nothing where it has been started.
pub fn start_full_ahead(app: App) {
    if HANDLES.with_borrow(|h| h.ahead.is_some()) {
        return;
    }
    let (sender, ahead) = oneshot::channel();
    HANDLES.with_borrow_mut(|h| h.ahead = Some(ahead));
    spawn_local(async move {
        // Where it cannot be started, the file that needs it says so.
        let Ok(worker) = started(app, Program::Full).await else { return };
        if worker.0.send(&ToWorker::WarmUpForRuns, &[]).is_ok() {
            // Nobody may want it any more: then it ends here.
            let _ = sender.send(worker);
        }
    });
}

/// Ends that program: no file needs it.
pub fn end_full_ahead() {
    let ahead = HANDLES.with_borrow_mut(|h| h.ahead.take());
    drop(ahead);
}

/// A new worker of a program, which listens.
pub async fn started(app: App, program: Program) -> Result<(Link, Events), StartError> {
    let (link, mut events) = Link::start(program)?;
    match events.next().await {
        Some(FromWorker::Ready(formats)) => {
            if app.state.formats().with_untracked(|f| f.is_empty()) {
                app.state.formats().set(formats);
            }
            Ok((link, events))
        }
        Some(FromWorker::Died(sentence)) => Err(StartError::Died(sentence)),
        _ => Err(StartError::NotReady),
    }
}
