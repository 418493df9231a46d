//! The menu of arrows: none, of the selection, or all in the window; and which kinds.

use super::in_window::{FlowChoice, FlowMode, drawn_sentence, kind_label, kind_slot};
use crate::base::text;
use crate::engine::page_columns::PageColumns;
use crate::ui::controls::{swatch_colour, unique};
use leptos::{ev, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;

const MODES: [(FlowMode, &str); 3] =
    [(FlowMode::Off, "Off"), (FlowMode::Selection, "Of the selection"), (FlowMode::Window, "All in the window")];

/// Width of the panel.
const PANEL_PX: f64 = 280.0;

/// A button that opens the choice of arrows; absent where the profile has none.
#[component]
pub fn FlowMenu(
    /// What is chosen.
    choice: FlowChoice,
    /// The profile.
    columns: Signal<Option<Arc<PageColumns>>>,
) -> impl IntoView {
    let kinds = Memo::new(move |_| columns.with(|h| h.as_ref().map(|h| h.info.flow_kinds.clone()).unwrap_or_default()));
    let note = move || {
        (choice.mode.0.get() == FlowMode::Window).then(|| {
            let sentence = choice.found.with(|f| drawn_sentence(f));
            let short = choice.found.with(|f| format!("{} of {} flows drawn", text::count(f.from.len() as u64), text::count(f.n_wanted)));
            view! { <span class="timeline__flownote" role="status" title=sentence.clone() data-flows-drawn>{short}</span> }
        })
    };
    // In the top layer, since the toolbar scrolls and would cut it.
    let at = RwSignal::new((0.0, 0.0));
    let place = move |ev: ev::MouseEvent| {
        if let Some(rect) = ev.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()).map(|e| e.get_bounding_client_rect()) {
            let width = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1000.0);
            at.set((rect.left().min(width - PANEL_PX - 8.0).max(8.0), rect.bottom() + 4.0));
        }
    };
    let id = format!("flows-{}", unique());
    let target = id.clone();
    let button = move || {
        view! {
            <button type="button" class="button button--quiet" title="Select which flow arrows are drawn" data-flows-menu on:click=place>
                "Flows"<span aria-hidden="true" class="menu__arrow">"▾"</span>
            </button>
        }
        .attr("popovertarget", target.clone())
    };
    view! {
        <Show when=move || kinds.with(|k| !k.is_empty())>
            {button()}
            <div class="flows-panel" popover="auto" id=id.clone() style:left=move || format!("{}px", at.get().0) style:top=move || format!("{}px", at.get().1)>
                <fieldset class="flows" data-flows>
                    <legend class="flows__title">"Draw arrows"</legend>
                    {MODES.map(|(mode, label)| view! { <Mode choice mode label /> })}
                </fieldset>
                <fieldset class="flows">
                    <legend class="flows__title">"Kinds"</legend>
                    {move || kinds.get().into_iter().zip(0u16..).map(|((kind, n), i)| view! { <Kind choice kind n i /> }).collect_view()}
                </fieldset>
                <p class="flows__note">{move || (choice.mode.0.get() == FlowMode::Window).then(|| choice.found.with(|f| drawn_sentence(f)))}</p>
            </div>
            {note}
        </Show>
    }
}

#[component]
fn Mode(choice: FlowChoice, mode: FlowMode, label: &'static str) -> impl IntoView {
    view! {
        <label class="flows__item">
            <input
                type="radio"
                name="flow-mode"
                data-flow-mode=mode.to_string()
                prop:checked=move || choice.mode.0.get() == mode
                on:change=move |_| choice.mode.1.set(mode)
            />
            {label}
        </label>
    }
}

#[component]
fn Kind(choice: FlowChoice, kind: String, n: u64, i: u16) -> impl IntoView {
    let (id, shown) = (kind.clone(), kind.clone());
    let toggle = move |_| choice.without.1.set(choice.without.0.get_untracked().toggled(&id));
    view! {
        <label class="flows__item">
            <input
                type="checkbox"
                data-flow-kind=kind.clone()
                prop:checked=move || choice.without.0.with(|w| !w.0.contains(&shown))
                on:change=toggle
            />
            <span class="flows__swatch" style:background=swatch_colour(kind_slot(i)) aria-hidden="true"></span>
            {kind_label(&kind)}
            <span class="figure">{text::count(n)}</span>
        </label>
    }
}
