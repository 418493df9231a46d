//! Long loops in chunks.

use std::ops::Range;

/// Items of a chunk: enough that the call is free, few enough that the first calls end soon.
const PART: usize = 1 << 14;

/// Calls `part` with ranges that make up `0..n`, in order. For loops over all slices.
///
/// A browser runs a function in its baseline build first and enters the optimized build only at the next call: one call that loops over millions of
/// items would stay in the baseline build, several times slower, to its end.
#[inline(never)]
pub fn for_each_chunk(n: usize, part: &mut dyn FnMut(Range<usize>)) {
    let mut at = 0;
    while at < n {
        let end = n.min(at + PART);
        part(at..end);
        at = end;
    }
}

/// Calls `each` with the items of a long list, in order and in chunks.
pub fn for_each_of<T>(list: &[T], mut each: impl FnMut(&T)) {
    for_each_chunk(list.len(), &mut |part| list[part].iter().for_each(&mut each));
}

/// Whether the keys of many rows ascend: `key(i)` is that of the `i`-th of `n`.
pub fn is_ascending<K: PartialOrd>(n: usize, key: impl Fn(usize) -> K) -> bool {
    let mut is_ascending = true;
    for_each_chunk(n.saturating_sub(1), &mut |mut part| is_ascending = is_ascending && part.all(|i| key(i) <= key(i + 1)));
    is_ascending
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ascend_across_chunks() {
        let n = 2 * PART + 1;
        assert!(is_ascending(n, |i| i) && is_ascending(0, |i| i) && is_ascending(3, |_| 7) && is_ascending(1, |i| -(i as i64)));
        for at in [1, PART, PART + 1, 2 * PART] {
            assert!(!is_ascending(n, |i| if i == at { i - 1 } else { i + 1 }), "{at}");
        }
    }

    #[test]
    fn parts_make_up_the_whole() {
        for n in [0, 1, PART, PART + 1, 3 * PART - 1] {
            let mut all = Vec::new();
            for_each_chunk(n, &mut |range| all.extend(range));
            assert!(all.into_iter().eq(0..n));
        }
    }
}
