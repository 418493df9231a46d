//! Walks JSON that is written plainly: no escapes, nothing loose. What is written otherwise is left to a closer look.

use crate::formats::json::scan::plain_string_end;
use std::ops::Range;

/// Deepest nesting that is walked.
const MAX_DEPTH: u32 = 64;

/// Calls `each` with the places of key (without its quotes) and value (with them) of every entry of the object that `text` begins with.
/// Returns the object's length; `None` where it does not end in `text`, or is not plain.
#[inline]
pub(super) fn entries(text: &[u8], each: &mut impl FnMut(Range<usize>, Range<usize>)) -> Option<usize> {
    let mut at = after_space(text, 1);
    if text.first() != Some(&b'{') || text.get(at) == Some(&b'}') {
        return (text.first() == Some(&b'{')).then_some(at + 1);
    }
    loop {
        let key = key(text, at)?;
        let from = after_space(text, after_colon(text, key.end + 1)?);
        let end = value_end(text, from)?;
        each(key, from..end);
        at = after_space(text, end);
        match text.get(at)? {
            b',' => at = after_space(text, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Calls `each` with the places of the items of the list that `text` begins with; its length, or `None` as for [`entries`].
pub(super) fn items(text: &[u8], each: &mut impl FnMut(Range<usize>)) -> Option<usize> {
    let mut at = after_space(text, 1);
    if text.first() != Some(&b'[') || text.get(at) == Some(&b']') {
        return (text.first() == Some(&b'[')).then_some(at + 1);
    }
    loop {
        let end = value_end(text, at)?;
        each(at..end);
        at = after_space(text, end);
        match text.get(at)? {
            b',' => at = after_space(text, at + 1),
            b']' => return Some(at + 1),
            _ => return None,
        }
    }
}

#[inline(always)]
fn after_space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The key whose quote is at `at`, without its quotes.
#[inline(always)]
fn key(text: &[u8], at: usize) -> Option<Range<usize>> {
    (text.get(at)? == &b'"').then_some(())?;
    Some(at + 1..plain_string_end(text, at + 1)?)
}

#[inline(always)]
fn after_colon(text: &[u8], at: usize) -> Option<usize> {
    let at = after_space(text, at);
    (text.get(at)? == &b':').then_some(at + 1)
}

#[inline(always)]
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' | b'[' => nested_end(text, at),
        _ => scalar_end(text, at),
    }
}

/// One past a string, number or word.
#[inline(always)]
fn scalar_end(text: &[u8], at: usize) -> Option<usize> {
    let word = |word: &[u8]| text.get(at..)?.starts_with(word).then_some(at + word.len());
    match text.get(at)? {
        b'"' => Some(plain_string_end(text, at + 1)? + 1),
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        _ => number_end(text, at),
    }
}

#[inline(always)]
fn digits_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while text.get(at)?.is_ascii_digit() {
        at += 1;
    }
    (at > from).then_some(at)
}

#[inline(always)]
fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let from = at + usize::from(text.get(at)? == &b'-');
    let mut end = digits_end(text, from)?;
    if text[from] == b'0' && end > from + 1 {
        return None;
    }
    if text.get(end)? == &b'.' {
        end = digits_end(text, end + 1)?;
    }
    if matches!(text.get(end)?, b'e' | b'E') {
        let sign = usize::from(matches!(text.get(end + 1)?, b'+' | b'-'));
        end = digits_end(text, end + 1 + sign)?;
    }
    Some(end)
}

/// One past the object or list at `at`. No recursion.
fn nested_end(text: &[u8], mut at: usize) -> Option<usize> {
    // A bit for each open bracket: whether it is an object's.
    let (mut objects, mut depth) = (0u64, 0u32);
    loop {
        let open = *text.get(at)?;
        if matches!(open, b'{' | b'[') {
            (depth < MAX_DEPTH).then_some(())?;
            (objects, depth) = (objects << 1 | u64::from(open == b'{'), depth + 1);
            at = after_space(text, at + 1);
            if text.get(at)? != &(open + 2) {
                at = value_after_key(text, at, objects)?;
                continue;
            }
        } else {
            at = scalar_end(text, at)?;
        }
        // After a value, or before the bracket that closes an empty one.
        loop {
            if depth == 0 {
                return Some(at);
            }
            at = after_space(text, at);
            match text.get(at)? {
                b',' => break at = value_after_key(text, after_space(text, at + 1), objects)?,
                b'}' if objects & 1 == 1 => (),
                b']' if objects & 1 == 0 => (),
                _ => return None,
            }
            (objects, depth, at) = (objects >> 1, depth - 1, at + 1);
        }
    }
}

/// Where the value begins: after its key, if the innermost bracket is an object's.
#[inline(always)]
fn value_after_key(text: &[u8], at: usize, objects: u64) -> Option<usize> {
    if objects & 1 == 0 {
        return Some(at);
    }
    let colon = after_colon(text, key(text, at)?.end + 1)?;
    Some(after_space(text, colon))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(text: &str) -> Option<(usize, Vec<(&str, &str)>)> {
        let mut out = Vec::new();
        let n = entries(text.as_bytes(), &mut |key, value| out.push((&text[key], &text[value])))?;
        Some((n, out))
    }

    #[test]
    fn entries_end_where_the_object_does() {
        let text = r#"{"a":1,"b" : "x y", "c":[1,{"d":[]},{}],"e":{"f":-0.5e+3},"g":null}, {"a":"#;
        let (n, got) = walked(text).expect("plain");
        assert_eq!(&text[n..], r#", {"a":"#);
        assert_eq!(got, [("a", "1"), ("b", "\"x y\""), ("c", r#"[1,{"d":[]},{}]"#), ("e", r#"{"f":-0.5e+3}"#), ("g", "null")]);
        assert_eq!(walked("{ }x"), Some((3, vec![])));
        let mut list = Vec::new();
        assert_eq!(items(br#"[ {"a":1} , "b",[ ] ]"#, &mut |at| list.push(at)), Some(21));
        assert_eq!(list, [2..9, 12..15, 16..19]);
    }

    #[test]
    fn what_is_not_plain_json_is_left() {
        for text in [
            r#"{"a":01}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e}"#,
            r#"{"a":-}"#,
            r#"{"a":NaN}"#,
            r#"{"a":tru}"#,
            r#"{"a":1,}"#,
            r#"{,}"#,
            r#"{"a" 1}"#,
            r#"{"a\n":1}"#,
            r#"{"a":"x\"y"}"#,
            "{\"a\":\"x\ny\"}",
            r#"{"a":[1,]}"#,
            r#"{"a":[1}"#,
            r#"{"a":{"b"}}"#,
            r#"{"a":{1}}"#,
            r#"{"a":{"b":1]}"#,
            r#"{"a":[,1]}"#,
            r#"{"a":1"#,
            r#"{"a":[1"#,
            r#"{"a":"b"#,
            "{",
            "",
            "[1]",
            r#"{"a":1 "b":2}"#,
        ] {
            assert_eq!(walked(text), None, "{text}");
        }
        let deep = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(walked(&deep(64)).is_some() && walked(&deep(65)).is_none());
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use super::walked;
        use proptest::prelude::*;
        use serde_json::Value;

        proptest! {
            /// What is walked is JSON, with the same keys and values.
            #[test]
            fn the_walk_agrees_with_serde(text in r#"\{("a":|"b" :|\[|\]|\{|\}|,| |1|-2\.5|"x"|true|0){0,24}\}"#) {
                if let Some((n, got)) = walked(&text) {
                    let read: Vec<(&str, &serde_json::value::RawValue)> = got.iter().map(|(k, v)| (*k, serde_json::from_str(v).expect("a value"))).collect();
                    let whole: Value = serde_json::from_str(&text[..n]).expect("an object");
                    let object = whole.as_object().expect("an object");
                    for (key, value) in read {
                        prop_assert!(object.contains_key(key) && !value.get().is_empty());
                    }
                } else {
                    prop_assert!(serde_json::from_str::<Value>(&text).is_err());
                }
            }
        }
    }
}
