//! The picture of allocated memory on its canvas.

use super::areas::{self, AreaColours};
use super::window::Window;
use crate::analysis::snapshot::{Band, Layer, Picture};
use crate::base::{DurationNs, text};
use crate::ui::chart::look::{self, FONT, Look, Size};
use crate::ui::chart::scale;
use crate::ui::palette::fixed;
use crate::ui::raster::Raster;
use crate::ui::table::Kind;
use leptos::prelude::document;
use std::sync::Arc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Room for bytes at the left and for the axis below.
pub const LEFT: f64 = 64.0;
pub const BELOW: f64 = 22.0;

/// A moment that is marked: position on the axis, label, whether it is a failed allocation.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMarker {
    pub at: i64,
    pub label: String,
    pub is_failure: bool,
}

/// Maps the parts of a picture to a canvas of `window`, which may differ from the picture's window.
#[derive(Clone, Copy)]
pub struct PictureLayout {
    pub window: Window,
    pub size: Size,
    /// Window of the picture.
    pub own: Window,
    pub n_columns: usize,
    pub bytes: (u64, u64),
}

impl PictureLayout {
    pub fn new(picture: &Picture, window: Window, size: Size) -> PictureLayout {
        PictureLayout { window, size, own: Window::of(picture.window), n_columns: picture.states.len(), bytes: picture.bytes }
    }

    fn width(&self) -> f64 {
        (self.size.width - LEFT).max(1.0)
    }

    fn height(&self) -> f64 {
        (self.size.height - BELOW).max(1.0)
    }

    /// x of a position on the axis.
    pub fn x(&self, at: f64) -> f64 {
        LEFT + (at - self.window.from) / self.window.span() * self.width()
    }

    /// Position on the axis at an x.
    pub fn at(&self, x: f64) -> f64 {
        self.window.from + (x - LEFT) / self.width() * self.window.span()
    }

    /// x of the left edge of a column of the picture.
    pub fn column_x(&self, column: usize) -> f64 {
        self.x(self.own.from + self.own.span() * column as f64 / self.n_columns.max(1) as f64)
    }

    /// The column of the picture at an x.
    pub fn column(&self, x: f64) -> Option<usize> {
        let share = (self.at(x) - self.own.from) / self.own.span();
        (x >= LEFT && (0.0..1.0).contains(&share)).then(|| ((share * self.n_columns as f64) as usize).min(self.n_columns - 1))
    }

    /// y of bytes.
    pub fn y(&self, bytes: u64) -> f64 {
        let (low, high) = self.bytes;
        self.height() * (1.0 - (bytes as f64 - low as f64) / ((high - low).max(1)) as f64)
    }

    /// Bytes at a y.
    pub fn bytes_at(&self, y: f64) -> f64 {
        let (low, high) = self.bytes;
        low as f64 + (high - low) as f64 * (1.0 - y / self.height())
    }
}

/// The band at a point.
pub fn band_at<'a>(picture: &'a Picture, places: &PictureLayout, x: f64, y: f64) -> Option<&'a Band> {
    let column = places.column(x)? as u32;
    let bytes = places.bytes_at(y);
    picture.bands.iter().find(|b| {
        let from = u32::from(b.column);
        (from..from + u32::from(b.n_columns)).contains(&column) && (b.low as f64..(b.low + b.size) as f64).contains(&bytes)
    })
}

/// What is drawn over the bands.
pub struct Marks<'a> {
    pub time_markers: &'a [TimeMarker],
    /// The chosen moment, on the axis.
    pub cursor: Option<i64>,
    /// The allocation that is chosen or under the pointer.
    pub highlighted: Option<u32>,
    /// Whether the axis is time.
    pub by_time: bool,
}

/// Layers, bands and outlines on a canvas of their own, painted again only when they change.
#[derive(Default)]
pub struct AreaCanvas {
    canvas: Option<HtmlCanvasElement>,
    raster: Raster,
    /// What it shows: the picture, the window, device pixels of a CSS pixel, whether the page is dark.
    shown: Option<(Arc<Picture>, Window, f64, bool)>,
}

impl AreaCanvas {
    /// The canvas with `picture` in `places`.
    fn painted(&mut self, picture: &Arc<Picture>, places: &PictureLayout, look: &Look, scale: f64) -> Option<&HtmlCanvasElement> {
        let size = (((places.width() * scale).round() as u32).max(1), ((places.height() * scale).round() as u32).max(1));
        if self.canvas.is_none() {
            self.canvas = Some(document().create_element("canvas").ok()?.dyn_into().ok()?);
        }
        let canvas = self.canvas.as_ref()?;
        let is_shown = self.shown.as_ref().is_some_and(|(shown, window, ratio, is_dark)| {
            Arc::ptr_eq(shown, picture) && (*window, *ratio, *is_dark) == (places.window, scale, look.is_dark)
        });
        if (canvas.width(), canvas.height()) != size || !is_shown {
            if (canvas.width(), canvas.height()) != size {
                canvas.set_width(size.0);
                canvas.set_height(size.1);
            }
            self.raster.resize(size.0 as usize, size.1 as usize);
            areas::paint(&mut self.raster, picture, places.window, &AreaColours::new(look), scale);
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(self.raster.bytes()), size.0, size.1).ok()?;
            let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
            context.put_image_data(&image, 0.0, 0.0).ok()?;
            self.shown = Some((picture.clone(), places.window, scale, look.is_dark));
        }
        self.canvas.as_ref()
    }
}

/// Draws the picture; its areas have `scale` device pixels for a CSS pixel.
pub fn paint(
    context: &CanvasRenderingContext2d,
    picture: &Arc<Picture>,
    places: &PictureLayout,
    marks: &Marks<'_>,
    look: &Look,
    (areas, scale): (&mut AreaCanvas, f64),
) {
    let height = places.height();
    let right = places.size.width;
    context.set_font(FONT);
    let axis = scale::exact(picture.bytes.0 as f64, picture.bytes.1 as f64, 5, Kind::Bytes);
    for tick in &axis.ticks {
        let y = places.y(tick.value as u64);
        look::rule(context, (LEFT, y), (right, y), &look.line);
        context.set_fill_style_str(&look.quiet);
        look::write(context, &text::bytes(tick.value as u64), LEFT - 6.0, y.clamp(7.0, height - 7.0), "right");
    }
    context.save();
    context.begin_path();
    context.rect(LEFT, 0.0, right - LEFT, height);
    context.clip();
    if let Some(canvas) = areas.painted(picture, places, look, scale) {
        context.set_image_smoothing_enabled(false);
        // A canvas that refuses stays without them until the next frame.
        let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(canvas, LEFT, 0.0, places.width(), height);
    }
    if let Some(highlighted) = marks.highlighted {
        context.set_stroke_style_str(&look.text);
        context.set_line_width(2.0);
        for band in picture.bands.iter().filter(|b| b.id == highlighted) {
            let [x, y, width, tall] = area(band, places);
            context.stroke_rect(x, y, width.max(1.0), tall.max(1.0));
        }
    }
    for marker in marks.time_markers {
        let x = places.x(marker.at as f64);
        if !(LEFT - 1.0..=right).contains(&x) {
            continue;
        }
        let colour = if marker.is_failure { look.slot(fixed::MORE) } else { look.quiet.clone() };
        look::rule(context, (x, 0.0), (x, height), &colour);
        let is_left = x > right - 120.0;
        let (at, align) = if is_left { (x - 4.0, "right") } else { (x + 4.0, "left") };
        // The line of reserved memory may be behind the label.
        let width = look::width_of(context, &marker.label) + 4.0;
        context.set_fill_style_str(&look.surface);
        context.fill_rect(if is_left { at - width + 2.0 } else { at - 2.0 }, 2.0, width, 14.0);
        context.set_fill_style_str(&colour);
        look::write(context, &marker.label, at, 9.0, align);
    }
    if let Some(cursor) = marks.cursor {
        let x = places.x(cursor as f64);
        context.set_stroke_style_str(&look.text);
        context.set_line_width(1.0);
        context.stroke_rect(x.round() + 0.5, 0.5, 0.01, height);
    }
    context.restore();
    look::rule(context, (LEFT, 0.0), (LEFT, height), &look.axis);
    look::rule(context, (LEFT, height), (right, height), &look.axis);
    context.set_fill_style_str(&look.quiet);
    for (share, align) in [(0.0, "left"), (0.5, "center"), (1.0, "right")] {
        let at = places.window.from + places.window.span() * share;
        let label =
            if marks.by_time { text::duration(DurationNs(at as i64)) } else { format!("event {}", text::count(at.max(0.0) as u64)) };
        look::write(context, &label, LEFT + places.width() * share, height + 12.0, align);
    }
}

fn area(band: &Band, places: &PictureLayout) -> [f64; 4] {
    let (left, right) =
        (places.column_x(usize::from(band.column)), places.column_x(usize::from(band.column) + usize::from(band.n_columns)));
    let (top, bottom) = (places.y(band.low.saturating_add(band.size)), places.y(band.low));
    [left, top, right - left, bottom - top]
}

/// The layer at a point, and its bytes there.
pub fn layer_at<'a>(picture: &'a Picture, places: &PictureLayout, x: f64, y: f64) -> Option<(&'a Layer, u64)> {
    let column = places.column(x)?;
    let bytes = places.bytes_at(y);
    let mut below = 0u64;
    for layer in &picture.layers {
        let own = layer.bytes.get(column).copied().unwrap_or(0);
        below = below.saturating_add(own);
        if own > 0 && (0.0..below as f64).contains(&bytes) {
            return Some((layer, own));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_in_the_band_that_is_drawn_there() {
        let picture = Picture {
            window: (0, 100),
            extent: (0, 100),
            bytes: (0, 1000),
            states: (0..10).collect(),
            bands: vec![
                Band { id: 7, column: 0, n_columns: 10, low: 0, size: 400, slot: 0 },
                Band { id: 8, column: 5, n_columns: 2, low: 400, size: 100, slot: 1 },
            ],
            ..Picture::default()
        };
        let size = Size { width: LEFT + 200.0, height: BELOW + 100.0 };
        let all = PictureLayout::new(&picture, Window::of((0, 100)), size);
        let id = |places: &PictureLayout, x: f64, y: f64| band_at(&picture, places, LEFT + x, y).map(|b| b.id);
        assert_eq!(id(&all, 1.0, 99.0), Some(7));
        assert_eq!(id(&all, 110.0, 55.0), Some(8));
        assert_eq!(id(&all, 90.0, 55.0), None);
        assert_eq!(id(&all, -5.0, 99.0), None);
        // The same picture in another window: its columns move with the axis.
        let part = PictureLayout::new(&picture, Window::of((50, 70)), size);
        assert_eq!(id(&part, 1.0, 55.0), Some(8));
        assert_eq!(id(&part, 199.0, 55.0), Some(8));
        let layer = Layer { bytes: vec![300; 10], ..Layer::default() };
        let layered = Picture { layers: vec![Layer::default(), layer], ..picture.clone() };
        let at = |y: f64| layer_at(&layered, &all, LEFT + 1.0, y).map(|found| found.1);
        assert_eq!([at(99.0), at(71.0), at(69.0)], [Some(300), Some(300), None]);
        assert_eq!(area(&picture.bands[1], &all), [LEFT + 100.0, 50.0, 40.0, 10.0]);
    }
}
