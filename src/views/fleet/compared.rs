//! This run beside another open one: what changed by step, rank, operator and kernel.

use super::super::query::{QueryState, follow};
use crate::analysis::fleet::{FindingState, FleetChange, FleetCompareQuery, FleetComparison, RankChange};
use crate::engine::query::FleetQuery;
use crate::state::choices::ViewState;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::{Cell, Column, Columns, Kind, Row, Table};
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// An open run summary.
#[derive(Debug, Clone)]
pub struct Run {
    /// Content hash: names it in the address.
    pub hash: String,
    /// Its title.
    pub label: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.label) == (&other.hash, &other.label)
    }
}

/// Base, run and change of a time.
fn times<T: 'static>(columns: Columns<T>, base: fn(&T) -> Option<i64>, run: fn(&T) -> Option<i64>) -> Columns<T> {
    let time = |ns: Option<i64>| ns.map_or(Cell::Absent, Cell::Int);
    columns
        .column("base", "Base", Kind::Duration, "In the base.", move |r| time(base(r)))
        .column("run", "This run", Kind::Duration, "In this run.", move |r| time(run(r)))
        .column("change", "Change", Kind::Duration, "This run − base.", move |r| {
            Cell::Int(run(r).unwrap_or(0).saturating_sub(base(r).unwrap_or(0)))
        })
}

fn changes(name: &str) -> Columns<FleetChange> {
    let out = Columns::<FleetChange>::new().column("name", name, Kind::Name, "Name.", |r: &FleetChange| r.name.clone().into());
    times(out, |r| r.base_ns, |r| r.run_ns).column("ratio", "Ratio", Kind::Number, "This run ÷ base.", |r| {
        r.ratio_thousandths().map_or(Cell::Absent, |t| Cell::Float(t as f64 / 1000.0))
    })
}

fn named() -> Columns<FleetChange> {
    changes("Name").column("shape", "Input shape", Kind::Text, "Input shapes; empty where they are not recorded.", |r| {
        if r.shape.is_empty() { Cell::Absent } else { r.shape.clone().into() }
    })
}

fn ranks() -> Columns<RankChange> {
    let out = Columns::<RankChange>::new()
        .column("rank", "Rank", Kind::Count, "Rank in both runs.", |r: &RankChange| r.run.rank.map(u64::from).into());
    times(out, |r| Some(r.base_ns), |r| Some(r.run_ns))
        .column("most", "Most in", Kind::Text, "Category with the greatest change in the direction of the step's.", |r| {
            r.most.map(|m| m.0.label().to_string()).into()
        })
        .column("most_change", "Change of it", Kind::Duration, "Change of that category.", |r| {
            r.most.map_or(Cell::Absent, |m| Cell::Int(m.1))
        })
        .column("base_file", "Trace of the base", Kind::Name, "File of the trace in the base.", |r| r.base.name.clone().into())
        .column("file", "Trace", Kind::Name, "File of the trace in this run.", |r| r.run.name.clone().into())
}

/// The choice of the baseline among the other open runs, and the changes.
#[component]
pub fn Compared(
    /// Every open run summary.
    runs: Signal<Vec<Run>>,
    /// Hash of the run in front.
    front: String,
    /// Answers for it.
    ask: Ask,
    /// The chosen base, and the tables.
    choices: ViewState,
) -> impl IntoView {
    let (chosen, choose) = choices.choice("base", String::new());
    let others = Memo::new(move |_| runs.get().into_iter().filter(|r| r.hash != front).collect::<Vec<Run>>());
    let base = Memo::new(move |_| chosen.with(|hash| others.with(|all| all.iter().find(|r| r.hash == *hash).cloned())));
    let given = Signal::derive(move || base.get().map(|b| b.hash));
    let found = follow(given, move |hash: String| {
        let base = others.with_untracked(|all| all.iter().find(|r| r.hash == hash).map(|r| r.ask.clone()));
        let ask = ask.clone();
        async move {
            let base = base.ok_or(EngineError::Stopped)?.ask(FleetQuery).await?;
            ask.ask(FleetCompareQuery { base }).await
        }
    });
    let options = move || {
        let option = |run: Run| {
            let hash = run.hash.clone();
            view! { <option value=run.hash selected=move || chosen.with(|c| *c == hash)>{run.label}</option> }
        };
        others.get().into_iter().map(option).collect_view()
    };
    let is_shown = Memo::new(move |_| base.with(Option::is_some) && found.value.with(Option::is_some));
    view! {
        <Show when=move || others.with(|o| !o.is_empty())>
            <div class="torch__part" data-fleet-compare aria-busy=move || found.is_waiting.get().to_string()>
                <h2>"Compared with " <Help text="Both runs are summaries. Means are over all steps of all ranks; ranks are matched by number, operators and kernels by name and input shape." /></h2>
                <label class="field">
                    "Base"
                    <select class="select" data-field="base" on:change:target=move |e| choose.set(e.target().value())>
                        <option value="" selected=move || base.with(Option::is_none)>"None"</option>
                        {options}
                    </select>
                </label>
                <Problem text=found.problem />
                <Show when=move || is_shown.get()><Changes found choices /></Show>
            </div>
        </Show>
    }
}

#[component]
fn Changes(found: QueryState<FleetComparison>, choices: ViewState) -> impl IntoView {
    let table =
        move |id: &'static str, title: &'static str, columns: Vec<Column>, rows: fn(&FleetComparison) -> Vec<Row>, empty: &'static str| {
            view! {
                <h3>{title}</h3>
                <Table
                    id=format!("fleet-change-{id}") label=title columns=Signal::stored(Arc::new(columns)) rows=found.derive(rows)
                    saved=choices.choice(id, String::new()) empty
                />
            }
        };
    let findings = move || {
        let found = found.value.get()?;
        let item = |(state, f): &(FindingState, crate::analysis::fleet::Finding)| {
            view! { <li data-change=state.label()><strong>{state.label()}</strong>": "{f.kind.label()}" "{f.text.clone()}</li> }
        };
        let items = found.findings.iter().take(50).map(item).collect_view();
        (!found.findings.is_empty()).then(|| view! { <h3>"Findings of both"</h3><ul class="fleet__findings">{items}</ul> })
    };
    view! {
        <Notes notes=found.derive(|f| f.notes.clone()) />
        {findings}
        {table("steps", "Time of a step", changes("Value").headers(), |f| changes("Value").rows(&f.steps), "Neither run has steps.")}
        {table("ranks", "Ranks by change", ranks().headers(), |f| ranks().rows(&f.ranks), "No rank number is in both runs.")}
        {table("operators", "Operators by change, for each step of a rank", named().headers(), |f| named().rows(&f.operators), "Not recorded in these traces.")}
        {table("kernels", "Kernels by change, for each step of a rank", named().headers(), |f| named().rows(&f.kernels), "Not recorded in these traces.")}
    }
}
