//! What is looked at, as the fragment of the address: `#v=1&p=<hash>&n=<file>&view=…&range=a-b&win=a-b&sel=<track>|<start>|<name>&q=…&s.<view>.<key>=…`.
//! Never the data. Reading is tolerant: a bad field is dropped, the others stand.

use super::choices::Choices;
use crate::base::{TimeNs, TimeRange};

/// What a link says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlState {
    /// Content hash of the profile.
    pub hash: String,
    /// Name of its file, to ask for it.
    pub name: String,
    /// Id of the view; empty is the timeline.
    pub view: String,
    /// Committed range.
    pub range: Option<TimeRange>,
    /// Whether tables are of the range only.
    pub is_selected_scope: bool,
    /// What the timeline shows.
    pub window: Option<TimeRange>,
    /// Selected slice: path of its track, start, name.
    pub selection: Option<(String, TimeNs, String)>,
    /// Searched for.
    pub search: String,
    /// What was chosen inside views.
    pub choices: Choices,
}

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
        add("scope", if self.is_selected_scope { "selected" } else { "" });
        add("win", &self.window.map(range_text).unwrap_or_default());
        if let Some((track, start, name)) = &self.selection {
            // The bars between the parts stay, bars in them are escaped twice.
            let bar = |text: &str| text.replace('%', "%25").replace('|', "%7C");
            add("sel", &format!("{}|{}|{}", bar(track), start.0, bar(name)));
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
                "scope" => out.is_selected_scope = value == "selected",
                "win" => out.window = range(&value),
                "sel" => out.selection = selection(&value),
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

fn selection(text: &str) -> Option<(String, TimeNs, String)> {
    let mut parts = text.splitn(3, '|');
    let (track, start, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some((unescape(track), TimeNs(start.parse().ok()?), unescape(name)))
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

/// Undoes [`escape`]; what is no escape stands for itself.
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
            is_selected_scope: true,
            window: time(0, i64::MAX),
            selection: Some(("p | 1 / %7C ä".into(), TimeNs(-7), "op|x|".into())),
            search: "aten::.*\"<>".into(),
            choices,
        };
        for state in [full, UrlState::default(), UrlState { search: "%zz%".into(), ..UrlState::default() }] {
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
        check("#v=999&p=x", UrlState::default());
        check("#%%%", UrlState::default());
        check("", UrlState::default());
    }
}
