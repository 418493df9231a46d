//! The shown timeline drawn once more, at any resolution, for a picture that is saved or copied (`public/share/picture.js`).

use super::handle::TimelineHandle;
use super::paint::overview::{OVERVIEW_PX, RULER_PX};
use super::paint::scene::Scene;
use super::paint::surface;
use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d as Context, HtmlCanvasElement};

thread_local! {
    /// The timeline of the front profile with a number of its own; none in other views.
    static SHOWN: Cell<Option<(u32, TimelineHandle)>> = const { Cell::new(None) };
    static N_SHOWN: Cell<u32> = const { Cell::new(0) };
}

/// Registers the shown timeline until its owner is disposed.
pub(super) fn show(stage: TimelineHandle) {
    let number = N_SHOWN.get().wrapping_add(1);
    N_SHOWN.set(number);
    SHOWN.set(Some((number, stage)));
    on_cleanup(move || {
        if SHOWN.get().is_some_and(|shown| shown.0 == number) {
            SHOWN.set(None);
        }
    });
}

/// The sizes of a timeline, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizes {
    /// Width of everything.
    pub width: f64,
    /// Height of the rows.
    pub height: f64,
    /// Height of overview and ruler.
    pub top: f64,
}

/// The sizes of the shown timeline; `None` where none is shown.
pub fn sizes() -> Option<Sizes> {
    let (_, shown) = SHOWN.get()?;
    shown.look(|core| Sizes { width: core.view.width_px, height: core.height_px, top: OVERVIEW_PX + RULER_PX })
}

/// Draws overview and ruler onto `ctx`, whose units are CSS pixels.
pub fn draw_top(ctx: &Context) {
    with_shown(|inner, core| surface::draw_top(ctx, core, &inner.theme, &inner.density, &inner.ticks, &inner.font));
}

/// Draws the rows with what is above them onto `ctx`, whose units are CSS pixels. The slices have `scale` pixels in each.
pub fn draw_rows(ctx: &Context, scale: f64) {
    with_shown(|inner, core| {
        let mut scene = Scene::default();
        let grid: Vec<i64> = inner.ticks.ticks.iter().map(|t| t.time).collect();
        scene.paint(&inner.shot(core, &grid, scale), inner.char_px);
        let canvas = document().create_element("canvas").ok().and_then(|c| c.dyn_into::<HtmlCanvasElement>().ok());
        let own = canvas.as_ref().and_then(|canvas| surface::context(canvas, core.view.width_px, core.height_px, scale));
        if let (Some(canvas), Some(own)) = (canvas, own) {
            surface::draw_raster(&own, &scene);
            // A context that refuses is a canvas that is too large: the picture has its texts alone.
            let _ = ctx.draw_image_with_html_canvas_element_and_dw_and_dh(&canvas, 0.0, 0.0, core.view.width_px, core.height_px);
        }
        surface::draw_texts(ctx, &scene, &inner.theme, &inner.font);
        surface::draw_overlay(ctx, core, &inner.theme, None, &inner.font);
    });
}

fn with_shown(draw: impl FnOnce(&super::frame::Inner, &super::state::timeline_state::TimelineState)) {
    if let Some((_, shown)) = SHOWN.get() {
        shown.without_pointer(draw);
    }
}
