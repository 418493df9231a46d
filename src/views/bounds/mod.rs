//! What bounds a run: ladders from the total down to what is necessary, where the time went, and the causes of each gap.

mod overlap;
mod regions;
pub mod rows;
pub mod sentences;

use super::engine_parts;
use super::query::{QueryState, use_query};
use super::scope;
pub use crate::analysis::device::bounds::RegionWindowsQuery;
use crate::analysis::device::bounds::{Bounds, BoundsQuery, CoreBounds, Evidence, EvidenceQuery, GapKind};
use crate::base::{DurationNs, SliceId, TimeRange};
use crate::state::choices::{Choice, ViewState};
use crate::ui::breakdown::Breakdown;
use crate::ui::chart::figures::Figures;
use crate::ui::controls::{Problem, with_code};
use crate::ui::ladders::Ladders;
use crate::ui::table::{Kind, Table};
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    bounds: QueryState<Bounds>,
    /// Position of the core that is shown; past the last one, the first.
    core: Choice<u32>,
    /// Id of the gap that is open; none or unknown: the one to look at first.
    gap: Choice<String>,
    /// Order of the exclusive parts.
    order: Choice<String>,
}

impl State {
    /// Position of the shown core. Tracked.
    fn at(self) -> usize {
        let n = self.bounds.value.with(|b| b.as_ref().map_or(0, |b| b.cores.len()));
        Some(self.core.0.get() as usize).filter(|at| *at < n).unwrap_or(0)
    }

    /// Something made of the shown core; the default without one. Tracked.
    fn of_core<R: Default + Send + Sync + 'static>(
        self,
        make: impl Fn(&Bounds, &CoreBounds) -> R + Send + Sync + 'static,
    ) -> Signal<Arc<R>> {
        Signal::derive(move || {
            let (found, at) = (self.bounds.value.get(), self.at());
            Arc::new(found.and_then(|b| b.cores.get(at).map(|core| make(&b, core))).unwrap_or_default())
        })
    }

    /// The open gap. Tracked.
    fn open(self) -> GapKind {
        let main = || self.bounds.value.with(|b| b.as_ref().and_then(|b| b.cores.get(self.at()).and_then(CoreBounds::main_gap)));
        GapKind::named(&self.gap.0.get()).or_else(main).unwrap_or(GapKind::DmaIdle)
    }

    /// Asks for the causes of a gap, once the bounds are there.
    fn causes(self, ask: Ask, range: Signal<Option<TimeRange>>, gap: impl Fn() -> GapKind + Send + Sync + 'static) -> QueryState<Evidence> {
        let query = Memo::new(move |_| {
            let has_core = self.bounds.value.with(|b| b.as_ref().is_some_and(|b| !b.cores.is_empty()));
            let query = EvidenceQuery { range: range.get(), core: self.at() as u32, gap: gap() };
            has_core.then_some(query)
        });
        use_query::<EvidenceQuery>(ask, query.into())
    }
}

/// Bounds of a core, of the run or of the selected range.
#[component]
pub fn BoundsView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// The selected slice.
    selection: Signal<Option<SliceId>>,
    /// Regions that the user marked.
    named: Signal<Vec<(String, TimeRange)>>,
    /// Show slices in the timeline, the first of them selected.
    on_slices: Callback<Vec<SliceId>>,
    /// Make a range the scope of every view.
    on_range: Callback<Option<TimeRange>>,
    /// Makes the windows of a region the scope of every view.
    on_region: Callback<RegionWindowsQuery>,
    /// Core, open gap, order of the parts.
    #[prop(default = ViewState::detached("bounds"))]
    choices: ViewState,
) -> impl IntoView {
    let order = choices.choice("order", String::new());
    let query = Memo::new(move |_| BoundsQuery { range: range.get(), order: engine_parts::order(&order.0.get()) });
    let question = Signal::derive(move || Some(query.get()));
    let bounds: QueryState<Bounds> = use_query(ask.clone(), question);
    let state = State { bounds, core: choices.choice("core", 0u32), gap: choices.choice("gap", String::new()), order };
    let notes = bounds.derive(|b| b.notes.clone());
    let has_core = move || bounds.value.with(|b| b.as_ref().is_some_and(|b| !b.cores.is_empty()));
    let ask = StoredValue::new(ask);
    view! {
        <section class="summary bounds" data-view="bounds" class:is-waiting=move || bounds.is_waiting.get() aria-busy=move || bounds.is_waiting.get().to_string()>
            <header class="summary__head">
                <h1>"Bounds"</h1>
                <span class="summary__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <Cores state />
            </header>
            <Problem text=bounds.problem />
            <Show when=has_core>
                <Answer state />
                <Picture state />
                <TimeParts state />
                <Causes state ask=ask.get_value() range selection on_slices />
                <regions::RegionsPart state ask=ask.get_value() range named on_slices on_range on_region choices />
                <overlap::Overlaps core=core_of(state) />
                <Waits state ask=ask.get_value() range />
            </Show>
            <Show when=move || notes.with(|n| !n.is_empty())>
                <section>
                    <h2>"Notes"</h2>
                    <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
                </section>
            </Show>
        </section>
    }
}

/// The shown core, with the length of the range.
fn core_of(state: State) -> Signal<Option<(CoreBounds, DurationNs)>> {
    Signal::derive(move || {
        let (found, at) = (state.bounds.value.get()?, state.at());
        found.cores.get(at).map(|core| (core.clone(), found.range.duration()))
    })
}

/// Which core is shown, where there are several.
#[component]
fn Cores(state: State) -> impl IntoView {
    let names = state.bounds.derive(|b| b.cores.iter().map(|c| c.core.clone()).collect::<Vec<_>>());
    let options = move || {
        let chosen = state.at();
        let option = |(at, name): (usize, &String)| view! { <option value=at.to_string() selected=at == chosen>{name.clone()}</option> };
        names.get().iter().enumerate().map(option).collect_view()
    };
    view! {
        <Show when=move || names.with(|n| n.len() > 1)>
            <label class="field">
                "Core"
                <select class="select" data-field="core" on:change:target=move |e| state.core.1.set(e.target().value().parse().unwrap_or(0))>{options}</select>
            </label>
        </Show>
    }
}

/// The bottleneck in words.
#[component]
fn Answer(state: State) -> impl IntoView {
    let sentences = state.of_core(|b, core| (sentences::headline(b, core), sentences::evidence(b, core)));
    view! {
        <div class="bounds__answer">
            <p class="bounds__headline" data-answer>{move || sentences.get().0.clone()}</p>
            {move || sentences.get().1.iter().map(|s| view! { <p data-answer-evidence>{s.clone()}</p> }).collect_view()}
            <p class="summary__scope">{sentences::CAUTION}</p>
        </div>
    }
}

/// The ladders, and every gap as a row: both open its causes.
#[component]
fn Picture(state: State) -> impl IntoView {
    let kinds = state.of_core(|_, core| rows::gaps_of(core));
    let chosen = Signal::derive(move || kinds.get().iter().position(|k| *k == state.open()));
    let on_gap = Callback::new(move |at: usize| {
        if let Some(kind) = kinds.get_untracked().get(at) {
            state.gap.1.set(kind.id().into());
        }
    });
    let on_row = Callback::new(move |at: usize| {
        if let Some(kind) = GapKind::ALL.get(at) {
            state.gap.1.set(kind.id().into());
        }
    });
    let selected = Signal::derive(move || GapKind::ALL.iter().position(|k| *k == state.open()));
    let figures = Figures { columns: Signal::stored(Arc::new(rows::step_columns())), rows: state.of_core(rows::step_rows) };
    view! {
        <Ladders
            id="bounds" title="Bounds: time that remains without each kind of overhead" ladders=state.of_core(|_, core| rows::ladders(core))
            chosen on_gap figures empty="No instructions in this range."
        />
        <section>
            <h2>"Gaps"</h2>
            <p class="torch__hint">"Click a gap to see its causes below."</p>
            <Table
                id="bound-gaps" label="Gaps" columns=Signal::stored(Arc::new(rows::gap_columns())) rows=state.of_core(|_, core| rows::gap_rows(core))
                selected on_row
            />
        </section>
    }
}

/// Every instant once.
#[component]
fn TimeParts(state: State) -> impl IntoView {
    let on_move = Callback::new(move |(from, to): (usize, usize)| {
        let at = untrack(|| state.at());
        let text =
            state.bounds.value.with_untracked(|b| b.as_ref().and_then(|b| b.cores.get(at).map(|c| engine_parts::reordered(c, from, to))));
        if let Some(text) = text {
            state.order.1.set(text);
        }
    });
    view! {
        <section>
            <Breakdown
                id="exclusive" title="Where the time went: every instant counts for the first busy part in this order" kind=Kind::Duration
                parts=state.of_core(|_, core| engine_parts::parts(core)) on_move=Some(on_move) empty="This range has no length."
            />
        </section>
    }
}

/// The causes of the open gap.
#[component]
fn Causes(
    state: State,
    ask: Ask,
    range: Signal<Option<TimeRange>>,
    selection: Signal<Option<SliceId>>,
    on_slices: Callback<Vec<SliceId>>,
) -> impl IntoView {
    let kind = Memo::new(move |_| state.open());
    let found = state.causes(ask, range, move || kind.get());
    let peak = Memo::new(move |_| state.bounds.value.with(|b| b.as_ref().and_then(|b| b.peak_flops)));
    let columns = Signal::derive(move || Arc::new(rows::evidence_columns(kind.get())));
    let table = found.derive(move |e| rows::evidence_rows(kind.get(), e, peak.get()));
    let on_row = Callback::new(move |at: usize| {
        let slices = found.value.with_untracked(|e| e.as_ref().and_then(|e| e.rows.get(at)).map(|r| r.slices.clone()));
        if let Some(slices) = slices.filter(|s| !s.is_empty()) {
            on_slices.run(slices);
        }
    });
    let selected = Signal::derive(move || {
        let slice = selection.get()?;
        found.value.with(|e| e.as_ref().and_then(|e| e.rows.iter().position(|r| r.slices.contains(&slice))))
    });
    let notes = found.derive(|e| e.notes.clone());
    let more = found.derive(|e| e.n_more);
    let options = move || {
        let open = kind.get();
        let option = |k: GapKind| view! { <option value=k.id() selected=k == open>{k.label()}</option> };
        GapKind::ALL.into_iter().map(option).collect_view()
    };
    let body = move || {
        view! {
            <Table
                id="bound-causes" label=rows::heads(kind.get()).0 columns rows=table selected on_row empty=rows::nothing_found(kind.get())
            />
        }
    };
    view! {
        <section data-part="causes" data-gap=move || kind.get().id() aria-busy=move || found.is_waiting.get().to_string()>
            <div class="torch__choices">
                <h2>{move || format!("{}: {}", kind.get().label(), rows::heads(kind.get()).0)}</h2>
                <label class="field">
                    "Causes of"
                    <select class="select" data-field="gap" on:change:target=move |e| state.gap.1.set(e.target().value())>{options}</select>
                </label>
            </div>
            <Problem text=found.problem />
            <p class="torch__hint">"Click a row to select its instructions in the timeline."</p>
            {body}
            <Show when=move || *more.get() != 0><p class="torch__hint">{move || format!("{} more rows are not listed.", more.get())}</p></Show>
            <Show when=move || notes.with(|n| !n.is_empty())>
                <ul class="summary__notes" data-notes>{move || notes.get().iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view()}</ul>
            </Show>
        </section>
    }
}

/// Rows of waiting engines: engine, time, and what it waits for.
#[component]
fn Waits(state: State, ask: Ask, range: Signal<Option<TimeRange>>) -> impl IntoView {
    let waits = state.causes(ask, range, || GapKind::Unoverlapped);
    let rows = state.of_core(move |_, core| waits.value.with(|w| rows::wait_rows(core, w.as_deref())));
    view! {
        <section data-part="waits">
            <h2>"Waits"</h2>
            <Table id="waits" label="Waits by engine and opcode" columns=Signal::stored(Arc::new(rows::wait_columns())) rows empty="No instruction starts in this range." />
        </section>
    }
}
