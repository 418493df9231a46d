//! Escapes in strings.

use std::borrow::Cow;

/// Unescapes a string. Unknown escapes are kept as written; bytes that are not UTF-8 become `U+FFFD`.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    if !raw.contains(&b'\\') {
        // The library's lossy conversion checks each byte.
        return std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
    }
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&b) = raw.get(at) {
        let simple = match (b, raw.get(at + 1)) {
            (b'\\', Some(c @ (b'"' | b'\\' | b'/'))) => Some(*c),
            (b'\\', Some(b'n')) => Some(b'\n'),
            (b'\\', Some(b't')) => Some(b'\t'),
            (b'\\', Some(b'r')) => Some(b'\r'),
            (b'\\', Some(b'b')) => Some(8),
            (b'\\', Some(b'f')) => Some(12),
            (b'\\', Some(b'u')) => {
                if let Some((c, n)) = unicode(&raw[at..]) {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    at += n;
                    continue;
                }
                None
            }
            _ => None,
        };
        out.push(simple.unwrap_or(b));
        at += if simple.is_some() { 2 } else { 1 };
    }
    Cow::Owned(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

/// The character of `\uXXXX`, or of a pair of them, and how many bytes it took.
fn unicode(raw: &[u8]) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let hex = raw.get(from..from + 6).filter(|h| h.starts_with(b"\\u"))?;
        u32::from_str_radix(std::str::from_utf8(&hex[2..]).ok()?, 16).ok()
    };
    let first = unit(0)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let pair = unit(6).filter(|second| first < 0xdc00 && (0xdc00..0xe000).contains(second));
    match pair {
        Some(second) => char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).map(|c| (c, 12)),
        None => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved_where_json_knows_them() {
        assert_eq!(unescape(br#"a\n\u00e9\ud83d\ude00\\"#), "a\né😀\\");
        assert_eq!(unescape(br"C:\Users\x"), r"C:\Users\x");
        assert_eq!(unescape(br"\ud83d!\u12"), "\u{fffd}!\\u12");
        assert_eq!(unescape(b"\xff"), "\u{fffd}");
        assert_eq!(unescape(b"end\\"), "end\\");
    }
}
