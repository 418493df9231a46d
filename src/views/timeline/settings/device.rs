//! The part of the panel of choices that only device profiles have: the row of names, and curves of what is in view.

use crate::engine::page_columns::PageColumns;
use crate::state::choices::Choice;
use crate::views::timeline::rows::choices::Settings;
use crate::views::timeline::rows::logical;
use leptos::prelude::*;
use std::sync::Arc;

/// Columns that the row can name: what names the parts of a program, from coarse to fine.
const NAMES: [&str; 7] = ["layer", "operator", "hlo", "tensorizer", "bir", "source", "opcode"];

/// A row above the engines that names what they work at; absent without such columns.
#[component]
pub fn NamesRow(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let named = Memo::new(move |_| {
        let known = columns.with(|h| h.as_ref().map(|h| h.info.colourings.clone()).unwrap_or_default());
        NAMES.iter().filter_map(|id| known.iter().find(|c| c.0 == *id).cloned()).collect::<Vec<_>>()
    });
    let (chosen, choose) = settings.names_row;
    let option = move |(id, label): (String, String)| {
        let this = id.clone();
        view! { <option value=id selected=move || chosen.get() == this>{label}</option> }
    };
    let is_device = Memo::new(move |_| has_dma(columns) && named.with(|c| !c.is_empty()));
    view! {
        <Show when=move || is_device.get()>
            <fieldset class="flows">
                <legend class="flows__title">"Row of names"</legend>
                <label class="flows__item" title="Adds a row above the engines of each core. A bar covers the time in which an engine runs instructions of one name; click it to select this range">
                    "Above the engines"
                    <select class="select" data-setting="names-row" on:change:target=move |e| choose.set(e.target().value())>
                        <option value="" selected=move || chosen.with(String::is_empty)>"none"</option>
                        {move || named.get().into_iter().map(option).collect_view()}
                    </select>
                </label>
                <Show when=move || chosen.with(|c| !c.is_empty())>
                    {tick("hide-tiny", "Hide bars below 5% of the view", "They reappear when you zoom in", settings.hides_tiny)}
                </Show>
            </fieldset>
        </Show>
    }
}

/// The arrangement of the physical cores of a logical core; absent with one core.
#[component]
pub fn Cores(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let is_one = move || settings.cores.0.with(|c| c == "logical");
    // In one group, the rows no longer show the core.
    let is_offered = Memo::new(move |_| is_one() || columns.with(|h| h.as_ref().is_some_and(|h| logical::is_offered(&h.info))));
    view! {
        <Show when=move || is_offered.get()>
            <fieldset class="flows">
                <legend class="flows__title">"Cores"</legend>
                {select(
                    "cores",
                    "Group by",
                    "Show a group for each physical core, or combine all physical cores into one logical core",
                    settings.cores,
                    &[("", "physical core"), ("logical", "logical core")],
                )}
            </fieldset>
        </Show>
    }
}

/// Curves that follow the view; absent where a profile has none.
#[component]
pub fn CurvesOfView(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let has = move |what: &'static str| {
        Memo::new(move |_| {
            columns.with(|h| {
                h.as_ref()
                    .is_some_and(|h| h.info.counters.iter().any(|c| h.info.strings.get(h.info.tracks[c.track.index()].name).contains(what)))
            })
        })
    };
    let (has_means, has_throughput) = (has("Cumulative"), has("Throughput"));
    view! {
        <Show when=move || has_means.get() || has_throughput.get()>
            <fieldset class="flows">
                <legend class="flows__title">"Curves"</legend>
                <Show when=move || has_means.get()>
                    {tick(
                        "from-view",
                        "Cumulative from the start of the view",
                        "Cumulative throughput, MFU and HFU are means since the left edge of the view, not since the start of the run",
                        settings.is_from_view,
                    )}
                </Show>
                <Show when=move || has_throughput.get()>
                    {tick(
                        "smooth",
                        "Smoothed throughput",
                        "HBM and DMA throughput are averaged over 1/100 of the view instead of shown per sample",
                        settings.is_smooth,
                    )}
                </Show>
            </fieldset>
        </Show>
    }
}

/// One of some choices, by value and name.
pub fn select(
    id: &'static str,
    label: &'static str,
    title: &'static str,
    (chosen, choose): Choice<String>,
    options: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let option = move |(value, name): &(&'static str, &'static str)| {
        let this = *value;
        view! { <option value=this selected=move || chosen.with(|c| c == this)>{*name}</option> }
    };
    view! {
        <label class="flows__item" title=title>
            {label}
            <select class="select" data-setting=id on:change:target=move |e| choose.set(e.target().value())>
                {options.iter().map(option).collect_view()}
            </select>
        </label>
    }
}

fn tick(id: &'static str, label: &'static str, title: &'static str, (on, set): Choice<bool>) -> impl IntoView {
    view! {
        <label class="flows__item" title=title>
            <input type="checkbox" data-setting=id prop:checked=move || on.get() on:change:target=move |e| set.set(e.target().checked()) />
            {label}
        </label>
    }
}

/// Whether the profile has DMA transfers. Tracked.
pub fn has_dma(columns: Signal<Option<Arc<PageColumns>>>) -> bool {
    columns.with(|h| h.as_ref().is_some_and(|h| h.info.tracks.iter().any(|t| t.kind == crate::engine::TrackKind::Queue)))
}
