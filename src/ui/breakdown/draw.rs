//! Drawing the bar.

use super::data::{self, Share};
use crate::ui::chart::draw::{Align, Drawn, Face, Sheet, Write, fill, stroke};
use crate::ui::table::{Cell, Kind};

/// Height of the bar, CSS pixels.
pub const HEIGHT: f64 = 36.0;

/// Draws the parts, with names and values where they fit.
pub(super) fn base(sheet: &Sheet<'_>, parts: &[Share], kind: Kind) -> Drawn {
    for (part, (from, wide)) in parts.iter().zip(data::places(parts, sheet.size.width)).filter(|p| p.1.1 > 0.0) {
        // A little ground between neighbours; a part too thin for that keeps one pixel.
        let seen = if wide > 3.0 { wide - 1.0 } else { wide.max(1.0) };
        sheet.rect([from.min(sheet.size.width - seen), 1.0, seen, HEIGHT - 2.0], fill(sheet.ink.slot(part.colour), 1.0))?;
        let texts = [format!("{} {}", part.name, Cell::Float(part.value).shown(kind)), part.name.clone()];
        let fits = texts.into_iter().find(|text| sheet.width_of(text, Face::Plain) + 12.0 <= wide);
        if let Some(text) = fits {
            let write = Write { face: Face::Plain, align: Align::Middle, colour: sheet.ink.on_slot(part.colour) };
            sheet.text(&text, (from + seen / 2.0, HEIGHT / 2.0), write)?;
        }
    }
    Ok(())
}

/// Draws the outline of a part.
pub(super) fn over(sheet: &Sheet<'_>, parts: &[Share], at: usize) -> Drawn {
    let Some((from, wide)) = data::places(parts, sheet.size.width).get(at).copied().filter(|p| p.1 > 0.0) else { return Ok(()) };
    sheet.rect([from + 1.0, 2.0, (wide - 3.0).max(1.0), HEIGHT - 4.0], stroke(sheet.ink.text, 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;

    #[test]
    fn each_part_with_a_size_is_drawn() {
        let part = |name: &str, value| Share { name: name.into(), value, ..Share::default() };
        let parts = [part("Tensor", 17_060.0), part("Vector", 0.0), part("DMA", 17_400.0), part("Idle", 20.0)];
        let svg = drawn((600.0, HEIGHT), |sheet| {
            base(sheet, &parts, Kind::Duration)?;
            over(sheet, &parts, 2)?;
            over(sheet, &parts, 1)
        });
        assert_eq!(svg.matches("<rect").count(), 3, "three parts; outlines are lines: {svg}");
        assert!(svg.contains("Tensor 17.1 µs") && !svg.contains("Vector") && !svg.contains("Idle"), "{svg}");
        drawn((0.0, HEIGHT), |sheet| base(sheet, &[], Kind::Duration));
    }
}
