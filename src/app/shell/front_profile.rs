//! The profile in front: side bar, scope bar, the view, the details drawer.

use crate::app::shell::profile_views;
use crate::app::shell::sidebar::{SideBar, missing};
use crate::app::shell::toolbar::ScopeBar;
use crate::app::wiring::chunks::{self, Mount};
use crate::app::wiring::front::Front;
use crate::app::wiring::stacked::Stacked;
use crate::app::wiring::views;
use crate::state::{App, AppStateStoreFields as _, actions};
use crate::ui::effect::effect;
use crate::views::details::{DetailsDrawer, jumps};
use crate::views::timeline::flows::in_window::FlowChoice;
use crate::views::timeline::rows::choices::Settings;
use crate::worker::protocol::{ColourKeysQuery, Details, DetailsQuery, PageColumns};
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

/// The current view.
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
        let mount = views::of(&view).map_or(Mount::Here(profile_views::timeline), |def| def.mount);
        chunks::mounted(mount, Front { app, profile, columns, details, flows, stacked, missing: missing(app) })
    }
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
                if let (Ok(keys), Some(true)) = (answer, n_asked.try_get_value().map(|n| n == asked)) {
                    columns.set(Some(Arc::new(PageColumns { colour: keys.slots.into(), ..PageColumns::clone(&profile.columns) })));
                }
            });
        }
    });
    columns.into()
}

/// Views with their own panel for the chosen row: the details drawer is not shown over it.
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
