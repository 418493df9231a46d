//! What is looked at, as the fragment of the address: `#v=1&p=<hash>&n=<file>&view=…&range=a-b&rows=<track>|…&win=a-b&sel=<track>|<start>|<name>&q=…&s.<view>.<key>=…`.
//! An instant is `inst` instead of `sel`. Never the data. Reading is tolerant: a bad field is dropped, the others stand.

use super::choices::Choices;
use crate::base::{TimeNs, TimeRange};

/// Instead of a content hash: the next profile that opens. Used by single HTML files, which contain their profile.
pub const ANY_PROFILE: &str = "*";

/// The content of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlState {
    /// Content hash of the profile, or [`ANY_PROFILE`].
    pub hash: String,
    /// Name of its file, to ask for it.
    pub name: String,
    /// Id of the view; empty is the timeline.
    pub view: String,
    /// Selected range, the scope of every view. Links of older versions have `scope` beside it, which is not read any more.
    pub range: Option<TimeRange>,
    /// Its rows by path; none: all.
    pub rows: Vec<String>,
    /// What the timeline shows.
    pub window: Option<TimeRange>,
    /// Selected slice or instant.
    pub selection: Option<Named>,
    /// Searched for.
    pub search: String,
    /// What was chosen inside views.
    pub choices: Choices,
}

/// A slice or an instant by what outlives its place in the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Whether it is an instant.
    pub is_instant: bool,
    /// Path of its track.
    pub track: String,
    /// Start of the slice, time of the instant.
    pub start: TimeNs,
    /// Name.
    pub name: String,
}

/// Longer lists of rows are not in a link, bytes.
const ROWS_ROOM: usize = 1_500;
const VERSION: &str = "1";

impl UrlState {
    /// Without the `#`. Empty when there is nothing to say.
    pub fn to_fragment(&self) -> String {
        let mut out = String::new();
        let mut add = |key: &str, value: &str| {
            if !value.is_empty() {
                out.push_str(&format!("&{key}={}", escape(value)));
            }
        };
        add("p", &self.hash);
        add("n", &self.name);
        add("view", if self.view == "timeline" { "" } else { &self.view });
        add("range", &self.range.map(range_text).unwrap_or_default());
        add("rows", &rows_text(&self.rows));
        add("win", &self.window.map(range_text).unwrap_or_default());
        if let Some(Named { is_instant, track, start, name }) = &self.selection {
            add(if *is_instant { "inst" } else { "sel" }, &format!("{}|{}|{}", bar(track), start.0, bar(name)));
        }
        add("q", &self.search);
        for (view, key, value) in self.choices.iter() {
            // An empty text can be a choice too.
            out.push_str(&format!("&s.{}.{}={}", escape(view), escape(key), escape(value)));
        }
        if out.is_empty() { out } else { format!("v={VERSION}{out}") }
    }

    /// Reads a fragment, with or without `#`.
    pub fn from_fragment(text: &str) -> UrlState {
        let mut out = UrlState::default();
        let pairs: Vec<(&str, String)> =
            text.trim_start_matches('#').split('&').filter_map(|p| p.split_once('=')).map(|(k, v)| (k, unescape(v))).collect();
        if !pairs.iter().any(|(k, v)| *k == "v" && v == VERSION) {
            return out;
        }
        for (key, value) in pairs {
            match key {
                "p" => out.hash = value,
                "n" => out.name = value,
                "view" => out.view = value,
                "range" => out.range = range(&value),
                "rows" => out.rows = rows(&value),
                "win" => out.window = range(&value),
                "sel" => out.selection = selection(&value, false),
                "inst" => out.selection = selection(&value, true),
                "q" => out.search = value,
                _ => {
                    if let Some((view, key)) = key.strip_prefix("s.").and_then(|rest| rest.split_once('.')) {
                        out.choices.set(&unescape(view), &unescape(key), Some(value));
                    }
                }
            }
        }
        out
    }
}

/// Escaped once more, because bars are between parts.
fn bar(text: &str) -> String {
    text.replace('%', "%25").replace('|', "%7C")
}

/// Paths separated by bars; empty if they are too long for a link, which then has the range of all rows.
fn rows_text(rows: &[String]) -> String {
    let text = rows.iter().map(|row| bar(row)).collect::<Vec<_>>().join("|");
    if text.len() <= ROWS_ROOM { text } else { String::new() }
}

fn rows(text: &str) -> Vec<String> {
    let rows = text.split('|').filter(|row| !row.is_empty()).map(unescape);
    if text.len() <= ROWS_ROOM { rows.collect() } else { Vec::new() }
}

fn range_text(range: TimeRange) -> String {
    format!("{}-{}", range.start.0, range.end.0)
}

fn range(text: &str) -> Option<TimeRange> {
    // A minus sign may lead either number.
    let at = text.char_indices().skip(1).find(|(_, c)| *c == '-')?.0;
    let start: i64 = text[..at].parse().ok()?;
    let end: i64 = text[at + 1..].parse().ok()?;
    (start < end).then_some(TimeRange { start: TimeNs(start), end: TimeNs(end) })
}

fn selection(text: &str, is_instant: bool) -> Option<Named> {
    let mut parts = text.splitn(3, '|');
    let (track, start, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Named { is_instant, track: unescape(track), start: TimeNs(start.parse().ok()?), name: unescape(name) })
}

/// Percent-encodes all but what a fragment may hold and we do not use ourselves.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'|' | b'/' | b':' | b',' | b'(' | b')' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Reverses [`escape`]; other text is unchanged.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = bytes.get(i + 1..i + 3).filter(|_| bytes[i] == b'%').and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(a: i64, b: i64) -> Option<TimeRange> {
        Some(TimeRange { start: TimeNs(a), end: TimeNs(b) })
    }

    #[test]
    fn every_state_comes_back() {
        let mut choices = Choices::default();
        choices.set("operators", "group", Some("module / ä&=#.".into()));
        choices.set("operators", "table.operators", Some(String::new()));
        choices.set("memory", "x=y&z", Some("1".into()));
        let full = UrlState {
            hash: "00ff".into(),
            name: "a b&c=#.json".into(),
            view: "operators".into(),
            range: time(-20, -5),
            rows: vec!["NC 4 / DMA".into(), "a|b%7C&=".into()],
            window: time(0, i64::MAX),
            selection: Some(Named { is_instant: false, track: "p | 1 / %7C ä".into(), start: TimeNs(-7), name: "op|x|".into() }),
            search: "aten::.*\"<>".into(),
            choices,
        };
        let instant = full.selection.clone().map(|named| Named { is_instant: true, ..named });
        for state in [
            UrlState { selection: instant, ..full.clone() },
            full,
            UrlState::default(),
            UrlState { search: "%zz%".into(), ..UrlState::default() },
        ] {
            assert_eq!(UrlState::from_fragment(&format!("#{}", state.to_fragment())), state);
        }
    }

    #[test]
    fn a_bad_field_is_dropped_and_the_others_stand() {
        let check = |text: &str, want: UrlState| assert_eq!(UrlState::from_fragment(text), want, "{text}");
        let p = || UrlState { hash: "x".into(), ..UrlState::default() };
        check("#v=1&p=x&range=abc..def&sel=&win=9-3", p());
        check("#v=1&p=x&range=5-&sel=a|b|c&new=1", p());
        check("#v=1&p=x&s.=1&s.a=2&s=3", p());
        check("#v=1&p=x&range=2-5&scope=selected", UrlState { range: time(2, 5), ..p() });
        check(&format!("#v=1&p=x&rows={}", "r|".repeat(800)), p());
        check("#v=1&p=x&rows=|||", p());
        let long = UrlState { rows: vec!["r".repeat(2_000)], ..p() };
        check(&long.to_fragment(), p());
        check("#v=999&p=x", UrlState::default());
        check("#%%%", UrlState::default());
        check("", UrlState::default());
    }
}
