//! What is drawn on a canvas without plotters (flame graph, map of memory): colours, the size in pixels of the screen, texts, pictures.

use crate::ui::palette;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// The font of labels.
pub const FONT: &str = "12px system-ui, sans-serif";

/// The colours of the page around a chart.
#[derive(Debug, Clone)]
pub struct Look {
    /// Text, and the outline of what is lit.
    pub text: String,
    /// Quieter text: labels of axes.
    pub quiet: String,
    /// Grid.
    pub line: String,
    /// Axis.
    pub axis: String,
    /// Behind the chart.
    pub surface: String,
    /// Whether the page is dark.
    pub is_dark: bool,
}

impl Look {
    /// The computed style at the canvas.
    pub fn of(canvas: &HtmlCanvasElement) -> Look {
        let style = window().get_computed_style(canvas).ok().flatten();
        let value = |name: &str, or: &str| {
            let found = style.as_ref().and_then(|s| s.get_property_value(name).ok()).filter(|v| !v.trim().is_empty());
            found.unwrap_or_else(|| or.into())
        };
        let text = value("color", "rgb(0, 0, 0)");
        Look {
            is_dark: is_light(&text),
            quiet: value("--text-3", "#666"),
            line: value("--line", "#ddd"),
            axis: value("--line-strong", "#888"),
            surface: value("--bg", "#fff"),
            text,
        }
    }

    /// The colour of a slot.
    pub fn slot(&self, slot: u16) -> String {
        palette::css(palette::colour(slot, self.is_dark))
    }

    /// Black or white, whichever reads better on a slot's colour.
    pub fn on_slot(&self, slot: u16) -> String {
        palette::css(palette::text_on(palette::colour(slot, self.is_dark)))
    }
}

/// Whether a computed text colour, `rgb(r, g, b)`, is nearer to white: then the background is dark.
fn is_light(colour: &str) -> bool {
    let parts: Vec<f64> = colour.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|p| p.parse().ok()).take(3).collect();
    parts.iter().sum::<f64>() > 384.0
}

/// Width and height in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// The context of a canvas of that many CSS pixels, cleared.
pub fn sized(canvas: &HtmlCanvasElement, size: Size, scale: f64) -> Option<CanvasRenderingContext2d> {
    let pixels = ((size.width * scale).round() as u32, (size.height * scale).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    if (canvas.width(), canvas.height()) != pixels {
        canvas.set_width(pixels.0);
        canvas.set_height(pixels.1);
    }
    // Setting the same size again would clear it as well, and lay out the page anew.
    context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).ok()?;
    context.clear_rect(0.0, 0.0, f64::from(pixels.0), f64::from(pixels.1));
    context.scale(scale, scale).ok()?;
    Some(context)
}

/// Writes a text; `align` is `left`, `center` or `right` of x, the middle of the line is at y.
pub fn write(context: &CanvasRenderingContext2d, text: &str, x: f64, y: f64, align: &str) {
    context.set_text_align(align);
    context.set_text_baseline("middle");
    let _ = context.fill_text(text, x, y);
}

/// How wide a text is in the context's font.
pub fn width_of(context: &CanvasRenderingContext2d, text: &str) -> f64 {
    context.measure_text(text).map_or(text.chars().count() as f64 * 7.0, |m| m.width())
}

/// As much of a text as fits, with an ellipsis; `None` when not even three characters do.
pub fn fitted(context: &CanvasRenderingContext2d, text: &str, width: f64) -> Option<String> {
    let whole = width_of(context, text);
    if whole <= width {
        return Some(text.into());
    }
    let n = text.chars().count();
    let mut keep = ((width / whole) * n as f64) as usize;
    loop {
        keep = keep.checked_sub(1).filter(|k| *k >= 2)?;
        let cut: String = text.chars().take(keep).chain(['…']).collect();
        if width_of(context, &cut) <= width {
            return Some(cut);
        }
    }
}

/// A straight line, crisp on whole pixels.
pub fn rule(context: &CanvasRenderingContext2d, from: (f64, f64), to: (f64, f64), colour: &str) {
    let crisp = |v: f64| v.round() + 0.5;
    context.set_stroke_style_str(colour);
    context.set_line_width(1.0);
    context.begin_path();
    context.move_to(crisp(from.0), crisp(from.1));
    context.line_to(crisp(to.0), crisp(to.1));
    context.stroke();
}

/// Pixels of a point in a picture that is saved.
pub const PICTURE_SCALE: f64 = 2.0;

/// Title, chart and legend on a separate canvas, to be saved. `legend`: colour slot and text of each entry.
pub fn picture(
    look: &Look,
    title: &str,
    size: Size,
    legend: &[(u16, String)],
    paint: impl FnOnce(&CanvasRenderingContext2d, Size),
) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let context = sized(&canvas, picture_size(size, legend), PICTURE_SCALE)?;
    compose(&context, look, title, size, legend, paint);
    Some(canvas)
}

/// Around everything in a picture that is saved.
const EDGE: f64 = 16.0;
/// Height of a line of its legend.
const LINE: f64 = 20.0;

/// How large a picture with a chart of `size` is.
pub fn picture_size(size: Size, legend: &[(u16, String)]) -> Size {
    Size { width: size.width + 2.0 * EDGE, height: size.height + 56.0 + legend.len() as f64 * LINE + EDGE }
}

/// Draws title, chart and legend.
pub fn compose(
    context: &CanvasRenderingContext2d,
    look: &Look,
    title: &str,
    size: Size,
    legend: &[(u16, String)],
    paint: impl FnOnce(&CanvasRenderingContext2d, Size),
) {
    let whole = picture_size(size, legend);
    context.set_fill_style_str(&look.surface);
    context.fill_rect(0.0, 0.0, whole.width, whole.height);
    context.set_fill_style_str(&look.text);
    context.set_font("600 15px system-ui, sans-serif");
    write(context, title, EDGE, 22.0, "left");
    context.save();
    // A context that refuses draws at its corner.
    let _ = context.translate(EDGE, 44.0);
    paint(context, size);
    context.restore();
    context.set_font(FONT);
    for (i, (slot, line)) in legend.iter().enumerate() {
        let y = 60.0 + size.height + i as f64 * LINE;
        context.set_fill_style_str(&look.slot(*slot));
        context.fill_rect(EDGE, y - 5.0, 10.0, 10.0);
        context.set_fill_style_str(&look.text);
        write(context, line, EDGE + 18.0, y, "left");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn light_text_means_a_dark_page() {
        assert!(super::is_light("rgb(232, 235, 240)"));
        assert!(!super::is_light("rgb(20, 24, 31)"));
    }
}
