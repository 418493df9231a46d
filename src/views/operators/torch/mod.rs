//! Operators of a PyTorch trace: time on the host and on the device, by name or by name and input shape, down to kernels, call stacks
//! and occurrences. All slices, of whatever kind, stay one switch away.

pub mod frames;
mod panel;
pub mod rows;

use super::OperatorsView;
use crate::analysis::torch::ops::{OpGrouping, OpRow, Ops, OpsQuery};
use crate::base::{SliceId, TimeRange};
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::pie::{Pie, PieLimit};
use crate::ui::table::{Kind, Row, Table};
use crate::views::headline::{self, Headline};
use crate::views::query::{QueryState, use_query};
use crate::views::{peaks, scope};
use crate::worker::client::Ask;
use leptos::prelude::*;
use rows::Measure;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    /// `shape`, or anything else for the name alone.
    group: Choice<String>,
    /// Which duration Time % is a share of; empty is the usual one.
    of: Choice<String>,
    limit: Choice<usize>,
    table: Choice<String>,
    ops: QueryState<Ops>,
    chosen: RwSignal<Option<OpRow>>,
    on_slice: Callback<SliceId>,
    on_slices: Callback<Vec<SliceId>>,
    on_mark: Callback<(SliceId, Vec<SliceId>)>,
}

impl State {
    /// Which duration Time % is a share of. Tracked.
    fn measure(&self) -> Measure {
        let has_device = self.has_device();
        Measure::from_id(&self.of.0.get()).filter(|m| has_device || !m.is_device()).unwrap_or(if has_device {
            Measure::DeviceSelf
        } else {
            Measure::HostSelf
        })
    }

    fn has_device(&self) -> bool {
        self.ops.value.with(|o| o.as_ref().is_some_and(|o| o.has_device))
    }

    fn has_shapes(&self) -> bool {
        self.group.0.with(|g| g == "shape")
    }
}

/// Time by operator; or, at choice, by slice.
#[component]
pub fn TorchOperatorsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// A row of the table of all slices was chosen: what rows are grouped by, and its name.
    on_row: Callback<(String, String)>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Highlight slices in the timeline and go to the first.
    on_slices: Callback<Vec<SliceId>>,
    /// Select a slice and light others, without leaving the view.
    on_mark: Callback<(SliceId, Vec<SliceId>)>,
    /// What is shown, and how.
    #[prop(default = ViewState::detached("operators"))]
    choices: ViewState,
) -> impl IntoView {
    let (kind, set_kind) = choices.choice("show", String::new());
    // A trace without operators shows its slices, unless the user wants otherwise.
    let has_none = RwSignal::new(false);
    let is_all = Memo::new(move |_| kind.with(|k| k == "slices" || (k.is_empty() && has_none.get())));
    let ask = StoredValue::new(ask);
    let switch = move |(id, label, title): (&'static str, &'static str, &'static str)| {
        let is_chosen = move || is_all.get() == (id == "slices");
        view! { <button type="button" data-show=id title=title aria-pressed=move || is_chosen().to_string() on:click=move |_| set_kind.set(id.into())>{label}</button> }
    };
    let switches = [
        ("operators", "Operators", "Operators called by the host, and the device time of their kernels"),
        ("slices", "All slices", "All slices of the timeline, grouped by any attribute"),
    ];
    view! {
        <div class="operators__switch"><span class="segmented" role="group" aria-label="Rows">{switches.map(switch).collect_view()}</span></div>
        <Show when=move || is_all.get() fallback=move || view! { <Own ask=ask.get_value() range ways=(on_slice, on_slices, on_mark) choices has_none /> }>
            <OperatorsView ask=ask.get_value() range on_row choices />
        </Show>
    }
}

/// To one slice, to many, and to none but marking some.
type SliceActions = (Callback<SliceId>, Callback<Vec<SliceId>>, Callback<(SliceId, Vec<SliceId>)>);

/// The operators alone.
#[component]
fn Own(ask: Ask, range: Signal<Option<TimeRange>>, ways: SliceActions, choices: ViewState, has_none: RwSignal<bool>) -> impl IntoView {
    let (on_slice, on_slices, on_mark) = ways;
    let group = choices.choice("by", String::from("name"));
    let device = RwSignal::new(String::new());
    let own = Memo::new(move |_| peaks::entered(&device.get()));
    let query = Signal::derive(move || {
        let grouping = if group.0.get() == "shape" { OpGrouping::NameShape } else { OpGrouping::Name };
        Some(OpsQuery { grouping, range: range.get(), peaks: own.get() })
    });
    let ops = use_query(ask.clone(), query);
    let (of, limit) = (choices.choice("of", String::new()), choices.choice("top", 10));
    let table = choices.choice("ops", String::new());
    let state = State { range, group, of, limit, table, ops, chosen: RwSignal::new(None), on_slice, on_slices, on_mark };
    effect(move || {
        if let Some(found) = ops.value.with(|o| o.as_ref().map(|o| o.device.clone())).filter(|d| device.with_untracked(|known| known != d))
        {
            device.set(found);
        }
    });
    // Another answer has other rows.
    effect(move || {
        let is_blank = ops.value.with(|o| o.as_ref().is_some_and(|o| o.rows.is_empty()));
        state.chosen.set(None);
        if is_blank && range.get_untracked().is_none() {
            has_none.set(true);
        }
    });
    let is_there = Memo::new(move |_| ops.value.with(Option::is_some));
    let ask = StoredValue::new(ask);
    view! {
        <section
            class="operators" data-view="operators" class:is-waiting=move || ops.is_waiting.get() aria-busy=move || ops.is_waiting.get().to_string()
        >
            <header class="operators__head">
                <h1>"Operators"</h1>
                <span class="operators__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <span class="operators__busy">{move || ops.value.get().map(|o| rows::sum(&o))}</span>
                <Help text="Host time is the duration of the calls. Device time is the time of the kernels, memory copies and memory sets they launched. Self excludes nested operators. A call counts if it starts in the range." />
            </header>
            <Problem text=ops.problem />
            <Show when=move || ops.is_first()><p class="waiting" role="status">"Computing operators…"</p></Show>
            <Headline line=ops.derive(headline::ops) />
            <Show when=move || is_there.get()>
                <Notes notes=ops.derive(|o| o.notes.clone()) />
                <Choices state />
                <Pies state />
                <div class="beside" class:has-panel=move || state.chosen.with(Option::is_some)>
                    <OpTable state />
                    <panel::Panel state ask=ask.get_value() />
                </div>
            </Show>
        </section>
    }
}

#[component]
fn Choices(state: State) -> impl IntoView {
    let group = move |(id, label): (&'static str, &'static str)| {
        let is_chosen = move || state.has_shapes() == (id == "shape");
        view! { <button type="button" data-group=id aria-pressed=move || is_chosen().to_string() on:click=move |_| state.group.1.set(id.into())>{label}</button> }
    };
    let groups = [("name", "Operator"), ("shape", "Operator and input shape")].map(group).collect_view();
    let options = move || {
        let chosen = state.measure();
        let option = |m: &Measure| view! { <option value=m.id() selected=*m == chosen>{m.label()}</option> };
        let has_device = state.has_device();
        Measure::ALL.iter().filter(|m| has_device || !m.is_device()).map(option).collect_view()
    };
    view! {
        <div class="operators__choices">
            <div class="field"><span>"Group by"</span><span class="segmented" role="group" aria-label="Group by">{groups}</span></div>
            <label class="field">
                "Time % of"
                <select class="select" data-field="time-of" on:change:target=move |e| state.of.1.set(e.target().value())>{options}</select>
            </label>
            <PieLimit limit=state.limit />
        </div>
    }
}

/// Four pies; two without device work.
#[component]
fn Pies(state: State) -> impl IntoView {
    let limit = state.limit.0;
    let pie = move |measure: Measure| {
        let slices = state.ops.derive(move |o| rows::slices(o, measure));
        view! { <Pie id=measure.id() title=format!("{} time by operator", measure.label()) what="Operator" kind=Kind::Duration slices limit empty="No operator has this time in this range." /> }
    };
    let has_device = Memo::new(move |_| state.has_device());
    let pies = move || Measure::ALL.into_iter().filter(|m| has_device.get() || !m.is_device()).map(pie).collect_view();
    view! { <div class="operators__pies">{pies}</div> }
}

#[component]
fn OpTable(state: State) -> impl IntoView {
    let shape = Memo::new(move |_| {
        let ops = state.ops.value.get();
        rows::Shape {
            has_device: state.has_device(),
            has_shapes: ops.as_ref().is_some_and(|o| o.rows.iter().any(|r| r.shape.is_some())),
            has_work: ops.as_ref().is_some_and(|o| rows::has_work(o)),
            measure: state.measure(),
        }
    });
    let columns = Memo::new(move |_| Arc::new(rows::columns(shape.get())));
    let rows: Signal<Arc<Vec<Row>>> = state.ops.derive(move |o| rows::rows(o, shape.get()));
    let selected = Signal::derive(move || {
        let chosen = state.chosen.get()?;
        state.ops.value.with(|o| o.as_ref()?.rows.iter().position(|r| *r == chosen))
    });
    let choose = Callback::new(move |at: usize| {
        state.chosen.set(state.ops.value.with_untracked(|o| o.as_ref()?.rows.get(at).cloned()));
    });
    view! { <Table id="operators" label="Operators" columns rows selected on_row=choose empty="No operator was called in this range." saved=state.table /> }
}
