//! Tensors and memory of a device run: who was moved how often, what fills device memory, PSUM and State Buffer over time.

mod access_map;
mod access_rows;
mod address_plot;
mod areas;
mod map;
pub mod rows;

use super::query::{QueryState, use_query};
use crate::analysis::device::{SbufMap, SbufQuery, Tensors};
use crate::base::{SliceId, TimeRange};
use crate::engine::query::TensorsQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::{Bars, Series};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::curve::Curve;
use crate::ui::table::{Kind, Row, Table};
use crate::views::scope::EntireTrace;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    tensors: QueryState<Tensors>,
    map: QueryState<SbufMap>,
    /// Nanoseconds as typed; empty is any time.
    at: Choice<String>,
    memory: Choice<String>,
    /// `core.partition` of the map.
    part: Choice<String>,
    choices: ViewState,
    on_tensor: Callback<String>,
    on_range: Callback<TimeRange>,
    whole: Option<TimeRange>,
}

impl State {
    fn chosen_time(&self) -> Option<i64> {
        self.at.0.get().trim().parse().ok()
    }
}

/// (core, partition) as text.
fn part_text(part: &(i64, i64)) -> String {
    format!("{}.{}", part.0, part.1)
}

/// Tensors and memory.
#[component]
pub fn TensorsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Show the transfers of a variable in the timeline.
    on_tensor: Callback<String>,
    /// Show an instruction in the timeline.
    #[prop(default = Callback::new(|_| ()))]
    on_slice: Callback<SliceId>,
    /// Show an interval in the timeline.
    on_range: Callback<TimeRange>,
    /// The run, as long as its timeline; curves show all of it.
    #[prop(optional)]
    whole: Option<TimeRange>,
    /// Moment, memory, part of the map.
    #[prop(default = ViewState::detached("tensors"))]
    choices: ViewState,
) -> impl IntoView {
    let map_ask = ask.clone();
    let query = Signal::stored(Some(TensorsQuery));
    let tensors: QueryState<Tensors> = use_query(ask.clone(), query);
    let part = choices.choice("part", String::new());
    let wanted = Signal::derive(move || {
        let parts = tensors.value.with(|t| t.as_ref().map(|t| t.maps.clone()))?;
        let typed = part.0.get();
        let (core, partition) = *parts.iter().find(|p| part_text(p) == typed).or(parts.first())?;
        Some(SbufQuery { core, partition })
    });
    let map: QueryState<SbufMap> = use_query(ask, wanted);
    let (at, memory) = (choices.choice("at", String::new()), choices.choice("memory", String::new()));
    let state = State { tensors, map, at, memory, part, choices, on_tensor, on_range, whole };
    view! {
        <section class="torch tensors" data-view="tensors" class:is-waiting=move || tensors.is_waiting.get() aria-busy=move || tensors.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Tensors and memory"</h1>
                <EntireTrace />
                <Help text="Load factors are recorded by the profiler. Transfers are counted from DMA rows with a variable name, in any direction." />
            </header>
            <Problem text=tensors.problem />
            <Show when=move || tensors.is_first()><p class="waiting" role="status">"Computing tensors…"</p></Show>
            <Notes notes=tensors.derive(|t| t.notes.clone()) />
            <Show when=move || tensors.value.with(Option::is_some)>
                <TensorTable state />
                <Stretches state />
                <DeviceMemory state />
                <OnChip state />
                <Map state />
                <access_map::AccessMap ask=map_ask.clone() choices on_slice />
            </Show>
        </section>
    }
}

#[component]
fn TensorTable(state: State) -> impl IntoView {
    let filled = Memo::new(move |_| {
        let all = state.tensors.value.with(|t| t.as_ref().map(|t| rows::tensor_rows(t, None)).unwrap_or_default());
        rows::filled(&rows::tensor_columns(), &all)
    });
    let columns = Signal::derive(move || Arc::new(filled.with(|f| rows::picked(rows::tensor_columns(), &f.0))));
    let rows = Signal::derive(move || {
        let all = state.tensors.value.with(|t| t.as_ref().map(|t| rows::tensor_rows(t, state.chosen_time())).unwrap_or_default());
        let pick = |row: Row| Row { cells: filled.with(|f| rows::picked(row.cells, &f.0)), ..row };
        Arc::new(all.into_iter().map(pick).collect::<Vec<_>>())
    });
    let left_out =
        move || filled.with(|f| (!f.1.is_empty()).then(|| format!("Not recorded in this file, so not in the table: {}.", f.1.join(", "))));
    let choose = Callback::new(move |at: usize| {
        let name = state.tensors.value.with_untracked(|t| {
            let t = t.as_ref()?;
            let chosen_time = state.at.0.get_untracked().trim().parse().ok();
            rows::shown(t, chosen_time).get(at).filter(|t| t.transfers.is_some_and(|n| n > 0)).map(|t| t.name.clone())
        });
        if let Some(name) = name {
            state.on_tensor.run(name);
        }
    });
    let saved = state.choices.choice("table", String::new());
    let has_times = move || state.tensors.value.with(|t| t.as_ref().is_some_and(|t| t.rows.iter().any(|r| r.used.is_some())));
    view! {
        <h2>"Tensors"</h2>
        <Show when=has_times>
            <label class="field">
                "In use at (ns)"
                <input
                    class="input input--number input--time" data-field="at" type="number" prop:value=move || state.at.0.get()
                    on:change:target=move |e| state.at.1.set(e.target().value())
                />
            </label>
        </Show>
        {move || left_out().map(|note| view! { <p class="torch__figure" data-left-out>{note}</p> })}
        <Table id="tensors" label="Tensors" columns rows on_row=choose empty="No tensor is recorded, or none is in use at this time." saved />
    }
}

#[component]
fn Stretches(state: State) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::band_columns()));
    let rows = state.tensors.derive(rows::bands);
    let choose = Callback::new(move |at: usize| {
        let range = state.tensors.value.with_untracked(|t| t.as_ref().and_then(|t| t.bands.get(at).map(|b| b.range)));
        if let Some(range) = range {
            state.on_range.run(range);
        }
    });
    let empty = "No tensor is loaded more than twice and there are no bursts of small transfers in this file.";
    view! {
        <h2>"Reloaded tensors and small transfers"</h2>
        <Table id="tensor-bands" label="Reloaded tensors and bursts of small transfers" columns rows on_row=choose empty />
    }
}

#[component]
fn DeviceMemory(state: State) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::hbm_columns()));
    let is_there = move || state.tensors.value.with(|t| t.as_ref().is_some_and(|t| !t.hbm.is_empty()));
    let totals = state.tensors.derive(rows::hbm_totals);
    view! {
        <Show when=is_there>
            <h2>"Device memory"</h2>
            <p class="torch__figure" data-hbm-total>{move || totals.get().to_string()}</p>
            <Bars
                id="hbm-usage" title="Device memory by type" what="Type" kind=Kind::Bytes series=Signal::stored(Arc::new(vec![Series::new("Bytes", 0)]))
                bars=state.tensors.derive(rows::hbm_bars) empty="No memory type has allocations."
            />
            <Table id="hbm" label="Device memory by type" columns rows=state.tensors.derive(rows::hbm_rows) empty="" />
        </Show>
    }
}

#[component]
fn OnChip(state: State) -> impl IntoView {
    let names = state.tensors.derive(rows::memories);
    let options = move || {
        let shown = state.tensors.value.with(|t| t.as_ref().map(|t| rows::chosen(t, &state.memory.0.get())).unwrap_or_default());
        names.get().iter().map(|n| view! { <option value=n.clone() selected=*n == shown>{n.clone()}</option> }).collect_view()
    };
    let lines = state.tensors.derive(move |t| rows::lines(t, &state.memory.0.get()));
    let unit = state.tensors.derive(move |t| rows::unit_line(t, &state.memory.0.get()));
    let whole = Signal::stored(state.whole.map(|w| (w.start.0, w.end.0)));
    let columns = Signal::stored(Arc::new(rows::peak_columns()));
    view! {
        <Show when=move || names.with(|n| !n.is_empty())>
            <h2>"PSUM and State Buffer over time"</h2>
            <label class="field">
                "Memory"
                <select class="select" data-field="memory" on:change:target=move |e| state.memory.1.set(e.target().value())>{options}</select>
            </label>
            <p class="torch__hint" data-unit>{move || unit.get().to_string()}</p>
            <Curve id="on-chip" title="Usage over time" x=("Time", Kind::Duration) y=("", Kind::Number) lines whole empty="No samples are recorded." />
            <Table id="on-chip-peaks" label="Peaks" columns rows=state.tensors.derive(rows::peaks) empty="No samples are recorded." />
        </Show>
    }
}

#[component]
fn Map(state: State) -> impl IntoView {
    let parts = state.tensors.derive(|t| t.maps.clone());
    let options = move || {
        let chosen = state.part.0.get();
        let option = |p: &(i64, i64)| {
            view! { <option value=part_text(p) selected=part_text(p) == chosen>{format!("core {}, partition {}", p.0, p.1)}</option> }
        };
        parts.get().iter().map(option).collect_view()
    };
    view! {
        <Show when=move || parts.with(|p| !p.is_empty())>
            <h2>"State Buffer"</h2>
            <label class="field">
                "Core and partition"
                <select class="select" data-field="part" on:change:target=move |e| state.part.1.set(e.target().value())>{options}</select>
            </label>
            <Problem text=state.map.problem />
            <map::SbufChart map=state.map />
        </Show>
    }
}
