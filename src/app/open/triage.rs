//! Sorts dropped files into profiles, and finds those that complete an open profile.

use crate::app::error::OpenError;
use crate::app::open::file_drop::{Dropped, raw};
use crate::app::workers::worker_registry;
use crate::state::{App, AppStateStoreFields as _, actions};
use crate::worker::page::{Events, FromWorker, Link};
use crate::worker::protocol::{Found, Inspection, ToWorker};
use futures_util::StreamExt;
use leptos::prelude::*;

/// Where an opened profile goes.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Target {
    /// The drop it came with.
    pub drop: u32,
    /// The tab that it takes the place of.
    pub replaces: Option<u32>,
}

/// A profile to be read: what was found, the files of the drop, where it goes.
pub(in crate::app) type Sorted = (Found, Vec<Dropped>, Target);

/// Sorts what was given into profiles to be read.
pub(in crate::app) async fn sort(app: App, drop: u32, files: &[Dropped]) -> Result<Vec<Sorted>, OpenError> {
    let (link, mut events) = worker_registry::ready_worker(app).await?;
    let mut inspection = inspect(&link, &mut events, files).await?;
    let mut todo = Vec::new();
    let mut joined = join_neff(app, &link, &mut events, (&inspection, files)).await?;
    let captures = join_captures(app, &link, &mut events, (&inspection, files)).await?;
    if !captures.is_empty() {
        inspection.unclaimed.retain(|name| !name.ends_with(CAPTURE_LIST));
    }
    notify_unclaimed(app, &inspection);
    let is_of_run = |found: &Found| {
        let Some(own) = found.paths.first().filter(|_| found.is_capture()) else { return false };
        captures.iter().any(|(run, ..)| run.capture_path(own).is_some_and(|path| run.paths.contains(&path)))
    };
    for found in inspection.found {
        let is_program = found.claim.format == "neff" && joined.iter().any(|(f, ..)| f.paths.get(1) == found.paths.first());
        if !is_program && !is_of_run(&found) {
            todo.push((found, files.to_vec(), Target { drop, replaces: None }));
        }
    }
    joined.extend(captures);
    todo.extend(joined.into_iter().map(|(found, files, replaces)| (found, files, Target { drop, replaces: Some(replaces) })));
    worker_registry::give_back((link, events));
    Ok(todo)
}

fn notify_unclaimed(app: App, inspection: &Inspection) {
    let unclaimed = &inspection.unclaimed;
    if !unclaimed.is_empty() {
        let names = unclaimed.iter().take(5).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        let more = if unclaimed.len() > 5 { format!(" and {} more", unclaimed.len() - 5) } else { String::new() };
        actions::notify_of_drop(app, format!("No profile was recognised in {names}{more}; the other files were opened."), false);
    }
    if !inspection.notes.is_empty() {
        actions::notify_of_drop(app, inspection.notes.join(" "), true);
    }
}

/// What the files hold; a worker reads their heads.
pub(in crate::app) async fn inspect(link: &Link, events: &mut Events, files: &[Dropped]) -> Result<Inspection, OpenError> {
    let names = files.iter().map(|f| f.name.clone()).collect();
    link.send(&ToWorker::Inspect { names }, &raw(files))?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Inspected(inspection) => return Ok(inspection),
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(OpenError::Worker(sentence)),
            _ => {}
        }
    }
    Err(OpenError::Stopped)
}

/// Traces that are open and get the NEFF that came after them: each with its files and the tab that it takes the place of.
async fn join_neff(
    app: App,
    link: &Link,
    events: &mut Events,
    (inspection, files): (&Inspection, &[Dropped]),
) -> Result<Vec<(Found, Vec<Dropped>, u32)>, OpenError> {
    let is_neff = |f: &Found| f.claim.format == "neff";
    let open: Vec<u32> = app.state.profiles().with_untracked(|all| all.iter().filter(|p| p.format == "ntff").map(|p| p.id).collect());
    if open.is_empty() || !inspection.found.iter().any(is_neff) {
        return Ok(Vec::new());
    }
    let mut union: Vec<Dropped> = Vec::new();
    // Main file and its path, by tab.
    let mut mains: Vec<(usize, String, u32)> = Vec::new();
    for id in open {
        let Some((own, found)) = worker_registry::files(id) else {
            continue;
        };
        mains.push((union.len(), found.paths.first().cloned().unwrap_or_default(), id));
        // A NEFF that the profile already had is replaced.
        union.extend(own.into_iter().enumerate().filter(|(i, f)| *i == 0 || !f.name.ends_with(".neff")).map(|(_, f)| f));
    }
    union.extend(inspection.found.iter().filter(|f| is_neff(f)).flat_map(|f| &f.files).filter_map(|&i| files.get(i).cloned()));
    let inspection = inspect(link, events, &union).await?;
    if inspection.found.iter().any(|f| f.is_misfit()) {
        actions::notify_of_drop(
            app,
            "The NEFF belongs to another model than the open trace, so it opens as a separate profile.".into(),
            false,
        );
    }
    let pairs = inspection.found.into_iter().filter(|f| f.claim.format == "ntff" && f.paths.len() > 1 && !f.is_misfit());
    let replaces = |f: &Found| mains.iter().find(|m| f.files.first() == Some(&m.0) && f.paths.first() == Some(&m.1)).map(|m| m.2);
    Ok(pairs.filter_map(|f| replaces(&f).map(|id| (f, union.clone(), id))).collect())
}

/// What vLLM calls the list of its capture traces; it joins the run with them.
const CAPTURE_LIST: &str = "execution_details.json";
/// Open runs that a capture trace is tried with.
const RUNS_MAX: usize = 16;

/// Runs that are open and get the traces of their graphs' captures, which came after them: by rank; each with its files and the tab that it takes the
/// place of. A capture trace in an archive stays alone.
async fn join_captures(
    app: App,
    link: &Link,
    events: &mut Events,
    (inspection, files): (&Inspection, &[Dropped]),
) -> Result<Vec<(Found, Vec<Dropped>, u32)>, OpenError> {
    let is_capture = |file: &Dropped| inspection.found.iter().any(|f| f.is_capture() && f.paths.first() == Some(&file.name));
    let is_list = |file: &Dropped| file.name.rsplit('/').next() == Some(CAPTURE_LIST);
    if !files.iter().any(is_capture) {
        return Ok(Vec::new());
    }
    let open: Vec<u32> = app.state.profiles().with_untracked(|all| all.iter().filter(|p| p.format == "kineto").map(|p| p.id).collect());
    let mut out = Vec::new();
    for id in open.into_iter().take(RUNS_MAX) {
        let Some((own, run)) = worker_registry::files(id) else { continue };
        let Some(main) = run.paths.first().filter(|main| own.iter().any(|f| f.name == **main)) else { continue };
        let placed = |file: &Dropped| Some(Dropped { name: run.capture_path(&file.name)?, file: file.file.clone() });
        let captures: Vec<Dropped> = files.iter().filter(|f| is_capture(f) || is_list(f)).filter_map(placed).collect();
        if captures.is_empty() {
            continue;
        }
        // Those of its own files that the run is read from; a capture of the same name makes room.
        let is_needed = |file: &&Dropped| run.paths.contains(&file.name) && !captures.iter().any(|c| c.name == file.name);
        let mut union: Vec<Dropped> = own.iter().filter(is_needed).cloned().collect();
        union.extend(captures);
        let found = inspect(link, events, &union).await?.found;
        let is_joined = |f: &Found| f.paths.first() == Some(main) && f.paths.len() > 1 && f.paths != run.paths;
        if let Some(found) = found.into_iter().find(is_joined) {
            out.push((found, union, id));
        }
    }
    Ok(out)
}
