//! What is seen of the x axis, changed by buttons.

use super::view::State;
use leptos::prelude::*;

/// Makes the chosen range fill the chart, and gives the whole back.
#[component]
pub(super) fn Zoom(state: State) -> impl IntoView {
    let can_zoom = move || state.range.get().is_some_and(|r| state.window.get() != Some(r));
    view! {
        <Show when=can_zoom>
            <button type="button" class="link" title="Zoom the chart to the range" on:click=move |_| state.window.set(state.range.get_untracked())>
                "zoom in"
            </button>
        </Show>
        <Show when=move || state.window.get().is_some() || (state.range.get().is_some() && state.on_range.is_some())>
            <button type="button" class="link" title="Also right-click or Esc" on:click=move |_| state.reset()>"reset"</button>
        </Show>
    }
}
