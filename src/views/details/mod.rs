//! The details drawer: every field of the selected slice or instant, and what a slice depends on.

mod dock;
mod fields;
mod instruction;
pub mod jumps;
pub mod merged;
mod neighbours;

use crate::analysis::device::instructions::origin::SourceLocation;
use crate::base::{SliceId, text};
use crate::engine::query::Details;
use crate::state::choices::Choice;
use crate::state::layout::Layout;
use jumps::{Jump, JumpButtons};
use leptos::prelude::*;
use neighbours::Neighbours;

/// Fields of a slice or an instant, and the neighbours of a slice.
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
    /// Show a line of source; without it places are text.
    #[prop(optional)]
    on_place: Option<Callback<SourceLocation>>,
    /// Position and size of the drawer.
    #[prop(default = RwSignal::default())]
    layout: RwSignal<Layout>,
    /// Whether ids, checksums and raw bytes are shown; without it they are.
    #[prop(optional)]
    advanced: Option<Choice<bool>>,
    /// Further ways out, of some kinds of profiles.
    #[prop(optional, into)]
    more: ViewFn,
    /// What is before the fields, of some kinds of profiles.
    #[prop(optional, into)]
    before: ViewFn,
) -> impl IntoView {
    let content = move || {
        details
            .get()
            .map(|d| view! { <Content details=d jumps on_go on_close on_place layout advanced more=more.clone() before=before.clone() /> })
    };
    jumps::listen(jumps, on_go);
    view! { {content} }
}

#[component]
fn Content(
    details: Details,
    jumps: Signal<Vec<Jump>>,
    on_go: Callback<SliceId>,
    on_close: Callback<()>,
    on_place: Option<Callback<SourceLocation>>,
    layout: RwSignal<Layout>,
    advanced: Option<Choice<bool>>,
    more: ViewFn,
    before: ViewFn,
) -> impl IntoView {
    let name = text::brief(&details.name);
    let is_slice = details.item.slice().is_some();
    let length = if is_slice { format!(" + {}", text::time_exact(details.duration.0)) } else { String::new() };
    let title = format!("{name} · {} · {}{length}", details.track, text::time_exact(details.start.0));
    let times = fields::times(&details);
    let groups = fields::groups(&details.fields);
    // A record without such fields needs no switch.
    let advanced = advanced.filter(|_| fields::has_advanced(&groups));
    view! {
        <aside
            class="drawer" class:drawer--right=move || layout.get().is_right style=move || dock::style(layout.get()) data-view="details"
            aria-label=if is_slice { "Details of the selected slice" } else { "Details of the selected instant" }
        >
            <dock::Grip layout />
            <header class="drawer__head">
                <h2 class="drawer__title mono" title=title.clone()>{title.clone()}</h2>
                {advanced.map(|advanced| view! { <fields::AdvancedSwitch advanced /> })}
                <dock::DockButton layout />
                <button class="button button--quiet" aria-label="Close details" title="Close (Esc)" on:click=move |_| on_close.run(())>"×"</button>
            </header>
            <JumpButtons jumps on_go />
            {more.run()}
            <div class="drawer__body">
                {before.run()}
                <fields::FieldGroup group=times />
                {details.instruction.map(|facts| view! { <instruction::Instruction facts=*facts on_go on_place /> })}
                <Neighbours title="Parents" rows=details.parents on_go />
                <Neighbours title="Predecessors" rows=details.predecessors on_go />
                <Neighbours title="Successors" rows=details.successors on_go />
                <fields::Fields groups advanced />
            </div>
        </aside>
    }
}
