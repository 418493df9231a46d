//! The chosen kernel: its runs, and the ways from it to the timeline.

use super::{State, rows};
use crate::analysis::torch::kernels::{KernelMembers, KernelMembersQuery, KernelRow};
use crate::base::{SliceId, text};
use crate::ui::controls::{Problem, swatch_colour};
use crate::ui::effect::effect;
use crate::ui::table::{Row, Table};
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Beside the table while a row is chosen.
#[component]
pub(super) fn Panel(state: State, ask: Ask) -> impl IntoView {
    let query = Signal::derive(move || {
        let row = state.chosen.get()?;
        let (range, device) = (state.range.get(), state.device.0.get().parse().ok());
        Some(KernelMembersQuery { name: row.name, properties: row.properties, range, device })
    });
    let members = use_query(ask, query);
    effect(move || {
        let (Some(row), Some(members), false) = (state.chosen.get(), members.value.get(), members.is_waiting.get()) else { return };
        state.on_mark.run((row.longest, members.runs.iter().map(|r| r.slice).collect()));
    });
    let panel = move || state.chosen.get().map(|row| view! { <Body state row members /> });
    view! { {panel} }
}

#[component]
fn Body(state: State, row: KernelRow, members: QueryState<KernelMembers>) -> impl IntoView {
    let go = move |label: &'static str, slice: SliceId| {
        view! { <button type="button" class="button" on:click=move |_| state.on_slice.run(slice)>{label}</button> }
    };
    let operator = row.longest_operator.map(|o| go("Launching operator", o));
    let table_rows: Signal<Arc<Vec<Row>>> = members.derive(|m| rows::run_rows(&m.runs));
    let choose = Callback::new(move |at: usize| {
        let slice = members.value.with_untracked(|m| m.as_ref()?.runs.get(at).map(|r| r.slice));
        if let Some(slice) = slice {
            state.on_slice.run(slice);
        }
    });
    let light = move |_| {
        let slices = members.value.with_untracked(|m| m.as_ref().map(|m| m.runs.iter().map(|r| r.slice).collect::<Vec<_>>()));
        state.on_slices.run(slices.unwrap_or_default());
    };
    let shown = move || {
        let members = members.value.get()?;
        let (n, all) = (members.runs.len() as u64, members.n_runs);
        Some(if n < all { format!("First {} of {} runs.", text::count(n), text::count(all)) } else { format!("{} runs", text::count(all)) })
    };
    view! {
        <aside class="panel" data-panel="kernel" aria-label="Selected kernel">
            <header class="panel__head">
                <i class="swatch" style:background=swatch_colour(row.colour)></i>
                <h2 class="panel__title mono">{text::brief(&row.name)}</h2>
                <button type="button" class="button button--quiet" aria-label="Close" on:click=move |_| state.chosen.set(None)>"×"</button>
            </header>
            <div class="panel__ways">
                <button type="button" class="button button--primary" data-go="runs" on:click=light>"Show all in the timeline"</button>
                {go("Longest run", row.longest)}
                {operator}
            </div>
            <Problem text=members.problem />
            <p class="overview__quiet figure">{shown}</p>
            <Table id="kernel-runs" label="Runs" columns=Signal::stored(Arc::new(rows::run_columns())) rows=table_rows on_row=choose empty="…" />
        </aside>
    }
}
