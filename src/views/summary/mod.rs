//! A Neuron run in figures: cards, busy engines, and every metric beside what formulas and rows give.

pub mod rows;

use crate::base::{TimeRange, text};
use crate::engine::query::{DeviceAnswer, DeviceQuery};
use crate::engine::{Answer, Query};
use crate::ui::bars::Bars;
use crate::ui::small::Problem;
use crate::ui::table::{Kind, Table};
use crate::views::ask::{Asked, asked};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Figures of the run, or of the selected range.
#[component]
pub fn SummaryView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the whole profile.
    range: Signal<Option<TimeRange>>,
) -> impl IntoView {
    let query = Signal::derive(move || Some(Query::Device(DeviceQuery::Summary(range.get()))));
    let summary: Asked<rows::Summary> = asked(ask, query, |answer| match answer {
        Answer::Device(DeviceAnswer::Summary(summary)) => Some(summary),
        _ => None,
    });
    let scope = move || match range.get() {
        Some(range) => format!("Selected range: {}", text::duration(range.duration())),
        None => "Whole profile".into(),
    };
    view! {
        <section class="summary" data-view="summary" class:is-waiting=move || summary.is_waiting.get() aria-busy=move || summary.is_waiting.get().to_string()>
            <header class="summary__head"><h1>"Summary"</h1><span class="summary__scope">{scope}</span></header>
            <Problem text=summary.problem />
            <Show when=move || summary.value.with(|s| s.is_some())>
                <Cards summary />
                <Engines summary />
                <Notes summary />
                <Metrics summary />
            </Show>
        </section>
    }
}

#[component]
fn Cards(summary: Asked<rows::Summary>) -> impl IntoView {
    let cards = summary.derive(rows::cards);
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
fn Engines(summary: Asked<rows::Summary>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::engine_columns()));
    view! {
        <Bars
            id="engine-busy" title="Busy share of each engine" what="Engine" kind=Kind::Share series=Signal::stored(Arc::new(rows::busy_series()))
            bars=summary.derive(rows::busy_bars) empty="Nothing ran in this range."
        />
        <Table id="engines" label="Engines" columns rows=summary.derive(rows::engines) empty="Nothing ran in this range." />
    }
}

#[component]
fn Notes(summary: Asked<rows::Summary>) -> impl IntoView {
    let notes = summary.derive(|s| s.notes.clone());
    view! {
        <Show when=move || notes.with(|n| !n.is_empty())>
            <section>
                <h2>"How to read these figures"</h2>
                <ul class="summary__notes">{move || notes.get().iter().map(|n| view! { <li>{n.clone()}</li> }).collect_view()}</ul>
            </section>
        </Show>
    }
}

#[component]
fn Metrics(summary: Asked<rows::Summary>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::metric_columns()));
    let rows = summary.derive(rows::metrics);
    let is_whole = move || summary.value.with(|s| s.as_ref().is_some_and(|s| s.is_whole));
    view! {
        <section>
            <h2>"Metrics"</h2>
            <Show when=is_whole fallback=|| view! { <p class="waiting">"The file's metrics are of the whole profile: switch the range to Whole to see them."</p> }>
                <Table id="metrics" label="Metrics" columns rows empty="The file has no summary." />
            </Show>
        </section>
    }
}
