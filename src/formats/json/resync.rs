//! Finds the next record after unbalanced quotes.

use memchr::memchr_iter;

/// First keys of trace events. A record that begins with another key is not found.
const FIRST_KEYS: [&[u8]; 8] = [b"ph", b"cat", b"name", b"pid", b"tid", b"ts", b"id", b"dur"];

/// Position of the `{` of the next record: `}`, a comma, `{` and one of an event's keys, with only white space between.
pub fn next_record(text: &[u8]) -> Option<usize> {
    memchr_iter(b'}', text).find_map(|at| {
        let rest = text[at + 1..].trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
        let open = text.len() - rest.len();
        let key = rest.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
        let is_event = FIRST_KEYS.iter().any(|k| key.strip_prefix(*k).is_some_and(|r| r.starts_with(b"\"")));
        is_event.then_some(open)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_by_its_first_key() {
        let text = br#"{"a": "x", "b": [{"c": 1}, {"d": 2}]}, { "ph": "X"}"#;
        assert_eq!(next_record(text), Some(39));
        assert_eq!(next_record(b"{}, {}"), None);
        assert_eq!(next_record(b"}"), None);
    }
}
