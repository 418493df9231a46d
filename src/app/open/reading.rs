//! What is being read: how far, how fast, how long still; the lanes so far behind it; cancel.

use crate::app::clock;
use crate::app::open::budget;
use crate::app::open::import_queue;
use crate::app::open::opening;
use crate::app::open::preview::{LANE_HEIGHT_PX, picture};
use crate::base::text;
use crate::state::{App, AppStateStoreFields as _, Importing, Phase};
use crate::ui::dom;
use crate::ui::effect::effect;
use crate::ui::palette;
use crate::worker::protocol::Preview;
use leptos::{html, prelude::*};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// A panel per file being read, a line for each that waits.
#[component]
pub fn Reading() -> impl IntoView {
    let app = App::expect();
    let ids = move || of_phase(app, |phase| phase == Phase::Reading);
    let is_alone = move || app.state.front().get().is_none();
    view! {
        <Show when=move || app.state.imports().with(|i| !i.is_empty())>
            <section class="reading" class:reading--alone=is_alone aria-label="Import progress">
                <Plan />
                <For each=ids key=|id| *id let(id)>
                    <Panel id />
                </For>
                <Waiting />
            </section>
        </Show>
    }
}

fn of_phase(app: App, is: impl Fn(Phase) -> bool) -> Vec<u32> {
    app.state.imports().with(|all| all.iter().filter(|i| is(i.phase)).map(|i| i.id).collect())
}

/// How many imports, how much memory, how many at a time, and a button that stops all of them.
#[component]
fn Plan() -> impl IntoView {
    let app = App::expect();
    let plan = Memo::new(move |_| {
        let heaps: Vec<u64> = app.state.imports().with(|all| all.iter().map(|i| i.heap_bytes).filter(|b| *b > 0).collect());
        (heaps.len() > 1).then(|| budget::budget().plan(budget::open_bytes(app), &heaps))
    });
    move || {
        plan.get().map(|plan| {
            view! {
                <div class="reading__plan" data-plan="">
                    <span>{plan}</span>
                    <button type="button" class="button" on:click=move |_| opening::cancel_all(app)>"Cancel all"</button>
                </div>
            }
        })
    }
}

/// Waiting imports that are listed; further ones are only counted.
const N_WAITING: usize = 8;

/// Imports that wait for others or for the user's decision.
#[component]
fn Waiting() -> impl IntoView {
    let app = App::expect();
    let ids = Memo::new(move |_| of_phase(app, |phase| phase != Phase::Reading));
    let first = move || ids.with(|ids| ids[..ids.len().min(N_WAITING)].to_vec());
    view! {
        <Show when=move || ids.with(|ids| !ids.is_empty())>
            <ul class="reading__waiting">
                <For each=first key=|id| *id let(id)>
                    <WaitingLine id />
                </For>
                {move || ids.with(Vec::len).checked_sub(N_WAITING + 1).map(|n| view! { <li>{format!("and {} more", n + 1)}</li> })}
            </ul>
        </Show>
    }
}

#[component]
fn WaitingLine(id: u32) -> impl IntoView {
    let app = App::expect();
    let find = move || app.state.imports().with(|all| all.iter().find(|i| i.id == id).map(|i| (i.name.clone(), i.heap_bytes, i.phase)));
    let line = Memo::new(move |_| find());
    let is_held = move || line.with(|l| l.as_ref().is_some_and(|l| l.2 == Phase::Held));
    let held = move || line.get().map(|l| budget::budget().held(budget::open_bytes(app), l.1));
    view! {
        <li class="reading__line" class:reading__line--held=is_held data-phase=move || if is_held() { "held" } else { "waiting" }>
            <span class="reading__linename mono">{move || line.get().map(|l| l.0)}</span>
            <span class="figure">{move || line.get().map(|l| text::bytes(l.1))}</span>
            <button type="button" class="link" on:click=move |_| opening::cancel(app, id)>"Cancel"</button>
            <Show when=is_held>
                <p class="reading__held">{held}</p>
                <button type="button" class="button" on:click=move |_| import_queue::start_anyway(app)>"Open anyway"</button>
            </Show>
        </li>
    }
}

/// Milliseconds between two pictures of the lanes: reports come more often, and the worker wants the processor.
const PAINT_MS: f64 = 200.0;
/// A young import changes fast: its lanes are painted when it is this much older than at the last picture, at first as soon as they arrive.
const PAINT_GROWTH: f64 = 1.25;

#[component]
fn Panel(id: u32) -> impl IntoView {
    let app = App::expect();
    let import = Memo::new_with_compare(
        move |_| app.state.imports().with(|all| all.iter().find(|i| i.id == id).cloned()),
        |a, b| match (a, b) {
            (Some(Some(a)), Some(Some(b))) => a.bytes != b.bytes || a.records != b.records || a.total != b.total,
            _ => true,
        },
    );
    let canvas = NodeRef::<html::Canvas>::new();
    dom::free_on_cleanup(canvas);
    let painted_ms = StoredValue::new(f64::NEG_INFINITY);
    effect(move || {
        let (Some(import), Some(canvas), now_ms) = (import.get(), canvas.get(), clock::now_ms()) else {
            return;
        };
        let is_due = now_ms - painted_ms.get_value() >= PAINT_MS.min((now_ms - import.began_ms) * (1.0 - 1.0 / PAINT_GROWTH));
        import.preview.with(|preview| {
            if is_due && !preview.slices.is_empty() {
                paint(&canvas, preview, crate::app::storage::browser_state::is_dark(app.state.theme().get_untracked()));
                painted_ms.set_value(now_ms);
            }
        });
    });
    let share = move || import.get().filter(|i| i.total > 0).map_or(0.0, |i| i.bytes as f64 / i.total as f64);
    view! {
        <article class="reading__panel">
            <canvas class="reading__preview" node_ref=canvas aria-hidden="true"></canvas>
            <div class="reading__card">
                <h2 class="reading__name mono">{move || import.get().map(|i| i.name)}</h2>
                <progress class="reading__bar" max="1" prop:value=share aria-label="Import progress of this file"></progress>
                <p class="reading__figures figure">{move || import.get().map(|i| figures(&i, clock::now_ms()))}</p>
                <p class="reading__figures figure">{move || import.get().filter(|i| i.heap_bytes > 0).map(|i| memory(&i))}</p>
                <button type="button" class="button" on:click=move |_| opening::cancel(app, id)>"Cancel"</button>
            </div>
        </article>
    }
}

/// Bytes of bytes, records, rate, time left.
fn figures(import: &Importing, now_ms: f64) -> String {
    if import.bytes == 0 {
        return format!("Reading {}…", text::bytes(import.total));
    }
    let seconds = ((now_ms - import.began_ms) / 1000.0).max(0.001);
    let rate = import.bytes as f64 / seconds;
    let left = import.total.saturating_sub(import.bytes) as f64 / rate;
    let done = format!("{} of {}", text::bytes(import.bytes), text::bytes(import.total));
    if import.bytes >= import.total {
        return format!("{done} · {} records · sorting", text::count(import.records));
    }
    format!("{done} · {} records · {}/s · {} s left", text::count(import.records), text::bytes(rate as u64), text::three_digits(left))
}

fn memory(import: &Importing) -> String {
    format!("about {} of memory", text::bytes(import.heap_bytes))
}

/// Lanes so far: the busy share of each pixel column.
fn paint(canvas: &HtmlCanvasElement, preview: &Preview, is_dark: bool) {
    let (width, height) = (canvas.client_width().max(0) as u32, canvas.client_height().max(0) as u32);
    let bytes = picture(preview, width, height / LANE_HEIGHT_PX, |slot| palette::colour(slot, is_dark));
    let Ok(image) = ImageData::new_with_u8_clamped_array(Clamped(&bytes), width) else {
        // Nothing to draw yet.
        return;
    };
    // Setting a size allocates the pixels anew.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    if let Some(context) = canvas.get_context("2d").ok().flatten().and_then(|c| c.dyn_into::<CanvasRenderingContext2d>().ok()) {
        context.clear_rect(0.0, 0.0, width.into(), height.into());
        // A canvas that refuses is painted again with the next report.
        let _ = context.put_image_data(&image, 0.0, 0.0);
    }
}
