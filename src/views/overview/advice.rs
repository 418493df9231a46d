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
        view! {
            <li><button type="button" class="button advice__go" data-evidence title=format!("Show in the timeline: {title}") on:click=move |_| on_place.run((range, slice))>
                <span class="advice__label">{e.label}</span>
                <span class="figure advice__time">{text::duration(range.duration())}</span>
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
            <p class="advice__text">{found.text}</p>
            {has_places.then(|| view! { <ul class="advice__places" aria-label="Where to look">{places}</ul> })}
            <details class="advice__how">
                <summary>"Why this is said"</summary>
                <dl><dt>"Threshold"</dt><dd>{found.threshold}</dd><dt>"Computed"</dt><dd>{found.how}</dd></dl>
                {more}
            </details>
        </li>
    }
}
