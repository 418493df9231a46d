//! A canvas that is drawn anew whenever its size, the theme, the page's zoom or its data change.

use super::look::{self, Look, Size};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::{ev, html, prelude::*};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// The canvas and what makes it draw. Put `canvas` on a `<canvas class="chart__plot">` and call [`Plot::again`] on `transitionend`: the
/// stylesheet lets its colour change by a transition of no length, whose end tells of a new theme.
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
        effect(move || {
            plot.pulse.track();
            let size = plot.size.get();
            let Some(canvas) = plot.canvas.get() else { return };
            if size.width <= 0.0 || size.height <= 0.0 {
                return;
            }
            let scale = window().device_pixel_ratio().max(1.0);
            if let Some(context) = look::sized(&canvas, size, scale) {
                draw(&context, size, &Look::of(&canvas));
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

    /// Saves a picture with title and legend, at the size on screen or what a picture needs.
    pub fn save(self, title: &str, legend: &[(u16, String)], draw: impl FnOnce(&CanvasRenderingContext2d, Size, &Look)) {
        let Some(canvas) = self.canvas.get_untracked() else { return };
        let look = Look::of(&canvas);
        let seen = self.size.get_untracked();
        let size = Size { width: seen.width.clamp(480.0, 1600.0), height: seen.height.clamp(160.0, 1200.0) };
        if let Some(picture) = look::picture(&look, title, size, legend, |context, size| draw(context, size, &look)) {
            dom::save_canvas(&dom::file_name(title, "png"), &picture);
        }
    }
}
