//! Serving on Neuron: executions by model and bucket, bursts of traffic, time between executions, cores, copies, memory.

pub mod rows;

use crate::analysis::system::{Serving, ServingQuery};
use crate::base::{SliceId, TimeRange};
use crate::ui::bars::Bars;
use crate::ui::controls::{Problem, with_code};
use crate::ui::table::{Column, Kind, Row, Table};
use crate::views::query::{QueryState, use_query};
use crate::views::{device_tables, scope};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// The view.
#[component]
pub fn ServingView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Shows a slice in the timeline; marks the others.
    on_slice: Callback<(SliceId, Vec<SliceId>)>,
    /// Makes a range the scope of every view.
    on_range: Callback<Option<TimeRange>>,
) -> impl IntoView {
    let query = move || Some(ServingQuery { range: range.get(), burst: None });
    let found: QueryState<Serving> = use_query(ask, Signal::derive(query));
    let is_there = move || found.value.with(Option::is_some);
    let cards = found.derive(rows::cards);
    let card = |(id, label, value): &(&'static str, &'static str, String)| {
        view! { <div class="summary__card" data-card=*id><span class="summary__label">{*label}</span><strong class="figure">{value.clone()}</strong></div> }
    };
    let notes = found.derive(|s| s.notes.clone());
    let show_bucket = Callback::new(move |at: usize| {
        let slices =
            found.value.with_untracked(|s| s.as_ref().and_then(|s| s.buckets.get(at)).map(|b| b.slices.clone()).unwrap_or_default());
        if let Some(first) = slices.first().copied() {
            on_slice.run((first, slices));
        }
    });
    let show_burst = Callback::new(move |at: usize| {
        let burst = found.value.with_untracked(|s| s.as_ref().and_then(|s| s.bursts.get(at)).map(|b| b.range));
        on_range.run(burst);
    });
    let pairing = move || found.value.with(|s| s.as_ref().and_then(|s| s.delay.as_ref()).map(|d| d.pairing.clone()));
    view! {
        <section class="system" data-view="serving" aria-busy=move || found.is_waiting.get().to_string()>
            <header class="summary__head"><h1>"Serving"</h1><span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span></header>
            <Problem text=found.problem />
            <Show when=is_there>
                <div class="summary__cards">{move || cards.get().iter().map(card).collect_view()}</div>
                <Show when=move || notes.with(|n| !n.is_empty())>
                    <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
                </Show>
                <Part id="buckets" title="Executions by model and bucket" columns=rows::bucket_columns() rows=found.derive(rows::buckets) on_row=show_bucket
                    empty="No execution starts in this scope." />
                <Part id="bursts" title="Bursts of traffic" columns=rows::burst_columns() rows=found.derive(rows::bursts) on_row=show_burst
                    empty="No executions are recorded in this file (event nc_exec_running)." />
                <section class="system__part" data-part="gaps">
                    <h2>"Time between executions"</h2>
                    <p class="system__text">{move || found.value.get().map(|s| rows::gap_sentence(&s))}</p>
                    <Bars id="serving-gaps" title="Time between executions by host activity" what="Host activity" kind=Kind::Duration
                        series=Signal::stored(Arc::new(rows::gap_series())) bars=found.derive(rows::gap_bars) empty="No time between executions." />
                    <Table id="serving-gaps" label="Time between executions by host activity" columns=Signal::stored(Arc::new(rows::gap_columns()))
                        rows=found.derive(rows::gaps) empty="No time between executions." />
                </section>
                <Part id="delay" title="Submission to start" columns=rows::delay_columns() rows=found.derive(rows::delay) empty="No submission is recorded in this file." />
                <p class="system__text" data-pairing>{pairing}</p>
                <Part id="serving-cores" title="NeuronCores" columns=rows::core_columns() rows=found.derive(rows::cores) empty="No core executes in this scope." />
                <Part id="copies" title="Copies between host and device" columns=device_tables::transfer_columns() rows=found.derive(rows::copies)
                    empty="No copies are recorded in this scope." />
                <p class="system__text">{move || found.value.get().map(|s| rows::transfers_sentence(&s))}</p>
                <Part id="serving-hbm" title="HBM by category, at its maximum" columns=device_tables::hbm_columns() rows=found.derive(rows::hbm)
                    empty="HBM use is not recorded in this file (section device_mem_usage)." />
            </Show>
        </section>
    }
}

/// A heading and its table.
#[component]
fn Part(
    /// The table's id.
    id: &'static str,
    /// Heading and label.
    title: &'static str,
    /// Columns.
    columns: Vec<Column>,
    /// Rows.
    rows: Signal<Arc<Vec<Row>>>,
    /// A row was chosen.
    #[prop(optional)]
    on_row: Option<Callback<usize>>,
    /// What is there without rows.
    empty: &'static str,
) -> impl IntoView {
    let columns = Signal::stored(Arc::new(columns));
    let table = match on_row {
        Some(on_row) => view! { <Table id=id label=title columns rows on_row empty=empty /> }.into_any(),
        None => view! { <Table id=id label=title columns rows empty=empty /> }.into_any(),
    };
    view! { <section class="system__part" data-part=id><h2>{title}</h2>{table}</section> }
}
