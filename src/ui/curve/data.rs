//! Data and layout of a curve: pure arithmetic.

use crate::ui::chart::scale::{self, Axis};
use crate::ui::table::{Cell, Kind};

/// How points are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// Points joined by straight lines.
    #[default]
    Line,
    /// A value holds until the next point.
    Step,
    /// As `Step`, filled down to zero.
    Area,
}

/// One series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Colour slot.
    pub colour: u16,
    /// How its points are joined.
    pub shape: Shape,
    /// Sorted by x: nanoseconds or a count.
    pub points: Vec<(i64, f64)>,
}

impl Line {
    /// The point that holds at `x`: the last one not after it, for a `Line` the nearest.
    pub fn at(&self, x: i64) -> Option<(i64, f64)> {
        let next = self.points.partition_point(|p| p.0 <= x);
        let before = next.checked_sub(1).map(|at| self.points[at]);
        let after = self.points.get(next).copied();
        match (self.shape, before, after) {
            (Shape::Line, Some(a), Some(b)) if b.0.abs_diff(x) < x.abs_diff(a.0) => Some(b),
            (Shape::Line, None, after) => after,
            (_, before, _) => before,
        }
    }
}

/// A point worth naming: a peak.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mark {
    /// Where, like the points.
    pub x: i64,
    /// How high.
    pub y: f64,
    /// What is written beside it.
    pub label: String,
}

/// Where things are on the canvas, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Left edge of the plot.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width of the plot.
    pub width: f64,
    /// Height of the plot.
    pub height: f64,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
}

/// A value of an axis of this kind; one without a unit may be a count.
pub fn cell(value: f64, kind: Kind) -> Cell {
    if kind == Kind::Number { Cell::plain(value) } else { Cell::Float(value) }
}

/// First and last x of all series; `None` without points.
pub fn extent(lines: &[Line]) -> Option<(i64, i64)> {
    let first = lines.iter().filter_map(|l| l.points.first()).map(|p| p.0).min()?;
    let last = lines.iter().filter_map(|l| l.points.last()).map(|p| p.0).max()?;
    Some((first, last))
}

/// Both extents together; nothing where there are no points.
pub fn reach(points: Option<(i64, i64)>, whole: Option<(i64, i64)>) -> Option<(i64, i64)> {
    let whole = whole.or(points)?;
    points.map(|p| (p.0.min(whole.0), p.1.max(whole.1)))
}

impl Layout {
    /// The layout on a canvas so large. `window` is the part of the x axis that is seen; `None` is all.
    pub fn new(lines: &[&Line], window: (i64, i64), kinds: (Kind, Kind), width: f64, height: f64) -> Layout {
        let (top, bottom) = (20.0, 36.0);
        let values = lines.iter().flat_map(|l| l.points.iter()).map(|p| p.1).filter(|v| v.is_finite());
        let (lo, hi) = values.fold((0.0f64, 0.0f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let plot_height = (height - top - bottom).max(10.0);
        let y = scale::zero_based(lo, hi, (plot_height / 36.0) as usize, kinds.1);
        let left = 14.0 + y.widest() as f64 * 7.0;
        let (from, to) = (window.0 as f64, window.1 as f64);
        let mut n = ((width - left - 8.0) / 90.0).max(2.0) as usize;
        let (mut x, mut plot_width);
        loop {
            x = scale::exact(from, to, n, kinds.0);
            let widest = x.widest() as f64 * 7.0;
            // Half of the last label may be beyond the end of the axis.
            plot_width = (width - left - (widest / 2.0).max(8.0)).max(10.0);
            // Long labels need more room than short ones.
            if n <= 1 || x.ticks.len() as f64 * (widest + 16.0) <= plot_width {
                break;
            }
            n -= 1;
        }
        Layout { left, top, width: plot_width, height: plot_height, x, y }
    }

    /// Position of an x value.
    pub fn px(&self, x: i64) -> f64 {
        self.left + self.width * self.x.share(x as f64)
    }

    /// Position of a value.
    pub fn py(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.share(y))
    }

    /// The x at a place of the canvas, within the axis.
    pub fn x_at(&self, px: f64) -> i64 {
        self.x.value(((px - self.left) / self.width).clamp(0.0, 1.0)).round() as i64
    }

    /// Whether a point is on the plot.
    pub fn holds(&self, px: f64, py: f64) -> bool {
        px >= self.left - 2.0 && px <= self.left + self.width + 2.0 && py >= self.top - 8.0 && py <= self.top + self.height + 8.0
    }

    /// The line as values within the axis: at most a few for each pixel column, so that any number of points is drawn in the same time.
    /// Every column keeps its first, lowest, highest and last value: no peak is lost.
    pub fn path(&self, line: &Line) -> Vec<(f64, f64)> {
        let first = line.points.partition_point(|p| (p.0 as f64) < self.x.lo).saturating_sub(1);
        let end = (line.points.partition_point(|p| (p.0 as f64) <= self.x.hi) + 1).min(line.points.len());
        let mut out: Vec<(f64, f64)> = Vec::new();
        let mut column: Option<Column> = None;
        let is_step = line.shape != Shape::Line;
        for &(x, y) in line.points.get(first..end).unwrap_or_default().iter().filter(|p| p.1.is_finite()) {
            let (at, point) = (self.px(x).floor(), (x as f64, y));
            match &mut column {
                Some(c) if c.at == at => c.add(point),
                _ => {
                    if let Some(done) = column.replace(Column::new(at, point)) {
                        done.flush(&mut out, is_step);
                    }
                }
            }
        }
        if let Some(done) = column {
            done.flush(&mut out, is_step);
        }
        if let (true, Some(last)) = (is_step, out.last().copied()) {
            out.push((self.x.hi.max(last.0), last.1));
        }
        clipped(&out, (self.x.lo, self.x.hi))
    }
}

/// The part of a path that is within a range of x, cut at its ends: plotters would bend what leaves its axis.
fn clipped(path: &[(f64, f64)], (lo, hi): (f64, f64)) -> Vec<(f64, f64)> {
    let cut = |a: (f64, f64), b: (f64, f64), x: f64| (x, a.1 + (b.1 - a.1) * ((x - a.0) / (b.0 - a.0)));
    let mut out = Vec::with_capacity(path.len());
    let mut before: Option<(f64, f64)> = None;
    for &point in path {
        if let Some(before) = before.filter(|b| b.0 < point.0) {
            out.extend((before.0 < lo && point.0 > lo).then(|| cut(before, point, lo)));
            out.extend((before.0 < hi && point.0 > hi).then(|| cut(before, point, hi)));
        }
        out.extend((lo..=hi).contains(&point.0).then_some(point));
        before = Some(point);
    }
    out
}

/// The values of one pixel column.
struct Column {
    at: f64,
    first: (f64, f64),
    low: f64,
    high: f64,
    last: (f64, f64),
}

impl Column {
    fn new(at: f64, point: (f64, f64)) -> Self {
        Column { at, first: point, low: point.1, high: point.1, last: point }
    }

    fn add(&mut self, point: (f64, f64)) {
        (self.low, self.high) = (self.low.min(point.1), self.high.max(point.1));
        self.last = point;
    }

    fn flush(self, out: &mut Vec<(f64, f64)>, is_step: bool) {
        if let (true, Some(before)) = (is_step, out.last().copied()) {
            out.push((self.first.0, before.1));
        }
        out.push(self.first);
        if self.low != self.first.1 || self.high != self.first.1 {
            out.push((self.first.0, self.low));
            out.push((self.first.0, self.high));
        }
        if self.last != self.first {
            out.push((self.last.0, self.last.1));
        }
    }
}

/// The range between two x that were dragged over, in order; `None` when it was a click.
pub fn dragged(from: (f64, i64), to: (f64, i64)) -> Option<(i64, i64)> {
    ((to.0 - from.0).abs() >= 4.0 && from.1 != to.1).then_some((from.1.min(to.1), from.1.max(to.1)))
}

/// The x after a key: the next or previous point of any series shown, a tenth of the window with Page keys, the ends with Home and End.
pub fn moved(lines: &[&Line], x: Option<i64>, key: &str, window: (i64, i64)) -> Option<i64> {
    let all = || lines.iter().map(|l| &l.points);
    let inside = |x: i64| x.clamp(window.0, window.1);
    let far = ((window.1 - window.0) / 10).max(1);
    let Some(x) = x else { return Some(if key == "End" { window.1 } else { window.0 }) };
    match key {
        "ArrowRight" => all().filter_map(|p| p.get(p.partition_point(|p| p.0 <= x))).map(|p| p.0).min().map(inside),
        "ArrowLeft" => all().filter_map(|p| p.partition_point(|p| p.0 < x).checked_sub(1).map(|at| p[at].0)).max().map(inside),
        "PageDown" => Some(inside(x.saturating_add(far))),
        "PageUp" => Some(inside(x.saturating_sub(far))),
        "Home" => Some(window.0),
        "End" => Some(window.1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(shape: Shape, points: &[(i64, f64)]) -> Line {
        Line { name: "a".into(), colour: 0, shape, points: points.to_vec() }
    }

    fn layout(lines: &[&Line], window: (i64, i64)) -> Layout {
        Layout::new(lines, window, (Kind::Duration, Kind::Bytes), 600.0, 240.0)
    }

    #[test]
    fn a_step_holds_until_the_next_point() {
        let step = line(Shape::Step, &[(10, 1.0), (20, 5.0)]);
        assert_eq!(step.at(9), None);
        assert_eq!(step.at(19), Some((10, 1.0)));
        assert_eq!(step.at(500), Some((20, 5.0)));
        let straight = line(Shape::Line, &[(10, 1.0), (20, 5.0)]);
        assert_eq!(straight.at(0), Some((10, 1.0)));
        assert_eq!(straight.at(16), Some((20, 5.0)));
        let l = layout(&[&step], (10, 20));
        let path = l.path(&step);
        assert_eq!(path[1], (path[2].0, path[0].1), "goes right, then up");
    }

    #[test]
    fn no_peak_is_lost_among_many_points() {
        let mut points: Vec<(i64, f64)> = (0..1_000_000).map(|i| (i, f64::from((i % 7) as u8))).collect();
        points[654_321].1 = 1e6;
        let line = line(Shape::Step, &points);
        let l = layout(&[&line], (0, 1_000_000));
        let path = l.path(&line);
        assert!(path.len() < 600 * 6, "{}", path.len());
        assert_eq!(path.iter().map(|p| p.1).fold(f64::MIN, f64::max), 1e6);
        assert!(path.windows(2).all(|w| w[0].0 <= w[1].0));
    }

    #[test]
    fn a_window_draws_from_the_point_before_it() {
        let line = line(Shape::Step, &[(0, 8.0), (1_000, 4.0), (2_000, 2.0)]);
        let l = layout(&[&line], (1_200, 1_800));
        let path = l.path(&line);
        assert_eq!(path, [(1_200.0, 4.0), (1_800.0, 4.0)]);
        assert_eq!(l.x_at(l.px(1_500)), 1_500);
        assert_eq!(l.x_at(-99.0), 1_200);
    }

    #[test]
    fn what_leaves_the_axis_is_cut_where_it_leaves() {
        let straight = line(Shape::Line, &[(0, 0.0), (1_000, 10.0), (2_000, 0.0)]);
        let l = layout(&[&straight], (500, 1_750));
        assert_eq!(l.path(&straight), [(500.0, 5.0), (1_000.0, 10.0), (1_750.0, 2.5)]);
        let l = layout(&[&straight], (1_200, 1_400));
        assert_eq!(l.path(&straight), [(1_200.0, 8.0), (1_400.0, 6.0)]);
        assert_eq!(clipped(&[], (0.0, 1.0)), []);
        assert_eq!(layout(&[], (0, 10)).path(&line(Shape::Area, &[(3, f64::NAN)])), []);
    }

    #[test]
    fn a_click_is_no_range() {
        assert_eq!(dragged((10.0, 100), (12.0, 120)), None);
        assert_eq!(dragged((50.0, 500), (10.0, 100)), Some((100, 500)));
        assert_eq!(dragged((50.0, 500), (10.0, 500)), None);
    }

    #[test]
    fn keys_go_from_point_to_point() {
        let (a, b) = (line(Shape::Step, &[(0, 1.0), (10, 2.0)]), line(Shape::Step, &[(5, 1.0)]));
        let go = |x, key| moved(&[&a, &b], x, key, (0, 10));
        assert_eq!(go(None, "ArrowRight"), Some(0));
        assert_eq!(go(Some(0), "ArrowRight"), Some(5));
        assert_eq!(go(Some(10), "ArrowLeft"), Some(5));
        assert_eq!(go(Some(10), "ArrowRight"), None);
        assert_eq!(go(Some(3), "End"), Some(10));
        assert_eq!(go(Some(3), "x"), None);
    }

    #[test]
    fn labels_of_the_x_axis_have_room() {
        let line = line(Shape::Line, &[(1_500_000_000, 1.0), (1_500_000_900, 2.0)]);
        let l = Layout::new(&[&line], (1_500_000_000, 1_500_000_900), (Kind::Duration, Kind::Bytes), 360.0, 240.0);
        assert!(l.x.ticks.len() as f64 * (l.x.widest() as f64 * 7.0 + 16.0) <= l.width || l.x.ticks.len() <= 2);
        assert_eq!(extent(&[]), None);
        assert_eq!((reach(Some((18, 54)), Some((0, 50))), reach(Some((18, 54)), None)), (Some((0, 54)), Some((18, 54))));
        assert_eq!(reach(None, Some((0, 50))), None);
    }
}
