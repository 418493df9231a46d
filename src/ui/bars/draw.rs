//! Painting bars.

use super::data::{Bar, Mark, Series};
use super::layout::Layout;
use crate::ui::chart::look::{self, FONT, Look};
use web_sys::CanvasRenderingContext2d;

/// Paints axis, bars and names.
pub(super) fn paint(context: &CanvasRenderingContext2d, layout: &Layout, series: &[Series], bars: &[Bar], lit: Option<Mark>, look: &Look) {
    context.set_font(FONT);
    let right = layout.left + layout.width;
    grid(context, layout, look);
    context.save();
    context.begin_path();
    context.rect(layout.left, 0.0, layout.width, layout.top + layout.height + 44.0);
    context.clip();
    for at in layout.in_sight() {
        bar(context, layout, series, &bars[at], at, lit, look);
    }
    names(context, layout, bars, look);
    context.restore();
    look::rule(context, (layout.left, layout.y(0.0)), (right, layout.y(0.0)), &look.axis);
}

/// Lines at the ticks, their labels, and the unit above them.
fn grid(context: &CanvasRenderingContext2d, layout: &Layout, look: &Look) {
    let right = layout.left + layout.width;
    for tick in &layout.axis.ticks {
        let y = layout.y(tick.value);
        look::rule(context, (layout.left, y), (right, y), &look.line);
        context.set_fill_style_str(&look.quiet);
        look::write(context, &tick.label, layout.left - 6.0, y, "right");
    }
    context.set_fill_style_str(&look.quiet);
    look::write(context, layout.axis.unit, layout.left + 2.0, 7.0, "left");
}

fn bar(context: &CanvasRenderingContext2d, layout: &Layout, series: &[Series], bar: &Bar, at: usize, lit: Option<Mark>, look: &Look) {
    let is_here = lit.is_some_and(|m| m.bar == at);
    if is_here {
        context.set_global_alpha(0.5);
        context.set_fill_style_str(&look.line);
        context.fill_rect(layout.column(at), layout.top, layout.pitch, layout.height);
        context.set_global_alpha(1.0);
    }
    for (which, [x, y, width, height]) in layout.rects(at, bar) {
        let Some(series) = series.get(which) else { continue };
        if bar.value(which) == 0.0 {
            continue;
        }
        // What there is is seen: half a pixel at least.
        let height = height.max(0.5);
        let is_back = is_here && lit.and_then(|m| m.series).is_some_and(|s| s != which);
        context.set_global_alpha(if is_back { 0.45 } else { 1.0 });
        context.set_fill_style_str(&look.slot(series.colour));
        context.fill_rect(x, y, width, height);
        context.set_global_alpha(1.0);
        if height >= 4.0 && !layout.is_beside {
            context.set_fill_style_str(&look.surface);
            context.fill_rect(x, y, width, 1.0);
        }
        if is_here && lit.and_then(|m| m.series) == Some(which) {
            context.set_stroke_style_str(&look.text);
            context.set_line_width(2.0);
            context.stroke_rect(x, y, width, height);
        }
    }
}

/// Names beneath the bars, as many as have room, and beneath them what neighbours have in common.
fn names(context: &CanvasRenderingContext2d, layout: &Layout, bars: &[Bar], look: &Look) {
    let seen = layout.in_sight();
    let y = layout.top + layout.height + 12.0;
    context.set_fill_style_str(&look.quiet);
    for (at, middle, room) in layout.name_places(|at| look::width_of(context, &bars[at].name)) {
        let Some(name) = look::fitted(context, &bars[at].name, room) else { continue };
        look::write(context, &name, middle, y, "center");
    }
    let mut at = seen.start;
    while at < seen.end {
        let group = &bars[at].group;
        let end = bars[at..].iter().position(|b| b.group != *group).map_or(bars.len(), |n| at + n);
        if !group.is_empty() {
            let from = layout.column(at).max(layout.left);
            let to = layout.column(end).min(layout.left + layout.width);
            look::rule(context, (from + 3.0, y + 9.0), (to - 4.0, y + 9.0), &look.axis);
            context.set_fill_style_str(&look.text);
            if let Some(name) = look::fitted(context, group, to - from - 8.0) {
                look::write(context, &name, (from + to) / 2.0, y + 19.0, "center");
            }
        }
        at = end;
    }
}
