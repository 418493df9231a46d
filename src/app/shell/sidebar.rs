//! The bar at the side: the views that the profile in front can fill, in groups.

use crate::app::shell::toolbar::Icon;
use crate::app::wiring::views::{self, Group, VIEWS, ViewDef};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use leptos::prelude::*;

/// Views that compare two profiles, while there is only one of their kind. Tracked.
fn lacks_second(app: App) -> Vec<&'static str> {
    let count = |is_of_kind: fn(&OpenProfile) -> bool| app.state.profiles().with(|all| all.iter().filter(|p| is_of_kind(p)).count());
    let kind = app.front().map(|p| p.columns.info.kind);
    let of_kind = |p: &OpenProfile| Some(p.columns.info.kind) == kind && crate::app::wiring::device_views::has_variants(p);
    let rows = |p: &OpenProfile| crate::app::wiring::device_views::n_variants(&p.columns.info.meta);
    let n_of_kind: usize = app.state.profiles().with(|all| all.iter().filter(|p| of_kind(p)).map(rows).sum());
    let n_compared = app.state.profiles().with(|all| all.iter().filter(|p| Some(p.columns.info.kind) == kind).count());
    let counts = [("diff", count(OpenProfile::is_torch)), ("compare", n_compared), ("variants", n_of_kind)];
    counts.into_iter().filter(|(_, n)| *n < 2).map(|(id, _)| id).collect()
}

/// The views that are not in the side bar: name, what each needs, how to record that.
pub(in crate::app) fn missing(app: App) -> Signal<Vec<[String; 3]>> {
    let name = |id: &str| views::of(id).map_or(id, |view| view.title).to_string();
    Signal::derive(move || {
        let Some(front) = app.front() else { return Vec::new() };
        let lacks_second = lacks_second(app);
        let info = &front.columns.info;
        let missing = info.missing_views.iter().filter(|m| !info.views.contains(&m.id) || lacks_second.contains(&m.id.as_str()));
        missing.map(|m| [name(&m.id), m.needs.clone(), m.capture.clone()]).collect()
    })
}

/// The views that the profile in front can fill.
#[component]
pub fn SideBar() -> impl IntoView {
    let app = App::expect();
    let available = Memo::new(move |_| app.front().map(|p| p.columns.info.views.clone()).unwrap_or_default());
    let groups = move || {
        let available = available.get();
        let lacks_second = lacks_second(app);
        let is_shown = |id: &str| available.iter().any(|a| a == id) && !lacks_second.contains(&id);
        let group = |(group, title): (Group, &'static str)| {
            let shown: Vec<&ViewDef> = VIEWS.iter().filter(|v| v.group == group && is_shown(v.id)).collect();
            (!shown.is_empty()).then(|| view! { <Items title shown /> })
        };
        Group::ALL.into_iter().map(group).collect_view()
    };
    view! { <nav class="sidebar" aria-label="Views">{groups}</nav> }
}

#[component]
fn Items(title: &'static str, shown: Vec<&'static ViewDef>) -> impl IntoView {
    let app = App::expect();
    let item = move |def: &'static ViewDef| {
        let (id, name, path) = (def.id, def.title, def.icon);
        let is_here = move || app.state.view().with(|v| v == id);
        view! {
            <button
                type="button" class="sidebar__item" class:sidebar__item--here=is_here data-nav=id title=name
                aria-current=move || is_here().then_some("page") on:click=move |_| actions::show_view(app, id)
            >
                <Icon path />
                <span class="sidebar__name">{name}</span>
            </button>
        }
    };
    view! {
        <div class="sidebar__group" role="group" aria-label=title>
            <span class="sidebar__title" aria-hidden="true">{title}</span>
            {shown.into_iter().map(item).collect_view()}
        </div>
    }
}
