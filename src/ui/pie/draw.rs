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
fn radius(width: f64) -> f64 {
    (width / 2.0 - LIFT - 2.0).max(1.0)
}

/// Where a pie stands on its canvas.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub centre: (f64, f64),
    pub radius: f64,
    /// Radius of a doughnut's hole; 0 is a pie.
    pub hole: f64,
}

impl Place {
    /// About `centre` on a canvas so wide, with a hole of that share of the radius.
    pub fn new(centre: (f64, f64), width: f64, hole: f64) -> Self {
        let radius = radius(width);
        Place { centre, radius, hole: radius * hole }
    }
}

/// Paints the parts.
pub(super) fn paint(context: &CanvasRenderingContext2d, parts: &[Part], place: Place, lit: Option<usize>, look: &Look) {
    for (i, part) in parts.iter().enumerate().filter(|(i, _)| lit != Some(*i)) {
        context.set_global_alpha(if lit.is_some() { 0.55 } else { 1.0 });
        sector(context, part, place, look, false);
        context.set_global_alpha(1.0);
        label(context, &parts[i], place, look);
    }
    if let Some(part) = lit.and_then(|i| parts.get(i)) {
        sector(context, part, Place { radius: place.radius + LIFT, ..place }, look, true);
        label(context, part, place, look);
    }
}

fn sector(context: &CanvasRenderingContext2d, part: &Part, place: Place, look: &Look, is_lit: bool) {
    if part.share <= 0.0 {
        return;
    }
    let Place { centre: (x, y), radius, hole } = place;
    let start = part.start * TAU - FRAC_PI_2;
    let end = start + part.share * TAU;
    let is_whole = part.share > 0.999_999;
    context.begin_path();
    if !is_whole && hole <= 0.0 {
        context.move_to(x, y);
    }
    // These fail on a negative radius only.
    let _ = context.arc(x, y, radius, start, end);
    if hole > 0.0 {
        if is_whole {
            context.move_to(x + hole * end.cos(), y + hole * end.sin());
        }
        let _ = context.arc_with_anticlockwise(x, y, hole, end, start, true);
    }
    context.close_path();
    context.set_fill_style_str(&palette::css(part.rgb(look.is_dark)));
    context.fill();
    context.set_line_width(if is_lit { 2.0 } else { 1.0 });
    context.set_stroke_style_str(if is_lit { &look.text } else { &look.surface });
    if is_lit || !is_whole {
        context.stroke();
    }
}

fn label(context: &CanvasRenderingContext2d, part: &Part, place: Place, look: &Look) {
    let Place { centre: (x, y), radius, hole } = place;
    let text = text::percent(part.share);
    context.set_font(FONT);
    let width = look::width_of(context, &text);
    let at = match part.share > 0.999_999 {
        _ if hole > 0.0 => (radius + hole) / 2.0,
        true => 0.0,
        false => (radius * 0.68).min(radius - width / 2.0 - 5.0),
    };
    if !data::has_room(part.share, at, width + 4.0, 12.0) || hole > 0.0 && width + 4.0 > radius - hole {
        return;
    }
    let (sin, cos) = part.middle().sin_cos();
    context.set_fill_style_str(&palette::css(palette::text_on(part.rgb(look.is_dark))));
    look::write(context, &text, x + at * sin, y - at * cos, "center");
}
