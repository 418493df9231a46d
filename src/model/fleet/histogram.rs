//! Counts by size, in buckets of equal relative width (the idea of DDSketch): percentiles of merged parts within 0.2%.
//!
//! The published crates keep a sum in floating point and merge buckets above a limit: both depend on the order of merging. Here all is counted in
//! integers, and the number of buckets is bounded by the type.

use serde::{Deserialize, Serialize};

/// Buckets for each doubling, as a power of two: a value differs from its bucket's middle by at most 1 in 512.
const BITS: u32 = 8;

/// The bucket of a value; 0 for what is not above 0. Values below 256 have a bucket each.
pub fn bucket(value: i64) -> u16 {
    let Ok(value) = u64::try_from(value) else { return 0 };
    if value < 1 << BITS {
        return value as u16;
    }
    let exponent = value.ilog2() - BITS;
    // At most (63 − 8 + 1) × 256 + 255: fits.
    ((exponent << BITS) as u64 + (value >> exponent)) as u16
}

/// The bucket of the largest value. A file may name a higher one.
const LAST: u16 = (((62 - BITS) << BITS) + (2 << BITS) - 1) as u16;

/// The middle of a bucket.
pub fn bucket_value(bucket: u16) -> i64 {
    let bucket = u64::from(bucket.min(LAST));
    if bucket < 2 << BITS {
        return bucket as i64;
    }
    let exponent = (bucket >> BITS) - 1;
    let first = (bucket - (exponent << BITS)) << exponent;
    i64::try_from(first + (1 << exponent) / 2).unwrap_or(i64::MAX)
}

/// Counts by bucket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// (bucket, count), ascending.
    pub counts: Vec<(u16, u64)>,
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: i64) {
        self.add_n(bucket(value), 1);
    }

    /// Counts `n` values of a bucket.
    pub fn add_n(&mut self, bucket: u16, n: u64) {
        match self.counts.binary_search_by_key(&bucket, |c| c.0) {
            Ok(at) => self.counts[at].1 = self.counts[at].1.saturating_add(n),
            Err(at) => self.counts.insert(at, (bucket, n)),
        }
    }

    /// Adds another.
    pub fn merge(&mut self, other: &Histogram) {
        other.counts.iter().for_each(|&(bucket, n)| self.add_n(bucket, n));
    }

    /// Values counted.
    pub fn n(&self) -> u64 {
        self.counts.iter().fold(0, |sum, c| sum.saturating_add(c.1))
    }

    /// The value below which a share (0 to 1) of the counted ones is; `None` without values.
    pub fn quantile(&self, share: f64) -> Option<i64> {
        let n = self.n();
        // The nearest rank: of 20 values, p95 is the 19th.
        let rank = ((share * n as f64).ceil() as u64).clamp(1, n.max(1));
        let mut seen = 0u64;
        self.counts.iter().find_map(|&(bucket, count)| {
            seen = seen.saturating_add(count);
            (seen >= rank).then(|| bucket_value(bucket))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_keep_values_within_a_512th() {
        for value in (0..300).chain((0..55).flat_map(|e| [0u64, 1, 77, 255].map(|m| ((256 + m) << e) + (1u64 << e) / 3)).map(|v| v as i64))
        {
            let found = bucket_value(bucket(value));
            assert!((found - value).abs() * 512 <= value.abs().max(1) || value < 512 && found == value, "{value} became {found}");
        }
        assert_eq!((bucket(-5), bucket(i64::MIN), bucket_value(0)), (0, 0, 0));
        assert!(bucket_value(bucket(i64::MAX)) > i64::MAX / 512 * 511);
        assert!((0..u16::MAX).all(|b| bucket_value(b) <= bucket_value(b + 1)), "ascending, and no bucket overflows");
    }

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let mut all = Histogram::default();
        (1..=20).for_each(|v| all.add(v * 10));
        assert_eq!([0.5, 0.95, 1.0, 0.0].map(|q| all.quantile(q)), [Some(100), Some(190), Some(200), Some(10)]);
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
