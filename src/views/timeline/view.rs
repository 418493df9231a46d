//! The component: elements, and signals to and from the running timeline.

use super::around::{HoverCard, HoveredSlice, SliceList, Splitter};
use super::events;
use super::flows::in_window;
use super::flows::in_window::FlowChoice;
use super::handle::{DomState, Nodes, TimelineHandle};
use super::labels::Labels;
use super::lookup::counter::Curves;
use super::marking::Marking;
use super::rows::arrange::SliceIdMap;
use super::rows::choices::Settings;
use super::state::timeline_state::{Act, Tool};
use super::surroundings::{share_window, watch_surroundings};
use super::toolbar::Toolbar;
use crate::analysis::device::Band;
use crate::base::{EventId, SliceId, TimeRange};
use crate::engine::page_columns::PageColumns;
use crate::ui::dom;
use crate::ui::effect::effect;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Every slice, counter and instant of a profile over time.
#[component]
pub fn Timeline(
    /// What is drawn; nothing while no profile is open.
    columns: Signal<Option<Arc<PageColumns>>>,
    /// The committed range.
    range: RwSignal<Option<TimeRange>>,
    /// The rows of that range by path, none for all; without it a range is always of all rows.
    #[prop(optional)]
    rows: Option<RwSignal<Arc<Vec<String>>>>,
    /// The selected slice or instant.
    selection: RwSignal<Option<EventId>>,
    /// Slices in yellow, sorted by id.
    highlights: Signal<Arc<Vec<SliceId>>>,
    /// Whether no other slices are drawn than those in yellow.
    #[prop(default = Signal::stored(false))]
    is_alone: Signal<bool>,
    /// (from, to, whether it leads into the selection).
    arrows: Signal<Vec<(SliceId, SliceId, bool)>>,
    /// Scrolls and pans to a slice or an instant whenever it changes to one.
    reveal: Signal<Option<EventId>>,
    /// Asked for the details of the selection.
    on_details: Callback<()>,
    /// Which arrows are drawn, and who knows them; without it only those of the selection.
    #[prop(optional)]
    flows: Option<(FlowChoice, Ask)>,
    /// The visible window: set when a movement has ended; a new value moves the view.
    #[prop(optional)]
    window: Option<RwSignal<Option<TimeRange>>>,
    /// Markers and regions.
    #[prop(default = Marking::detached())]
    marking: Marking,
    /// Whether the window is on the move; written.
    #[prop(optional)]
    is_moving: Option<RwSignal<bool>>,
    /// Details of the hovered slice.
    #[prop(optional)]
    glance: Option<HoveredSlice>,
    /// What of it is shown.
    #[prop(optional)]
    settings: Option<Settings>,
    /// Whether it begins with few rows, so that several profiles have room below each other.
    #[prop(optional)]
    is_brief: bool,
    /// Maps slices of the profile to those of `columns`, if these are arranged in other rows.
    #[prop(default = Signal::stored(Arc::default()))]
    ids: Signal<Arc<SliceIdMap>>,
    /// Highlighted intervals.
    #[prop(default = Signal::stored(Arc::default()))]
    bands: Signal<Arc<Vec<Band>>>,
    /// Curves of the visible window; they replace those of the run.
    #[prop(default = Signal::stored(Arc::default()))]
    curves: Signal<Arc<Curves>>,
) -> impl IntoView {
    let on_act = Callback::new(move |act| match act {
        Act::Mark(act) => marking.act(act),
        Act::Select(item) => selection.set(item),
        Act::Box(new, paths) => {
            set_rows(rows, paths);
            range.set(Some(new));
        }
        Act::Range(new) => {
            if new.is_none() {
                set_rows(rows, Vec::new());
            }
            range.set(new);
        }
        Act::Details => on_details.run(()),
    });
    let stage = TimelineHandle::new(nodes(), shown(), ids, on_act);
    Effect::new(move |before: Option<bool>| {
        stage.open(columns.get(), !is_brief);
        let is_there = columns.with(Option::is_some);
        if is_brief && is_there && before != Some(true) {
            stage.change(|core| core.fold(|folding, index, columns| folding.in_brief(index, columns)));
        }
        is_there
    });
    effect(move || {
        let item = selection.get().map(|item| stage.drawn(item));
        stage.touch(|core| core.selection = item);
    });
    effect(move || {
        let range = range.get();
        stage.touch(|core| core.range = range);
    });
    effect(move || {
        let paths = rows.map(|rows| rows.get()).unwrap_or_default();
        columns.track();
        stage.touch(|core| core.choose_rows(rows.is_some(), paths));
    });
    effect(move || {
        let arrows = stage.ids.with(|ids| arrows.get().into_iter().map(|(a, b, is_in)| (ids.bar_of(a), ids.bar_of(b), is_in)).collect());
        stage.touch(|core| core.arrows = arrows);
    });
    effect(move || {
        let bars = highlights.with(|slices| stage.ids.with(|ids| ids.bars_of(slices)));
        let is_alone = is_alone.get();
        stage.change(|core| (core.highlights, core.is_alone) = (Arc::new(bars), is_alone));
    });
    Effect::new(move |before: Option<usize>| {
        let address = columns.with(|h| h.as_ref().map_or(0, |h| Arc::as_ptr(h) as usize));
        stage.reveal(reveal.get(), before == Some(address));
        address
    });
    effect(move || {
        let curves = curves.get();
        stage.change(|core| core.curves = curves);
    });
    if !is_brief {
        on_cleanup(move || stage.remember());
        super::picture::show(stage);
    }
    if let Some(window) = window {
        share_window(stage, columns, window, is_moving);
    }
    let choice = flows.as_ref().map(|f| f.0);
    if let Some((choice, ask)) = flows {
        in_window::follow(stage, choice, ask);
    }
    marking.follow(stage, columns);
    if let Some(settings) = settings {
        settings.follow(stage, columns);
    }
    events::listen_for_keys(stage);
    watch_surroundings(stage);
    for canvas in [stage.nodes.rows, stage.nodes.overlay, stage.nodes.top] {
        dom::free_on_cleanup(canvas);
    }
    view! { <Page stage columns selection choice range marking glance settings bands /> }
}

/// Notes the rows of a range, where that is wanted.
fn set_rows(rows: Option<RwSignal<Arc<Vec<String>>>>, paths: Vec<String>) {
    if let Some(rows) = rows.filter(|rows| rows.with_untracked(|now| **now != paths)) {
        rows.set(Arc::new(paths));
    }
}

fn nodes() -> Nodes {
    Nodes {
        root: NodeRef::new(),
        scroller: NodeRef::new(),
        spacer: NodeRef::new(),
        plot: NodeRef::new(),
        rows: NodeRef::new(),
        overlay: NodeRef::new(),
        top: NodeRef::new(),
        labels: NodeRef::new(),
    }
}

fn shown() -> DomState {
    DomState {
        labels: RwSignal::new(Arc::default()),
        card: RwSignal::new(None),
        card_at: RwSignal::new((0.0, 0.0)),
        list: RwSignal::new(Vec::new()),
        unit: RwSignal::new("ns"),
        tool: RwSignal::new(Tool::default()),
        filter: RwSignal::new(String::new()),
        placed: RwSignal::new(String::new()),
        is_empty: RwSignal::new(false),
        hovered: RwSignal::new(None),
        window: RwSignal::new(None),
    }
}

#[component]
fn Page(
    stage: TimelineHandle,
    columns: Signal<Option<Arc<PageColumns>>>,
    selection: RwSignal<Option<EventId>>,
    choice: Option<FlowChoice>,
    range: RwSignal<Option<TimeRange>>,
    marking: Marking,
    glance: Option<HoveredSlice>,
    settings: Option<Settings>,
    bands: Signal<Arc<Vec<Band>>>,
) -> impl IntoView {
    let Nodes { root, scroller, spacer, plot, rows, overlay, top, .. } = stage.nodes;
    let labels_px = RwSignal::new(None::<f64>);
    let style = move || labels_px.get().map_or(String::new(), |px| format!("--timeline-labels:{px}px"));
    let origin = move || columns.with(|h| h.as_ref().map_or(String::new(), |h| h.info.meta.origin.clone()));
    let origin_title = move || format!("Time origin: {}", if origin().is_empty() { "first event".to_string() } else { origin() });
    let on_scroll = move |_| {
        if let Some(scroller) = scroller.get_untracked() {
            stage.scrolled(f64::from(scroller.scroll_top()));
        }
    };
    let status = move || {
        selection
            .get()
            .map(|item| stage.drawn(item))
            .and_then(|item| stage.look(|core| core.sentence_of(item)))
            .map(|s| format!("Selected: {s}"))
    };
    let on_double = move |_| {
        stage.change(|core| core.key("Digit0", false));
    };
    let cursor = move || format!("timeline__plot timeline__plot--{}", format!("{:?}", stage.shown.tool.get()).to_lowercase());
    // The root's colour changes in a CSS transition; its end signals a new theme.
    let on_theme = move |ev: web_sys::TransitionEvent| {
        if ev.target() == ev.current_target() {
            stage.restyle();
        }
    };
    view! {
        <section class="timeline" data-view="timeline" node_ref=root style=style on:transitionend=on_theme on:wheel=move |ev| events::on_wheel(stage, ev)>
            <Toolbar stage columns choice range marking settings />
            <div class="timeline__head">
                <div class="timeline__corner" title=origin_title>
                    <span class="timeline__unit">"Time in " {move || stage.shown.unit.get()}</span>
                </div>
                <canvas
                    class="timeline__top"
                    node_ref=top
                    aria-hidden="true"
                    title=origin_title
                    on:pointerdown=move |ev| events::on_brush_press(stage, ev)
                    on:pointermove=move |ev| events::on_brush_move(stage, ev)
                    on:pointerup=move |_| events::on_brush_release(stage)
                    on:pointercancel=move |_| events::on_brush_release(stage)
                ></canvas>
            </div>
            <super::steps::StepBands stage columns />
            <super::highlights::BandStrip stage bands settings />
            <div class="timeline__scroll" node_ref=scroller on:scroll=on_scroll>
                <div class="timeline__sticky">
                    <Labels stage />
                    <Splitter labels_px />
                    <div
                        class=cursor
                        node_ref=plot
                        on:pointerdown=move |ev| events::on_press(stage, ev)
                        on:pointermove=move |ev| events::on_move(stage, ev)
                        on:pointerup=move |ev| events::on_release(stage, ev)
                        on:pointercancel=move |ev| events::on_cancel(stage, ev)
                        on:pointerleave=move |ev| events::on_leave(stage, ev)
                        on:dblclick=on_double
                        on:contextmenu=move |ev| events::on_menu(stage, ev)
                    >
                        <canvas class="timeline__rows" node_ref=rows aria-hidden="true"></canvas>
                        <canvas
                            class="timeline__overlay"
                            node_ref=overlay
                            role="application"
                            tabindex="0"
                            aria-label="Timeline. W and S zoom, A and D pan, brackets go to the next slice of the same name, Enter opens the details, 0 shows the entire trace."
                        ></canvas>
                        <Show when=move || stage.shown.is_empty.get()>
                            <p class="timeline__empty">"This profile has no slices, counters or instants, so the timeline is empty."</p>
                        </Show>
                    </div>
                </div>
                <div class="timeline__spacer" node_ref=spacer></div>
            </div>
            <SliceList stage />
            <p class="visually-hidden" role="status">{status}</p>
            <HoverCard stage glance />
        </section>
    }
}
