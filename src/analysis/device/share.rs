//! Sums of amounts, such as FLOPs and bytes: which part belongs to a range, and what is not recorded. One rule each for every view.

use crate::base::TimeRange;

/// The part of `amount` that falls into `range` where it comes evenly between `start` and `end` (ns). Ranges that meet part it without a rest:
/// each gets what was there up to its end (rounded down) less what was there up to its start. What takes no time belongs where it starts.
pub(in crate::analysis) fn within(amount: u64, (start, end): (i64, i64), range: TimeRange) -> u64 {
    if start >= range.start.0 && end <= range.end.0 && start < range.end.0 {
        return amount;
    }
    let length = i128::from(end) - i128::from(start);
    if length <= 0 {
        return 0;
    }
    // At most 64 + 64 bits, and a part of the amount when divided.
    let until = |time: i64| {
        let part = (i128::from(time) - i128::from(start)).clamp(0, length) as u128;
        (u128::from(amount) * part / length as u128) as u64
    };
    until(range.end.0) - until(range.start.0)
}

/// Adds what is recorded; a sum of nothing recorded stays `None`. Saturates.
pub(in crate::analysis) fn add_recorded(sum: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        *sum = Some(sum.unwrap_or(0).saturating_add(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn range(start: i64, end: i64) -> TimeRange {
        TimeRange { start: TimeNs(start), end: TimeNs(end) }
    }

    #[test]
    fn an_amount_is_parted_by_time() {
        let check = |span, of: (i64, i64), want| assert_eq!(within(100, span, range(of.0, of.1)), want, "{span:?} in {of:?}");
        check((10, 20), (0, 30), 100);
        check((10, 20), (10, 20), 100);
        check((10, 20), (0, 15), 50);
        check((10, 20), (12, 15), 30);
        check((10, 20), (20, 30), 0);
        check((10, 20), (0, 10), 0);
        // What takes no time belongs where it starts, and nowhere else.
        check((10, 10), (10, 20), 100);
        check((10, 10), (0, 10), 0);
        check((10, 10), (0, 30), 100);
        check((i64::MIN, i64::MAX), (0, i64::MAX), 50);
    }

    #[test]
    fn ranges_that_meet_part_it_without_a_rest() {
        let times = [i64::MIN, i64::MIN + 1, -7, 0, 1, 3, 10, 11, i64::MAX - 1, i64::MAX];
        for (at, start) in times[..9].iter().enumerate() {
            for (end, a, b) in
                times[at..].iter().flat_map(|e| times.iter().map(move |a| (e, a))).flat_map(|(e, a)| times.iter().map(move |b| (e, a, b)))
            {
                let (a, b) = (*a.min(b), *a.max(b));
                for amount in [0, 1, 7, 1 << 40, u64::MAX] {
                    let parts =
                        [range(i64::MIN, a), range(a, b), range(b, i64::MAX)].map(|r| u128::from(within(amount, (*start, *end), r)));
                    assert_eq!(parts.iter().sum::<u128>(), u128::from(amount), "{start}..{end} cut at {a} and {b}: {parts:?}");
                }
            }
        }
    }
}
