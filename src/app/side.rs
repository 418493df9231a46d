//! The bar at the side: the views that the profile in front can fill, in groups.

use super::bars::Icon;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use leptos::prelude::*;

/// A view: id, name, drawing.
type Entry = (&'static str, &'static str, &'static str);

/// Groups of views, in the order shown.
const GROUPS: &[(&str, &[Entry])] = &[
    (
        "Time",
        &[
            ("timeline", "Timeline", "M2 4h7M5 8h9M3 12h6"),
            ("summary", "Summary", "M2.5 2.5h5v5h-5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 10h5v3.5h-5z"),
            ("system", "System", "M2.5 3h11v7h-11zM6 13.5h4M8 10v3.5"),
            ("bounds", "Bounds", "M2 3h12M2 6.5h8M2 10h5M2 13.5h3M14 5v9M12 12l2 2 2-2"),
            ("serving", "Serving", "M2 12.5h2v-5h2v5h2v-9h2v9h2v-3h2"),
            ("gaps", "Gaps", "M2 4h4M10 4h4M2 8h2M8 8h6M2 12h6M12 12h2"),
            ("advice", "Advice", "M8 1.5a4.5 4.5 0 0 1 2.5 8.2v1.8h-5v-1.8a4.5 4.5 0 0 1 2.5-8.2M6 14h4"),
            ("overview", "Overview", "M8 2v6l4.5 4M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13"),
            ("steps", "Steps", "M2 13.5h3v-3h3v-3h3v-3h3"),
            ("search", "Search", "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.3 10.3l3.7 3.7"),
            ("operators", "Operators", "M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-3"),
            ("kernels", "Kernels", "M4 4h8v8H4zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5"),
            ("efficiency", "Efficiency", "M2 2v12h12M4 11.5l4-5h6M6 12h.1M10 9h.1M12 10.5h.1"),
        ],
    ),
    (
        "Neuron log",
        &[
            ("operator-timeline", "Op timeline", "M2 3.5h5M5 6.5h7M9 9.5h5M3 12.5h8"),
            ("operator-framework", "Framework", "M8 2a6 6 0 1 0 6 6h-6z"),
            ("operator-hlo", "HLO ops", "M2.5 4.5l5.5-2.5l5.5 2.5l-5.5 2.5zM2.5 8l5.5 2.5l5.5-2.5M2.5 11.5l5.5 2.5l5.5-2.5"),
            ("trace", "Host and device", "M2 3h12v4h-12zM4 10h8v3.5h-8z"),
        ],
    ),
    (
        "Memory",
        &[
            ("memory", "Memory", "M2 13.5h12M3 11l2.5-5 3 3 4.5-6.5"),
            ("snapshot", "Memory snapshot", "M2 13.5v-4h3v-3h3v-3h3v6h3v4z"),
            ("tensors", "Tensors", "M2.5 2.5h5v5h-5zM8.5 2.5h5v5h-5zM2.5 8.5h5v5h-5zM8.5 8.5h5v5h-5z"),
        ],
    ),
    (
        "Program",
        &[
            ("layers", "Layers", "M2 3h12v3h-12zM2 7.5h7v3h-7zM2 12h4v2h-4z"),
            ("source", "Source", "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5"),
            ("program", "Program", "M2 3.5h3M7 3.5h7M2 6.5h3M7 6.5h5M2 9.5h3M7 9.5h7M2 12.5h3M7 12.5h4"),
            ("roofline", "Roofline", "M2 13.5l6-8h6M2 2v12h12M8 10h.1M11 8h.1"),
            ("modules", "Modules", "M2 3h12M2 6.5h8M2 10h5M2 13.5h3"),
            ("distributed", "Distributed", "M8 2.5v4M3.5 13.5v-3.5h9v3.5M8 6.5v3.5M2 13.5h3M6.5 2.5h3M11 13.5h3"),
        ],
    ),
    (
        "Compare",
        &[
            ("diff", "Diff", "M3 5h10M3 5l2.5-2.5M3 5l2.5 2.5M13 11H3M13 11l-2.5-2.5M13 11l-2.5 2.5"),
            ("compare", "Compare", "M3 13.5v-6M6 13.5v-11M10 13.5v-8M13 13.5v-4"),
        ],
    ),
    ("Support", &[("support", "Support", "M2.5 8.5l3.5 3.5l7.5-8")]),
    (
        "File",
        &[
            ("tables", "Tables", "M2 3h12v10H2zM2 6.5h12M6.5 3v10"),
            ("profile", "Profile", "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M8 7.5v3.5M8 5v.1"),
            ("ledger", "Ledger", "M3.5 2h9v12h-9zM6 5.5h4M6 8h4M6 10.5h2"),
        ],
    ),
];

/// Views that compare two profiles, while there is only one of their kind. Tracked.
fn lacks_second(app: App) -> Vec<&'static str> {
    let count = |is_of_kind: fn(&OpenProfile) -> bool| app.state.profiles().with(|all| all.iter().filter(|p| is_of_kind(p)).count());
    let counts = [("diff", count(super::torch_views::is_torch)), ("compare", count(super::device_views::is_device))];
    counts.into_iter().filter(|(_, n)| *n < 2).map(|(id, _)| id).collect()
}

/// The views that are not in the side bar: name, what each needs, how to record that.
pub(super) fn missing(app: App) -> Signal<Vec<[String; 3]>> {
    let name = |id: &str| GROUPS.iter().flat_map(|group| group.1).find(|entry| entry.0 == id).map_or(id, |entry| entry.1).to_string();
    Signal::derive(move || {
        let Some(front) = app.front() else { return Vec::new() };
        let lacks_second = lacks_second(app);
        let info = &front.hot.info;
        let missing = info.missing_views.iter().filter(|m| !info.views.contains(&m.id) || lacks_second.contains(&m.id.as_str()));
        missing.map(|m| [name(&m.id), m.needs.clone(), m.capture.clone()]).collect()
    })
}

/// The views that the profile in front can fill.
#[component]
pub fn SideBar() -> impl IntoView {
    let app = App::expect();
    let available = Memo::new(move |_| app.front().map(|p| p.hot.info.views.clone()).unwrap_or_default());
    let groups = move || {
        let available = available.get();
        let lacks_second = lacks_second(app);
        let group = |(title, views): (&'static str, &'static [Entry])| {
            let is_shown = |id: &str| available.iter().any(|a| a == id) && !lacks_second.contains(&id);
            let shown: Vec<Entry> = views.iter().copied().filter(|v| is_shown(v.0)).collect();
            (!shown.is_empty()).then(|| view! { <Group title shown /> })
        };
        GROUPS.iter().copied().map(group).collect_view()
    };
    view! { <nav class="sidebar" aria-label="Views">{groups}</nav> }
}

#[component]
fn Group(title: &'static str, shown: Vec<Entry>) -> impl IntoView {
    let app = App::expect();
    let item = move |(id, name, path): Entry| {
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
