//! Memory snapshot: what the allocator of PyTorch held over time, allocation by allocation, and how its segments are used.

mod areas;
mod draw;
mod live;
mod picture;
pub mod rows;
mod segments;
mod window;

use crate::analysis::snapshot::{DeviceSummary, GroupBy, Live as LiveAnswer, LiveQuery, SnapshotSummary};
use crate::engine::query::SnapshotQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Problem};
use crate::ui::table::Table;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::prelude::*;
use live::Live;
use picture::History;
use segments::Segments;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    summary: QueryState<SnapshotSummary>,
    live: QueryState<LiveAnswer>,
    /// Number of the device; empty is that with the highest peak.
    device: Choice<String>,
    by_time: Choice<bool>,
    /// Whether the axis of bytes covers what is seen only.
    is_fitted: Choice<bool>,
    /// What is seen of the axis; empty is everything.
    window: Choice<String>,
    /// Number of the state whose allocations are listed; empty: the peak.
    chosen_time: Choice<String>,
    by: Choice<String>,
    /// The allocation with its stack beside the table.
    chosen: RwSignal<Option<u32>>,
    choices: ViewState,
}

impl State {
    /// Something of the device shown. Tracked.
    fn of_device<T>(&self, make: impl FnOnce(&DeviceSummary) -> T) -> Option<T> {
        self.summary.value.with(|s| s.as_ref().and_then(|s| rows::device(s, &self.device.0.get())).map(make))
    }

    /// The state chosen; `None` is the peak. Tracked.
    fn state(&self) -> Option<u32> {
        self.chosen_time.0.with(|m| m.parse().ok())
    }
}

/// The snapshot.
#[component]
pub fn SnapshotView(
    /// Answers for the open profile.
    ask: Ask,
    /// Device, axis, moment, grouping.
    #[prop(default = ViewState::detached("snapshot"))]
    choices: ViewState,
) -> impl IntoView {
    let summary = use_query(ask.clone(), Signal::stored(Some(SnapshotQuery)));
    let (device, chosen_time) = (choices.choice("device", String::new()), choices.choice("at", String::new()));
    let by = choices.choice("group", GroupBy::default().id().to_string());
    let query = Signal::derive(move || {
        let device = summary.value.with(|s| s.as_ref().and_then(|s| rows::device(s, &device.0.get())).map(|d| d.device))?;
        let by = by.0.with(|by| GroupBy::of(by)).unwrap_or_default();
        let state = chosen_time.0.with(|m| m.parse().ok());
        Some(LiveQuery { device, state, by })
    });
    let live = use_query(ask.clone(), query);
    let state = State {
        summary,
        live,
        device,
        by_time: choices.choice("time", false),
        is_fitted: choices.choice("fit", false),
        window: choices.choice("window", String::new()),
        chosen_time,
        by,
        chosen: RwSignal::new(None),
        choices,
    };
    let ask = StoredValue::new(ask);
    let has_device = move || state.of_device(|_| ()).is_some();
    let has_history = move || state.of_device(|d| d.n_events > 0) == Some(true);
    let is_waiting = move || summary.value.with(Option::is_none) && summary.problem.with(Option::is_none);
    view! {
        <section class="torch snapshot" data-view="snapshot" class:is-waiting=move || summary.is_waiting.get() aria-busy=move || summary.is_waiting.get().to_string()>
            <Heading state />
            <Problem text=summary.problem />
            <Show when=is_waiting><p class="waiting" role="status">"Computing allocated memory…"</p></Show>
            <Show when=move || has_device() && !has_history()>
                <p class="waiting">
                    "Events are not recorded in this file. Call " <code>"torch.cuda.memory._record_memory_history()"</code> " before the run."
                </p>
            </Show>
            <Show when=has_history><History state ask=ask.get_value() /></Show>
            <Failures state />
            <Show when=has_device>
                <Live state ask=ask.get_value() />
                <Segments state ask=ask.get_value() />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let devices = state.summary.derive(|s| s.devices.iter().map(|d| d.device).collect::<Vec<_>>());
    let options = move || {
        let shown = state.of_device(|d| d.device);
        devices
            .get()
            .iter()
            .map(|&d| view! { <option value=d.to_string() selected=Some(d) == shown>{format!("Device {d}")}</option> })
            .collect_view()
    };
    let choose = move |device: String| {
        state.device.1.set(device);
        state.chosen_time.1.set(String::new());
        state.chosen.set(None);
    };
    let has_times = move || state.summary.value.with(|s| s.as_ref().is_some_and(|s| s.has_times));
    let figures = move || state.of_device(rows::figures);
    view! {
        <header class="torch__head">
            <h1>"Memory snapshot"</h1>
            <span class="torch__scope" data-scope="entire">"Entire snapshot"</span>
            <label class="field">
                "Device "
                <select class="select" data-field="device" on:change:target=move |e| choose(e.target().value())>{options}</select>
            </label>
            <Show when=has_times>
                <label class="field">
                    "Axis "
                    <select class="select" data-field="axis" on:change:target=move |e| state.by_time.1.set(e.target().value() == "time")>
                        <option value="events" selected=move || !state.by_time.0.get()>"Events"</option>
                        <option value="time" selected=move || state.by_time.0.get()>"Time"</option>
                    </select>
                </label>
            </Show>
            <label class="field">
                <input type="checkbox" data-field="fit" prop:checked=move || state.is_fitted.0.get() on:change:target=move |e| state.is_fitted.1.set(e.target().checked()) />
                "Fit the height to what is in view"
            </label>
            <span class="torch__figure" data-peak>{figures}</span>
            <Help text="Each band is an allocation: its height is its size, its length the time until its release. Older allocations are below newer ones. Reserved memory is what the allocator got from the device." />
        </header>
    }
}

/// Failed allocations; absent without any.
#[component]
fn Failures(state: State) -> impl IntoView {
    let has_any = move || state.of_device(|d| !d.ooms.is_empty()) == Some(true);
    let table_rows = Memo::new(move |_| Arc::new(state.of_device(rows::oom_rows).unwrap_or_default()));
    let choose = Callback::new(move |at: usize| {
        if let Some(Some(at)) = untrack(|| state.of_device(|d| d.ooms.get(at).map(|o| o.state))) {
            state.chosen_time.1.set(at.to_string());
        }
    });
    view! {
        <Show when=has_any>
            <section class="torch__part">
                <h2>"Failed allocations"</h2>
                <p class="torch__hint">"Click a row to list what was allocated at that moment."</p>
                <Table
                    id="snapshot-failures" label="Failed allocations" columns=Signal::stored(Arc::new(rows::oom_columns())) rows=table_rows on_row=choose
                    saved=state.choices.choice("failures", "event|||".into())
                />
            </section>
        </Show>
    }
}
