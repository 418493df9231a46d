//! The picture of allocated memory with zoom, pan, read-out and keys.

use super::draw::{self, AreaCanvas, Marks, PictureLayout};
use super::window::Window;
use super::{State, rows};
use crate::analysis::snapshot::{AllocationDetail, Live, Picture, PictureQuery};
use crate::base::text;
use crate::engine::query::AllocationQuery;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::look::{Look, Size};
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::controls::Problem;
use crate::ui::effect::effect;
use crate::views::query::{QueryState, use_query};
use crate::worker::client::Ask;
use leptos::task::spawn_local;
use leptos::{ev, prelude::*};
use std::sync::Arc;
use web_sys::CanvasRenderingContext2d;

/// Pixels that a pointer moves before it drags.
const DRAG_PX: f64 = 4.0;

#[derive(Clone, Copy)]
struct PictureState {
    state: State,
    picture: RwSignal<Option<Arc<Picture>>>,
    problem: RwSignal<Option<String>>,
    /// What is seen; `None` is everything.
    window: RwSignal<Option<Window>>,
    pointer: RwSignal<Option<(f64, f64)>>,
    hovered: RwSignal<Option<u32>>,
    /// Where a drag began: x, and the window then.
    drag: StoredValue<Option<(f64, Window)>>,
    has_dragged: StoredValue<bool>,
    plot: Plot,
    areas: StoredValue<AreaCanvas, LocalStorage>,
    /// Counts the frames that are drawn.
    frame: RwSignal<u32>,
}

impl PictureState {
    /// Both ends of the axis. Tracked.
    fn all(&self) -> Window {
        let by_time = self.state.by_time.0.get();
        self.state
            .of_device(|d| Window::of(if by_time { d.times.unwrap_or((0, 1)) } else { (0, d.n_events as i64) }))
            .unwrap_or(Window { from: 0.0, to: 1.0 })
    }

    fn shown(&self) -> Window {
        self.window.get().unwrap_or_else(|| self.all())
    }

    fn shown_untracked(&self) -> Window {
        untrack(|| self.shown())
    }

    fn change(&self, window: Window) {
        let all = untrack(|| self.all());
        self.window.set(Some(window).filter(|w| w.span() < all.span()));
    }

    fn zoom(&self, factor: f64, at: f64) {
        let all = untrack(|| self.all());
        self.change(self.shown_untracked().zoomed(factor, at, all));
    }

    fn pan(&self, share: f64) {
        let all = untrack(|| self.all());
        self.change(self.shown_untracked().moved(share, all));
    }

    /// What to ask the worker for. Tracked.
    fn wanted(&self) -> Option<PictureQuery> {
        let size = self.plot.size.get();
        let device = self.state.of_device(|d| d.device)?;
        (size.width > draw::LEFT + 1.0).then(|| PictureQuery {
            device,
            by_time: self.state.by_time.0.get(),
            window: self.window.get().map(Window::rounded),
            columns: (size.width - draw::LEFT) as u32,
            height: (size.height - draw::BELOW).max(1.0) as u32,
            is_fitted: self.state.is_fitted.0.get(),
        })
    }

    fn places(&self, picture: &Picture) -> PictureLayout {
        PictureLayout::new(picture, self.shown_untracked(), self.plot.size.get_untracked())
    }

    /// Chooses the moment under an x, and the allocation under the point.
    fn choose(&self, x: f64, y: f64) {
        let Some(picture) = self.picture.get_untracked() else { return };
        let places = self.places(&picture);
        let Some(state) = places.column(x).and_then(|c| picture.states.get(c).copied()) else { return };
        self.state.chosen_time.1.set(state.to_string());
        if let Some(band) = draw::band_at(&picture, &places, x, y) {
            self.state.chosen.set(Some(band.id));
        }
    }

    /// Moves the chosen state by `by` events.
    fn step(&self, by: i64) {
        let now = self.state.live.value.with_untracked(|l| l.as_ref().map_or(0, |l| i64::from(l.state)));
        let last = self.state.of_device(|d| d.n_events as i64).unwrap_or(0);
        self.state.chosen_time.1.set((now + by).clamp(0, last).to_string());
    }
}

/// Asks for the newest picture wanted, one question at a time.
fn follow(core: PictureState, ask: Ask) {
    let wanted = Memo::new(move |_| core.wanted());
    let is_busy = StoredValue::new(false);
    effect(move || {
        let Some(mut query) = wanted.get() else { return };
        if is_busy.get_value() {
            return;
        }
        is_busy.set_value(true);
        let ask = ask.clone();
        spawn_local(async move {
            loop {
                match ask.ask(query).await {
                    Ok(picture) => {
                        let _ = core.problem.try_set(None);
                        let _ = core.picture.try_set(Some(Arc::new(picture)));
                    }
                    Err(error) => _ = core.problem.try_set(Some(error.to_string())),
                }
                match wanted.try_get_untracked() {
                    Some(Some(next)) if next != query => query = next,
                    _ => break,
                }
            }
            let _ = is_busy.try_set_value(false);
            // Writes the window to the link when it stops moving.
            if let (Some(window), Some(Some(all))) =
                (core.window.try_get_untracked(), core.picture.try_with_untracked(|p| p.as_ref().map(|p| p.extent)))
            {
                core.state.window.1.set(window.map(|w| w.text(Window::of(all))).unwrap_or_default());
            }
        });
    });
}

/// The chosen moment on the axis. Tracked.
fn cursor(core: PictureState) -> Option<i64> {
    let by_time = core.state.by_time.0.get();
    let is_chosen = core.state.chosen_time.0.with(|m| !m.is_empty());
    let place = |live: &Arc<Live>| if by_time { live.time } else { Some(i64::from(live.state)) };
    is_chosen.then(|| core.state.live.value.with(|l| l.as_ref().and_then(place))).flatten()
}

/// One drawing for each frame of the screen, whatever changes within it.
fn redraw(core: PictureState) {
    let is_due = StoredValue::new(false);
    effect(move || {
        core.picture.track();
        core.state.summary.value.track();
        core.state.device.0.track();
        let _ = (core.shown(), cursor(core), core.hovered.get(), core.state.chosen.get());
        if !is_due.get_value() {
            is_due.set_value(true);
            request_animation_frame(move || {
                let _ = is_due.try_set_value(false);
                let _ = core.frame.try_update(|frame| *frame = frame.wrapping_add(1));
            });
        }
    });
}

fn paint(core: PictureState, context: &CanvasRenderingContext2d, size: Size, look: &Look, (areas, scale): (&mut AreaCanvas, f64)) {
    let (picture, by_time) = (core.picture.get(), core.state.by_time.0.get());
    let Some(picture) = picture else { return };
    let time_markers = core.state.of_device(|d| rows::time_markers(d, by_time)).unwrap_or_default();
    let marks =
        Marks { time_markers: &time_markers, cursor: cursor(core), highlighted: core.hovered.get().or(core.state.chosen.get()), by_time };
    draw::paint(context, &picture, &PictureLayout::new(&picture, core.shown(), size), &marks, look, (areas, scale));
}

fn readout(core: PictureState, detail: QueryState<AllocationDetail>) -> Option<Readout> {
    let (x, y) = core.pointer.get()?;
    let picture = core.picture.get()?;
    let places = core.places(&picture);
    let column = places.column(x)?;
    let at = core.plot.on_page(x, y);
    let row = |name: &str, figure: String| (None, name.to_string(), figure, false);
    let state = picture.states.get(column).copied()?;
    let Some(band) = draw::band_at(&picture, &places, x, y) else {
        if let Some((layer, bytes)) = draw::layer_at(&picture, &places, x, y) {
            let rows = vec![
                (Some(layer.slot), "small or short allocations".to_string(), text::bytes(bytes), false),
                row("event", text::count(u64::from(state))),
            ];
            return Some(Readout { at, title: layer.label.clone(), rows, note: "Zoom in to see each allocation.".into() });
        }
        let figure = |values: &[u64]| text::bytes(values.get(column).copied().unwrap_or(0));
        let mut rows = vec![row("allocated", figure(&picture.total)), row("reserved", figure(&picture.reserved))];
        let smaller = picture.total.get(column).zip(picture.drawn.get(column)).map_or(0, |(all, drawn)| all.saturating_sub(*drawn));
        if smaller > 0 {
            rows.push(row("of other frames", text::bytes(smaller)));
        }
        return Some(Readout { at, title: format!("Event {}", text::count(u64::from(state))), rows, note: String::new() });
    };
    let known = detail.value.with(|d| d.clone().filter(|d| d.row.id == band.id));
    let mut rows = vec![(Some(band.slot), "allocation".to_string(), text::bytes(band.size), false)];
    let (mut title, mut note) = ("Allocation".to_string(), String::new());
    if let Some(detail) = known {
        title = detail.row.frame.clone();
        rows.extend(rows::life(&detail).iter().skip(1).filter(|(name, _)| name != "Stream").map(|(name, value)| row(name, value.clone())));
        note = detail.frames.iter().skip(detail.first_python).take(4).cloned().collect::<Vec<_>>().join(" < ");
    }
    Some(Readout { at, title, rows, note })
}

/// The picture.
#[component]
pub(super) fn History(state: State, ask: Ask) -> impl IntoView {
    let (picture, window) = (RwSignal::new(None), RwSignal::new(None));
    let (pointer, hovered) = (RwSignal::new(None), RwSignal::new(None));
    // The plot draws with what is made after it.
    let later = StoredValue::new(None::<PictureState>);
    let plot = Plot::new(move |context, size, look| {
        let Some(core) = later.get_value() else { return };
        core.frame.track();
        let scale = leptos::prelude::window().device_pixel_ratio().max(1.0);
        core.areas.update_value(|areas| untrack(|| paint(core, context, size, look, (areas, scale))));
    });
    let (problem, drag, has_dragged) = (RwSignal::new(None), StoredValue::new(None), StoredValue::new(false));
    let (areas, frame) = (StoredValue::new_local(AreaCanvas::default()), RwSignal::new(0));
    let core = PictureState { state, picture, problem, window, pointer, hovered, drag, has_dragged, plot, areas, frame };
    later.set_value(Some(core));
    redraw(core);
    // A link, another axis or another device: what is seen begins anew.
    let axis = Memo::new(move |_| (state.by_time.0.get(), state.of_device(|d| d.device)));
    Effect::new(move |before: Option<(bool, Option<u32>)>| {
        let now = axis.get();
        if now.1.is_some() && before != Some(now) {
            let all = untrack(|| core.all());
            let seen = match before {
                Some((_, Some(_))) => None,
                _ => Some(Window::read(&state.window.0.get_untracked(), all)).filter(|w| w.span() < all.span()),
            };
            core.window.set(seen);
        }
        now
    });
    follow(core, ask.clone());
    let question = Signal::derive(move || Some(AllocationQuery { device: state.of_device(|d| d.device)?, id: hovered.get()? }));
    let detail = use_query(ask, question);
    let shown = Signal::derive(move || readout(core, detail));
    let derive = move |make: fn(&Picture) -> Vec<crate::ui::table::Row>| {
        Signal::derive(move || Arc::new(picture.with(|p: &Option<Arc<Picture>>| p.as_ref().map(|p| make(p)).unwrap_or_default())))
    };
    let figures = Figures { columns: Signal::stored(Arc::new(rows::picture_columns())), rows: derive(rows::picture_rows) };
    let on_save = plot.export("Allocated memory", Vec::new(), move |context, size, look, scale| {
        paint(core, context, size, look, (&mut AreaCanvas::default(), scale));
    });
    let n_small = Memo::new(move |_| {
        picture.with(|p: &Option<Arc<Picture>>| {
            let picture = p.as_ref()?;
            (!picture.layers.is_empty()).then(|| {
                format!(
                    "Allocations below {}, or too short to draw at this zoom, are summed by frame at the bottom. ",
                    text::bytes(picture.threshold)
                )
            })
        })
    });
    let tools = move || {
        view! {
            <button type="button" class="link" title="Also W" on:click=move |_| core.zoom(2.0, 0.5)>"zoom in"</button>
            <button type="button" class="link" title="Also S" on:click=move |_| core.zoom(0.5, 0.5)>"zoom out"</button>
            <Show when=move || window.get().is_some()>
                <button type="button" class="link" title="Also F" on:click=move |_| window.set(None)>"fit all"</button>
            </Show>
        }
    };
    view! {
        <Problem text=problem />
        <Frame
            id="snapshot-history" title="Allocated memory, by allocation" is_empty=Signal::derive(move || false) empty="" figures on_save
            tools=ViewFn::from(tools)
        >
            <Canvas core />
            <ReadoutCard readout=shown />
        </Frame>
        <p class="torch__hint">
            {move || n_small.get()} "The topmost line is reserved memory. Drag to pan, Ctrl and wheel to zoom, click to choose the moment and the allocation."
        </p>
    }
}

#[component]
fn Canvas(core: PictureState) -> impl IntoView {
    let place = |e: &ev::PointerEvent| (f64::from(e.offset_x()), f64::from(e.offset_y()));
    let down = move |e: ev::PointerEvent| {
        if e.button() == 0 {
            core.drag.set_value(Some((place(&e).0, core.shown_untracked())));
            core.has_dragged.set_value(false);
        }
    };
    let moved = move |e: ev::PointerEvent| {
        let (x, y) = place(&e);
        if let Some((start, from)) = core.drag.get_value().filter(|_| e.buttons() & 1 == 1)
            && (core.has_dragged.get_value() || (x - start).abs() > DRAG_PX)
        {
            core.has_dragged.set_value(true);
            let all = untrack(|| core.all());
            let width = (core.plot.size.get_untracked().width - draw::LEFT).max(1.0);
            core.change(from.moved((start - x) / width, all));
            if core.pointer.get_untracked().is_some() {
                core.pointer.set(None);
            }
            return;
        }
        core.pointer.set(Some((x, y)));
        let hit = core.picture.with_untracked(|p| p.as_ref().and_then(|p| draw::band_at(p, &core.places(p), x, y).map(|b| b.id)));
        if core.hovered.get_untracked() != hit {
            core.hovered.set(hit);
        }
    };
    let up = move |e: ev::PointerEvent| {
        let (x, y) = place(&e);
        if core.drag.get_value().is_some() && !core.has_dragged.get_value() {
            core.choose(x, y);
        }
        core.drag.set_value(None);
    };
    let leave = move |_| {
        core.pointer.set(None);
        core.hovered.set(None);
    };
    let wheel = move |e: ev::WheelEvent| {
        let (dx, dy) = (e.delta_x(), e.delta_y());
        let width = (core.plot.size.get_untracked().width - draw::LEFT).max(1.0);
        if e.ctrl_key() || e.meta_key() {
            core.zoom((-dy * 0.004).exp(), ((f64::from(e.offset_x()) - draw::LEFT) / width).clamp(0.0, 1.0));
        } else if e.shift_key() || dx.abs() > dy.abs() {
            core.pan((if dx.abs() > dy.abs() { dx } else { dy }) / width);
        } else {
            return;
        }
        e.prevent_default();
    };
    let shown = move || {
        let (from, to) = core.shown().rounded();
        format!("{from}-{to}")
    };
    let cursor = move || core.state.live.value.with(|l| l.as_ref().map(|l| l.state.to_string()));
    let description = move || {
        core.state.live.value.with(|l| l.as_ref().map(|l| format!("Allocated memory over time, stacked by allocation. Chosen moment: {}. Arrow keys move it by an event, W and S zoom, A and D pan, F fits all; the values follow as a table", rows::summary_of(l))))
    };
    view! {
        <canvas
            class="chart__plot can-drag snapshot__plot" role="img" tabindex="0" aria-label=description data-window=shown data-cursor=cursor
            data-bands=move || core.picture.with(|p| p.as_ref().map(|p| p.bands.len().to_string()))
            data-lit=move || core.hovered.get().map(|id| id.to_string())
            node_ref=core.plot.canvas on:pointerdown=down on:pointermove=moved on:pointerup=up on:pointerleave=leave on:wheel=wheel
            on:keydown=move |e| key(core, &e) on:transitionend=move |_| core.plot.again()
        ></canvas>
    }
}

fn key(core: PictureState, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let by = if event.shift_key() { 100 } else { 1 };
    match event.key().as_str() {
        "w" | "W" => core.zoom(1.5, 0.5),
        "s" | "S" => core.zoom(1.0 / 1.5, 0.5),
        "a" | "A" => core.pan(-0.2),
        "d" | "D" => core.pan(0.2),
        "f" | "F" => core.window.set(None),
        "ArrowLeft" => core.step(-by),
        "ArrowRight" => core.step(by),
        "Home" => core.state.chosen_time.1.set("0".into()),
        "End" => core.step(i64::from(u32::MAX)),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
