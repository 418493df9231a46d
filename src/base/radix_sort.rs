//! The order of many numbers, found digit by digit, and of long lists by a number.

use super::{Order as _, for_each_chunk, is_ascending};

/// Bits of a digit.
const DIGIT: u32 = 11;
/// Up to this number of values a comparison sort is as fast.
const FEW: usize = 1 << 10;

/// The indices `0..n` sorted stably by value. `value` is called a few times for each.
///
/// Comparing takes four times as long for some millions of numbers that are known to be near each other, as times of one profile are.
pub fn radix_order(n: usize, value: impl Fn(usize) -> i64) -> Vec<u32> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for_each_chunk(n, &mut |part| {
        for value in part.map(&value) {
            (least, most) = (least.min(value), most.max(value));
        }
    });
    let span = most.wrapping_sub(least) as u64;
    let (n_place_bits, n_bits) = (usize::BITS - n.leading_zeros(), u64::BITS - span.leading_zeros());
    if n <= FEW || n_place_bits + n_bits > u64::BITS {
        let mut places: Vec<u32> = (0..n as u32).collect();
        places.sort_by_key(|place| value(*place as usize));
        return places;
    }
    let mut keys: Vec<u64> = Vec::with_capacity(n);
    for_each_chunk(n, &mut |part| {
        keys.extend(part.map(|place| (value(place).wrapping_sub(least) as u64) << n_place_bits | place as u64));
    });
    let mut other = vec![0; n];
    let mut done = 0;
    while done < n_bits {
        let width = DIGIT.min(n_bits - done);
        by_digit(&keys, &mut other, n_place_bits + done, width);
        std::mem::swap(&mut keys, &mut other);
        done += width;
    }
    drop(other);
    let mask = (1 << n_place_bits) - 1;
    let mut places = Vec::with_capacity(n);
    for_each_chunk(n, &mut |part| places.extend(keys[part].iter().map(|key| (key & mask) as u32)));
    places
}

/// Numbers without a sign as numbers with one, in the same order.
pub fn signed(number: u64) -> i64 {
    number as i64 ^ i64::MIN
}

/// Sorts a list of many rows by a number; rows with the same one keep their order. Lists that people read are short: see [`super::Order`].
pub fn order_many<T: Copy>(rows: &mut Vec<T>, number: impl Fn(&T) -> i64) {
    if is_ascending(rows.len(), |i| number(&rows[i])) {
        return;
    }
    let mut numbers: Vec<i64> = Vec::with_capacity(rows.len());
    for_each_chunk(rows.len(), &mut |part| numbers.extend(rows[part].iter().map(&number)));
    let places = places_of(&numbers);
    drop(numbers);
    let mut out = Vec::with_capacity(rows.len());
    for_each_chunk(places.len(), &mut |part| out.extend(places[part].iter().map(|place| rows[*place as usize])));
    *rows = out;
}

/// Sorts many rows as [`order_many`] does, and those with the same number by `rest`.
pub fn order_many_by<T: Copy, K: Ord>(rows: &mut Vec<T>, number: impl Fn(&T) -> i64, rest: impl Fn(&T) -> K) {
    order_many(rows, &number);
    order_ties(rows, number, rest);
}

/// Sorts by `rest` what has the same number, in rows that are sorted by it.
pub fn order_ties<T: Copy, K: Ord>(rows: &mut [T], number: impl Fn(&T) -> i64, rest: impl Fn(&T) -> K) {
    let mut first = 0;
    for_each_chunk(rows.len() + 1, &mut |part| {
        for k in part {
            if rows.get(k).is_some_and(|row| number(row) == number(&rows[first])) {
                continue;
            }
            if k > first + 1 {
                rows[first..k].order_by_key(&rest);
            }
            first = k;
        }
    });
}

/// Compiled once, whatever the rows are.
#[inline(never)]
fn places_of(numbers: &[i64]) -> Vec<u32> {
    radix_order(numbers.len(), |place| numbers[place])
}

/// Writes `keys` to `out` by the digit of `width` bits from bit `from` on; those with the same digit keep their order.
fn by_digit(keys: &[u64], out: &mut [u64], from: u32, width: u32) {
    let digit = |key: u64| (key >> from) as usize & ((1 << width) - 1);
    let mut next = [0u32; 1 << DIGIT];
    for_each_chunk(keys.len(), &mut |part| keys[part].iter().for_each(|key| next[digit(*key)] += 1));
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    for_each_chunk(keys.len(), &mut |part| {
        for key in &keys[part] {
            let at = &mut next[digit(*key)];
            out[*at as usize] = *key;
            *at += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[i64]) {
        let mut want: Vec<u32> = (0..values.len() as u32).collect();
        want.sort_by_key(|place| values[*place as usize]);
        assert_eq!(radix_order(values.len(), |place| values[place]), want);
        let mut rows: Vec<(i64, usize)> = values.iter().copied().zip(0..).collect();
        order_many(&mut rows, |row| row.0);
        assert_eq!(rows.iter().map(|row| row.1 as u32).collect::<Vec<_>>(), want);
        let rest = |row: &(i64, usize)| std::cmp::Reverse(row.1);
        order_many_by(&mut rows, |row| row.0, rest);
        assert!(rows.is_sorted_by_key(|row| (row.0, rest(row))));
    }

    #[test]
    fn any_numbers_come_in_order() {
        check(&[]);
        check(&[3, 1, 2, 1]);
        check(&[i64::MAX, i64::MIN, 0]);
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 1) as i64
        };
        for bits in [0, 1, 5, 11, 12, 22, 33, 40, 51, 52, 53, 62] {
            let many: Vec<i64> = (0..3 * FEW).map(|_| (next() & ((1 << bits) - 1)) - (1 << bits) / 2).collect();
            check(&many);
        }
        let ends: Vec<i64> = (0..2 * FEW as i64).map(|i| if i % 2 == 0 { i64::MAX - i } else { i64::MIN + i }).collect();
        check(&ends);
    }
}
