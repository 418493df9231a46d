//! Recommendations: what was found, why it is said, and where to look.

use super::Place;
use crate::analysis::torch::overview::{Evidence, Overview, Recommendation};
use crate::base::text;
use crate::views::asked::Asked;
use leptos::prelude::*;

/// All recommendations, costliest first.
#[component]
pub(super) fn Recommendations(overview: Asked<Overview>, on_place: Callback<Place>) -> impl IntoView {
    let items = move || {
        let overview = overview.value.get()?;
        let item = |r: &Recommendation| view! { <Item found=r.clone() on_place /> };
        let none = view! { <p class="overview__quiet">"Nothing stood out in these steps."</p> };
        Some(if overview.recommendations.is_empty() {
            none.into_any()
        } else {
            view! { <ol class="advice">{overview.recommendations.iter().map(item).collect_view()}</ol> }.into_any()
        })
    };
    view! {
        <section class="overview__part" data-part="recommendations">
            <h2>"Recommendations"</h2>
            {items}
        </section>
    }
}

#[component]
fn Item(found: Recommendation, on_place: Callback<Place>) -> impl IntoView {
    let cost = found.cost.map(|cost| {
        view! { <span class="advice__cost figure" title="What it costs in the steps looked at">{text::duration(cost)}</span> }
    });
    let place = move |e: Evidence| {
        let (range, slice) = (e.range, e.slice);
        let title = format!("{} – {}", text::time(range.start), text::time(range.end));
        let length = text::duration(range.duration());
        // A label can say it already.
        let length = (!e.label.contains(&length)).then(|| view! { <span class="figure advice__time">{length}</span> });
        view! {
            <li><button type="button" class="button advice__go" data-evidence title=format!("Show in the timeline: {title}") on:click=move |_| on_place.run((range, slice))>
                <span class="advice__label">{e.label}</span>
                {length}
            </button></li>
        }
    };
    let has_places = !found.evidence.is_empty();
    let places = found.evidence.into_iter().map(place).collect_view();
    let more =
        (!found.link.is_empty()).then(|| view! { <a href=found.link.clone() target="_blank" rel="noreferrer">"PyTorch documentation"</a> });
    view! {
        <li class="advice__item" data-recommendation=found.id>
            <div class="advice__head"><h3>{found.title}</h3>{cost}</div>
            <p class="advice__text">{with_code(&found.text)}</p>
            {has_places.then(|| view! { <ul class="advice__places" aria-label="Where to look">{places}</ul> })}
            <details class="advice__how">
                <summary>"Why this is said"</summary>
                <dl><dt>"Threshold"</dt><dd>{with_code(&found.threshold)}</dd><dt>"Computed"</dt><dd>{with_code(&found.how)}</dd></dl>
                {more}
            </details>
        </li>
    }
}

/// A sentence in which words between back-ticks are code.
fn with_code(text: &str) -> impl IntoView + use<> {
    let part = |(i, part): (usize, &str)| match i % 2 {
        0 => part.to_string().into_any(),
        _ => view! { <code>{part.to_string()}</code> }.into_any(),
    };
    text.split('`').enumerate().map(part).collect_view()
}
