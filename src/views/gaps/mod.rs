//! Idle time of the engines by what they wait for, and the longest chain of dependent work.

pub mod rows;

use super::query::{QueryState, use_query};
use crate::analysis::device::{CriticalPath, Gaps};
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::{CriticalPathQuery, GapsQuery};
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Problem, with_code};
use crate::ui::table::{Kind, Table};
use crate::views::scope;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// A place in the timeline: a range, and the slice that is meant.
pub type TimelineTarget = (TimeRange, Option<SliceId>);

/// Gaps by cause and engine, the longest ones, and the critical path.
#[component]
pub fn GapsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show a place in the timeline.
    on_place: Callback<TimelineTarget>,
) -> impl IntoView {
    let query = Signal::derive(move || Some(GapsQuery { range: range.get() }));
    let gaps: QueryState<Gaps> = use_query(ask.clone(), query);
    let is_by_data = RwSignal::new(false);
    let path_query = Signal::derive(move || Some(CriticalPathQuery { is_by_data: is_by_data.get() }));
    let path: QueryState<CriticalPath> = use_query(ask, path_query);
    let is_waiting = move || gaps.is_waiting.get() || path.is_waiting.get();
    view! {
        <section class="summary" data-view="gaps" class:is-waiting=is_waiting aria-busy=move || is_waiting().to_string()>
            <header class="summary__head"><h1>"Gaps and critical path"</h1><span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span></header>
            <Problem text=gaps.problem />
            <Problem text=path.problem />
            <Show when=move || gaps.value.with(|g| g.is_some())><Idle gaps on_place /></Show>
            <Show when=move || path.value.with(|p| p.is_some())><Path path is_by_data on_place /></Show>
        </section>
    }
}

#[component]
fn Idle(gaps: QueryState<Gaps>, on_place: Callback<TimelineTarget>) -> impl IntoView {
    let on_gap = Callback::new(move |at: usize| {
        let place = gaps.value.with_untracked(|g| g.as_ref().and_then(|g| g.gaps.get(at)).map(|g| (g.range, g.next)));
        if let Some(place) = place {
            on_place.run(place);
        }
    });
    let above = move || {
        let above = gaps.value.with(|g| g.as_ref().map(|g| text::duration(g.listed_above)));
        format!("Gaps longer than {}; click one to show it in the timeline.", above.unwrap_or_default())
    };
    view! {
        <Bars
            id="idle-causes" title="Idle time of each engine by cause" what="Engine" kind=Kind::Duration
            series=gaps.derive(rows::series) bars=gaps.derive(rows::bars) empty="No idle time to show."
        />
        <Notes notes=gaps.derive(|g| g.notes.clone()) />
        <section>
            <h2>"Idle time by cause"</h2>
            <Table id="idle-causes" label="Idle time by cause" columns=Signal::stored(Arc::new(rows::cause_columns())) rows=gaps.derive(rows::causes) empty="No idle time to show." />
        </section>
        <section>
            <h2>"Longest gaps"</h2>
            <p class="waiting">{above}</p>
            <Table id="gaps" label="Gaps" columns=Signal::stored(Arc::new(rows::gap_columns())) rows=gaps.derive(rows::gaps) on_row=on_gap empty="No gap is longer than the limit." />
        </section>
    }
}

#[component]
fn Path(path: QueryState<CriticalPath>, is_by_data: RwSignal<bool>, on_place: Callback<TimelineTarget>) -> impl IntoView {
    let on_step = Callback::new(move |at: usize| {
        let place = path.value.with_untracked(|p| p.as_ref().and_then(|p| p.steps.get(at)).map(|s| (s.range, Some(s.slice))));
        if let Some(place) = place {
            on_place.run(place);
        }
    });
    let sentence = move || path.value.with(|p| p.as_ref().map(|p| rows::path_sentence(p)));
    view! {
        <section data-part="critical-path">
            <h2>"Critical path of the entire trace"</h2>
            <label class="field">
                <input type="checkbox" data-field="by-data" prop:checked=move || is_by_data.get() on:change:target=move |e| is_by_data.set(e.target().checked()) />
                "Follow dependencies from data too"
                <Help text="From the instruction that wrote what another one reads in State Buffer, PSUM or device memory, beside semaphores, the compiler's dependencies and the order on each engine." />
            </label>
            <p>{sentence}</p>
            <Notes notes=path.derive(|p| p.notes.clone()) />
            <Table id="path-shares" label="Shares of the critical path" columns=Signal::stored(Arc::new(rows::share_columns())) rows=path.derive(rows::shares) empty="No critical path: the file records no dependencies." />
        </section>
        <section>
            <h2>"Steps of the critical path"</h2>
            <Table id="path-steps" label="Steps of the critical path" columns=Signal::stored(Arc::new(rows::step_columns())) rows=path.derive(rows::steps) on_row=on_step empty="No critical path: the file records no dependencies." />
        </section>
    }
}

#[component]
fn Notes(#[prop(into)] notes: Signal<Arc<Vec<String>>>) -> impl IntoView {
    view! {
        <Show when=move || notes.with(|n| !n.is_empty())>
            <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
        </Show>
    }
}
