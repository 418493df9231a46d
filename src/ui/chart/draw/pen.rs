//! plotters' backend of this page: a canvas or an SVG text, in sixteenths of a CSS pixel.
//!
//! plotters counts in whole pixels of its backend, so that a curve drawn straight on a canvas has steps. A sixteenth is finer than any
//! screen. Lines along an axis and edges of rectangles are put on whole pixels of the screen, whatever its device pixel ratio.

use plotters::prelude::{DrawingBackend, SVGBackend};
use plotters_backend::text_anchor::Pos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontFamily, FontStyle, FontTransform,
};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Units of the backend in a CSS pixel.
const FINE: f64 = 16.0;
/// What plotters divides the size of a font by before it writes it into an SVG.
const SVG_FONT: f64 = 1.24;

/// CSS pixels in units of the backend.
pub(super) fn fine(px: f64) -> i32 {
    // Far outside of any screen there is nothing to be seen, and sums of two must not overflow.
    (px * FINE).round().clamp(-1e8, 1e8) as i32
}

/// As [`fine`], for what is never negative.
pub(super) fn fine_size(px: f64) -> u32 {
    fine(px).max(0).unsigned_abs()
}

/// The backend failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PenError(String);

type Result<T> = std::result::Result<T, DrawingErrorKind<PenError>>;

fn failed<E: std::error::Error + Send + Sync>(error: DrawingErrorKind<E>) -> DrawingErrorKind<PenError> {
    DrawingErrorKind::DrawingError(PenError(error.to_string()))
}

enum Target<'a> {
    Canvas(CanvasBackend, CanvasRenderingContext2d),
    Svg(SVGBackend<'a>),
}

/// plotters' backend: see the module.
pub struct Pen<'a> {
    target: Target<'a>,
    /// Width and height in units of the backend.
    size: (u32, u32),
    /// Pixels of the screen in a unit.
    per_unit: f64,
    /// Measures texts; absent where there is no browser.
    ruler: Option<CanvasRenderingContext2d>,
}

impl<'a> Pen<'a> {
    /// Draws on a canvas that shows so many CSS pixels, with `scale` pixels of the screen in each. What is there stays.
    pub(super) fn on_canvas(canvas: &HtmlCanvasElement, size: (f64, f64), scale: f64) -> Option<Pen<'static>> {
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let per_unit = scale / FINE;
        context.set_transform(per_unit, 0.0, 0.0, per_unit, 0.0, 0.0).ok()?;
        // A sharp peak of a curve would otherwise end in a spike that is higher than its value.
        context.set_line_join("round");
        let backend = CanvasBackend::with_canvas_object(canvas.clone())?;
        let target = Target::Canvas(backend, context.clone());
        Some(Pen { target, size: (fine_size(size.0), fine_size(size.1)), per_unit, ruler: Some(context) })
    }

    /// Writes an SVG into `text`. `ruler` measures texts where there is a browser.
    pub(super) fn on_svg(text: &'a mut String, size: (f64, f64), ruler: Option<CanvasRenderingContext2d>) -> Pen<'a> {
        let size = (fine_size(size.0), fine_size(size.1));
        Pen { target: Target::Svg(SVGBackend::with_string(text, size)), size, per_unit: 1.0 / FINE, ruler }
    }

    /// The unit nearest to `at` where a line so wide fills whole pixels of the screen.
    fn on_pixel(&self, at: i32, width: f64) -> i32 {
        let screen = f64::from(at) * self.per_unit;
        let crisp = if width % 2.0 == 1.0 { screen.floor() + 0.5 } else { screen.round() };
        (crisp / self.per_unit).round() as i32
    }

    /// A line along an axis, with its width in whole pixels of the screen.
    fn straight(&mut self, from: BackendCoord, to: BackendCoord, style: &impl BackendStyle) -> Result<()> {
        let width = (f64::from(style.stroke_width()) * self.per_unit).round().max(1.0);
        let (mut from, mut to) = (from, to);
        if from.0 == to.0 {
            from.0 = self.on_pixel(from.0, width);
            to.0 = from.0;
        } else {
            from.1 = self.on_pixel(from.1, width);
            to.1 = from.1;
        }
        let style = Stroke { color: style.color(), width: (width / self.per_unit).round() as u32 };
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_line(from, to, &style).map_err(failed),
            Target::Svg(backend) => backend.draw_line(from, to, &style).map_err(failed),
        }
    }

    /// Width of a text in CSS pixels.
    fn width_of(&self, text: &str, font: &str, size_px: f64) -> f64 {
        let estimate = text.chars().count() as f64 * size_px * 0.58;
        let Some(ruler) = &self.ruler else { return estimate };
        ruler.set_font(font);
        ruler.measure_text(text).map_or(estimate, |m| m.width())
    }
}

fn is_straight(a: BackendCoord, b: BackendCoord) -> bool {
    a.0 == b.0 || a.1 == b.1
}

/// Both ends of an edge on whole pixels of the screen, never on the same.
fn edges(from: i32, to: i32, per_unit: f64) -> (i32, i32) {
    let (from, to) = (f64::from(from.min(to)) * per_unit, f64::from(from.max(to)) * per_unit);
    let low = from.round();
    let high = to.round().max(low + 1.0);
    ((low / per_unit).round() as i32, (high / per_unit).round() as i32)
}

/// A polygon without the points that make no difference: plotters draws a circle with thousands of them.
fn thinned(points: impl IntoIterator<Item = BackendCoord>) -> Vec<BackendCoord> {
    let mut out: Vec<BackendCoord> = Vec::new();
    let mut dropped: Option<BackendCoord> = None;
    for point in points {
        let Some(&last) = out.last() else {
            out.push(point);
            continue;
        };
        if let Some(middle) = dropped.replace(point)
            && !is_between(last, middle, point)
        {
            out.push(middle);
        }
    }
    out.extend(dropped);
    out
}

/// Whether `middle` is on the way from `a` to `b`, as far as can be seen, and the way is short.
fn is_between(a: BackendCoord, middle: BackendCoord, b: BackendCoord) -> bool {
    let (dx, dy) = (f64::from(b.0) - f64::from(a.0), f64::from(b.1) - f64::from(a.1));
    let length = dx.hypot(dy);
    let off = (f64::from(middle.0) - f64::from(a.0)) * dy - (f64::from(middle.1) - f64::from(a.1)) * dx;
    length > 0.0 && length < 3.0 * FINE && off.abs() / length < 0.06 * FINE
}

struct Stroke {
    color: BackendColor,
    width: u32,
}

impl BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        self.color
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

/// A text style with a multiplied size.
struct Resized<'s, S: BackendTextStyle>(&'s S, f64);

impl<S: BackendTextStyle> BackendTextStyle for Resized<'_, S> {
    type FontError = S::FontError;

    fn color(&self) -> BackendColor {
        self.0.color()
    }

    fn size(&self) -> f64 {
        self.0.size() * self.1
    }

    fn transform(&self) -> FontTransform {
        self.0.transform()
    }

    fn style(&self) -> FontStyle {
        self.0.style()
    }

    fn anchor(&self) -> Pos {
        self.0.anchor()
    }

    fn family(&self) -> FontFamily<'_> {
        self.0.family()
    }

    fn layout_box(&self, text: &str) -> std::result::Result<((i32, i32), (i32, i32)), Self::FontError> {
        self.0.layout_box(text)
    }

    fn draw<E, F: FnMut(i32, i32, BackendColor) -> std::result::Result<(), E>>(
        &self,
        text: &str,
        at: BackendCoord,
        draw: F,
    ) -> std::result::Result<std::result::Result<(), E>, Self::FontError> {
        self.0.draw(text, at, draw)
    }
}

impl DrawingBackend for Pen<'_> {
    type ErrorType = PenError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<()> {
        Ok(())
    }

    fn present(&mut self) -> Result<()> {
        match &mut self.target {
            Target::Canvas(backend, _) => backend.present().map_err(failed),
            Target::Svg(backend) => backend.present().map_err(failed),
        }
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Result<()> {
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_pixel(at, color).map_err(failed),
            Target::Svg(backend) => backend.draw_pixel(at, color).map_err(failed),
        }
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Result<()> {
        if is_straight(from, to) {
            return self.straight(from, to, style);
        }
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_line(from, to, style).map_err(failed),
            Target::Svg(backend) => backend.draw_line(from, to, style).map_err(failed),
        }
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Result<()> {
        if !fill {
            // The SVG backend ignores the line width of rectangles and uses 1.
            return self.draw_path([from, (to.0, from.1), to, (from.0, to.1), from], style);
        }
        let (left, right) = edges(from.0, to.0, self.per_unit);
        let (top, bottom) = edges(from.1, to.1, self.per_unit);
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_rect((left, top), (right, bottom), style, true).map_err(failed),
            Target::Svg(backend) => backend.draw_rect((left, top), (right, bottom), style, true).map_err(failed),
        }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result<()> {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        if let [from, to] = path[..]
            && is_straight(from, to)
        {
            return self.straight(from, to, style);
        }
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_path(path, style).map_err(failed),
            Target::Svg(backend) => backend.draw_path(path, style).map_err(failed),
        }
    }

    fn draw_circle<S: BackendStyle>(&mut self, centre: BackendCoord, radius: u32, style: &S, fill: bool) -> Result<()> {
        match &mut self.target {
            Target::Canvas(backend, _) => backend.draw_circle(centre, radius, style, fill).map_err(failed),
            Target::Svg(backend) => backend.draw_circle(centre, radius, style, fill).map_err(failed),
        }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Result<()> {
        let path = thinned(path);
        match &mut self.target {
            Target::Canvas(backend, _) => backend.fill_polygon(path, style).map_err(failed),
            Target::Svg(backend) => backend.fill_polygon(path, style).map_err(failed),
        }
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        match &mut self.target {
            Target::Canvas(backend, context) => {
                // A font is drawn at its own size: sixteen times as large it may have other shapes.
                context.save();
                let moved = context.translate(f64::from(at.0), f64::from(at.1)).and_then(|()| context.scale(FINE, FINE));
                let drawn = backend.draw_text(text, &Resized(style, 1.0 / FINE), (0, 0)).map_err(failed);
                context.restore();
                moved.map_err(|_| DrawingErrorKind::DrawingError(PenError("the canvas refused to move its origin".into())))?;
                drawn
            }
            Target::Svg(backend) => backend.draw_text(text, &Resized(style, SVG_FONT), at).map_err(failed),
        }
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Result<(u32, u32)> {
        let size_px = style.size() / FINE;
        let font = format!("{} {size_px}px {}", style.style().as_str(), style.family().as_str());
        Ok((fine_size(self.width_of(text, &font, size_px)), fine_size(size_px * 1.2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_on_pixels_and_never_on_the_same() {
        for ratio in [1.0, 1.25, 1.5, 2.0, 3.0] {
            let per_unit = ratio / FINE;
            for (from, to) in [(0, 100), (37, 37), (5, 6), (160, 20), (-33, 8)] {
                let (low, high) = edges(from, to, per_unit);
                let (a, b) = (f64::from(low) * per_unit, f64::from(high) * per_unit);
                // A unit is no whole part of a pixel at every ratio.
                assert!((a - a.round()).abs() < 0.1 && (b - b.round()).abs() < 0.1 && b - a > 0.8, "{ratio} {from} {to}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_circle_keeps_its_shape_with_few_points() {
        let at = |i: i32| {
            let (sin, cos) = (f64::from(i) / 5_000.0 * std::f64::consts::TAU).sin_cos();
            ((cos * 80.0 * FINE).round() as i32, (sin * 80.0 * FINE).round() as i32)
        };
        let points = thinned((0..=5_000).map(at));
        assert!(points.len() < 900 && points.len() > 150, "{}", points.len());
        assert_eq!((points[0], points.last().copied()), (at(0), Some(at(5_000))));
        let square = [(0, 0), (900, 0), (900, 900), (0, 900)];
        assert_eq!(thinned(square), square);
        assert_eq!(thinned([(3, 3)]), [(3, 3)]);
    }

    #[test]
    fn no_size_overflows() {
        assert_eq!((fine(f64::NAN), fine(f64::INFINITY), fine_size(-3.0), fine(1.5)), (0, 100_000_000, 0, 24));
    }
}
