//! Pointer, wheel and key events of the browser, translated for the state.

use super::handle::TimelineHandle;
use super::input::gesture::Press;
use super::state::marks::MarkAct;
use super::state::timeline_state::Act;
use crate::ui::dom::is_panel_open;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

/// A line of the wheel, where the browser counts lines.
const LINE_PX: f64 = 16.0;

/// Where an event is in the element it was listened for on, CSS pixels.
fn place(ev: &PointerEvent) -> (f64, f64) {
    let target = ev.current_target().and_then(|t| t.dyn_into::<Element>().ok());
    let rect = target.map(|t| t.get_bounding_client_rect());
    let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
    (f64::from(ev.client_x()) - left, f64::from(ev.client_y()) - top)
}

/// Keeps hearing of a pointer that leaves the element while it is down.
pub fn capture(ev: &PointerEvent) {
    if let Some(target) = ev.current_target().and_then(|t| t.dyn_into::<Element>().ok()) {
        // A pointer that is already up cannot be captured; then there is nothing to keep.
        let _ = target.set_pointer_capture(ev.pointer_id());
    }
}

/// A pointer went down on the plot.
pub fn on_press(stage: TimelineHandle, ev: PointerEvent) {
    if ev.button() > 1 {
        return;
    }
    capture(&ev);
    let (x, y) = place(&ev);
    let is_touch = ev.pointer_type() == "touch";
    let press = Press { has_shift: ev.shift_key(), is_middle: ev.button() == 1, is_touch, id: ev.pointer_id() };
    stage.touch(|core| core.press(x, y, press));
}

/// A pointer moved over the plot.
pub fn on_move(stage: TimelineHandle, ev: PointerEvent) {
    let (x, y) = place(&ev);
    stage.shown.card_at.set((f64::from(ev.client_x()), f64::from(ev.client_y())));
    stage.touch(|core| core.moved(x, y, ev.pointer_id()));
}

/// A pointer went up.
pub fn on_release(stage: TimelineHandle, ev: PointerEvent) {
    let act = stage.touch(|core| core.released(ev.pointer_id())).flatten();
    stage.act(act);
}

/// The right button, or a finger that stays: drops a marker there.
pub fn on_menu(stage: TimelineHandle, ev: MouseEvent) {
    ev.prevent_default();
    let target = ev.current_target().and_then(|t| t.dyn_into::<Element>().ok());
    let rect = target.map(|t| t.get_bounding_client_rect());
    let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
    let at = (f64::from(ev.client_x()) - left, f64::from(ev.client_y()) - top);
    let act = stage.touch(|core| {
        core.cancelled();
        Act::Mark(MarkAct::Add(core.snapped(at.0, at.1)))
    });
    stage.act(act);
}

/// A pointer was taken away by the browser.
pub fn on_cancel(stage: TimelineHandle, _: PointerEvent) {
    stage.touch(|core| core.cancelled());
}

/// The pointer left the plot.
pub fn on_leave(stage: TimelineHandle, _: PointerEvent) {
    stage.touch(|core| core.pointer = None);
}

/// The wheel over the timeline: zoom and pan are ours, scrolling is the browser's.
pub fn on_wheel(stage: TimelineHandle, ev: WheelEvent) {
    let unit = if ev.delta_mode() == 0 { 1.0 } else { LINE_PX };
    let (dx, dy) = (ev.delta_x() * unit, ev.delta_y() * unit);
    let zooms = ev.ctrl_key() || ev.meta_key();
    let pans = ev.shift_key() || dx.abs() > dy.abs();
    if !zooms && !pans {
        return;
    }
    ev.prevent_default();
    let Some(plot) = stage.nodes.plot.get_untracked() else { return };
    let x = f64::from(ev.client_x()) - plot.get_bounding_client_rect().left();
    stage.change(|core| core.wheel(x.clamp(0.0, core.view.width_px), dx, dy, zooms, pans));
}

/// Pointer events of overview and ruler.
pub fn on_brush_press(stage: TimelineHandle, ev: PointerEvent) {
    capture(&ev);
    let (x, y) = place(&ev);
    stage.brush(|core, _| Some(core.press_brush(x, y)));
}

/// See [`on_brush_press`].
pub fn on_brush_move(stage: TimelineHandle, ev: PointerEvent) {
    if ev.buttons() == 0 {
        return;
    }
    let (x, _) = place(&ev);
    stage.brush(|core, brush| brush.map(|b| core.move_brush(b, x)));
}

/// See [`on_brush_press`].
pub fn on_brush_release(stage: TimelineHandle) {
    stage.brush(|_, _| None);
}

/// Listens for keys until the owner is disposed.
pub fn listen_for_keys(stage: TimelineHandle) {
    let handle = window_event_listener(ev::keydown, move |ev| on_key(stage, &ev));
    on_cleanup(move || handle.remove());
}

fn on_key(stage: TimelineHandle, ev: &KeyboardEvent) {
    if ev.default_prevented() || ev.ctrl_key() || ev.meta_key() || ev.alt_key() {
        return;
    }
    let Some(root) = stage.nodes.root.try_get_untracked().flatten().filter(|r| r.offset_width() > 0) else { return };
    let target = ev.target().and_then(|t| t.dyn_into::<Element>().ok());
    if target.as_ref().is_some_and(is_typing) {
        return;
    }
    // Elsewhere on the page arrows, Enter, paging and Escape mean something else.
    let is_ours = target.as_ref().is_none_or(|t| t.tag_name() == "BODY" || root.contains(Some(t)));
    let code = ev.code();
    let is_letter = ["Key", "Digit", "Bracket", "Numpad"].iter().any(|p| code.starts_with(p));
    let is_on_control = code == "Enter" && target.as_ref().is_some_and(|t| t.tag_name() == "BUTTON");
    let is_of_panel = code == "Escape" && is_panel_open();
    if is_on_control || is_of_panel || !(is_ours || is_letter) {
        return;
    }
    if let Some(act) = stage.change(|core| core.key(&code, ev.shift_key())).flatten() {
        ev.prevent_default();
        stage.act(act);
    }
}

/// Whether keys mean text there, or the element is part of a dialog.
fn is_typing(target: &Element) -> bool {
    let is_field = ["INPUT", "TEXTAREA", "SELECT"].contains(&target.tag_name().as_str());
    let is_checkbox = target.get_attribute("type").is_some_and(|t| t == "checkbox" || t == "radio");
    let is_in = |selector: &str| target.closest(selector).ok().flatten().is_some();
    (is_field && !is_checkbox) || is_in("[contenteditable=true]") || is_in("dialog")
}
