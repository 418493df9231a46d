//! The chosen operator: its kernels, where in the program it was called, and its calls.

use super::frames::{self, FrameLine};
use super::{State, rows};
use crate::analysis::torch::ops::{OpMembers, OpMembersQuery, OpRow, OpStackRow};
use crate::base::{SliceId, text};
use crate::ui::controls::{Problem, swatch_colour};
use crate::ui::effect::effect;
use crate::ui::table::{Row, Table};
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Call stacks shown; those with the least time are omitted.
const MOST_STACKS: usize = 50;

/// Beside the table while a row is chosen.
#[component]
pub(super) fn Panel(state: State, ask: Ask) -> impl IntoView {
    let query = Signal::derive(move || {
        let row = state.chosen.get()?;
        Some(OpMembersQuery { name: row.name, shape: row.shape, range: state.range.get() })
    });
    let members = use_query(ask, query);
    let tab = RwSignal::new("kernels");
    effect(move || {
        let (Some(row), Some(members), false) = (state.chosen.get(), members.value.get(), members.is_waiting.get()) else { return };
        state.on_mark.run((row.longest, members.calls.iter().map(|c| c.slice).collect()));
    });
    let panel = move || state.chosen.get().map(|row| view! { <Body state row members tab /> });
    view! { {panel} }
}

#[component]
fn Body(state: State, row: OpRow, members: QueryState<OpMembers>, tab: RwSignal<&'static str>) -> impl IntoView {
    let light = move |_| {
        let slices = members.value.with_untracked(|m| m.as_ref().map(|m| m.calls.iter().map(|c| c.slice).collect::<Vec<_>>()));
        state.on_slices.run(slices.unwrap_or_default());
    };
    let longest = row.longest;
    let shown = Signal::derive(move || if tab.get() == "kernels" && !state.has_device() { "calls" } else { tab.get() });
    let tabs = move || {
        let one = |(id, label): (&'static str, &'static str)| {
            view! { <button type="button" data-tab=id aria-pressed=move || (shown.get() == id).to_string() on:click=move |_| tab.set(id)>{label}</button> }
        };
        let has_device = state.has_device();
        [("kernels", "Kernels"), ("stacks", "Call stacks"), ("calls", "Calls")]
            .into_iter()
            .filter(|t| has_device || t.0 != "kernels")
            .map(one)
            .collect_view()
    };
    let part = move || match shown.get() {
        "kernels" => view! { <KernelPart state members /> }.into_any(),
        "stacks" => view! { <StackPart state members /> }.into_any(),
        _ => view! { <CallPart state members /> }.into_any(),
    };
    view! {
        <aside class="panel" data-panel="operator" aria-label="Selected operator">
            <header class="panel__head">
                <i class="swatch" style:background=swatch_colour(row.colour)></i>
                <h2 class="panel__title mono">{text::brief(&row.name)}</h2>
                <button type="button" class="button button--quiet" aria-label="Close" on:click=move |_| state.chosen.set(None)>"×"</button>
            </header>
            {row.shape.clone().map(|shape| view! { <p class="mono panel__shape">{shape}</p> })}
            <div class="panel__ways">
                <button type="button" class="button button--primary" data-go="calls" on:click=light>"Show all in the timeline"</button>
                <button type="button" class="button" on:click=move |_| state.on_slice.run(longest)>"Longest call"</button>
            </div>
            <span class="segmented" role="group" aria-label="Parts">{tabs}</span>
            <Problem text=members.problem />
            {part}
        </aside>
    }
}

#[component]
fn KernelPart(state: State, members: QueryState<OpMembers>) -> impl IntoView {
    let table_rows: Signal<Arc<Vec<Row>>> = members.derive(|m| rows::kernel_rows(&m.kernels));
    let choose = Callback::new(move |at: usize| {
        if let Some(slice) = members.value.with_untracked(|m| m.as_ref()?.kernels.get(at).map(|k| k.longest)) {
            state.on_slice.run(slice);
        }
    });
    view! {
        <p class="overview__quiet">"Kernels launched directly by its calls. Click one to show its longest run in the timeline."</p>
        <Table id="operator-kernels" label="Kernels of the operator" columns=Signal::stored(Arc::new(rows::kernel_columns())) rows=table_rows on_row=choose empty="Its calls launched no kernels directly." />
    }
}

#[component]
fn CallPart(state: State, members: QueryState<OpMembers>) -> impl IntoView {
    let has_device = state.has_device();
    let table_rows: Signal<Arc<Vec<Row>>> = members.derive(move |m| rows::call_rows(&m.calls, has_device));
    let choose = Callback::new(move |at: usize| {
        let slice: Option<SliceId> = members.value.with_untracked(|m| m.as_ref()?.calls.get(at).map(|c| c.slice));
        if let Some(slice) = slice {
            state.on_slice.run(slice);
        }
    });
    let count = move || {
        let members = members.value.get()?;
        let (n, all) = (members.calls.len() as u64, members.n_calls);
        Some(if n < all {
            format!("First {} of {} calls.", text::count(n), text::count(all))
        } else {
            format!("{} calls. Click one to show it in the timeline.", text::count(all))
        })
    };
    view! {
        <p class="overview__quiet figure">{count}</p>
        <Table id="operator-calls" label="Calls of the operator" columns=Signal::stored(Arc::new(rows::call_columns(has_device))) rows=table_rows on_row=choose empty="No call in this range." />
    }
}

#[component]
fn StackPart(state: State, members: QueryState<OpMembers>) -> impl IntoView {
    let root = frames::source_root();
    let set_root = move |typed: String| {
        frames::keep_root(typed.trim());
        root.set(typed.trim().into());
    };
    let stacks = move || {
        let members = members.value.get()?;
        let recorded: Vec<&OpStackRow> = members.stacks.iter().filter(|s| !s.frames.is_empty()).collect();
        if recorded.is_empty() {
            let sentence = "Call stacks are not recorded in this file. Record with with_stack=True.";
            return Some(view! { <p class="overview__quiet">{sentence}</p> }.into_any());
        }
        let n_more = recorded.len().saturating_sub(MOST_STACKS);
        let more =
            (n_more > 0).then(|| view! { <p class="overview__quiet">{format!("{} more with less time.", text::count(n_more as u64))}</p> });
        let items = recorded.into_iter().take(MOST_STACKS).map(|s| view! { <Stack state stack=s.clone() root /> }).collect_view();
        Some(view! { <div class="stacks">{items}{more}</div> }.into_any())
    };
    view! {
        <label class="field">
            "Source folder"
            <input
                class="input mono" data-field="source-root" placeholder="/path/to/project" title="Prefix for relative paths when a frame is opened in the editor. Saved in this browser."
                prop:value=move || root.get() on:change:target=move |e| set_root(e.target().value())
            />
        </label>
        {stacks}
    }
}

/// One place in the program, its innermost frame first.
#[component]
fn Stack(state: State, stack: OpStackRow, root: RwSignal<String>) -> impl IntoView {
    let time = if state.has_device() { stack.times.device_total } else { stack.times.host_total };
    let head =
        format!("{} calls · {} {}", text::count(stack.calls), if state.has_device() { "device" } else { "host" }, text::duration(time));
    let longest = stack.longest;
    let lines = stack.frames.iter().rev().map(|f| view! { <FrameLine text=f.clone() root /> }).collect_view();
    view! {
        <section class="stack" data-stack>
            <header class="stack__head">
                <span class="figure">{head}</span>
                <button type="button" class="link" on:click=move |_| state.on_slice.run(longest)>"longest call"</button>
            </header>
            <ol class="stack__frames">{lines}</ol>
        </section>
    }
}
