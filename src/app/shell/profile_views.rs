//! Views of any profile: the timeline with what is below it, operators, tables, ledger, profile.

use crate::app::shell::hover_card::glance;
use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::{scope, show_occurrences, show_occurrences_in};
use crate::app::wiring::stacked::{StackBar, StackedTimeline};
use crate::app::wiring::time_views;
use crate::base::{Ledger, SliceId};
use crate::state::annotations::text::Of;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::views::annotations::AnnotationsPanel;
use crate::views::ledger::LedgerView;
use crate::views::operators::{OperatorsView, sums::RangeSums};
use crate::views::profile::ProfileView;
use crate::views::tables::TablesView;
use crate::views::timeline::Timeline;
use crate::views::timeline::flows::in_window::FlowChoice;
use crate::views::timeline::legend::{DURATION, DurationLegend, Legend};
use crate::views::timeline::marking::Marking;
use crate::views::timeline::rows::choices::Settings;
use crate::views::timeline::rows::dma;
use crate::views::timeline::rows::{in_view, logical, name_rows};
use crate::worker::client::Ask;
use crate::worker::protocol::{Details, Within};
use leptos::prelude::*;

/// The ledger.
pub(in crate::app) fn ledger(front: Front) -> AnyView {
    let Front { app, profile, .. } = front;
    let (ledger, checks) = (Ledger::clone(&profile.ledger), crate::app::wiring::device_views::agreements(app, &profile));
    let below = ViewFn::from(move || profile.is_device().then(|| crate::app::workers::learned_opcodes::words(app, &profile)));
    view! { <LedgerView ledger=Signal::stored(ledger) checks below /> }.into_any()
}

/// Metadata of the file, and the missing views.
pub(in crate::app) fn profile(front: Front) -> AnyView {
    view! { <ProfileView columns=front.columns views=front.missing /> }.into_any()
}

/// The timeline as a view.
pub(in crate::app) fn timeline(front: Front) -> AnyView {
    let rows = rows(front);
    view! { <h1 class="visually-hidden">"Timeline"</h1>{rows} }.into_any()
}

/// The rows of the timeline with what is below them.
pub(in crate::app) fn rows(front: Front) -> AnyView {
    let Front { app, profile, columns, details, flows: choice, stacked, .. } = front;
    let flows = (choice, profile.ask.clone());
    let arrows = Signal::derive(move || details.get().map(|d| arrows(&d, choice)).unwrap_or_default());
    let on_details = Callback::new(move |()| app.state.is_details_open().set(true));
    let (is_open, set_open) = app.view_state("timeline").choice("annotations", false);
    let marking = Marking { book: app.annotations, chosen: app.chosen_annotation, is_open, set_open };
    let on_go = Callback::new(move |range| app.window.set(Some(range)));
    let on_select = Callback::new(move |range| actions::commit_range(app, Some(range)));
    let on_close = Callback::new(move |()| set_open.set(false));
    let glance = glance(app, profile.ask);
    let panel = move || {
        let profile = is_open.get().then(|| app.front_untracked()).flatten();
        let of = |p: &OpenProfile| Of { hash: p.hash.clone(), name: p.own_title.clone() };
        profile.map(|p| view! { <AnnotationsPanel of=of(&p) ask=p.ask book=app.annotations chosen=app.chosen_annotation on_go on_select on_close /> })
    };
    let timeline = if untrack(|| stacked.is_on()) {
        view! { <StackedTimeline stacked arrows on_details flows=choice /> }.into_any()
    } else {
        let settings = Settings { front_defaults: app.front_defaults(), ..Settings::of(app.view_state("timeline")) };
        let device = Signal::derive(move || app.front().filter(OpenProfile::is_device).map(|p| (p.id, p.ask)));
        let curves = in_view::curves(device, settings, app.window.into(), columns);
        let (columns, ids) = name_rows::with_names(device, settings, columns, dma::in_rows(device, settings, columns));
        let columns = logical::in_rows(settings, columns);
        let bands = dma::bands(device.get_untracked().map(|d| d.1));
        view! {
            <div class="alongside">
            <Timeline
                columns ids bands curves range=app.range rows=app.rows selection=app.selection highlights=app.highlights.into() is_alone=alone(app) arrows reveal=app.reveal.into() on_details flows
                window=app.window marking is_moving=app.is_moving glance settings
            />
            {crate::app::open::sources::pane(app, details)}
            </div>
            {panel}
        }
        .into_any()
    };
    let ask = app.front_untracked().filter(|_| !untrack(|| stacked.is_on())).map(|p| p.ask);
    let boxed = app.boxed_rows();
    let sums = ask.clone().map(|ask| {
        let asker = ask.clone();
        let on_row = Callback::new(move |(by, name): (String, String)| {
            let tracks = boxed.with_untracked(|b| b.tracks.clone());
            let within = app.range.get_untracked().map(|range| Within { range: Some(range), tracks });
            show_occurrences_in(app, asker.clone(), by, name, within.unwrap_or_default());
        });
        view! { <RangeSums ask range=app.range.into() rows=boxed on_row choices=app.view_state("timeline") /> }
    });
    let legend = ask.map(|ask| view! { <ColourLegend ask /> });
    view! { <div class="stacked"><StackBar stacked /><crate::app::wiring::system::RowsBar />{timeline}{legend}{sums}</div> }.into_any()
}

/// The legend of the colours, if the user wants one.
#[component]
fn ColourLegend(ask: Ask) -> impl IntoView {
    let app = App::expect();
    let settings = Settings::of(app.view_state("timeline"));
    let by = Memo::new(move |_| settings.colouring(app.colour_by()));
    let asker = ask.clone();
    let on_name = Callback::new(move |(by, name): (String, String)| show_occurrences(app, asker.clone(), by, name));
    let is_by_duration = Memo::new(move |_| by.with(|by| by.starts_with(DURATION.0)));
    move || {
        settings.has_legend.0.get().then(|| match is_by_duration.get() {
            true => view! { <DurationLegend /> }.into_any(),
            false => view! { <Legend ask=ask.clone() by on_name /> }.into_any(),
        })
    }
}

/// From, to, and whether it leads into the selection; of the kinds that are drawn.
fn arrows(details: &Details, choice: FlowChoice) -> Vec<(SliceId, SliceId, bool)> {
    let Some(slice) = details.item.slice() else {
        return Vec::new();
    };
    let into = details.predecessors.iter().filter(|n| choice.shows(&n.kind)).map(|n| (n.slice, slice, true));
    into.chain(details.successors.iter().filter(|n| choice.shows(&n.kind)).map(|n| (slice, n.slice, false))).collect()
}

/// Whether the timeline draws the marked set alone.
fn alone(app: App) -> Signal<bool> {
    Memo::new(move |_| app.slice_set.with(|set| set.as_ref().is_some_and(|set| set.is_alone))).into()
}

pub(in crate::app) fn operators(Front { app, profile, .. }: Front) -> AnyView {
    let occurrences = profile.ask.clone();
    let on_row = Callback::new(move |(by, name): (String, String)| show_occurrences(app, occurrences.clone(), by, name));
    if profile.is_torch() {
        return time_views::operators(app, profile, on_row);
    }
    view! { <OperatorsView ask=profile.ask range=scope(app) on_row choices=app.view_state("operators") /> }.into_any()
}

pub(in crate::app) fn tables(Front { app, profile, .. }: Front) -> AnyView {
    let tables = profile.columns.info.tables.clone();
    // A run summary is of a device and has no rows to save.
    let has_timeline = profile.is_device() && profile.columns.info.n_slices > 0;
    view! { <TablesView ask=profile.ask.clone() tables=Signal::stored(tables) has_timeline choices=app.view_state("tables") /> }.into_any()
}
