//! A canvas that is drawn anew whenever its size, the theme, the page's zoom or its data change.

use super::export::Export;
use super::look::{self, Look, Size};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::task::spawn_local;
use leptos::{ev, html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// The canvas and what makes it draw. Put `canvas` on a `<canvas class="chart__plot">` and call [`Plot::again`] on `transitionend`: the
/// stylesheet lets its colour change by a transition of no length, whose end says about a new theme.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    /// The element.
    pub canvas: NodeRef<html::Canvas>,
    pulse: RwSignal<()>,
    /// Its size in CSS pixels, as last seen.
    pub size: RwSignal<Size>,
}

impl Plot {
    /// A plot that `draw` paints; signals read in it are followed.
    pub fn new(draw: impl Fn(&CanvasRenderingContext2d, Size, &Look) + 'static) -> Plot {
        let plot = Plot { canvas: NodeRef::new(), pulse: RwSignal::new(()), size: RwSignal::new(Size::default()) };
        effect(move || {
            if let Some(canvas) = plot.canvas.get() {
                let seen = canvas.clone();
                dom::on_resize(&canvas, move || plot.measure(&seen));
            }
        });
        // The page's zoom changes how many pixels a point has, without changing the size in points.
        let zoom = window_event_listener(ev::resize, move |_| plot.again());
        on_cleanup(move || zoom.remove());
        dom::free_on_cleanup(plot.canvas);
        effect(move || {
            plot.pulse.track();
            let size = plot.size.get();
            let Some(canvas) = plot.canvas.get() else { return };
            if size.width <= 0.0 || size.height <= 0.0 {
                return;
            }
            let scale = window().device_pixel_ratio().max(1.0);
            if let Some(context) = look::sized(&canvas, size, scale) {
                // The next drawing begins with the same settings.
                context.save();
                draw(&context, size, &Look::of(&canvas));
                context.restore();
            }
        });
        plot
    }

    fn measure(self, canvas: &HtmlCanvasElement) {
        let size = Size { width: f64::from(canvas.client_width()), height: f64::from(canvas.client_height()) };
        if self.size.try_get_untracked().is_some_and(|old| old != size) {
            self.size.set(size);
        }
    }

    /// Draws anew.
    pub fn again(self) {
        let _ = self.pulse.try_set(());
    }

    /// A point of the canvas in the coordinates of the browser's window.
    pub fn on_page(self, x: f64, y: f64) -> (f64, f64) {
        let corner = self.canvas.get_untracked().map(|c| c.get_bounding_client_rect());
        corner.map_or((x, y), |c| (c.left() + x, c.top() + y))
    }

    /// The buttons that save or copy what `draw` paints, with title and legend. The last argument of `draw` is how many pixels a point has.
    pub fn export(
        self,
        title: &str,
        legend: Vec<(u16, String)>,
        draw: impl Fn(&CanvasRenderingContext2d, Size, &Look, f64) + Send + Sync + 'static,
    ) -> Export {
        let saved = Arc::new(SavedPlot { plot: self, title: title.into(), legend, draw: Box::new(draw) });
        let (png, svg) = (saved.clone(), saved.clone());
        Export {
            on_png: Callback::new(move |()| {
                if let Some(canvas) = png.pixels() {
                    dom::save_canvas(&dom::file_name(&png.title, "png"), &canvas);
                }
            }),
            on_svg: Callback::new(move |()| svg.clone().save_svg()),
            on_copy: Callback::new(move |label: RwSignal<&'static str>| {
                let Some(canvas) = saved.pixels() else { return };
                spawn_local(async move {
                    let copied = dom::call_script("share/picture.js", "copyCanvas", &[canvas.into()]).await;
                    label.try_set(if copied.is_ok() { "Copied" } else { "Not allowed" });
                });
            }),
        }
    }
}

type Draw = dyn Fn(&CanvasRenderingContext2d, Size, &Look, f64) + Send + Sync;

/// What a plot is saved as.
struct SavedPlot {
    plot: Plot,
    title: String,
    legend: Vec<(u16, String)>,
    draw: Box<Draw>,
}

impl SavedPlot {
    /// Colours, and the size on screen or what a picture needs.
    fn measures(&self) -> Option<(Look, Size)> {
        let look = Look::of(&self.plot.canvas.get_untracked()?);
        let seen = self.plot.size.get_untracked();
        Some((look, Size { width: seen.width.clamp(480.0, 1600.0), height: seen.height.clamp(160.0, 1200.0) }))
    }

    fn pixels(&self) -> Option<HtmlCanvasElement> {
        let (look, size) = self.measures()?;
        look::picture(&look, &self.title, size, &self.legend, |context, size| {
            untrack(|| (self.draw)(context, size, &look, look::PICTURE_SCALE));
        })
    }

    /// Drawn once more, on a context that notes what is drawn.
    fn save_svg(self: Arc<Self>) {
        let Some((look, size)) = self.measures() else { return };
        let whole = look::picture_size(size, &self.legend);
        let (name, saved) = (dom::file_name(&self.title, "svg"), self);
        let draw = Closure::once_into_js(move |context: JsValue| {
            look::compose(context.unchecked_ref(), &look, &saved.title, size, &saved.legend, |context, size| {
                untrack(|| (saved.draw)(context, size, &look, look::PICTURE_SCALE));
            });
        });
        spawn_local(async move {
            match dom::call_script("share/picture.js", "drawn", &[whole.width.into(), whole.height.into(), draw]).await {
                Ok(text) => dom::save_text(&name, "image/svg+xml", &text.as_string().unwrap_or_default()),
                Err(error) => leptos::logging::error!("{error:?}"),
            }
        });
    }
}
