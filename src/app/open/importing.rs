//! A worker that imports one profile.

use crate::app::error::OpenError;
use crate::app::open::budget;
use crate::app::open::file_drop::{Dropped, raw};
use crate::app::workers::worker_registry;
use crate::state::App;
use crate::worker::page::{Events, FromWorker, Link};
use crate::worker::protocol::{Found, Occasion, ToWorker};
use futures_util::StreamExt;

/// Starts a worker that imports a profile.
pub(in crate::app) async fn begin(app: App, found: &Found, files: &[Dropped], occasion: Occasion) -> Result<(Link, Events), OpenError> {
    let worker = worker_registry::worker_for(app, found).await?;
    let names = files.iter().map(|f| f.name.clone()).collect();
    let (claim, paths) = (found.claim.clone(), found.paths.clone());
    let (learned, n_readers) = (crate::app::workers::learned_opcodes::names(), budget::n_readers(app));
    worker.0.send(&ToWorker::Open { claim, paths, names, occasion, learned, n_readers }, &raw(files))?;
    Ok(worker)
}

/// Imports a profile again that is open, without a tab of its own. Returns its worker, and the memory of that in bytes.
pub(in crate::app) async fn import_again(
    app: App,
    (files, found): (Vec<Dropped>, Found),
    hash: &str,
) -> Result<(Link, Events, u64), OpenError> {
    let (link, mut events) = begin(app, &found, &files, Occasion::Again).await?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Opened(opened, _) if opened.hash == hash => return Ok((link, events, opened.memory)),
            FromWorker::Opened(..) => return Err(OpenError::Changed),
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(OpenError::Worker(sentence)),
            FromWorker::Ready(_)
            | FromWorker::Inspected(..)
            | FromWorker::Hashed(_)
            | FromWorker::Progress(_)
            | FromWorker::Written(_)
            | FromWorker::Unpacked(..) => {}
        }
    }
    Err(OpenError::Stopped)
}
