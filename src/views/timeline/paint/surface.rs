//! Pictures onto canvases: the rows, what floats above them, overview and ruler. Makes no decisions.

use super::mark_paint;
use super::overview::{OVERVIEW_PX, RULER_PX};
use super::scene::{Scene, TextInk};
use super::theme::{Theme, css};
use super::ticks::Ticks;
use crate::base::{TimeRange, text};
use crate::views::timeline::lookup::counter::{named_values, values_at};
use crate::views::timeline::rows::layout::COUNTER;
use crate::views::timeline::state::arrows::Arrow;
use crate::views::timeline::state::timeline_state::{DragKind, EventRect, TimelineState, Tool};
use std::f64::consts::TAU;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d as Context, HtmlCanvasElement, ImageData};

/// A canvas at device resolution whose units are CSS pixels.
pub fn context(canvas: &HtmlCanvasElement, width_px: f64, height_px: f64, dpr: f64) -> Option<Context> {
    let (w, h) = (((width_px * dpr).round() as u32).max(1), ((height_px * dpr).round() as u32).max(1));
    if (canvas.width(), canvas.height()) != (w, h) {
        canvas.set_width(w);
        canvas.set_height(h);
    }
    let ctx = canvas.get_context("2d").ok()??.dyn_into::<Context>().ok()?;
    ctx.set_transform(dpr, 0.0, 0.0, dpr, 0.0, 0.0).ok()?;
    Some(ctx)
}

/// The raster, then its texts.
pub fn draw_rows(ctx: &Context, scene: &Scene, theme: &Theme, font: &str) {
    draw_raster(ctx, scene);
    draw_texts(ctx, scene, theme, font);
}

/// The raster, pixel by pixel.
pub fn draw_raster(ctx: &Context, scene: &Scene) {
    let raster = &scene.raster;
    let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(raster.bytes()), raster.width as u32, raster.height as u32) else {
        return;
    };
    // Nothing to be done about a canvas that refuses; the next frame tries again.
    let _ = ctx.put_image_data(&image, 0.0, 0.0);
}

/// The texts of the rows.
pub fn draw_texts(ctx: &Context, scene: &Scene, theme: &Theme, font: &str) {
    ctx.set_font(font);
    ctx.set_text_baseline("middle");
    let mut last = None;
    for t in &scene.texts {
        if last != Some(t.ink) {
            last = Some(t.ink);
            match t.ink {
                TextInk::On(ink) => ctx.set_fill_style_str(&css(ink)),
                TextInk::Quiet | TextInk::Axis => ctx.set_fill_style_str(&css(theme.quiet)),
            }
        }
        if t.ink == TextInk::Axis {
            // A rim of the background, so that no line runs through a figure.
            ctx.set_line_width(4.0);
            ctx.set_line_join("round");
            ctx.set_stroke_style_str(&css(theme.background));
            let _ = ctx.stroke_text(&t.text, t.x, t.y);
        }
        let _ = ctx.fill_text(&t.text, t.x, t.y);
    }
}

/// The layer above the rows: committed range, drag, selection, arrows, cursor.
pub fn draw_overlay(ctx: &Context, core: &TimelineState, theme: &Theme, hovered: Option<EventRect>, font: &str) {
    let (width, height) = (core.view.width_px, core.height_px);
    ctx.set_font(font);
    let all = [(0.0, height)];
    if let Some(range) = core.range {
        band(ctx, core, theme, range, (&core.covered(), true));
    }
    if let Some(range) = core.measured {
        band(ctx, core, theme, range, (&all, false));
        length(ctx, core, theme, range);
    }
    if let Some((range, kind)) = core.marked() {
        let boxed = core.dragged_box();
        // A box has no handles yet.
        let has_handles = boxed.is_none() && kind == DragKind::Tool(Tool::Select);
        band(ctx, core, theme, range, (&boxed.map_or(all, |b| [b]), has_handles));
        length(ctx, core, theme, range);
    }
    mark_paint::draw(ctx, core, theme);
    let is_seen = |p: &EventRect| p.is_pinned || p.top >= f64::from(core.rows.pinned_height) - 2.0;
    if let Some(place) = hovered.filter(is_seen) {
        frame(ctx, place, width, &css(theme.text), 1.0);
    }
    if let Some(place) = core.selection.and_then(|s| core.place_of(s)).filter(is_seen) {
        frame(ctx, place, width, &css(theme.text), 2.0);
    }
    super::flow_lines::draw(ctx, core, theme);
    for (arrow, is_incoming) in core.arrows_on_screen() {
        draw_arrow(ctx, arrow, &css(if is_incoming { theme.predecessor } else { theme.successor }));
    }
    if let Some((x, _)) = core.pointer.filter(|_| core.drag.is_none_or(|d| !d.is_real)) {
        ctx.set_global_alpha(0.5);
        ctx.set_fill_style_str(&css(theme.text));
        ctx.fill_rect(x.floor(), 0.0, 1.0, height);
        ctx.set_global_alpha(1.0);
        readings(ctx, core, theme, x);
    }
}

/// A band of time, shaded between some heights, with handles if it can be dragged.
fn band(ctx: &Context, core: &TimelineState, theme: &Theme, range: TimeRange, (parts, has_handles): (&[(f64, f64)], bool)) {
    let clamp = |x: f64| x.clamp(-10.0, core.view.width_px + 10.0);
    let (left, right) = (clamp(core.view.px_from_time(range.start.0)), clamp(core.view.px_from_time(range.end.0)));
    ctx.set_fill_style_str(&css(theme.accent));
    ctx.set_global_alpha(0.14);
    for (top, bottom) in parts {
        ctx.fill_rect(left, *top, (right - left).max(1.0), bottom - top);
    }
    ctx.set_global_alpha(0.9);
    for x in [left, right] {
        for (top, bottom) in parts {
            ctx.fill_rect(x.round() - 0.5, *top, 1.0, bottom - top);
        }
        if has_handles {
            ctx.fill_rect(x.round() - 3.0, 0.0, 6.0, 14.0);
        }
    }
    ctx.set_global_alpha(1.0);
}

/// How long a band is, written into it.
fn length(ctx: &Context, core: &TimelineState, theme: &Theme, range: TimeRange) {
    let label = text::duration(range.duration());
    let middle = (core.view.px_from_time(range.start.0) + core.view.px_from_time(range.end.0)) / 2.0;
    let width = label.chars().count() as f64 * 7.0 + 12.0;
    let x = (middle - width / 2.0).clamp(4.0, (core.view.width_px - width - 4.0).max(4.0));
    ctx.set_fill_style_str(&css(theme.text));
    ctx.fill_rect(x, 8.0, width, 20.0);
    ctx.set_fill_style_str(&css(theme.background));
    ctx.set_text_baseline("middle");
    let _ = ctx.fill_text(&label, x + 6.0, 18.5);
}

/// The outline of a slice, at least 3 pixels wide.
fn frame(ctx: &Context, place: EventRect, width: f64, colour: &str, thickness: f64) {
    let left = place.left.floor().max(-4.0);
    let right = place.right.floor().max(place.left.floor() + 3.0).min(width + 4.0);
    if right < 0.0 || left > width {
        return;
    }
    ctx.set_stroke_style_str(colour);
    ctx.set_line_width(thickness);
    let inset = thickness / 2.0;
    ctx.stroke_rect(left + inset - 1.0, place.top + inset, right - left - thickness + 2.0, place.height - thickness);
}

fn draw_arrow(ctx: &Context, arrow: Arrow, colour: &str) {
    ctx.set_stroke_style_str(colour);
    ctx.set_fill_style_str(colour);
    ctx.set_line_width(1.5);
    ctx.begin_path();
    let head = match arrow {
        Arrow::Curve([a, b, c, d]) => {
            ctx.move_to(a.0, a.1);
            ctx.bezier_curve_to(b.0, b.1, c.0, c.1, d.0, d.1);
            Some(d)
        }
        Arrow::Line(a, b, has_head) => {
            ctx.move_to(a.0, a.1);
            ctx.line_to(b.0, b.1);
            has_head.then_some(b)
        }
    };
    ctx.stroke();
    if let Some((x, y)) = head {
        ctx.begin_path();
        ctx.move_to(x, y);
        ctx.line_to(x - 6.0, y - 3.5);
        ctx.line_to(x - 6.0, y + 3.5);
        ctx.fill();
    } else if let Arrow::Line(_, (x, y), _) = arrow {
        ctx.begin_path();
        let _ = ctx.arc(x, y, 2.0, 0.0, TAU);
        ctx.fill();
    }
}

/// Values beside the cursor that fit, their left edge and width, within the canvas.
fn reading(values: &[String], x: f64, width: f64) -> (String, f64, f64) {
    let joined = |n: usize| values[..n].join(" · ") + if n < values.len() { " …" } else { "" };
    let wide = |n: usize| joined(n).chars().count() as f64 * 6.8 + 8.0;
    let n = (1..=values.len()).rev().find(|n| wide(*n) <= width).unwrap_or(values.len().min(1));
    let wide = wide(n);
    let left = if x + wide + 4.0 > width { x - wide - 4.0 } else { x + 4.0 };
    (joined(n), left.min(width - wide).max(0.0), wide)
}

/// Every visible counter at the cursor.
fn readings(ctx: &Context, core: &TimelineState, theme: &Theme, x: f64) {
    let t = core.view.time_from_px(x);
    let pinned = core.rows.pinned_height;
    let offset = f64::from(pinned) - core.scroll;
    let visible = core.rows.between(core.scroll as i32, (core.scroll + core.height_px) as i32 - pinned);
    let rows = visible.iter().map(|r| (r, offset)).chain(core.rows.pinned.iter().map(|r| (r, 0.0)));
    ctx.set_text_baseline("middle");
    for (row, offset) in rows.filter(|r| r.0.height > r.0.header + r.0.lanes_height()) {
        for (i, &c) in core.index.tracks[row.track.index()].counters.iter().enumerate() {
            let in_view = core.curves.get(c as usize).map(|c| c.0);
            let Some(counter) = in_view.or(core.columns.info.counters.get(c as usize)) else { continue };
            let Some(values) = values_at(counter, t) else { continue };
            let values = named_values(&values, &counter.unit);
            let (label, left, wide) = reading(&values, x, core.view.width_px);
            let y = f64::from(row.counters_y() + (i as i32 + 1) * COUNTER) + offset - 11.0;
            ctx.set_fill_style_str(&css(theme.background));
            ctx.set_global_alpha(0.85);
            ctx.fill_rect(left, y - 8.0, wide, 16.0);
            ctx.set_global_alpha(1.0);
            ctx.set_fill_style_str(&css(theme.text));
            let _ = ctx.fill_text(&label, left + 4.0, y + 0.5);
        }
    }
}

/// Overview strip and ruler.
pub fn draw_top(ctx: &Context, core: &TimelineState, theme: &Theme, density: &[f32], ticks: &Ticks, font: &str) {
    let width = core.view.width_px;
    ctx.set_fill_style_str(&css(theme.raised));
    ctx.fill_rect(0.0, 0.0, width, OVERVIEW_PX);
    ctx.set_fill_style_str(&css(theme.background));
    ctx.fill_rect(0.0, OVERVIEW_PX, width, RULER_PX);
    draw_density(ctx, theme, density, width);
    let (left, right) = core.brush();
    ctx.set_fill_style_str(&css(theme.background));
    ctx.set_global_alpha(0.6);
    ctx.fill_rect(0.0, 0.0, left, OVERVIEW_PX);
    ctx.fill_rect(right, 0.0, width - right, OVERVIEW_PX);
    ctx.set_global_alpha(1.0);
    ctx.set_fill_style_str(&css(theme.accent));
    for x in [left, (right - 2.0).max(left)] {
        ctx.fill_rect(x, 0.0, 2.0, OVERVIEW_PX);
    }
    mark_paint::draw_overview(ctx, core, theme);
    ctx.set_font(font);
    ctx.set_text_baseline("middle");
    for tick in &ticks.ticks {
        ctx.set_fill_style_str(&css(theme.quiet));
        ctx.fill_rect(tick.x.floor(), OVERVIEW_PX + 14.0, 1.0, RULER_PX - 14.0);
        let _ = ctx.fill_text(&tick.label, tick.x + 4.0, OVERVIEW_PX + 12.5);
    }
    ctx.set_fill_style_str(&css(theme.line));
    ctx.fill_rect(0.0, OVERVIEW_PX, width, 1.0);
    ctx.fill_rect(0.0, OVERVIEW_PX + RULER_PX - 1.0, width, 1.0);
}

fn draw_density(ctx: &Context, theme: &Theme, density: &[f32], width: f64) {
    let step = width / density.len().max(1) as f64;
    ctx.begin_path();
    ctx.move_to(0.0, OVERVIEW_PX);
    for (i, &d) in density.iter().enumerate() {
        let y = OVERVIEW_PX - 2.0 - f64::from(d) * (OVERVIEW_PX - 8.0);
        ctx.line_to(i as f64 * step, y);
        ctx.line_to((i + 1) as f64 * step, y);
    }
    ctx.line_to(width, OVERVIEW_PX);
    ctx.set_fill_style_str(&css(theme.accent));
    ctx.set_global_alpha(0.55);
    ctx.fill();
    ctx.set_global_alpha(1.0);
}

#[cfg(test)]
mod tests {
    use super::reading;

    #[test]
    fn values_at_the_cursor_stay_on_the_canvas() {
        let values = ["0.25\u{a0}banks", "0.25\u{a0}banks", "0.5\u{a0}banks"].map(String::from);
        for x in [0.0, 60.0, 110.0, 219.0] {
            let (label, left, wide) = reading(&values, x, 220.0);
            assert!(left >= 0.0 && left + wide <= 220.0, "{x}: {label} {left} {wide}");
        }
        assert_eq!(reading(&values, 300.0, 1000.0).1, 304.0, "to the right of the cursor where there is room");
        assert_eq!(reading(&values, 10.0, 100.0).0, "0.25\u{a0}banks …", "what has no room is left out, and it is said");
        assert_eq!(reading(&[], 10.0, 100.0).0, "");
    }
}
