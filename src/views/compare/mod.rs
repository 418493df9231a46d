//! Open device profiles beside each other: metrics and times by opcode, engine, layer or source line, with the change against one of them.

pub mod linked;
pub mod rows;
pub mod system;

use super::query::{QueryState, follow};
use crate::analysis::device::ComparePart;
use crate::engine::query::{ComparePartQuery, CompareQuery};
use crate::state::choices::ViewState;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::Table;
use crate::views::explain::{Side, WhatChanged};
use crate::views::scope::EntireTrace;
use crate::worker::client::{Ask, EngineError};
use futures_util::{StreamExt, TryStreamExt, stream};
use leptos::prelude::*;
use rows::Compare;

/// An open device profile.
#[derive(Debug, Clone)]
pub struct Device {
    /// Content hash: names it in the address.
    pub hash: String,
    /// Its title.
    pub label: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.label) == (&other.hash, &other.label)
    }
}

/// All open device profiles, compared.
#[component]
pub fn CompareView(
    /// Every open device profile.
    devices: Signal<Vec<Device>>,
    /// Their timelines, above the tables.
    #[prop(optional, into)]
    above: ViewFn,
    /// A row was chosen: its column and name.
    #[prop(optional, into)]
    on_name: Option<Callback<(String, String)>>,
    /// Base, column, tables.
    #[prop(default = ViewState::detached("compare"))]
    choices: ViewState,
) -> impl IntoView {
    let (base, by) = (choices.choice("base", String::new()), choices.choice("by", String::new()));
    let given = Signal::derive(move || {
        let all = devices.get();
        let at = all.iter().position(|d| d.hash == base.0.get()).unwrap_or(0);
        (all.len() >= 2).then_some((all, at))
    });
    let compare: QueryState<Compare> = follow(given, |(all, at): (Vec<Device>, usize)| compare(all, at));
    let run = choices.choice("run", String::new());
    // The run that was chosen; without a choice the first that is not the base.
    let pair = Memo::new(move |_| {
        let all = devices.get();
        let at = all.iter().position(|d| d.hash == base.0.get()).unwrap_or(0);
        let chosen = run.0.get();
        let run = all.iter().enumerate().find(|(i, d)| *i != at && d.hash == chosen).or(all.iter().enumerate().find(|(i, _)| *i != at));
        Some((side(all.get(at)?), side(run?.1)))
    });
    let run_options = move || {
        let (base, chosen) = pair.with(|p| p.as_ref().map(|(base, run)| (base.hash.clone(), run.hash.clone())).unwrap_or_default());
        let others = devices.get().into_iter().filter(|d| d.hash != base);
        others.map(|d| view! { <option value=d.hash.clone() selected=d.hash == chosen>{d.label}</option> }).collect_view()
    };
    let options = move || {
        let chosen = compare.value.with(|c| c.as_ref().map_or(0, |c| c.base));
        let option = |(at, d): (usize, Device)| view! { <option value=d.hash.clone() selected=at == chosen>{d.label}</option> };
        devices.get().into_iter().enumerate().map(option).collect_view()
    };
    let groups = compare.derive(|c| c.groups.iter().map(|g| (g.by.clone(), g.label.clone())).collect::<Vec<_>>());
    let kinds = move || {
        let shown = compare.value.with(|c| c.as_ref().and_then(|c| rows::group(c, &by.0.get()).map(|g| g.by.clone())).unwrap_or_default());
        groups
            .get()
            .iter()
            .map(|(id, label)| view! { <option value=id.clone() selected=*id == shown>{label.clone()}</option> })
            .collect_view()
    };
    let (metric_columns, metrics) = (compare.derive(rows::metric_columns), compare.derive(rows::metrics));
    let time_columns = compare.derive(rows::time_columns);
    let times = compare.derive(move |c| rows::times(c, &by.0.get()));
    let choose = Callback::new(move |at: usize| {
        let row = compare.value.with_untracked(|c| {
            let group = rows::group(c.as_ref()?, &by.0.get_untracked())?;
            Some((group.by.clone(), group.rows.get(at)?.name.clone()))
        });
        if let (Some(row), Some(on_name)) = (row, on_name) {
            on_name.run(row);
        }
    });
    let (saved_times, saved_metrics) = (choices.choice("times", String::new()), choices.choice("metrics", String::new()));
    view! {
        <section class="torch compare" data-view="compare" class:is-waiting=move || compare.is_waiting.get() aria-busy=move || compare.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Compare"</h1>
                <EntireTrace />
                <label class="field">
                    "Base"
                    <select class="select" data-field="base" on:change:target=move |e| base.1.set(e.target().value())>{options}</select>
                </label>
                <Show when=move || devices.with(|d| d.len() > 2)>
                    <label class="field">
                        "Run"
                        <select class="select" data-field="run" on:change:target=move |e| run.1.set(e.target().value())>{run_options}</select>
                    </label>
                </Show>
                <label class="field">
                    "Align by"
                    <select class="select" data-field="by" on:change:target=move |e| by.1.set(e.target().value())>{kinds}</select>
                </label>
                <Help text="Time is the time in which instructions of a name ran, without semaphore waits. Overlaps on an engine count once; engines and cores are summed. A name that did not run has time 0; a metric that a file does not record is not available." />
            </header>
            <Problem text=compare.problem />
            <Show when=move || devices.with(|d| d.len() < 2)><p class="waiting">"Open a second device profile to compare with this one."</p></Show>
            <Show when=move || pair.with(Option::is_some)><WhatChanged pair choices /></Show>
            <Notes notes=compare.derive(|c| c.notes.clone()) />
            {above.run()}
            <Show when=move || compare.value.with(Option::is_some)>
                <h2>"Time"</h2>
                <p class="torch__hint">"Click a row to align the timelines at the first instruction of this name in each run."</p>
                <Table
                    id="compare-times" label="Time by name in each run" columns=time_columns rows=times on_row=choose empty="No instruction names are recorded in these runs."
                    saved=saved_times
                />
                <h2>"Metrics"</h2>
                <Table id="compare-metrics" label="Metrics of each run" columns=metric_columns rows=metrics empty="No metrics are recorded in these runs." saved=saved_metrics />
            </Show>
        </section>
    }
}

fn side(device: &Device) -> Side {
    Side { hash: device.hash.clone(), label: device.label.clone(), ask: device.ask.clone() }
}

/// Runs that are asked at once, each in a worker of its own. Of many runs most sleep, and each takes memory once it is awake.
const AT_ONCE: usize = 2;

/// Asks every run for its part, and one of them to merge them.
async fn compare(all: Vec<Device>, base: usize) -> Result<Compare, EngineError> {
    let part = async |device: &Device| {
        let part = device.ask.ask(ComparePartQuery).await?;
        Ok::<_, EngineError>(ComparePart { title: device.label.clone(), ..part })
    };
    let parts = stream::iter(&all).map(part).buffered(AT_ONCE).try_collect().await?;
    let first = all.first().ok_or(EngineError::Stopped)?;
    first.ask.ask(CompareQuery { parts, base }).await
}
