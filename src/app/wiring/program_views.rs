//! Summary, layers, programs and roofline of a Neuron device, joined to the timeline.

use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::scope;
use crate::base::{SliceId, TimeRange};
use crate::state::{App, actions, region_scope, slice_set};
use crate::views::bounds::{BoundsView, RegionWindowsQuery};
use crate::views::layers::LayersView;
use crate::views::program::ProgramView;
use crate::views::roofline::RooflineView;
use crate::views::summary::SummaryView;
use crate::worker::protocol::ScopeQuery;
use leptos::prelude::*;
use leptos::task::spawn_local;

pub(in crate::app) fn summary(Front { app, profile, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice));
    let on_region = Callback::new(move |range: Option<TimeRange>| actions::commit_range(app, range));
    let (range, regions) = (scope(app), regions(app));
    view! { <SummaryView ask=profile.ask range regions on_region on_slice choices=app.view_state("summary") /> }.into_any()
}

/// The regions that the user has marked, by name.
fn regions(app: App) -> Signal<Vec<(String, TimeRange)>> {
    let named = move || {
        let region = |a: &crate::state::annotations::Annotation| (a.name.clone(), a.range());
        app.annotations.with(|book| book.current.items.iter().filter(|a| a.is_region()).map(region).collect())
    };
    Memo::new(move |_| named()).into()
}

/// Shows slices in the timeline and selects the first one.
fn to_slices(app: App) -> Callback<Vec<SliceId>> {
    Callback::new(move |slices: Vec<SliceId>| {
        let first = slices.first().copied();
        slice_set::mark(app, "Selection".into(), slices);
        actions::show_view(app, "timeline");
        actions::select_and_reveal(app, first);
    })
}

pub(in crate::app) fn bounds(Front { app, profile, .. }: Front) -> AnyView {
    let selection = Signal::derive(move || app.selection.get().and_then(|item| item.slice()));
    let on_range = Callback::new(move |range: Option<TimeRange>| actions::commit_range(app, range));
    let (range, named, on_slices) = (scope(app), regions(app), to_slices(app));
    let ask = profile.ask.clone();
    let on_region = Callback::new(move |query: RegionWindowsQuery| {
        let ask = ask.clone();
        spawn_local(async move {
            let name = query.name.clone();
            match ask.ask(query).await {
                Ok(windows) => region_scope::use_region(app, name, ScopeQuery { windows, ..ScopeQuery::default() }, Vec::new()),
                Err(error) => actions::notify(app, error.to_string(), true),
            }
        });
    });
    view! { <BoundsView ask=profile.ask range selection named on_slices on_range on_region choices=app.view_state("bounds") /> }.into_any()
}

pub(in crate::app) fn layers(Front { app, profile, .. }: Front) -> AnyView {
    let on_slices = to_slices(app);
    view! { <LayersView ask=profile.ask range=scope(app) on_slices choices=app.view_state("layers") /> }.into_any()
}

pub(in crate::app) fn program(Front { app, profile, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice));
    let others = crate::app::wiring::device_views::other_programs(app, &profile);
    view! { <ProgramView ask=profile.ask on_slice slice=app.selected_slice() others choices=app.view_state("program") /> }.into_any()
}

pub(in crate::app) fn roofline(Front { app, profile, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice));
    view! { <RooflineView ask=profile.ask range=scope(app) regions=regions(app) on_slice choices=app.view_state("roofline") /> }.into_any()
}
