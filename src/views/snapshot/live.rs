//! What is allocated at a moment: by frame, allocation by allocation, and one of them with its stack.

use super::{State, rows};
use crate::analysis::snapshot::{AllocationDetail, AllocationsQuery, GroupBy, LiveAllocations};
use crate::base::text;
use crate::engine::query::AllocationQuery;
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Allocations of a moment that are listed at most.
const ALLOCATIONS_MAX: u32 = 2000;

/// Tables of the chosen moment.
#[component]
pub(super) fn Live(state: State, ask: Ask) -> impl IntoView {
    let options = move || {
        let chosen = state.by.0.get();
        GroupBy::ALL.map(|by| view! { <option value=by.id() selected=chosen == by.id()>{by.label()}</option> }).collect_view()
    };
    let heading =
        move || if state.chosen_time.0.with(String::is_empty) { "Allocated at the peak" } else { "Allocated at the chosen moment" };
    let sentence = move || state.live.value.with(|l| l.as_ref().map(|l| rows::summary_of(l)));
    let go = move |to: &'static str| move |_| state.chosen_time.1.set(to.into());
    let last = move |_| {
        if let Some(n) = state.of_device(|d| d.n_events) {
            state.chosen_time.1.set(n.to_string());
        }
    };
    let groups = state.live.derive(rows::group_rows);
    let choose = Callback::new(move |at: usize| {
        let largest = state.live.value.with_untracked(|l| l.as_ref().and_then(|l| l.groups.get(at).map(|g| g.largest)));
        state.chosen.set(largest.or(state.chosen.get_untracked()));
    });
    let cut = move || {
        state.live.value.with(|l| {
            l.as_ref()
                .filter(|l| (l.groups.len() as u64) < l.n_groups)
                .map(|l| format!("The largest {} of {} frames are listed.", text::count(l.groups.len() as u64), text::count(l.n_groups)))
        })
    };
    view! {
        <section class="torch__part">
            <h2>{heading}</h2>
            <p class="torch__figure" data-moment role="status">{sentence}</p>
            <div class="torch__choices">
                <button type="button" class="button" data-go="peak" on:click=go("")>"Peak"</button>
                <button type="button" class="button" data-go="first" on:click=go("0")>"Before the first event"</button>
                <button type="button" class="button" data-go="last" on:click=last>"After the last event"</button>
                <label class="field">
                    "Group by "
                    <select class="select" data-field="group" on:change:target=move |e| state.by.1.set(e.target().value())>{options}</select>
                </label>
            </div>
            <Problem text=state.live.problem />
            <Table
                id="snapshot-live" label="Allocated memory by frame" columns=Signal::stored(Arc::new(rows::group_columns())) rows=groups on_row=choose
                saved=state.choices.choice("live", "-bytes|||".into()) empty="Nothing is allocated at this moment."
            />
            <p class="torch__hint">"Click a row to show the stack of its largest allocation. " {cut}</p>
        </section>
        <Largest state ask />
    }
}

#[component]
fn Largest(state: State, ask: Ask) -> impl IntoView {
    let query = Signal::derive(move || {
        let device = state.of_device(|d| d.device)?;
        Some(AllocationsQuery { device, state: state.state(), limit: ALLOCATIONS_MAX })
    });
    let found: QueryState<LiveAllocations> = use_query(ask.clone(), query);
    let choose = Callback::new(move |at: usize| {
        let id = found.value.with_untracked(|f| f.as_ref().and_then(|f| f.rows.get(at).map(|a| a.id)));
        state.chosen.set(id.or(state.chosen.get_untracked()));
    });
    let cut = move || {
        found.value.with(|f| {
            f.as_ref()
                .filter(|f| (f.rows.len() as u64) < f.n_total)
                .map(|f| format!("The largest {} of {} allocations are listed.", text::count(f.rows.len() as u64), text::count(f.n_total)))
        })
    };
    let selected = Signal::derive(move || {
        let id = state.chosen.get()?;
        found.value.with(|f| f.as_ref().and_then(|f| f.rows.iter().position(|a| a.id == id)))
    });
    view! {
        <section class="torch__part">
            <h2>"Allocations"</h2>
            <p class="torch__hint">"Allocations of the moment above. Click a row for its stack. " {cut}</p>
            <Problem text=found.problem />
            <div class="memory__pieces">
                <Table
                    id="snapshot-allocations" label="Allocations at this moment" columns=Signal::stored(Arc::new(rows::allocation_columns()))
                    rows=found.derive(rows::allocation_rows) on_row=choose selected saved=state.choices.choice("allocations", "-size|||".into())
                    empty="Nothing is allocated at this moment."
                />
                <Detail state ask />
            </div>
        </section>
    }
}

/// The chosen allocation with its stack.
#[component]
fn Detail(state: State, ask: Ask) -> impl IntoView {
    let query = Signal::derive(move || Some(AllocationQuery { device: state.of_device(|d| d.device)?, id: state.chosen.get()? }));
    let found: QueryState<AllocationDetail> = use_query(ask, query);
    move || {
        found.value.get().filter(|_| state.chosen.get().is_some()).map(|detail| {
            let facts = rows::life(&detail).into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view();
            let first = detail.first_python;
            let frame = |(i, f): (usize, &String)| view! { <li class="mono" class:snapshot__native=i < first>{f.clone()}</li> };
            let frames = detail.frames.iter().enumerate().map(frame).collect_view();
            let is_blank = detail.frames.is_empty();
            view! {
                <aside class="memory__piece" data-piece=detail.row.id.to_string() aria-label="Selected allocation" tabindex="0">
                    <h3 class="mono">{detail.row.frame.clone()}</h3>
                    <dl class="snapshot__facts">{facts}</dl>
                    <h4>"Stack, innermost first"</h4>
                    <Show when=move || is_blank>
                        <p class="torch__hint">"Not recorded. Call " <code>"torch.cuda.memory._record_memory_history()"</code> " before the allocation."</p>
                    </Show>
                    <ol class="memory__frames" data-frames>{frames}</ol>
                </aside>
            }
        })
    }
}
