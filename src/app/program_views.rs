//! Layers and roofline of a Neuron device, joined to the timeline.

use super::time_views::scope;
use crate::base::SliceId;
use crate::state::{App, OpenProfile, actions};
use crate::views::layers::LayersView;
use crate::views::roofline::RooflineView;
use leptos::prelude::*;

pub(super) fn layers(app: App, profile: OpenProfile) -> AnyView {
    let on_slices = Callback::new(move |slices: Vec<SliceId>| {
        let first = slices.first().copied();
        actions::set_highlights(app, slices);
        actions::show_view(app, "timeline");
        app.selection.set(first);
        app.reveal.set(first);
    });
    view! { <LayersView ask=profile.ask range=scope(app) on_slices choices=app.view_state("layers") /> }.into_any()
}

pub(super) fn roofline(app: App, profile: OpenProfile) -> AnyView {
    let on_slice = Callback::new(move |slice: SliceId| actions::go_to_slice(app, slice));
    view! { <RooflineView ask=profile.ask range=scope(app) on_slice choices=app.view_state("roofline") /> }.into_any()
}
