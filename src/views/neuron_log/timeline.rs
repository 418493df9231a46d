//! The operator timeline: values, what is to be seen, the timeline itself, and what the selected bar overlaps.

use super::compare::Compare;
use super::panel::Overlap;
use super::{LogContext, Run, rows};
use crate::analysis::neuron_log::{Caption, Level, LogTimeline};
use crate::base::TimeRange;
use crate::engine::query::LogTimelineQuery;
use crate::ui::controls::{Problem, with_code};
use crate::ui::table::Table;
use crate::views::query::use_query;
use crate::views::scope;
use leptos::prelude::*;
use std::sync::Arc;

/// Compute and transfer of a run.
#[component]
pub fn LogTimelineView(
    /// The page.
    context: LogContext,
    /// The timeline.
    children: Children,
) -> impl IntoView {
    let range = context.range;
    let found = use_query(context.ask.clone(), Signal::derive(move || Some(LogTimelineQuery { range: range.get() })));
    let columns = Signal::stored(Arc::new(rows::sum_columns()));
    let sums = found.derive(rows::sums);
    let selection = context.selection;
    let saved = context.choices.choice("table", String::new());
    let (of_selection, of_captions, of_compare) = (context.clone(), context.clone(), context.clone());
    let head = move || found.value.get().map(|t| view! { <Figures found=t.clone() /><Captions found=t context=of_captions.clone() /> });
    view! {
        <section class="neuronlog" data-view="operator-timeline" aria-busy=move || found.is_waiting.get().to_string()>
            <header class="neuronlog__head"><h1>"Operator timeline"</h1><span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span><Run context /></header>
            <Problem text=found.problem />
            {head}
            <div class="neuronlog__timeline">{children()}</div>
            <Show when=move || selection.get().is_some() fallback=|| view! { <p class="waiting">"Select a bar to see overlapping operators and its fused members."</p> }>
                <div class="neuronlog__detail"><Overlap context=of_selection.clone() slice=selection is_timeline=true /></div>
            </Show>
            <Table id="operator-timeline" label="Rows of the timeline" columns rows=sums saved empty="The timeline has no rows of this kind." />
            <Compare context=of_compare level=Level::Framework />
        </section>
    }
}

#[component]
fn Figures(found: Arc<LogTimeline>) -> impl IntoView {
    let figure = |(name, value): (&'static str, String)| view! { <div class="neuronlog__figure"><dt>{name}</dt><dd>{value}</dd></div> };
    let figures = rows::figures(&found).into_iter().map(figure).collect_view();
    let source = (!found.is_from_overview && found.window.is_some())
        .then(|| view! { <p>"The rows Compute Busy and DMA Busy are not in this file: values are computed from the operator rows."</p> });
    view! {
        <p class="neuronlog__verdict" data-verdict=found.verdict.clone()>{found.verdict_text.clone()}</p>
        <dl class="neuronlog__figures">{figures}</dl>
        {source}
    }
}

#[component]
fn Captions(found: Arc<LogTimeline>, context: LogContext) -> impl IntoView {
    let item = |caption: &Caption| {
        let (go, on_range) = (context.on_slice, context.on_range);
        let (slice, range) = (caption.slice, TimeRange::new(caption.start, caption.start.after(caption.duration)));
        let show = move |_| match slice {
            Some(slice) => go.run((slice, vec![slice])),
            None => on_range.run(range),
        };
        view! {
            <li data-caption=caption.kind.clone()>
                <button type="button" class="link" on:click=show>{rows::caption_title(caption)}</button>" "{with_code(&caption.text)}
            </li>
        }
    };
    let items = found.captions.iter().map(item).collect_view();
    (!found.captions.is_empty()).then(|| view! { <h2>"Observations"</h2><ul class="neuronlog__list">{items}</ul> })
}
