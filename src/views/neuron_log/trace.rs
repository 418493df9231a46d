//! Host and device side by side: steps, idle time of the device, and what the host did meanwhile.

use super::{LogContext, Run, rows};
use crate::analysis::neuron_log::LogTrace;
use crate::base::{DurationNs, text};
use crate::engine::query::LogTraceQuery;
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::use_query;
use crate::views::scope;
use leptos::prelude::*;
use std::sync::Arc;

/// The trace of a run.
#[component]
pub fn LogTraceView(
    /// The page.
    context: LogContext,
    /// The timeline.
    children: Children,
) -> impl IntoView {
    let range = context.range;
    let found = use_query(context.ask.clone(), Signal::derive(move || Some(LogTraceQuery { range: range.get() })));
    let columns = Signal::stored(Arc::new(rows::step_columns()));
    let steps = found.derive(rows::steps);
    let selected = RwSignal::new(None::<usize>);
    let scope = move || match range.get() {
        None => scope::sentence(None),
        range => format!("{}; steps that touch it are listed in full", scope::sentence(range)),
    };
    let go = context.on_slice;
    let choose = Callback::new(move |at: usize| {
        selected.set(Some(at));
        if let Some(row) = found.value.get_untracked().and_then(|t| t.steps.get(at).cloned()) {
            go.run((row.host_slice.unwrap_or(row.slice), vec![row.slice]));
        }
    });
    let saved = context.choices.choice("table", String::new());
    let cut = move || {
        let found = found.value.get()?;
        let n = found.steps.len() as u64;
        (n < found.n_steps).then(|| format!("First {} of {} steps.", text::count(n), text::count(found.n_steps)))
    };
    let figures = move || found.value.get().map(|t| view! { <Figures found=t /> });
    view! {
        <section class="neuronlog" data-view="trace" aria-busy=move || found.is_waiting.get().to_string()>
            <header class="neuronlog__head"><h1>"Host and device"</h1><span class="summary__scope" data-scope>{scope}</span><Run context /></header>
            <Problem text=found.problem />
            {figures}
            <p class="waiting">{cut}</p>
            <Table id="trace-steps" label="Steps" columns rows=steps selected on_row=choose saved empty="No steps: host threads have no slice named StepMarker or Step with a number." />
            <div class="neuronlog__timeline">{children()}</div>
        </section>
    }
}

#[component]
fn Figures(found: Arc<LogTrace>) -> impl IntoView {
    let shown = |d: Option<DurationNs>| d.map_or("not available".into(), text::duration);
    let all = [("Device execution", found.execution), ("IO data transfer", found.io), ("CC synchronisation", found.synchronisation)];
    let figures = all
        .into_iter()
        .map(|(name, value)| view! { <div class="neuronlog__figure"><dt>{name}</dt><dd>{shown(value)}</dd></div> })
        .collect_view();
    view! { <dl class="neuronlog__figures">{figures}</dl> }
}
