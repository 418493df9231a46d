//! On-chip memory as address over time: how a map is drawn, and what is under a point of it.

use crate::base::{DurationNs, TimeNs, TimeRange, text};
use crate::ui::chart::look::{self, FONT, Look, Size};
use web_sys::CanvasRenderingContext2d;

/// Room for addresses at the left and times below, CSS pixels.
const LEFT: f64 = 76.0;
const BELOW: f64 = 22.0;

/// A rectangle of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// Start and end.
    pub range: TimeRange,
    /// First and last byte.
    pub addresses: (i64, i64),
    /// Colour slot.
    pub colour: u16,
}

/// First and last time and address, none of them empty. `None` without areas.
fn extent(areas: &[Area]) -> Option<(TimeRange, (i64, i64))> {
    let start = areas.iter().map(|a| a.range.start.0).min()?;
    let end = areas.iter().map(|a| a.range.end.0).max()?;
    let low = areas.iter().map(|a| a.addresses.0).min()?;
    let high = areas.iter().map(|a| a.addresses.1).max()?.saturating_add(1);
    let time = TimeRange { start: TimeNs(start), end: TimeNs(end.max(start.saturating_add(1))) };
    Some((time, (low, high.max(low.saturating_add(1)))))
}

/// The last area drawn at a time and address, by position.
fn area_at(areas: &[Area], time: i64, address: i64) -> Option<usize> {
    let has = |a: &Area| (a.range.start.0..=a.range.end.0).contains(&time) && (a.addresses.0..=a.addresses.1).contains(&address);
    areas.iter().rposition(has)
}

/// The area at a point of a plot of that size, by position.
pub fn under(areas: &[Area], size: Size, (px, py): (f64, f64)) -> Option<usize> {
    let (time, (low, high)) = extent(areas)?;
    let (across, up) = ((px - LEFT) / (size.width - LEFT).max(1.0), 1.0 - py / (size.height - BELOW).max(1.0));
    let at = time.start.0 + (time.duration().0 as f64 * across) as i64;
    area_at(areas, at, low + ((high - low) as f64 * up) as i64)
}

/// Paints the areas with their axes.
pub fn paint(context: &CanvasRenderingContext2d, areas: &[Area], size: Size, look: &Look) {
    let Some((time, (low, high))) = extent(areas) else { return };
    let (width, height) = ((size.width - LEFT).max(1.0), (size.height - BELOW).max(1.0));
    let x = |t: i64| LEFT + width * (t - time.start.0) as f64 / time.duration().0 as f64;
    let y = |a: i64| height * (1.0 - (a - low) as f64 / (high - low) as f64);
    context.set_font(FONT);
    for area in areas {
        let (left, top) = (x(area.range.start.0), y(area.addresses.1.saturating_add(1)));
        let (wide, tall) = ((x(area.range.end.0) - left).max(1.0), (y(area.addresses.0) - top).max(1.0));
        context.set_fill_style_str(&look.slot(area.colour));
        context.fill_rect(left, top, wide, tall);
        if wide > 4.0 && tall > 4.0 {
            context.set_stroke_style_str(&look.line);
            context.set_line_width(1.0);
            context.stroke_rect(left + 0.5, top + 0.5, wide - 1.0, tall - 1.0);
        }
    }
    look::rule(context, (LEFT, 0.0), (LEFT, height), &look.axis);
    look::rule(context, (LEFT, height), (size.width, height), &look.axis);
    context.set_fill_style_str(&look.quiet);
    for (share, align) in [(0.0, "left"), (0.5, "center"), (1.0, "right")] {
        let address = low + ((high - low) as f64 * share) as i64;
        look::write(context, &format!("{address:#x}"), LEFT - 6.0, y(address).clamp(7.0, height - 7.0), "right");
        let time = DurationNs(time.start.0 + (time.duration().0 as f64 * share) as i64);
        look::write(context, &text::duration(time), LEFT + width * share, height + 12.0, align);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_found_by_time_and_address() {
        let area = |start, end, from, to| Area { range: TimeRange::new(TimeNs(start), TimeNs(end)), addresses: (from, to), colour: 0 };
        let areas = [area(0, 10, 0, 99), area(5, 20, 100, 199)];
        assert_eq!(extent(&areas), Some((TimeRange::new(TimeNs(0), TimeNs(20)), (0, 200))));
        assert_eq!((area_at(&areas, 6, 150), area_at(&areas, 15, 50), extent(&[])), (Some(1), None, None));
        let size = Size { width: LEFT + 200.0, height: BELOW + 200.0 };
        assert_eq!([under(&areas, size, (LEFT + 1.0, 199.0)), under(&areas, size, (LEFT + 199.0, 1.0))], [Some(0), Some(1)]);
        assert_eq!((under(&areas, size, (LEFT + 199.0, 199.0)), under(&[], size, (1.0, 1.0))), (None, None));
    }
}
