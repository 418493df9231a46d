//! Tensors and comparisons of device profiles, joined to the state of the page.

use crate::app::wiring::compared::{Compared, Timelines};
use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::show_occurrences;
use crate::base::{SliceId, TimeNs, TimeRange};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::views::compare::system::SystemCompareView;
use crate::views::compare::{CompareView, Device};
use crate::views::details::merged::MergedTransfers;
use crate::views::ledger::agreement::agreements as agreements_of;
use crate::views::other_profile::OtherProfile;
use crate::views::tensors::TensorsView;
use crate::views::timeline::rows::choices::Settings;
use crate::views::variants::{Profile, VariantsView};
use crate::worker::protocol::{Details, Meta, ProfileKind};
use leptos::prelude::*;

pub(in crate::app) fn tensors(Front { app, profile, .. }: Front) -> AnyView {
    let ask = profile.ask.clone();
    let on_tensor = Callback::new(move |name: String| show_occurrences(app, ask.clone(), "variable".into(), name));
    let on_range = Callback::new(move |range: TimeRange| {
        let room = range.duration().0 / 10;
        let (start, end) = (range.start.0.saturating_sub(room), range.end.0.saturating_add(room));
        actions::show_view(app, "timeline");
        app.window.set(Some(TimeRange::new(TimeNs(start), TimeNs(end))));
        actions::commit_range(app, Some(range));
    });
    let whole = profile.columns.range();
    let on_slice = Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice));
    view! { <TensorsView ask=profile.ask on_tensor on_slice on_range whole choices=app.view_state("tensors") /> }.into_any()
}

/// What is merged in the bar of the selected DMA transfer, at the head of its details.
pub(in crate::app) fn merged(app: App, details: RwSignal<Option<Details>>, on_go: Callback<SliceId>) -> Option<AnyView> {
    let profile = app.front_untracked().filter(OpenProfile::is_device)?;
    let slice = details.with_untracked(|d| d.as_ref()?.item.slice())?;
    let settings = Settings::of(app.view_state("timeline"));
    let query = Signal::derive(move || settings.dma());
    Some(view! { <MergedTransfers ask=profile.ask slice query on_go /> }.into_any())
}

/// How the instructions of a profile agree with those of every other open file of the same run, a sentence for each.
pub(in crate::app) fn agreements(app: App, profile: &OpenProfile) -> Signal<Vec<String>> {
    agreements_of(profile.ask.clone(), other_devices(app, profile))
}

/// Every other open device profile that still answers; none beside a profile of another kind.
pub(in crate::app) fn other_devices(app: App, profile: &OpenProfile) -> Signal<Vec<OtherProfile>> {
    let (id, is_one) = (profile.id, profile.is_device());
    Signal::derive(move || {
        let all = app.state.profiles().get();
        let open = all.into_iter().filter(|p| is_one && p.id != id && p.stopped.is_none() && p.is_device());
        open.map(|p| OtherProfile { title: p.title.clone(), hash: p.hash, ask: p.ask }).collect()
    })
}

/// Every other open profile with programs that still answers.
pub(in crate::app) fn other_programs(app: App, profile: &OpenProfile) -> Signal<Vec<OtherProfile>> {
    let id = profile.id;
    Signal::derive(move || {
        let all = app.state.profiles().get();
        let has_programs = |p: &OpenProfile| p.columns.info.views.iter().any(|v| v == "program");
        let open = all.into_iter().filter(|p| p.id != id && p.stopped.is_none() && has_programs(p));
        open.map(|p| OtherProfile { title: p.title.clone(), hash: p.hash, ask: p.ask }).collect()
    })
}

/// Every open device profile that still answers; beside a system profile every open system profile.
pub(in crate::app) fn compare(Front { app, profile, .. }: Front) -> AnyView {
    let kind = profile.columns.info.kind;
    let devices = Signal::derive(move || {
        let all = app.state.profiles().get();
        let open = all.into_iter().filter(|p| p.stopped.is_none() && p.columns.info.kind == kind);
        open.map(|p| Device { label: p.title.clone(), hash: p.hash, ask: p.ask }).collect()
    });
    if kind == ProfileKind::NeuronSystem {
        return view! { <SystemCompareView profiles=devices choices=app.view_state("compare") /> }.into_any();
    }
    let compared = Compared::new(app, |p| p.stopped.is_none() && p.is_device());
    let on_name = Callback::new(move |(by, name): (String, String)| compared.line_up(app, by, name));
    let above = ViewFn::from(move || view! { <Timelines compared /> });
    view! { <CompareView devices above on_name choices=app.view_state("compare") /> }.into_any()
}

/// A row for each open profile of the same kind as the one in front, if its worker runs.
pub(in crate::app) fn variants(Front { app, profile, .. }: Front) -> AnyView {
    let kind = profile.columns.info.kind;
    let profiles = Signal::derive(move || {
        let all = app.state.profiles().get();
        let open = all.into_iter().filter(|p| p.stopped.is_none() && p.columns.info.kind == kind && has_variants(p));
        open.map(|p| Profile { label: p.title.clone(), hash: p.hash, ask: p.ask }).collect()
    });
    view! { <VariantsView profiles choices=app.view_state("variants") /> }.into_any()
}

/// Whether a profile has values for a table of profiles; a program without a run has none.
pub(in crate::app) fn has_variants(profile: &OpenProfile) -> bool {
    profile.columns.info.views.iter().any(|v| v == "variants")
}

/// Rows that a profile gives to the table of profiles: a drop of many summaries is one profile.
pub(in crate::app) fn n_variants(meta: &Meta) -> usize {
    meta.facts.iter().find(|f| f.name == "Summaries").and_then(|f| f.value.parse().ok()).unwrap_or(1)
}
