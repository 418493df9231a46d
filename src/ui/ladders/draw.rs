//! Drawing ladders.

use super::data::{BAR, Gap, Ladder, Layout, Line, Rung};
use crate::ui::chart::draw::{Align, Drawn, Face, Sheet, Write, fill, stroke};
use plotters::style::RGBColor;

/// From one stripe of a hatched area to the next, CSS pixels.
const STRIPE: f64 = 9.0;

fn left(face: Face, colour: RGBColor) -> Write {
    Write { face, align: Align::Left, colour }
}

/// Draws headings, bars and gaps; the chosen gap has an outline.
pub(super) fn base(sheet: &Sheet<'_>, layout: &Layout, ladders: &[Ladder], chosen: Option<usize>) -> Drawn {
    for line in &layout.lines {
        let ladder = &ladders[line.ladder];
        match line.rung {
            None => sheet.text(&ladder.name, (0.0, line.y + 12.0), left(Face::Strong, sheet.ink.text))?,
            Some(at) => rung(sheet, layout, line, &ladder.rungs[at])?,
        }
        if line.gap.is_some() && line.gap == chosen {
            outline(sheet, layout, line, sheet.ink.accent)?;
        }
    }
    Ok(())
}

/// Draws the outline of a gap's line.
pub(super) fn over(sheet: &Sheet<'_>, layout: &Layout, gap: usize) -> Drawn {
    layout.line_of(gap).map_or(Ok(()), |line| outline(sheet, layout, line, sheet.ink.text))
}

fn outline(sheet: &Sheet<'_>, layout: &Layout, line: &Line, colour: RGBColor) -> Drawn {
    sheet.rect([layout.left + 1.0, line.y - 2.0, layout.width - 1.0, BAR + 4.0], stroke(colour, 2.0))
}

fn rung(sheet: &Sheet<'_>, layout: &Layout, line: &Line, rung: &Rung) -> Drawn {
    let (y, middle) = (line.y, line.y + BAR / 2.0);
    if layout.is_narrow {
        sheet.text(&rung.name, (0.0, y - 9.0), left(Face::Plain, sheet.ink.quiet))?;
    } else if let Some(name) = sheet.fitted(&rung.name, Face::Plain, layout.left - 14.0) {
        let write = Write { face: Face::Plain, align: Align::Right, colour: sheet.ink.text };
        sheet.text(&name, (layout.left - 10.0, middle), write)?;
    }
    let end = layout.x(rung.value);
    sheet.rect([layout.left, y, (end - layout.left).max(1.0), BAR], fill(sheet.ink.slot(rung.colour), 1.0))?;
    let value_width = sheet.width_of(&rung.text, Face::Strong);
    let has_room = value_width + 14.0 <= end - layout.left;
    if let Some(gap) = &rung.gap {
        hatched(sheet, end + 2.0, layout.x(rung.value + gap.value), y)?;
    }
    let mut from = end + 9.0;
    if has_room {
        sheet.text(&rung.text, (layout.left + 7.0, middle), left(Face::Strong, sheet.ink.on_slot(rung.colour)))?;
    } else {
        sheet.text(&rung.text, (from, middle), left(Face::Strong, sheet.ink.text))?;
        from += value_width + 12.0;
    }
    let taken = layout.left + if has_room { value_width + 20.0 } else { 0.0 };
    rung.gap.as_ref().map_or(Ok(()), |gap| label(sheet, layout, gap, (from, taken, end), (middle, rung.colour)))
}

/// Name and size of a gap: from its beginning to the right, else at the right end of the bar, else as much as fits.
fn label(sheet: &Sheet<'_>, layout: &Layout, gap: &Gap, (from, taken, end): (f64, f64, f64), (y, colour): (f64, u16)) -> Drawn {
    let text = format!("{} · {}", gap.name, gap.text);
    let wide = sheet.width_of(&text, Face::Plain);
    let room = layout.left + layout.width - from - 2.0;
    if wide <= room {
        return sheet.text(&text, (from, y), left(Face::Plain, sheet.ink.text));
    }
    if wide + 8.0 <= end - taken {
        let write = Write { face: Face::Plain, align: Align::Right, colour: sheet.ink.on_slot(colour) };
        return sheet.text(&text, (end - 7.0, y), write);
    }
    sheet.fitted(&text, Face::Plain, room).map_or(Ok(()), |text| sheet.text(&text, (from, y), left(Face::Plain, sheet.ink.text)))
}

/// An area with diagonal stripes: time that is not used.
fn hatched(sheet: &Sheet<'_>, from: f64, to: f64, y: f64) -> Drawn {
    if to - from < 1.0 {
        return Ok(());
    }
    sheet.rect([from, y, to - from, BAR], fill(sheet.ink.line, 0.45))?;
    let mut at = from - BAR;
    while at < to {
        // From (at, y + BAR) up to (at + BAR, y), clipped to the area.
        let (x0, x1) = (at.max(from), (at + BAR).min(to));
        if x1 - x0 > 0.5 {
            sheet.line(&[(x0, y + BAR - (x0 - at)), (x1, y + BAR - (x1 - at))], stroke(sheet.ink.line, 2.0))?;
        }
        at += STRIPE;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::data::tests::ladders;
    use super::*;
    use crate::ui::chart::draw::drawn;

    #[test]
    fn bars_gaps_and_their_words_are_drawn() {
        for width in [1100.0, 340.0] {
            let all = ladders();
            let layout = Layout::new(&all, width);
            let svg = drawn((width, layout.height), |sheet| {
                base(sheet, &layout, &all, Some(1))?;
                over(sheet, &layout, 0)
            });
            // Four bars and the grounds of two gaps: the third has no size, and outlines are lines.
            assert_eq!(svg.matches("<rect").count(), 6, "{width}: {svg}");
            for text in ["Memory", "Compute", "Transfers", "DMA idle · 12 ns", "40 ns"] {
                assert!(svg.contains(text), "{width}: {text}");
            }
        }
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_harm() {
        let odd = |value| Rung { value, gap: Some(Gap { value: f64::NAN, ..Gap::default() }), ..Rung::default() };
        let all = [Ladder { name: String::new(), rungs: vec![odd(f64::NAN), odd(0.0), odd(1e300), odd(-5.0)] }];
        for all in [&all[..], &[]] {
            let layout = Layout::new(all, 700.0);
            drawn((700.0, layout.height), |sheet| base(sheet, &layout, all, Some(9)));
        }
    }
}
