//! Draws the arrows of the window: a path for each kind, so that hundreds cost a few strokes.

use super::theme::{Theme, css};
use crate::views::timeline::state::arrows::{Arrow, kind_slot};
use crate::views::timeline::state::timeline_state::TimelineState;
use web_sys::CanvasRenderingContext2d as Context;

/// From this many on, curves step back so that what is below stays legible.
const MANY: usize = 120;

/// All arrows of the window that are on screen.
pub fn draw(ctx: &Context, core: &TimelineState, theme: &Theme) {
    if core.flows.is_empty() {
        return;
    }
    let arrows = core.flows_on_screen();
    let is_many = arrows.len() > MANY;
    ctx.set_line_width(if is_many { 1.0 } else { 1.25 });
    ctx.set_global_alpha(if is_many { 0.55 } else { 0.9 });
    for kind in arrows.chunk_by(|a, b| a.1 == b.1) {
        let slot = usize::from(kind_slot(kind[0].1)) % theme.thin.len().max(1);
        let colour = css(theme.thin.get(slot).copied().unwrap_or(theme.text));
        ctx.set_stroke_style_str(&colour);
        ctx.set_fill_style_str(&colour);
        ctx.begin_path();
        kind.iter().for_each(|(arrow, _)| line(ctx, arrow));
        ctx.stroke();
        ctx.begin_path();
        kind.iter().for_each(|(arrow, _)| head(ctx, arrow));
        ctx.fill();
    }
    ctx.set_global_alpha(1.0);
}

fn line(ctx: &Context, arrow: &Arrow) {
    match *arrow {
        Arrow::Curve([a, b, c, d]) => {
            ctx.move_to(a.0, a.1);
            ctx.bezier_curve_to(b.0, b.1, c.0, c.1, d.0, d.1);
        }
        Arrow::Line(a, b, _) => {
            ctx.move_to(a.0, a.1);
            ctx.line_to(b.0, b.1);
        }
    }
}

fn head(ctx: &Context, arrow: &Arrow) {
    let (x, y) = match *arrow {
        Arrow::Curve(points) => points[3],
        Arrow::Line(_, end, true) => end,
        Arrow::Line(..) => return,
    };
    ctx.move_to(x, y);
    ctx.line_to(x - 5.0, y - 3.0);
    ctx.line_to(x - 5.0, y + 3.0);
    ctx.close_path();
}
