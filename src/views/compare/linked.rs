//! Windows of several runs that follow each other by shares of the run. Pure arithmetic.

use crate::base::{TimeNs, TimeRange};

/// The window of a run `to` that shows the same shares of it as `window` shows of `from`.
pub fn same_share(window: TimeRange, from: TimeRange, to: TimeRange) -> TimeRange {
    let length = from.duration().0.max(1);
    let place = |t: TimeNs| {
        let offset = i128::from(t.0.saturating_sub(from.start.0)) * i128::from(to.duration().0.max(1)) / i128::from(length);
        TimeNs(to.start.0.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX)))
    };
    TimeRange::new(place(window.start), place(window.end))
}

/// Whether two windows are equal except for rounding; then neither is moved.
pub fn is_same(a: TimeRange, b: TimeRange) -> bool {
    let room = 4 + a.duration().0.max(b.duration().0) / 500;
    (a.start.0.abs_diff(b.start.0) as i64) <= room && (a.end.0.abs_diff(b.end.0) as i64) <= room
}

/// What is added to the times of each run so that the times coincide with that of the first run that has one; a run without one begins at its
/// own start.
pub fn shifts(starts: &[i64], times: &[Option<i64>]) -> Vec<i64> {
    let common = times.iter().zip(starts).find_map(|(m, start)| Some(((*m)?).saturating_sub(*start)));
    let shift = |(start, time): (&i64, &Option<i64>)| match (time, common) {
        (Some(time), Some(common)) => common.saturating_sub(*time),
        _ => start.saturating_neg(),
    };
    starts.iter().zip(times).map(shift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: i64, to: i64) -> TimeRange {
        TimeRange::new(TimeNs(from), TimeNs(to))
    }

    #[test]
    fn windows_follow_by_share_and_settle() {
        let (a, b) = (range(0, 60_000), range(100, 38_100));
        assert_eq!(same_share(range(30_000, 60_000), a, b), range(19_100, 38_100));
        let there = same_share(range(1_234, 2_345), a, b);
        assert!(is_same(same_share(there, b, a), range(1_234, 2_345)), "there and back is no other window");
        assert!(!is_same(range(0, 1000), range(0, 1100)));
        assert_eq!(same_share(range(0, 5), range(3, 3), range(7, 7)).start, TimeNs(4));
    }

    #[test]
    fn moments_coincide() {
        let got = shifts(&[0, 10, 0], &[Some(500), Some(300), None]);
        assert_eq!((500 + got[0], 300 + got[1], got[2]), (500, 500, 0));
        assert_eq!(shifts(&[5, 7], &[None, None]), [-5, -7]);
        assert_eq!(shifts(&[5, 7], &[None, Some(100)]), [-5, -7], "alone it keeps its place");
    }
}
