//! Overview, kernels and operators, joined to the timeline.

use crate::app::wiring::views::Front;
use crate::base::{SliceId, TimeRange};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions, slice_set};
use crate::views::advice::AdviceView;
use crate::views::gaps::GapsView;
use crate::views::kernels::KernelsView;
use crate::views::operators::torch::TorchOperatorsView;
use crate::views::overview::{OverviewView, TimelineTarget};
use leptos::prelude::*;

/// The scope of every view: the selected range; `None` is the entire trace.
pub(in crate::app) fn scope(app: App) -> Signal<Option<TimeRange>> {
    app.range.into()
}

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

/// Shows a place in the timeline: the range with a little room on both sides, the slice selected.
pub(in crate::app) fn go(app: App, (range, slice): TimelineTarget) {
    let room = range.duration().0 / 10;
    let (start, end) = (range.start.0.saturating_sub(room), range.end.0.saturating_add(room));
    actions::show_view(app, "timeline");
    app.window.set(Some(TimeRange::new(crate::base::TimeNs(start), crate::base::TimeNs(end))));
    actions::commit_range(app, Some(range));
    if slice.is_some() {
        app.selection.set(slice.map(Into::into));
        app.state.is_details_open().set(true);
    }
}
