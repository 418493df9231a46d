//! The panel of what the timeline shows.

use super::device::{Cores, CurvesOfView, NamesRow, has_dma, select};
use super::saved_defaults::SavedDefaultsMenu;
use super::semaphores::Semaphores;
use super::window::Window;
use crate::analysis::colouring::DURATION;
use crate::engine::page_columns::PageColumns;
use crate::ui::controls::unique;
use crate::views::timeline::handle::TimelineHandle;
use crate::views::timeline::marking::Marking;
use crate::views::timeline::rows::choices::{Settings, kinds, split};
use leptos::{ev, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Width of the panel.
const PANEL_PX: f64 = 420.0;

/// A button that opens the panel.
#[component]
pub fn SettingsMenu(
    /// The running timeline.
    stage: TimelineHandle,
    /// What is chosen.
    settings: Settings,
    /// Markers and regions.
    marking: Marking,
    /// The profile.
    columns: Signal<Option<Arc<PageColumns>>>,
) -> impl IntoView {
    // In the top layer, since the toolbar scrolls and would cut it.
    let at = RwSignal::new((0.0, 0.0));
    let place = move |ev: ev::MouseEvent| {
        if let Some(rect) = ev.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()).map(|e| e.get_bounding_client_rect()) {
            let width = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1000.0);
            at.set((rect.left().min(width - PANEL_PX - 8.0).max(8.0), rect.bottom() + 4.0));
        }
    };
    let id = format!("settings-{}", unique());
    let button = view! {
        <button type="button" class="button button--quiet" title="Choose rows, names, semaphores and colours" data-settings-menu on:click=place>
            "View"<span aria-hidden="true" class="menu__arrow">"▾"</span>
        </button>
    }
    .attr("popovertarget", id.clone());
    let minimal = move |_| {
        settings.minimal(&columns.with_untracked(|h| h.as_ref().map(|h| kinds(&h.info)).unwrap_or_default()));
        stage.redraw();
    };
    view! {
        {button}
        <div
            class="flows-panel settings-panel" popover="auto" id=id data-settings
            style:left=move || format!("{}px", at.get().0) style:top=move || format!("{}px", at.get().1)
        >
            <p class="settings-panel__buttons">
                <button type="button" class="button" data-settings-full="" title="Show every row and reset this panel to its defaults; Colour by is kept" on:click=move |_| settings.reset()>"Everything"</button>
                <button type="button" class="button" data-settings-minimal="" title="Show only instructions and utilization" on:click=minimal>"Minimal"</button>
            </p>
            {settings.front_defaults.map(|front_defaults| view! { <SavedDefaultsMenu front_defaults /> })}
            <Window stage marking />
            <Kinds settings columns />
            <fieldset class="flows">
                <legend class="flows__title">"Slices"</legend>
                <label class="flows__item">
                    <input
                        type="checkbox" data-setting="names" prop:checked=move || settings.has_text.0.get()
                        on:change:target=move |e| settings.has_text.1.set(e.target().checked())
                    />
                    "Names on slices"
                </label>
                <label class="flows__item" title="Colour of each name, sorted by time">
                    <input
                        type="checkbox" data-setting="legend" prop:checked=move || settings.has_legend.0.get()
                        on:change:target=move |e| settings.has_legend.1.set(e.target().checked())
                    />
                    "Legend"
                </label>
                <Show when=move || has_dma(columns)>
                    <label class="flows__item" title="Mark bursts of small transfers and reloaded tensors above the rows">
                        <input
                            type="checkbox" data-setting="bands" prop:checked=move || settings.has_bands.0.get()
                            on:change:target=move |e| settings.has_bands.1.set(e.target().checked())
                        />
                        "Warning bands"
                    </label>
                </Show>
            </fieldset>
            <Cores settings columns />
            <Dma settings columns />
            <NamesRow settings columns />
            <CurvesOfView settings columns />
            <Colours settings columns />
            <Semaphores settings columns />
        </div>
    }
}

#[component]
fn Kinds(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let kinds = Memo::new(move |_| columns.with(|h| h.as_ref().map(|h| kinds(&h.info)).unwrap_or_default()));
    let hidden = Memo::new(move |_| split(&settings.hidden.0.get()));
    let item = move |kind: String| {
        let (shown, toggled, label, title) = (kind.clone(), kind.clone(), kind.clone(), kind.clone());
        view! {
            <label class="flows__item" title=title>
                <input
                    type="checkbox" data-row-kind=kind prop:checked=move || hidden.with(|h| !h.contains(&shown))
                    on:change=move |_| settings.toggle(&toggled)
                />
                <span class="settings-panel__label">{label}</span>
            </label>
        }
    };
    view! {
        <fieldset class="flows settings-panel__kinds">
            <legend class="flows__title">"Rows"</legend>
            {move || kinds.get().into_iter().map(item).collect_view()}
        </fieldset>
    }
}

/// The choice of rows for DMA transfers; absent without any.
#[component]
fn Dma(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let has_dma = Memo::new(move |_| has_dma(columns));
    view! {
        <Show when=move || has_dma.get()>
            <fieldset class="flows">
                <legend class="flows__title">"DMA transfers"</legend>
                {select("dma-rows", "Row per", "", settings.dma_rows, &[("", "queue"), ("engine", "DMA engine")])}
                {select(
                    "dma",
                    "Bar per",
                    "",
                    settings.dma_detail,
                    &[("", "packet"), ("expanded", "packet, separated by queue and engine"), ("aggregated", "run of adjacent packets")],
                )}
            </fieldset>
        </Show>
    }
}

/// What goes with the choice of colours above the timeline; absent where a profile has neither layers nor DMA.
#[component]
fn Colours(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let colourings = Memo::new(move |_| columns.with(|h| h.as_ref().map(|h| h.info.colourings.clone()).unwrap_or_default()));
    let has_dma = Memo::new(move |_| has_dma(columns));
    let has_layers = move || colourings.with(|c| c.iter().any(|c| c.0 == "layer"));
    let (dma, set_dma) = settings.dma_colour;
    let option = move |(id, label): (String, String)| {
        let this = id.clone();
        view! { <option value=id selected=move || dma.get() == this>{label}</option> }
    };
    let options = move || colourings.get().into_iter().filter(|c| c.0 != DURATION.0).map(option).collect_view();
    let on_depth = move |ev: ev::Event| settings.depth.1.set(event_target_value(&ev).parse().unwrap_or(0));
    view! {
        <Show when=move || has_dma.get() || has_layers()>
            <fieldset class="flows">
                <legend class="flows__title">"Colours"</legend>
                <Show when=move || has_dma.get()>
                    <label class="flows__item">
                        "DMA by"
                        <select class="select" data-setting="dma-colour" on:change:target=move |e| set_dma.set(e.target().value())>
                            <option value="" selected=move || dma.get().is_empty()>"same as other slices"</option>
                            {options}
                        </select>
                    </label>
                </Show>
                <Show when=has_layers>
                    <label class="flows__item" title="Number of name parts, from the left, that define the colour of a layer; 0 uses the full name">
                        "Depth of layers"
                        <input
                            class="input settings-panel__number" type="number" min="0" max="32" data-setting="depth"
                            prop:value=move || settings.depth.0.get().to_string() on:change=on_depth
                        />
                    </label>
                </Show>
            </fieldset>
        </Show>
    }
}
