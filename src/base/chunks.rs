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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        for n in [0, 1, PART, PART + 1, 3 * PART - 1] {
            let mut all = Vec::new();
            for_each_chunk(n, &mut |range| all.extend(range));
            assert!(all.into_iter().eq(0..n));
        }
    }
}
