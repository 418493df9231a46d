//! The hierarchy of a Neuron run: cores, layers and what the compiler made of them, as a flame graph and as a tree table.

pub mod rows;

use super::grouping::Grouping;
use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::device::layers::{Layers, LayersQuery};
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::LayerSlicesQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::flame::Flame;
use crate::ui::table::Kind;
use crate::ui::tree::TreeTable;
use crate::worker::client::Ask;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    layers: QueryState<Layers>,
    query: Memo<LayersQuery>,
    by: Choice<String>,
    depth: Choice<u32>,
    chosen: RwSignal<Option<usize>>,
}

/// Layers, and what is below them.
#[component]
pub fn LayersView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show slices in the timeline, the first of them selected.
    on_slices: Callback<Vec<SliceId>>,
    /// Grouping and depth.
    #[prop(default = ViewState::detached("layers"))]
    choices: ViewState,
) -> impl IntoView {
    let (by, depth) = (choices.choice("group", String::from("layer")), choices.choice("depth", 0u32));
    let query = Memo::new(move |_| LayersQuery { by: by.0.get(), depth: depth.0.get(), range: range.get() });
    let question = Signal::derive(move || Some(query.get()));
    let layers: QueryState<Layers> = use_query(ask.clone(), question);
    let state = State { layers, query, by, depth, chosen: RwSignal::new(None) };
    effect(move || {
        layers.value.track();
        state.chosen.set(None);
    });
    let ask = StoredValue::new(ask);
    let has = move || layers.value.with(|l| l.is_some());
    view! {
        <section class="torch layers" data-view="layers" class:is-waiting=move || layers.is_waiting.get() aria-busy=move || layers.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Layers"</h1>
                <span class="torch__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <Help text="Active time is the time in which an engine ran any instruction except a semaphore wait; overlaps count once. HFU and MFU are FLOPs ÷ (peak of all cores × time from first start to last end); MFU excludes transposes." />
            </header>
            <Problem text=layers.problem />
            <Show when=move || layers.is_first()><p class="waiting" role="status">"Computing layers…"</p></Show>
            <Show when=has>
                <Choices state />
                <Notes notes=layers.derive(|l| l.notes.clone()) />
                <Parts state ask=ask.get_value() on_slices />
            </Show>
        </section>
    }
}

#[component]
fn Choices(state: State) -> impl IntoView {
    let groupings = state.layers.derive(|l| l.choices.clone());
    let max_depth = Memo::new(move |_| state.layers.value.with(|l| l.as_ref().map_or(0, |l| l.max_depth)));
    view! {
        <div class="torch__choices">
            <Grouping label="Group by" groupings max_depth=max_depth.into() by=state.by depth=state.depth />
        </div>
    }
}

#[component]
fn Parts(state: State, ask: Ask, on_slices: Callback<Vec<SliceId>>) -> impl IntoView {
    let nodes = state.layers.derive(rows::flame);
    let branches = state.layers.derive(rows::branches);
    let columns = Signal::stored(Arc::new(rows::columns()));
    let choose = Callback::new(move |at| state.chosen.set(Some(at)));
    let problem = RwSignal::new(None::<String>);
    let go = Callback::new(move |at: usize| {
        let (ask, query) = (ask.clone(), state.query.get_untracked());
        spawn_local(async move {
            match ask.ask(LayerSlicesQuery { layers: query, node: at as u32 }).await {
                Ok(slices) => on_slices.run(slices.0),
                Err(error) => problem.set(Some(error.to_string())),
            }
        });
    });
    let actions = move || {
        let at = state.chosen.get()?;
        let node = state.layers.value.with(|l| l.as_ref().and_then(|l| l.nodes.get(at).cloned()))?;
        let label = format!("Show {} in the timeline", text::count(node.occurrences));
        Some(view! {
            <strong class="mono">{node.name.clone()}</strong>
            <button type="button" class="button" data-go="occurrences" on:click=move |_| go.run(at)>{label}</button>
        })
    };
    let hint = move || {
        let is_none = state.chosen.with(Option::is_none);
        is_none.then(|| view! { <span class="torch__hint">"Select a row or a frame of the flame graph to show its instructions in the timeline."</span> })
    };
    view! {
        <Flame
            id="layers" title="Active time of all engines together" what="Layer" kind=Kind::Duration nodes on_node=choose
            empty="No engine was active in this range."
        />
        <Problem text=problem />
        <div class="torch__choices" data-chosen-layer>{hint}{actions}</div>
        <TreeTable
            id="layers" label="Layers" columns branches levels=3 selected=state.chosen on_row=choose empty="No instruction ran in this range."
        />
    }
}
