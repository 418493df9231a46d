//! A nested value on one line.

/// `text` without white space outside strings, one blank after each comma and colon. Bytes that are no UTF-8 become `U+FFFD`.
pub fn compact(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    for &b in text {
        let was_escaped = std::mem::take(&mut escaped);
        if inside {
            escaped = b == b'\\' && !was_escaped;
            inside = b != b'"' || was_escaped;
        } else if b.is_ascii_whitespace() {
            continue;
        } else if b == b'"' {
            inside = true;
        }
        out.push(b);
        if !inside && matches!(b, b',' | b':') {
            out.push(b' ');
        }
    }
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_goes_outside_strings_only() {
        assert_eq!(compact(b"{ \"a b\" :\n [1,\t2 , \"x \\\" y\"] }"), "{\"a b\": [1, 2, \"x \\\" y\"]}");
    }
}
