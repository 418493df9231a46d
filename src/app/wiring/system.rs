//! A system profile, joined to the state of the page: the order of its rows, its view, the way to device profiles.

use crate::app::wiring::front::Front;
use crate::base::{SliceId, TimeNs, TimeRange};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::effect::effect;
use crate::views::serving::ServingView;
use crate::views::system::{Device, ExecutionLinks, Grouping, RowOf, SystemActions, SystemView, ask_rows};
use crate::views::timeline::rows::regroup::regroup;
use crate::worker::protocol::{Details, PageColumns, ProfileKind};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// What the rows of the profile in front are grouped by; `None` when it is no system profile. Tracked.
fn grouping(app: App) -> Option<Grouping> {
    let is_system = app.front().is_some_and(|p| p.columns.info.kind == ProfileKind::NeuronSystem);
    is_system.then(|| app.view_state("timeline").get("rows").map_or(Grouping::Default, |id| Grouping::of(&id)))
}

/// The columns with the rows in the order chosen.
pub(in crate::app) fn in_rows(app: App, columns: Signal<Option<Arc<PageColumns>>>) -> Signal<Option<Arc<PageColumns>>> {
    let asked = Memo::new(move |_| Some((app.state.front().get()?, grouping(app).filter(|g| *g != Grouping::Default)?)));
    let found = RwSignal::new(None::<((u32, Grouping), Arc<Vec<RowOf>>)>);
    effect(move || {
        let (Some(key), Some(profile)) = (asked.get(), app.front_untracked()) else {
            found.set(None);
            return;
        };
        spawn_local(async move {
            let rows = ask_rows(&profile.ask, key.1).await;
            if let (Some(rows), Some(true)) = (rows, asked.try_get_untracked().map(|a| a == Some(key))) {
                found.set(Some((key, Arc::new(rows))));
            }
        });
    });
    Memo::new_with_compare(
        move |_| {
            let columns = columns.get()?;
            let rows = found.get().filter(|f| asked.get() == Some(f.0)).map(|f| f.1);
            Some(rows.map_or(columns.clone(), |rows| Arc::new(regroup(&columns, &rows))))
        },
        |a, b| !matches!((a, b), (Some(Some(a)), Some(Some(b))) if Arc::ptr_eq(a, b)) && (a.is_some() || b.is_some()),
    )
    .into()
}

/// The choice above the timeline of a system profile; absent elsewhere.
#[component]
pub(in crate::app) fn RowsBar() -> impl IntoView {
    let app = App::expect();
    let state = app.view_state("timeline");
    let is_system = Memo::new(move |_| grouping(app).is_some());
    let choose = move |id: String| state.set("rows", (id != "default").then_some(id));
    let options = move || {
        let chosen = grouping(app);
        let option = move |(by, id, name): (Grouping, &'static str, &'static str)| {
            view! { <option value=id selected=chosen == Some(by)>{name}</option> }
        };
        Grouping::ALL.into_iter().map(option).collect_view()
    };
    view! {
        <Show when=move || is_system.get()>
            <div class="stackbar">
                <label class="field">
                    "Rows by "
                    <select class="select" data-field="rows" on:change:target=move |e| choose(e.target().value())>{options}</select>
                </label>
            </div>
        </Show>
    }
}

/// The view of a system profile.
pub(in crate::app) fn system(Front { app, profile, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |(slice, marked): (SliceId, Vec<SliceId>)| {
        actions::set_highlights(app, marked);
        actions::go_to_slice(app, slice);
    });
    let on_place = Callback::new(move |place| crate::app::wiring::navigation::go(app, place));
    let front = profile.id;
    let on_device = Callback::new(move |(id, slice)| open_device(app, front, id, slice));
    let on_range = Callback::new(move |range| actions::commit_range(app, range));
    let ways = SystemActions { on_slice, on_place, on_device, range: app.range.into(), on_range };
    view! { <SystemView ask=profile.ask selection=app.selected_slice() range=crate::app::wiring::navigation::scope(app) devices=devices(app) ways /> }
        .into_any()
}

/// Its executions as those of serving.
pub(in crate::app) fn serving(Front { app, profile, .. }: Front) -> AnyView {
    let on_slice = Callback::new(move |(slice, marked): (SliceId, Vec<SliceId>)| {
        actions::set_highlights(app, marked);
        actions::go_to_slice(app, slice);
    });
    let on_range = Callback::new(move |range| actions::commit_range(app, range));
    view! { <ServingView ask=profile.ask range=crate::app::wiring::navigation::scope(app) on_slice on_range /> }.into_any()
}

/// From the selected event of a system profile to its device profile; nothing elsewhere.
pub(in crate::app) fn details_links(app: App, details: RwSignal<Option<Details>>) -> Option<AnyView> {
    let profile = app.front_untracked().filter(|p| p.columns.info.kind == ProfileKind::NeuronSystem)?;
    let front = profile.id;
    let on_device = Callback::new(move |(id, slice)| open_device(app, front, id, slice));
    let slice = Signal::derive(move || details.with(|d| d.as_ref().and_then(|d| d.item.slice())));
    Some(view! { <ExecutionLinks ask=profile.ask slice devices=devices(app) on_device /> }.into_any())
}

/// Open device profiles that still answer.
fn devices(app: App) -> Signal<Vec<Device>> {
    let device = |p: &OpenProfile| {
        let meta = &p.columns.info.meta;
        let words = meta.facts.iter().map(|f| f.value.clone()).chain([p.own_title.clone(), p.path.clone()]).collect();
        Device { id: p.id, title: p.title.clone(), words, range: meta.range, ask: p.ask.clone() }
    };
    Signal::derive(move || {
        app.state.profiles().with(|all| all.iter().filter(|p| p.is_device() && p.stopped.is_none()).map(device).collect())
    })
}

/// Marks an execution here and its window in the device profile, and goes there.
fn open_device(app: App, front: u32, id: u32, slice: SliceId) {
    let span = app.state.profiles().with_untracked(|all| {
        let columns = &all.iter().find(|p| p.id == front)?.columns;
        let (start, length) = (columns.start.get(slice.index())?, columns.duration.get(slice.index())?);
        Some(TimeRange { start: TimeNs(start), end: TimeNs(start.saturating_add(length)) })
    });
    app.selection.set(Some(slice.into()));
    actions::commit_range(app, span);
    // The choice belongs to the tab and is restored when the tab is shown again.
    actions::show_profile(app, id);
    let window = app.front_untracked().map(|p| p.columns.range());
    actions::show_view(app, "timeline");
    actions::commit_range(app, window);
}
