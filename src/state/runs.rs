//! Open profiles grouped by run and by span.

use super::{App, AppStateStoreFields as _, OpenProfile};
use crate::base::Order as _;
use crate::base::titles::{self, Titled};
use crate::base::{Origin, TraceIdentity, trace_identity};
use leptos::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Open profiles of one run, by worker and span. A profile that belongs to no run is one of its own.
#[derive(Debug, Clone)]
pub struct Run {
    /// The directory's name, or the file's.
    pub name: String,
    /// At least one.
    pub profiles: Vec<OpenProfile>,
}

impl Run {
    /// Names of its workers, in order.
    pub fn workers(&self) -> Vec<String> {
        let mut out: Vec<String> = self.places().map(|p| p.worker.clone()).collect();
        out.dedup();
        out
    }

    /// Its spans, in order; `None` are files without a stamp.
    pub fn spans(&self) -> Vec<Option<u32>> {
        let mut out: Vec<Option<u32>> = self.places().map(|p| p.span).collect();
        out.order();
        out.dedup();
        out
    }

    fn places(&self) -> impl Iterator<Item = &TraceIdentity> {
        self.profiles.iter().filter_map(|p| p.place.as_ref())
    }

    /// "resnet50 · 4 workers"; a profile alone has its own title.
    pub fn title(&self) -> String {
        match (&self.profiles[..], self.workers().len(), self.spans().len()) {
            ([one], ..) => one.title.clone(),
            (_, 1, n_spans) => format!("{} · {n_spans} spans", self.name),
            (_, n_workers, _) => format!("{} · {n_workers} workers", self.name),
        }
    }

    /// The profile of that worker and span; else of that worker; else of that span.
    pub fn nearest(&self, worker: &str, span: Option<u32>) -> Option<&OpenProfile> {
        let is = |p: &&OpenProfile, by_worker: bool, by_span: bool| {
            p.place.as_ref().is_some_and(|p| (!by_worker || p.worker == worker) && (!by_span || p.span == span))
        };
        let find = |by_worker, by_span| self.profiles.iter().find(|p| is(p, by_worker, by_span));
        find(true, true).or_else(|| find(true, false)).or_else(|| find(false, true)).or(self.profiles.first())
    }
}

/// Sorts profiles into runs, in the order opened; within a run by worker and span.
pub fn runs_of(profiles: &[OpenProfile]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    let mut at: HashMap<&str, usize> = HashMap::new();
    for profile in profiles {
        let name = profile.place.as_ref().map(|p| p.run.as_str());
        match name.and_then(|name| at.get(name)) {
            Some(&i) => out[i].profiles.push(profile.clone()),
            None => {
                if let Some(name) = name {
                    at.insert(name, out.len());
                }
                out.push(Run { name: name.unwrap_or(&profile.title).into(), profiles: vec![profile.clone()] });
            }
        }
    }
    let order = |a: &OpenProfile, b: &OpenProfile| a.place.as_ref().zip(b.place.as_ref()).map_or(Ordering::Equal, |(a, b)| a.order(b));
    out.iter_mut().for_each(|run| run.profiles.order_by(order));
    out
}

impl App {
    /// Every run that is open. Tracked.
    pub fn runs(&self) -> Vec<Run> {
        self.state.profiles().with(|all| runs_of(all))
    }

    /// The profiles of the front one's run, by worker and span; the front one alone when it belongs to none. Tracked.
    pub fn of_run(&self) -> Vec<OpenProfile> {
        let front = self.state.front().get();
        let run = self.runs().into_iter().find(|run| run.profiles.iter().any(|p| Some(p.id) == front));
        run.map(|run| run.profiles).unwrap_or_default()
    }

    /// The profiles of the front one's run at its span: one for each worker. Tracked.
    pub fn of_span(&self) -> Vec<OpenProfile> {
        let front = self.state.front().get();
        let all = self.of_run();
        let span = all.iter().find(|p| Some(p.id) == front).map(|p| p.place.as_ref().and_then(|p| p.span));
        all.into_iter().filter(|p| Some(p.place.as_ref().and_then(|p| p.span)) == span).collect()
    }
}

/// Gives each open profile a title of its own.
pub(super) fn distinguish(all: &mut [OpenProfile]) {
    let titled: Vec<Titled<'_>> = all.iter().map(|p| Titled { title: &p.own_title, path: &p.path, hash: &p.hash }).collect();
    let titles = titles::distinguish(&titled);
    all.iter_mut().zip(titles).for_each(|(profile, title)| profile.title = title);
}

/// Files of a drop to be opened: their names give runs and spans before they are read.
pub fn expect_files(app: App, drop: u32, paths: impl Iterator<Item = String>) {
    app.state.origins().update(|all| {
        for path in paths {
            if !all.iter().any(|o| o.drop == drop && o.path == path) {
                all.push(Origin { drop, path, rank: None });
            }
        }
    });
}

/// Stores a file's rank and recomputes the identity of every open profile. Returns a sentence for each that has become the double of another:
/// files of one drop open in any order, so it may be one that was open before.
pub(super) fn place_all(app: App, drop: u32, path: &str, rank: Option<(u32, u32)>) -> Vec<String> {
    app.state.origins().update_untracked(|all| {
        if let Some(origin) = all.iter_mut().find(|o| o.drop == drop && o.path == path) {
            origin.rank = rank;
        }
    });
    let origins = app.state.origins().get_untracked();
    let places = trace_identity::places(&origins);
    let by_file: HashMap<(u32, &str), &TraceIdentity> = origins.iter().map(|o| (o.drop, o.path.as_str())).zip(&places).collect();
    let mut sentences = Vec::new();
    app.state.profiles().update(|all| {
        for p in all {
            let place = by_file.get(&(p.drop, p.path.as_str())).map(|&place| place.clone());
            let was_double = p.place.as_ref().is_some_and(|place| place.is_double);
            sentences.extend(place.as_ref().filter(|place| place.is_double && !was_double).map(|place| double(&p.path, place)));
            p.place = place;
        }
    });
    sentences
}

fn double(path: &str, place: &TraceIdentity) -> String {
    let span = place.span.map(|s| format!(" and span {s}")).unwrap_or_default();
    let worker = place.worker.rsplit_once(" (").map_or(place.worker.as_str(), |w| w.0);
    format!("Several files of `{}` belong to worker `{worker}`{span}. All are open; `{path}` is shown as `{}`.", place.run, place.worker)
}

/// Removes the files of drops without an open profile.
pub(super) fn forget_closed(app: App) {
    if app.state.imports().with_untracked(|i| i.is_empty()) {
        let open: Vec<u32> = app.state.profiles().with_untracked(|all| all.iter().map(|p| p.drop).collect());
        app.state.origins().update(|all| all.retain(|o| open.contains(&o.drop)));
    }
}
