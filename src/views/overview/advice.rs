//! Recommendations: finding, evidence, and places to look at.

use super::TimelineTarget;
use crate::analysis::torch::overview::{Evidence, Overview, Recommendation};
use crate::base::text;
use crate::ui::advice::{self, Finding, Findings};
use crate::views::query::QueryState;
use leptos::prelude::*;

/// All recommendations, most expensive first.
#[component]
pub(super) fn Recommendations(overview: QueryState<Overview>, on_place: Callback<TimelineTarget>) -> impl IntoView {
    let findings = overview.derive(|o| o.recommendations.iter().map(finding).collect());
    let is_there = Memo::new(move |_| overview.value.with(Option::is_some));
    let on_place = Callback::new(move |(at, place): (usize, usize)| {
        let chosen = overview.value.with_untracked(|o| {
            let evidence = o.as_ref()?.recommendations.get(at)?.evidence.get(place)?;
            Some((evidence.range, evidence.slice))
        });
        if let Some(chosen) = chosen {
            on_place.run(chosen);
        }
    });
    view! {
        <section class="overview__part" data-part="recommendations">
            <h2>"Recommendations"</h2>
            <Show when=move || is_there.get()>
                <Findings findings on_place empty="No rule applies to these steps." />
            </Show>
        </section>
    }
}

fn finding(found: &Recommendation) -> Finding {
    Finding {
        id: found.id.to_string(),
        title: found.title.to_string(),
        cost: found.cost.map(text::duration).unwrap_or_default(),
        cost_help: "Cost in the analyzed steps",
        text: found.text.to_string(),
        places: found.evidence.iter().map(place).collect(),
        reasons: vec![("Threshold", found.threshold.to_string()), ("Computed", found.how.to_string())],
        link: (!found.link.is_empty()).then(|| (found.link.to_string(), "PyTorch documentation")),
        ..Finding::default()
    }
}

fn place(evidence: &Evidence) -> advice::Location {
    let length = text::duration(evidence.range.duration());
    advice::Location {
        label: evidence.label.clone(),
        title: format!("{} – {}", text::time(evidence.range.start), text::time(evidence.range.end)),
        // A label can say it already.
        length: if evidence.label.contains(&length) { String::new() } else { length },
    }
}
