//! Reads the fields of one object from its text without copying. Lenient: invalid JSON with an obvious meaning is accepted.

use super::nested::nested_len;
use super::scan::{bare_end, not_space, quote_or_backslash};

/// A value, borrowed from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// Between its quotes, escapes as written.
    Text(&'a [u8]),
    /// A number, `true`, `null`, or something that is no JSON: `NaN`, `N/A`.
    Bare(&'a [u8]),
    /// With its brackets.
    Object(&'a [u8]),
    /// With its brackets.
    List(&'a [u8]),
}

impl<'a> Value<'a> {
    /// A text without its quotes, everything else as written.
    #[inline(always)]
    pub fn plain(self) -> &'a [u8] {
        let (Value::Text(text) | Value::Bare(text) | Value::Object(text) | Value::List(text)) = self;
        text
    }
}

/// The text is not a valid continuation of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// Where.
    pub at: usize,
}

/// Walks the entries of one object.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    /// Strings that hold quotes which should have been escaped.
    pub n_repaired: u32,
}

impl<'a> Cursor<'a> {
    /// A cursor before the first entry of the object (or list) `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Cursor { text, at: 1, n_repaired: 0 }
    }

    /// The offset of the cursor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The remaining text.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips `n` bytes of [`Self::rest`].
    #[inline(always)]
    pub(super) fn pass(&mut self, n: usize) {
        self.at += n;
    }

    #[inline(always)]
    fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn skip_space(&mut self) {
        if !matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            return;
        }
        self.at += 1;
        if matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at = not_space(self.text, self.at + 1);
        }
    }

    /// The next key, `None` after the last. Extra commas are skipped.
    #[inline]
    pub fn key(&mut self) -> Result<Option<&'a [u8]>, Broken> {
        loop {
            self.skip_space();
            match self.byte() {
                b',' => self.at += 1,
                b'"' => break,
                b'}' => return Ok(None),
                _ => return Err(Broken { at: self.at }),
            }
        }
        let from = self.at + 1;
        let end = self.string_end(from)?;
        self.at = end + 1;
        self.skip_space();
        if self.byte() != b':' {
            return Err(Broken { at: self.at });
        }
        self.at += 1;
        Ok(Some(&self.text[from..end]))
    }

    /// The value after a key.
    #[inline]
    pub fn value(&mut self) -> Result<Value<'a>, Broken> {
        self.skip_space();
        let from = self.at;
        match self.byte() {
            b'"' => self.text_value().map(Value::Text),
            b'{' => self.nested().map(Value::Object),
            b'[' => self.nested().map(Value::List),
            _ => {
                self.at = bare_end(self.text, from);
                let value = self.text.get(from..self.at).unwrap_or_default().trim_ascii_end();
                if value.is_empty() { Err(Broken { at: from }) } else { Ok(Value::Bare(value)) }
            }
        }
    }

    /// Steps into a nested value that begins with `bracket`, to walk its entries with this cursor. Returns where it begins.
    #[inline]
    pub fn enter(&mut self, bracket: u8) -> Option<usize> {
        self.skip_space();
        let from = self.at;
        if self.byte() != bracket {
            return None;
        }
        self.at += 1;
        Some(from)
    }

    /// Steps over the bracket that ended the nested value.
    #[inline]
    pub fn leave(&mut self) {
        self.at += 1;
    }

    /// The next item of a list, `None` after the last.
    pub fn item(&mut self) -> Result<Option<Value<'a>>, Broken> {
        loop {
            self.skip_space();
            match self.byte() {
                b',' => self.at += 1,
                b']' => return Ok(None),
                _ => return self.value().map(Some),
            }
        }
    }

    /// Position of the quote that ends the string whose text begins at `from`.
    #[inline]
    fn string_end(&self, from: usize) -> Result<usize, Broken> {
        let mut at = from;
        loop {
            let Some(found) = quote_or_backslash(self.text, at) else {
                return Err(Broken { at: from });
            };
            if self.text[found] == b'"' {
                return Ok(found);
            }
            at = found + 2;
        }
    }

    /// A string value. An unescaped quote inside is detected by the text after it; then the string ends at the next quote that can end an entry.
    #[inline]
    fn text_value(&mut self) -> Result<&'a [u8], Broken> {
        let from = self.at + 1;
        let mut end = self.string_end(from)?;
        if !self.ends_entry(end) {
            self.n_repaired += 1;
            while !self.ends_entry_surely(end) {
                end = self.string_end(end + 1)?;
            }
        }
        self.at = end + 1;
        Ok(&self.text[from..end])
    }

    /// Whether an entry can end with the quote at `at`.
    #[inline(always)]
    fn ends_entry(&self, at: usize) -> bool {
        let mut next = at + 1;
        while matches!(self.text.get(next), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            next += 1;
        }
        matches!(self.text.get(next), Some(b',' | b'}' | b']') | None)
    }

    /// Whether what follows is the end of the object or another key, not a comma inside a text.
    fn ends_entry_surely(&self, at: usize) -> bool {
        let rest = self.text.get(at + 1..).unwrap_or_default().trim_ascii_start();
        match rest.split_first() {
            None | Some((b'}' | b']', _)) => true,
            Some((b',', rest)) => {
                let key = rest.trim_ascii_start().strip_prefix(b"\"");
                let after = key.and_then(|k| k.get(memchr::memchr(b'"', k)? + 1..));
                after.is_some_and(|a| a.trim_ascii_start().first() == Some(&b':'))
            }
            _ => false,
        }
    }

    /// A value in brackets, to the bracket that closes it.
    #[inline]
    fn nested(&mut self) -> Result<&'a [u8], Broken> {
        let from = self.at;
        let len = nested_len(&self.text[from..]).ok_or(Broken { at: from })?;
        self.at = from + len;
        Ok(&self.text[from..self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Result<Vec<(String, Value<'_>)>, Broken> {
        let mut cursor = Cursor::new(text.as_bytes());
        let mut out = Vec::new();
        while let Some(key) = cursor.key()? {
            out.push((String::from_utf8_lossy(key).into_owned(), cursor.value()?));
        }
        Ok(out)
    }

    #[test]
    fn entries_are_given_as_they_stand() {
        let got = entries(r#"{"a": "x\"y", "b" : -1.5e3 ,"c":{"d":"}"},"e":[1,[2]],,"n":NaN,"w":"C:\Users", }"#).expect("reads");
        let want: Vec<Value<'_>> = vec![
            Value::Text(br#"x\"y"#),
            Value::Bare(b"-1.5e3"),
            Value::Object(br#"{"d":"}"}"#),
            Value::List(b"[1,[2]]"),
            Value::Bare(b"NaN"),
            Value::Text(br"C:\Users"),
        ];
        assert_eq!(got.into_iter().map(|e| e.1).collect::<Vec<_>>(), want);
    }

    #[test]
    fn quotes_that_should_be_escaped_are_part_of_the_text() {
        let got = entries(r#"{"name": "f("a", "b")", "ph": "X"}"#).expect("reads");
        assert_eq!(got[0].1, Value::Text(br#"f("a", "b")"#));
        assert_eq!(got[1].1, Value::Text(b"X"));
    }

    #[test]
    fn what_is_cut_is_broken() {
        for text in [r#"{"a"#, r#"{"a""#, r#"{"a": "#, r#"{"a": "b"#, r#"{"a": [1"#, "{", "", "x", r#"{"a": 1"#] {
            assert!(entries(text).is_err(), "{text}");
        }
    }
}
