//! Drawing a ring of parts.

use super::data::{self, Part};
use crate::base::text;
use crate::ui::chart::draw::{Align, Drawn, Face, Sheet, Write, fill, stroke};
use crate::ui::chart::look::Size;
use crate::ui::palette::fixed;
use std::f64::consts::TAU;

/// Pixels that the highlighted part grows.
const LIFT: f64 = 4.0;
/// Share of the radius that is hole: the total is written there.
const HOLE: f64 = 0.44;
/// The same for a ring so small that shares have no room on it.
const HOLE_OF_SMALL: f64 = 0.54;
/// Radius below which a ring is small, in CSS pixels.
const SMALL: f64 = 70.0;
/// A part that is the whole, as far as can be seen: it has no edge.
const WHOLE: f64 = 0.999_999;

/// Where a ring is on its canvas.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    pub centre: (f64, f64),
    pub radius: f64,
    pub hole: f64,
}

impl Ring {
    /// In the middle of a canvas, as large as fits.
    pub fn new(size: Size) -> Self {
        let radius = (size.width.min(size.height) / 2.0 - LIFT - 2.0).max(1.0);
        Ring { centre: (size.width / 2.0, size.height / 2.0), radius, hole: radius * if radius < SMALL { HOLE_OF_SMALL } else { HOLE } }
    }

    /// A point by radius and turns clockwise from the top.
    fn at(&self, radius: f64, turns: f64) -> (f64, f64) {
        let (sin, cos) = (turns * TAU).sin_cos();
        (self.centre.0 + radius * sin, self.centre.1 - radius * cos)
    }

    /// The middle of a part.
    pub fn middle(&self, part: &Part) -> (f64, f64) {
        self.at((self.radius + self.hole) / 2.0, part.start + part.share / 2.0)
    }

    /// The outline of this share of the ring.
    fn sector(&self, start: f64, turns: f64) -> Vec<(f64, f64)> {
        let n = (turns * 180.0).ceil().max(2.0) as usize;
        let along = |radius: f64, i: usize| self.at(radius, start + turns * i as f64 / n as f64);
        (0..=n).map(|i| along(self.radius, i)).chain((0..=n).rev().map(|i| along(self.hole, i))).collect()
    }
}

/// Draws the parts, shares that fit, and the total in the middle.
pub(super) fn parts(sheet: &Sheet<'_>, parts: &[Part], place: Ring, total: &str) -> Drawn {
    let shown: Vec<&Part> = parts.iter().filter(|p| p.share > 0.0).collect();
    let shares: Vec<f64> = shown.iter().map(|p| p.share).collect();
    let colours: Vec<_> = shown.iter().map(|p| sheet.ink.slot(slot(p))).collect();
    if shown.is_empty() {
        // If all parts are hidden, an empty ring is drawn.
        sheet.circle(place.centre, place.radius, stroke(sheet.ink.line, 1.0))?;
    } else {
        sheet.ring(place.centre, (place.hole, place.radius), &shares, &colours)?;
    }
    for part in shown.iter().filter(|p| p.share < WHOLE) {
        // A little ground between neighbours of like colours.
        sheet.line(&[place.at(place.hole, part.start), place.at(place.radius, part.start)], stroke(sheet.ink.surface, 1.0))?;
    }
    shown.iter().try_for_each(|part| share(sheet, part, place))?;
    // A number that does not fit is not drawn; it is in the table.
    let face = [Face::Strong, Face::Plain].into_iter().find(|face| sheet.width_of(total, *face) <= place.hole * 1.9);
    face.map_or(Ok(()), |face| sheet.text(total, place.centre, Write { face, align: Align::Middle, colour: sheet.ink.text }))
}

/// Draws one part larger and the others paler.
pub(super) fn lifted(sheet: &Sheet<'_>, part: &Part, place: Ring) -> Drawn {
    if part.share <= 0.0 {
        return Ok(());
    }
    sheet.polygon(&place.sector(0.0, 1.0), fill(sheet.ink.surface, 0.45))?;
    let larger = Ring { radius: place.radius + LIFT, ..place };
    let mut outline = larger.sector(part.start, part.share);
    sheet.polygon(&outline, fill(sheet.ink.slot(slot(part)), 1.0))?;
    if part.share < WHOLE {
        outline.extend(outline.first().copied());
        sheet.line(&outline, stroke(sheet.ink.text, 1.5))?;
    }
    share(sheet, part, place)
}

fn slot(part: &Part) -> u16 {
    part.colour.unwrap_or(fixed::OTHER)
}

/// The share of a part, where it has room.
fn share(sheet: &Sheet<'_>, part: &Part, place: Ring) -> Drawn {
    let text = text::percent(part.share);
    let width = sheet.width_of(&text, Face::Plain);
    let at = (place.radius + place.hole) / 2.0;
    if width + 2.0 > place.radius - place.hole || !data::has_room(part.share, at, width + 4.0, 12.0) {
        return Ok(());
    }
    let colour = sheet.ink.on_slot(slot(part));
    sheet.text(&text, place.middle(part), Write { face: Face::Plain, align: Align::Middle, colour })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;
    use crate::ui::pie::Slice;
    use std::collections::BTreeSet;

    fn svg(values: &[i64]) -> String {
        let slices: Vec<Slice> =
            values.iter().enumerate().map(|(i, v)| Slice { name: i.to_string(), value: *v, colour: i as u16 }).collect();
        let found = data::parts(&slices, 9, &BTreeSet::new());
        let size = Size { width: 176.0, height: 176.0 };
        drawn((176.0, 176.0), |sheet| {
            parts(sheet, &found, Ring::new(size), "100 µs")?;
            found.first().map_or(Ok(()), |part| lifted(sheet, part, Ring::new(size)))
        })
    }

    #[test]
    fn parts_have_sectors_shares_and_a_total() {
        let found = svg(&[60, 37, 3]);
        assert_eq!(found.matches("<polygon").count(), 5, "three parts, and two of the highlight");
        for text in ["60.0", "37.0", "100 µs"] {
            assert!(found.contains(text), "{text}: {found}");
        }
        assert!(!found.contains("3.0%"), "a thin part has no label");
        assert!(found.len() < 40_000, "{}", found.len());
    }

    #[test]
    fn one_part_and_none_are_drawn_without_harm() {
        assert_eq!(svg(&[5]).matches("<polygon").count(), 3);
        assert!(svg(&[]).contains("<circle"));
        svg(&[i64::MAX, 1]);
    }
}
