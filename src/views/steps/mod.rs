//! Steps of a PyTorch trace: of LLM serving with requests and tokens, of training, or by the name of an annotation.

pub mod rows;

use super::headline::{self, Headline};
use super::query::{QueryState, use_query};
use super::{peaks, scope};
use crate::analysis::torch::inference::{StepTable, StepsQuery};
use crate::base::{SliceId, TimeRange, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::table::{Kind, Table};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Duration, device time and tokens of steps.
#[component]
pub fn StepsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// The pattern, and the choices of the tables.
    #[prop(default = ViewState::detached("steps"))]
    choices: ViewState,
) -> impl IntoView {
    let pattern = choices.choice("pattern", String::new());
    let device = RwSignal::new(None::<String>);
    let own = Memo::new(move |_| device.get().and_then(|device| peaks::entered(&device)));
    let query = Signal::derive(move || Some(StepsQuery { range: range.get(), pattern: pattern.0.get(), peaks: own.get() }));
    let found = use_query(ask, query);
    effect(move || {
        let name = found.value.with(|f| f.as_ref().map(|f| f.device.clone()));
        if name.is_some() && device.with_untracked(|known| *known != name) {
            device.set(name);
        }
    });
    let is_there = Memo::new(move |_| found.value.with(Option::is_some));
    let (table, groups) = (choices.choice("steps", String::new()), choices.choice("groups", String::new()));
    let summary = move || {
        let found = found.value.get()?;
        let n = found.steps.len() as u64;
        (n > 0).then(|| format!("{}: {}", found.source, text::counted(n, "step")))
    };
    view! {
        <section class="torch" data-view="steps" class:is-waiting=move || found.is_waiting.get() aria-busy=move || found.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Steps"</h1>
                <span class="torch__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <span class="torch__figure">{summary}</span>
                <Help text="A step is an annotation of the host with the kernels, copies and sets launched in it. Annotations of vLLM, SGLang, ATOM and TensorRT-LLM and the profiler's own steps are recognised; any other annotation can be chosen by a regular expression." />
            </header>
            <Headline line=found.derive(headline::steps) />
            <Pattern found pattern />
            <Problem text=found.problem />
            <Show when=move || found.is_first()><p class="waiting" role="status">"Computing steps…"</p></Show>
            <Show when=move || is_there.get()><Parts found on_slice table groups /></Show>
        </section>
    }
}

/// Which annotations are steps.
#[component]
fn Pattern(found: QueryState<StepTable>, pattern: Choice<String>) -> impl IntoView {
    let candidates = found.derive(|f| f.candidates.clone());
    let options = move || {
        let chosen = pattern.0.get();
        let option = |(pattern, n): &(String, u64)| {
            let label = format!("{} ({})", text::middle_ellipsis(pattern, 60), text::count(*n));
            view! { <option value=pattern.clone() selected=*pattern == chosen>{label}</option> }
        };
        candidates.get().iter().map(option).collect_view()
    };
    view! {
        <div class="torch__choices">
            <label class="field">
                "Steps are"
                <select class="select" data-field="candidates" on:change:target=move |e| pattern.1.set(e.target().value())>
                    <option value="" selected=move || pattern.0.get().is_empty()>"Recognised annotations"</option>
                    {options}
                </select>
            </label>
            <label class="field">
                "Regular expression"
                <input
                    class="input mono" data-field="pattern" placeholder=r"^forward \d+$" title="Annotations with a matching name are steps. Empty: recognised annotations."
                    prop:value=move || pattern.0.get() on:change:target=move |e| pattern.1.set(e.target().value())
                />
            </label>
        </div>
    }
}

#[component]
fn Parts(found: QueryState<StepTable>, on_slice: Callback<SliceId>, table: Choice<String>, groups: Choice<String>) -> impl IntoView {
    let shape = Memo::new(move |_| found.value.with(|f| f.as_ref().map(|f| rows::Shape::of(f))));
    let columns = Memo::new(move |_| Arc::new(shape.get().map(rows::columns).unwrap_or_default()));
    let step_rows = found.derive(|f| rows::rows(f, rows::Shape::of(f)));
    let show = Callback::new(move |at: usize| {
        let slice = found.value.with_untracked(|f| f.as_ref().and_then(|f| f.steps.get(at).map(|s| s.slice)));
        slice.into_iter().for_each(|slice| on_slice.run(slice));
    });
    let n_more = move || found.value.with(|f| f.as_ref().map_or(0, |f| f.steps.len().saturating_sub(rows::BARS_MAX)));
    let more = move || {
        (n_more() > 0).then(|| format!("The chart shows the first {} steps; the table has all.", text::count(rows::BARS_MAX as u64)))
    };
    view! {
        <Notes notes=found.derive(|f| f.notes.clone()) />
        <Bars
            id="step-parts" title="Duration of each step" what="Step" kind=Kind::Duration series=Signal::stored(Arc::new(rows::series()))
            bars=found.derive(rows::bars) on_bar=show empty="No steps in this range."
        />
        <p class="torch__hint">{more}</p>
        <div class="torch__part">
            <h2>"Percentiles by kind and requests"</h2>
            <Table id="step-groups" label="Percentiles by kind and requests" columns=Signal::stored(Arc::new(rows::group_columns())) rows=found.derive(rows::group_rows) saved=groups empty="No steps in this range." />
        </div>
        <div class="torch__part">
            <h2>"Steps"</h2>
            <p class="torch__hint">"Click a row to show the step in the timeline."</p>
            <Table id="steps" label="Steps" columns rows=step_rows on_row=show saved=table empty="No steps in this range." />
        </div>
    }
}
