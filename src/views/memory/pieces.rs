//! The allocations: size, operator, and lifetime.

use super::{State, rows};
use crate::analysis::torch::memory::{MemoryEvents, MemoryEventsQuery, MemoryFrames, MemoryFramesQuery, MemoryLife};
use crate::base::{SliceId, text};
use crate::state::choices::Choice;
use crate::ui::controls::Problem;
use crate::ui::effect::effect;
use crate::ui::table::Table;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

#[component]
pub(super) fn Events(state: State, ask: Ask) -> impl IntoView {
    let base = Memo::new(move |_| MemoryEventsQuery { device: state.shown(), range: state.range.get(), ..MemoryEventsQuery::default() });
    let is_there = move |q: &MemoryEventsQuery| !q.device.is_empty();
    // How large the largest is, which the usual limit follows from.
    let probe_query = Signal::derive(move || {
        let query = base.get();
        Some(MemoryEventsQuery { limit: 1, ..query }).filter(|_| !base.with(|q| q.device.is_empty()))
    });
    let probe: QueryState<MemoryEvents> = use_query(ask.clone(), probe_query);
    let least = Memo::new(move |_| {
        let quarter = probe.value.with(|p| p.as_ref().map_or(0, |p| p.largest_bytes / 4));
        rows::parse_bytes(&state.least.0.get()).unwrap_or(quarter)
    });
    let query = Signal::derive(move || {
        let query = base.get();
        let is_ready = probe.value.with(Option::is_some) && !probe.is_waiting.get() && is_there(&query);
        let max_bytes = rows::parse_bytes(&state.most.0.get());
        is_ready.then(|| MemoryEventsQuery { min_bytes: Some(least.get()), max_bytes, ..query })
    });
    let events: QueryState<MemoryEvents> = use_query(ask.clone(), query);
    let table_rows = {
        let origin = move || state.origin();
        events.derive(move |e| rows::event_rows(e, origin()))
    };
    let is_default = move || rows::parse_bytes(&state.least.0.get()).is_none() && rows::parse_bytes(&state.most.0.get()).is_none();
    let sentence = move || events.value.with(|e| e.as_ref().map(|e| rows::events_sentence(e, least.get(), is_default())));
    let has_none = move || probe.value.with(|p| p.as_ref().is_some_and(|p| p.largest_bytes == 0));
    let none = move || if state.range.get().is_some() { rows::NO_PIECE_HERE } else { rows::NO_PIECE };
    let chosen = RwSignal::new(None::<usize>);
    effect(move || {
        events.value.track();
        chosen.set(None);
    });
    let piece = Memo::new(move |_| {
        let at = chosen.get()?;
        events.value.with(|e| e.as_ref().and_then(|e| e.rows.get(at).cloned()))
    });
    view! {
        <section class="torch__part">
            <h2>"Allocations"</h2>
            <Show when=has_none><p class="torch__hint" data-no-pieces>{none}</p></Show>
            <div class="torch__choices" class:is-hidden=has_none>
                <Limit label="Minimum size" field="min" choice=state.least hint="a quarter of the largest" />
                <Limit label="Maximum size" field="max" choice=state.most hint="no limit" />
                <span class="torch__hint" data-events-note role="status">{sentence}</span>
            </div>
            <Problem text=events.problem />
            <div class="memory__pieces" class:is-hidden=has_none>
                <Table
                    id="memory-events" label="Allocations and their releases" columns=Signal::stored(Arc::new(rows::event_columns()))
                    rows=table_rows selected=chosen on_row=Callback::new(move |at| chosen.set(Some(at)))
                    saved=state.choices.choice("events", String::new())
                    empty="No allocation in this range has this size. Change the limits."
                />
                <Piece piece ask on_slice=state.on_slice />
            </div>
        </section>
    }
}

/// A limit of size, as typed.
#[component]
fn Limit(label: &'static str, field: &'static str, choice: Choice<String>, hint: &'static str) -> impl IntoView {
    let is_bad = move || choice.0.with(|t| !t.trim().is_empty() && rows::parse_bytes(t).is_none());
    view! {
        <label class="field">
            {label}
            <input
                class="input memory__limit" data-field=field placeholder=hint title="Size, for example 512, 64 KiB or 1.5 MiB"
                aria-invalid=move || is_bad().to_string()
                prop:value=move || choice.0.get()
                on:change:target=move |e| choice.1.set(e.target().value().trim().to_string())
            />
        </label>
    }
}

/// One piece: where in the program it was allocated.
#[component]
fn Piece(piece: Memo<Option<MemoryLife>>, ask: Ask, on_slice: Callback<SliceId>) -> impl IntoView {
    let query = Signal::derive(move || {
        let piece = piece.get()?;
        let time = piece.allocated.or(piece.released)?;
        Some(MemoryFramesQuery { track: piece.track, time })
    });
    let frames: QueryState<MemoryFrames> = use_query(ask, query);
    let list = move || {
        let found = frames.value.get().filter(|_| !frames.is_waiting.get())?;
        let operators = found.operators.iter().rev().map(|(name, slice)| {
            let slice = *slice;
            view! { <li><button type="button" class="link mono" on:click=move |_| on_slice.run(slice)>{name.clone()}</button></li> }
        });
        let operators = operators.collect_view();
        let is_blank = found.frames.is_empty();
        let stack = found.frames.iter().rev().map(|f| view! { <li class="mono">{f.clone()}</li> }).collect_view();
        Some(view! {
            <h4>"Operators, innermost first"</h4>
            <ol class="memory__frames" data-operators>{operators}</ol>
            <h4>"Call stack, innermost first"</h4>
            <Show when=move || is_blank><p class="torch__hint">"This trace has no call stacks. Record them with " <code>"with_stack=True"</code> "."</p></Show>
            <ol class="memory__frames" data-frames>{stack}</ol>
        })
    };
    move || {
        piece.get().map(|piece| {
            let name = piece.operator.clone().unwrap_or_else(|| "Allocated by an unknown operator".into());
            view! {
                <aside class="memory__piece" data-piece aria-label="Selected allocation">
                    <h3 class="mono">{name}</h3>
                    <p>{text::bytes(piece.size_bytes)} ", " {rows::lived(&piece)} "."</p>
                    {piece.slice.map(|slice| view! { <button type="button" class="button" data-go on:click=move |_| on_slice.run(slice)>"Show in the timeline"</button> })}
                    {list}
                </aside>
            }
        })
    }
}
