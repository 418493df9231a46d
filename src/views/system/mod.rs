//! A system profile: cards, advice, device executions with their device profiles, transfers, memory, CPUs, the chain of the selected event.

mod chain;
pub mod devices;
mod links;
mod memory;
pub mod rows;
mod sections;
pub mod time_parts;

use crate::analysis::system::System;
pub use crate::analysis::system::{Grouping, RowOf};
use crate::base::{SliceId, TimeRange};
use crate::engine::query::{SystemQuery, SystemRowsQuery};
use crate::state::choices::ViewState;
use crate::ui::controls::{Problem, with_code};
use crate::views::query::{QueryState, use_query};
use crate::views::scope;
use crate::worker::client::Ask;
pub use devices::Device;
use leptos::prelude::*;
pub use links::ExecutionLinks;

/// The rows of the timeline in that order; `None` when the worker gives none.
pub async fn ask_rows(ask: &Ask, by: Grouping) -> Option<Vec<RowOf>> {
    ask.ask(SystemRowsQuery { grouping: by }).await.ok()
}

/// What this view needs of the page.
#[derive(Clone, Copy)]
pub struct SystemActions {
    /// Shows a slice in the timeline; marks the others.
    pub on_slice: Callback<(SliceId, Vec<SliceId>)>,
    /// Shows a range in the timeline, with a slice selected.
    pub on_place: Callback<(TimeRange, Option<SliceId>)>,
    /// Opens a device profile: its tab, and the slice of this profile that it belongs to.
    pub on_device: Callback<(u32, SliceId)>,
    /// The committed range, also while values are of the whole.
    pub range: Signal<Option<TimeRange>>,
    /// Commits a range, or gives it back.
    pub on_range: Callback<Option<TimeRange>>,
}

/// A system profile in numbers.
#[component]
pub fn SystemView(
    /// Answers for the open profile.
    ask: Ask,
    /// Selected slice.
    selection: Signal<Option<SliceId>>,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Open device profiles.
    devices: Signal<Vec<Device>>,
    /// Where things lead.
    ways: SystemActions,
    /// Order of the parts.
    #[prop(default = ViewState::detached("system"))]
    choices: ViewState,
) -> impl IntoView {
    let found: QueryState<System> = use_query(ask.clone(), Signal::derive(move || Some(SystemQuery { range: range.get() })));
    let is_there = move || found.value.with(Option::is_some);
    let cards = found.derive(rows::cards);
    let card = |(id, label, value): &(&'static str, &'static str, String)| {
        view! { <div class="summary__card" data-card=*id><span class="summary__label">{*label}</span><strong class="figure">{value.clone()}</strong></div> }
    };
    let has_range = move || range.get().is_some();
    let clock = move || found.value.get().map(|s| rows::clock(&s));
    let notes = found.derive(|s| s.notes.clone());
    view! {
        <section class="system" data-view="system" aria-busy=move || found.is_waiting.get().to_string()>
            <header class="summary__head"><h1>"System"</h1><span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span></header>
            <Problem text=found.problem />
            <Show when=is_there>
                <div class="summary__cards">{move || cards.get().iter().map(card).collect_view()}</div>
                <p class="system__text" data-clock>{clock}</p>
                <Show when=has_range>
                    <p class="system__text">"Only the part within the range counts; bytes are assumed to move evenly over a transfer."</p>
                </Show>
                <Show when=move || notes.with(|n| !n.is_empty())>
                    <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
                </Show>
                <time_parts::TimeParts system=found choices />
                <sections::Advice found ways />
                <sections::Executions found devices ways />
                <sections::Cores found ways />
                <sections::Transfers found />
                <memory::Memory found ways />
                <sections::Cpus found />
            </Show>
            <chain::ChainPart ask=ask.clone() selection ways />
        </section>
    }
}
