//! Position and size of the drawer: a draggable border and a button that moves it.

use crate::state::layout::{LEAST_PX, Layout, MOST_PX};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};

/// The drawer's size, for its style.
pub(super) fn style(layout: Layout) -> String {
    match (layout.is_right, layout.height_px) {
        (true, _) => format!("width:{}px", layout.width_px),
        (false, Some(px)) => format!("height:{px}px"),
        (false, None) => String::new(),
    }
}

/// Moves the drawer to the right, or back to the bottom.
#[component]
pub(super) fn DockButton(layout: RwSignal<Layout>) -> impl IntoView {
    let label = move || if layout.get().is_right { "Dock at the bottom" } else { "Dock at the right" };
    let mark = move || if layout.get().is_right { "⬓" } else { "◨" };
    view! {
        <button class="button button--quiet drawer__dock" title=label aria-label=label on:click=move |_| layout.update(|l| l.is_right = !l.is_right)>
            {mark}
        </button>
    }
}

/// The size along the border, CSS pixels; a height that was never chosen is about a third of the window.
fn size_px(layout: Layout) -> u32 {
    if layout.is_right { layout.width_px } else { layout.height_px.unwrap_or(300) }
}

/// The border of the drawer.
#[component]
pub(super) fn Grip(layout: RwSignal<Layout>) -> impl IntoView {
    let is_held = RwSignal::new(false);
    // The far edge of the drawer does not move: the size is the distance from there to the pointer.
    let size = |ev: &PointerEvent, is_right: bool| {
        let grip: Option<Element> = ev.current_target().and_then(|t| t.dyn_into().ok());
        let rect = grip.and_then(|g| g.parent_element()).map(|drawer| drawer.get_bounding_client_rect());
        rect.map(|r| if is_right { r.right() - f64::from(ev.client_x()) } else { r.bottom() - f64::from(ev.client_y()) })
    };
    let on_press = move |ev: PointerEvent| {
        ev.prevent_default();
        if let Some(grip) = ev.current_target().and_then(|t| t.dyn_into::<Element>().ok()) {
            // A pointer that is already up cannot be captured; then there is nothing to drag.
            let _ = grip.set_pointer_capture(ev.pointer_id());
        }
        is_held.set(true);
    };
    let on_move = move |ev: PointerEvent| {
        if let (true, Some(px)) = (is_held.get_untracked(), size(&ev, layout.get_untracked().is_right)) {
            layout.update(|l| l.set_size(px));
        }
    };
    let on_key = move |ev: KeyboardEvent| {
        let by = match ev.code().as_str() {
            "ArrowUp" | "ArrowLeft" => 24.0,
            "ArrowDown" | "ArrowRight" => -24.0,
            _ => return,
        };
        ev.prevent_default();
        ev.stop_propagation();
        layout.update(|l| {
            l.set_size((f64::from(size_px(*l)) + by).max(0.0));
        });
    };
    let orientation = move || if layout.get().is_right { "vertical" } else { "horizontal" };
    view! {
        <div
            class="drawer__grip" role="separator" tabindex="0" aria-label="Size of the details" aria-orientation=orientation
            aria-valuenow=move || size_px(layout.get()).to_string() aria-valuemin=LEAST_PX.to_string() aria-valuemax=MOST_PX.to_string()
            on:pointerdown=on_press on:pointermove=on_move on:pointerup=move |_| is_held.set(false) on:pointercancel=move |_| is_held.set(false)
            on:keydown=on_key
        ></div>
    }
}
