//! Painting a flame graph.

use super::data::{Node, NodeBox, ROW};
use crate::base::short_name;
use crate::ui::chart::look::{self, FONT, Look};
use crate::ui::palette::fixed;
use web_sys::CanvasRenderingContext2d;

/// Paints the places over a width.
pub(super) fn paint(
    context: &CanvasRenderingContext2d,
    nodes: &[Node],
    places: &[NodeBox],
    width: f64,
    highlighted: Option<usize>,
    look: &Look,
) {
    context.set_font(FONT);
    for (i, place) in places.iter().enumerate() {
        let Some(node) = nodes.get(place.node) else { continue };
        let (x, y) = (place.start * width, place.depth as f64 * ROW);
        // A gap of a pixel between neighbours, where there is room for it.
        let wide = place.share * width;
        let wide = if wide > 3.0 { wide - 1.0 } else { wide.max(0.5) };
        let slot = if place.count > 1 { fixed::OTHER } else { node.colour };
        context.set_fill_style_str(&look.slot(slot));
        context.fill_rect(x, y, wide, ROW - 1.0);
        if wide >= 28.0 {
            let name = if place.count > 1 { format!("{} more", place.count) } else { short_name(&node.name).into_owned() };
            if let Some(name) = look::fitted(context, &name, wide - 8.0) {
                context.set_fill_style_str(&look.on_slot(slot));
                look::write(context, &name, x + 4.0, y + ROW / 2.0, "left");
            }
        }
        if highlighted == Some(i) {
            context.set_stroke_style_str(&look.text);
            context.set_line_width(2.0);
            context.stroke_rect(x + 1.0, y + 1.0, (wide - 2.0).max(0.5), ROW - 3.0);
        }
    }
}
