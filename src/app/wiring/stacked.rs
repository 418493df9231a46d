//! The timeline of the profile in front, or of all workers of its run at once on one clock.

use crate::app::open::budget::refused_stack;
use crate::base::{EventId, SliceId, TimeRange};
use crate::state::{App, AppStateStoreFields as _, actions};
use crate::ui::effect::effect;
use crate::views::timeline::Timeline;
use crate::views::timeline::aligned::asks::ask_all;
use crate::views::timeline::aligned::stack::{Stack, stack};
use crate::views::timeline::flows::in_window::FlowChoice;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// The stack of the workers of the run in front, and the place of the front one in it.
#[derive(Clone, Copy)]
pub struct Stacked {
    /// Ids of its profiles, from top to bottom; a single one if nothing can be stacked.
    ids: Memo<Vec<u32>>,
    /// Why they do not fit on one clock, if so.
    refused: Memo<Option<String>>,
    is_on: Memo<bool>,
    /// `None` while the front one is alone.
    pub(in crate::app) stack: Memo<Option<Arc<Stack>>>,
    choice: crate::state::choices::Choice<bool>,
}

impl Stacked {
    /// Made once for the page: the stack stays while the front goes from worker to worker.
    pub fn new(app: App) -> Self {
        let choice = app.view_state("timeline").choice("stack", false);
        let ids = Memo::new(move |_| app.of_span().iter().map(|p| p.id).collect::<Vec<_>>());
        let make = move |ids: &[u32]| {
            let all = app.state.profiles().get_untracked();
            let part = |id: &u32| {
                let p = all.iter().find(|p| p.id == *id)?;
                Some((p.place.as_ref().map_or_else(|| p.title.clone(), |p| p.worker.clone()), p.columns.clone()))
            };
            Arc::new(stack(&ids.iter().filter_map(part).collect::<Vec<_>>()))
        };
        let refused = Memo::new(move |_| ids.with(|ids| refused_stack(app, ids)));
        let is_on = Memo::new(move |_| choice.0.get() && ids.with(|i| i.len() > 1) && refused.with(Option::is_none));
        let stack = Memo::new_with_compare(
            move |_| is_on.get().then(|| ids.with(|i| make(i))),
            |a, b| !matches!((a, b), (Some(Some(a)), Some(Some(b))) if Arc::ptr_eq(a, b)),
        );
        Stacked { ids, refused, is_on, stack, choice }
    }

    /// The client of each worker, from top to bottom. Not tracked.
    pub(in crate::app) fn asks(&self, app: App) -> Vec<Ask> {
        let ids = self.ids.get_untracked();
        app.state.profiles().with_untracked(|all| ids.iter().filter_map(|id| Some(all.iter().find(|p| p.id == *id)?.ask.clone())).collect())
    }

    /// Whether the workers are below each other now. Tracked.
    pub fn is_on(&self) -> bool {
        self.is_on.get()
    }
}

/// The switch above a timeline that could be stacked; absent where there is one worker only.
#[component]
pub fn StackBar(
    /// The stack.
    stacked: Stacked,
) -> impl IntoView {
    let n = move || stacked.ids.with(Vec::len);
    let refused = stacked.refused;
    let note = move || stacked.stack.with(|s| s.as_ref().map(|s| s.note.clone())).or_else(|| refused.get());
    let part = move |is_all: bool, label: &'static str| {
        view! {
            <button
                type="button" class="segmented__part" data-stack=is_all.to_string() aria-pressed=move || (stacked.is_on() == is_all).to_string()
                on:click=move |_| stacked.choice.1.set(is_all) disabled=move || is_all && refused.with(Option::is_some)
            >
                {label}
            </button>
        }
    };
    view! {
        <Show when=move || { n() > 1 }>
            <div class="stackbar">
                <span>{move || format!("{} workers", n())}</span>
                <span class="segmented" role="group" aria-label="Workers shown in the timeline">
                    {part(false, "This worker")}
                    {part(true, "All workers, one clock")}
                </span>
                <span class="stackbar__note" data-alignment>{note}</span>
            </div>
        </Show>
    }
}

/// The workers below each other. A slice of another worker brings that worker to front.
#[component]
pub fn StackedTimeline(
    /// The stack.
    stacked: Stacked,
    /// Arrows of the selection, in the front profile's ids.
    arrows: Signal<Vec<(SliceId, SliceId, bool)>>,
    /// Asked for the details of the selection.
    on_details: Callback<()>,
    /// Which arrows are drawn.
    flows: FlowChoice,
) -> impl IntoView {
    let app = App::expect();
    let front = app.state.front().get_untracked();
    let at = stacked.ids.with_untracked(|ids| ids.iter().position(|id| Some(*id) == front)).unwrap_or(0);
    let of = move |f: &dyn Fn(&Stack) -> Option<EventId>| stacked.stack.with(|s| s.as_ref().and_then(|s| f(s)));
    let join = move |item: Option<EventId>| item.and_then(|item| of(&|s| s.join_item(at, item)));
    let selection = RwSignal::new(untrack(|| join(app.selection.get())));
    effect(move || selection.set(join(app.selection.get())));
    effect(move || {
        let chosen = selection.get();
        if chosen == untrack(|| join(app.selection.get())) {
            return;
        }
        let split = chosen.and_then(|item| stacked.stack.with_untracked(|s| s.as_ref().and_then(|s| s.split_item(item))));
        let other = split.filter(|s| s.0 != at).and_then(|s| stacked.ids.with_untracked(|ids| ids.get(s.0).copied()));
        if let Some(id) = other {
            actions::show_sibling(app, id);
        }
        app.selection.set(split.map(|s| s.1));
    });
    let range_in = move |range: Option<TimeRange>| range.map(|r| stacked.stack.with(|s| s.as_ref().map_or(r, |s| s.range_in(at, r))));
    let range = RwSignal::new(untrack(|| range_in(app.range.get())));
    effect(move || range.set(range_in(app.range.get())));
    effect(move || {
        let chosen = range.get();
        if chosen != untrack(|| range_in(app.range.get())) {
            let out = chosen.map(|r| stacked.stack.with_untracked(|s| s.as_ref().map_or(r, |s| s.range_out(at, r))));
            actions::commit_range(app, out);
        }
    });
    let columns = crate::app::wiring::stack_colours::coloured(app, stacked.stack, move || stacked.asks(app));
    let all = move |slices: &[SliceId]| {
        stacked.stack.with(|s| slices.iter().filter_map(|&slice| s.as_ref()?.join(at, slice)).collect::<Vec<_>>())
    };
    let highlights = Signal::derive(move || Arc::new(app.highlights.with(|h| all(h))));
    let arrows = Signal::derive(move || {
        stacked.stack.with(|s| {
            let pair = |&(a, b, is_in): &(SliceId, SliceId, bool)| Some((s.as_ref()?.join(at, a)?, s.as_ref()?.join(at, b)?, is_in));
            arrows.with(|all| all.iter().filter_map(pair).collect())
        })
    });
    let reveal = Signal::derive(move || join(app.reveal.get()));
    let flows = (flows, ask_all(stacked.stack, move || stacked.asks(app)));
    view! { <Timeline columns range selection highlights arrows reveal on_details flows /> }
}
