//! What changed between two open profiles: sentences with their evidence, a waterfall of the exclusive parts, the tree below them, metrics that differ.

use super::explain_rows as rows;
use super::query::{QueryState, follow};
use crate::analysis::explain::{Explain, ExplainPart, ExplainQuery, ExplainUnit, Sentence, markdown::markdown};
use crate::engine::query::ExplainPairQuery;
use crate::state::choices::ViewState;
use crate::ui::bars::Waterfall;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::dom;
use crate::ui::table::{Kind, Table};
use crate::ui::tree::TreeTable;
use crate::worker::client::{Ask, EngineError};
use futures_util::future::try_join;
use leptos::prelude::*;
use std::sync::Arc;

/// One of the two profiles.
#[derive(Debug, Clone)]
pub struct Side {
    /// Content hash.
    pub hash: String,
    /// Its title.
    pub label: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Side {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.label) == (&other.hash, &other.label)
    }
}

/// What changed from the first of two profiles to the second.
#[component]
pub fn WhatChanged(
    /// Base and run; `None` while there are not two.
    #[prop(into)]
    pair: Signal<Option<(Side, Side)>>,
    /// The core.
    choices: ViewState,
) -> impl IntoView {
    let found: QueryState<Explain> = follow(pair, |(base, run): (Side, Side)| explain(base, run));
    let core = choices.choice("core", 0usize);
    let unit = Memo::new(move |_| {
        found.value.with(|f| f.as_ref().and_then(|f| f.units.get(core.0.get()).or(f.units.first()).cloned()).map(Arc::new))
    });
    let of_unit =
        move |make: fn(&ExplainUnit) -> Vec<crate::ui::bars::Fall>| unit.with(|u| u.as_ref().map(|u| make(u)).unwrap_or_default());
    let bars = Memo::new(move |_| Arc::new(of_unit(rows::falls)));
    let columns = Memo::new(move |_| {
        let of = |f: &Explain| unit.with(|u| u.as_ref().map(|u| rows::columns(f, u)));
        Arc::new(found.value.with(|f| f.as_deref().and_then(of)).unwrap_or_default())
    });
    let branches = Memo::new(move |_| Arc::new(unit.with(|u| u.as_ref().map(|u| rows::branches(u)).unwrap_or_default())));
    let sentences = move || {
        let all = unit.with(|u| u.as_ref().map(|u| u.sentences.clone()).unwrap_or_default());
        all.into_iter().enumerate().map(|(at, sentence)| view! { <Answered sentence is_first=at == 0 /> }).collect_view()
    };
    let has_units = move || unit.with(Option::is_some);
    let (metric_columns, metrics) = (found.derive(rows::metric_columns), found.derive(rows::metrics));
    let metric_count = move || found.value.with(|f| f.as_deref().map(rows::metric_count));
    let saved = choices.choice("changed", String::new());
    let is_first = move || found.is_first() && pair.with(Option::is_some);
    view! {
        <section class="explain" data-explain class:is-waiting=move || found.is_waiting.get() aria-busy=move || found.is_waiting.get().to_string()>
            <Head found core />
            <Problem text=found.problem />
            <Show when=is_first><p class="waiting" role="status">"Comparing…"</p></Show>
            <div class="explain__answers" data-answers>{sentences}</div>
            <Show when=has_units>
                <Waterfall
                    id="explain-waterfall" title="From base to run by exclusive part" what="Part" kind=Kind::Duration bars
                    empty="These profiles have no time in common to compare."
                />
                <h3>"Difference by part"</h3>
                <TreeTable id="explain-parts" label="Difference by part" columns branches levels=2 empty="There is no difference." />
            </Show>
            <Show when=move || found.value.with(|f| f.as_ref().is_some_and(|f| f.n_equal > 0 || !f.metrics.is_empty()))>
                <h3>"Metrics that differ"</h3>
                <p class="torch__hint" data-metric-count>{metric_count}</p>
                <Table id="explain-metrics" label="Metrics that differ" columns=metric_columns rows=metrics empty="All metrics are equal." saved=saved />
            </Show>
            <Notes notes=found.derive(|f| f.notes.clone()) />
        </section>
    }
}

#[component]
fn Head(found: QueryState<Explain>, core: crate::state::choices::Choice<usize>) -> impl IntoView {
    let (is_done, set_done) = signal(false);
    let copy = move |_| {
        if let Some(found) = found.value.get_untracked() {
            dom::copy_text(&markdown(&found));
            set_done.set(true);
            let undo = move || {
                let _ = set_done.try_set(false);
            };
            set_timeout(undo, std::time::Duration::from_millis(1200));
        }
    };
    let names = Memo::new(move |_| {
        found.value.with(|f| f.as_ref().map(|f| f.units.iter().map(|u| u.name.clone()).collect::<Vec<_>>()).unwrap_or_default())
    });
    let picker = move || {
        let names = names.get();
        (names.len() > 1).then(|| {
            let option =
                |(at, name): (usize, String)| view! { <option value=at.to_string() selected=move || core.0.get() == at>{name}</option> };
            let options = names.into_iter().enumerate().map(option).collect_view();
            let choose = move |text: String| core.1.set(text.parse().unwrap_or(0));
            view! {
                <label class="field">
                    "Core"
                    <select class="select" data-field="core" on:change:target=move |e| choose(e.target().value())>{options}</select>
                </label>
            }
        })
    };
    view! {
        <div class="explain__head">
            <h2>"What changed"</h2>
            {picker}
            <button type="button" class="button" data-copy-markdown disabled=move || found.value.with(Option::is_none) on:click=copy>
                {move || if is_done.get() { "Copied" } else { "Copy as Markdown" }}
            </button>
            <Help text="Every instant belongs to one part: the first that is busy, in the order of the parts; what is left is idle. Parts therefore sum to the total, and the differences of the parts to the difference of the totals." />
        </div>
    }
}

/// A sentence, with its evidence one click away.
#[component]
fn Answered(sentence: Sentence, is_first: bool) -> impl IntoView {
    let evidence = (!sentence.evidence.is_empty()).then(|| {
        let items = sentence.evidence.iter().map(|e| view! { <li>{e.clone()}</li> }).collect_view();
        view! { <details class="explain__evidence"><summary>"Evidence"</summary><ul>{items}</ul></details> }
    });
    view! {
        <div class="explain__answer" class:explain__answer--first=is_first>
            <p data-answer>{sentence.text}</p>
            {evidence}
        </div>
    }
}

async fn explain(base: Side, run: Side) -> Result<Explain, EngineError> {
    // Each in a worker of its own: both at once.
    let (first, second) = try_join(part(&base), part(&run)).await?;
    run.ask.ask(ExplainPairQuery { base: first, run: second }).await
}

/// What a profile contributes, under its title in the page.
async fn part(side: &Side) -> Result<ExplainPart, EngineError> {
    let part = side.ask.ask(ExplainQuery::default()).await?;
    Ok(ExplainPart { title: side.label.clone(), ..part })
}
