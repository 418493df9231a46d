//! Painting boxes.

use super::data::{Boxed, Layout, PITCH};
use crate::ui::chart::look::{self, FONT, Look, MONO};
use web_sys::CanvasRenderingContext2d;

pub(super) fn paint(context: &CanvasRenderingContext2d, layout: &Layout, boxes: &[Boxed], lit: Option<usize>, look: &Look) {
    context.set_font(FONT);
    let right = layout.left + layout.width;
    for tick in &layout.axis.ticks {
        let x = layout.x(tick.value);
        look::rule(context, (x, layout.y(0)), (x, layout.ground), &look.line);
        context.set_fill_style_str(&look.quiet);
        look::write(context, &tick.label, x, layout.ground + 12.0, "center");
    }
    look::rule(context, (layout.left, layout.ground), (right, layout.ground), &look.axis);
    context.set_fill_style_str(&look.quiet);
    look::write(context, layout.axis.unit, right, layout.ground + 28.0, "right");
    for (at, one) in boxes.iter().enumerate() {
        paint_one(context, layout, at, one, lit == Some(at), look);
    }
}

fn paint_one(context: &CanvasRenderingContext2d, layout: &Layout, at: usize, one: &Boxed, is_lit: bool, look: &Look) {
    let top = layout.y(at);
    context.set_font(MONO);
    context.set_fill_style_str(&look.text);
    if let Some(name) = look::fitted(context, &one.name, layout.width) {
        look::write(context, &name, layout.left, top + 7.0, "left");
    }
    let (from, to) = (top + 15.0, top + PITCH - 5.0);
    let middle = (from + to) / 2.0;
    let [least, low, median, high, most] = one.five.map(|v| layout.x(v));
    look::rule(context, (least, middle), (low, middle), &look.axis);
    look::rule(context, (high, middle), (most, middle), &look.axis);
    for end in [least, most] {
        look::rule(context, (end, from + 3.0), (end, to - 3.0), &look.axis);
    }
    context.set_fill_style_str(&look.slot(one.colour));
    context.fill_rect(low, from, (high - low).max(2.0), to - from);
    if is_lit {
        context.set_stroke_style_str(&look.text);
        context.stroke_rect(low - 0.5, from - 0.5, (high - low).max(2.0) + 1.0, to - from + 1.0);
    }
    look::rule(context, (median, from), (median, to), &look.on_slot(one.colour));
    context.set_fill_style_str(&look.text);
    context.begin_path();
    let _ = context.arc(layout.x(one.mean), middle, 2.5, 0.0, std::f64::consts::TAU);
    context.fill();
}
