//! Where the time went: two pies and a table of operators, for the whole profile or a range of it.

pub mod rows;
pub mod sums;
pub mod torch;

use crate::analysis::operators::{Operators, OperatorsQuery};
use crate::base::{TimeRange, TrackId, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::pie::{Pie, PieLimit};
use crate::ui::table::{Kind, Row, Table};
use crate::views::headline::{self, Headline};
use crate::views::query::{QueryState, use_query};
use crate::views::scope;
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// What the user has chosen in this view, and the last good answer.
#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    group_by: Choice<String>,
    /// Empty is every device.
    device: Choice<String>,
    limit: Choice<usize>,
    table: Choice<String>,
    found: QueryState<Operators>,
}

impl State {
    fn new(ask: Ask, range: Signal<Option<TimeRange>>, tracks: Signal<Vec<TrackId>>, choices: ViewState) -> Self {
        let group_by = choices.choice("group", String::from("name"));
        let query = move || Some(OperatorsQuery { group_by: group_by.0.get(), range: range.get(), tracks: tracks.get() });
        let found = use_query(ask, Signal::derive(query));
        let (device, table) = (choices.choice("device", String::new()), choices.choice("table", String::new()));
        State { range, group_by, device, limit: choices.choice("top", 10), table, found }
    }

    /// The label of what rows are grouped by.
    fn grouping(&self) -> String {
        let id = self.group_by.0.get();
        let label = self.found.value.get().and_then(|o| o.groupings.iter().find(|g| g.0 == id).map(|g| g.1.clone()));
        if id == "name" { "Operator".into() } else { label.unwrap_or(id) }
    }
}

/// Time by operator and device.
#[component]
pub fn OperatorsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// A row was chosen: what rows are grouped by, and its name.
    on_row: Callback<(String, String)>,
    /// Grouping, device, slices of a pie, and choices of the table.
    #[prop(default = ViewState::detached("operators"))]
    choices: ViewState,
) -> impl IntoView {
    let state = State::new(ask, range, Signal::stored(Vec::new()), choices);
    let first = move || state.found.is_first().then(|| view! { <p class="waiting" role="status">"Computing operators…"</p> });
    view! {
        <section class="operators" data-view="operators" class:is-waiting=move || state.found.is_waiting.get() aria-busy=move || state.found.is_waiting.get().to_string()>
            <Heading state />
            <Problem text=state.found.problem />
            {first}
            <Headline line=state.found.derive(headline::operators) />
            <Show when=move || state.found.value.with(Option::is_some)>
                <Choices state />
                <Notes notes=state.found.derive(|o| o.notes.clone()) />
                <Pies state />
                <OperatorTable state on_row />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let busy = move || {
        state.found.value.get().map(|o| {
            let n = rows::devices(&o).len();
            let devices = if n == 1 { "device" } else { "devices" };
            view! { <span class="operators__busy">{format!("Busy {} on {n} {devices}", text::duration(o.busy))}</span> }
        })
    };
    view! {
        <header class="operators__head">
            <h1>"Operators"</h1>
            <span class="operators__scope" data-scope>{move || scope::sentence(state.range.get())}</span>
            {busy}
            <Help text="Busy time is the time in which at least one slice ran, summed over all tracks; it exceeds the range if tracks run concurrently. Waits and profiler overhead are excluded. Time % is the share of busy time." />
        </header>
    }
}

#[component]
fn Choices(state: State) -> impl IntoView {
    let groupings = state.found.derive(|o| o.groupings.clone());
    let devices = state.found.derive(rows::devices);
    let grouping_options = move || {
        let chosen = state.group_by.0.get();
        let option = |(id, label): &(String, String)| view! { <option value=id.clone() selected=*id == chosen>{label.clone()}</option> };
        groupings.get().iter().map(option).collect_view()
    };
    let device_options = move || {
        let chosen = state.device.0.get();
        // A device that does nothing in the new range stays chosen, and stays in the list.
        let gone = (!chosen.is_empty() && !devices.read().contains(&chosen)).then(|| chosen.clone());
        let option = |name: &String| view! { <option value=name.clone() selected=*name == chosen>{name.clone()}</option> };
        devices.get().iter().chain(&gone).map(option).collect_view()
    };
    view! {
        <div class="operators__choices">
            <label class="field">
                "Group by"
                <select class="select" data-field="group-by" on:change:target=move |e| state.group_by.1.set(e.target().value())>{grouping_options}</select>
            </label>
            <label class="field">
                "Device"
                <select class="select" data-field="device" on:change:target=move |e| state.device.1.set(e.target().value())>
                    <option value="">"All devices"</option>
                    {device_options}
                </select>
            </label>
            <PieLimit limit=state.limit />
        </div>
    }
}

#[component]
fn Pies(state: State) -> impl IntoView {
    let by_device = state.found.derive(rows::by_device);
    let by_operator = state.found.derive(move |o| rows::by_operator(o, &state.device.0.get(), &state.grouping()));
    let limit = state.limit.0;
    let empty = wording::NOTHING_RAN;
    view! {
        <div class="operators__pies">
            <Pie id="by-device" title="Self time by device" what="Device" kind=Kind::Duration slices=by_device limit=limit empty />
            <Pie id="by-operator" title="Self time by operator" what="Operator" kind=Kind::Duration slices=by_operator limit=limit empty />
        </div>
    }
}

#[component]
fn OperatorTable(state: State, on_row: Callback<(String, String)>) -> impl IntoView {
    let has_flops = Memo::new(move |_| state.found.value.with(|o| o.as_ref().is_some_and(|o| o.has_flops)));
    let columns = Memo::new(move |_| Arc::new(rows::columns(&state.grouping(), has_flops.get())));
    let rows: Signal<Arc<Vec<Row>>> = state.found.derive(move |o| rows::rows(o, &state.device.0.get(), &state.grouping()));
    let selected = RwSignal::new(None);
    effect(move || {
        rows.track();
        selected.set(None);
    });
    let choose = Callback::new(move |at: usize| {
        let name = rows.with_untracked(|rows| rows.get(at).map(Row::name));
        if let Some(name) = name {
            selected.set(Some(at));
            on_row.run((state.group_by.0.get_untracked(), name));
        }
    });
    view! { <Table id="operators" label="Operators" columns rows selected on_row=choose empty=wording::NOTHING_RAN saved=state.table /> }
}
