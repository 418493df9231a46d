//! What a hierarchy of a device is grouped by, and how deep its layers go: the same two fields wherever that is asked.

use crate::state::choices::Choice;
use leptos::prelude::*;
use std::sync::Arc;

/// The fields; that of the depth only where layers are the grouping.
#[component]
pub fn Grouping(
    /// In front of the first field.
    label: &'static str,
    /// Groupings one can choose: (id, label).
    groupings: Signal<Arc<Vec<(String, String)>>>,
    /// Parts of the longest layer's path.
    max_depth: Signal<u32>,
    /// The grouping chosen.
    by: Choice<String>,
    /// The depth chosen; 0 is all.
    depth: Choice<u32>,
) -> impl IntoView {
    let grouping_options = move || {
        let chosen = by.0.get();
        let option = |(id, label): &(String, String)| view! { <option value=id.clone() selected=*id == chosen>{label.clone()}</option> };
        groupings.get().iter().map(option).collect_view()
    };
    let depths = move || {
        let chosen = depth.0.get();
        let option = |n: u32| view! { <option value=n.to_string() selected=n == chosen>{n.to_string()}</option> };
        (1..=max_depth.get().max(chosen).min(64)).map(option).collect_view()
    };
    let is_by_layer = move || by.0.with(|by| by == "layer");
    view! {
        <label class="field">
            {label}
            <select class="select" data-field="group-by" on:change:target=move |e| by.1.set(e.target().value())>{grouping_options}</select>
        </label>
        <Show when=is_by_layer>
            <label class="field">
                "Layer depth"
                <select class="select" data-field="depth" on:change:target=move |e| depth.1.set(e.target().value().parse().unwrap_or(0))>
                    <option value="0" selected=move || depth.0.get() == 0>"All"</option>
                    {depths}
                </select>
            </label>
        </Show>
    }
}
