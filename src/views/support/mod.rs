//! What an `analyze` report tells: the gauge, operators, failing calls, HLO instructions, and what changed since another report.

mod compare;
mod parts;
pub mod rows;

use crate::engine::query::{NeuronAnswer, NeuronQuery};
use crate::engine::{Answer, Query};
use crate::state::choices::ViewState;
use crate::ui::small::Problem;
use crate::views::ask::asked;
use crate::worker::client::Ask;
use compare::Compare;
use leptos::prelude::*;
use parts::{Failures, Gauge, Instructions, Operators, Remarks};

/// A support report.
#[component]
pub fn SupportView(
    /// Answers for the open profile.
    ask: Ask,
    /// Titles of the other open reports, and who answers for them.
    others: Signal<Vec<(u32, String, Ask)>>,
    /// What was chosen in the view.
    choices: ViewState,
) -> impl IntoView {
    let pick = |answer| if let Answer::Neuron(NeuronAnswer::Support(s)) = answer { Some(*s) } else { None };
    let support = asked(ask.clone(), Signal::stored(Some(Query::Neuron(NeuronQuery::Support))), pick);
    let body = move || {
        support.value.get().map(|s| {
            let has_instructions = !s.instructions.is_empty();
            view! {
                <Gauge support=s.clone() />
                <Remarks remarks=s.remarks.clone() />
                <Compare ask=ask.clone() others />
                <Operators support=s.clone() choices />
                <Failures support=s.clone() choices />
                {has_instructions.then(|| view! { <Instructions support=s choices /> })}
            }
        })
    };
    view! {
        <section class="support" data-view="support" aria-busy=move || support.is_waiting.get().to_string()>
            <h1>"Operator support"</h1>
            <Problem text=support.problem />
            {body}
        </section>
    }
}
