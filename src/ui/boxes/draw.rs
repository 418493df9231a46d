//! Drawing boxes.

use super::data::{Boxed, Layout, PITCH};
use crate::ui::chart::draw::{Align, Drawn, Face, Failure, Plane, Scale, Sheet, Write, fill, stroke};
use plotters::element::{PathElement, Rectangle};

/// x is the value, y is in CSS pixels from the ground.
fn plane<'a>(sheet: &Sheet<'a>, layout: &Layout) -> Result<Plane<'a>, Failure> {
    let top = layout.y(0);
    let place = [layout.left, top, layout.width, layout.ground - top];
    sheet.plane(place, (Scale::linear(&layout.axis), Scale::plain(0.0..layout.ground - top)))
}

/// Draws axis and boxes.
pub(super) fn base(sheet: &Sheet<'_>, layout: &Layout, boxes: &[Boxed]) -> Drawn {
    let mut plane = plane(sheet, layout)?;
    sheet.mesh(&mut plane, (true, false))?;
    let unit = Write { face: Face::Plain, align: Align::Right, colour: sheet.ink.quiet };
    sheet.text(layout.axis.unit, (layout.left + layout.width, layout.ground + 28.0), unit)?;
    for (at, one) in boxes.iter().enumerate() {
        let write = Write { face: Face::Mono, align: Align::Left, colour: sheet.ink.text };
        if let Some(name) = sheet.fitted(&one.name, Face::Mono, layout.width) {
            sheet.text(&name, (layout.left, layout.y(at) + 7.0), write)?;
        }
        draw(sheet, &mut plane, layout, (at, one), false)?;
    }
    Ok(())
}

/// Draws a box again with an outline.
pub(super) fn over(sheet: &Sheet<'_>, layout: &Layout, boxes: &[Boxed], at: usize) -> Drawn {
    boxes.get(at).map_or(Ok(()), |one| draw(sheet, &mut plane(sheet, layout)?, layout, (at, one), true))
}

fn draw<'a>(sheet: &Sheet<'a>, plane: &mut Plane<'a>, layout: &Layout, (at, one): (usize, &Boxed), is_highlighted: bool) -> Drawn {
    let top = layout.ground - layout.y(at) - 15.0;
    let bottom = layout.ground - layout.y(at) - PITCH + 5.0;
    let middle = (top + bottom) / 2.0;
    let [least, low, median, high, most] = one.five;
    let axis = stroke(sheet.ink.axis, 1.0);
    let whisker = |from: f64, to: f64| PathElement::new(vec![(from, middle), (to, middle)], axis);
    let end = |at: f64| PathElement::new(vec![(at, top - 3.0), (at, bottom + 3.0)], axis);
    plane.draw_series([whisker(least, low), whisker(high, most), end(least), end(most)])?;
    plane.draw_series([Rectangle::new([(low, top), (high, bottom)], fill(sheet.ink.slot(one.colour), 1.0))])?;
    if is_highlighted {
        plane.draw_series([Rectangle::new([(low, top), (high, bottom)], stroke(sheet.ink.text, 1.5))])?;
    }
    // On a box of no width its colour would be hidden by the line of the median.
    let colour = if layout.x(high) - layout.x(low) > 3.0 { sheet.ink.on_slot(one.colour) } else { sheet.ink.slot(one.colour) };
    plane.draw_series([PathElement::new(vec![(median, top), (median, bottom)], stroke(colour, 1.0))])?;
    sheet.circle((layout.x(one.mean), layout.ground - middle), 2.5, fill(sheet.ink.text, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;
    use crate::ui::table::Kind;

    #[test]
    fn a_box_has_its_five_values_and_its_mean() {
        let one = Boxed { name: "all-reduce".into(), five: [1e3, 2e3, 3e3, 5e3, 9e3], mean: 4e3, count: 7, ..Boxed::default() };
        let svg = |boxes: &[Boxed]| {
            let layout = Layout::new(boxes, Kind::Duration, 500.0);
            drawn((500.0, super::super::data::height(boxes.len())), |sheet| {
                base(sheet, &layout, boxes)?;
                over(sheet, &layout, boxes, 0)
            })
        };
        let found = svg(std::slice::from_ref(&one));
        assert!(found.contains("all-reduce") && found.contains("µs"), "{found}");
        assert_eq!((found.matches("<rect").count(), found.matches("<circle").count()), (2, 2), "drawn, and drawn again with an outline");
        svg(&[]);
        svg(&[Boxed { five: [0.0; 5], ..one.clone() }, Boxed { five: [f64::NAN; 5], mean: f64::INFINITY, ..one }]);
    }
}
