//! Drawing bars.

use super::data::{Bar, Series};
use super::layout::Layout;
use crate::ui::chart::draw::{Align, Drawn, Face, Failure, Plane, Scale, Sheet, Write, fill, stroke};
use plotters::element::Rectangle;

/// Draws axis, bars and names.
pub(super) fn base(sheet: &Sheet<'_>, layout: &Layout, series: &[Series], bars: &[Bar]) -> Drawn {
    let mut plane = plane(sheet, layout)?;
    sheet.mesh(&mut plane, (false, true))?;
    sheet.text(layout.axis.unit, (layout.left + 2.0, 7.0), label(sheet, Align::Left))?;
    for at in layout.in_sight() {
        bar(sheet, &mut plane, layout, (at, &bars[at]), series, None)?;
    }
    if layout.axis.lo < 0.0 {
        let zero = layout.y(0.0);
        sheet.line(&[(layout.left, zero), (layout.left + layout.width, zero)], stroke(sheet.ink.axis, 1.0))?;
    }
    names(sheet, layout, bars)
}

/// Draws the ground of a bar, the bar, and the outline of one of its series.
pub(super) fn over(sheet: &Sheet<'_>, layout: &Layout, series: &[Series], bars: &[Bar], highlighted: (usize, Option<usize>)) -> Drawn {
    let Some(one) = bars.get(highlighted.0).filter(|_| layout.in_sight().contains(&highlighted.0)) else { return Ok(()) };
    let from = layout.column(highlighted.0).max(layout.left);
    let to = layout.column(highlighted.0 + 1).min(layout.left + layout.width);
    let column = [from, layout.top, to - from, layout.height];
    if highlighted.1.is_some() {
        // The other series of the bar are paler.
        sheet.rect(column, fill(sheet.ink.surface, 0.6))?;
    }
    sheet.rect(column, fill(sheet.ink.line, 0.5))?;
    bar(sheet, &mut plane(sheet, layout)?, layout, (highlighted.0, one), series, highlighted.1)
}

/// x is in CSS pixels, since bars scroll; y is the value.
fn plane<'a>(sheet: &Sheet<'a>, layout: &Layout) -> Result<Plane<'a>, Failure> {
    let place = [layout.left, layout.top, layout.width, layout.height];
    sheet.plane(place, (Scale::plain(layout.left..layout.left + layout.width), Scale::linear(&layout.axis)))
}

fn bar<'a>(
    sheet: &Sheet<'a>,
    plane: &mut Plane<'a>,
    layout: &Layout,
    (at, bar): (usize, &Bar),
    series: &[Series],
    highlighted: Option<usize>,
) -> Drawn {
    let mut rects = Vec::new();
    for piece in layout.pieces(at, bar) {
        let Some(of) = series.get(piece.series).filter(|_| piece.values.0 != piece.values.1) else { continue };
        let alpha = if highlighted.is_some_and(|highlighted| highlighted != piece.series) { 0.3 } else { 1.0 };
        let corners = [(piece.x.0, piece.values.0), (piece.x.1, piece.values.1)];
        let mut rect = Rectangle::new(corners, fill(sheet.ink.slot(of.colour), alpha));
        if !layout.is_beside && layout.rect(&piece)[3] >= 4.0 {
            // A little ground between one series and the next.
            rect.set_margin(Sheet::px(1.0), 0, 0, 0);
        }
        rects.push(rect);
        rects.extend((highlighted == Some(piece.series)).then(|| Rectangle::new(corners, stroke(sheet.ink.text, 2.0))));
    }
    plane.draw_series(rects)?;
    Ok(())
}

fn label(sheet: &Sheet<'_>, align: Align) -> Write {
    Write { face: Face::Plain, align, colour: sheet.ink.quiet }
}

/// Names beneath the bars, as many as have room, and beneath them what neighbours have in common.
fn names(sheet: &Sheet<'_>, layout: &Layout, bars: &[Bar]) -> Drawn {
    let seen = layout.in_sight();
    let y = layout.top + layout.height + 12.0;
    for (at, middle, room) in layout.name_places(|at| sheet.width_of(&bars[at].name, Face::Plain)) {
        let Some(name) = sheet.fitted(&bars[at].name, Face::Plain, room) else { continue };
        sheet.text(&name, (middle, y), label(sheet, Align::Middle))?;
    }
    let mut at = seen.start;
    while at < seen.end {
        let group = &bars[at].group;
        let end = bars[at..].iter().position(|b| b.group != *group).map_or(bars.len(), |n| at + n);
        if !group.is_empty() {
            let from = layout.column(at).max(layout.left);
            let to = layout.column(end).min(layout.left + layout.width);
            sheet.line(&[(from + 3.0, y + 9.0), (to - 4.0, y + 9.0)], stroke(sheet.ink.axis, 1.0))?;
            if let Some(name) = sheet.fitted(group, Face::Plain, to - from - 8.0) {
                let write = Write { colour: sheet.ink.text, ..label(sheet, Align::Middle) };
                sheet.text(&name, ((from + to) / 2.0, y + 19.0), write)?;
            }
        }
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::layout::LayoutInput;
    use super::*;
    use crate::ui::chart::draw::drawn;
    use crate::ui::table::Kind;

    fn svg(bars: &[Bar], is_beside: bool, scroll: f64) -> String {
        let series = [Series::new("a", 0), Series::new("b", 1)];
        let layout = Layout::new(&LayoutInput { bars, shown: vec![0, 1], is_beside, kind: Kind::Bytes }, 500.0, 240.0, scroll);
        drawn((500.0, 240.0), |sheet| {
            base(sheet, &layout, &series, bars)?;
            over(sheet, &layout, &series, bars, (0, Some(1)))
        })
    }

    #[test]
    fn each_value_that_is_not_zero_has_a_rectangle() {
        let bar = |name: &str, values: &[f64]| Bar { name: name.into(), group: "rank 0".into(), values: values.to_vec(), ..Bar::default() };
        let bars = [bar("step 1", &[3e9, 1e9]), bar("step 2", &[2e9, 0.0]), bar("step 3", &[f64::NAN, 1.0])];
        for is_beside in [false, true] {
            let found = svg(&bars, is_beside, 0.0);
            // Two grounds and two series of the bar that is highlighted come on top.
            assert_eq!(found.matches("<rect").count(), 8, "{found}");
            for text in ["step 1", "step 3", "rank 0", "GiB"] {
                assert!(found.contains(text), "{text}");
            }
        }
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_harm() {
        svg(&[], false, 0.0);
        svg(&[Bar { values: vec![0.0, 0.0], ..Bar::default() }], false, 0.0);
        let many: Vec<Bar> = (0..5_000).map(|i| Bar { values: vec![1e300, -f64::from(i), f64::INFINITY], ..Bar::default() }).collect();
        assert!(svg(&many, false, 3_333.0).matches("<rect").count() < 100, "only those in sight");
    }
}
