//! The words a user can see: string literals of `src/`, texts of `index.html` and of `styles/` say what they mean in field terms.

use super::{expect_none, is_test_file, root, sources};
use std::fs;

/// Words and phrases that must be read twice, and what to write instead.
const AVOIDED: &[(&str, &str)] = &[
    ("tell", "record"),
    ("tells", "records"),
    ("told", "recorded"),
    ("untold", "not recorded"),
    ("of which", "two sentences"),
    ("whose", "with"),
    ("hang on", "depend on"),
    ("hangs on", "depends on"),
    ("stand", "be, or be listed"),
    ("stands", "is, or is listed"),
    ("stood", "was"),
    ("piece of", "the thing itself: an allocation, a kernel"),
    ("pieces of", "the things themselves: allocations, kernels"),
    ("is had", "is loaded"),
    ("be had", "be loaded"),
    ("was had", "was loaded"),
    ("comes to", "is"),
    ("costliest", "sorted by cost"),
    ("to be seen", "Observations"),
    ("add up", "sum"),
    ("adds up", "sums"),
    ("adding up", "Computing"),
    ("added up", "summed"),
    ("put in by", "added by"),
    ("held", "allocated, or contained"),
    ("held by", "Parents"),
    ("most that", "limit"),
    ("in all", "in total"),
    ("left out", "skipped, or excluded"),
    ("leaves out", "skips, or excludes"),
    ("remarked", "flagged"),
    ("figures", "values, or metrics"),
    ("moments", "instants, or times"),
    ("lives", "is"),
    ("lived", "lifetime"),
    ("worth a look", "what it is"),
    ("be judged", "needs"),
    ("be won", "be saved"),
    ("the whole", "the entire"),
    ("whole profile", "entire trace"),
    ("whole run", "entire run"),
    ("came last", "last to arrive"),
    ("the others wait", "Stragglers"),
    ("the one and", "from A to B"),
    ("has no bar", "not on the timeline"),
    ("device work", "kernels"),
    ("for want of", "because of insufficient"),
    ("cut off", "truncated"),
    ("go on", "continue"),
    ("we know", "supported"),
    ("as it stands", "without interpretation"),
    ("as they stand", "as listed"),
    ("is said", "Evidence and rule"),
    ("is no number", "is not a number"),
    ("open all", "Expand all"),
    ("close all", "Collapse all"),
    ("made-up", "synthetic"),
    ("rehearsal", "warm-up"),
];

/// Texts that hold such a phrase and mean something else: (end of the path, part of the text).
const JUSTIFIED: &[(&str, &str)] = &[
    // "in all" followed by a noun: every one of them.
    ("torch/advice/classic.rs", "in all steps"),
    ("neuron_log/ops.rs", "in all operators"),
];

/// Files with texts for developers only: sentences of `Profile::check`, which tests alone call.
const FOR_DEVELOPERS: &[&str] = &["src/model/check.rs", "src/model/check_domain.rs"];

/// The string literals outside comments and tests, with their lines; those of `expect`, which give reasons to developers, are not in it.
/// Attributes count where a user sees them: `#[error("…")]`.
fn literals(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let (mut at, mut line, mut depth) = (0, 1, 0_usize);
    // The depth of the block that is built for tests alone, once it is open.
    let (mut is_test_next, mut test_depth) = (false, None);
    let bytes = text.as_bytes();
    let count = |from: usize, to: usize| bytes[from..to].iter().filter(|b| **b == b'\n').count();
    while let Some(&byte) = bytes.get(at) {
        let rest = &text[at..];
        let step = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("#[cfg(test)]") || rest.starts_with("#[cfg(all(test") {
            is_test_next = true;
            rest.find(']').map_or(rest.len(), |end| end + 1)
        } else if let Some((body, len)) = literal(rest, text[..at].chars().next_back()) {
            let is_reason = text[..at].ends_with("expect(");
            let is_bytes = text[..at].ends_with('b') && rest.starts_with('"');
            if test_depth.is_none() && !is_reason && !is_bytes {
                out.push((line, body));
            }
            len
        } else {
            match byte {
                b'\'' => character(rest),
                b'{' => {
                    depth += 1;
                    if std::mem::take(&mut is_test_next) && test_depth.is_none() {
                        test_depth = Some(depth);
                    }
                    1
                }
                b'}' => {
                    if test_depth == Some(depth) {
                        test_depth = None;
                    }
                    depth = depth.saturating_sub(1);
                    1
                }
                b';' => {
                    is_test_next = false;
                    1
                }
                _ => rest.chars().next().map_or(1, char::len_utf8),
            }
        };
        line += count(at, at + step);
        at += step;
    }
    out
}

/// The string literal at the beginning of a text: its content with line continuations resolved, and its length.
fn literal(rest: &str, before: Option<char>) -> Option<(String, usize)> {
    if let Some(body) = rest.strip_prefix('"') {
        let mut is_escaped = false;
        let end = body.find(|c: char| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
        let mut content = String::new();
        for (i, part) in body[..end].split("\\\n").enumerate() {
            content += if i == 0 { part } else { part.trim_start() };
        }
        return Some((content, end + 2));
    }
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let hashes = rest.strip_prefix('r')?;
    let n = hashes.len() - hashes.trim_start_matches('#').len();
    let body = hashes[n..].strip_prefix('"')?;
    let end = body.find(&format!("\"{}", "#".repeat(n)))?;
    Some((body[..end].to_owned(), 1 + n + 1 + end + 1 + n))
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let inner = &rest[1..];
    if inner.starts_with('\\') {
        return inner.get(2..).and_then(|r| r.find('\'')).map_or(1, |end| 1 + 2 + end + 1);
    }
    let first = inner.chars().next().map_or(0, char::len_utf8);
    if inner[first..].starts_with('\'') { 1 + first + 1 } else { 1 }
}

/// A text in small letters, its words apart by one space; code in backticks and placeholders are left out, other signs part phrases.
fn plain(text: &str) -> String {
    let mut out = String::from(" ");
    let (mut is_code, mut depth) = (false, 0_usize);
    for c in text.chars() {
        match c {
            '`' => is_code = !is_code,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if is_code || depth > 0 => {}
            c if c.is_alphanumeric() || "_-'".contains(c) => {
                out.extend(c.to_lowercase());
                continue;
            }
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
                continue;
            }
            _ => {}
        }
        out += if out.ends_with(' ') { "| " } else { " | " };
    }
    out + " "
}

/// The phrases to avoid that a text has, with what to write instead.
fn avoided(text: &str) -> Vec<&'static (&'static str, &'static str)> {
    let plain = plain(text);
    AVOIDED.iter().filter(|(phrase, _)| plain.contains(&format!(" {phrase} "))).collect()
}

/// The texts between the tags of a page, outside scripts and styles, and its attributes that are read out.
fn texts_of_page(html: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push(before.to_owned());
        let Some((tag, then)) = after.split_once('>') else { break };
        for name in ["title=\"", "aria-label=\"", "content=\"", "alt=\""] {
            out.extend(tag.split_once(name).and_then(|(_, value)| value.split_once('"')).map(|(value, _)| value.to_owned()));
        }
        rest = ["script", "style"]
            .iter()
            .find(|name| tag.starts_with(**name))
            .and_then(|name| then.split_once(&format!("</{name}")).and_then(|(_, end)| end.split_once('>')))
            .map_or(then, |(_, end)| end);
    }
    out
}

#[test]
fn what_a_user_reads_is_in_plain_words() {
    let mut seen = Vec::new();
    for source in sources() {
        if is_test_file(&source.path) || FOR_DEVELOPERS.contains(&source.path.as_str()) {
            continue;
        }
        seen.extend(literals(&source.text).into_iter().map(|(line, text)| (format!("{}:{line}", source.path), text)));
    }
    assert!(seen.len() > 5_000, "only {} literals were found", seen.len());
    let html = fs::read_to_string(root().join("index.html")).expect("index.html");
    seen.extend(texts_of_page(&html).into_iter().map(|text| ("index.html".to_owned(), text)));
    for entry in fs::read_dir(root().join("styles")).expect("styles").map(|e| e.expect("an entry").path()) {
        let css = fs::read_to_string(&entry).expect("a style is text");
        let contents = css.split("content: \"").skip(1).filter_map(|c| c.split('"').next());
        seen.extend(contents.map(|text| (entry.display().to_string(), text.to_owned())));
    }
    let mut broken = Vec::new();
    for (place, text) in seen {
        let path = place.split(':').next().unwrap_or_default();
        // One word in small letters is an identifier.
        let is_identifier = !text.contains(' ') && !text.starts_with(|c: char| c.is_uppercase());
        if is_identifier || JUSTIFIED.iter().any(|(file, part)| path.ends_with(file) && text.contains(part)) {
            continue;
        }
        broken.extend(avoided(&text).iter().map(|(phrase, instead)| format!("{place}: `{phrase}` (write: {instead}) in: {text}")));
    }
    expect_none("a text for users has a phrase that must be read twice", broken);
}

#[test]
fn literals_outside_tests_and_comments_are_found() {
    let text = "fn a<'a>() { x(\"one \\\n   two\"); // \"no\"\n y('\"', r#\"raw \"q\"\"#); z.expect(\"never\"); }\n#[error(\"shown\")]\n#[cfg(test)]\nmod t { const A: &str = \"test\"; }\nconst B: &str = \"last\";";
    let got = literals(text);
    let found: Vec<(usize, &str)> = got.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(found, [(1, "one two"), (3, "raw \"q\""), (4, "shown"), (7, "last")]);
}

#[test]
fn phrases_are_whole_words_outside_code() {
    assert_eq!(avoided("It tells nothing of which, `told`, {recorded} and astounding.").len(), 2);
    assert_eq!(avoided("Added up: 3").len(), 1);
    assert_eq!(avoided("in; all").len(), 0);
    assert_eq!(texts_of_page("<p title=\"a b\">c</p><script>var d</script>e<br>"), ["", "a b", "c", "", "e"]);
}
