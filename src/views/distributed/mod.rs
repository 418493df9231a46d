//! Distributed: computation and communication of the workers of a run, waits and stragglers.

pub mod rows;

use super::query::{QueryState, follow};
use crate::analysis::torch::distributed::{Distributed, DistributedPart, DistributedPartQuery, ProcessInfo};
use crate::base::SliceId;
use crate::engine::query::DistributedQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::{Kind, Table};
use crate::views::scope::EntireTrace;
use crate::views::wording;
use crate::worker::client::{Ask, EngineError};
use futures_util::future::join_all;
use leptos::prelude::*;
use rows::StepChoice;
use std::sync::Arc;

/// One worker of the run.
#[derive(Debug, Clone)]
pub struct Worker {
    /// Names the open profile.
    pub id: u32,
    /// As the run names it.
    pub worker: String,
    /// The span; empty if there is only one.
    pub span: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Worker {
    fn eq(&self, other: &Self) -> bool {
        (self.id, &self.worker, &self.span) == (other.id, &other.worker, &other.span)
    }
}

/// The merged answer, and sentences on workers that gave none.
type Found = (Distributed, Vec<String>);

#[derive(Clone, Copy)]
struct State {
    found: QueryState<Found>,
    step: Choice<String>,
    worker: Choice<String>,
    workers: Signal<Vec<Worker>>,
    on_slice: Callback<(u32, SliceId)>,
    choices: ViewState,
}

/// Asks every worker for its part, and the first one for what follows from all.
async fn ask_all(workers: Vec<Worker>) -> Result<Found, EngineError> {
    let parts = workers.iter().map(|w| {
        let query = DistributedPartQuery { worker: w.worker.clone(), span: w.span.clone() };
        w.ask.ask(query)
    });
    let answers: Vec<Result<DistributedPart, EngineError>> = join_all(parts).await;
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for (worker, answer) in workers.iter().zip(answers) {
        match answer {
            Ok(part) => parts.push(part),
            Err(error) => missing.push(format!("Worker {} is not included: {error}", worker.worker)),
        }
    }
    let Some(first) = workers.first().filter(|_| !parts.is_empty()) else {
        return Err(EngineError::Refused(if missing.is_empty() {
            "No worker is open. Open the trace of each rank.".into()
        } else {
            missing.join(" ")
        }));
    };
    let query = DistributedQuery { parts };
    let merged = first.ask.ask(query).await?;
    Ok((merged, missing))
}

/// Computation and communication of the workers of a run.
#[component]
pub fn DistributedView(
    /// The workers of the run at the span in front.
    workers: Signal<Vec<Worker>>,
    /// Show a slice of a worker in the timeline.
    on_slice: Callback<(u32, SliceId)>,
    /// Step and worker.
    #[prop(default = ViewState::detached("distributed"))]
    choices: ViewState,
) -> impl IntoView {
    let given = Signal::derive(move || Some(workers.get()));
    let found = follow(given, ask_all);
    let (step, worker) = (choices.choice("step", String::new()), choices.choice("worker", String::new()));
    let state = State { found, step, worker, workers, on_slice, choices };
    let notes = found.derive(|f| f.0.notes.iter().chain(&f.1).cloned().collect::<Vec<_>>());
    view! {
        <section class="torch distributed" data-view="distributed" class:is-waiting=move || found.is_waiting.get() aria-busy=move || found.is_waiting.get().to_string()>
            <Heading state />
            <Problem text=found.problem />
            <Show when=move || found.is_first()><p class="waiting" role="status">"Computing all workers…"</p></Show>
            <Notes notes />
            <Show when=move || found.value.with(Option::is_some)>
                <Charts state />
                <Stragglers state />
                <Operations state />
                <Nodes state />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let steps = state.found.derive(|f| f.0.steps.clone());
    let scope = move || {
        let workers = state.workers.get();
        let span = workers.first().filter(|w| !w.span.is_empty()).map(|w| format!(" · span {}", w.span)).unwrap_or_default();
        match workers.len() {
            1 => format!("One worker{span}"),
            n => format!("{n} workers{span}"),
        }
    };
    let options = move || {
        let chosen = state.step.0.get();
        let option = |value: String, label: String| view! { <option value=value.clone() selected=value == chosen>{label}</option> };
        let fixed = [option(String::new(), "Mean over all steps".into()), option("each".into(), "Every step".into())];
        let steps: Vec<_> = steps.get().iter().map(|s| option(format!("step {s}"), format!("Step {s}"))).collect();
        (fixed.into_iter().collect_view(), steps.into_iter().collect_view())
    };
    view! {
        <header class="torch__head">
            <h1>"Distributed"</h1>
            <span class="torch__scope">{scope}</span>
            <EntireTrace />
            <label class="field">
                "Show"
                <select class="select" data-field="step" on:change:target=move |e| state.step.1.set(e.target().value())>{options}</select>
            </label>
            <Help text="Each step is on its worker's clock and is extended to the end of the kernels it launched. Only open workers are included." />
        </header>
    }
}

#[component]
fn Charts(state: State) -> impl IntoView {
    let shown = move || StepChoice::from_choice(&state.step.0.get());
    let overlap = state.found.derive(move |f| rows::overlap_bars(&f.0, &shown()));
    let wait = state.found.derive(move |f| rows::wait_bars(&f.0, &shown()));
    let what = move || if shown() == StepChoice::Each { "Step" } else { "Worker" };
    let overlap_series = Signal::stored(Arc::new(rows::overlap_series()));
    let wait_series = Signal::stored(Arc::new(rows::wait_series()));
    // What a bar is changes its read-out: the charts are made anew.
    move || {
        let what = what();
        view! {
            <div class="distributed__charts">
                <Bars
                    id="overlap" title="Computation and communication" what kind=Kind::Duration series=overlap_series bars=overlap
                    empty=wording::NO_STEPS
                />
                <Bars
                    id="wait" title="Data transfer and waiting" what kind=Kind::Duration series=wait_series bars=wait
                    empty="Waiting and data transfer can be separated only if collectives of at least two workers of a run match. Open the traces of more ranks."
                />
            </div>
        }
    }
}

#[component]
fn Stragglers(state: State) -> impl IntoView {
    let all = state.found.derive(|f| f.0.stragglers.clone());
    move || {
        let all = all.get();
        (!all.is_empty()).then(|| {
            let items = all.iter().map(|s| view! { <li data-straggler=s.worker.clone()><strong>{s.worker.clone()}</strong> " " {rows::straggler_sentence(s)}</li> });
            let items = items.collect_view();
            view! {
                <section class="torch__part">
                    <h2>"Stragglers"</h2>
                    <ol class="distributed__stragglers">{items}</ol>
                </section>
            }
        })
    }
}

#[component]
fn Operations(state: State) -> impl IntoView {
    let names = state.found.derive(|f| f.0.workers.iter().map(|w| w.worker.clone()).collect::<Vec<_>>());
    let options = move || {
        let chosen = state.worker.0.get();
        names.get().iter().map(|n| view! { <option value=n.clone() selected=*n == chosen>{n.clone()}</option> }).collect_view()
    };
    let columns = state.found.derive(|f| rows::columns(f.0.is_matched));
    let table_rows = state.found.derive(move |f| rows::rows(&f.0, &state.worker.0.get()));
    let targets = state.found.derive(move |f| rows::targets(&f.0, &state.worker.0.get()));
    let choose = Callback::new(move |at: usize| {
        let Some((name, slice)) = targets.with_untracked(|t| t.get(at).cloned()) else { return };
        let id = state.workers.with_untracked(|all| all.iter().find(|w| w.worker == name).or(all.first()).map(|w| w.id));
        if let Some(id) = id {
            state.on_slice.run((id, slice));
        }
    });
    view! {
        <section class="torch__part">
            <h2>"Communication operations"</h2>
            <div class="torch__choices">
                <label class="field">
                    "Worker"
                    <select class="select" data-field="worker" on:change:target=move |e| state.worker.1.set(e.target().value())>
                        <option value="">"All workers"</option>
                        {options}
                    </select>
                </label>
                <span class="torch__hint">"Click to show the longest call in the worker's timeline."</span>
            </div>
            <Table
                id="communication" label="Communication operations by worker" columns rows=table_rows on_row=choose
                saved=state.choices.choice("operations", String::new()) empty="No communication operation is recorded in this trace."
            />
        </section>
    }
}

/// Machines, their processes, their devices.
#[component]
fn Nodes(state: State) -> impl IntoView {
    let nodes = state.found.derive(|f| f.0.nodes.clone());
    let process = |p: &ProcessInfo| {
        let rank = p.rank.map(|(r, n)| format!(" · rank {r} of {n}")).unwrap_or_default();
        let is_blank = p.devices.is_empty();
        let devices = p.devices.iter().map(|d| view! { <li>{rows::device_text(d)}</li> }).collect_view();
        view! {
            <li class="distributed__process">
                <strong>{p.name.clone()}</strong> <span class="torch__hint">{p.worker.clone()}{rank}</span>
                <Show when=move || is_blank><p class="torch__hint">"No device is recorded."</p></Show>
                <ul>{devices}</ul>
            </li>
        }
    };
    view! {
        <section class="torch__part" data-nodes>
            <h2>"Hosts, processes and devices"</h2>
            <div class="distributed__nodes">
                {move || nodes.get().iter().map(|n| view! {
                    <div class="distributed__node"><h3 class="mono">{n.name.clone()}</h3><ul>{n.processes.iter().map(process).collect_view()}</ul></div>
                }).collect_view()}
            </div>
        </section>
    }
}
