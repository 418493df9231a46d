//! The root of a JSON text, from the head of the file.

/// A root key and how its value begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// As written, escapes and all.
    pub name: String,
    /// First byte of the value; 0 where the head ends before it.
    pub begins: u8,
}

/// Kind and keys of the root of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// An object.
    Object {
        /// Its keys in order, within the head.
        keys: Vec<Key>,
        /// Whether the head holds the whole object.
        is_whole: bool,
    },
    /// A list.
    List {
        /// Distinct keys of the objects in it, within the head.
        keys: Vec<String>,
    },
}

const N_KEYS: usize = 256;

/// Scans the beginning of a text; `None` when it is no JSON object or list. Linear, and no deeper for deep nesting.
pub fn root(head: &[u8]) -> Option<Root> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let is_list = match head.first()? {
        b'{' => false,
        b'[' => true,
        _ => return None,
    };
    let key_depth = if is_list { 2 } else { 1 };
    let (mut depth, mut at) = (0usize, 0);
    let mut keys: Vec<Key> = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    while let Some(&b) = head.get(at) {
        match b {
            b'"' => {
                let end = string_end(head, at + 1)?.min(head.len());
                last = (depth == key_depth).then_some((at + 1, end));
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(done(is_list, keys, true));
                }
            }
            b':' if keys.len() < N_KEYS => {
                if let Some((from, to)) = last.take() {
                    let begins = head[at + 1..].trim_ascii_start().first().copied().unwrap_or(0);
                    let name = String::from_utf8_lossy(&head[from..to]).into_owned();
                    if !is_list || keys.iter().all(|k| k.name != name) {
                        keys.push(Key { name, begins });
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    let says_json = !keys.is_empty() || head[1..].trim_ascii_start().iter().all(|b| b"[]{}\"".contains(b));
    says_json.then(|| done(is_list, keys, false))
}

fn done(is_list: bool, keys: Vec<Key>, is_whole: bool) -> Root {
    if is_list { Root::List { keys: keys.into_iter().map(|k| k.name).collect() } } else { Root::Object { keys, is_whole } }
}

/// Position of the closing quote of a string that begins at `from`; the end of the text where it is cut. `None`: never.
fn string_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let Some(n) = memchr::memchr2(b'"', b'\\', text.get(at..)?) else {
            return Some(text.len());
        };
        at += n;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at >= text.len() {
            return Some(text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        match root(text.as_bytes()) {
            Some(Root::Object { keys, .. }) => keys.into_iter().map(|k| k.name).collect(),
            Some(Root::List { keys }) => keys,
            None => vec!["none".into()],
        }
    }

    #[test]
    fn only_root_keys_are_seen() {
        assert_eq!(names(r#"{"a": {"b": 1}, "c\"d": [{"e": 2}], "f"#), ["a", "c\\\"d"]);
        assert_eq!(names(r#"[{"ph": "X", "args": {"n": 1}}, {"ph": "i"}"#), ["ph", "args"]);
        assert_eq!(names("no json"), ["none"]);
        assert_eq!(names("{"), Vec::<String>::new());
        assert_eq!(names(&"[".repeat(100_000)), Vec::<String>::new());
    }
}
