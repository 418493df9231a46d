//! What an `analyze` report records: the gauge, operators, failing calls, HLO instructions, and what changed since another report.

mod compare;
pub mod rows;
mod sections;

use crate::engine::query::SupportTopQuery;
use crate::state::choices::ViewState;
use crate::ui::controls::Problem;
use crate::views::query::use_query;
use crate::worker::client::Ask;
use compare::Compare;
use leptos::prelude::*;
use sections::{Failures, Gauge, Instructions, Lists, Operators, Remarks};

/// Rows of each list that are loaded first; further rows are loaded for sorting, filtering, export and scrolling to the end.
const FIRST_ROWS: u64 = 500;

/// A support report.
#[component]
pub fn SupportView(
    /// Answers for the open profile.
    ask: Ask,
    /// Titles of the other open reports, and their clients.
    others: Signal<Vec<(u32, String, Ask)>>,
    /// What was chosen in the view.
    choices: ViewState,
) -> impl IntoView {
    let is_whole = RwSignal::new(false);
    let query = move || SupportTopQuery { n: if is_whole.get() { u64::MAX } else { FIRST_ROWS } };
    let found = use_query(ask.clone(), Signal::derive(move || Some(query())));
    let load = Callback::new(move |()| {
        if found.value.with_untracked(|s| s.as_ref().is_some_and(|s| s.is_cut())) {
            is_whole.set(true);
        }
    });
    let lists = Lists { top: Signal::derive(move || found.value.get().unwrap_or_default()), load };
    let is_there = Memo::new(move |_| found.value.with(Option::is_some));
    let body = move || {
        is_there.get().then(|| {
            let top = lists.top.get_untracked();
            let instructions = (top.n_instructions > 0).then(|| view! { <Instructions lists choices /> });
            view! {
                <Gauge top=top.clone() />
                <Remarks remarks=top.support.remarks.clone() />
                <Compare ask=ask.clone() others />
                <Operators lists choices />
                <Failures lists choices />
                {instructions}
            }
        })
    };
    view! {
        <section class="support" data-view="support" aria-busy=move || found.is_waiting.get().to_string()>
            <h1>"Operator support"</h1>
            <Problem text=found.problem />
            {body}
        </section>
    }
}
