//! The heat map on a canvas: pan, zoom, a cell that is read out.

use super::chosen::{TraceStep, capital};
use super::picture::{Levels, Window, colours};
use crate::analysis::fleet::{FleetMap, FleetSummary};
use crate::base::{DurationNs, text};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d as Context, ImageData};

/// Height of the map of many ranks, CSS pixels.
const HEIGHT_MAX: f64 = 420.0;
/// Least height of a map, pixels: that of one with few rows.
const HEIGHT_MIN: f64 = 96.0;
/// Height of a rank with enough space.
const ROW_HEIGHT: f64 = 22.0;
/// The pointer that moved less, in CSS pixels, clicked.
const CLICK_MAX: i32 = 3;

fn height(n_rows: usize) -> f64 {
    (n_rows as f64 * ROW_HEIGHT).clamp(HEIGHT_MIN, HEIGHT_MAX)
}

/// Pixels of the map, with their inputs.
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
    /// The trace and the step that are chosen.
    chosen: RwSignal<Option<TraceStep>>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    dom::free_on_cleanup(canvas);
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
    let tall = Memo::new(move |_| map.with(|m| height(m.as_ref().map_or(0, |m| m.rows.len()))));
    let width = RwSignal::new(0.0f64);
    effect(move || {
        if let Some(canvas) = canvas.get() {
            let element = canvas.clone();
            dom::on_resize(&canvas, move || width.set(f64::from(element.client_width())));
        }
    });
    effect(move || {
        let (Some(canvas), Some(drawn), window, width, tall) = (canvas.get(), drawn.get(), shown.get(), width.get(), tall.get()) else {
            return;
        };
        let ratio = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio());
        let (w, h) = ((width * ratio).round() as usize, (tall * ratio).round() as usize);
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
            // A failed canvas operation is retried in the next frame.
            let _ = context.put_image_data(&image, 0.0, 0.0);
        }
        let _ = canvas.set_attribute("data-frame-ms", &format!("{:.2}", dom_time() - started));
    });
    let place = move |x: f64, y: f64| {
        let (window, whole) = (shown.get_untracked(), whole.get_untracked());
        let column = window.x + x / width.get_untracked().max(1.0) * window.width;
        let row = window.y + y / tall.get_untracked() * window.height;
        (row.clamp(0.0, whole.height - 1.0) as usize, column.clamp(0.0, whole.width - 1.0) as usize)
    };
    let zoom = move |factor: f64, at: (f64, f64)| window.set(Some(shown.get_untracked().zoomed(factor, at, whole.get_untracked())));
    let pan = move |x: f64, y: f64| window.set(Some(shown.get_untracked().moved(x, y, whole.get_untracked())));
    let dragged = RwSignal::new(None::<(i32, i32)>);
    let pressed = StoredValue::new((0, 0));
    let choose = move || {
        let at = cell.get_untracked();
        let step = at.and_then(|(row, column)| {
            let (map, summary) = (map.get_untracked()?, summary.get_untracked()?);
            let trace = summary.ranks.get(*map.rows.get(row)? as usize)?.trace.clone();
            Some(TraceStep { trace, step: map.steps.get(column).copied() })
        });
        if step.is_some() {
            chosen.set(step);
        }
    };
    let on_wheel = move |event: ev::WheelEvent| {
        if !(event.ctrl_key() || event.meta_key()) {
            return;
        }
        event.prevent_default();
        let at = (f64::from(event.offset_x()) / width.get_untracked().max(1.0), f64::from(event.offset_y()) / tall.get_untracked());
        zoom((event.delta_y() * 0.002).clamp(-1.0, 1.0).exp2(), at);
    };
    let on_move = move |event: ev::PointerEvent| {
        let now = (event.client_x(), event.client_y());
        match dragged.get_untracked() {
            Some(from) => {
                pan(f64::from(from.0 - now.0) / width.get_untracked().max(1.0), f64::from(from.1 - now.1) / tall.get_untracked());
                dragged.set(Some(now));
            }
            None => cell.set(Some(place(f64::from(event.offset_x()), f64::from(event.offset_y())))),
        }
    };
    let on_down = move |event: ev::PointerEvent| {
        pressed.set_value((event.client_x(), event.client_y()));
        dragged.set(Some((event.client_x(), event.client_y())));
        if let Some(canvas) = canvas.get_untracked() {
            // Without capture a drag ends at the edge.
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        cell.set(Some(place(f64::from(event.offset_x()), f64::from(event.offset_y()))));
    };
    let on_up = move |event: ev::PointerEvent| {
        dragged.set(None);
        let (x, y) = pressed.get_value();
        if (event.client_x() - x).abs() <= CLICK_MAX && (event.client_y() - y).abs() <= CLICK_MAX {
            choose();
        }
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
            "Enter" => return choose(),
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
    // The outline of the chosen cell.
    let mark = move || {
        let TraceStep { trace, step } = chosen.get()?;
        let (map, summary, window) = (map.get()?, summary.get()?, shown.get());
        let row = map.rows.iter().position(|at| summary.ranks.get(*at as usize).is_some_and(|r| r.trace == trace))?;
        let column = step.and_then(|step| map.steps.binary_search(&step).ok());
        let (x, n) = column.map_or((0.0, map.steps.len() as f64), |c| (c as f64, 1.0));
        let share = |at: f64, from: f64, len: f64| ((at - from) / len * 100.0).clamp(0.0, 100.0);
        let (left, right) = (share(x, window.x, window.width), share(x + n, window.x, window.width));
        let (top, bottom) = (share(row as f64, window.y, window.height), share(row as f64 + 1.0, window.y, window.height));
        (right > left && bottom > top).then(|| {
            let style = format!("left:{left}%;width:{}%;top:{top}%;height:{}%", right - left, bottom - top);
            view! { <i class="fleet__mark" data-fleet-mark style=style></i> }
        })
    };
    let caption = move || {
        let (map, summary, window) = (map.get()?, summary.get()?, shown.get());
        let row = |at: f64| {
            let at = (at.max(0.0) as usize).min(map.rows.len().checked_sub(1)?);
            Some(summary.ranks.get(*map.rows.get(at)? as usize)?.trace.label())
        };
        let step = |at: f64| map.steps.get((at.max(0.0) as usize).min(map.steps.len().checked_sub(1)?)).copied();
        let rows = (row(window.y.floor())?, row((window.y + window.height).ceil() - 1.0)?);
        let steps = (step(window.x.floor())?, step((window.x + window.width).ceil() - 1.0)?);
        Some(format!("{} to {} (down), steps {} to {} (across)", capital(&rows.0), rows.1, steps.0, steps.1))
    };
    let scale = move |most: bool| map.with(|m| m.as_ref().map(|m| text::duration(DurationNs(if most { m.most_ns } else { m.least_ns }))));
    let window_text = move || {
        let w = shown.get();
        format!("{},{},{},{}", w.x.floor(), w.y.floor(), w.width.ceil(), w.height.ceil())
    };
    view! {
        <div class="fleet__map">
            <div class="fleet__bar">
                <h2>{move || label.get()}", ranks × steps"</h2>
                <button type="button" class="button" title="Zoom in (+)" on:click=move |_| zoom(0.5, (0.5, 0.5))>"Zoom in"</button>
                <button type="button" class="button" title="Zoom out (−)" on:click=move |_| zoom(2.0, (0.5, 0.5))>"Zoom out"</button>
                <button type="button" class="button" title="Show all ranks and steps (0)" on:click=move |_| window.set(None)>"Fit all"</button>
                <span class="fleet__scale"><span>{move || scale(false)}</span><i></i><span>{move || scale(true)}</span></span>
            </div>
            <div class="fleet__frame">
            <canvas
                style:height=move || format!("{}px", tall.get()) node_ref=canvas class="fleet__canvas" tabindex="0" role="img" data-fleet-map=window_text
                aria-label=move || format!("{} of each rank (down) and step (across). Arrow keys read a cell out, Enter chooses its trace, plus and minus zoom.", label.get())
                on:wheel=on_wheel on:pointermove=on_move on:pointerdown=on_down
                on:pointerup=on_up on:pointercancel=move |_| dragged.set(None) on:keydown=on_key
            ></canvas>
            {mark}
            </div>
            <p class="fleet__caption">{caption}</p>
            <p class="fleet__cell" role="status" data-fleet-cell>
                {move || read().unwrap_or_else(|| "Point at a cell to read it, click it to open its trace. Drag to move, Ctrl and wheel to zoom.".into())}
            </p>
        </div>
    }
}

fn dom_time() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}
