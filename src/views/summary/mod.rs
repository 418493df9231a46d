//! A Neuron run in numbers: cards, busy engines, and every metric beside what formulas and rows give.

pub mod chart_rows;
pub mod chart_tables;
mod charts;
pub mod rows;
mod time_parts;
pub mod transfer_rows;

use crate::base::{SliceId, TimeRange};
use crate::engine::query::SummaryQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::controls::Problem;
use crate::ui::table::{Kind, Table};
use crate::views::query::{QueryState, use_query};
use crate::views::scope;
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Values of the run, or of the selected range.
#[component]
pub fn SummaryView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Named ranges that values can be of.
    #[prop(into)]
    regions: Signal<Vec<(String, TimeRange)>>,
    /// A named range was chosen; `None` is the entire trace.
    on_region: Callback<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// The chosen summary and core, and the grouping of DMA.
    #[prop(default = ViewState::detached("summary"))]
    choices: ViewState,
) -> impl IntoView {
    let asked_of = StoredValue::new(ask.clone());
    let query = Signal::derive(move || Some(SummaryQuery { range: range.get() }));
    let summary: QueryState<rows::Summary> = use_query(ask, query);
    let node = choices.choice("node", 0u32);
    view! {
        <section class="summary" data-view="summary" class:is-waiting=move || summary.is_waiting.get() aria-busy=move || summary.is_waiting.get().to_string()>
            <header class="summary__head"><h1>"Summary"</h1><span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span><Regions range regions on_region /><Nodes summary node /></header>
            <Problem text=summary.problem />
            <Show when=move || summary.value.with(|s| s.is_some())>
                <Cards summary node=node.0 />
                <time_parts::TimeParts ask=asked_of.get_value() range choices />
                <charts::ChartsOf ask=asked_of.get_value() range choices on_slice />
                // A summary alone has no instructions: its metrics are all there is.
                <Show when=move || summary.value.with(|s| s.as_ref().is_some_and(|s| !s.is_whole || !s.engines.is_empty()))>
                    <Engines summary />
                </Show>
                <Notes summary />
                <Metrics summary node=node.0 />
            </Show>
        </section>
    }
}

/// Chooses the region that the values are of, where the user has marked some.
#[component]
fn Regions(
    range: Signal<Option<TimeRange>>,
    regions: Signal<Vec<(String, TimeRange)>>,
    on_region: Callback<Option<TimeRange>>,
) -> impl IntoView {
    let chosen = move || range.get().and_then(|r| regions.with(|all| all.iter().position(|region| region.1 == r)));
    let options = move || {
        let chosen = chosen();
        let option = |(at, (name, _)): (usize, (String, TimeRange))| {
            view! { <option value=at.to_string() selected=Some(at) == chosen>{name}</option> }
        };
        let other =
            (range.get().is_some() && chosen.is_none()).then(|| view! { <option value="range" selected=true>"Selected range"</option> });
        view! {
            <option value="" selected=range.get().is_none()>"Entire trace"</option>
            {other}
            {regions.get().into_iter().enumerate().map(option).collect_view()}
        }
    };
    let pick = move |value: String| {
        let region = value.parse().ok().and_then(|at: usize| regions.with_untracked(|all| all.get(at).map(|r| r.1)));
        if region.is_some() || value.is_empty() {
            on_region.run(region);
        }
    };
    view! {
        <Show when=move || regions.with(|r| !r.is_empty())>
            <label class="field">
                "Values of"
                <select class="select" data-field="region" on:change:target=move |e| pick(e.target().value())>{options}</select>
            </label>
        </Show>
    }
}

/// Which summary is shown, where the file has several.
#[component]
fn Nodes(summary: QueryState<rows::Summary>, node: Choice<u32>) -> impl IntoView {
    let nodes = summary.derive(|s| s.nodes.clone());
    let options = move || {
        let chosen = node.0.get();
        let option = |(at, name): (usize, &String)| {
            view! { <option value=at.to_string() selected=at as u32 == chosen>{name.clone()}</option> }
        };
        nodes.get().iter().enumerate().map(option).collect_view()
    };
    let pick = move |text: String| node.1.set(text.parse().unwrap_or(0));
    view! {
        <Show when=move || nodes.with(|n| n.len() > 1)>
            <label class="field">
                "Summary of"
                <select class="select" data-field="node" on:change:target=move |e| pick(e.target().value())>{options}</select>
            </label>
        </Show>
    }
}

#[component]
fn Cards(summary: QueryState<rows::Summary>, node: Signal<u32>) -> impl IntoView {
    let cards = summary.derive(move |s| rows::cards(s, node.get()));
    let card = |card: &rows::Card| {
        view! {
            <div class="summary__card" title=card.help.clone() data-card=card.id>
                <span class="summary__label">{card.label}</span>
                <strong class="figure">{card.value.clone()}</strong>
            </div>
        }
    };
    view! { <div class="summary__cards">{move || cards.get().iter().map(card).collect_view()}</div> }
}

#[component]
fn Engines(summary: QueryState<rows::Summary>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::engine_columns()));
    view! {
        <Bars
            id="engine-busy" title="Busy share of each engine" what="Engine" kind=Kind::Share series=Signal::stored(Arc::new(rows::busy_series()))
            bars=summary.derive(rows::busy_bars) empty=wording::NOTHING_RAN
        />
        <Table id="engines" label="Engines" columns rows=summary.derive(rows::engines) empty=wording::NOTHING_RAN />
    }
}

#[component]
fn Notes(summary: QueryState<rows::Summary>) -> impl IntoView {
    let notes = summary.derive(|s| s.notes.clone());
    view! {
        <Show when=move || notes.with(|n| !n.is_empty())>
            <section>
                <h2>"Definitions"</h2>
                <ul class="summary__notes">{move || notes.get().iter().map(|n| view! { <li>{n.clone()}</li> }).collect_view()}</ul>
            </section>
        </Show>
    }
}

#[component]
fn Metrics(summary: QueryState<rows::Summary>, node: Signal<u32>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::metric_columns()));
    let rows = summary.derive(move |s| rows::metrics(s, node.get()));
    let is_whole = move || summary.value.with(|s| s.as_ref().is_some_and(|s| s.is_whole));
    view! {
        <section>
            <h2>"Metrics"</h2>
            <Show when=move || !is_whole()>
                <p class="waiting">"Values of the selected range are computed from its rows. The summary recorded in the file covers the entire trace: clear the range to see it."</p>
            </Show>
            <Table id="metrics" label="Metrics" columns rows empty="No summary is recorded in this file." />
        </section>
    }
}
