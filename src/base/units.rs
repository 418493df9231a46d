//! Time. Integer nanoseconds from the importer to the screen; never an epoch through `f64`.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// A point in time, nanoseconds since the profile's origin. Negative for records that begin before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
pub struct TimeNs(pub i64);

/// A length of time in nanoseconds; never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
pub struct DurationNs(pub i64);

impl TimeNs {
    /// The moment `duration` later; saturates.
    pub fn after(self, duration: DurationNs) -> TimeNs {
        TimeNs(self.0.saturating_add(duration.0))
    }

    /// How long after `earlier` this is; zero if it is before it.
    pub fn since(self, earlier: TimeNs) -> DurationNs {
        DurationNs(self.0.saturating_sub(earlier.0).max(0))
    }
}

/// A half-open range of time: `start` is in it, `end` is not. `start <= end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TimeRange {
    /// First moment inside.
    pub start: TimeNs,
    /// First moment after.
    pub end: TimeNs,
}

impl TimeRange {
    /// The range between two times given in any order.
    pub fn new(a: TimeNs, b: TimeNs) -> Self {
        TimeRange { start: a.min(b), end: a.max(b) }
    }

    /// How long the range is.
    pub fn duration(self) -> DurationNs {
        self.end.since(self.start)
    }

    /// How much of a slice is inside the range.
    pub fn overlap(self, start: TimeNs, duration: DurationNs) -> DurationNs {
        self.end.min(start.after(duration)).since(self.start.max(start))
    }

    /// Whether a slice touches the range. One without duration does when it begins inside.
    pub fn touches(self, start: TimeNs, duration: DurationNs) -> bool {
        start < self.end && (start.after(duration) > self.start || start >= self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_is_the_common_part() {
        let range = TimeRange::new(TimeNs(20), TimeNs(10));
        assert_eq!(range.overlap(TimeNs(5), DurationNs(10)), DurationNs(5));
        assert_eq!(range.overlap(TimeNs(25), DurationNs(10)), DurationNs(0));
        assert!(range.touches(TimeNs(10), DurationNs(0)));
        assert!(!range.touches(TimeNs(20), DurationNs(0)));
        assert!(!range.touches(TimeNs(0), DurationNs(10)));
    }

    #[test]
    fn the_far_end_saturates() {
        assert_eq!(TimeNs(i64::MAX).after(DurationNs(1)), TimeNs(i64::MAX));
        assert_eq!(TimeNs(i64::MIN).since(TimeNs(i64::MAX)), DurationNs(0));
    }
}
