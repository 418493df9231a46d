//! The parts of the page: gauge, remarks, tables.

use super::rows::{self, Which};
use crate::analysis::support::{FailureRow, Remark, SupportTop};
use crate::state::choices::ViewState;
use crate::ui::controls::with_code;
use crate::ui::effect::effect;
use crate::ui::table::{MissingRows, Row, Table};
use leptos::prelude::*;
use std::sync::Arc;

/// The loaded parts of the lists.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    /// The report, its lists perhaps cut.
    pub top: Signal<Arc<SupportTop>>,
    /// Brings whole lists, if they are not there.
    pub load: Callback<()>,
}

impl Lists {
    /// The missing rows of a list; none for complete lists, even if only some rows are shown.
    fn rest(self, n_total: fn(&SupportTop) -> u64) -> MissingRows {
        let n_total = move || self.top.with(|t| if t.is_cut() { n_total(t) } else { 0 }) as usize;
        MissingRows { n_total: Signal::derive(n_total), load: self.load }
    }

    /// Rows made of the report, once for each report.
    fn rows(self, make: impl Fn(&SupportTop) -> Vec<Row> + Send + Sync + 'static) -> Signal<Arc<Vec<Row>>> {
        Memo::new_with_compare(move |_| Arc::new(self.top.with(|t| make(t))), |_, _| true).into()
    }
}

/// The percentage as a bar, and the versions that computed it.
#[component]
pub(super) fn Gauge(top: Arc<SupportTop>) -> impl IntoView {
    let support = &top.support;
    let shown = support.support_percentage.or(support.computed_percentage);
    let figure = rows::percent(shown);
    let what = if support.support_percentage.is_none() && shown.is_some() {
        "of HLO instructions, counted from the lists"
    } else {
        "of HLO instructions"
    };
    let version = |v: &Option<String>| v.clone().unwrap_or_else(|| "not available".into());
    let bar = shown.map(|p| {
        view! {
            <span class="support__bar" role="meter" aria-label="Supported HLO instructions" aria-valuemin="0" aria-valuemax="100" aria-valuenow=format!("{p:.2}")>
                <i style:width=format!("{p:.2}%")></i>
            </span>
        }
    });
    view! {
        <div class="support__gauge" data-chart="support-gauge">
            <p class="support__figure"><strong>{figure}</strong>" "{what}</p>
            {bar}
            <dl class="support__versions">
                <dt>"torch_neuronx"</dt><dd class="mono">{version(&support.torch_neuronx_version)}</dd>
                <dt>"neuronx_cc"</dt><dd class="mono">{version(&support.neuronx_cc_version)}</dd>
            </dl>
        </div>
    }
}

/// What to know, one line each.
#[component]
pub(super) fn Remarks(remarks: Vec<Remark>) -> impl IntoView {
    let line = |remark: Remark| {
        let is_wrong = matches!(remark.kind.as_str(), "mismatch" | "missing");
        view! { <li class="support__remark" class:support__remark--warn=is_wrong data-remark=remark.kind>{with_code(&remark.text)}</li> }
    };
    view! { <ul class="support__remarks">{remarks.into_iter().map(line).collect_view()}</ul> }
}

/// Every operator once.
#[component]
pub(super) fn Operators(lists: Lists, choices: ViewState) -> impl IntoView {
    let (which, set_which) = choices.choice("which", Which::All);
    let saved = choices.choice("operators", String::new());
    let columns = Signal::stored(Arc::new(rows::operator_columns()));
    let rows = lists.rows(move |top| rows::operators(top, which.get()));
    let rest = lists.rest(|top| top.n_operators);
    // The first rows of a part are not those of the whole.
    effect(move || {
        if which.get() != Which::All {
            lists.load.run(());
        }
    });
    let choice = move |(value, label): (Which, &'static str)| {
        view! { <button type="button" aria-pressed=move || (which.get() == value).to_string() on:click=move |_| set_which.set(value)>{label}</button> }
    };
    let choices = [(Which::All, "All"), (Which::Failing, "Failing"), (Which::Supported, "Supported")];
    view! {
        <section class="support__part">
            <header class="support__head">
                <h2>"Operators"</h2>
                <span class="segmented" role="group" aria-label="Which operators">{choices.into_iter().map(choice).collect_view()}</span>
            </header>
            <Table id="support-operators" label="Operators and their support" columns rows saved rest empty="The report lists no operators of this kind." />
        </section>
    }
}

/// Each failing call; the chosen one in full beneath.
#[component]
pub(super) fn Failures(lists: Lists, choices: ViewState) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::failure_columns()));
    let rows = lists.rows(|top| rows::failures(&top.support));
    let rest = lists.rest(|top| top.n_failures);
    let saved = choices.choice("failures", String::new());
    let first = lists.top.get_untracked();
    let selected = RwSignal::new((first.n_failures == 1).then_some(0));
    // Instructions of the chosen one are in the whole report.
    effect(move || {
        if selected.get().is_some() {
            lists.load.run(());
        }
    });
    let empty = match first.support.n_unsupported {
        Some(_) => "No failing calls: every operator of the model is supported.",
        None => "No list of unsupported operators is recorded in this report.",
    };
    let chosen = move || {
        let top = lists.top.get();
        let support = &top.support;
        let failure = support.failures.get(selected.get()?)?.clone();
        let operator = support.operator(&failure);
        let own = operator.instructions.iter().filter_map(|i| support.instructions.get(*i as usize));
        let instructions = own.map(|r| support.form(r).text.clone()).collect();
        Some(view! { <Failure name=operator.name.clone() failure instructions /> })
    };
    view! {
        <section class="support__part">
            <h2>"Failing calls"</h2>
            <Table id="support-failures" label="Calls that fail" columns rows selected on_row=Callback::new(move |at| selected.set(Some(at))) saved rest empty />
            {chosen}
        </section>
    }
}

/// One failing call: its stack, its instructions, the graph around it.
#[component]
fn Failure(name: String, failure: FailureRow, instructions: Vec<String>) -> impl IntoView {
    let frames = failure.frames().collect::<Vec<_>>().join("\n");
    let stack = (!frames.is_empty()).then(|| view! { <h3>"Called from"</h3><pre class="support__text">{frames}</pre> });
    let hlo = (!instructions.is_empty())
        .then(|| view! { <h3>"HLO instructions that fail"</h3><pre class="support__text">{instructions.join("\n")}</pre> });
    let graph = (!failure.graph.is_empty()).then(|| view! { <h3>"Graph"</h3><pre class="support__text">{failure.graph.clone()}</pre> });
    view! {
        <div class="support__failure" data-failure="">
            <p><strong class="mono">{name}</strong>" fails at "{failure.stage().to_string()}</p>
            {stack}
            {hlo}
            {graph}
        </div>
    }
}

/// The HLO instructions of a report at verbosity 1.
#[component]
pub(super) fn Instructions(lists: Lists, choices: ViewState) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::instruction_columns()));
    let rows = lists.rows(|top| rows::instructions(&top.support));
    let rest = lists.rest(|top| top.n_instructions);
    let saved = choices.choice("instructions", String::new());
    view! {
        <section class="support__part">
            <h2>"HLO instructions"</h2>
            <Table id="support-instructions" label="HLO instructions" columns rows saved rest empty="The report lists no HLO instructions." />
        </section>
    }
}
