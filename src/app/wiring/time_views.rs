//! Overview, kernels and operators, joined to the timeline.

use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::{go, scope};
use crate::base::SliceId;
use crate::state::{App, OpenProfile, actions, slice_set};
use crate::views::advice::AdviceView;
use crate::views::gaps::GapsView;
use crate::views::kernels::KernelsView;
use crate::views::operators::torch::TorchOperatorsView;
use crate::views::overview::OverviewView;
use leptos::prelude::*;

pub(in crate::app) fn overview(Front { app, profile, .. }: Front) -> AnyView {
    let on_place = Callback::new(move |place| go(app, place));
    view! { <OverviewView ask=profile.ask range=scope(app) on_place choices=app.view_state("overview") /> }.into_any()
}

pub(in crate::app) fn gaps(Front { app, profile, .. }: Front) -> AnyView {
    let on_place = Callback::new(move |place| go(app, place));
    view! { <GapsView ask=profile.ask range=scope(app) on_place /> }.into_any()
}

pub(in crate::app) fn advice(Front { app, profile, .. }: Front) -> AnyView {
    let on_place = Callback::new(move |place| go(app, place));
    view! { <AdviceView ask=profile.ask on_place /> }.into_any()
}

pub(in crate::app) fn kernels(Front { app, profile, .. }: Front) -> AnyView {
    let (on_slice, on_slices, on_mark) = ways(app);
    view! { <KernelsView ask=profile.ask range=scope(app) on_slice on_slices on_mark choices=app.view_state("kernels") /> }.into_any()
}

pub(in crate::app) fn operators(app: App, profile: OpenProfile, on_row: Callback<(String, String)>) -> AnyView {
    let (on_slice, on_slices, on_mark) = ways(app);
    view! { <TorchOperatorsView ask=profile.ask range=scope(app) on_row on_slice on_slices on_mark choices=app.view_state("operators") /> }
        .into_any()
}

type SliceActions = (Callback<SliceId>, Callback<Vec<SliceId>>, Callback<(SliceId, Vec<SliceId>)>);

/// To one slice, to many, and only marking some.
fn ways(app: App) -> SliceActions {
    let to_one = Callback::new(move |slice| actions::go_to_slice(app, slice));
    let to_many = Callback::new(move |slices: Vec<SliceId>| {
        let first = slices.first().copied();
        slice_set::mark(app, "Selection".into(), slices);
        actions::show_view(app, "timeline");
        actions::select_and_reveal(app, first);
    });
    let mark = Callback::new(move |(slice, slices): (SliceId, Vec<SliceId>)| {
        actions::set_highlights(app, slices);
        app.selection.set(Some(slice.into()));
    });
    (to_one, to_many, mark)
}
