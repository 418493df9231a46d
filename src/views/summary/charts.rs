//! The charts of the summary: engines, memory, transfers, collective operations, and what the run was made on.

use super::chart_rows::{self as rows, Charts};
use super::chart_tables as tables;
use super::transfer_rows as transfers;
use crate::base::{SliceId, TimeRange};
use crate::engine::query::ChartsQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::boxes::Boxes;
use crate::ui::chart::figures::Figures;
use crate::ui::controls::{Help, Problem, with_code};
use crate::ui::pie::Pie;
use crate::ui::scatter::Scatter;
use crate::ui::table::Kind;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    charts: QueryState<Charts>,
    core: Choice<String>,
    by: Choice<String>,
}

impl State {
    /// What is made of the charts for the chosen core.
    fn of_core<R: Default + Send + Sync + 'static>(self, make: impl Fn(&Charts, &str) -> R + Send + Sync + 'static) -> Signal<Arc<R>> {
        let core = self.core.0;
        self.charts.derive(move |c| make(c, &core.get()))
    }
}

/// All charts of the run, or of the range.
#[component]
pub fn ChartsOf(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Core, and what transfers are put together by.
    choices: ViewState,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
) -> impl IntoView {
    let query = Signal::derive(move || Some(ChartsQuery { range: range.get() }));
    let charts: QueryState<Charts> = use_query(ask, query);
    let state = State { charts, core: choices.choice("core", String::new()), by: choices.choice("dma", String::from("engine")) };
    let has_rows = move || {
        let is_some = |c: &Arc<Charts>| !c.engines.is_empty() || !c.transfers.is_empty() || c.memory.is_some();
        charts.value.with(|c| c.as_ref().is_some_and(is_some))
    };
    let core = state.core.0;
    // A range in which a core does nothing takes it neither from the list nor from what is chosen.
    let cores = Memo::new(move |before: Option<&Vec<String>>| {
        let now = charts.value.with(|c| c.as_ref().map(|c| c.cores.clone()).unwrap_or_default());
        rows::known_cores(before.map(Vec::as_slice).unwrap_or_default(), &now, &core.get())
    });
    let has_pick = move || has_rows() || cores.with(|c| c.len() > 1);
    // What the file has no rows of has no chart; the notes say so.
    let has_engines = move || charts.value.with(|c| c.as_ref().is_some_and(|c| !c.engines.is_empty()));
    let has_transfers = move || range.with(Option::is_some) || charts.value.with(|c| c.as_ref().is_some_and(|c| !c.transfers.is_empty()));
    let has_collectives = move || charts.value.with(|c| c.as_ref().is_some_and(|c| !c.boxes.is_empty()));
    view! {
        <Problem text=charts.problem />
        <Show when=has_pick><Pick state cores /></Show>
        <Show when=has_rows>
            <div class="summary__charts" aria-busy=move || charts.is_waiting.get().to_string()>
                <Show when=has_engines><Engines state /></Show>
                <Memory state />
                <Show when=has_transfers>
                    <Transfers state />
                    <Sizes state on_slice />
                </Show>
                <Show when=has_collectives><Collectives state on_slice /></Show>
            </div>
            <NotesOf state />
        </Show>
        <System state />
    }
}

/// Chooses the core that the charts show.
#[component]
fn Pick(state: State, cores: Memo<Vec<String>>) -> impl IntoView {
    let options = move || {
        let chosen = state.core.0.get();
        let option = |name: &String| view! { <option value=name.clone() selected=*name == chosen>{name.clone()}</option> };
        cores.get().iter().map(option).collect_view()
    };
    view! {
        <div class="torch__choices">
            <h2>"Charts"</h2>
            <Show when=move || cores.with(|c| c.len() > 1)>
                <label class="field">
                    "Core"
                    <select class="select" data-field="core" on:change:target=move |e| state.core.1.set(e.target().value())>
                        <option value="" selected=move || state.core.0.with(String::is_empty)>"All"</option>
                        {options}
                    </select>
                </label>
            </Show>
        </div>
    }
}

#[component]
fn Engines(state: State) -> impl IntoView {
    view! {
        <Bars
            id="flops" title="FLOPs utilization and time of each engine, share of the window" what="Engine" kind=Kind::Share
            series=state.charts.derive(rows::split_series) bars=state.of_core(rows::split_bars) empty="No engine ran in this range."
        />
        <Bars
            id="origins" title="Instructions of each engine by where they come from, count" what="Engine" kind=Kind::Count
            series=Signal::stored(Arc::new(rows::origin_series())) bars=state.of_core(rows::origin_bars) empty="No engine ran in this range."
        />
    }
}

#[component]
fn Memory(state: State) -> impl IntoView {
    let (line, facts) = (state.charts.derive(rows::memory_line), state.charts.derive(rows::memory_facts));
    view! {
        <div class="summary__chart">
            <Pie
                id="memory" title="Memory bandwidth utilization: bytes from and to HBM" what="Bytes" kind=Kind::Bytes slices=state.charts.derive(rows::memory_slices)
                limit=Signal::stored(5) empty="Not available: see the notes below the charts."
            />
            <dl class="summary__system" data-part="memory-facts">{move || facts.get().iter().map(fact).collect_view()}</dl>
            <p class="torch__hint">{move || line.get().to_string()}</p>
        </div>
    }
}

#[component]
fn Transfers(state: State) -> impl IntoView {
    let by = Memo::new(move |_| transfers::transfer_by(&state.by.0.get()));
    let bars = state.of_core(move |c, core| transfers::transfer_bars(c, core, by.get()));
    let option = move |id: &'static str, label: &'static str| {
        view! { <option value=id selected=move || by.get() == transfers::transfer_by(id)>{label}</option> }
    };
    let what = move || state.charts.value.with(|c| c.as_ref().map(|c| transfers::transfer_line(c, by.get())));
    view! {
        <div class="summary__chart">
            <Bars
                id="dma" title="DMA utilization, share of the window" what="DMA" kind=Kind::Share series=state.charts.derive(transfers::transfer_series)
                bars empty="There are no DMA transfers in this range."
            />
            <div class="torch__choices">
                <label class="field">
                    "By"
                    <select class="select" data-field="dma" on:change:target=move |e| state.by.1.set(e.target().value())>
                        {option("engine", "DMA engine")} {option("queue", "Queue")} {option("type", "Type")}
                    </select>
                </label>
                <span class="torch__hint">{what}</span>
                <Help text="Bandwidth is bytes moved ÷ (dma_ddr_bandwidth of the metadata × time); the rest of the bar is time in which at least one transfer ran below this bandwidth. Duplicate packets count once." />
            </div>
        </div>
    }
}

#[component]
fn Sizes(state: State, on_slice: Callback<SliceId>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(tables::size_columns()));
    let show = Callback::new(move |at: usize| {
        let core = state.core.0.get_untracked();
        let slice = state.charts.value.with_untracked(|c| c.as_ref().and_then(|c| transfers::sizes_of(c, &core).nth(at).map(|s| s.slice)));
        if let Some(slice) = slice {
            on_slice.run(slice);
        }
    });
    view! {
        <Scatter
            id="dma-sizes" title="DMA throughput by size of the transfers" titles=("Bytes of a transfer", "Bytes/s") dots=state.of_core(transfers::size_dots)
            ceilings=Signal::stored(Arc::new(Vec::new())) slope=Signal::stored(None) mark=Signal::stored(None)
            figures=Figures { columns, rows: state.of_core(tables::size_rows) } on_dot=show empty="Sizes of DMA transfers are not recorded in this range."
        />
    }
}

#[component]
fn Collectives(state: State, on_slice: Callback<SliceId>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(tables::operation_columns()));
    let box_columns = Signal::stored(Arc::new(tables::box_columns()));
    let show = Callback::new(move |at: usize| {
        if let Some(slice) =
            state.charts.value.with_untracked(|c| c.as_ref().and_then(|c| rows::sized_operations(c).nth(at).map(|(o, _)| o.slice)))
        {
            on_slice.run(slice);
        }
    });
    view! {
        <Scatter
            id="collectives" title="Collective operations: duration by size" titles=("Bytes", "Duration, ns") dots=state.charts.derive(rows::operation_dots)
            ceilings=Signal::stored(Arc::new(Vec::new())) slope=Signal::stored(None) mark=Signal::stored(None)
            figures=Figures { columns, rows: state.charts.derive(tables::operation_rows) } on_dot=show
            empty="Sizes of collective operations are not recorded in this file; the box plots show their durations."
        />
        <Boxes
            id="collective-boxes" title="Durations of collective operations by name and size" kind=Kind::Duration boxes=state.charts.derive(rows::boxes)
            figures=Figures { columns: box_columns, rows: state.charts.derive(tables::box_rows) } empty="No collective operations in this range."
        />
    }
}

#[component]
fn NotesOf(state: State) -> impl IntoView {
    let notes = state.charts.derive(|c| c.notes.clone());
    view! {
        <Show when=move || notes.with(|n| !n.is_empty())>
            <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
        </Show>
    }
}

fn fact((name, value): &(String, String)) -> impl IntoView + use<> {
    view! { <div><dt>{name.clone()}</dt><dd>{value.clone()}</dd></div> }
}

#[component]
fn System(state: State) -> impl IntoView {
    let facts = state.charts.derive(rows::system);
    view! {
        <Show when=move || facts.with(|f| !f.is_empty())>
            <section data-part="system">
                <h2>"System"</h2>
                <dl class="summary__system">{move || facts.get().iter().map(fact).collect_view()}</dl>
            </section>
        </Show>
    }
}
