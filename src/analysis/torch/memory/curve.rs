//! The curve of memory held, and a thinner one that looks the same.

use super::MemoryPoint;
use crate::base::TimeNs;

/// Corners of a curve at most. More cannot be distinguished on a screen.
pub const MAX_POINTS: usize = 10_240;

/// Corners of the step curve through `points`: each value holds until the next one.
pub fn corners(points: &[MemoryPoint]) -> Vec<MemoryPoint> {
    let mut out = Vec::with_capacity(points.len() * 2);
    let mut held: Option<MemoryPoint> = None;
    for &point in points {
        if let Some(before) = held {
            out.push(MemoryPoint { time: point.time, ..before });
        }
        out.push(point);
        held = Some(point);
    }
    out
}

/// At most `n` of `points` (at least 3), such that the line of allocated bytes keeps its shape: "largest triangle three buckets"
/// (Steinarsson 2013). Between the first and the last point there are `n - 2` bins of equal count (the first ones longer by one); of each bin
/// the point is kept that makes the largest triangle with the last one kept and the mean of the next bin.
pub fn thin_out(points: &[MemoryPoint], n: usize) -> Vec<MemoryPoint> {
    let [first, inner @ .., last] = points else {
        return points.to_vec();
    };
    if points.len() <= n || n < 3 {
        return points.to_vec();
    }
    let n_bins = n - 2;
    let (size, longer) = (inner.len() / n_bins, inner.len() % n_bins);
    let start = |bin: usize| bin * size + bin.min(longer);
    let mut out = Vec::with_capacity(n);
    let mut previous = *first;
    out.push(previous);
    for bin in 0..n_bins {
        let next = if bin + 1 < n_bins { mean(&inner[start(bin + 1)..start(bin + 2)], first.time) } else { position(last, first.time) };
        let from = position(&previous, first.time);
        let mut best = (-1.0, previous);
        for point in &inner[start(bin)..start(bin + 1)] {
            let at = position(point, first.time);
            let area = ((from.0 - next.0) * (at.1 - from.1) - (from.0 - at.0) * (next.1 - from.1)).abs();
            if area > best.0 {
                best = (area, *point);
            }
        }
        previous = best.1;
        out.push(previous);
    }
    out.push(*last);
    out
}

/// A point on the plane: milliseconds since `origin`, and mebibytes.
fn position(point: &MemoryPoint, origin: TimeNs) -> (f64, f64) {
    (point.time.0.saturating_sub(origin.0) as f64 * 1e-6, point.allocated_bytes as f64 / f64::from(1 << 20))
}

fn mean(points: &[MemoryPoint], origin: TimeNs) -> (f64, f64) {
    let n = points.len().max(1) as f64;
    let sum = points.iter().map(|p| position(p, origin)).fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    (sum.0 / n, sum.1 / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: impl IntoIterator<Item = (i64, u64)>) -> Vec<MemoryPoint> {
        values.into_iter().map(|(t, a)| MemoryPoint { time: TimeNs(t), allocated_bytes: a, reserved_bytes: a * 2 }).collect()
    }

    fn pairs(points: &[MemoryPoint]) -> Vec<(i64, u64)> {
        points.iter().map(|p| (p.time.0, p.allocated_bytes)).collect()
    }

    #[test]
    fn values_hold_until_the_next() {
        assert_eq!(pairs(&corners(&points([(0, 1), (5, 3), (9, 2)]))), [(0, 1), (5, 1), (5, 3), (9, 3), (9, 2)]);
        assert!(corners(&[]).is_empty());
    }

    #[test]
    fn a_thin_curve_keeps_ends_and_spikes() {
        let mut values: Vec<(i64, u64)> = (0..100_000).map(|t| (t * 1000, 1 << 20)).collect();
        values[70_321].1 = 1 << 30;
        let thin = thin_out(&points(values.clone()), 100);
        assert_eq!(thin.len(), 100);
        let thin = pairs(&thin);
        assert_eq!((thin[0], thin[99]), (values[0], values[99_999]));
        assert!(thin.contains(&values[70_321]));
        assert!(thin.is_sorted());
    }

    #[test]
    fn short_curves_stay_as_they_are() {
        for n in 0..5 {
            let curve = points((0..n).map(|t| (t, 1)));
            assert_eq!(thin_out(&curve, 5), curve);
            assert_eq!(thin_out(&curve, 0), curve);
        }
    }
}
