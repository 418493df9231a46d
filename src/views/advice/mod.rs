//! What to do about a Neuron device profile: findings by cost, the file's own warnings, and what could not be judged.

use super::query::{QueryState, use_query};
use crate::analysis::device::advice::{self as found, Advice, Severity};
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::AdviceQuery;
use crate::ui::advice::{Finding, Findings, Location as ShownLocation};
use crate::ui::controls::Problem;
use crate::views::scope::EntireTrace;
use crate::views::wording;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// A place in the timeline: a range, and the slice that is meant.
pub type TimelineTarget = (TimeRange, Option<SliceId>);

/// Findings, warnings, rules without a verdict.
#[component]
pub fn AdviceView(
    /// Answers for the open profile.
    ask: Ask,
    /// Show a place in the timeline.
    on_place: Callback<TimelineTarget>,
) -> impl IntoView {
    let advice: QueryState<Advice> = use_query(ask, Signal::stored(Some(AdviceQuery)));
    let findings = advice.derive(|a| a.findings.iter().map(finding).collect());
    let on_place = Callback::new(move |(at, place): (usize, usize)| {
        let chosen = advice.value.with_untracked(|a| {
            let place = a.as_ref()?.findings.get(at)?.places.get(place)?;
            Some((place.range, place.slice))
        });
        if let Some(chosen) = chosen {
            on_place.run(chosen);
        }
    });
    view! {
        <section class="summary" data-view="advice" class:is-waiting=move || advice.is_waiting.get() aria-busy=move || advice.is_waiting.get().to_string()>
            <header class="summary__head"><h1>"Advice"</h1><EntireTrace /><span class="summary__scope">"sorted by cost"</span></header>
            <Problem text=advice.problem />
            <Show when=move || advice.value.with(|a| a.is_some())>
                <Findings findings on_place empty=wording::NO_ADVICE />
                <Warnings advice />
                <Unjudged advice />
            </Show>
        </section>
    }
}

fn finding(f: &found::Finding) -> Finding {
    Finding {
        id: f.id.clone(),
        title: f.title.clone(),
        severity: match f.severity {
            Severity::Critical => "critical",
            Severity::Warning => "warning",
            Severity::Info => "info",
        },
        cost: f.cost.map(text::duration).unwrap_or_default(),
        cost_help: wording::COST,
        text: f.action.clone(),
        figures: f.evidence.clone(),
        places: f.places.iter().map(place).collect(),
        reasons: vec![("Reason", f.why.clone()), ("Computed", f.how.clone()), ("Rule", f.id.clone())],
        link: None,
    }
}

fn place(p: &found::Location) -> ShownLocation {
    let title = format!("{} – {}", text::time(p.range.start), text::time(p.range.end));
    ShownLocation { label: p.label.clone(), title, length: text::duration(p.range.duration()) }
}

#[component]
fn Warnings(advice: QueryState<Advice>) -> impl IntoView {
    let warnings = advice.derive(|a| a.warnings.clone());
    let item = |w: &found::FileWarning| {
        let meaning = (!w.meaning.is_empty()).then(|| view! { <p class="overview__quiet">{w.meaning.clone()}</p> });
        view! { <li data-warning><strong>{w.category.clone()}</strong>" "{w.message.clone()}{meaning}</li> }
    };
    view! {
        <Show when=move || warnings.with(|w| !w.is_empty())>
            <section>
                <h2>"Warnings of the profiler"</h2>
                <ul class="summary__notes">{move || warnings.get().iter().map(item).collect_view()}</ul>
            </section>
        </Show>
    }
}

#[component]
fn Unjudged(advice: QueryState<Advice>) -> impl IntoView {
    let unjudged = advice.derive(|a| a.unjudged.clone());
    let quiet = advice.derive(|a| a.quiet.clone());
    let missing = |u: &found::Unjudged| view! { <li data-unjudged=u.id.clone()><strong>{u.id.clone()}</strong>{format!(" {}: needs {}, which this file does not record.", u.rule, u.missing)}</li> };
    let fine = |q: &(String, String)| view! { <li><strong>{q.0.clone()}</strong>{format!(" {}", q.1)}</li> };
    view! {
        <details data-part="unjudged">
            <summary>{move || format!("{} rules need data that this file does not record", unjudged.with(|u| u.len()))}</summary>
            <ul class="summary__notes">{move || unjudged.get().iter().map(missing).collect_view()}</ul>
        </details>
        <details data-part="quiet">
            <summary>{move || format!("{} rules do not apply", quiet.with(|q| q.len()))}</summary>
            <ul class="summary__notes">{move || quiet.get().iter().map(fine).collect_view()}</ul>
        </details>
    }
}
