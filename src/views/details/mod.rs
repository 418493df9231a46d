//! The details drawer: every field of the selected slice, and what it depends on.

mod dock;
mod instruction;
pub mod jumps;
pub mod merged;
mod neighbours;

use crate::base::{SliceId, text};
use crate::engine::query::Details;
use crate::state::layout::Layout;
use crate::ui::small::CopyButton;
use jumps::{Jump, JumpButtons};
use leptos::prelude::*;
use neighbours::Neighbours;

/// Fields and neighbours of one slice.
#[component]
pub fn DetailsDrawer(
    /// What to show; nothing closes the drawer.
    #[prop(into)]
    details: Signal<Option<Details>>,
    /// Ways from the selected slice to others, also while the drawer is closed.
    #[prop(optional, into)]
    jumps: Signal<Vec<Jump>>,
    /// Go to another slice.
    on_go: Callback<SliceId>,
    /// Close the drawer.
    on_close: Callback<()>,
    /// Where it stands, and how large it is.
    #[prop(default = RwSignal::default())]
    layout: RwSignal<Layout>,
    /// Further ways out, of some kinds of profiles.
    #[prop(optional, into)]
    more: ViewFn,
    /// What stands before the fields, of some kinds of profiles.
    #[prop(optional, into)]
    before: ViewFn,
) -> impl IntoView {
    let content =
        move || details.get().map(|d| view! { <Content details=d jumps on_go on_close layout more=more.clone() before=before.clone() /> });
    jumps::listen(jumps, on_go);
    view! { {content} }
}

#[component]
fn Content(
    details: Details,
    jumps: Signal<Vec<Jump>>,
    on_go: Callback<SliceId>,
    on_close: Callback<()>,
    layout: RwSignal<Layout>,
    more: ViewFn,
    before: ViewFn,
) -> impl IntoView {
    let name = text::brief(&details.name);
    let title = format!("{name} · {} · {} + {}", details.track, text::time_exact(details.start.0), text::time_exact(details.duration.0));
    let row = |key: &str, value: String, help: &str| (key.to_string(), value, help.to_string());
    let times = vec![
        row("start", text::time_exact(details.start.0), "Since the origin of the profile."),
        row("duration", text::time_exact(details.duration.0), ""),
        row("self time", text::time_exact(details.self_time.0), "Its time without that of the slices it holds."),
        row("track", details.track.clone(), ""),
    ];
    let mut groups = vec![("Slice".to_string(), times)];
    for field in &details.fields {
        let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
        let row = (field.key.clone(), format!("{}{unit}", field.value), field.help.clone());
        match groups.iter_mut().find(|g| g.0 == field.group) {
            Some(group) => group.1.push(row),
            None => groups.push((field.group.clone(), vec![row])),
        }
    }
    // What is worked out comes right after the times; the fields as they stand in the file follow.
    let mut groups = groups.into_iter().map(|(title, rows)| view! { <FieldGroup title rows /> });
    let times = groups.next();
    let fields = groups.collect_view();
    view! {
        <aside
            class="drawer" class:drawer--right=move || layout.get().is_right style=move || dock::style(layout.get()) data-view="details"
            aria-label="Details of the selected slice"
        >
            <dock::Grip layout />
            <header class="drawer__head">
                <h2 class="drawer__title mono" title=title.clone()>{title.clone()}</h2>
                <dock::DockButton layout />
                <button class="button button--quiet" aria-label="Close details" title="Close (Esc)" on:click=move |_| on_close.run(())>"×"</button>
            </header>
            <JumpButtons jumps on_go />
            {more.run()}
            <div class="drawer__body">
                {before.run()}
                {times}
                {details.instruction.map(|facts| view! { <instruction::Instruction facts=*facts on_go /> })}
                <Neighbours title="Held by" rows=details.parents on_go />
                <Neighbours title="Predecessors" rows=details.predecessors on_go />
                <Neighbours title="Successors" rows=details.successors on_go />
                {fields}
            </div>
        </aside>
    }
}

#[component]
fn FieldGroup(title: String, rows: Vec<(String, String, String)>) -> impl IntoView {
    let rows = rows.into_iter().filter(|r| !r.1.trim().is_empty()).map(|(key, value, help)| {
        view! { <dt title=help>{key}</dt><dd class="mono"><span class="facts__value">{text::brief(&value)}</span><CopyButton text=value /></dd> }
    });
    view! { <section class="facts"><h3>{title}</h3><dl class="facts__list">{rows.collect_view()}</dl></section> }
}
