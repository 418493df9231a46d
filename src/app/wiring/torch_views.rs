//! The views of a PyTorch trace, joined to the state of the page.

use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::scope;
use crate::base::{SliceId, TimeRange};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::views::diff::{DiffView, Trace};
use crate::views::distributed::{DistributedView, Worker};
use crate::views::efficiency::EfficiencyView;
use crate::views::memory::MemoryView;
use crate::views::modules::ModulesView;
use crate::views::snapshot::SnapshotView;
use crate::views::steps::StepsView;
use leptos::prelude::*;

pub(in crate::app) fn memory(Front { app, profile, .. }: Front) -> AnyView {
    let on_range = Callback::new(move |range: Option<TimeRange>| actions::commit_range(app, range));
    view! { <MemoryView ask=profile.ask range=scope(app) on_range on_slice=to_slice(app) choices=app.view_state("memory") /> }.into_any()
}

pub(in crate::app) fn efficiency(Front { app, profile, .. }: Front) -> AnyView {
    view! { <EfficiencyView ask=profile.ask range=scope(app) on_slice=to_slice(app) choices=app.view_state("efficiency") /> }.into_any()
}

pub(in crate::app) fn steps(Front { app, profile, .. }: Front) -> AnyView {
    view! { <StepsView ask=profile.ask range=scope(app) on_slice=to_slice(app) choices=app.view_state("steps") /> }.into_any()
}

pub(in crate::app) fn modules(Front { app, profile, .. }: Front) -> AnyView {
    let ask = profile.ask.clone();
    let on_scope = Callback::new(move |(name, slice)| crate::app::wiring::navigation::scope_to_calls(app, ask.clone(), name, slice));
    view! { <ModulesView ask=profile.ask range=scope(app) on_slice=to_slice(app) on_scope choices=app.view_state("modules") /> }.into_any()
}

pub(in crate::app) fn distributed(Front { app, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |(id, slice): (u32, SliceId)| {
        actions::show_profile(app, id);
        actions::go_to_slice(app, slice);
    });
    view! { <DistributedView workers=workers(app) on_slice choices=app.view_state("distributed") /> }.into_any()
}

pub(in crate::app) fn snapshot(Front { app, profile, .. }: Front) -> AnyView {
    view! { <SnapshotView ask=profile.ask choices=app.view_state("snapshot") /> }.into_any()
}

pub(in crate::app) fn diff(Front { app, profile, .. }: Front) -> AnyView {
    view! { <DiffView traces=traces(app) front=profile.hash choices=app.view_state("diff") /> }.into_any()
}

fn to_slice(app: App) -> Callback<SliceId> {
    Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice))
}

/// The workers of the front profile's run at its span.
fn workers(app: App) -> Signal<Vec<Worker>> {
    Signal::derive(move || app.of_span().into_iter().map(worker).collect())
}

fn worker(profile: OpenProfile) -> Worker {
    let place = profile.place.as_ref();
    Worker {
        id: profile.id,
        worker: place.map_or_else(|| profile.title.clone(), |p| p.worker.clone()),
        span: place.and_then(|p| p.span).map(|s| s.to_string()).unwrap_or_default(),
        ask: profile.ask,
    }
}

/// Every open PyTorch trace that still answers.
fn traces(app: App) -> Signal<Vec<Trace>> {
    Signal::derive(move || {
        let all = app.state.profiles().get();
        all.into_iter()
            .filter(|p| p.stopped.is_none() && p.is_torch())
            .map(|p| Trace { label: label(app, &p), hash: p.hash, ask: p.ask })
            .collect()
    })
}

/// Run, worker and span; a profile alone in its run has its own title. Tracked.
fn label(app: App, profile: &OpenProfile) -> String {
    let is_alone = app.runs().iter().any(|r| r.profiles.len() == 1 && r.profiles[0].id == profile.id);
    let Some(place) = profile.place.as_ref().filter(|_| !is_alone) else { return profile.title.clone() };
    let span = place.span.map(|s| format!(" · span {s}")).unwrap_or_default();
    format!("{} · {}{span}", place.run, place.worker)
}
