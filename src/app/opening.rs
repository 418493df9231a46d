//! Opens what the user gave: one worker per profile, tabs for those that succeed, a sentence for those that do not.

use super::gather::Dropped;
use super::handles::{self, Handle};
use crate::base::text;
use crate::state::{App, AppStateStoreFields as _, Kept, OpenProfile, actions, runs, url::UrlState};
use crate::worker::client::Ask;
use crate::worker::page::{Events, FromWorker, Link};
use crate::worker::protocol::{Answer, Claim, HotColumns, Opened, Query, ToWorker};
use futures_util::StreamExt;
use futures_util::future::abortable;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;
use web_sys::File;

/// Starts to open files; returns at once.
pub fn open(app: App, files: Vec<Dropped>) {
    if files.is_empty() {
        return;
    }
    let name = if files.len() == 1 { files[0].name.clone() } else { format!("{} files", files.len()) };
    let total = files.iter().map(|f| f.file.size() as u64).sum();
    let id = actions::import_begins(app, name, total, now_ms());
    let drop = actions::new_id(app);
    run(app, id, async move {
        if let Err(sentence) = open_drop(app, id, drop, &files).await {
            actions::notify(app, with_name(&sentence, &files), true);
        }
    });
}

/// Stops an import at once: its worker is terminated.
pub fn cancel(app: App, id: u32) {
    handles::abort(id);
    actions::import_ends(app, id);
}

/// Closes a tab and returns its memory.
pub fn close(app: App, id: u32) {
    actions::close_profile(app, id);
    handles::remove(id);
}

/// Opens the files of a tab again, whose worker is gone.
pub fn reopen(app: App, id: u32) {
    let files = handles::files(id);
    close(app, id);
    open(app, files);
}

/// Runs an import that `cancel` can stop.
fn run(app: App, id: u32, task: impl Future<Output = ()> + 'static) {
    let (task, abort) = abortable(task);
    handles::keep_abort(id, abort);
    spawn_local(async move {
        // An aborted task has been ended by `cancel`.
        if task.await.is_ok() {
            actions::import_ends(app, id);
        }
        handles::abort(id);
    });
}

/// A sentence that says which file it is about.
fn with_name(sentence: &str, files: &[Dropped]) -> String {
    match files {
        [one] if !sentence.contains(file_name(&one.name)) => format!("`{}`: {sentence}", one.name),
        _ => sentence.to_string(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Milliseconds of the page's clock.
pub fn now_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

async fn open_drop(app: App, id: u32, drop: u32, files: &[Dropped]) -> Result<(), String> {
    let (link, mut events) = handles::ready_worker(app).await?;
    let (claims, unclaimed) = inspect(&link, &mut events, files).await?;
    if !unclaimed.is_empty() {
        let names = unclaimed.iter().take(5).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        let more = if unclaimed.len() > 5 { format!(" and {} more", unclaimed.len() - 5) } else { String::new() };
        actions::notify(app, format!("No profile was recognised in {names}{more}; the rest of what you gave was opened."), false);
    }
    if let Some(joined) = join_neff(app, &claims, files) {
        let (claims, _) = inspect(&link, &mut events, &joined.files).await?;
        let claim = claims.into_iter().next().ok_or("The files together hold no profile.")?;
        let place = Target { drop, replaces: Some(joined.replaces) };
        return open_claim(app, id, (link, events), claim, joined.files, place).await;
    }
    expect_files(app, drop, &claims, files);
    let target = Target { drop, replaces: None };
    let mut claims = claims.into_iter();
    let first = claims.next().ok_or("No profile was found.")?;
    for claim in claims {
        open_beside(app, claim, files.to_vec(), target);
    }
    open_claim(app, id, (link, events), first, files.to_vec(), target).await
}

/// Where an opened profile goes.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// The drop it came with.
    drop: u32,
    /// The tab that it takes the place of.
    replaces: Option<u32>,
}

/// Formats whose files have workers and spans.
const WITH_WORKERS: [&str; 1] = ["kineto"];

fn expect_files(app: App, drop: u32, claims: &[Claim], files: &[Dropped]) {
    let traces = claims.iter().filter(|c| WITH_WORKERS.contains(&c.format.as_str()));
    let paths = traces.filter_map(|c| files.get(*c.members.first()?)).map(|f| f.name.clone());
    runs::expect_files(app, drop, paths);
}

async fn inspect(link: &Link, events: &mut Events, files: &[Dropped]) -> Result<(Vec<Claim>, Vec<String>), String> {
    let names = files.iter().map(|f| f.name.clone()).collect();
    link.send(&ToWorker::Inspect { names }, &raw(files))?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Inspected(claims, unclaimed) => return Ok((claims, unclaimed)),
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(sentence),
            _ => {}
        }
    }
    Err("The worker stopped.".into())
}

fn raw(files: &[Dropped]) -> Vec<File> {
    files.iter().map(|f| f.file.clone()).collect()
}

/// A NEFF that came after its NTFF.
struct Joined {
    files: Vec<Dropped>,
    replaces: u32,
}

fn join_neff(app: App, claims: &[Claim], files: &[Dropped]) -> Option<Joined> {
    let [claim] = claims else {
        return None;
    };
    if claim.format != "neff" {
        return None;
    }
    let front = app.state.front().get_untracked();
    let profiles = app.state.profiles().get_untracked();
    let mut candidates: Vec<&OpenProfile> = profiles.iter().filter(|p| p.format == "ntff").collect();
    candidates.sort_by_key(|p| Some(p.id) != front);
    let id = candidates.first()?.id;
    let mut joined = handles::files(id);
    joined.retain(|f| !f.name.ends_with(".neff"));
    joined.extend(files.iter().cloned());
    Some(Joined { files: joined, replaces: id })
}

/// Opens a further claim of a drop with a worker of its own.
fn open_beside(app: App, claim: Claim, files: Vec<Dropped>, target: Target) {
    let members = claim.members.iter().filter_map(|&m| files.get(m));
    let total = members.clone().map(|f| f.file.size() as u64).sum();
    let name = members.clone().next().map_or(String::new(), |f| f.name.clone());
    let id = actions::import_begins(app, name, total, now_ms());
    run(app, id, async move {
        let opened = match handles::ready_worker(app).await {
            Ok(worker) => open_claim(app, id, worker, claim, files, target).await,
            Err(sentence) => Err(sentence),
        };
        if let Err(sentence) = opened {
            actions::notify(app, sentence, true);
        }
    });
}

async fn open_claim(app: App, id: u32, worker: (Link, Events), claim: Claim, files: Vec<Dropped>, target: Target) -> Result<(), String> {
    let name = claim.members.first().and_then(|&m| files.get(m)).map(|f| f.name.clone()).unwrap_or_default();
    let named = |sentence: String| if sentence.contains(file_name(&name)) { sentence } else { format!("`{name}`: {sentence}") };
    let (link, mut events) = handles::able_worker(app, worker, &claim.format).await?;
    let names = files.iter().map(|f| f.name.clone()).collect();
    let members = claim.members.iter().filter_map(|&m| files.get(m).cloned()).collect();
    link.send(&ToWorker::Open { claim, names }, &raw(&files)).map_err(&named)?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Hashed(hash) => {
                let known =
                    app.state.profiles().with_untracked(|all| all.iter().find(|p| p.hash == hash && p.stopped.is_none()).map(|p| p.id));
                if let Some(known) = known {
                    actions::show_profile(app, known);
                    return Ok(());
                }
            }
            FromWorker::Progress(progress) => actions::import_goes_on(app, id, progress),
            FromWorker::Opened(opened, hot) => {
                if let Some(old) = target.replaces {
                    close(app, old);
                }
                show(app, Handle { link, files: members }, events, (*opened, *hot), (target.drop, name));
                return Ok(());
            }
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(named(sentence)),
            FromWorker::Ready(_) | FromWorker::Inspected(..) => {}
        }
    }
    Err(named("The worker stopped.".into()))
}

/// Makes a tab of an opened profile.
fn show(app: App, handle: Handle, mut events: Events, (opened, hot): (Opened, HotColumns), (drop, path): (u32, String)) {
    let id = actions::new_id(app);
    let (ask, calls) = Ask::channel();
    handle.link.serve(calls);
    handles::insert(id, handle);
    let title = if hot.info.meta.title.is_empty() { text::middle_ellipsis(&opened.claim.format, 40) } else { hot.info.meta.title.clone() };
    let wanted = app.state.wanted().get_untracked().filter(|w| w.hash == opened.hash);
    let profile = OpenProfile {
        id,
        title,
        hash: opened.hash,
        format: opened.claim.format,
        drop,
        path,
        place: None,
        ask: ask.clone(),
        hot: Arc::new(hot),
        ledger: Arc::new(opened.ledger),
        memory: opened.memory,
        stopped: None,
        kept: Kept::default(),
    };
    super::link::remember(app, &profile);
    actions::add_profile(app, profile, opened.rank);
    if let Some(wanted) = wanted {
        app.state.wanted().set(None);
        follow(app, ask, wanted);
    }
    spawn_local(async move {
        while let Some(event) = events.next().await {
            if let FromWorker::Died(sentence) | FromWorker::Failed(sentence) = event {
                handles::drop_link(id);
                actions::profile_stopped(app, id, sentence);
            }
        }
    });
}

/// Shows what a link says of the profile in front.
pub fn follow(app: App, ask: Ask, wanted: UrlState) {
    if !wanted.view.is_empty() {
        actions::show_view(app, &wanted.view);
    }
    app.choices.set(wanted.choices);
    app.range.set(wanted.range);
    app.state.is_selected_scope().set(wanted.is_selected_scope && wanted.range.is_some());
    app.window.set(wanted.window);
    if !wanted.search.is_empty() {
        app.state.search().update(|s| s.text = wanted.search.clone());
    }
    let Some((track, start, name)) = wanted.selection else {
        return;
    };
    spawn_local(async move {
        if let Ok(Answer::Find(Some(slice))) = ask.ask(Query::Find(track, start, name)).await {
            app.selection.set(Some(slice));
            app.state.is_details_open().set(true);
            if wanted.window.is_none() {
                app.reveal.set(Some(slice));
            }
        }
    });
}
