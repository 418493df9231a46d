//! Kernels: which ones took the time, with what properties, launched by which operators.

mod panel;
pub mod rows;

use super::headline::{self, Headline};
use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::torch::kernels::{KernelGrouping, KernelRow, Kernels, KernelsQuery};
use crate::base::{SliceId, TimeRange, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::pie::{Pie, PieLimit};
use crate::ui::table::{Kind, Row, Table};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    /// `properties`, or anything else for the name.
    group: Choice<String>,
    /// Id of a device; empty is every device.
    device: Choice<String>,
    limit: Choice<usize>,
    table: Choice<String>,
    kernels: QueryState<Kernels>,
    chosen: RwSignal<Option<KernelRow>>,
    on_slice: Callback<SliceId>,
    on_slices: Callback<Vec<SliceId>>,
    on_mark: Callback<(SliceId, Vec<SliceId>)>,
}

impl State {
    fn grouping(&self) -> KernelGrouping {
        grouping(&self.group.0.get())
    }
}

fn grouping(text: &str) -> KernelGrouping {
    if text == "properties" { KernelGrouping::Properties } else { KernelGrouping::Name }
}

/// Time by kernel.
#[component]
pub fn KernelsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Highlight slices in the timeline and go to the first.
    on_slices: Callback<Vec<SliceId>>,
    /// Select a slice and light others, without leaving the view.
    on_mark: Callback<(SliceId, Vec<SliceId>)>,
    /// Grouping, device, slices of a pie, and choices of the table.
    #[prop(default = ViewState::detached("kernels"))]
    choices: ViewState,
) -> impl IntoView {
    let (group, device) = (choices.choice("group", String::from("name")), choices.choice("device", String::new()));
    let query = Signal::derive(move || {
        let (grouping, device) = (grouping(&group.0.get()), device.0.get().parse().ok());
        Some(KernelsQuery { grouping, range: range.get(), device })
    });
    let kernels = use_query(ask.clone(), query);
    let (limit, table) = (choices.choice("top", 10), choices.choice("table", String::new()));
    let state = State { range, group, device, limit, table, kernels, chosen: RwSignal::new(None), on_slice, on_slices, on_mark };
    // Another answer has other rows.
    effect(move || {
        kernels.value.track();
        state.chosen.set(None);
    });
    let is_there = Memo::new(move |_| kernels.value.with(Option::is_some));
    let ask = StoredValue::new(ask);
    view! {
        <section
            class="kernels" data-view="kernels" class:is-waiting=move || kernels.is_waiting.get()
            aria-busy=move || kernels.is_waiting.get().to_string()
        >
            <Heading state />
            <Problem text=kernels.problem />
            <Show when=move || kernels.is_first()><p class="waiting" role="status">"Computing kernels…"</p></Show>
            <Headline line=kernels.derive(headline::kernels) />
            <Show when=move || is_there.get()>
                <Notes notes=kernels.derive(|k| k.notes.clone()) />
                <Choices state />
                <Pies state />
                <div class="beside" class:has-panel=move || state.chosen.with(Option::is_some)>
                    <KernelTable state />
                    <panel::Panel state ask=ask.get_value() />
                </div>
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let sum = move || {
        let kernels = state.kernels.value.get()?;
        let n: u64 = kernels.rows.iter().map(|r| r.calls).sum();
        Some(format!("{} in {}", text::duration(kernels.total), text::counted(n, "kernel")))
    };
    view! {
        <header class="overview__head">
            <h1>"Kernels"</h1>
            <span class="overview__scope" data-scope>{move || scope::sentence(state.range.get())}</span>
            <span class="overview__quiet figure">{sum}</span>
            <Help text="Durations are summed over kernels; concurrent kernels on several streams each count. A kernel counts fully if it starts in the range." />
        </header>
    }
}

#[component]
fn Choices(state: State) -> impl IntoView {
    let group = move |(id, label): (&'static str, &'static str)| {
        let is_chosen = move || (state.grouping() == KernelGrouping::Properties) == (id == "properties");
        view! {
            <button type="button" data-group=id aria-pressed=move || is_chosen().to_string() on:click=move |_| state.group.1.set(id.into())>{label}</button>
        }
    };
    let groups = [("name", "Kernel name"), ("properties", "Properties and operator")].map(group).collect_view();
    let devices = state.kernels.derive(|k| k.devices.clone());
    let options = move || {
        let chosen = state.device.0.get();
        let option = |d: &u32| view! { <option value=d.to_string() selected=d.to_string() == chosen>{format!("GPU {d}")}</option> };
        devices.get().iter().map(option).collect_view()
    };
    let has_several = move || devices.with(|d| d.len() > 1) || !state.device.0.get().is_empty();
    view! {
        <div class="operators__choices">
            <div class="field"><span>"Group by"</span><span class="segmented" role="group" aria-label="Group by">{groups}</span></div>
            <Show when=has_several>
                <label class="field">
                    "Device"
                    <select class="select" data-field="device" on:change:target=move |e| state.device.1.set(e.target().value())>
                        <option value="">"All devices"</option>
                        {options}
                    </select>
                </label>
            </Show>
            <PieLimit limit=state.limit />
        </div>
    }
}

#[component]
fn Pies(state: State) -> impl IntoView {
    let (by_kernel, by_cores) = (state.kernels.derive(rows::by_kernel), state.kernels.derive(rows::by_tensor_cores));
    let limit = state.limit.0;
    let empty = "No kernel ran in this range.";
    view! {
        <div class="operators__pies">
            <Pie id="kernel-total" title="Total time by kernel" what="Kernel" kind=Kind::Duration slices=by_kernel limit empty />
            <Pie id="tensor-cores" title="Kernel time by tensor core use" what="Tensor cores" kind=Kind::Duration slices=by_cores limit=Signal::stored(2) empty />
        </div>
    }
}

#[component]
fn KernelTable(state: State) -> impl IntoView {
    let columns = Memo::new(move |_| {
        let grouping = state.grouping();
        Arc::new(state.kernels.value.with(|k| k.as_ref().map(|k| rows::columns(k, grouping)).unwrap_or_default()))
    });
    let rows: Signal<Arc<Vec<Row>>> = state.kernels.derive(rows::rows);
    let selected = Signal::derive(move || {
        let chosen = state.chosen.get()?;
        state.kernels.value.with(|k| k.as_ref()?.rows.iter().position(|r| *r == chosen))
    });
    let choose = Callback::new(move |at: usize| {
        state.chosen.set(state.kernels.value.with_untracked(|k| k.as_ref()?.rows.get(at).cloned()));
    });
    view! {
        <Table id="kernels" label="Kernels" columns rows selected on_row=choose empty="No kernel ran in this range." saved=state.table />
    }
}
