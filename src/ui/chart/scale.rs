//! Axes: round ticks in one unit, and positions of values.

use crate::base::text;
use crate::ui::table::Kind;

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value.
    pub value: f64,
    /// How it reads, without the unit.
    pub label: String,
}

/// An axis between two values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Where it begins.
    pub lo: f64,
    /// Where it ends; greater than `lo`.
    pub hi: f64,
    /// The unit of all labels; empty for plain numbers.
    pub unit: &'static str,
    /// From `lo` to `hi`.
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// Position of a value: 0 at the beginning, 1 at the end; may be outside.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.lo) / (self.hi - self.lo)
    }

    /// The value at a place, the opposite of [`Axis::share`].
    pub fn value(&self, share: f64) -> f64 {
        self.lo + share * (self.hi - self.lo)
    }

    /// Characters of the longest label.
    pub fn widest(&self) -> usize {
        self.ticks.iter().map(|t| t.label.chars().count()).max().unwrap_or(1)
    }
}

/// An axis from zero, or below when there is something below, that ends on a tick.
pub fn zero_based(lo: f64, hi: f64, n_ticks: usize, kind: Kind) -> Axis {
    axis(lo.min(0.0), hi.max(0.0), n_ticks, kind, true)
}

/// An axis of exactly this range.
pub fn exact(lo: f64, hi: f64, n_ticks: usize, kind: Kind) -> Axis {
    axis(lo, hi, n_ticks, kind, false)
}

fn axis(lo: f64, hi: f64, n_ticks: usize, kind: Kind, is_rounded: bool) -> Axis {
    let sane = |v: f64| if v.is_finite() { v.clamp(-1e300, 1e300) } else { 0.0 };
    let (lo, mut hi) = (sane(lo), sane(hi));
    if hi <= lo {
        hi = lo + lo.abs().max(1.0) * if kind == Kind::Share { 0.01 } else { 1.0 };
    }
    let (scale, unit) = unit(kind, lo.abs().max(hi.abs()));
    let mut step = nice((hi - lo) / scale / n_ticks.max(1) as f64);
    if kind == Kind::Count || unit == "ns" || unit == "B" {
        step = step.max(1.0);
    }
    // A hair of tolerance: 0.3 / 0.1 is a little less than 3.
    let (first, last) = if is_rounded {
        let first = (lo / scale / step + 1e-9).floor();
        (first, (hi / scale / step - 1e-9).ceil().max(first + 1.0))
    } else {
        ((lo / scale / step - 1e-9).ceil(), (hi / scale / step + 1e-9).floor())
    };
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let tick = |n: usize| {
        let value = (first + n as f64) * step;
        Tick { value: value * scale, label: label(value, decimals, kind) }
    };
    let n = ((last - first + 1.0).max(0.0) as usize).min(n_ticks.max(1) * 3 + 2);
    let (lo, hi) = if is_rounded { (first * step * scale, last * step * scale) } else { (lo, hi) };
    Axis { lo, hi, unit, ticks: (0..n).map(tick).collect() }
}

/// What one unit of the labels is, and its name.
fn unit(kind: Kind, largest: f64) -> (f64, &'static str) {
    match kind {
        Kind::Duration if largest >= 1e9 => (1e9, "s"),
        Kind::Duration if largest >= 1e6 => (1e6, "ms"),
        Kind::Duration if largest >= 1e3 => (1e3, "µs"),
        Kind::Duration => (1.0, "ns"),
        Kind::Bytes => {
            let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
            let at = ((largest.max(1.0).log2() / 10.0 + 1e-9) as usize).min(names.len() - 1);
            (1024f64.powi(at as i32), names[at])
        }
        Kind::Share => (0.01, "%"),
        _ => (1.0, ""),
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below `step`.
fn nice(step: f64) -> f64 {
    let step = step.max(1e-300);
    let power = 10f64.powf(step.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= step * (1.0 - 1e-9)).unwrap_or(10.0);
    round * power
}

fn label(value: f64, decimals: usize, kind: Kind) -> String {
    // Adding zero turns a negative zero into a plain one.
    let value = value + 0.0;
    if decimals == 0 && value.abs() >= 10_000.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", text::count(value.abs().round() as u64));
    }
    if kind != Kind::Duration && value.abs() >= 1e15 {
        return format!("{value:.1e}");
    }
    format!("{value:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> String {
        let labels: Vec<&str> = axis.ticks.iter().map(|t| t.label.as_str()).collect();
        format!("{} {}", labels.join(" "), axis.unit).trim().into()
    }

    #[test]
    fn ticks_are_round_and_in_one_unit() {
        let check = |hi, n, kind, want| assert_eq!(labels(&zero_based(0.0, hi, n, kind)), want);
        check(187_948_000.0, 4, Kind::Duration, "0 50 100 150 200 ms");
        check(999.0, 4, Kind::Duration, "0 500 1000 ns");
        check(3.0, 8, Kind::Duration, "0 1 2 3 ns");
        check(1_234_567_890.0, 4, Kind::Duration, "0.0 0.5 1.0 1.5 s");
        check(2.5 * 1024.0 * 1024.0, 3, Kind::Bytes, "0 1 2 3 MiB");
        check(2.0, 9, Kind::Count, "0 1 2");
        check(60_000.0, 3, Kind::Count, "0 20\u{202f}000 40\u{202f}000 60\u{202f}000");
        check(0.42, 5, Kind::Share, "0 10 20 30 40 50 %");
        check(0.0, 4, Kind::Duration, "0 1 ns");
    }

    #[test]
    fn an_axis_reaches_below_zero_when_something_does() {
        let axis = zero_based(-1_500.0, 4_000.0, 4, Kind::Duration);
        assert_eq!(labels(&axis), "−2 0 2 4 µs");
        assert!((axis.share(0.0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(axis.value(axis.share(1_234.0)).round(), 1_234.0);
    }

    #[test]
    fn an_exact_axis_keeps_its_ends() {
        let axis = exact(1_500_001_000.0, 1_500_003_000.0, 4, Kind::Duration);
        assert_eq!((axis.lo, axis.hi), (1_500_001_000.0, 1_500_003_000.0));
        assert_eq!(labels(&axis), "1.5000010 1.5000015 1.5000020 1.5000025 1.5000030 s");
        assert!(exact(5.0, 5.0, 4, Kind::Count).hi > 5.0);
    }

    #[test]
    fn no_input_makes_an_axis_without_end() {
        for kind in [Kind::Duration, Kind::Bytes, Kind::Count, Kind::Share, Kind::Number] {
            for (lo, hi) in [(f64::NAN, f64::INFINITY), (-1e308, 1e308), (0.0, 1e-300), (5.0, 5.0), (i64::MIN as f64, i64::MAX as f64)] {
                for axis in [zero_based(lo, hi, 5, kind), exact(lo, hi, 5, kind)] {
                    assert!(axis.hi > axis.lo && axis.ticks.len() < 20, "{lo} {hi} {axis:?}");
                }
            }
        }
    }
}
