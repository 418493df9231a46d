//! Data and layout of a chart of points under ceilings: pure arithmetic.

/// A point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dot {
    /// Its name.
    pub name: String,
    /// The series it belongs to: what the legend hides.
    pub series: String,
    /// Greater than zero; others are not drawn.
    pub x: f64,
    /// Likewise.
    pub y: f64,
    /// Its area as a share of the largest.
    pub size: f64,
    /// Colour slot.
    pub colour: u16,
    /// Only its outline is drawn: it is no measurement.
    pub is_hollow: bool,
    /// Values for the read-out.
    pub rows: Vec<(String, String)>,
    /// A line beneath them.
    pub note: String,
}

/// A height that no point can pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Ceiling {
    /// Its name.
    pub name: String,
    /// Position.
    pub level: f64,
    /// Drawn with dashes.
    pub is_dashed: bool,
}

/// A named place on a ceiling.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it is.
    pub name: String,
    /// Where.
    pub x: f64,
    /// Where.
    pub y: f64,
}

/// A logarithmic axis of whole decades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogAxis {
    /// Power of ten at its beginning.
    pub lo: i32,
    /// Power of ten at its end; greater than `lo`.
    pub hi: i32,
}

impl LogAxis {
    /// Holds all values that are greater than zero.
    pub fn new(values: impl Iterator<Item = f64>) -> LogAxis {
        let (mut lo, mut hi) = (i32::MAX, i32::MIN);
        for power in values.filter(|v| *v > 0.0 && v.is_finite()).map(f64::log10) {
            lo = lo.min((power - 0.05).floor() as i32);
            hi = hi.max((power + 0.05).ceil() as i32);
        }
        if lo > hi { LogAxis { lo: 0, hi: 1 } } else { LogAxis { lo, hi: hi.max(lo + 1) } }
    }

    /// Position of a value: 0 at the beginning, 1 at the end.
    pub fn share(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.lo)) / f64::from(self.hi - self.lo)
    }

    /// The power of ten at a place.
    fn power(&self, share: f64) -> f64 {
        f64::from(self.lo) + share * f64::from(self.hi - self.lo)
    }

    /// The values at its ends.
    pub fn range(&self) -> std::ops::Range<f64> {
        10f64.powi(self.lo)..10f64.powi(self.hi)
    }

    /// Powers of ten, at most `n` of them.
    pub fn decades(&self, n: usize) -> impl Iterator<Item = i32> + use<> {
        let step = ((self.hi - self.lo) as usize).div_ceil(n.max(1)).max(1);
        (self.lo..=self.hi).step_by(step)
    }
}

/// Layout in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Horizontal.
    pub x: LogAxis,
    /// Vertical.
    pub y: LogAxis,
    /// Edge of the plot.
    pub left: f64,
    /// Edge of the plot.
    pub top: f64,
    /// Width of the plot.
    pub width: f64,
    /// Height of the plot.
    pub height: f64,
}

impl Layout {
    /// Room for the points, the ceilings and where those meet the slope.
    pub fn new(dots: &[&Dot], ceilings: &[Ceiling], slope: Option<f64>, (width, height): (f64, f64)) -> Layout {
        let ridges = ceilings.iter().filter_map(|c| Some(c.level / slope.filter(|s| *s > 0.0)?));
        // A point that cannot be drawn does not interval the axes.
        let drawn = || dots.iter().filter(|dot| drawable(dot));
        let x = LogAxis::new(drawn().map(|d| d.x).chain(ridges.map(|r| r * 3.0)));
        let y = LogAxis::new(drawn().map(|d| d.y).chain(ceilings.iter().map(|c| c.level)));
        let (left, top) = (52.0, 20.0);
        Layout { x, y, left, top, width: (width - left - 20.0).max(1.0), height: (height - top - 40.0).max(1.0) }
    }

    /// Pixel of a value.
    pub fn px(&self, x: f64) -> f64 {
        self.left + self.width * self.x.share(x)
    }

    /// Pixel of a value.
    pub fn py(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.share(y))
    }

    /// The lower left and the upper right end of `y = slope × x` below `level`, as values; `None` when none of it is seen.
    pub fn slope(&self, slope: f64, level: f64) -> Option<[(f64, f64); 2]> {
        if slope.is_nan() || slope <= 0.0 {
            return None;
        }
        let x0 = 10f64.powf(self.x.power(0.0)).max(10f64.powf(self.y.power(0.0)) / slope);
        let x1 = 10f64.powf(self.x.power(1.0)).min(level.min(10f64.powf(self.y.power(1.0))) / slope);
        (x1 > x0).then_some([(x0, slope * x0), (x1, slope * x1)])
    }

    /// Radius of a point of that size.
    pub fn radius(size: f64) -> f64 {
        4.0 + 10.0 * size.clamp(0.0, 1.0).sqrt()
    }

    /// The point at a pixel, by position; of several the nearest.
    pub fn hit(&self, dots: &[&Dot], px: f64, py: f64) -> Option<usize> {
        let distance = |d: &Dot| (self.px(d.x) - px).hypot(self.py(d.y) - py);
        let near = dots.iter().enumerate().filter(|(_, d)| drawable(d) && distance(d) <= Self::radius(d.size) + 4.0);
        near.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1))).map(|(at, _)| at)
    }
}

/// The point that a key goes to, among those drawn: round in their order.
pub fn step(shown: &[usize], from: Option<usize>, key: &str) -> Option<usize> {
    let last = shown.len().checked_sub(1)?;
    let here = from.and_then(|from| shown.iter().position(|at| *at == from));
    let next = match (key, here) {
        ("Home", _) | ("ArrowRight" | "ArrowDown", None) => 0,
        ("End", _) | ("ArrowLeft" | "ArrowUp", None) => last,
        ("ArrowRight" | "ArrowDown", Some(at)) => (at + 1) % shown.len(),
        ("ArrowLeft" | "ArrowUp", Some(at)) => at.checked_sub(1).unwrap_or(last),
        _ => return None,
    };
    shown.get(next).copied()
}

/// Whether a point has a place on logarithmic axes.
pub fn drawable(dot: &Dot) -> bool {
    dot.x > 0.0 && dot.y > 0.0 && dot.x.is_finite() && dot.y.is_finite()
}

/// A power of ten as people write rates: `1 T`, `100 G`.
pub fn power(n: i32) -> String {
    const NAMES: [&str; 7] = ["", " k", " M", " G", " T", " P", " E"];
    match usize::try_from(n).ok().and_then(|n| Some((n, NAMES.get(n / 3)?))) {
        Some((n, name)) => format!("{}{name}", 10u32.pow(n as u32 % 3)),
        None if (-3..0).contains(&n) => format!("{:.*}", n.unsigned_abs() as usize, 10f64.powi(n)),
        None => format!("1e{n}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_on_logarithmic_axes() {
        let dots = [Dot { x: 10.0, y: 1e12, size: 1.0, ..Dot::default() }, Dot { x: 0.0, y: 1.0, ..Dot::default() }];
        let dots: Vec<&Dot> = dots.iter().collect();
        let ceilings = [Ceiling { name: "peak".into(), level: 1e14, is_dashed: false }];
        let layout = Layout::new(&dots[..1], &ceilings, Some(1e12), (472.0, 260.0));
        assert_eq!((layout.x, layout.y), (LogAxis { lo: 0, hi: 3 }, LogAxis { lo: 11, hi: 15 }));
        assert_eq!((layout.px(10.0).round(), layout.py(1e12).round()), (185.0, 170.0));
        assert_eq!(layout.hit(&dots, 186.0, 171.0), Some(0));
        assert_eq!(layout.hit(&dots, 300.0, 20.0), None);
        let [from, to] = layout.slope(1e12, 1e14).expect("a slope");
        assert!(from.0 < to.0 && from.1 < to.1 && (to.1 - 1e14).abs() < 1.0, "{from:?} {to:?}");
        assert_eq!(layout.slope(f64::NAN, 1.0), None);
    }

    #[test]
    fn keys_go_round_the_points_that_are_drawn() {
        let go = |from, key| step(&[1, 4, 7], from, key);
        assert_eq!([go(None, "ArrowRight"), go(Some(7), "ArrowDown"), go(Some(1), "ArrowLeft")], [Some(1), Some(1), Some(7)]);
        assert_eq!([go(Some(5), "ArrowUp"), go(Some(4), "Home"), go(Some(4), "x"), step(&[], None, "End")], [Some(7), Some(1), None, None]);
    }

    #[test]
    fn nothing_breaks_an_axis() {
        assert_eq!(LogAxis::new([f64::NAN, -1.0, 0.0].into_iter()), LogAxis { lo: 0, hi: 1 });
        assert_eq!(LogAxis { lo: -2, hi: 15 }.decades(6).collect::<Vec<_>>(), [-2, 1, 4, 7, 10, 13]);
        assert_eq!([-5, -2, 0, 2, 4, 12].map(power), ["1e−5", "0.01", "1", "100", "10 k", "1 T"]);
    }
}
