//! What changed since another report that is open in a tab of its own.

use super::rows;
use crate::analysis::support::SupportDiff;
use crate::engine::query::{SupportDiffQuery, SupportQuery};
use crate::ui::controls::Problem;
use crate::ui::table::Table;
use crate::views::query::latest;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// The choice of the other report, and the comparison.
#[component]
pub(super) fn Compare(ask: Ask, others: Signal<Vec<(u32, String, Ask)>>) -> impl IntoView {
    let chosen = RwSignal::new(None::<u32>);
    let found = latest(move || {
        let own = ask.clone();
        let other = chosen.get().and_then(|id| others.get().into_iter().find(|o| o.0 == id)).map(|o| o.2);
        async move {
            match other {
                Some(other) => compare(own, other).await.map(Some),
                None => Ok(None),
            }
        }
    });
    let problem = Signal::derive(move || found.get().and_then(|r| r.err()).map(|e| e.to_string()));
    let diff = move || found.get().and_then(Result::ok).flatten().map(|diff| view! { <Diff diff /> });
    let options = move || {
        let option = |(id, title, _): (u32, String, Ask)| view! { <option value=id.to_string() selected=chosen.get_untracked() == Some(id)>{title}</option> };
        others.get().into_iter().map(option).collect_view()
    };
    view! {
        <Show when=move || others.with(|o| !o.is_empty()) fallback=|| view! { <p class="waiting">"Open a second report to compare it with this one."</p> }>
            <div class="support__compare">
                <label class="field">
                    "Compare with "
                    <select class="select" data-field="compare" on:change:target=move |e| chosen.set(e.target().value().parse().ok())>
                        <option value="">"nothing"</option>
                        {options}
                    </select>
                </label>
            </div>
        </Show>
        <Problem text=problem />
        {diff}
    }
}

async fn compare(own: Ask, other: Ask) -> Result<Arc<SupportDiff>, EngineError> {
    let before = other.ask(SupportQuery).await?;
    own.ask(SupportDiffQuery { before }).await.map(Arc::new)
}

#[component]
fn Diff(diff: Arc<SupportDiff>) -> impl IntoView {
    let columns = Signal::stored(Arc::new(rows::diff_columns()));
    let rows_of = Signal::stored(Arc::new(rows::changes(&diff)));
    let total = |(change, n): &(crate::analysis::support::Change, u64)| format!("{n} {}", rows::change_words(*change));
    let totals = diff.totals.iter().map(total).collect::<Vec<_>>().join(", ");
    let delta = diff.delta_percentage.map(|d| format!(" ({d:+.2} points)").replace('-', "−")).unwrap_or_default();
    let version = |v: &Option<String>| v.clone().unwrap_or_else(|| "not available".into());
    view! {
        <section class="support__part" data-diff="">
            <h2>"What changed"</h2>
            <p>
                {rows::percent(diff.before_percentage)}" before, "{rows::percent(diff.after_percentage)}" now"{delta}". "
                {format!("Compiler {} before, {} now. ", version(&diff.compilers.0), version(&diff.compilers.1))}
                {totals}"."
            </p>
            <Table id="support-diff" label="What changed between the reports" columns rows=rows_of empty="Neither report lists an operator." />
        </section>
    }
}
