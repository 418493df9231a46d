//! Drawing points under ceilings.

use super::data::{self, Ceiling, Dot, Layout, LogAxis, Mark};
use crate::ui::chart::draw::{Align, Drawn, Face, Plane, Scale, Sheet, Write, fill, stroke};
use crate::ui::chart::scale::Tick;
use plotters::element::{Circle, PathElement};
use plotters::series::{DashedLineSeries, LineSeries};

/// Everything that is drawn.
pub(super) struct Picture<'a> {
    pub dots: &'a [&'a Dot],
    pub ceilings: &'a [Ceiling],
    pub slope: Option<(&'a str, f64)>,
    pub mark: Option<&'a Mark>,
    pub titles: (&'a str, &'a str),
}

/// Half the height of a name, CSS pixels.
const HALF_LINE: f64 = 6.5;

/// The names that are drawn: no two are on each other. A name without a free place is only in the table.
#[derive(Default)]
struct Labels {
    /// Left, top, right, bottom of each, CSS pixels.
    boxes: Vec<[f64; 4]>,
}

impl Labels {
    /// Keeps names off the lines of the ceilings.
    fn reserve(&mut self, layout: &Layout, ceilings: &[Ceiling], slope: Option<f64>) {
        for ceiling in ceilings {
            let (y, from) = (layout.py(ceiling.level), layout.px(level_start(layout, ceiling, slope)));
            self.boxes.extend(y.is_finite().then_some([from, y - 1.0, layout.left + layout.width, y + 1.0]));
        }
    }

    /// Keeps names off the points.
    fn reserve_points(&mut self, layout: &Layout, dots: &[&Dot]) {
        for dot in dots.iter().filter(|d| data::drawable(d)) {
            let (x, y, radius) = (layout.px(dot.x), layout.py(dot.y), Layout::radius(dot.size));
            self.boxes.push([x - radius, y - radius, x + radius, y + radius]);
        }
    }

    /// Draws a name at the first of the places (x, y of the middle line, alignment) that is free; else, if it has one, on its line at `own`.
    fn draw(&mut self, sheet: &Sheet<'_>, name: &str, places: &[(f64, f64, Align)], own: Option<(f64, f64)>, write: Write) -> Drawn {
        let width = sheet.width_of(name, Face::Plain);
        let place = |(x, y, align): (f64, f64, Align)| {
            let left = match align {
                Align::Left => x,
                Align::Middle => x - width / 2.0,
                Align::Right => x - width,
            };
            [left, y - HALF_LINE, left + width, y + HALF_LINE]
        };
        let is_on = |a: &[f64; 4], b: &[f64; 4]| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
        let beside = places.iter().copied().find(|at| !self.boxes.iter().any(|b| is_on(&place(*at), b)));
        let on_line = own.map(|(x, y)| (x, y, Align::Right)).filter(|at| {
            // Its own line is no hindrance.
            let is_own = |b: &[f64; 4]| b[1] == at.1 - 1.0 && b[3] == at.1 + 1.0;
            !self.boxes.iter().any(|b| !is_own(b) && is_on(&place(*at), b))
        });
        let Some((x, y, align)) = beside.or(on_line) else { return Ok(()) };
        let [left, top, right, bottom] = place((x, y, align));
        self.boxes.push([left, top, right, bottom]);
        // On a small picture the memory ceiling runs through names of the others.
        sheet.rect([left - 3.0, top, right - left + 5.0, bottom - top], fill(sheet.ink.surface, 1.0))?;
        sheet.text(name, (x, y), Write { align, ..write })
    }
}

/// Draws axes, ceilings and points.
pub(super) fn base(sheet: &Sheet<'_>, layout: &Layout, picture: &Picture<'_>) -> Drawn {
    let scale = |axis: &LogAxis, n: f64| {
        let tick = |power| Tick { value: 10f64.powi(power), label: data::power(power) };
        Scale::log(axis.range(), axis.decades(n as usize).map(tick).collect())
    };
    let axes = (scale(&layout.x, layout.width / 56.0), scale(&layout.y, layout.height / 28.0));
    let mut plane = sheet.plane([layout.left, layout.top, layout.width, layout.height], axes)?;
    sheet.mesh(&mut plane, (true, true))?;
    let (right, ground) = (layout.left + layout.width, layout.top + layout.height);
    let title = |align| Write { face: Face::Plain, align, colour: sheet.ink.quiet };
    sheet.text(picture.titles.1, (layout.left + 2.0, 8.0), title(Align::Left))?;
    sheet.text(picture.titles.0, (right, ground + 28.0), title(Align::Right))?;
    let highest = picture.ceilings.iter().map(|c| c.level).fold(0.0, f64::max);
    let slanted = picture.slope.and_then(|(_, slope)| layout.slope(slope, if highest > 0.0 { highest } else { f64::MAX }));
    if let Some(ends) = slanted {
        plane.draw_series(LineSeries::new(ends, stroke(sheet.ink.text, 1.5)))?;
    }
    // Ceilings are labelled first; other labels avoid them.
    let mut labels = Labels::default();
    labels.reserve(layout, picture.ceilings, picture.slope.map(|s| s.1));
    for ceiling in picture.ceilings {
        level(sheet, &mut plane, layout, ceiling, picture.slope.map(|s| s.1), &mut labels)?;
    }
    labels.reserve_points(layout, picture.dots);
    if let Some(((name, _), ends)) = picture.slope.zip(slanted) {
        slope_name(sheet, layout, name, ends, &mut labels)?;
    }
    if let Some(mark) = picture.mark {
        diamond(sheet, layout, mark, &mut labels)?;
    }
    let circles = picture.dots.iter().filter(|d| data::drawable(d)).flat_map(|dot| {
        let circle = |style| Circle::new((dot.x, dot.y), Sheet::px(Layout::radius(dot.size)), style);
        let colour = sheet.ink.mark(dot.colour);
        let edge = if dot.is_hollow { stroke(colour, 2.0) } else { stroke(sheet.ink.surface, 1.0) };
        [(!dot.is_hollow).then(|| circle(fill(colour, 0.75))), Some(circle(edge))].into_iter().flatten()
    });
    plane.draw_series(circles)?;
    Ok(())
}

/// Draws the point that is highlighted.
pub(super) fn over(sheet: &Sheet<'_>, layout: &Layout, dot: &Dot) -> Drawn {
    if !data::drawable(dot) {
        return Ok(());
    }
    let (at, radius) = ((layout.px(dot.x), layout.py(dot.y)), Layout::radius(dot.size));
    if !dot.is_hollow {
        sheet.circle(at, radius, fill(sheet.ink.mark(dot.colour), 1.0))?;
    }
    sheet.circle(at, radius, stroke(sheet.ink.text, 2.0))
}

/// Names the memory ceiling beside its line: plotters writes along axes only.
fn slope_name(sheet: &Sheet<'_>, layout: &Layout, name: &str, ends: [(f64, f64); 2], labels: &mut Labels) -> Drawn {
    let [from, to] = ends.map(|(x, y)| (layout.px(x), layout.py(y)));
    let (width, right) = (sheet.width_of(name, Face::Plain), layout.left + layout.width);
    // Near its beginning, clear of the names where it meets the ceilings: right of the line and a little lower, or left and a little higher.
    let at = |share: f64| (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
    let places: Vec<_> = [0.2, 0.1, 0.3, 0.4, 0.5, 0.6, 0.05, 0.7, 0.8]
        .into_iter()
        .map(at)
        .flat_map(|(x, y)| [(x + 12.0, y + 10.0, Align::Left), (x - 12.0, y - 10.0, Align::Right)])
        .filter(|(x, y, align)| match align {
            Align::Left => x + width < right,
            _ => x - width > layout.left && *y > layout.top + HALF_LINE,
        })
        .collect();
    labels.draw(sheet, name, &places, None, Write { face: Face::Plain, align: Align::Left, colour: sheet.ink.text })
}

/// The x at which a ceiling begins: where it meets the slope, or the left.
fn level_start(layout: &Layout, ceiling: &Ceiling, slope: Option<f64>) -> f64 {
    let range = layout.x.range();
    slope.filter(|s| *s > 0.0).map_or(range.start, |s| (ceiling.level / s).max(range.start).min(range.end))
}

/// A compute ceiling from where it meets the slope, or from the left.
fn level<'a>(
    sheet: &Sheet<'a>,
    plane: &mut Plane<'a>,
    layout: &Layout,
    ceiling: &Ceiling,
    slope: Option<f64>,
    labels: &mut Labels,
) -> Drawn {
    let (y, right) = (layout.py(ceiling.level), layout.left + layout.width);
    if !y.is_finite() {
        return Ok(());
    }
    let ends = [(level_start(layout, ceiling, slope), ceiling.level), (layout.x.range().end, ceiling.level)];
    let colour = if ceiling.is_dashed { sheet.ink.quiet } else { sheet.ink.text };
    if ceiling.is_dashed {
        plane.draw_series(DashedLineSeries::new(ends, Sheet::px(6.0), Sheet::px(4.0), stroke(colour, 1.5)))?;
    } else {
        plane.draw_series([PathElement::new(ends.to_vec(), stroke(colour, 1.5))])?;
    }
    let write = Write { face: Face::Plain, align: Align::Right, colour };
    labels.draw(sheet, &ceiling.name, &[y - 8.0, y + 9.0].map(|at| (right - 2.0, at, Align::Right)), Some((right - 2.0, y)), write)
}

fn diamond(sheet: &Sheet<'_>, layout: &Layout, mark: &Mark, labels: &mut Labels) -> Drawn {
    let (x, y) = (layout.px(mark.x), layout.py(mark.y));
    if !x.is_finite() || !y.is_finite() {
        return Ok(());
    }
    sheet.polygon(&[(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)], fill(sheet.ink.accent, 1.0))?;
    let width = sheet.width_of(&mark.name, Face::Plain);
    let (left, right) = ((x - 10.0, Align::Right), (x + 10.0, Align::Left));
    let sides = if x + width + 12.0 < layout.left + layout.width { [right, left] } else { [left, right] };
    let is_inside = |(at, align): &(f64, Align)| match align {
        Align::Left => at + width < layout.left + layout.width,
        _ => at - width > layout.left,
    };
    // Below the names that a ceiling through the same point may have above and under its line.
    let places: Vec<_> = sides.iter().filter(|s| is_inside(s)).map(|(at, align)| (*at, y + 24.0, *align)).collect();
    labels.draw(sheet, &mark.name, &places, None, Write { face: Face::Plain, align: Align::Left, colour: sheet.ink.text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::draw::drawn;

    fn svg(dots: &[Dot], ceilings: &[Ceiling], slope: Option<(&str, f64)>) -> String {
        let dots: Vec<&Dot> = dots.iter().collect();
        let layout = Layout::new(&dots, ceilings, slope.map(|s| s.1), (600.0, 400.0));
        let mark = Mark { name: "ridge".into(), x: 100.0, y: 1e14 };
        let picture = Picture { dots: &dots, ceilings, slope, mark: Some(&mark), titles: ("FLOP / byte", "FLOP/s") };
        drawn((600.0, 400.0), |sheet| {
            base(sheet, &layout, &picture)?;
            dots.first().map_or(Ok(()), |dot| over(sheet, &layout, dot))
        })
    }

    #[test]
    fn names_are_never_on_each_other() {
        let ceiling = |name: &str, level| Ceiling { name: name.into(), level, is_dashed: false };
        let near = [ceiling("first", 1e14), ceiling("second", 1.01e14), ceiling("third", 1.02e14)];
        let found = svg(&[], &near, None);
        let count = |name: &str| found.matches(&format!("{name}\n")).count() + found.matches(&format!(">{name}<")).count();
        // One above the lines, one below; the third has no place.
        assert_eq!(["first", "second", "third"].map(count).iter().sum::<usize>(), 2, "{found}");
        let apart = [ceiling("first", 1e14), ceiling("second", 1e13), ceiling("third", 1e12)];
        let found = svg(&[], &apart, None);
        for name in ["first", "second", "third"] {
            assert!(found.contains(name), "{name}: {found}");
        }
    }

    #[test]
    fn names_between_close_ceilings_are_on_their_lines_and_the_slope_is_named_beside_points() {
        let ceiling = |name: &str, level| Ceiling { name: name.into(), level, is_dashed: false };
        let dot = |x, y| Dot { x, y, size: 1.0, ..Dot::default() };
        let close = [ceiling("upper", 2e15), ceiling("middle", 1e15), ceiling("lower", 5e14)];
        let dots: Vec<Dot> = (0..12).map(|i| dot(0.02 * 1.6f64.powi(i), 2e10 * 1.6f64.powi(i))).chain([dot(0.01, 1e8)]).collect();
        let found = svg(&dots, &close, Some(("memory", 3e12)));
        for name in ["upper", "middle", "lower", "memory"] {
            assert!(found.contains(name), "{name}: {found}");
        }
        // Each of them hides the lines behind it.
        let grounds = |svg: &str| svg.matches("<rect").count();
        assert_eq!(grounds(&found) - grounds(&svg(&dots, &[], None)), 4, "{found}");
    }

    #[test]
    fn points_ceilings_and_decades_are_drawn() {
        let dot = |x, y| Dot { x, y, size: 0.5, ..Dot::default() };
        let ceilings = [
            Ceiling { name: "dense peak".into(), level: 1e14, is_dashed: false },
            Ceiling { name: "sparse peak".into(), level: 2e14, is_dashed: true },
        ];
        let found = svg(&[dot(10.0, 1e12), dot(0.0, 5.0), Dot { is_hollow: true, ..dot(3.0, 1e11) }], &ceilings, Some(("memory", 1e12)));
        assert_eq!(found.matches("<circle").count(), 5, "two of a point, one of a hollow one, two of the highlight: {found}");
        for text in ["dense peak", "sparse peak", "memory", "ridge", "100 T", "FLOP/s"] {
            assert!(found.contains(text), "{text}");
        }
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_harm() {
        let bad = Dot { x: f64::NAN, y: f64::INFINITY, ..Dot::default() };
        let ceiling = |level| Ceiling { name: "c".into(), level, is_dashed: level > 0.0 };
        svg(&[], &[], None);
        svg(&[bad], &[ceiling(f64::NAN), ceiling(0.0), ceiling(-1.0), ceiling(f64::INFINITY)], Some(("s", f64::NAN)));
        svg(&[Dot { x: 1e-300, y: 1e300, size: f64::NAN, ..Dot::default() }], &[ceiling(1e290)], Some(("s", 1e-290)));
    }
}
