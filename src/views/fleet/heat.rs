//! The heat map on a canvas: pan, zoom, a cell that is read out.

use super::picture::{Levels, Window, colours};
use crate::analysis::fleet::{FleetMap, FleetSummary};
use crate::base::{DurationNs, text};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d as Context, ImageData};

/// Height of the map, CSS pixels.
const HEIGHT: f64 = 420.0;

/// Pixels of the map with what they are made of.
struct Drawn {
    levels: Levels,
    colours: Vec<[u8; 4]>,
}

/// The map, its scale and the cell that is read out.
#[component]
pub fn Heat(
    /// The cells.
    map: Signal<Option<Arc<FleetMap>>>,
    /// Names of the ranks.
    summary: Signal<Option<Arc<FleetSummary>>>,
    /// What the cells show.
    label: Signal<String>,
    /// The cell that is read out: (row, column).
    cell: RwSignal<Option<(usize, usize)>>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let drawn = Memo::new_with_compare(
        move |_| map.get().map(|map| Arc::new(Drawn { levels: Levels::new(&map), colours: colours(map.least_ns, map.most_ns) })),
        // Compared by the map alone, which is a signal already.
        |_, _| true,
    );
    let whole = Memo::new(move |_| map.with(|m| m.as_ref().map_or(Window::whole(1, 1), |m| Window::whole(m.rows.len(), m.steps.len()))));
    let window = RwSignal::new(None::<Window>);
    let shown = Memo::new(move |_| window.get().unwrap_or_else(|| whole.get()));
    effect(move || {
        whole.track();
        window.set(None);
    });
    let width = RwSignal::new(0.0f64);
    effect(move || {
        if let Some(canvas) = canvas.get() {
            let element = canvas.clone();
            dom::on_resize(&canvas, move || width.set(f64::from(element.client_width())));
        }
    });
    effect(move || {
        let (Some(canvas), Some(drawn), window, width) = (canvas.get(), drawn.get(), shown.get(), width.get()) else { return };
        let ratio = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio());
        let (w, h) = ((width * ratio).round() as usize, (HEIGHT * ratio).round() as usize);
        if w == 0 {
            return;
        }
        if (canvas.width() as usize, canvas.height() as usize) != (w, h) {
            canvas.set_width(w as u32);
            canvas.set_height(h as u32);
        }
        let started = dom_time();
        let pixels = drawn.levels.paint(window, (w, h), &drawn.colours);
        let image = ImageData::new_with_u8_clamped_array(Clamped(&pixels), w as u32);
        let context = canvas.get_context("2d").ok().flatten().and_then(|c| c.dyn_into::<Context>().ok());
        if let (Ok(image), Some(context)) = (image, context) {
            // A canvas that refuses stays as it is; the next frame tries again.
            let _ = context.put_image_data(&image, 0.0, 0.0);
        }
        let _ = canvas.set_attribute("data-frame-ms", &format!("{:.2}", dom_time() - started));
    });
    let place = move |x: f64, y: f64| {
        let (window, whole) = (shown.get_untracked(), whole.get_untracked());
        let column = window.x + x / width.get_untracked().max(1.0) * window.width;
        let row = window.y + y / HEIGHT * window.height;
        (row.clamp(0.0, whole.height - 1.0) as usize, column.clamp(0.0, whole.width - 1.0) as usize)
    };
    let zoom = move |factor: f64, at: (f64, f64)| window.set(Some(shown.get_untracked().zoomed(factor, at, whole.get_untracked())));
    let pan = move |x: f64, y: f64| window.set(Some(shown.get_untracked().moved(x, y, whole.get_untracked())));
    let dragged = RwSignal::new(None::<(i32, i32)>);
    let on_wheel = move |event: ev::WheelEvent| {
        if !(event.ctrl_key() || event.meta_key()) {
            return;
        }
        event.prevent_default();
        let at = (f64::from(event.offset_x()) / width.get_untracked().max(1.0), f64::from(event.offset_y()) / HEIGHT);
        zoom((event.delta_y() * 0.002).clamp(-1.0, 1.0).exp2(), at);
    };
    let on_move = move |event: ev::PointerEvent| {
        let now = (event.client_x(), event.client_y());
        match dragged.get_untracked() {
            Some(from) => {
                pan(f64::from(from.0 - now.0) / width.get_untracked().max(1.0), f64::from(from.1 - now.1) / HEIGHT);
                dragged.set(Some(now));
            }
            None => cell.set(Some(place(f64::from(event.offset_x()), f64::from(event.offset_y())))),
        }
    };
    let on_down = move |event: ev::PointerEvent| {
        dragged.set(Some((event.client_x(), event.client_y())));
        if let Some(canvas) = canvas.get_untracked() {
            // Without capture a drag ends at the edge.
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        cell.set(Some(place(f64::from(event.offset_x()), f64::from(event.offset_y()))));
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let whole = whole.get_untracked();
        let (row, column) = cell.get_untracked().unwrap_or((0, 0));
        let next = match event.key().as_str() {
            "ArrowUp" => (row.saturating_sub(1), column),
            "ArrowDown" => ((row + 1).min(whole.height as usize - 1), column),
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowRight" => (row, (column + 1).min(whole.width as usize - 1)),
            "+" | "=" => return zoom(0.5, (0.5, 0.5)),
            "-" => return zoom(2.0, (0.5, 0.5)),
            "0" => return window.set(None),
            _ => return,
        };
        event.prevent_default();
        cell.set(Some(next));
    };
    let read = move || {
        let (row, column) = cell.get()?;
        let (map, summary, drawn) = (map.get()?, summary.get()?, drawn.get()?);
        let rank = summary.ranks.get(*map.rows.get(row)? as usize)?;
        let value = FleetMap::value(drawn.levels.cell(row, column));
        let value = value.map_or("not recorded".into(), |ns| text::duration(DurationNs(ns)));
        let step = map.steps.get(column)?;
        Some(format!("{}, step {step}: {value}. Trace: {}", capital(&rank.trace.placed()), rank.trace.name))
    };
    let scale = move |most: bool| map.with(|m| m.as_ref().map(|m| text::duration(DurationNs(if most { m.most_ns } else { m.least_ns }))));
    let window_text = move || {
        let w = shown.get();
        format!("{},{},{},{}", w.x.floor(), w.y.floor(), w.width.ceil(), w.height.ceil())
    };
    view! {
        <div class="fleet__map">
            <div class="fleet__bar">
                <button type="button" class="button" title="Zoom in (+)" on:click=move |_| zoom(0.5, (0.5, 0.5))>"Zoom in"</button>
                <button type="button" class="button" title="Zoom out (−)" on:click=move |_| zoom(2.0, (0.5, 0.5))>"Zoom out"</button>
                <button type="button" class="button" title="Show all ranks and steps (0)" on:click=move |_| window.set(None)>"Fit all"</button>
                <span class="fleet__scale"><span>{move || scale(false)}</span><i></i><span>{move || scale(true)}</span></span>
            </div>
            <canvas
                node_ref=canvas class="fleet__canvas" tabindex="0" role="img" data-fleet-map=window_text
                aria-label=move || format!("{} of each rank (down) and step (across). Arrow keys read a cell out, plus and minus zoom.", label.get())
                on:wheel=on_wheel on:pointermove=on_move on:pointerdown=on_down
                on:pointerup=move |_| dragged.set(None) on:pointercancel=move |_| dragged.set(None) on:keydown=on_key
            ></canvas>
            <p class="fleet__cell" role="status" data-fleet-cell>
                {move || read().unwrap_or_else(|| "Rows are ranks, columns are steps. Point at a cell to read it; drag to move, Ctrl and wheel to zoom.".into())}
            </p>
        </div>
    }
}

fn dom_time() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
