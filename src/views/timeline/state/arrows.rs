//! Arrows between slices: which part of them is on screen, and as what.

use super::timeline_state::TimelineState;
use crate::base::colour_slots::N_TOP;

/// The colour slot of the `i`-th kind: far apart in the palette.
pub fn kind_slot(i: u16) -> u16 {
    (i + 1) % N_TOP
}

/// How far outside the screen an end may lie for a curve; beyond it a straight line is cut at the border.
const FAR_PX: f64 = 2_000.0;

/// An arrow on the drawing area, CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrow {
    /// From, two control points, to.
    Curve([(f64, f64); 4]),
    /// The visible part of an arrow with a distant end, and whether its head is on screen.
    Line((f64, f64), (f64, f64), bool),
}

/// The arrow between two points, if any of it can be seen on a screen of that size.
pub fn arrow(from: (f64, f64), to: (f64, f64), width: f64, height: f64) -> Option<Arrow> {
    let bow = ((to.0 - from.0).abs() / 2.0).clamp(24.0, 120.0);
    let outside = |a: f64, b: f64, end: f64| a.max(b) < -bow || a.min(b) > end + bow;
    if outside(from.0, to.0, width) || outside(from.1, to.1, height) {
        return None;
    }
    let near = |p: (f64, f64)| p.0 > -FAR_PX && p.0 < width + FAR_PX && p.1 > -FAR_PX && p.1 < height + FAR_PX;
    if near(from) && near(to) {
        return Some(Arrow::Curve([from, (from.0 + bow, from.1), (to.0 - bow, to.1), to]));
    }
    clip(from, to, width, height).map(|(a, b)| Arrow::Line(a, b, b == to))
}

/// The part of a straight line inside the screen (Liang and Barsky).
fn clip(from: (f64, f64), to: (f64, f64), width: f64, height: f64) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for (p, q) in [(-dx, from.0), (dx, width - from.0), (-dy, from.1), (dy, height - from.1)] {
        if p == 0.0 && q < 0.0 {
            return None;
        } else if p < 0.0 {
            first = first.max(q / p);
        } else if p > 0.0 {
            last = last.min(q / p);
        }
    }
    let at = |k: f64| if k == 1.0 { to } else { (from.0 + k * dx, from.1 + k * dy) };
    (first <= last).then(|| (at(first), at(last)))
}

impl TimelineState {
    /// The arrows on screen, with whether each leads into the selection.
    pub fn arrows_on_screen(&self) -> Vec<(Arrow, bool)> {
        let (width, height) = (self.view.width_px, self.height_px);
        let found = self.arrows.iter().filter_map(|&(from, to, is_incoming)| {
            let (a, b) = (self.place(from)?, self.place(to)?);
            let from = (a.right, a.top + a.height / 2.0);
            let to = (b.left, b.top + b.height / 2.0);
            arrow(from, to, width, height).map(|arrow| (arrow, is_incoming))
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_ends_make_a_curve() {
        let a = arrow((10.0, 10.0), (110.0, 50.0), 200.0, 100.0);
        assert_eq!(a, Some(Arrow::Curve([(10.0, 10.0), (60.0, 10.0), (60.0, 50.0), (110.0, 50.0)])));
    }

    #[test]
    fn far_ends_are_cut_at_the_border() {
        let a = arrow((-1e9, 50.0), (100.0, 50.0), 200.0, 100.0);
        assert_eq!(a, Some(Arrow::Line((0.0, 50.0), (100.0, 50.0), true)));
        let a = arrow((100.0, 50.0), (1e9, 50.0), 200.0, 100.0);
        assert_eq!(a, Some(Arrow::Line((100.0, 50.0), (200.0, 50.0), false)));
    }

    #[test]
    fn what_is_wholly_outside_is_left_out() {
        assert_eq!(arrow((-1e9, 50.0), (-500.0, 50.0), 200.0, 100.0), None);
        assert_eq!(arrow((10.0, 5_000.0), (20.0, 9_000.0), 200.0, 100.0), None);
    }
}
