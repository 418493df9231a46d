//! Finds the end of a nested value.

use super::scan::{STEP, Strings, quote_or_backslash};

/// Bytes up to the bracket that closes the one `text` begins with. No recursion.
pub fn nested_len(text: &[u8]) -> Option<usize> {
    // Most are short: lists of sizes, small objects.
    const SHORT: usize = 96;
    let mut depth = 0usize;
    let mut at = 0;
    while at < SHORT {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' => {
                at = quote_or_backslash(text, at + 1)?;
                while text[at] == b'\\' {
                    at = quote_or_backslash(text, at + 2)?;
                }
            }
            // Damaged text: `Strings` escapes outside strings as well, and all must agree on where a record ends.
            b'\\' if matches!(text.get(at + 1), Some(b'"' | b'\\')) => at += 1,
            _ => {}
        }
        at += 1;
    }
    long_len(text)
}

fn long_len(text: &[u8]) -> Option<usize> {
    let (mut strings, mut depth) = (Strings::default(), 0i64);
    for (i, part) in text.chunks(STEP).enumerate() {
        let b = match part.first_chunk() {
            Some(whole) => strings.step(whole),
            None => strings.tail(part),
        };
        if i64::from(b.closes.count_ones()) < depth {
            depth += i64::from(b.opens.count_ones()) - i64::from(b.closes.count_ones());
            continue;
        }
        let mut bits = b.opens | b.closes;
        while bits != 0 {
            let bit = bits.trailing_zeros();
            depth += if b.opens >> bit & 1 == 1 { 1 } else { -1 };
            if depth == 0 {
                return Some(i * STEP + bit as usize + 1);
            }
            bits &= bits - 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_takes_no_stack() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(nested_len(text.as_bytes()), Some(200_000));
        assert_eq!(nested_len(&text.as_bytes()[..150_000]), None);
    }

    #[test]
    fn a_damaged_record_ends_at_the_same_byte_however_it_is_scanned() {
        for text in [r#"{"a" \"}"}"#, r#"{"a" \\"}"}"#, r#"{"a" \\\"}"#, r#"{\{}"}"}"#, r#"{"a\\" \"}"#] {
            let long = long_len(text.as_bytes());
            assert_eq!(nested_len(text.as_bytes()), long, "{text}");
            assert!(long.is_some(), "{text}");
        }
    }
}
