//! Two runs by operator.

use super::{LogContext, rows};
use crate::analysis::neuron_log::{Level, LogDiff};
use crate::base::{DurationNs, text};
use crate::engine::query::{LogDiffQuery, LogPartQuery};
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::latest;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// The choice of the other run, and the comparison.
#[component]
pub(super) fn Compare(context: LogContext, level: Level) -> impl IntoView {
    let chosen = RwSignal::new(None::<u32>);
    let others = context.others;
    let found = latest(move || {
        let own = context.ask.clone();
        let other = chosen.get().and_then(|id| others.get().into_iter().find(|o| o.0 == id)).map(|o| o.2);
        async move {
            match other {
                Some(other) => compare(own, other, level).await.map(Some),
                None => Ok(None),
            }
        }
    });
    let problem = Signal::derive(move || found.get().and_then(|r| r.err()).map(|e| e.to_string()));
    let diff = move || found.get().and_then(Result::ok).flatten().map(|diff| view! { <Diff diff /> });
    let options =
        move || others.get().into_iter().map(|(id, title, _)| view! { <option value=id.to_string()>{title}</option> }).collect_view();
    view! {
        <Show when=move || others.with(|o| !o.is_empty()) fallback=|| view! { <p class="waiting">"Open a second run to compare it with this one."</p> }>
            <label class="field">
                "Compare with "
                <select class="select" data-field="compare" on:change:target=move |e| chosen.set(e.target().value().parse().ok())>
                    <option value="">"nothing"</option>
                    {options}
                </select>
            </label>
        </Show>
        <Problem text=problem />
        {diff}
    }
}

async fn compare(own: Ask, other: Ask, level: Level) -> Result<Arc<LogDiff>, EngineError> {
    let before = other.ask(LogPartQuery).await?;
    own.ask(LogDiffQuery { before, level }).await.map(Arc::new)
}

#[component]
fn Diff(diff: Arc<LogDiff>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::diff_columns()));
    let deltas = Signal::stored(Arc::new(rows::deltas(&diff)));
    let shown = |d: Option<DurationNs>| d.map_or("not available".into(), text::duration);
    let line =
        |name: &str, pair: (Option<DurationNs>, Option<DurationNs>)| format!("{name}: {} before, {} now. ", shown(pair.0), shown(pair.1));
    let lines = [("Operators", diff.total_time), ("Device window", diff.window), ("Compute", diff.compute), ("Transfer", diff.transfer)];
    let sentence: String = lines.into_iter().map(|(name, pair)| line(name, pair)).collect();
    view! {
        <section class="neuronlog__level" data-diff="">
            <h2>{format!("{} compared with {}", diff.titles.1, diff.titles.0)}</h2>
            <p>{sentence}</p>
            <Table id="operator-diff" label="Operators of both runs" columns rows=deltas empty="Neither run lists an operator." />
        </section>
    }
}
