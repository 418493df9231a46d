//! One trace event, read from its text in a single pass.

use super::args::{Arg, Args};
use crate::formats::json::Keys;
use crate::formats::json::cursor::{Broken, Cursor, Value};

/// The fields of an event that the import needs, borrowed from its text.
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
    /// Thread, raw like `pid`.
    pub tid: &'a [u8],
    /// `tid` is written as text.
    pub is_tid_text: bool,
    /// Start, in microseconds, as written.
    pub ts: Option<&'a [u8]>,
    /// Duration, in microseconds, as written.
    pub dur: Option<&'a [u8]>,
    /// Id of a flow, an asynchronous event or a counter.
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

/// Keys of events and of their args, as the records before had them.
#[derive(Default)]
pub struct Known {
    keys: Keys<Key>,
    args: Keys<ArgKey>,
}

/// What a key of an event means.
#[derive(Clone, Copy)]
enum Key {
    Phase,
    Name,
    Category,
    Process,
    Thread,
    Start,
    Duration,
    Id,
    InnerId,
    Args,
    Other,
}

impl Key {
    fn of(key: &[u8]) -> Key {
        match key {
            b"ph" => Key::Phase,
            b"name" => Key::Name,
            b"cat" => Key::Category,
            b"pid" => Key::Process,
            b"tid" => Key::Thread,
            b"ts" => Key::Start,
            b"dur" => Key::Duration,
            b"id" => Key::Id,
            b"id2" => Key::InnerId,
            b"args" => Key::Args,
            _ => Key::Other,
        }
    }
}

/// What a key of the args means.
#[derive(Clone, Copy)]
enum ArgKey {
    ExternalId,
    Correlation,
    InputDims,
    Tabled(Arg),
    Other,
}

impl ArgKey {
    fn of(key: &[u8]) -> ArgKey {
        match key {
            b"External id" | b"external id" => ArgKey::ExternalId,
            b"correlation" => ArgKey::Correlation,
            b"Input Dims" | b"Input dims" => ArgKey::InputDims,
            _ => Arg::of(key).map_or(ArgKey::Other, ArgKey::Tabled),
        }
    }
}

impl<'a> Event<'a> {
    /// Reads the event that `text` is, all of it; `known` are the keys of the events before.
    pub fn read(text: &'a [u8], known: &mut Known) -> Result<Event<'a>, Broken> {
        if text.first() != Some(&b'{') {
            return Err(Broken { at: 0 });
        }
        let mut event = Event { args: Args::new(text), ..Event::default() };
        let mut cursor = Cursor::new(text);
        let mut at = 0;
        while let Some(key) = known.keys.next(&mut cursor, &mut at, Key::of)? {
            if matches!(key, Key::Args)
                && let Some(from) = cursor.enter(b'{')
            {
                event.read_args(from, &mut cursor, text, &mut known.args)?;
            } else {
                event.entry(key, cursor.value()?);
            }
        }
        event.n_repaired = cursor.n_repaired;
        // Another closing bracket later means that this is more than one record.
        if cursor.at() + 1 == text.len() { Ok(event) } else { Err(Broken { at: cursor.at() }) }
    }

    #[inline(always)]
    fn entry(&mut self, key: Key, value: Value<'a>) {
        match key {
            Key::Phase => {
                self.phase = match value.plain() {
                    [one] => *one,
                    [] => 0,
                    _ => 1,
                }
            }
            Key::Start => self.ts = Some(value.plain()),
            Key::Duration => self.dur = Some(value.plain()),
            Key::Name => self.name = value.plain(),
            Key::Category => self.cat = value.plain(),
            Key::Process => self.pid = value.plain(),
            Key::Thread => {
                self.is_tid_text = matches!(value, Value::Text(_));
                self.tid = value.plain();
            }
            Key::Id => self.id = value.plain(),
            Key::InnerId => self.id = inner_id(value),
            Key::Args | Key::Other => {}
        }
    }

    fn read_args(&mut self, from: usize, cursor: &mut Cursor<'a>, text: &'a [u8], keys: &mut Keys<ArgKey>) -> Result<(), Broken> {
        let mut at = 0;
        while let Some(key) = keys.next(cursor, &mut at, ArgKey::of)? {
            let value = cursor.value()?;
            match key {
                ArgKey::ExternalId => self.external_id = value.plain(),
                ArgKey::Correlation => self.correlation = value.plain(),
                ArgKey::InputDims => {
                    if let Value::List(dims) = value {
                        self.input_dims = dims;
                    }
                }
                ArgKey::Tabled(arg) => self.args.keep(arg, value.plain()),
                ArgKey::Other => {}
            }
        }
        cursor.leave();
        self.args_text = &text[from..cursor.at()];
        Ok(())
    }
}

/// `{"local": "0x5"}` or `{"global": …}`: the id in it.
fn inner_id(value: Value<'_>) -> &[u8] {
    let Value::Object(text) = value else {
        return value.plain();
    };
    let mut cursor = Cursor::new(text);
    match cursor.key() {
        Ok(Some(_)) => cursor.value().map_or(b"", Value::plain),
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
        let event = Event::read(text, &mut Known::default()).expect("reads");
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
        assert!(Event::read(br#"{"ph": "X"}, {"ph": "X"}"#, &mut Known::default()).is_err());
        assert!(Event::read(b"[1]", &mut Known::default()).is_err());
        assert!(Event::read(b"", &mut Known::default()).is_err());
    }
}
