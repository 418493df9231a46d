//! Elements around the canvases: the border of the labels, the list of slices for keyboard and screen reader, the hover card.

use super::events;
use super::handle::TimelineHandle;
use super::lookup::drawn::BarId;
use super::state::timeline_state::Act;
use crate::base::{SliceId, text};
use crate::engine::slice_summary::SliceSummary;
use crate::ui::effect::effect;
use leptos::prelude::*;

/// Details of the hovered slice, requested when the pointer rests.
#[derive(Clone, Copy)]
pub struct HoveredSlice {
    /// The pointer rests on a slice.
    pub on_rest: Callback<SliceId>,
    /// What is known of the slice asked for last.
    pub summary: Signal<Option<(SliceId, SliceSummary)>>,
}

/// The border between labels and plot.
#[component]
pub(super) fn Splitter(labels_px: RwSignal<Option<f64>>) -> impl IntoView {
    const DEFAULT_PX: f64 = 168.0;
    const LEAST_PX: f64 = 60.0;
    const MOST_PX: f64 = 600.0;
    let grip = RwSignal::new(None::<f64>);
    let set = move |px: f64| labels_px.set(Some(px.clamp(LEAST_PX, MOST_PX)));
    let on_press = move |ev: web_sys::PointerEvent| {
        events::capture(&ev);
        ev.prevent_default();
        grip.set(Some(labels_px.get_untracked().unwrap_or(DEFAULT_PX) - f64::from(ev.client_x())));
    };
    let on_move = move |ev: web_sys::PointerEvent| {
        if let Some(grip) = grip.get_untracked() {
            set(grip + f64::from(ev.client_x()));
        }
    };
    let on_key = move |ev: web_sys::KeyboardEvent| {
        let by = match ev.code().as_str() {
            "ArrowLeft" => -16.0,
            "ArrowRight" => 16.0,
            _ => return,
        };
        ev.prevent_default();
        set(labels_px.get_untracked().unwrap_or(DEFAULT_PX) + by);
    };
    view! {
        <div
            class="timeline__splitter"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the labels"
            aria-valuenow=move || labels_px.get().unwrap_or(DEFAULT_PX).round().to_string()
            aria-valuemin=LEAST_PX.to_string()
            aria-valuemax=MOST_PX.to_string()
            tabindex="0"
            on:pointerdown=on_press
            on:pointermove=on_move
            on:pointerup=move |_| grip.set(None)
            on:pointercancel=move |_| grip.set(None)
            on:keydown=on_key
        ></div>
    }
}

/// The slices of the lane under the pointer or of the selection, for keyboard and screen reader; seen while it has the focus.
#[component]
pub(super) fn SliceList(stage: TimelineHandle) -> impl IntoView {
    let item = move |(bar, sentence): (BarId, String)| {
        let choose = move |_| stage.act(Some(Act::Select(Some(bar.into()))));
        view! { <li><button class="link mono" on:click=choose>{sentence}</button></li> }
    };
    view! {
        <ul class="timeline__list" aria-label="Slices of this row in the window">
            {move || stage.shown.list.get().into_iter().map(item).collect_view()}
        </ul>
    }
}

/// What is under the pointer, beside it.
#[component]
pub(super) fn HoverCard(stage: TimelineHandle, glance: Option<HoveredSlice>) -> impl IntoView {
    /// The pointer has to rest this long before the record is read.
    const REST: std::time::Duration = std::time::Duration::from_millis(140);
    effect(move || {
        let (Some(glance), Some(bar)) = (glance, stage.shown.hovered.get()) else { return };
        let look = move || {
            if stage.shown.hovered.try_get_untracked() == Some(Some(bar)) {
                glance.on_rest.run(stage.slice_of(bar));
            }
        };
        set_timeout(look, REST);
    });
    let brief = move || {
        let (slice, brief) = glance?.summary.get()?;
        (stage.shown.hovered.get().map(|bar| stage.slice_of(bar)) == Some(slice)).then_some(brief)
    };
    let style = move || {
        let (x, y) = stage.shown.card_at.get();
        let size = |v: Result<wasm_bindgen::JsValue, _>| v.ok().and_then(|v| v.as_f64()).unwrap_or(1000.0);
        let (w, h) = (size(window().inner_width()), size(window().inner_height()));
        let across = if x < w / 2.0 { format!("left:{}px", x + 14.0) } else { format!("right:{}px", w - x + 14.0) };
        let down = if y < h / 2.0 { format!("top:{}px", y + 14.0) } else { format!("bottom:{}px", h - y + 14.0) };
        format!("{across};{down}")
    };
    let content = move || {
        stage.shown.card.get().map(|card| {
            let line = |(what, value): (String, String)| view! { <dt>{what}</dt><dd>{value}</dd> };
            let more = move || {
                brief().map(|b| {
                    let own = b.self_time.map(|t| ("self time".to_string(), text::duration(t)));
                    own.into_iter().chain(b.fields).map(line).collect_view()
                })
            };
            view! {
                <div class="timeline__card" style=style>
                    <p class="timeline__card-title mono">{card.title}</p>
                    <dl>{card.lines.into_iter().map(line).collect_view()}{more}</dl>
                </div>
            }
        })
    };
    view! { {content} }
}
