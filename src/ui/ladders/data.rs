//! The bars and gaps, and the place of each: pure arithmetic.

/// What is between a bar and the one above it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gap {
    /// Its name.
    pub name: String,
    /// Its size, in the unit of the bars.
    pub value: f64,
    /// Size and share as people read them.
    pub text: String,
    /// Further values for the card: (name, value).
    pub facts: Vec<(String, String)>,
    /// Its definition.
    pub note: String,
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rung {
    /// Its name.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// Formatted value.
    pub text: String,
    /// Colour slot.
    pub colour: u16,
    /// `None` of the first one.
    pub gap: Option<Gap>,
}

/// Bars that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ladder {
    /// Heading.
    pub name: String,
    /// From the longest down.
    pub rungs: Vec<Rung>,
}

/// Gaps in the order of the bars: (ladder, rung) of each.
pub fn gaps(ladders: &[Ladder]) -> Vec<(usize, usize)> {
    let of = |(l, ladder): (usize, &Ladder)| {
        let has = ladder.rungs.iter().enumerate().filter(|r| r.1.gap.is_some());
        has.map(|(r, _)| (l, r)).collect::<Vec<_>>()
    };
    ladders.iter().enumerate().flat_map(of).collect()
}

/// Less room than this has the names above the bars instead of beside them, CSS pixels.
const NARROW: f64 = 640.0;
/// Height of a bar.
pub const BAR: f64 = 24.0;
const HEADING: f64 = 26.0;

/// One line of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Upper edge of the bar, or of the heading.
    pub y: f64,
    /// The ladder, by position.
    pub ladder: usize,
    /// The bar, by position; `None` is the heading.
    pub rung: Option<usize>,
    /// The number of its gap among [`gaps`].
    pub gap: Option<usize>,
}

/// Where things are, CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Left edge of the bars.
    pub left: f64,
    /// Width of the longest bar.
    pub width: f64,
    /// Whether names are above their bars.
    pub is_narrow: bool,
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// Height of everything.
    pub height: f64,
    most: f64,
}

impl Layout {
    /// The layout on a canvas so wide.
    pub fn new(ladders: &[Ladder], width: f64) -> Layout {
        let is_narrow = width < NARROW;
        let left = if is_narrow { 0.0 } else { 184.0 };
        let (above, pitch) = if is_narrow { (18.0, BAR + 24.0) } else { (0.0, BAR + 8.0) };
        let mut lines = Vec::new();
        let (mut y, mut n_gaps) = (0.0, 0);
        for (l, ladder) in ladders.iter().enumerate() {
            lines.push(Line { y, ladder: l, rung: None, gap: None });
            y += HEADING;
            for (r, rung) in ladder.rungs.iter().enumerate() {
                let gap = rung.gap.as_ref().map(|_| n_gaps);
                n_gaps += usize::from(gap.is_some());
                lines.push(Line { y: y + above, ladder: l, rung: Some(r), gap });
                y += pitch;
            }
            y += 8.0;
        }
        let rungs = ladders.iter().flat_map(|l| &l.rungs);
        let most = rungs.map(|r| r.value + r.gap.as_ref().map_or(0.0, |g| g.value)).filter(|v| v.is_finite()).fold(0.0, f64::max);
        Layout { left, width: (width - left - 2.0).max(10.0), is_narrow, lines, height: y.max(20.0), most }
    }

    /// Pixel of a value.
    pub fn x(&self, value: f64) -> f64 {
        let share = if self.most > 0.0 && value.is_finite() { (value / self.most).clamp(0.0, 1.0) } else { 0.0 };
        self.left + share * self.width
    }

    /// The gap in the line at a height.
    pub fn hit(&self, y: f64) -> Option<usize> {
        let above = if self.is_narrow { 18.0 } else { 4.0 };
        self.lines.iter().find(|l| l.gap.is_some() && (l.y - above..l.y + BAR + 4.0).contains(&y)).and_then(|l| l.gap)
    }

    /// The line of a gap.
    pub fn line_of(&self, gap: usize) -> Option<&Line> {
        self.lines.iter().find(|l| l.gap == Some(gap))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn ladders() -> Vec<Ladder> {
        let gap = |name: &str, value| Some(Gap { name: name.into(), value, text: "12 ns".into(), ..Gap::default() });
        let rung = |name: &str, value, gap| Rung { name: name.into(), value, text: format!("{value} ns"), colour: 3, gap };
        let memory = vec![rung("Total", 100.0, None), rung("Transfers", 40.0, gap("DMA idle", 60.0)), rung("Peak", 5.0, gap("Slow", 35.0))];
        let compute = vec![rung("Tensor", 100.0, gap("Tensor idle", 0.0))];
        vec![Ladder { name: "Memory".into(), rungs: memory }, Ladder { name: "Compute".into(), rungs: compute }]
    }

    #[test]
    fn gaps_are_counted_over_all_ladders() {
        let all = ladders();
        assert_eq!(gaps(&all), [(0, 1), (0, 2), (1, 0)]);
        for width in [1100.0, 340.0] {
            let layout = Layout::new(&all, width);
            assert_eq!(layout.is_narrow, width < NARROW);
            assert_eq!((layout.x(0.0), layout.x(100.0)), (layout.left, layout.left + layout.width));
            for gap in 0..3 {
                let line = *layout.line_of(gap).unwrap();
                assert_eq!(layout.hit(line.y + 3.0), Some(gap));
                assert!(line.y + BAR <= layout.height);
            }
            let heads: Vec<f64> = layout.lines.iter().filter(|l| l.rung.is_none()).map(|l| l.y).collect();
            assert_eq!(heads.iter().filter_map(|y| layout.hit(y + 2.0)).count(), 0);
        }
        assert_eq!(Layout::new(&[], 0.0).hit(1.0), None);
    }
}
