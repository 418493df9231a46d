//! Painting points under ceilings.

use super::data::{self, Ceiling, Dot, Layout, Mark};
use crate::ui::chart::look::{self, FONT, Look};
use web_sys::CanvasRenderingContext2d;

/// Everything that is painted.
pub(super) struct Picture<'a> {
    pub dots: &'a [&'a Dot],
    pub ceilings: &'a [Ceiling],
    pub slope: Option<(&'a str, f64)>,
    pub mark: Option<&'a Mark>,
    /// The point that is lit, by position.
    pub lit: Option<usize>,
    pub titles: (&'a str, &'a str),
}

pub(super) fn paint(context: &CanvasRenderingContext2d, layout: &Layout, picture: &Picture<'_>, look: &Look) {
    context.set_font(FONT);
    axes(context, layout, picture.titles, look);
    let highest = picture.ceilings.iter().map(|c| c.level).fold(0.0, f64::max);
    if let Some((name, slope)) = picture.slope {
        slanted(context, layout, (name, slope), if highest > 0.0 { highest } else { f64::MAX }, look);
    }
    let mut written: Vec<f64> = Vec::new();
    for ceiling in picture.ceilings {
        level(context, layout, ceiling, picture.slope.map(|s| s.1), &mut written, look);
    }
    if let Some(mark) = picture.mark {
        diamond(context, layout, mark, look);
    }
    for (at, dot) in picture.dots.iter().enumerate().filter(|(_, d)| data::drawable(d)) {
        circle(context, layout, dot, picture.lit == Some(at), look);
    }
}

fn axes(context: &CanvasRenderingContext2d, layout: &Layout, (x_title, y_title): (&str, &str), look: &Look) {
    let (right, ground) = (layout.left + layout.width, layout.top + layout.height);
    for power in layout.y.decades((layout.height / 28.0) as usize) {
        let y = layout.py(10f64.powi(power));
        look::rule(context, (layout.left, y), (right, y), &look.line);
        context.set_fill_style_str(&look.quiet);
        look::write(context, &data::power(power), layout.left - 6.0, y, "right");
    }
    for power in layout.x.decades((layout.width / 56.0) as usize) {
        let x = layout.px(10f64.powi(power));
        look::rule(context, (x, layout.top), (x, ground), &look.line);
        context.set_fill_style_str(&look.quiet);
        // The last one would be cut at the edge of the canvas.
        let align = if x > right - 12.0 { "right" } else { "center" };
        look::write(context, &data::power(power), x.min(right + 10.0), ground + 12.0, align);
    }
    look::rule(context, (layout.left, ground), (right, ground), &look.axis);
    look::rule(context, (layout.left, layout.top), (layout.left, ground), &look.axis);
    context.set_fill_style_str(&look.quiet);
    look::write(context, y_title, layout.left + 2.0, 8.0, "left");
    look::write(context, x_title, right, ground + 28.0, "right");
}

fn line(context: &CanvasRenderingContext2d, from: (f64, f64), to: (f64, f64)) {
    context.begin_path();
    context.move_to(from.0, from.1);
    context.line_to(to.0, to.1);
    context.stroke();
}

/// The memory ceiling, with its name along it.
fn slanted(context: &CanvasRenderingContext2d, layout: &Layout, (name, slope): (&str, f64), highest: f64, look: &Look) {
    let Some([from, to]) = layout.slope(slope, highest) else { return };
    context.set_stroke_style_str(&look.text);
    context.set_line_width(1.5);
    line(context, from, to);
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    if look::width_of(context, name) + 24.0 < length {
        context.save();
        let _ = context.translate(from.0 + (to.0 - from.0) * 0.45, from.1 + (to.1 - from.1) * 0.45);
        let _ = context.rotate((to.1 - from.1).atan2(to.0 - from.0));
        context.set_fill_style_str(&look.text);
        look::write(context, name, 0.0, -9.0, "center");
        context.restore();
    }
}

/// A compute ceiling from where it meets the slope, or from the left.
fn level(context: &CanvasRenderingContext2d, layout: &Layout, ceiling: &Ceiling, slope: Option<f64>, written: &mut Vec<f64>, look: &Look) {
    let (y, right) = (layout.py(ceiling.level), layout.left + layout.width);
    let from = slope.filter(|s| *s > 0.0).map_or(layout.left, |s| layout.px(ceiling.level / s).clamp(layout.left, right));
    context.set_stroke_style_str(if ceiling.is_dashed { &look.quiet } else { &look.text });
    context.set_line_width(1.5);
    let dash = js_sys::Array::new();
    if ceiling.is_dashed {
        dash.push(&6.0.into());
        dash.push(&4.0.into());
    }
    let _ = context.set_line_dash(&dash);
    line(context, (from, y), (right, y));
    let _ = context.set_line_dash(&js_sys::Array::new());
    // Two names never stand on each other: the second one goes below its line, a third is left to the table.
    let place = [y - 8.0, y + 9.0].into_iter().find(|at| written.iter().all(|w| (w - at).abs() >= 13.0));
    if let Some(at) = place {
        context.set_fill_style_str(if ceiling.is_dashed { &look.quiet } else { &look.text });
        look::write(context, &ceiling.name, right - 2.0, at, "right");
        written.push(at);
    }
}

fn diamond(context: &CanvasRenderingContext2d, layout: &Layout, mark: &Mark, look: &Look) {
    let (x, y) = (layout.px(mark.x), layout.py(mark.y));
    context.begin_path();
    context.move_to(x, y - 6.0);
    context.line_to(x + 6.0, y);
    context.line_to(x, y + 6.0);
    context.line_to(x - 6.0, y);
    context.close_path();
    context.set_fill_style_str(&look.accent);
    context.fill();
    context.set_fill_style_str(&look.text);
    let width = look::width_of(context, &mark.name);
    let (at, align) = if x + width + 12.0 < layout.left + layout.width { (x + 10.0, "left") } else { (x - 10.0, "right") };
    // Below the names that a ceiling through the same point may have above and under its line.
    look::write(context, &mark.name, at, y + 24.0, align);
}

fn circle(context: &CanvasRenderingContext2d, layout: &Layout, dot: &Dot, is_lit: bool, look: &Look) {
    let colour = look.stroke(dot.colour);
    context.begin_path();
    let _ = context.arc(layout.px(dot.x), layout.py(dot.y), Layout::radius(dot.size), 0.0, std::f64::consts::TAU);
    if !dot.is_hollow {
        context.set_global_alpha(0.75);
        context.set_fill_style_str(&colour);
        context.fill();
        context.set_global_alpha(1.0);
    }
    context.set_stroke_style_str(if is_lit {
        &look.text
    } else if dot.is_hollow {
        &colour
    } else {
        &look.surface
    });
    context.set_line_width(if is_lit || dot.is_hollow { 2.0 } else { 1.0 });
    context.stroke();
}
