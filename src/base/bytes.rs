//! Comparison of short texts in hot loops.

/// Whether two texts are equal, compared eight bytes at a time: in WebAssembly `==` on slices calls `memcmp`, which compares single bytes.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let ((words_a, rest_a), (words_b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    if words_a.iter().zip(words_b).any(|(a, b)| u64::from_le_bytes(*a) != u64::from_le_bytes(*b)) {
        return false;
    }
    match (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        // The last part overlaps bytes that were compared already.
        (Some(a), Some(b)) => u64::from_le_bytes(*a) == u64::from_le_bytes(*b),
        _ => rest_a.iter().zip(rest_b).all(|(a, b)| a == b),
    }
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn texts_differ_wherever_a_byte_does() {
        for n in 0..40 {
            let a: Vec<u8> = (0..n).collect();
            assert!(same(&a, &a.clone()));
            assert!(!same(&a, &[a.as_slice(), b"x"].concat()));
            for at in 0..a.len() {
                let mut b = a.clone();
                b[at] ^= 0x80;
                assert!(!same(&a, &b), "{at} of {n}");
            }
        }
    }
}
