//! Drawing curves.

use super::data::{Layout, Line, Mark, Shape};
use crate::ui::chart::draw::{Align, Drawn, Face, Plane, Scale, Sheet, Write, fill, stroke};
use plotters::series::{AreaSeries, LineSeries};

/// What is laid over the curves.
pub(super) struct Over<'a> {
    /// The chosen range.
    pub range: Option<(i64, i64)>,
    /// Where the cursor is.
    pub cursor: Option<i64>,
    /// The series that is pointed out: the others are paler.
    pub highlighted: Option<&'a Line>,
}

/// The room above the plot that peaks and ranges use.
const ABOVE: f64 = 4.0;

/// Draws axes, curves and marks.
pub(super) fn base(sheet: &Sheet<'_>, layout: &Layout, lines: &[&Line], marks: &[Mark], titles: (&str, &str)) -> Drawn {
    let mut plane =
        sheet.plane([layout.left, layout.top, layout.width, layout.height], (Scale::linear(&layout.x), Scale::linear(&layout.y)))?;
    sheet.mesh(&mut plane, (false, true))?;
    let (right, ground) = (layout.left + layout.width, layout.top + layout.height);
    let title = |align| Write { face: Face::Plain, align, colour: sheet.ink.quiet };
    sheet.text(&titled(titles.1, layout.y.unit), (layout.left + 2.0, 7.0), title(Align::Left))?;
    sheet.text(&titled(titles.0, layout.x.unit), (right, ground + 28.0), title(Align::Right))?;
    lines.iter().try_for_each(|line| curve(sheet, &mut plane, layout, line))?;
    if layout.y.lo < 0.0 {
        sheet.line(&[(layout.left, layout.py(0.0)), (right, layout.py(0.0))], stroke(sheet.ink.axis, 1.0))?;
    }
    marks.iter().try_for_each(|mark| peak(sheet, layout, mark))
}

/// Draws range, cursor and the series that is pointed out.
pub(super) fn over(sheet: &Sheet<'_>, layout: &Layout, lines: &[&Line], over: &Over) -> Drawn {
    if let Some(highlighted) = over.highlighted {
        let area = [layout.left, layout.top, layout.width, layout.height];
        sheet.rect(area, fill(sheet.ink.surface, 0.72))?;
        let mut plane = sheet.plane(area, (Scale::linear(&layout.x), Scale::linear(&layout.y)))?;
        curve(sheet, &mut plane, layout, highlighted)?;
    }
    if let Some(range) = over.range {
        band(sheet, layout, range)?;
    }
    over.cursor.map_or(Ok(()), |x| cursor(sheet, layout, lines, x))
}

/// `Time, ms`.
fn titled(title: &str, unit: &str) -> String {
    [title, unit].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", ")
}

fn curve<'a>(sheet: &Sheet<'a>, plane: &mut Plane<'a>, layout: &Layout, line: &Line) -> Drawn {
    let path = layout.path(line);
    let colour = sheet.ink.mark(line.colour);
    if let [(x, y)] = path[..] {
        return sheet.dot((layout.left + layout.width * layout.x.share(x), layout.py(y)), colour);
    }
    let edge = stroke(colour, 1.5);
    if line.shape == Shape::Area {
        plane.draw_series(AreaSeries::new(path, 0.0, fill(colour, 0.18)).border_style(edge))?;
    } else {
        plane.draw_series(LineSeries::new(path, edge))?;
    }
    Ok(())
}

/// The area outside the range is dimmed; the edges of the range are drawn.
fn band(sheet: &Sheet<'_>, layout: &Layout, (from, to): (i64, i64)) -> Drawn {
    let right = layout.left + layout.width;
    let (a, b) = (layout.px(from).clamp(layout.left, right), layout.px(to).clamp(layout.left, right));
    let (top, height) = (layout.top - ABOVE, layout.height + ABOVE);
    for (x, width, style) in [
        (layout.left, a - layout.left, fill(sheet.ink.surface, 0.6)),
        (b, right - b, fill(sheet.ink.surface, 0.6)),
        (a, b - a, fill(sheet.ink.accent, 0.1)),
    ] {
        if width > 0.0 {
            sheet.rect([x, top, width, height], style)?;
        }
    }
    [a, b].iter().try_for_each(|x| sheet.line(&[(*x, top), (*x, top + height)], stroke(sheet.ink.accent, 1.0)))
}

/// A dot at the peak, and its label on the side that has room.
fn peak(sheet: &Sheet<'_>, layout: &Layout, mark: &Mark) -> Drawn {
    let (x, y) = (layout.px(mark.x), layout.py(mark.y));
    if x < layout.left - 1.0 || x > layout.left + layout.width + 1.0 {
        return Ok(());
    }
    sheet.dot((x, y), sheet.ink.text)?;
    let width = sheet.width_of(&mark.label, Face::Plain);
    let is_right = x + width + 14.0 < layout.left + layout.width;
    let y = (y - 10.0).max(layout.top - 6.0);
    let left = if is_right { x + 8.0 } else { x - 8.0 - width };
    // A little ground under the words keeps them legible over the curve.
    sheet.rect([left - 2.0, y - 8.0, width + 4.0, 15.0], fill(sheet.ink.surface, 0.8))?;
    sheet.text(&mark.label, (left, y), Write { face: Face::Plain, align: Align::Left, colour: sheet.ink.text })
}

fn cursor(sheet: &Sheet<'_>, layout: &Layout, lines: &[&Line], x: i64) -> Drawn {
    let px = layout.px(x);
    sheet.line(&[(px, layout.top - ABOVE), (px, layout.top + layout.height)], stroke(sheet.ink.axis, 1.0))?;
    for line in lines {
        if let Some((at, value)) = line.at(x).filter(|p| p.1.is_finite()) {
            let at = if line.shape == Shape::Line { layout.px(at) } else { px };
            if at >= layout.left - 0.5 && at <= layout.left + layout.width + 0.5 {
                sheet.dot((at, layout.py(value)), sheet.ink.mark(line.colour))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;
    use crate::ui::table::Kind;

    fn svg(lines: &[Line], window: (i64, i64)) -> String {
        let all: Vec<&Line> = lines.iter().collect();
        let layout = Layout::new(&all, window, (Kind::Duration, Kind::Bytes), 600.0, 240.0);
        let marks = [Mark { x: window.0, y: 1.0, label: "peak 1 B".into() }];
        drawn((600.0, 240.0), |sheet| {
            base(sheet, &layout, &all, &marks, ("Time", "Allocated"))?;
            over(sheet, &layout, &all, &Over { range: Some(window), cursor: Some(window.0), highlighted: lines.first() })
        })
    }

    #[test]
    fn lines_areas_and_marks_are_drawn() {
        let line = |shape| Line { name: "a".into(), colour: 0, shape, points: vec![(0, 1.0), (500, 3e6), (1_000, 2e6)] };
        let found = svg(&[line(Shape::Area), line(Shape::Step), line(Shape::Line)], (0, 1_000));
        assert_eq!((found.matches("<polyline").count(), found.matches("<polygon").count()), (4, 2), "the first one again: {found}");
        // Ticks are 0, 1, 2, 3 MiB upwards, and each is written.
        for text in ["Time, µs", "Allocated, MiB", "peak 1 B", ">\n3\n", ">\n1.0\n"] {
            assert!(found.contains(text), "{text}: {found}");
        }
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_harm() {
        let line = |points: &[(i64, f64)]| Line { points: points.to_vec(), ..Line::default() };
        svg(&[], (0, 1));
        svg(&[line(&[(5, 7.0)])], (5, 5));
        svg(&[line(&[(0, 0.0), (9, 0.0)])], (0, 9));
        svg(&[line(&[(i64::MIN, f64::NEG_INFINITY), (0, f64::NAN), (i64::MAX, 1e300)])], (i64::MIN, i64::MAX));
    }
}
