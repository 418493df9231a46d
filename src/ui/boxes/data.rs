//! Data and layout of box plots: pure arithmetic.

use crate::ui::chart::scale::{self, Axis};
use crate::ui::table::Kind;

/// Values that are alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Boxed {
    /// What they have in common.
    pub name: String,
    /// Colour slot.
    pub colour: u16,
    /// Least, first quartile, median, third quartile, most.
    pub five: [f64; 5],
    /// Mean.
    pub mean: f64,
    /// How many.
    pub count: u64,
}

/// Pixels from one box to the next.
pub const PITCH: f64 = 34.0;
/// Above the first box, and below the last one.
const TOP: f64 = 6.0;
const BOTTOM: f64 = 36.0;

/// Height of this number of boxes, pixels.
pub fn height(n: usize) -> f64 {
    TOP + BOTTOM + PITCH * n.max(1) as f64
}

/// Layout in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Left edge of the plot.
    pub left: f64,
    /// Its width.
    pub width: f64,
    /// Its lower edge.
    pub ground: f64,
    /// The horizontal axis.
    pub axis: Axis,
}

impl Layout {
    /// Room for all boxes on a canvas so wide.
    pub fn new(boxes: &[Boxed], kind: Kind, width: f64) -> Layout {
        let (left, right) = (12.0, 24.0);
        let width = (width - left - right).max(10.0);
        let most = boxes.iter().map(|b| b.five[4]).fold(0.0, f64::max);
        let axis = scale::zero_based(0.0, most, (width / 90.0) as usize, kind);
        Layout { left, width, ground: height(boxes.len()) - BOTTOM, axis }
    }

    /// Pixel of a value.
    pub fn x(&self, value: f64) -> f64 {
        self.left + self.width * self.axis.share(value)
    }

    /// Upper edge of the band of a box, its name included.
    pub fn y(&self, at: usize) -> f64 {
        TOP + PITCH * at as f64
    }

    /// The box of the band at a pixel.
    pub fn hit(&self, y: f64, n: usize) -> Option<usize> {
        let at = (y - TOP) / PITCH;
        (at >= 0.0 && (at as usize) < n).then_some(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_stand_below_each_other_on_one_axis() {
        let boxes: Vec<Boxed> = (1..4).map(|n| Boxed { five: [0.0, 1.0, 2.0, 3.0, n as f64 * 100.0], ..Boxed::default() }).collect();
        let layout = Layout::new(&boxes, Kind::Duration, 336.0);
        assert_eq!((layout.axis.hi, layout.x(0.0), layout.x(layout.axis.hi)), (300.0, 12.0, 312.0));
        assert_eq!([layout.y(0) + 1.0, layout.y(2) + 33.0, layout.ground + 1.0].map(|y| layout.hit(y, 3)), [Some(0), Some(2), None]);
        assert_eq!(Layout::new(&[], Kind::Duration, 0.0).hit(0.0, 0), None);
    }
}
