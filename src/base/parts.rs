//! Long loops, a part at a time.

use std::ops::Range;

/// Items of a part: enough that a call costs nothing, few enough that the first calls are soon over.
const PART: usize = 1 << 14;

/// Calls `part` with ranges that make up `0..n`, in order. For loops over all slices.
///
/// A browser begins with a function compiled quickly, and takes up the well compiled one from its next call on: a loop over millions within one call
/// would stay several times as slow to its end.
#[inline(never)]
pub fn in_parts(n: usize, part: &mut dyn FnMut(Range<usize>)) {
    let mut at = 0;
    while at < n {
        let end = n.min(at + PART);
        part(at..end);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        for n in [0, 1, PART, PART + 1, 3 * PART - 1] {
            let mut all = Vec::new();
            in_parts(n, &mut |range| all.extend(range));
            assert!(all.into_iter().eq(0..n));
        }
    }
}
