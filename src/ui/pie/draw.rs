//! Painting a pie.

use super::data::{self, Part};
use crate::base::text;
use crate::ui::palette;
use leptos::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Pixels that the lit part moves out.
const LIFT: f64 = 4.0;
const FONT: &str = "12px system-ui, sans-serif";

/// The colours of the page around a pie.
#[derive(Debug, Clone)]
pub(super) struct Look {
    text: String,
    surface: String,
    is_dark: bool,
}

impl Look {
    /// As the stylesheet has it where the canvas stands.
    pub fn of(canvas: &HtmlCanvasElement) -> Look {
        let style = window().get_computed_style(canvas).ok().flatten();
        let value = |name| style.as_ref().and_then(|s| s.get_property_value(name).ok()).filter(|v| !v.trim().is_empty());
        let text = value("color").unwrap_or_else(|| "rgb(0, 0, 0)".into());
        let surface = value("--bg").unwrap_or_else(|| "#fff".into());
        Look { is_dark: is_light(&text), text, surface }
    }
}

/// Whether a computed colour, `rgb(r, g, b)`, is nearer to white: then what lies behind it is dark.
fn is_light(colour: &str) -> bool {
    let parts: Vec<f64> = colour.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|p| p.parse().ok()).take(3).collect();
    parts.iter().sum::<f64>() > 384.0
}

/// Radius of the pie on a canvas so wide.
pub(super) fn radius(width: f64) -> f64 {
    (width / 2.0 - LIFT - 2.0).max(1.0)
}

/// Paints the parts over the whole canvas, as finely as the screen can show.
pub(super) fn draw(canvas: &HtmlCanvasElement, parts: &[Part], lit: Option<usize>) {
    let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
    if width <= 0.0 || height <= 0.0 {
        return;
    }
    let Some(context) = sized(canvas, width, height, window().device_pixel_ratio().max(1.0)) else { return };
    paint(&context, parts, (width / 2.0, height / 2.0), radius(width.min(height)), lit, &Look::of(canvas));
}

/// The context of a canvas of that many CSS pixels, cleared.
fn sized(canvas: &HtmlCanvasElement, width: f64, height: f64, scale: f64) -> Option<CanvasRenderingContext2d> {
    canvas.set_width((width * scale).round() as u32);
    canvas.set_height((height * scale).round() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.scale(scale, scale).ok()?;
    Some(context)
}

fn paint(context: &CanvasRenderingContext2d, parts: &[Part], centre: (f64, f64), radius: f64, lit: Option<usize>, look: &Look) {
    for (i, part) in parts.iter().enumerate().filter(|(i, _)| lit != Some(*i)) {
        context.set_global_alpha(if lit.is_some() { 0.55 } else { 1.0 });
        sector(context, part, centre, radius, look, false);
        context.set_global_alpha(1.0);
        label(context, &parts[i], centre, radius, look);
    }
    if let Some(part) = lit.and_then(|i| parts.get(i)) {
        sector(context, part, centre, radius + LIFT, look, true);
        label(context, part, centre, radius, look);
    }
}

fn sector(context: &CanvasRenderingContext2d, part: &Part, (x, y): (f64, f64), radius: f64, look: &Look, is_lit: bool) {
    let start = part.start * TAU - FRAC_PI_2;
    let is_whole = part.share > 0.999_999;
    context.begin_path();
    if !is_whole {
        context.move_to(x, y);
    }
    // Fails on a negative radius only.
    let _ = context.arc(x, y, radius, start, start + part.share * TAU);
    context.close_path();
    context.set_fill_style_str(&palette::css(part.rgb(look.is_dark)));
    context.fill();
    context.set_line_width(if is_lit { 2.0 } else { 1.0 });
    context.set_stroke_style_str(if is_lit { &look.text } else { &look.surface });
    if is_lit || !is_whole {
        context.stroke();
    }
}

fn label(context: &CanvasRenderingContext2d, part: &Part, (x, y): (f64, f64), radius: f64, look: &Look) {
    let text = text::percent(part.share);
    context.set_font(FONT);
    let width = context.measure_text(&text).map_or(40.0, |m| m.width());
    let at = if part.share > 0.999_999 { 0.0 } else { (radius * 0.68).min(radius - width / 2.0 - 5.0) };
    if !data::has_room(part.share, at, width + 4.0, 12.0) {
        return;
    }
    let (sin, cos) = part.middle().sin_cos();
    context.set_text_align("center");
    context.set_text_baseline("middle");
    context.set_fill_style_str(&palette::css(palette::text_on(part.rgb(look.is_dark))));
    let _ = context.fill_text(&text, x + at * sin, y - at * cos);
}

/// Title, pie and legend on a canvas of their own, to be saved. `lines` is what the legend says of each part.
pub(super) fn picture(look: &Look, title: &str, parts: &[Part], lines: &[String]) -> Option<HtmlCanvasElement> {
    const WIDTH: f64 = 720.0;
    const LINE: f64 = 20.0;
    let height = (lines.len() as f64 * LINE + 64.0).max(300.0);
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let context = sized(&canvas, WIDTH, height, 2.0)?;
    context.set_fill_style_str(&look.surface);
    context.fill_rect(0.0, 0.0, WIDTH, height);
    paint(&context, parts, (138.0, 164.0), 116.0, None, look);
    context.set_text_align("left");
    context.set_text_baseline("middle");
    context.set_fill_style_str(&look.text);
    context.set_font("600 15px system-ui, sans-serif");
    context.fill_text(title, 16.0, 22.0).ok()?;
    context.set_font(FONT);
    for (i, (part, line)) in parts.iter().zip(lines).enumerate() {
        let y = 58.0 + i as f64 * LINE;
        context.set_fill_style_str(&palette::css(part.rgb(look.is_dark)));
        context.fill_rect(280.0, y - 5.0, 10.0, 10.0);
        context.set_fill_style_str(&look.text);
        context.fill_text(line, 298.0, y).ok()?;
    }
    Some(canvas)
}

#[cfg(test)]
mod tests {
    #[test]
    fn light_text_means_a_dark_page() {
        assert!(super::is_light("rgb(232, 235, 240)"));
        assert!(!super::is_light("rgb(20, 24, 31)"));
    }
}
