//! Annotations onto canvases: lines with flags over the rows, short lines in the overview strip. Makes no decisions.

use super::overview::OVERVIEW_PX;
use super::theme::{Theme, css};
use crate::views::timeline::state::marks::{FLAG_PX, Mark};
use crate::views::timeline::state::timeline_state::TimelineState;
use web_sys::CanvasRenderingContext2d as Context;

/// Lines, bands and flags over the rows.
pub(crate) fn draw(ctx: &Context, core: &TimelineState, theme: &Theme) {
    for mark in core.marks() {
        draw_one(ctx, core, theme, &mark);
    }
}

fn draw_one(ctx: &Context, core: &TimelineState, theme: &Theme, mark: &Mark) {
    let clamp = |x: f64| x.clamp(-400.0, core.view.width_px + 10.0);
    let slot = usize::from(mark.colour) % theme.thin.len().max(1);
    let colour = theme.thin.get(slot).copied().unwrap_or(theme.accent);
    ctx.set_fill_style_str(&css(colour));
    let left = clamp(mark.left);
    if let Some(right) = mark.right.map(clamp) {
        ctx.set_global_alpha(if mark.is_chosen { 0.22 } else { 0.12 });
        ctx.fill_rect(left, 0.0, (right - left).max(1.0), core.height_px);
        ctx.set_global_alpha(1.0);
        line(ctx, right, mark, core.height_px);
    }
    line(ctx, left, mark, core.height_px);
    let width = mark.flag_px();
    ctx.fill_rect(left, 0.0, width, FLAG_PX);
    ctx.set_fill_style_str(&css(theme.text_on_thin.get(slot).copied().unwrap_or(theme.background)));
    ctx.set_text_baseline("middle");
    // Nothing to be done about a canvas that refuses; the next frame tries again.
    let _ = ctx.fill_text(&mark.label, left + 4.0, FLAG_PX / 2.0 + 0.5);
}

fn line(ctx: &Context, x: f64, mark: &Mark, height: f64) {
    let width = if mark.is_chosen { 3.0 } else { 1.5 };
    ctx.fill_rect(x - width / 2.0, 0.0, width, height);
}

/// Where annotations are in the whole profile.
pub(crate) fn draw_overview(ctx: &Context, core: &TimelineState, theme: &Theme) {
    let range = core.columns.range();
    let whole = (range.duration().0 as f64).max(1.0);
    let px = |t: i64| (t.saturating_sub(range.start.0) as f64 / whole * core.view.width_px).clamp(0.0, core.view.width_px);
    for a in &core.annotations.items {
        let slot = usize::from(a.colour) % theme.thin.len().max(1);
        ctx.set_fill_style_str(&css(theme.thin.get(slot).copied().unwrap_or(theme.accent)));
        let of = a.range();
        let (left, right) = (px(of.start.0), px(of.end.0));
        if a.is_region() {
            ctx.set_global_alpha(0.35);
            ctx.fill_rect(left, 0.0, (right - left).max(1.0), OVERVIEW_PX);
            ctx.set_global_alpha(1.0);
        }
        ctx.fill_rect(left - 1.0, 0.0, 2.0, OVERVIEW_PX);
        // A base line, so that not only colour distinguishes it from the density.
        ctx.fill_rect(left - 3.0, OVERVIEW_PX - 4.0, 6.0, 4.0);
    }
}
