//! Axes of plotters with the ticks of this page: round numbers in one unit.

use crate::ui::chart::scale::{Axis, Tick};
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use std::ops::Range;

enum Coord {
    Linear(RangedCoordf64),
    Log(LogCoord<f64>),
}

/// An axis: plotters maps values to pixels, ticks and their labels are given.
pub struct Scale {
    coord: Coord,
    range: Range<f64>,
    ticks: Vec<Tick>,
}

impl Scale {
    /// A linear axis with its ticks.
    pub fn linear(axis: &Axis) -> Scale {
        Scale { coord: Coord::Linear((axis.lo..axis.hi).into()), range: axis.lo..axis.hi, ticks: axis.ticks.clone() }
    }

    /// A linear axis without ticks.
    pub fn plain(range: Range<f64>) -> Scale {
        Scale { coord: Coord::Linear(range.clone().into()), range, ticks: Vec::new() }
    }

    /// A logarithmic axis; both ends are greater than zero.
    pub fn log(range: Range<f64>, ticks: Vec<Tick>) -> Scale {
        Scale { coord: Coord::Log(range.clone().log_scale().into()), range, ticks }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        // What is far outside would overflow the pixels of plotters.
        let value = value.max(self.range.start).min(self.range.end);
        match &self.coord {
            Coord::Linear(coord) => coord.map(&value, limit),
            Coord::Log(coord) => coord.map(&value, limit),
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Lines between ticks would say more than the labels do.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|t| t.value).collect() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks.iter().find(|t| t.value == *value).map(|t| t.label.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::scale;
    use crate::ui::table::Kind;

    #[test]
    fn ticks_are_those_of_the_page() {
        let axis = scale::zero_based(0.0, 187_948_000.0, 4, Kind::Duration);
        let found = Scale::linear(&axis);
        let labels: Vec<String> = found.key_points(plotters::coord::ranged1d::BoldPoints(3)).iter().map(|v| found.format_ext(v)).collect();
        assert_eq!(labels, ["0", "50", "100", "150", "200"]);
        assert!(found.key_points(9usize).is_empty(), "no light lines");
    }

    #[test]
    fn values_are_mapped_and_stay_within() {
        let linear = Scale::plain(0.0..200.0);
        assert_eq!([0.0, 50.0, 200.0, 1e300, f64::NAN, -5.0].map(|v| linear.map(&v, (0, 1_000))), [0, 250, 1_000, 1_000, 0, 0]);
        assert_eq!([0.0, 200.0].map(|v| linear.map(&v, (900, 100))), [900, 100], "upwards");
        let log = Scale::log(1.0..1e4, Vec::new());
        assert_eq!([1.0, 10.0, 1e4, 0.0, -3.0].map(|v| log.map(&v, (0, 400))), [0, 100, 400, 0, 0]);
    }
}
