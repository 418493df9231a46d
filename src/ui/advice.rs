//! A list of findings: title, cost, places, evidence.

use super::controls::with_code;
use leptos::prelude::*;
use std::sync::Arc;

/// A finding to show. Words between back-ticks are code.
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
    /// Values: (what, how much).
    pub figures: Vec<(String, String)>,
    /// Where to look.
    pub places: Vec<Location>,
    /// Behind "Evidence and rule": (heading, text).
    pub reasons: Vec<(&'static str, String)>,
    /// (address, what is there).
    pub link: Option<(String, &'static str)>,
}

/// A place to look at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// What is there.
    pub label: String,
    /// From when to when.
    pub title: String,
    /// Duration; empty if the label has it.
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
    /// What is there when nothing was found.
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
    let place = move |(at, place): (usize, Location)| {
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
    let evidence = evidence(&found.figures);
    let evidence = (!evidence.is_empty()).then(|| view! { <p class="advice__text" data-evidence-sentence>{with_code(&evidence)}</p> });
    let reasons = found.reasons.iter().map(|(head, text)| view! { <dt>{*head}</dt><dd>{with_code(text)}</dd> }).collect_view();
    let more = found.link.map(|(to, what)| view! { <a href=to target="_blank" rel="noreferrer">{what}</a> });
    view! {
        <li class="advice__item" data-recommendation=found.id data-severity=found.severity>
            <div class="advice__head"><h3>{found.title}</h3>{severity}{cost}</div>
            {evidence}
            <p class="advice__text">{with_code(&found.text)}</p>
            {has_places.then(|| view! { <ul class="advice__places" aria-label="Evidence in the timeline">{places}</ul> })}
            <details class="advice__how">
                <summary>"Evidence and rule"</summary>
                <dl>{reasons}</dl>
                {more}
            </details>
        </li>
    }
}

/// The values of a finding as one sentence: `Below 4 KiB: 512 of 600; below 2 KiB: 400.` Empty without values.
fn evidence(values: &[(String, String)]) -> String {
    let part = |(at, (what, value)): (usize, &(String, String))| {
        let mut letters = what.chars();
        // Abbreviations keep their capitals.
        let is_word = letters.clone().nth(1).is_some_and(|second| second.is_lowercase() || second == ' ');
        let what: String = match letters.next().filter(|_| at > 0 && is_word) {
            Some(first) => first.to_lowercase().chain(letters).collect(),
            None => what.clone(),
        };
        if what.is_empty() { value.clone() } else { format!("{what}: {value}") }
    };
    let parts: Vec<String> = values.iter().enumerate().map(part).collect();
    if parts.is_empty() { String::new() } else { format!("{}.", parts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_one_sentence() {
        let of = |values: &[(&str, &str)]| evidence(&values.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>());
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[("Mean", "2.10 KiB")]), "Mean: 2.10 KiB.");
        assert_eq!(
            of(&[("Core", "nc 0"), ("DMA busy", "40.0%"), ("Rate while busy", "1 GB/s")]),
            "Core: nc 0; DMA busy: 40.0%; rate while busy: 1 GB/s."
        );
    }
}
