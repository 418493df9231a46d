//! A record as keys and values that are still text: numbers keep every digit, strings are borrowed where nothing is escaped.

use crate::formats::json::{Cursor, Value};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// One value, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a>(pub &'a str);

impl<'a> Raw<'a> {
    /// As text: strings unescaped, `null` empty, all else as written.
    pub fn text(self) -> Cow<'a, str> {
        if let Some(inner) = self.0.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            if !inner.contains('\\') {
                return Cow::Borrowed(inner);
            }
            return serde_json::from_str::<String>(self.0).map_or(Cow::Borrowed(inner), Cow::Owned);
        }
        Cow::Borrowed(if self.0 == "null" { "" } else { self.0 })
    }

    /// As a whole number, also when it is written as text or as `3.0`. Never through a float when it is whole.
    pub fn int(self) -> Option<i64> {
        if let Some(n) = digits(self.0.as_bytes()) {
            return Some(n);
        }
        let text = self.0.trim_matches('"');
        if let Ok(n) = text.parse::<i64>() {
            return Some(n);
        }
        if let Ok(n) = text.parse::<u64>() {
            return Some(n as i64);
        }
        text.parse::<f64>().ok().filter(|n| n.is_finite() && n.abs() < 9e15).map(|n| n.floor() as i64)
    }

    /// As a number.
    pub fn float(self) -> Option<f64> {
        self.0.trim_matches('"').parse::<f64>().ok().filter(|n| n.is_finite())
    }

    /// As a number of a column of 32 bits; what is larger is taken for the largest.
    pub fn column(self) -> Option<u32> {
        self.int().filter(|n| *n >= 0).map(|n| u32::try_from(n).unwrap_or(u32::MAX - 1).min(u32::MAX - 1))
    }
}

/// The number that eighteen digits or fewer make, in quotes or not; `None` for all else.
#[inline]
fn digits(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")).unwrap_or(text);
    (!text.is_empty() && text.len() < 19).then_some(())?;
    let mut n = 0i64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(())?;
        n = 10 * n + i64::from(digit);
    }
    Some(n)
}

/// Keys and values of an object, in the order written.
pub(crate) type Fields<'a> = Vec<(Cow<'a, str>, Raw<'a>)>;

/// Most keys of a record.
const KEYS_MAX: usize = 100_000;

/// The fields of a JSON object, or what is wrong with it.
pub(crate) fn fields(text: &str) -> Result<Fields<'_>, serde_json::Error> {
    plain(text).map_or_else(|| strict(text), Ok)
}

/// The fields of an object as profilers write it; `None` for what needs a closer look.
fn plain(text: &str) -> Option<Fields<'_>> {
    let mut cursor = Cursor::new(text.strip_prefix('{').map(|_| text.as_bytes())?);
    let mut out = Vec::with_capacity(32);
    while let Some(key) = cursor.key().ok()? {
        let key = part(text, key, 0)?;
        let value = match cursor.value().ok()? {
            Value::Text(inner) => part(text, inner, 1).filter(|_| is_plain(inner)),
            Value::Bare(bare) => part(text, bare, 0).filter(|bare| is_scalar(bare)),
            Value::Object(nested) | Value::List(nested) => part(text, nested, 0).filter(|n| serde_json::from_str::<IgnoredAny>(n).is_ok()),
        };
        if !is_plain(key.as_bytes()) || out.len() > KEYS_MAX {
            return None;
        }
        out.push((Cow::Borrowed(key), Raw(value?)));
    }
    let is_whole = cursor.n_repaired == 0 && text.len() == cursor.at() + 1;
    is_whole.then_some(out)
}

/// The text of `bytes`, which are in `text`, with so many bytes around them.
fn part<'a>(text: &'a str, bytes: &[u8], around: usize) -> Option<&'a str> {
    let from = bytes.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    text.get(from.checked_sub(around)?..from + bytes.len() + around)
}

/// Whether a string is plain: no escapes and no characters that need one.
fn is_plain(text: &[u8]) -> bool {
    !text.iter().fold(false, |found, b| found | (*b < b' ') | (*b == b'\\'))
}

/// Whether a value without quotes and brackets is one of JSON.
fn is_scalar(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_short = !digits.starts_with('0') && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_short || serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn strict(text: &str) -> Result<Fields<'_>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let out = reader.deserialize_map(ObjectVisitor)?;
    reader.end()?;
    Ok(out)
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::with_capacity(24);
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if out.len() > KEYS_MAX {
                return Err(A::Error::custom("more than 100000 keys"));
            }
            out.push((key.0, Raw(map.next_value::<&'de RawValue>()?.get())));
        }
        Ok(out)
    }
}

struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.into())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// `text` with bare `NaN`, `Infinity` and `-Infinity` as `null`; `None` when there is none of them outside strings.
pub(crate) fn without_bare_nan(text: &str) -> Option<String> {
    const WORDS: [&str; 5] = ["NaN", "-Infinity", "Infinity", "+Inf", "-Inf"];
    let mut out = String::new();
    let mut n_copied = 0;
    let (mut is_string, mut is_escaped) = (false, false);
    for (i, byte) in text.bytes().enumerate() {
        if is_string {
            is_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
        } else if byte == b'"' {
            is_string = true;
        } else if i >= n_copied
            && matches!(byte, b'N' | b'-' | b'I' | b'+')
            && let Some(word) = WORDS.iter().find(|w| text[i..].starts_with(**w))
        {
            out.push_str(&text[n_copied..i]);
            out.push_str("null");
            n_copied = i + word.len();
        }
    }
    (n_copied > 0).then(|| out + &text[n_copied..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_ids_stay_exact() {
        let fields = fields(r#"{"id":7226855968308522714,"n":"64","t":3.7,"s":"a\"b","x":null}"#).expect("an object");
        assert_eq!(fields[0].1.int(), Some(7_226_855_968_308_522_714));
        assert_eq!(fields[1].1.int(), Some(64));
        assert_eq!(fields[2].1.int(), Some(3));
        assert_eq!(fields[3].1.text(), "a\"b");
        assert_eq!(fields[4].1.text(), "");
    }

    #[test]
    fn plain_records_are_read_as_the_strict_reader_does() {
        for text in [
            r#"{}"#,
            r#"{"a":1,"b":-2.5e3,"c":"x y","d":[1,{"e":"}"}],"f":{"g":null},"h":true,"i":0,"j":-0}"#,
            "{ \"a\" : 1 ,\n\"b\" : \"é\" }",
            r#"{"a":NaN}"#,
            r#"{"a":01}"#,
            r#"{"a":"x\q"}"#,
            r#"{"a\u0062":"x\ny"}"#,
            "{\"a\":\"x\ny\"}",
            r#"{"a":[1,NaN]}"#,
            r#"{"a":"f("b", "c")"}"#,
            r#"{"a":1} "#,
            r#"{"a":1}x"#,
            r#"[1]"#,
            r#"{"a":"#,
            r#"{"a":1"#,
            "",
        ] {
            let shape = |fields: Fields<'_>| fields.into_iter().map(|(k, v)| (k.into_owned(), v.0.to_string())).collect::<Vec<_>>();
            assert_eq!(fields(text).map(shape).ok(), strict(text).map(shape).ok(), "{text}");
        }
        assert!(plain(r#"{"a":1,"b":"x","c":[{"d":2}]}"#).is_some());
    }

    #[test]
    fn bare_nan_becomes_null() {
        assert_eq!(
            without_bare_nan(r#"{"a":NaN,"b":"NaN -Infinity","c":-Infinity}"#).as_deref(),
            Some(r#"{"a":null,"b":"NaN -Infinity","c":null}"#)
        );
        assert_eq!(without_bare_nan(r#"{"a":-1,"b":"NaN"}"#), None);
    }
}
