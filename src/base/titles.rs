//! Titles of tabs: equal ones get the shortest part of their paths that differs.

/// What distinguishes two profiles with the same title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Titled<'a> {
    /// Its own title.
    pub title: &'a str,
    /// Path of its file, as it was dropped.
    pub path: &'a str,
    /// Hash of its content.
    pub hash: &'a str,
}

/// A unique title for each. Unique titles are unchanged; others get folders, else the file's name, else digits of the hash.
pub fn distinguish(all: &[Titled<'_>]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(all.len());
    for (i, one) in all.iter().enumerate() {
        let peers: Vec<&Titled<'_>> = all.iter().enumerate().filter(|(j, o)| *j != i && o.title == one.title).map(|o| o.1).collect();
        let part = if peers.is_empty() { String::new() } else { part(one, &peers) };
        let title = if part.is_empty() { one.title.to_string() } else { format!("{} · {part}", one.title) };
        let numbered = (2..).map(|n| format!("{title} ({n})"));
        let mut candidates = std::iter::once(title.clone()).chain(numbered);
        out.push(candidates.find(|t| !out.contains(t)).unwrap_or(title));
    }
    out
}

/// The part that distinguishes one from its peers; empty if none is needed or none exists.
fn part(one: &Titled<'_>, peers: &[&Titled<'_>]) -> String {
    let folders = |t: &Titled<'_>| t.path.rsplit_once('/').map_or("", |p| p.0).to_string();
    let by = |of: &dyn Fn(&Titled<'_>) -> String| own_end(&of(one), &peers.iter().map(|p| of(p)).collect::<Vec<_>>());
    by(&folders).or_else(|| by(&|t| t.path.to_string())).or_else(|| own_digits(one.hash, peers)).unwrap_or_default()
}

/// Shortest unique path suffix, minus the common suffix; `None` if two paths are equal.
fn own_end(path: &str, others: &[String]) -> Option<String> {
    let parts = |path: &str| path.split('/').filter(|p| !p.is_empty()).rev().map(str::to_string).collect::<Vec<_>>();
    let (own, others): (_, Vec<_>) = (parts(path), others.iter().map(|o| parts(o)).collect());
    let n_common = own.iter().enumerate().take_while(|(i, part)| others.iter().all(|o| o.get(*i) == Some(part))).count();
    let own = &own[n_common..];
    let others: Vec<&[String]> = others.iter().map(|o| &o[n_common..]).collect();
    if others.contains(&own) {
        return None;
    }
    let shortest = (1..=own.len()).find(|n| others.iter().all(|o| !o.starts_with(&own[..*n])));
    let end = &own[..shortest.unwrap_or(own.len())];
    Some(end.iter().rev().map(String::as_str).collect::<Vec<_>>().join("/"))
}

/// Shortest unique prefix of a hash, at least four digits; `None` if two hashes are equal.
fn own_digits(hash: &str, peers: &[&Titled<'_>]) -> Option<String> {
    let n = (4..=hash.len()).find(|n| hash.get(..*n).is_some_and(|digits| peers.iter().all(|p| !p.hash.starts_with(digits))))?;
    hash.get(..n).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(all: &[(&str, &str, &str)], wanted: &[&str]) {
        let all: Vec<Titled<'_>> = all.iter().map(|&(title, path, hash)| Titled { title, path, hash }).collect();
        assert_eq!(distinguish(&all), wanted);
    }

    #[test]
    fn folders_tell_equal_titles_apart() {
        check(&[("a", "x/a", "1"), ("b", "x/b", "2")], &["a", "b"]);
        check(&[("t.json", "one/t.json", "1"), ("t.json", "two/t.json", "2")], &["t.json · one", "t.json · two"]);
        check(&[("t.json", "t.json", "1"), ("t.json", "two/t.json", "2")], &["t.json", "t.json · two"]);
        let runs = [("run", "logs/plugins/neuron/run/op.json", "1"), ("run", "logs/temp_profiler_logs/run/op.json", "2")];
        check(&runs, &["run · neuron", "run · temp_profiler_logs"]);
        let nested = [("t", "a/x/t", "1"), ("t", "b/x/t", "2"), ("t", "b/y/t", "3"), ("t", "x/t", "4")];
        check(&nested, &["t · a/x", "t · b/x", "t · y", "t · x"]);
    }

    #[test]
    fn else_the_file_or_the_content_does() {
        check(&[("run", "run/a.json", "1"), ("run", "run/b.json", "2")], &["run · a.json", "run · b.json"]);
        check(&[("t", "t", "12345a"), ("t", "t", "12345b")], &["t · 12345a", "t · 12345b"]);
        check(&[("t", "t", "1234"), ("t", "t", "abcdef"), ("t", "t", "abcde0")], &["t · 1234", "t · abcdef", "t · abcde0"]);
        check(&[("t", "t", "1"), ("t", "t", "1")], &["t", "t (2)"]);
        check(&[("t · x", "t", "1"), ("t", "x/t", "2"), ("t", "y/t", "3")], &["t · x", "t · x (2)", "t · y"]);
    }
}
