//! What plotters has not: a chart that is drawn once and highlighted, hit, read and driven by keys.

use super::draw::{Drawn, Ink, Sheet};
use super::look::Size;
use super::readout::{Readout, ReadoutCard};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A part of a chart that can be highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A part of a ring, a point, a box: by position.
    Item(usize),
    /// A bar, or one of its series.
    Bar(usize, Option<usize>),
    /// A place on the x axis.
    X(i64),
}

impl Target {
    /// The position of an item.
    pub fn item(self) -> Option<usize> {
        match self {
            Target::Item(at) => Some(at),
            _ => None,
        }
    }
}

/// The item, of `n` in a line, that a key leads to: arrows to the neighbours, Home and End.
pub fn next_item(n: usize, from: Option<usize>, key: &str) -> Option<usize> {
    let last = n.checked_sub(1)?;
    match (key, from) {
        ("Home", _) | ("ArrowDown" | "ArrowRight", None) => Some(0),
        ("End", _) | ("ArrowUp" | "ArrowLeft", None) => Some(last),
        ("ArrowDown" | "ArrowRight", Some(at)) => Some((at + 1).min(last)),
        ("ArrowUp" | "ArrowLeft", Some(at)) => Some(at.saturating_sub(1)),
        _ => None,
    }
}

/// A key that was pressed on a chart.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    /// As browsers name it.
    pub name: &'a str,
    /// Whether Shift was held.
    pub is_shift: bool,
}

/// A kind of chart. Sizes and places are CSS pixels of its canvas.
pub trait Chart: Send + Sync {
    /// Draws everything but what is highlighted. Signals that are read are followed.
    fn draw(&self, sheet: &Sheet<'_>) -> Drawn;

    /// Draws what is highlighted over it. Signals that are read are followed.
    fn highlight(&self, sheet: &Sheet<'_>, target: Option<Target>) -> Drawn;

    /// What is at a place. Signals are not followed here and below.
    fn hit(&self, size: Size, at: (f64, f64)) -> Option<Target>;

    /// What a key goes to; `None` when it is none of this chart's keys.
    fn step(&self, from: Option<Target>, key: Key<'_>) -> Option<Target>;

    /// Text of the card for a part. Tracked.
    fn readout(&self, target: Target) -> Option<Readout>;

    /// Where the card is when the part was reached by keys.
    fn place(&self, size: Size, target: Target) -> (f64, f64);

    /// How a part is named in `data-highlighted`.
    fn name(&self, target: Target) -> Option<String>;

    /// Colour slot and line of each entry of the legend of a picture.
    fn legend(&self) -> Vec<(u16, String)>;

    /// A press of the pointer: whether it begins a drag.
    fn press(&self, _size: Size, _at: (f64, f64)) -> bool {
        false
    }

    /// The pointer moved in a drag.
    fn drag(&self, _size: Size, _at: (f64, f64)) {}

    /// The drag ended; without a choice when it was taken back.
    fn release(&self, _is_chosen: bool) {}

    /// Gives back what was chosen: whether there was anything.
    fn reset(&self) -> bool {
        false
    }

    /// The chosen range of the x axis. Signals are followed.
    fn range(&self) -> Option<(i64, i64)> {
        None
    }
}

/// The canvas of a chart and what is highlighted on it.
#[derive(Debug, Clone, Copy)]
pub struct ChartState {
    canvas: NodeRef<html::Canvas>,
    /// Its size, as last seen.
    pub size: RwSignal<Size>,
    /// What is highlighted.
    pub target: RwSignal<Option<Target>>,
    /// Where the pointer is, in the window; `None` when the target was reached by keys or from the legend.
    pub pointer: RwSignal<Option<(f64, f64)>>,
    /// Whether the target was reached by the pointer or by keys, not from the legend.
    from_canvas: RwSignal<bool>,
    pulse: RwSignal<()>,
}

impl Default for ChartState {
    fn default() -> Self {
        ChartState {
            canvas: NodeRef::new(),
            size: RwSignal::new(Size::default()),
            target: RwSignal::new(None),
            pointer: RwSignal::new(None),
            from_canvas: RwSignal::new(false),
            pulse: RwSignal::new(()),
        }
    }
}

impl ChartState {
    /// The canvas, once it is there.
    pub(super) fn element(self) -> Option<HtmlCanvasElement> {
        self.canvas.get_untracked()
    }

    /// A place of the canvas in the coordinates of the window.
    fn on_page(self, (x, y): (f64, f64)) -> (f64, f64) {
        let corner = self.element().map(|c| c.get_bounding_client_rect());
        corner.map_or((x, y), |c| (c.left() + x, c.top() + y))
    }

    /// Highlights a part from the legend.
    pub fn point_out(self, target: Target) {
        self.from_canvas.set(false);
        self.pointer.set(None);
        self.target.set(Some(target));
    }

    /// Highlights nothing.
    pub fn clear(self) {
        self.target.set(None);
        self.pointer.set(None);
    }

    /// The card of what is highlighted.
    fn readout(self, chart: &dyn Chart) -> Option<Readout> {
        // What was pointed out in the legend is read there.
        let target = self.target.get().filter(|_| self.from_canvas.get())?;
        let card = chart.readout(target)?;
        let at = self.pointer.get().unwrap_or_else(|| self.on_page(untrack(|| chart.place(self.size.get(), target))));
        Some(Readout { at, ..card })
    }

    /// Draws the chart on a canvas of its own whenever it changes, and that with the highlight on the one in sight.
    fn run(self, chart: Arc<dyn Chart>) {
        effect(move || {
            let Some(canvas) = self.canvas.get() else { return };
            let seen = canvas.clone();
            dom::on_resize(&canvas, move || {
                let size = Size { width: f64::from(seen.client_width()), height: f64::from(seen.client_height()) };
                if self.size.try_get_untracked().is_some_and(|old| old != size) {
                    self.size.set(size);
                }
            });
        });
        // The page's zoom changes how many pixels a point has, without changing the size in points.
        let zoom = window_event_listener(ev::resize, move |_| self.again());
        on_cleanup(move || zoom.remove());
        dom::free_on_cleanup(self.canvas);
        let base = StoredValue::new_local(None::<(HtmlCanvasElement, Ink, f64)>);
        let drawn = RwSignal::new(());
        let of_base = chart.clone();
        effect(move || {
            self.pulse.track();
            let size = self.size.get();
            let Some(canvas) = self.canvas.get().filter(|_| size.width > 0.0 && size.height > 0.0) else { return };
            let scale = window().device_pixel_ratio().max(1.0);
            let Some(own) = base.with_value(|b| b.as_ref().map(|b| b.0.clone())).or_else(new_canvas) else { return };
            let ink = Ink::of(&canvas);
            fit(&own, size, scale);
            if let Some(sheet) = Sheet::on_canvas(&own, size, scale, ink.clone()) {
                report(of_base.draw(&sheet));
            }
            base.set_value(Some((own, ink, scale)));
            drawn.set(());
        });
        effect(move || {
            drawn.track();
            let target = self.target.get();
            let size = self.size.get_untracked();
            let Some(canvas) = self.canvas.get_untracked() else { return };
            let Some((own, ink, scale)) = base.get_value() else { return };
            if copy(&own, &canvas).is_none() {
                return;
            }
            if let Some(sheet) = Sheet::on_canvas(&canvas, size, scale, ink) {
                report(chart.highlight(&sheet, target));
            }
        });
    }

    /// Draws anew.
    fn again(self) {
        let _ = self.pulse.try_set(());
    }
}

/// A canvas that is in no document.
pub(super) fn new_canvas() -> Option<HtmlCanvasElement> {
    document().create_element("canvas").ok()?.dyn_into().ok()
}

/// Gives a canvas its size in pixels of the screen, and clears it.
pub(super) fn fit(canvas: &HtmlCanvasElement, size: Size, scale: f64) {
    canvas.set_width((size.width * scale).round() as u32);
    canvas.set_height((size.height * scale).round() as u32);
}

/// Puts what is on one canvas on the other, and nothing else.
fn copy(from: &HtmlCanvasElement, to: &HtmlCanvasElement) -> Option<()> {
    let (width, height) = (from.width(), from.height());
    // Setting the size clears and is slow: only when it differs.
    if (to.width(), to.height()) != (width, height) {
        to.set_width(width);
        to.set_height(height);
    }
    let context: CanvasRenderingContext2d = to.get_context("2d").ok()??.dyn_into().ok()?;
    context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).ok()?;
    context.clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
    context.draw_image_with_html_canvas_element(from, 0.0, 0.0).ok()
}

/// A drawing error is logged in the console: the user cannot fix it.
pub(super) fn report(drawn: Drawn) {
    if let Err(error) = drawn {
        leptos::logging::warn!("a chart could not be drawn: {error}");
    }
}

/// The canvas of a chart with its card. Arrow keys go from part to part, click or Enter chooses one.
#[component]
pub fn ChartCanvas(
    /// The chart.
    chart: Arc<dyn Chart>,
    /// Its canvas.
    stage: ChartState,
    /// What it is to those who cannot see it.
    label: String,
    /// Its classes.
    #[prop(default = "chart__plot")]
    class: &'static str,
    /// Its style.
    #[prop(optional, into)]
    style: Signal<String>,
    /// A part was chosen.
    #[prop(optional_no_strip)]
    on_choose: Option<Callback<Target>>,
    /// Whether ranges can be dragged out.
    #[prop(optional)]
    can_drag: bool,
) -> impl IntoView {
    stage.run(chart.clone());
    let chart = StoredValue::new(chart);
    let place = |e: &ev::PointerEvent| (f64::from(e.offset_x()), f64::from(e.offset_y()));
    let point = move |e: &ev::PointerEvent| {
        let (size, at) = (stage.size.get_untracked(), place(e));
        let target = chart.with_value(|c| {
            c.drag(size, at);
            untrack(|| c.hit(size, at))
        });
        stage.from_canvas.set(true);
        stage.pointer.set(target.map(|_| (f64::from(e.client_x()), f64::from(e.client_y()))));
        if stage.target.get_untracked() != target {
            stage.target.set(target);
        }
    };
    let down = move |e: ev::PointerEvent| {
        point(&e);
        if e.button() == 0
            && chart.with_value(|c| c.press(stage.size.get_untracked(), place(&e)))
            && let Some(canvas) = stage.element()
        {
            let _ = canvas.set_pointer_capture(e.pointer_id());
        }
    };
    let choose = move || {
        if let (Some(target), Some(on_choose)) = (stage.target.get_untracked(), on_choose) {
            on_choose.run(target);
        }
    };
    let key = move |e: ev::KeyboardEvent| {
        let name = e.key();
        let target = stage.target.get_untracked();
        match name.as_str() {
            "Enter" | " " if on_choose.is_some() && target.is_some() => choose(),
            "Escape" => {
                let was_reset = chart.with_value(|c| c.reset());
                if !was_reset && target.is_none() {
                    return;
                }
                if !was_reset {
                    stage.clear();
                }
            }
            name => {
                let key = Key { name, is_shift: e.shift_key() };
                let Some(next) = chart.with_value(|c| untrack(|| c.step(target, key))) else { return };
                stage.from_canvas.set(true);
                stage.pointer.set(None);
                stage.target.set(Some(next));
            }
        }
        e.prevent_default();
        e.stop_propagation();
    };
    let menu = move |e: ev::MouseEvent| {
        if chart.with_value(|c| c.reset()) {
            e.prevent_default();
        }
    };
    let highlighted = move || stage.target.get().and_then(|t| chart.with_value(|c| c.name(t)));
    let cursor = move || match stage.target.get() {
        Some(Target::X(x)) => Some(x.to_string()),
        _ => None,
    };
    let range = move || chart.with_value(|c| c.range()).map(|(from, to)| format!("{from}-{to}"));
    view! {
        <canvas
            class=class
            class:can-choose=on_choose.is_some()
            class:can-drag=can_drag
            style=style
            tabindex="0"
            role="img"
            data-lit=highlighted
            data-cursor=cursor
            data-range=range
            aria-label=label
            node_ref=stage.canvas
            on:pointermove=move |e| point(&e)
            on:pointerdown=down
            on:pointerup=move |_| chart.with_value(|c| c.release(true))
            on:pointercancel=move |_| chart.with_value(|c| c.release(false))
            on:pointerleave=move |_| stage.clear()
            on:contextmenu=menu
            on:click=move |_| choose()
            on:keydown=key
            on:blur=move |_| stage.clear()
            on:transitionend=move |_| stage.again()
        ></canvas>
        <ReadoutCard readout=Signal::derive(move || chart.with_value(|c| stage.readout(&**c))) />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_from_item_to_item() {
        let go = |from, key| next_item(3, from, key);
        assert_eq!(
            [go(None, "ArrowDown"), go(Some(2), "ArrowRight"), go(None, "ArrowUp"), go(Some(2), "ArrowLeft")],
            [Some(0), Some(2), Some(2), Some(1)]
        );
        assert_eq!([go(Some(1), "Home"), go(Some(1), "End"), go(Some(1), "x"), next_item(0, None, "Home")], [Some(0), Some(2), None, None]);
    }
}
