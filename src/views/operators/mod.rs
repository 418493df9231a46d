//! Where the time went: two pies and a table of operators, for the whole profile or a range of it.

pub mod rows;
pub mod sums;
pub mod torch;

use crate::analysis::operators::{Operators, OperatorsQuery};
use crate::base::{TimeRange, TrackId, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::pie::{Pie, PieLimit};
use crate::ui::small::{Help, Problem};
use crate::ui::table::{Kind, Row, Table};
use crate::views::asked::Notes;
use crate::views::scope;
use crate::views::wording;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// What an answer is to, and what it says.
type Reply = (OperatorsQuery, Result<Arc<Operators>, EngineError>);

/// What the user has chosen in this view, and the last good answer.
#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    group_by: Choice<String>,
    /// Empty is every device.
    device: Choice<String>,
    limit: Choice<usize>,
    table: Choice<String>,
    operators: RwSignal<Option<Arc<Operators>>>,
    problem: RwSignal<Option<String>>,
    is_waiting: Memo<bool>,
}

impl State {
    fn new(ask: Ask, range: Signal<Option<TimeRange>>, tracks: Signal<Vec<TrackId>>, choices: ViewState) -> Self {
        let group_by = choices.choice("group", String::from("name"));
        let query = Memo::new(move |_| OperatorsQuery { group_by: group_by.0.get(), range: range.get(), tracks: tracks.get() });
        let (operators, problem, answered) = (RwSignal::new(None), RwSignal::new(None), RwSignal::new(None));
        let reply = LocalResource::new(move || {
            let (ask, query) = (ask.clone(), query.get());
            async move { answer(ask, query).await }
        });
        Effect::new(move |_| {
            let Some((query, result)) = reply.get() else { return };
            problem.set(result.as_ref().err().map(ToString::to_string));
            if let Ok(found) = result {
                operators.set(Some(found));
            }
            answered.set(Some(query));
        });
        let is_waiting = Memo::new(move |_| answered.with(|a| a.as_ref() != Some(&*query.read())));
        let (device, table) = (choices.choice("device", String::new()), choices.choice("table", String::new()));
        State { range, group_by, device, limit: choices.choice("top", 10), table, operators, problem, is_waiting }
    }

    /// Something made of the last good answer; the default before there is one.
    fn derive<T: Default + Send + Sync + 'static>(&self, make: impl Fn(&Operators) -> T + Send + Sync + 'static) -> Signal<Arc<T>> {
        let operators = self.operators;
        Memo::new_with_compare(
            move |_| Arc::new(operators.get().map_or_else(T::default, |o| make(&o))),
            |a, b| !matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b)),
        )
        .into()
    }

    /// The label of what rows are grouped by.
    fn grouping(&self) -> String {
        let id = self.group_by.0.get();
        let label = self.operators.get().and_then(|o| o.groupings.iter().find(|g| g.0 == id).map(|g| g.1.clone()));
        if id == "name" { "Operator".into() } else { label.unwrap_or(id) }
    }
}

async fn answer(ask: Ask, query: OperatorsQuery) -> Reply {
    let result = ask.ask(query.clone()).await.map(Arc::new);
    (query, result)
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
    /// Grouping, device, slices of a pie, and what was done to the table.
    #[prop(default = ViewState::detached("operators"))]
    choices: ViewState,
) -> impl IntoView {
    let state = State::new(ask, range, Signal::stored(Vec::new()), choices);
    let is_first = move || state.operators.with(|o| o.is_none());
    let first = move || {
        let is_plain_wait = is_first() && state.problem.with(|p| p.is_none());
        is_plain_wait.then(|| view! { <p class="waiting" role="status">"Computing operators…"</p> })
    };
    view! {
        <section class="operators" data-view="operators" class:is-waiting=move || state.is_waiting.get() aria-busy=move || state.is_waiting.get().to_string()>
            <Heading state />
            <Problem text=state.problem />
            {first}
            <Show when=move || !is_first()>
                <Choices state />
                <Notes notes=state.derive(|o| o.notes.clone()) />
                <Pies state />
                <OperatorTable state on_row />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let busy = move || {
        state.operators.get().map(|o| {
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
    let groupings = state.derive(|o| o.groupings.clone());
    let devices = state.derive(rows::devices);
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
    let by_device = state.derive(rows::by_device);
    let by_operator = state.derive(move |o| rows::by_operator(o, &state.device.0.get(), &state.grouping()));
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
    let has_flops = Memo::new(move |_| state.operators.with(|o| o.as_ref().is_some_and(|o| o.has_flops)));
    let columns = Memo::new(move |_| Arc::new(rows::columns(&state.grouping(), has_flops.get())));
    let rows: Signal<Arc<Vec<Row>>> = state.derive(move |o| rows::rows(o, &state.device.0.get(), &state.grouping()));
    let selected = RwSignal::new(None);
    Effect::new(move |_| {
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
    view! { <Table id="operators" label="Operators" columns rows selected on_row=choose empty=wording::NOTHING_RAN kept=state.table /> }
}
