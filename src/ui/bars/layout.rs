//! Layout of bars, rectangles and names: pure arithmetic.

use super::data::{Bar, Mark};
use crate::ui::chart::scale::{self, Axis};
use crate::ui::table::Kind;

/// Least pixels from one bar to the next; more bars than fit scroll sideways.
const LEAST_PITCH: f64 = 16.0;
/// Most pixels from one bar to the next.
const MOST_PITCH: f64 = 96.0;
/// The same where names need more.
const NAMED_PITCH: f64 = 132.0;
/// Pixels of a character of a name, about.
const NAME_DIGIT: f64 = 7.0;

/// Where things are on the canvas, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Left edge of the plot.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width of what is seen of the plot.
    pub width: f64,
    /// Height of the plot.
    pub height: f64,
    /// From one bar to the next.
    pub pitch: f64,
    /// Pixels scrolled.
    pub scroll: f64,
    /// Bars there are.
    pub n: usize,
    /// Series drawn, by position, in the order stacked.
    pub shown: Vec<usize>,
    /// Whether series are side by side.
    pub is_beside: bool,
    /// The vertical axis.
    pub axis: Axis,
}

/// A rectangle of a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its series, by position.
    pub series: usize,
    /// Its left and right edge, in CSS pixels.
    pub x: (f64, f64),
    /// The values where it begins, on the side of zero, and ends.
    pub values: (f64, f64),
}

/// What a layout depends on.
pub struct LayoutInput<'a> {
    /// Bars.
    pub bars: &'a [Bar],
    /// Series drawn.
    pub shown: Vec<usize>,
    /// Whether series are side by side.
    pub is_beside: bool,
    /// How values read.
    pub kind: Kind,
}

impl Layout {
    /// The layout on a canvas so large, scrolled by so much.
    pub fn new(given: &LayoutInput, width: f64, height: f64, scroll: f64) -> Layout {
        let has_groups = given.bars.iter().any(|b| !b.group.is_empty());
        let (top, bottom) = (18.0, if has_groups { 40.0 } else { 22.0 });
        let (lo, hi) =
            given.bars.iter().map(|b| extent(b, &given.shown, given.is_beside)).fold((0.0f64, 0.0f64), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let plot_height = (height - top - bottom).max(10.0);
        let axis = scale::zero_based(lo, hi, (plot_height / 40.0) as usize, given.kind);
        let left = 14.0 + axis.widest() as f64 * 7.0;
        let plot_width = (width - left).max(10.0);
        let n = given.bars.len();
        let least = if given.is_beside { LEAST_PITCH.max(given.shown.len() as f64 * 5.0 + 6.0) } else { LEAST_PITCH };
        let longest = given.bars.iter().map(|b| b.name.chars().count()).max().unwrap_or(0) as f64;
        // Few bars have room for their names.
        let most = (longest * NAME_DIGIT + 14.0).clamp(MOST_PITCH, NAMED_PITCH).max(least);
        let pitch = (plot_width / n.max(1) as f64).clamp(least, most);
        let most = (pitch * n as f64 - plot_width).max(0.0);
        let (shown, is_beside) = (given.shown.clone(), given.is_beside);
        Layout { left, top, width: plot_width, height: plot_height, pitch, scroll: scroll.clamp(0.0, most), n, shown, is_beside, axis }
    }

    /// Pixels that canvas and all bars together would take.
    pub fn whole_width(&self) -> f64 {
        self.left + (self.pitch * self.n as f64).max(self.width)
    }

    /// Bars in sight.
    pub fn in_sight(&self) -> std::ops::Range<usize> {
        let first = (self.scroll / self.pitch) as usize;
        let end = ((self.scroll + self.width) / self.pitch).ceil() as usize;
        first.min(self.n)..end.min(self.n)
    }

    /// Left edge of a bar's column.
    pub fn column(&self, bar: usize) -> f64 {
        self.left + bar as f64 * self.pitch - self.scroll
    }

    /// Bars that are named, with the middle and the most width of each name: within the plot, and clear of the next one.
    pub fn name_places(&self, width_of: impl Fn(usize) -> f64) -> Vec<(usize, f64, f64)> {
        const APART: f64 = 6.0;
        let seen = self.in_sight();
        let every = self.every(seen.clone().map(&width_of).fold(0.0, f64::max).min(120.0));
        let most = self.pitch * every as f64 - APART;
        let named: Vec<usize> = seen.filter(|at| at % every == 0).collect();
        let middle = |at: usize| self.column(at) + self.pitch / 2.0;
        let wide = |at: usize| width_of(at).min(most);
        let (mut from, right) = (self.left, self.left + self.width);
        let mut out = Vec::with_capacity(named.len());
        for (i, &at) in named.iter().enumerate() {
            let to = named.get(i + 1).map_or(right, |next| (middle(*next) - wide(*next) / 2.0 - APART).min(right));
            let room = most.min(to - from);
            let half = wide(at).min(room) / 2.0;
            let x = middle(at).min(to - half).max(from + half);
            out.push((at, x, room));
            from = x + half + APART;
        }
        out
    }

    /// Height of a value on the canvas.
    pub fn y(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - self.axis.share(value))
    }

    /// What a bar is made of.
    pub fn pieces(&self, at: usize, bar: &Bar) -> Vec<Piece> {
        let gap = (self.pitch * 0.2).clamp(2.0, 24.0).max(self.pitch - MOST_PITCH * 0.8);
        let (x, width) = (self.column(at) + gap / 2.0, self.pitch - gap);
        if self.is_beside {
            let each = width / self.shown.len().max(1) as f64;
            let beside = |(i, series): (usize, &usize)| {
                let x = (x + i as f64 * each, x + (i + 1) as f64 * each);
                Piece { series: *series, x, values: (0.0, bar.value(*series)) }
            };
            return self.shown.iter().enumerate().map(beside).collect();
        }
        let (mut above, mut below) = (0.0, 0.0);
        let stack = self.shown.iter().map(|series| {
            let value = bar.value(*series);
            let base: &mut f64 = if value < 0.0 { &mut below } else { &mut above };
            let from = *base;
            *base += value;
            Piece { series: *series, x: (x, x + width), values: (from, *base) }
        });
        stack.collect()
    }

    /// x, y, width, height of a piece.
    pub fn rect(&self, piece: &Piece) -> [f64; 4] {
        let (a, b) = piece.values;
        let (top, bottom) = (self.y(a.max(b)), self.y(a.min(b)));
        [piece.x.0, top, piece.x.1 - piece.x.0, bottom - top]
    }

    /// What is under a point of the canvas.
    pub fn hit(&self, bars: &[Bar], x: f64, y: f64) -> Option<Mark> {
        if x < self.left || x > self.left + self.width || y < self.top - 4.0 || y > self.top + self.height + 40.0 {
            return None;
        }
        let at = ((x - self.left + self.scroll) / self.pitch) as usize;
        let bar = bars.get(at)?;
        let inside =
            |[left, top, width, height]: [f64; 4]| y >= top && y < top + height && (!self.is_beside || (x >= left && x < left + width));
        let series = self.pieces(at, bar).iter().find(|p| inside(self.rect(p))).map(|p| p.series);
        Some(Mark { bar: at, series })
    }

    /// How far to scroll so that a bar is in sight.
    pub fn reveal(&self, bar: usize) -> f64 {
        let at = bar as f64 * self.pitch;
        self.scroll.clamp((at + self.pitch - self.width).max(0.0), at.max(0.0))
    }

    /// Number of bars per label, if the widest label has this width in pixels.
    pub fn every(&self, widest: f64) -> usize {
        ((widest + 8.0) / self.pitch).ceil().max(1.0) as usize
    }
}

/// Lowest and highest point of a bar.
fn extent(bar: &Bar, shown: &[usize], is_beside: bool) -> (f64, f64) {
    let values = shown.iter().map(|s| bar.value(*s));
    if is_beside {
        return values.fold((0.0, 0.0), |(lo, hi), v| (f64::min(lo, v), f64::max(hi, v)));
    }
    values.fold((0.0, 0.0), |(lo, hi), v| if v < 0.0 { (lo + v, hi) } else { (lo, hi + v) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(n: usize) -> Vec<Bar> {
        (0..n).map(|i| Bar { name: i.to_string(), values: vec![100.0, 50.0, f64::NAN], ..Bar::default() }).collect()
    }

    fn layout(bars: &[Bar], shown: Vec<usize>, is_beside: bool, scroll: f64) -> Layout {
        Layout::new(&LayoutInput { bars, shown, is_beside, kind: Kind::Number }, 421.0 + 14.0, 240.0, scroll)
    }

    fn pixels(l: &Layout, at: usize, bar: &Bar) -> Vec<[f64; 4]> {
        l.pieces(at, bar).iter().map(|p| l.rect(p)).collect()
    }

    #[test]
    fn stacks_begin_at_zero_and_add_up() {
        let bars = bars(4);
        let l = layout(&bars, vec![0, 1], false, 0.0);
        let rects = pixels(&l, 0, &bars[0]);
        assert_eq!((l.axis.lo, l.axis.hi), (0.0, 150.0));
        assert_eq!(rects[0][1] + rects[0][3], l.top + l.height);
        assert!((rects[0][3] / rects[1][3] - 2.0).abs() < 1e-9);
        assert!((rects[1][1] - l.top).abs() < 1e-9);
        // Without the first series the second is on the ground.
        let l = layout(&bars, vec![1], false, 0.0);
        assert_eq!(l.axis.hi, 50.0);
        assert!((pixels(&l, 0, &bars[0])[0][3] - l.height).abs() < 1e-9);
    }

    #[test]
    fn what_is_below_zero_hangs_below() {
        let bars = [Bar { values: vec![3.0, -1.0], ..Bar::default() }];
        let l = layout(&bars, vec![0, 1], false, 0.0);
        let rects = pixels(&l, 0, &bars[0]);
        assert!(l.axis.lo <= -1.0);
        assert_eq!(rects[1][1], l.y(0.0));
    }

    #[test]
    fn hits_tell_bar_and_series() {
        let bars = bars(4);
        let l = layout(&bars, vec![0, 1], false, 0.0);
        let x = l.column(2) + l.pitch / 2.0;
        assert_eq!(l.hit(&bars, x, l.y(20.0)), Some(Mark { bar: 2, series: Some(0) }));
        assert_eq!(l.hit(&bars, x, l.y(120.0)), Some(Mark { bar: 2, series: Some(1) }));
        assert_eq!(l.hit(&bars, x, l.top + l.height + 10.0), Some(Mark { bar: 2, series: None }));
        assert_eq!(l.hit(&bars, 2.0, 100.0), None);
        let l = layout(&bars, vec![0, 1], true, 0.0);
        let [x, y, w, _] = pixels(&l, 1, &bars[1])[1];
        assert_eq!(l.hit(&bars, x + w / 2.0, y + 1.0), Some(Mark { bar: 1, series: Some(1) }));
    }

    #[test]
    fn names_stay_in_the_plot_and_clear_of_each_other() {
        let bars = bars(12);
        let l = layout(&bars, vec![0], false, 0.0);
        let wide = |at: usize| if at == 0 { 95.0 } else { 70.0 };
        let places = l.name_places(wide);
        assert!(places.len() > 1);
        let edges: Vec<(f64, f64)> =
            places.iter().map(|(at, x, room)| (x - wide(*at).min(*room) / 2.0, x + wide(*at).min(*room) / 2.0)).collect();
        assert!(edges[0].0 >= l.left - 1e-9 && edges.iter().all(|e| e.1 <= l.left + l.width + 1e-9), "{edges:?}");
        assert!(edges.windows(2).all(|w| w[0].1 < w[1].0), "{edges:?}");
    }

    #[test]
    fn many_bars_scroll() {
        let bars = bars(1_000);
        let l = layout(&bars, vec![0], false, 1e9);
        assert_eq!(l.pitch, LEAST_PITCH);
        assert!(l.whole_width() > 16_000.0);
        assert_eq!(l.in_sight().end, 1_000);
        assert!(l.in_sight().len() < 30);
        assert_eq!(l.reveal(0), 0.0);
        assert_eq!(l.reveal(999), l.scroll);
        assert_eq!(l.every(40.0), 3);
    }

    #[test]
    fn nothing_is_laid_out_without_harm() {
        let l = layout(&[], vec![], false, 0.0);
        assert_eq!(l.in_sight(), 0..0);
        assert_eq!(l.hit(&[], 100.0, 100.0), None);
    }
}
