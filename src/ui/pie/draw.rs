//! Painting a pie.

use super::data::{self, Part};
use crate::base::text;
use crate::ui::chart::look::{self, FONT, Look};
use crate::ui::palette;
use std::f64::consts::{FRAC_PI_2, TAU};
use web_sys::CanvasRenderingContext2d;

/// Pixels that the lit part moves out.
const LIFT: f64 = 4.0;

/// Radius of the pie on a canvas so wide.
pub(super) fn radius(width: f64) -> f64 {
    (width / 2.0 - LIFT - 2.0).max(1.0)
}

/// Paints the parts about a centre.
pub(super) fn paint(context: &CanvasRenderingContext2d, parts: &[Part], centre: (f64, f64), radius: f64, lit: Option<usize>, look: &Look) {
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
    if part.share <= 0.0 {
        return;
    }
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
    let width = look::width_of(context, &text);
    let at = if part.share > 0.999_999 { 0.0 } else { (radius * 0.68).min(radius - width / 2.0 - 5.0) };
    if !data::has_room(part.share, at, width + 4.0, 12.0) {
        return;
    }
    let (sin, cos) = part.middle().sin_cos();
    context.set_fill_style_str(&palette::css(palette::text_on(part.rgb(look.is_dark))));
    look::write(context, &text, x + at * sin, y - at * cos, "center");
}
