//! Fleet: a run of many ranks. Steps of each rank as a heat map, findings, stragglers, comparison of hosts and devices.

mod chosen;
mod compared;
mod heat;
pub mod picture;
mod rows;

pub use chosen::{TraceActions, TraceStep};
pub use compared::Run;

use super::query::{QueryState, use_query};
use crate::analysis::fleet::{Finding, FleetMapQuery, FleetSummary, Metric, RULES, RowOrder};
use crate::base::{DurationNs, text};
use crate::engine::query::FleetQuery;
use crate::state::choices::ViewState;
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::{Column, Kind, Row, Table};
use crate::worker::client::Ask;
use chosen::Chosen;
use compared::Compared;
use heat::Heat;
use leptos::prelude::*;
use std::sync::Arc;

/// A run of many ranks.
#[component]
pub fn FleetView(
    /// Answers for the open profile.
    ask: Ask,
    /// Every open run summary, and the hash of this one.
    #[prop(default = (Signal::stored(Vec::new()), String::new()))]
    runs: (Signal<Vec<Run>>, String),
    /// The way to the traces.
    #[prop(optional)]
    ways: TraceActions,
    /// What was chosen in the view.
    choices: ViewState,
) -> impl IntoView {
    let found = use_query(ask.clone(), Signal::stored(Some(FleetQuery)));
    // Ranks that wait for each other take as long as the slowest: what the first finding is about shows more than the step time.
    let (metric, set_metric) = choices.choice("metric", String::new());
    let (order, set_order) = choices.choice("order", RowOrder::default().id().to_string());
    let of_finding = move || found.value.with(|f| f.as_ref().and_then(|f| f.findings.first()).map(|first| first.kind.metric()));
    let chosen = Memo::new(move |_| Metric::named(&metric.get()).or_else(of_finding).unwrap_or_default());
    let is_known =
        Memo::new(move |_| !metric.with(String::is_empty) || found.value.with(Option::is_some) || found.problem.with(Option::is_some));
    let query = Signal::derive(move || {
        let order = RowOrder::ALL.into_iter().find(|o| o.id() == order.get()).unwrap_or_default();
        is_known.get().then(|| FleetMapQuery { metric: chosen.get(), order })
    });
    let map = use_query(ask.clone(), query);
    let cell = RwSignal::new(None::<(usize, usize)>);
    let chosen_trace = RwSignal::new(None::<TraceStep>);
    let metrics =
        move || Metric::ALL.map(|m| view! { <option value=m.id() selected=move || chosen.get() == m>{m.label()}</option> }).collect_view();
    let orders = move || {
        let recorded = found.value.with(|f| f.as_ref().map_or(RowOrder::ALL.to_vec(), |f| f.orders.clone()));
        let option = |o: RowOrder| view! { <option value=o.id() selected=move || order.get() == o.id()>{o.label()}</option> };
        recorded.into_iter().map(option).collect_view()
    };
    let is_there = Memo::new(move |_| found.value.with(Option::is_some));
    let head = move || {
        let found = found.value.get()?;
        let d = &found.distribution;
        let ranks = text::counted(found.ranks.len() as u64, "trace");
        Some(format!("{ranks}, {}, median step {}", text::counted(d.n, "step"), text::duration(DurationNs(d.quantiles[1]))))
    };
    view! {
        <section class="torch fleet" data-view="fleet" aria-busy=move || (found.is_waiting.get() || map.is_waiting.get()).to_string()>
            <header class="torch__head">
                <h1>"Fleet"</h1>
                <span class="torch__figure" data-scope="entire">{head}</span>
                <Help text="A summary of many traces, written by `axonscope run`. It has sums and percentiles of each rank; the trace named in a row has the events." />
            </header>
            <Problem text=found.problem />
            <Notes notes=found.derive(|f| f.notes.clone()) />
            <Findings found chosen=chosen_trace set_metric />
            <Compared runs=runs.0 front=runs.1 ask choices />
            <div class="torch__choices">
                <label class="field">
                    "Show"
                    <select class="select" data-field="metric" on:change:target=move |e| set_metric.set(e.target().value())>{metrics}</select>
                </label>
                <label class="field">
                    "Order by"
                    <select class="select" data-field="order" on:change:target=move |e| set_order.set(e.target().value())>{orders}</select>
                </label>
            </div>
            <Problem text=map.problem />
            <Heat map=map.value.into() summary=found.value.into() label=Signal::derive(move || chosen.get().label().to_string()) cell chosen=chosen_trace />
            <Show when=move || is_there.get()><Tables found choices chosen=chosen_trace /></Show>
            <Chosen chosen=chosen_trace ways />
        </section>
    }
}

/// What is wrong, and where.
#[component]
fn Findings(found: QueryState<FleetSummary>, chosen: RwSignal<Option<TraceStep>>, set_metric: SignalSetter<String>) -> impl IntoView {
    let rules = RULES.map(|(kind, sentence)| format!("{}: {sentence}", kind.label())).join(" ");
    let list = move || {
        let found = found.value.get()?;
        let item = |f: &Finding| {
            let link = f.traces.first().map(|first| {
                let step = TraceStep::entire(first);
                view! { " "<button type="button" class="link" title=first.name.clone() on:click=move |_| chosen.set(Some(step.clone()))>"Trace"</button> }
            });
            let metric = f.kind.metric();
            let title = format!("Show {} in the heat map", metric.label());
            let map = view! { " "<button type="button" class="link" title=title on:click=move |_| set_metric.set(metric.id().to_string())>"Map"</button> };
            view! { <li data-finding=f.subject.clone()><strong>{f.kind.label()}</strong>" "{f.text.clone()}{map}{link}</li> }
        };
        let items = found.findings.iter().take(FINDINGS_MAX).map(item).collect_view();
        let more = found.findings.len().saturating_sub(FINDINGS_MAX) as u64;
        let rest = (more > 0).then(|| view! { <p class="torch__hint">{text::count(more)}" more findings cost less. `axonscope report --query fleet` lists all."</p> });
        Some(match found.findings.is_empty() {
            true => view! { <p class="torch__hint" data-no-findings>"No rank, host or group differs from the others by more than the limits."</p> }.into_any(),
            false => view! { <ol class="fleet__findings">{items}</ol>{rest} }.into_any(),
        })
    };
    view! { <div class="torch__part"><h2>"Findings "<Help text=rules /></h2>{list}</div> }
}

/// Findings that are listed.
const FINDINGS_MAX: usize = 12;

/// In place of rows.
const NONE: &str = "Not recorded in these traces.";

/// A table of the summary with one trace per row: id, title, columns, rows, text without rows, and the trace of a row.
struct Part {
    id: &'static str,
    title: &'static str,
    columns: Vec<Column>,
    rows: fn(&FleetSummary) -> Vec<Row>,
    empty: &'static str,
    trace: fn(&FleetSummary, usize) -> Option<TraceStep>,
}

#[component]
fn Tables(found: QueryState<FleetSummary>, choices: ViewState, chosen: RwSignal<Option<TraceStep>>) -> impl IntoView {
    let table = move |Part { id, title, columns, rows, empty, trace }: Part| {
        let on_row = Callback::new(move |at: usize| {
            if let Some(step) = found.value.with_untracked(|f| f.as_ref().and_then(|f| trace(f, at))) {
                chosen.set(Some(step));
            }
        });
        view! {
            <div class="torch__part">
                <h2>{title}</h2>
                <Table
                    id=format!("fleet-{id}") label=title columns=Signal::stored(Arc::new(columns)) rows=found.derive(rows)
                    on_row saved=choices.choice(id, String::new()) empty
                />
            </div>
        }
    };
    // Rows without a single trace.
    let plain = move |id: &'static str, title: &'static str, columns: Vec<Column>, rows: fn(&FleetSummary) -> Vec<Row>| {
        view! {
            <div class="torch__part">
                <h2>{title}</h2>
                <Table
                    id=format!("fleet-{id}") label=title columns=Signal::stored(Arc::new(columns)) rows=found.derive(rows)
                    saved=choices.choice(id, String::new()) empty=NONE
                />
            </div>
        }
    };
    let part = move |id, title, columns, rows, trace| Part { id, title, columns, rows, empty: NONE, trace };
    view! {
        {table(Part { empty: "No rank makes others wait, or collectives record no group and number.", ..part("stragglers", "Stragglers", rows::stragglers().headers(), rows::straggler_rows, rows::straggler_trace) })}
        {table(part("collectives", "Slowest collectives", rows::collectives().headers(), |f| rows::collectives().rows(&f.collectives), |f, at| {
            f.collectives.get(at).map(|c| TraceStep { trace: c.last.clone(), step: c.step })
        }))}
        <div class="fleet__pair">
            <Bars
                id="fleet-step-times" title="Steps by time" what="Step time" kind=Kind::Count series=Signal::stored(Arc::new(rows::series()))
                bars=found.derive(rows::bars) empty="No steps are recorded in these traces."
            />
            {table(Part { empty: "No step is longer than the others by more than 10% and 3 interquartile ranges.", ..part("outliers", "Outliers", rows::outliers(&FleetSummary::default()).headers(), |f| rows::outliers(f).rows(&f.distribution.outliers), rows::outlier_trace) })}
        </div>
        {table(part("ranks", "Ranks", rows::ranks().headers(), |f| rows::ranks().rows(&f.ranks), |f, at| f.ranks.get(at).map(|r| TraceStep::entire(&r.trace))))}
        {table(part("operators", "Operators", rows::spreads().headers(), |f| rows::spreads().rows(&f.operators), |f, at| f.operators.get(at).map(|r| TraceStep::entire(&r.most))))}
        {table(part("kernels", "Kernels", rows::spreads().headers(), |f| rows::spreads().rows(&f.kernels), |f, at| f.kernels.get(at).map(|r| TraceStep::entire(&r.most))))}
        {plain("groups", "Process groups", rows::groups().headers(), |f| rows::groups().rows(&f.groups))}
        {plain("hosts", "Hosts", rows::hosts("Host").headers(), |f| rows::hosts("Host").rows(&f.hosts))}
        {plain("devices", "Devices", rows::hosts("Device").headers(), |f| rows::hosts("Device").rows(&f.devices))}
    }
}
