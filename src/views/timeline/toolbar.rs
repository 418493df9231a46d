//! The tools above the rows: what dragging does, whole and fit, folding, and the row filter.

use super::flows::in_window::FlowChoice;
use super::flows::menu::FlowMenu;
use super::handle::TimelineHandle;
use super::marking::Marking;
use super::rows::choices::Settings;
use super::settings::panel::SettingsMenu;
use super::state::marks::MarkAct;
use super::state::timeline_state::Tool;
use crate::base::TimeRange;
use crate::engine::TrackKind;
use crate::engine::page_columns::PageColumns;
use leptos::prelude::*;
use std::sync::Arc;

const TOOLS: [(Tool, &str, &str); 4] = [
    (Tool::Select, "Select", "Drag to select a range, or a box over several rows (1); Shift+drag works with every tool"),
    (Tool::Pan, "Pan", "Drag to move the window (2)"),
    (Tool::Zoom, "Zoom", "Drag to zoom to a range (3)"),
    (Tool::Measure, "Measure", "Drag to measure a duration (4)"),
];

/// The toolbar.
#[component]
pub fn Toolbar(
    /// The running timeline.
    stage: TimelineHandle,
    /// The profile.
    columns: Signal<Option<Arc<PageColumns>>>,
    /// Which arrows are drawn.
    choice: Option<FlowChoice>,
    /// The committed range.
    range: RwSignal<Option<TimeRange>>,
    /// Markers and regions.
    marking: Marking,
    /// What of it is shown.
    settings: Option<Settings>,
) -> impl IntoView {
    let tool = stage.shown.tool;
    let tools = TOOLS.map(|(this, name, title)| {
        let pressed = move || (tool.get() == this).to_string();
        let choose = move |_| {
            stage.change(|core| core.tool = this);
        };
        view! { <button title=title aria-pressed=pressed on:click=choose>{name}</button> }
    });
    let key = move |code: &'static str| {
        move |_| {
            let act = stage.change(|core| core.key(code, false)).flatten().flatten();
            stage.act(act);
        }
    };
    let make_region = move |_| {
        if let Some(region) = range.get_untracked() {
            marking.act(MarkAct::AddRegion(region));
            range.set(None);
        }
    };
    let annotations = move || match marking.book.with(|b| b.current.items.len()) {
        0 => "Annotations".to_string(),
        n => format!("Annotations ({n})"),
    };
    let fold_all = move |is_closed: bool| {
        stage.change(|core| {
            core.fold(|folding, index, columns| {
                folding.closed.clear();
                if is_closed {
                    let groups = columns
                        .info
                        .tracks
                        .iter()
                        .zip(0..)
                        .filter(|(t, i)| t.kind == TrackKind::Group || !index.tracks[*i].children.is_empty());
                    folding.closed = groups.map(|(_, i)| crate::base::TrackId(i as u32)).collect();
                }
            })
        });
    };
    let filter = stage.shown.filter;
    let on_filter = move |ev| {
        let text = event_target_value(&ev);
        stage.change(|core| core.fold(|folding, _, _| folding.filter = text));
    };
    view! {
        <div class="timeline__tools" role="toolbar" aria-label="Timeline tools">
            <span class="segmented">{tools}</span>
            <button class="button button--quiet" title="Show the entire trace (0)" on:click=key("Digit0")>"Fit all"</button>
            <button class="button button--quiet" title="Zoom to the selection (F)" on:click=key("KeyF")>"Fit selection"</button>
            <button class="button button--quiet" title="Zoom in (W)" aria-label="Zoom in" on:click=key("KeyW")>"+"</button>
            <button class="button button--quiet" title="Zoom out (S)" aria-label="Zoom out" on:click=key("KeyS")>"−"</button>
            <button class="button button--quiet" title="Collapse every group" on:click=move |_| fold_all(true)>"Collapse all"</button>
            <button class="button button--quiet" title="Expand every group and lane" on:click=move |_| fold_all(false)>"Expand all"</button>
            {choice.map(|choice| view! { <FlowMenu choice columns /> })}
            {settings.map(|settings| view! { <SettingsMenu stage settings marking columns /> })}
            <button class="button button--quiet" title="Add a marker at the pointer or in the middle (M), or right-click anywhere" on:click=key("KeyM")>"Mark"</button>
            <Show when=move || range.get().is_some()>
                <button class="button button--quiet" title="Save the selected range as a region" on:click=make_region>"Make region"</button>
            </Show>
            <button
                class="button button--quiet" data-annotations="" aria-pressed=move || marking.is_open.get().to_string()
                title="Markers and regions: names, times, differences, and metrics between them" on:click=move |_| marking.set_open.set(!marking.is_open.get_untracked())
            >
                {annotations}
            </button>
            <input
                class="input timeline__filter"
                type="search"
                placeholder="Filter rows"
                aria-label="Show only rows with this text in their path"
                prop:value=move || filter.get()
                on:input=on_filter
            />
        </div>
    }
}
