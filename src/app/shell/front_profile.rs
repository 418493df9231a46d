//! The profile in front: side bar, scope bar, the view, the details drawer.

use crate::app::shell::hover_card::glance;
use crate::app::shell::sidebar::SideBar;
use crate::app::shell::toolbar::ScopeBar;
use crate::app::wiring::chunks::{self, Mount};
use crate::app::wiring::stacked::{StackBar, Stacked, StackedTimeline};
use crate::app::wiring::time_views;
use crate::app::wiring::views::{self, Front};
use crate::base::{Ledger, SliceId, StrId};
use crate::state::annotations::text::Of;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions, region_scope, slice_set};
use crate::ui::effect::effect;
use crate::views::annotations::AnnotationsPanel;
use crate::views::details::{DetailsDrawer, jumps};
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
use crate::worker::protocol::{ColourKeysQuery, Details, DetailsQuery, OccurrencesQuery, PageColumns, ScopeQuery, Within};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Everything below the top bar while a profile is open.
#[component]
pub fn Front() -> impl IntoView {
    let app = App::expect();
    let columns = crate::app::wiring::system::in_rows(app, coloured(app));
    let details = details(app);
    let jumps = jumps::follow(details.into(), Signal::derive(move || app.front().map(|p| p.ask)));
    let flows = FlowChoice::new(app.view_state("timeline"));
    let on_go = Callback::new(move |slice| actions::go_to_slice(app, slice));
    let on_close = Callback::new(move |()| app.state.is_details_open().set(false));
    let shown = Signal::derive(move || {
        let has_room = app.state.view().with(|v| !WITH_PANEL.contains(&v.as_str()));
        details.get().filter(|_| has_room && app.state.is_details_open().get())
    });
    let more = ViewFn::from(move || crate::app::wiring::system::details_links(app, details));
    let advanced = app.view_state("details").choice("advanced", true);
    let on_place = crate::app::open::sources::asking(app, details);
    let before = ViewFn::from(move || crate::app::wiring::device_views::merged(app, details, on_go));
    view! {
        <div class="front">
            <SideBar />
            <main class="front__main" class:front__main--right=move || app.layout.get().is_right>
                <ScopeBar />
                <div class="front__view" role="region" aria-label="View" tabindex="0"><View columns details flows /></div>
                <DetailsDrawer details=shown jumps on_go on_close on_place layout=app.layout advanced more before />
            </main>
        </div>
    }
}

/// The view whose turn it is.
#[component]
fn View(columns: Signal<Option<Arc<PageColumns>>>, details: RwSignal<Option<Details>>, flows: FlowChoice) -> impl IntoView {
    let app = App::expect();
    // A view is made anew for another profile.
    let stacked = Stacked::new(app);
    let key = Memo::new(move |_| (app.state.view().get(), app.state.front().get(), stacked.is_on()));
    move || {
        let (view, ..) = key.get();
        let Some(profile) = app.front_untracked() else {
            return ().into_any();
        };
        // A link or the tab before may name a view that this profile cannot fill.
        let offered = &profile.columns.info.views;
        let view = if offered.contains(&view) { view } else { actions::first_view(offered, profile.has_lost()).into() };
        let mount = views::of(&view).map_or(Mount::Here(timeline), |def| def.mount);
        chunks::mounted(mount, Front { app, profile, columns, details, flows, stacked })
    }
}

/// The ledger.
pub(in crate::app) fn ledger(front: Front) -> AnyView {
    let Front { app, profile, .. } = front;
    let (ledger, checks) = (Ledger::clone(&profile.ledger), crate::app::wiring::device_views::agreements(app, &profile));
    let below = ViewFn::from(move || profile.is_device().then(|| crate::app::workers::learned_opcodes::words(app, &profile)));
    view! { <LedgerView ledger=Signal::stored(ledger) checks below /> }.into_any()
}

/// What the file says of itself, and the views that are missing.
pub(in crate::app) fn profile(front: Front) -> AnyView {
    view! { <ProfileView columns=front.columns views=crate::app::shell::sidebar::missing(front.app) /> }.into_any()
}

/// The timeline as a view.
pub(in crate::app) fn timeline(front: Front) -> AnyView {
    let rows = rows(front);
    view! { <h1 class="visually-hidden">"Timeline"</h1>{rows} }.into_any()
}

/// The rows of the timeline with what is below them.
pub(in crate::app) fn rows(front: Front) -> AnyView {
    let Front { app, profile, columns, details, flows: choice, stacked } = front;
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

/// What the colours stand for; absent unless it is wanted.
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

/// Lights up the slices of a row in the timeline, and goes to the first.
pub(in crate::app) fn show_occurrences(app: App, ask: Ask, by: String, name: String) {
    show_occurrences_in(app, ask, by, name, Within::default());
}

/// As [`show_occurrences`], to the first of a part of the profile.
fn show_occurrences_in(app: App, ask: Ask, by: String, name: String, within: Within) {
    let set_name = name.clone();
    spawn_local(async move {
        if let Ok(slices) = ask.ask(OccurrencesQuery { by, value: name }).await {
            let inside = app.front_untracked().and_then(|p| p.columns.first_within(&slices, &within));
            let first = inside.or(slices.first().copied());
            slice_set::mark(app, set_name, slices);
            actions::show_view(app, "timeline");
            actions::select_and_reveal(app, first);
        }
    });
}

/// Makes the time in which slices with the name of `slice` run the scope of every view, under a label.
pub(in crate::app) fn scope_to_calls(app: App, ask: Ask, label: String, slice: SliceId) {
    let name = app.front_untracked().and_then(|p| Some(p.columns.info.strings.get(StrId(*p.columns.name.get(slice.index())?)).to_string()));
    let Some(value) = name else { return };
    spawn_local(async move {
        if let Ok(slices) = ask.ask(OccurrencesQuery { by: "name".into(), value }).await {
            region_scope::use_region(app, label, ScopeQuery { slices, ..ScopeQuery::default() }, Vec::new());
        }
    });
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
    view! { <OperatorsView ask=profile.ask range=time_views::scope(app) on_row choices=app.view_state("operators") /> }.into_any()
}

pub(in crate::app) fn tables(Front { app, profile, .. }: Front) -> AnyView {
    let tables = profile.columns.info.tables.clone();
    view! { <TablesView ask=profile.ask.clone() tables=Signal::stored(tables) has_timeline=profile.is_device() choices=app.view_state("tables") /> }.into_any()
}

/// The columns of the profile in front, coloured as chosen.
fn coloured(app: App) -> Signal<Option<Arc<PageColumns>>> {
    let columns = RwSignal::new(None::<Arc<PageColumns>>);
    let n_asked = StoredValue::new(0u32);
    let settings = Settings::of(app.view_state("timeline"));
    let by = Memo::new(move |_| settings.colouring(app.colour_by()));
    effect(move || {
        let id = app.state.front().get();
        let by = by.get();
        n_asked.update_value(|n| *n += 1);
        let asked = n_asked.get_value();
        let Some(profile) = id.and_then(|_| app.front_untracked()) else {
            columns.set(None);
            return;
        };
        let is_new = columns.with_untracked(|h| h.as_ref().is_none_or(|h| h.info.meta != profile.columns.info.meta));
        if by == "name" || is_new {
            columns.set(Some(profile.columns.clone()));
        }
        if by != "name" {
            spawn_local(async move {
                let answer = profile.ask.ask(ColourKeysQuery { by }).await;
                if let (Ok(colour), Some(true)) = (answer, n_asked.try_get_value().map(|n| n == asked)) {
                    columns.set(Some(Arc::new(PageColumns { colour: colour.into(), ..PageColumns::clone(&profile.columns) })));
                }
            });
        }
    });
    columns.into()
}

/// Views that tell more of a chosen row beside their table: the drawer, opened elsewhere, waits there.
const WITH_PANEL: [&str; 2] = ["operators", "kernels"];

/// Details of the selected slice or instant; the last answer stays until the next.
fn details(app: App) -> RwSignal<Option<Details>> {
    let details = RwSignal::new(None::<Details>);
    effect(move || {
        app.state.front().track();
        let (Some(item), Some(profile)) = (app.selection.get(), app.front_untracked()) else {
            details.set(None);
            return;
        };
        // What was just chosen shows its details; they were closed for another one. Where a row has a panel of its own beside the table, the
        // drawer would cover both.
        if app.state.view().with_untracked(|v| !WITH_PANEL.contains(&v.as_str())) {
            app.state.is_details_open().set(true);
        }
        spawn_local(async move {
            let answer = profile.ask.ask(DetailsQuery { item }).await;
            if let (Ok(found), Some(true)) = (answer, app.selection.try_get_untracked().map(|s| s == Some(item))) {
                details.set(Some(found));
            }
        });
    });
    details
}
