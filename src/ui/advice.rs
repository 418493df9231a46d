//! A list of findings: what was found, what it costs, where to look, why it is said.

use super::small::with_code;
use leptos::prelude::*;
use std::sync::Arc;

/// A finding as it is shown. Words between back-ticks are code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// Stable name: `data-recommendation`.
    pub id: String,
    /// What was found.
    pub title: String,
    /// `critical`, `warning`, `info`; empty where there are no degrees.
    pub severity: &'static str,
    /// What it costs; empty where that is not known.
    pub cost: String,
    /// What the cost is of.
    pub cost_help: &'static str,
    /// What to do.
    pub text: String,
    /// Figures: (what, how much).
    pub figures: Vec<(String, String)>,
    /// Where to look.
    pub places: Vec<Place>,
    /// Behind "Evidence and rule": (heading, text).
    pub reasons: Vec<(&'static str, String)>,
    /// (address, what is there).
    pub link: Option<(String, &'static str)>,
}

/// A place to look at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// What is there.
    pub label: String,
    /// From when to when.
    pub title: String,
    /// How long; empty where the label says it.
    pub length: String,
}

/// All findings, in the order given.
#[component]
pub fn Findings(
    /// What was found.
    #[prop(into)]
    findings: Signal<Arc<Vec<Finding>>>,
    /// A place was chosen: (position of the finding, position of the place).
    on_place: Callback<(usize, usize)>,
    /// What stands there when nothing was found.
    empty: &'static str,
) -> impl IntoView {
    move || {
        let findings = findings.get();
        if findings.is_empty() {
            return view! { <p class="overview__quiet">{empty}</p> }.into_any();
        }
        let item = |(at, found): (usize, &Finding)| {
            let on_place = Callback::new(move |place| on_place.run((at, place)));
            view! { <Item found=found.clone() on_place /> }
        };
        view! { <ol class="advice">{findings.iter().enumerate().map(item).collect_view()}</ol> }.into_any()
    }
}

#[component]
fn Item(found: Finding, on_place: Callback<usize>) -> impl IntoView {
    let help = found.cost_help;
    let cost = (!found.cost.is_empty()).then(|| view! { <span class="advice__cost figure" title=help>{found.cost.clone()}</span> });
    let place = move |(at, place): (usize, Place)| {
        let length = (!place.length.is_empty()).then(|| view! { <span class="figure advice__time">{place.length}</span> });
        let title = format!("Show in the timeline: {}", place.title);
        view! {
            <li><button type="button" class="button advice__go" data-evidence title=title on:click=move |_| on_place.run(at)>
                <span class="advice__label">{place.label}</span>
                {length}
            </button></li>
        }
    };
    let severity = (!found.severity.is_empty()).then(|| view! { <span class="advice__severity">{found.severity}</span> });
    let has_places = !found.places.is_empty();
    let places = found.places.into_iter().enumerate().map(place).collect_view();
    let has_figures = !found.figures.is_empty();
    let figure = |(what, value): (String, String)| view! { <dt>{with_code(&what)}</dt><dd class="figure">{value}</dd> };
    let figures = found.figures.into_iter().map(figure).collect_view();
    let reasons = found.reasons.iter().map(|(head, text)| view! { <dt>{*head}</dt><dd>{with_code(text)}</dd> }).collect_view();
    let more = found.link.map(|(to, what)| view! { <a href=to target="_blank" rel="noreferrer">{what}</a> });
    view! {
        <li class="advice__item" data-recommendation=found.id data-severity=found.severity>
            <div class="advice__head"><h3>{found.title}</h3>{severity}{cost}</div>
            <p class="advice__text">{with_code(&found.text)}</p>
            {has_figures.then(|| view! { <dl class="advice__figures">{figures}</dl> })}
            {has_places.then(|| view! { <ul class="advice__places" aria-label="Evidence in the timeline">{places}</ul> })}
            <details class="advice__how">
                <summary>"Evidence and rule"</summary>
                <dl>{reasons}</dl>
                {more}
            </details>
        </li>
    }
}
