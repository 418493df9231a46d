//! Painting curves.

use super::data::{Layout, Line, Mark, Shape};
use crate::ui::chart::look::{self, FONT, Look};
use web_sys::CanvasRenderingContext2d;

/// What is laid over the curves.
pub(super) struct Over<'a> {
    /// Points with a name.
    pub marks: &'a [Mark],
    /// The chosen range.
    pub range: Option<(i64, i64)>,
    /// Where the cursor stands.
    pub cursor: Option<i64>,
    /// The series that is lit: the others step back.
    pub lit: Option<&'a str>,
}

/// Paints axes, curves, range, marks and cursor.
pub(super) fn paint(context: &CanvasRenderingContext2d, layout: &Layout, lines: &[&Line], over: &Over, titles: (&str, &str), look: &Look) {
    context.set_font(FONT);
    axes(context, layout, titles, look);
    context.save();
    context.begin_path();
    context.rect(layout.left, layout.top - 4.0, layout.width, layout.height + 4.0);
    context.clip();
    for line in lines {
        context.set_global_alpha(if over.lit.is_some_and(|lit| lit != line.name) { 0.25 } else { 1.0 });
        curve(context, layout, line, look);
        context.set_global_alpha(1.0);
    }
    if let Some(range) = over.range {
        band(context, layout, range, look);
    }
    context.restore();
    for mark in over.marks {
        peak(context, layout, mark, look);
    }
    if let Some(x) = over.cursor {
        cursor(context, layout, lines, x, look);
    }
    look::rule(context, (layout.left, layout.py(0.0)), (layout.left + layout.width, layout.py(0.0)), &look.axis);
}

fn axes(context: &CanvasRenderingContext2d, layout: &Layout, (x_title, y_title): (&str, &str), look: &Look) {
    let (right, ground) = (layout.left + layout.width, layout.top + layout.height);
    for tick in &layout.y.ticks {
        let y = layout.py(tick.value);
        look::rule(context, (layout.left, y), (right, y), &look.line);
        context.set_fill_style_str(&look.quiet);
        look::write(context, &tick.label, layout.left - 6.0, y, "right");
    }
    for tick in &layout.x.ticks {
        let x = layout.left + layout.width * layout.x.share(tick.value);
        look::rule(context, (x, ground), (x, ground + 4.0), &look.axis);
        context.set_fill_style_str(&look.quiet);
        // The outermost labels stay on the canvas.
        let half = look::width_of(context, &tick.label) / 2.0;
        look::write(context, &tick.label, x.clamp(half, (right + 8.0 - half).max(half)), ground + 12.0, "center");
    }
    context.set_fill_style_str(&look.quiet);
    look::write(context, &titled(y_title, layout.y.unit), layout.left + 2.0, 7.0, "left");
    look::write(context, &titled(x_title, layout.x.unit), right, ground + 28.0, "right");
}

/// `Time, ms`.
fn titled(title: &str, unit: &str) -> String {
    [title, unit].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", ")
}

fn curve(context: &CanvasRenderingContext2d, layout: &Layout, line: &Line, look: &Look) {
    let path = layout.path(line);
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return };
    context.begin_path();
    context.move_to(first.0, first.1);
    path.iter().for_each(|(x, y)| context.line_to(*x, *y));
    let colour = look.stroke(line.colour);
    context.set_stroke_style_str(&colour);
    context.set_line_width(1.5);
    context.stroke();
    if line.shape == Shape::Area {
        context.line_to(last.0, layout.py(0.0));
        context.line_to(first.0, layout.py(0.0));
        context.close_path();
        let alpha = context.global_alpha();
        context.set_global_alpha(alpha * 0.18);
        context.set_fill_style_str(&colour);
        context.fill();
        context.set_global_alpha(alpha);
    }
    if line.points.len() == 1 {
        dot(context, first.0, first.1, &colour, look);
    }
}

/// What is not chosen steps back; the edges of the range stand out.
fn band(context: &CanvasRenderingContext2d, layout: &Layout, (from, to): (i64, i64), look: &Look) {
    let right = layout.left + layout.width;
    let (a, b) = (layout.px(from).clamp(layout.left, right), layout.px(to).clamp(layout.left, right));
    context.set_global_alpha(0.6);
    context.set_fill_style_str(&look.surface);
    context.fill_rect(layout.left, layout.top - 4.0, a - layout.left, layout.height + 4.0);
    context.fill_rect(b, layout.top - 4.0, right - b, layout.height + 4.0);
    context.set_global_alpha(0.1);
    context.set_fill_style_str(&look.accent);
    context.fill_rect(a, layout.top - 4.0, b - a, layout.height + 4.0);
    context.set_global_alpha(1.0);
    for x in [a, b] {
        look::rule(context, (x, layout.top - 4.0), (x, layout.top + layout.height), &look.accent);
    }
}

/// A dot at the peak, and its label on the side that has room.
fn peak(context: &CanvasRenderingContext2d, layout: &Layout, mark: &Mark, look: &Look) {
    let (x, y) = (layout.px(mark.x), layout.py(mark.y));
    if x < layout.left - 1.0 || x > layout.left + layout.width + 1.0 {
        return;
    }
    dot(context, x, y, &look.text, look);
    let width = look::width_of(context, &mark.label);
    let (at, align) = if x + width + 14.0 < layout.left + layout.width { (x + 8.0, "left") } else { (x - 8.0, "right") };
    let y = (y - 10.0).max(layout.top - 6.0);
    // A little ground under the words keeps them legible over the curve.
    context.set_stroke_style_str(&look.surface);
    context.set_line_width(4.0);
    context.set_line_join("round");
    context.set_text_align(align);
    context.set_text_baseline("middle");
    let _ = context.stroke_text(&mark.label, at, y);
    context.set_fill_style_str(&look.text);
    look::write(context, &mark.label, at, y, align);
}

fn cursor(context: &CanvasRenderingContext2d, layout: &Layout, lines: &[&Line], x: i64, look: &Look) {
    let px = layout.px(x);
    look::rule(context, (px, layout.top - 4.0), (px, layout.top + layout.height), &look.axis);
    for line in lines {
        if let Some((at, value)) = line.at(x) {
            let at = if line.shape == Shape::Line { layout.px(at) } else { px };
            dot(context, at, layout.py(value), &look.stroke(line.colour), look);
        }
    }
}

fn dot(context: &CanvasRenderingContext2d, x: f64, y: f64, colour: &str, look: &Look) {
    context.begin_path();
    let _ = context.arc(x, y, 3.5, 0.0, std::f64::consts::TAU);
    context.set_fill_style_str(colour);
    context.fill();
    context.set_stroke_style_str(&look.surface);
    context.set_line_width(1.5);
    context.stroke();
}
