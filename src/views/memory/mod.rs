//! Memory: how much each device held over time, which operators asked for it, and how long each piece lived.

mod pieces;
pub mod rows;

use super::query::{QueryState, use_query};
use crate::analysis::torch::memory::{Memory, MemoryQuery};
use crate::base::{SliceId, TimeNs, TimeRange, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::curve::Curve;
use crate::ui::table::{Kind, Table};
use crate::worker::client::Ask;
use leptos::prelude::*;
use pieces::Events;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    device: Choice<String>,
    /// Least size of pieces as typed; empty is a quarter of the largest.
    least: Choice<String>,
    most: Choice<String>,
    memory: QueryState<Memory>,
    on_range: Callback<Option<TimeRange>>,
    on_slice: Callback<SliceId>,
    choices: ViewState,
}

impl State {
    /// Name of the device shown. Tracked.
    fn shown(&self) -> String {
        let name = self.device.0.get();
        self.memory.value.with(|m| m.as_ref().and_then(|m| rows::device(m, &name)).map(|d| d.name.clone()).unwrap_or_default())
    }

    /// Something made of the shown device.
    fn of_device<T: Default + Send + Sync + 'static>(
        &self,
        make: impl Fn(&crate::analysis::torch::memory::MemoryDevice) -> T + Send + Sync + 'static,
    ) -> Signal<Arc<T>> {
        let device = self.device.0;
        self.memory.derive(move |m| rows::device(m, &device.get()).map(&make).unwrap_or_default())
    }

    /// First moment of the trace. Tracked.
    fn origin(&self) -> TimeNs {
        self.memory.value.with(|m| m.as_ref().map_or(TimeNs(0), |m| m.origin))
    }
}

/// Memory over time and by operator.
#[component]
pub fn MemoryView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// A range was dragged out of the curve, or given back.
    on_range: Callback<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Device and limits.
    #[prop(default = ViewState::detached("memory"))]
    choices: ViewState,
) -> impl IntoView {
    let query = Signal::derive(move || Some(MemoryQuery { range: range.get() }));
    let memory = use_query(ask.clone(), query);
    let state = State {
        range,
        device: choices.choice("device", String::new()),
        least: choices.choice("min", String::new()),
        most: choices.choice("max", String::new()),
        memory,
        on_range,
        on_slice,
        choices,
    };
    let ask = StoredValue::new(ask);
    let has_devices = move || memory.value.with(|m| m.as_ref().is_some_and(|m| !m.devices.is_empty()));
    let is_blank = move || memory.value.with(|m| m.as_ref().is_some_and(|m| m.devices.is_empty()));
    view! {
        <section class="torch memory" data-view="memory" class:is-waiting=move || memory.is_waiting.get() aria-busy=move || memory.is_waiting.get().to_string()>
            <Heading state />
            <Problem text=memory.problem />
            <Notes notes=memory.derive(|m| m.notes.clone()) />
            <Show when=move || memory.is_first()><p class="waiting" role="status">"Computing memory…"</p></Show>
            <Show when=is_blank>
                <p class="waiting">"This trace has no memory records. Record them with " <code>"profile_memory=True"</code> "."</p>
            </Show>
            <Show when=has_devices>
                <MemoryCurve state />
                <Statistics state />
                <Events state ask=ask.get_value() />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let names = state.memory.derive(rows::devices);
    let options = move || {
        let shown = state.shown();
        names.get().iter().map(|n| view! { <option value=n.clone() selected=*n == shown>{n.clone()}</option> }).collect_view()
    };
    let origin = move || state.origin();
    let peak = move || {
        state.memory.value.with(|m| {
            m.as_ref()
                .and_then(|m| rows::device(m, &state.device.0.get()))
                .map(|d| rows::peak_sentence(d, m.as_ref().map_or(TimeNs(0), |m| m.origin)))
        })
    };
    let operator = move || {
        state
            .memory
            .value
            .with(|m| m.as_ref().and_then(|m| rows::device(m, &state.device.0.get())).and_then(|d| d.peak).and_then(|p| p.operator))
    };
    view! {
        <header class="torch__head">
            <h1>"Memory"</h1>
            <span class="torch__scope" data-scope>{move || rows::scope(state.range.get(), origin())}</span>
            <Show when=move || names.with(|n| !n.is_empty())>
                <label class="field">
                    "Device"
                    <select class="select" data-field="device" on:change:target=move |e| state.device.1.set(e.target().value())>{options}</select>
                </label>
                <span class="torch__figure" data-peak>{peak}</span>
                {move || operator().map(|slice| view! {
                    <button type="button" class="link" data-peak-go title="Show the allocation at the peak in the timeline" on:click=move |_| state.on_slice.run(slice)>"show in the timeline"</button>
                })}
            </Show>
            <Help text="Allocated is the memory used by tensors; reserved is the memory the allocator got from the device, used or not. Both are recorded after each allocation and release." />
        </header>
    }
}

#[component]
fn MemoryCurve(state: State) -> impl IntoView {
    let lines = state.of_device(rows::lines);
    let marks = state.of_device(rows::marks);
    let range = Signal::derive(move || state.range.get().map(|r| (r.start.0, r.end.0)));
    let choose = Callback::new(move |range: Option<(i64, i64)>| {
        state.on_range.run(range.map(|(a, b)| TimeRange::new(TimeNs(a), TimeNs(b))));
    });
    let thinned = move || {
        let name = state.device.0.get();
        state.memory.value.with(|m| {
            let device = rows::device(m.as_ref()?, &name)?;
            let (n, all) = (device.curve.len() as u64, device.n_points);
            (n < all).then(|| format!("{} of {} points are drawn; peaks are kept.", text::count(n), text::count(all)))
        })
    };
    view! {
        <Curve
            id="memory-curve" title="Memory over time" x=("Time", Kind::Duration) y=("", Kind::Bytes) lines marks range on_range=choose
            empty="Total allocated memory of this device is not recorded in this file, so there is no curve."
        />
        <Show when=move || lines.with(|l| !l.is_empty())>
            <p class="torch__hint">"Drag to select a range for the tables below; right-click to return to the entire trace. " {thinned}</p>
        </Show>
    }
}

#[component]
fn Statistics(state: State) -> impl IntoView {
    let table_rows = state.of_device(rows::rows);
    let largest = state.of_device(|d| d.operators.iter().map(|r| r.largest).collect::<Vec<_>>());
    let choose = Callback::new(move |at: usize| {
        if let Some(slice) = largest.with_untracked(|l| l.get(at).copied()) {
            state.on_slice.run(slice);
        }
    });
    let outside = state.of_device(rows::outside_sentence);
    view! {
        <section class="torch__part">
            <h2>"Memory by operator"</h2>
            <p class="torch__hint">"Click to show the call with the most bytes in the timeline. " {move || (*outside.get()).clone()}</p>
            <Table
                id="memory-operators" label="Memory by operator" columns=Signal::stored(Arc::new(rows::columns())) rows=table_rows on_row=choose
                saved=state.choices.choice("operators", "-self_size_increase|||".into())
                empty="No operator allocated or released memory of this device in this range."
            />
        </section>
    }
}
