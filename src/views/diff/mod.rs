//! Diff: two open traces beside each other, along their operator trees and operator by operator.

pub mod rows;

use super::query::{QueryState, follow};
use crate::analysis::torch::diff::{Diff, DiffPart, DiffQuery, FlatDiff, FlatDiffQuery};
use crate::engine::Wire;
use crate::engine::query::DiffPartQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::curve::Curve;
use crate::ui::table::{Kind, Table};
use crate::views::explain::{Side, WhatChanged};
use crate::views::scope::EntireTrace;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// An open trace that can be compared.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Content hash: names it in the address.
    pub hash: String,
    /// Run, worker and span, or the file's name.
    pub label: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.label) == (&other.hash, &other.label)
    }
}

#[derive(Clone, Copy)]
struct State {
    traces: Signal<Vec<Trace>>,
    /// Hash of the experiment; follows the front one until chosen.
    experiment: Memo<String>,
    base: Memo<String>,
    choices: (Choice<String>, Choice<String>),
    path: Choice<String>,
    by: Choice<String>,
    part: QueryState<(String, DiffPart)>,
    view_state: ViewState,
}

impl State {
    fn new(traces: Signal<Vec<Trace>>, front: String, view_state: ViewState) -> Self {
        let choices = (view_state.choice("base", String::new()), view_state.choice("experiment", String::new()));
        let is_open = move |hash: &str| traces.with(|all| all.iter().any(|t| t.hash == hash));
        let experiment = Memo::new(move |_| Some(choices.1.0.get()).filter(|h| is_open(h)).unwrap_or_else(|| front.clone()));
        let base = Memo::new(move |_| {
            let experiment = experiment.get();
            let other = || traces.with(|all| all.iter().find(|t| t.hash != experiment).map(|t| t.hash.clone()).unwrap_or_default());
            Some(choices.0.0.get()).filter(|h| is_open(h)).unwrap_or_else(other)
        });
        let given = Signal::derive(move || Some(base.get()).filter(|b| !b.is_empty()));
        let part = follow(given, move |hash: String| {
            let ask = ask_of(traces, &hash);
            async move {
                let ask = ask.ok_or(EngineError::Stopped)?;
                Ok((hash, ask.ask(DiffPartQuery).await?))
            }
        });
        State {
            traces,
            experiment,
            base,
            choices,
            path: view_state.choice("path", String::new()),
            by: view_state.choice("by", String::new()),
            part,
            view_state,
        }
    }

    /// Base, experiment and something else, once the base's part is there. Tracked.
    fn ready<T>(&self, other: impl FnOnce() -> T) -> Option<(String, String, T)> {
        let (base, experiment) = (self.base.get(), self.experiment.get());
        let is_there = self.part.value.with(|p| p.as_ref().is_some_and(|p| p.0 == base));
        is_there.then(|| (base, experiment, other()))
    }

    /// Asks the experiment with the base's part. The future holds no signals.
    fn asked<Q: Wire>(self, experiment: String, query: impl FnOnce(DiffPart) -> Q) -> impl Future<Output = Result<Q::Answer, EngineError>> {
        let ask = ask_of(self.traces, &experiment);
        let query = self.part.value.with_untracked(|p| p.as_ref().map(|p| query(p.1.clone())));
        async move {
            let (ask, query) = ask.zip(query).ok_or(EngineError::Stopped)?;
            ask.ask(query).await
        }
    }

    fn swap(&self) {
        let (base, experiment) = (self.base.get_untracked(), self.experiment.get_untracked());
        self.choices.0.1.set(experiment);
        self.choices.1.1.set(base);
        self.path.1.set(String::new());
    }
}

fn ask_of(traces: Signal<Vec<Trace>>, hash: &str) -> Option<Ask> {
    traces.with_untracked(|all| all.iter().find(|t| t.hash == hash).map(|t| t.ask.clone()))
}

/// Two traces beside each other.
#[component]
pub fn DiffView(
    /// Every open PyTorch trace.
    traces: Signal<Vec<Trace>>,
    /// Hash of the trace in front: the experiment until another is chosen.
    front: String,
    /// Base, experiment, the part looked into, grouping of the flat table.
    #[prop(default = ViewState::detached("diff"))]
    choices: ViewState,
) -> impl IntoView {
    let state = State::new(traces, front, choices);
    let given = Signal::derive(move || state.ready(|| state.path.0.get()));
    let diff: QueryState<Diff> =
        follow(given, move |(_, experiment, path): (String, String, String)| state.asked(experiment, |base| DiffQuery { base, path }));
    let pair = Memo::new(move |_| {
        let (base, run) = (state.base.get(), state.experiment.get());
        let side = |hash: &str| {
            let of = |t: &Trace| Side { hash: t.hash.clone(), label: t.label.clone(), ask: t.ask.clone() };
            traces.with(|all| all.iter().find(|t| t.hash == hash).map(of))
        };
        Some((side(&base)?, side(&run)?))
    });
    let is_alone = move || traces.with(|t| t.len() < 2);
    let is_first = move || !is_alone() && state.part.problem.with(Option::is_none) && diff.is_first();
    view! {
        <section class="torch diff" data-view="diff" class:is-waiting=move || diff.is_waiting.get() aria-busy=move || diff.is_waiting.get().to_string()>
            <Heading state diff />
            <Problem text=state.part.problem />
            <Problem text=diff.problem />
            <Show when=is_alone><p class="waiting">"Open another PyTorch trace to compare this one with."</p></Show>
            <Show when=is_first><p class="waiting" role="status">"Comparing…"</p></Show>
            <Show when=move || pair.with(Option::is_some)><WhatChanged pair choices /></Show>
            <Notes notes=diff.derive(|d| d.notes.clone()) />
            <Show when=move || diff.value.with(Option::is_some)>
                <Crumbs state diff />
                <Charts state diff />
                <Tables state diff />
                <Flat state />
            </Show>
        </section>
    }
}

#[component]
fn Heading(state: State, diff: QueryState<Diff>) -> impl IntoView {
    let picker = move |label: &'static str, field: &'static str, chosen: Memo<String>, choice: Choice<String>| {
        let options = move || {
            let chosen = chosen.get();
            state
                .traces
                .get()
                .into_iter()
                .map(|t| view! { <option value=t.hash.clone() selected=t.hash == chosen>{t.label}</option> })
                .collect_view()
        };
        let choose = move |hash: String| {
            choice.1.set(hash);
            state.path.1.set(String::new());
        };
        view! {
            <label class="field">
                {label}
                <select class="select" data-field=field on:change:target=move |e| choose(e.target().value())>{options}</select>
            </label>
        }
    };
    let sentence = move || diff.value.with(|d| d.as_ref().map(|d| rows::sentence(d)));
    view! {
        <header class="torch__head">
            <h1>"Diff"</h1>
                <EntireTrace />
            {picker("Base", "base", state.base, state.choices.0)}
            {picker("Experiment", "experiment", state.experiment, state.choices.1)}
            <button type="button" class="button" data-swap title="Swap base and experiment" on:click=move |_| state.swap()>"Swap"</button>
            <span class="torch__figure" data-diff-sum>{sentence}</span>
            <Help text="The two traces are aligned in order: steps, modules, data loading, optimizer and backward passes are matched; everything between two matches forms one part. Delta = experiment − base, in device time, or in host time where there is no device time." />
        </header>
    }
}

/// The way from the whole to the part that is shown.
#[component]
fn Crumbs(state: State, diff: QueryState<Diff>) -> impl IntoView {
    let crumbs = diff.derive(rows::crumbs);
    let item = move |(path, label): (String, String), is_last: bool| {
        let name = if label.is_empty() { "All".to_string() } else { label };
        let go = move |_| state.path.1.set(if path == "0" { String::new() } else { path.clone() });
        view! { <li><button type="button" class="link" disabled=is_last aria-current=is_last.then_some("true") on:click=go>{name}</button></li> }
    };
    let items = move || {
        let all = crumbs.get();
        let last = all.len().saturating_sub(1);
        all.iter().enumerate().map(|(i, c)| item(c.clone(), i == last)).collect_view()
    };
    view! { <nav aria-label="Part of the traces"><ol class="diff__crumbs" data-crumbs>{items}</ol></nav> }
}

#[component]
fn Charts(state: State, diff: QueryState<Diff>) -> impl IntoView {
    let series = diff.derive(rows::series);
    let bars = diff.derive(rows::bars);
    let lines = diff.derive(rows::lines);
    let zoom = Callback::new(move |at: usize| {
        let path = diff.value.with_untracked(|d| d.as_ref().and_then(|d| rows::charted(d).get(at).map(|p| p.path.clone())));
        if let Some(path) = path {
            state.path.1.set(path);
        }
    });
    view! {
        <div class="diff__charts">
            <Bars
                id="diff-bars" title="Time by part, base and experiment" what="Part" kind=Kind::Duration series bars is_beside=true on_bar=zoom
                empty="This part has no nested parts: see the table of operators."
            />
            <Curve
                id="diff-delta" title="Delta and accumulated delta by part" x=("Part", Kind::Count) y=("", Kind::Duration) lines
                empty="This part has no named nested parts."
            />
        </div>
    }
}

#[component]
fn Tables(state: State, diff: QueryState<Diff>) -> impl IntoView {
    let parts = diff.derive(rows::part_rows);
    let has_parts = move || diff.value.with(|d| d.as_ref().is_some_and(|d| !d.parts.is_empty()));
    let zoom = Callback::new(move |at: usize| {
        let path = diff.value.with_untracked(|d| d.as_ref().and_then(|d| d.parts.get(at)).map(|p| p.path.clone()));
        if let Some(path) = path {
            state.path.1.set(path);
        }
    });
    let shape = |d: &Diff| rows::shape_of(&d.operators, Default::default());
    let columns = diff.derive(move |d| rows::columns("Operator", shape(d)));
    let operators = diff.derive(move |d| rows::rows(&d.operators, shape(d)));
    view! {
        <section class="torch__part">
            <h2>"Parts in order"</h2>
            <Show when=has_parts><p class="torch__hint">"Click a part to show its nested parts and its operators."</p></Show>
            <Table
                id="diff-parts" label="Parts of both traces in order" columns=Signal::stored(Arc::new(rows::part_columns())) rows=parts on_row=zoom
                saved=state.view_state.choice("parts", String::new()) empty="This part has no nested parts."
            />
        </section>
        <section class="torch__part">
            <h2>"Operators of this part"</h2>
            <Table id="diff-operators" label="Operators of this part" columns rows=operators saved=state.view_state.choice("operators", rows::WORST_FIRST.into()) empty="No operator ran in this part of either trace." />
        </section>
    }
}

#[component]
fn Flat(state: State) -> impl IntoView {
    let given = Signal::derive(move || state.ready(|| state.by.0.get()));
    let flat: QueryState<FlatDiff> = follow(given, move |(_, experiment, by): (String, String, String)| {
        let by = rows::flat_by(&by);
        state.asked(experiment, move |base| FlatDiffQuery { base, by })
    });
    let by = move || rows::flat_by(&state.by.0.get());
    let columns = flat.derive(move |d| {
        let what = if by() == crate::analysis::torch::diff::FlatBy::Kernel { "Kernel" } else { "Operator" };
        rows::columns(what, rows::shape_of(&d.rows, by()))
    });
    let table_rows = flat.derive(move |d| rows::rows(&d.rows, rows::shape_of(&d.rows, by())));
    let options = move || {
        let chosen = state.by.0.get();
        let all = [("", "Operator"), ("shape", "Operator and input shape"), ("kernel", "Kernel")];
        all.map(|(value, label)| view! { <option value=value selected=value == chosen>{label}</option> }).collect_view()
    };
    view! {
        <section class="torch__part">
            <h2>"Both entire traces by row"</h2>
            <div class="torch__choices">
                <label class="field">
                    "By"
                    <select class="select" data-field="by" on:change:target=move |e| state.by.1.set(e.target().value())>{options}</select>
                </label>
                <span class="torch__hint">"Compares any two traces, without alignment."</span>
            </div>
            <Problem text=flat.problem />
            <Notes notes=flat.derive(|d| d.notes.clone()) />
            <Table id="diff-flat" label="Both traces by row" columns rows=table_rows saved=state.view_state.choice("flat", rows::WORST_FIRST.into()) empty="Neither trace has rows of this kind." />
        </section>
    }
}
