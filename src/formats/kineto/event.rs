//! One trace event, read from its text in a single pass.

use super::args::Args;
use crate::formats::json::cursor::{Broken, Cursor, Value};

/// What of an event an import needs; borrowed from its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Event<'a> {
    /// `X`, `B`, …; 0 when it has none, 1 when it is longer than one character.
    pub phase: u8,
    /// Escapes as written.
    pub name: &'a [u8],
    /// Category.
    pub cat: &'a [u8],
    /// Number or text alike: `25738` and `"25738"` are one process.
    pub pid: &'a [u8],
    /// As `pid`.
    pub tid: &'a [u8],
    /// `tid` is written as text.
    pub is_tid_text: bool,
    /// Start, in microseconds, as written.
    pub ts: Option<&'a [u8]>,
    /// Duration, in microseconds, as written.
    pub dur: Option<&'a [u8]>,
    /// Of a flow, an asynchronous event, a counter.
    pub id: &'a [u8],
    /// The args object, with its brackets.
    pub args_text: &'a [u8],
    /// Args that only some kinds of events have.
    pub args: Args<'a>,
    /// Args that every slice keeps.
    pub external_id: &'a [u8],
    /// Launch and kernel share it.
    pub correlation: &'a [u8],
    /// The list of input sizes, as written.
    pub input_dims: &'a [u8],
    /// Strings with quotes that should have been escaped.
    pub n_repaired: u32,
}

impl<'a> Event<'a> {
    /// Reads the event that `text` is, all of it.
    pub fn read(text: &'a [u8]) -> Result<Event<'a>, Broken> {
        if text.first() != Some(&b'{') {
            return Err(Broken { at: 0 });
        }
        let mut event = Event { args: Args::new(text), ..Event::default() };
        let mut cursor = Cursor::new(text);
        while let Some(key) = cursor.key()? {
            event.entry(key, &mut cursor, text)?;
        }
        event.n_repaired = cursor.n_repaired;
        // Another closing bracket later means that this is more than one record.
        if cursor.at() + 1 == text.len() { Ok(event) } else { Err(Broken { at: cursor.at() }) }
    }

    #[inline(always)]
    fn entry(&mut self, key: &[u8], cursor: &mut Cursor<'a>, text: &'a [u8]) -> Result<(), Broken> {
        if key == b"args" {
            let from = cursor.enter(b'{');
            return match from {
                Some(from) => self.read_args(from, cursor, text),
                None => cursor.value().map(|_| ()),
            };
        }
        let value = cursor.value()?;
        match (key.len(), key.first().copied().unwrap_or(0)) {
            (2, b'p') if key == b"ph" => {
                self.phase = match plain(value) {
                    [one] => *one,
                    [] => 0,
                    _ => 1,
                }
            }
            (2, b't') if key == b"ts" => self.ts = Some(plain(value)),
            (2, b'i') if key == b"id" => self.id = plain(value),
            (3, b'c') if key == b"cat" => self.cat = plain(value),
            (3, b'p') if key == b"pid" => self.pid = plain(value),
            (3, b't') if key == b"tid" => {
                self.is_tid_text = matches!(value, Value::Text(_));
                self.tid = plain(value);
            }
            (3, b'd') if key == b"dur" => self.dur = Some(plain(value)),
            (4, b'n') if key == b"name" => self.name = plain(value),
            (3, b'i') if key == b"id2" => self.id = inner_id(value),
            _ => {}
        }
        Ok(())
    }

    fn read_args(&mut self, from: usize, cursor: &mut Cursor<'a>, text: &'a [u8]) -> Result<(), Broken> {
        while let Some(key) = cursor.key()? {
            let value = cursor.value()?;
            match (key.len(), key.first().copied().unwrap_or(0)) {
                (11, b'E' | b'e') if &key[1..] == b"xternal id" => self.external_id = plain(value),
                (11, b'c') if key == b"correlation" => self.correlation = plain(value),
                (10, b'I') if key == b"Input Dims" || key == b"Input dims" => {
                    if let Value::List(dims) = value {
                        self.input_dims = dims;
                    }
                }
                _ => self.args.keep(key, plain(value)),
            }
        }
        cursor.leave();
        self.args_text = &text[from..cursor.at()];
        Ok(())
    }
}

/// Text without its quotes, everything else as written.
fn plain(value: Value<'_>) -> &[u8] {
    match value {
        Value::Text(text) | Value::Bare(text) | Value::Object(text) | Value::List(text) => text,
    }
}

/// `{"local": "0x5"}` or `{"global": …}`: the id in it.
fn inner_id(value: Value<'_>) -> &[u8] {
    let Value::Object(text) = value else {
        return plain(value);
    };
    let mut cursor = Cursor::new(text);
    match cursor.key() {
        Ok(Some(_)) => cursor.value().map_or(b"", plain),
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Arg;
    use super::*;

    #[test]
    fn what_an_import_needs_is_found() {
        let text = br#"{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": "2", "ts": 1.5, "dur": 2,
            "args": {"External id": 7, "Input Dims": [[1, 2]], "correlation": 9, "grid": [1, 2], "dtype": "Float", "stream": 7 , "s": "}"}}"#;
        let event = Event::read(text).expect("reads");
        assert_eq!(
            (event.phase, event.name, event.cat, event.pid, event.tid),
            (b'X', &b"aten::mm"[..], &b"cpu_op"[..], &b"1"[..], &b"2"[..])
        );
        assert_eq!((event.ts, event.dur), (Some(&b"1.5"[..]), Some(&b"2"[..])));
        assert_eq!((event.external_id, event.correlation, event.input_dims), (&b"7"[..], &b"9"[..], &b"[[1, 2]]"[..]));
        let args = [Arg::Grid, Arg::Dtype, Arg::Stream, Arg::Block].map(|a| event.args.get(a));
        assert_eq!(args, [&b"[1, 2]"[..], b"Float", b"7", b""]);
        assert!(event.args_text.starts_with(b"{\"Ext") && event.args_text.ends_with(b"\"}\"}"));
    }

    #[test]
    fn two_records_are_not_one() {
        assert!(Event::read(br#"{"ph": "X"}, {"ph": "X"}"#).is_err());
        assert!(Event::read(b"[1]").is_err());
        assert!(Event::read(b"").is_err());
    }
}
