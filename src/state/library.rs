//! The library: profiles that were opened before, with what the user noted on them; never their content. The list is kept in the browser's
//! `localStorage` by the page; files and copies are kept by `public/library.js`.

use crate::base::{DurationNs, Order as _, text};
use serde::{Deserialize, Serialize};

/// How the file of a profile is opened again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredAs {
    /// From its place on disk, once the browser has asked for permission.
    File,
    /// From a copy in the browser's own storage.
    Copy,
    /// The user selects the file again.
    #[default]
    #[serde(other)]
    Nothing,
}

impl StoredAs {
    /// What `public/library.js` calls it.
    pub fn named(name: &str) -> StoredAs {
        match name {
            "file" => StoredAs::File,
            "copy" => StoredAs::Copy,
            _ => StoredAs::Nothing,
        }
    }
}

/// A profile that was open before. What is not recorded is empty or `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Name of the file.
    pub name: String,
    /// "PyTorch profiler trace".
    pub kind: String,
    /// Content hash.
    pub hash: String,
    /// When it was opened last, `2026-11-20 23:05`, UTC.
    pub date: String,
    /// The name that the user gave it; empty: the name of the file.
    pub title: String,
    /// The device it was recorded on.
    pub device: String,
    /// From its first to its last event, ns.
    pub duration_ns: Option<i64>,
    /// Steps that are marked in it.
    pub n_steps: u64,
    /// Size of its files, bytes.
    pub n_bytes: u64,
    /// Whether it needs the program of every format.
    pub needs_full: bool,
    /// The value that is asked for first: "GPU busy 55.5%".
    pub figure: String,
    /// The user's tags.
    pub tags: Vec<String>,
    /// Whether the user starred it.
    pub is_starred: bool,
    /// Names of the profiles it was compared with, the last one first.
    pub compared: Vec<String>,
    /// How its file is opened again. Libraries of earlier versions have this name.
    #[serde(rename = "kept")]
    pub stored: StoredAs,
    /// [`Entry::line`], for the start page that is drawn before the program is there.
    pub line: String,
}

/// Entries that are kept; starred ones are not counted.
const MAX_ENTRIES: usize = 200;
/// Names of compared profiles that are kept.
const N_COMPARED: usize = 4;
/// Longer names and tags are cut, characters.
const LONGEST: usize = 200;

impl Entry {
    /// The name shown.
    pub fn label(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// Everything but names and tags, in one line.
    pub fn line(&self) -> String {
        let steps = (self.n_steps > 0).then(|| text::counted(self.n_steps, "step"));
        let duration = self.duration_ns.filter(|ns| *ns > 0).map(|ns| text::duration(DurationNs(ns)));
        let size = (self.n_bytes > 0).then(|| text::bytes(self.n_bytes));
        let stored = match self.stored {
            StoredAs::Nothing => None,
            StoredAs::File => Some("opens from disk".to_string()),
            StoredAs::Copy => Some("copy kept".to_string()),
        };
        let own = (!self.title.is_empty()).then(|| self.name.clone());
        let given = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let date = format!("{} UTC", self.date);
        let all = [own, given(&self.kind), given(&self.device), duration, steps, size, given(&self.figure), Some(date), stored];
        all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// Whether every word of `filter` is in its names, tags or line; letters' case does not count.
    pub fn matches(&self, filter: &str) -> bool {
        let all = format!("{} {} {} {}", self.title, self.name, self.tags.join(" "), self.line()).to_lowercase();
        filter.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }

    /// Takes the user's name and tags, which are separated by commas. The file's own name is no name of the user's.
    pub fn rename(&mut self, title: &str, tags: &str) {
        let cut = |text: &str| text.trim().chars().take(LONGEST).collect::<String>();
        self.title = Some(cut(title)).filter(|t| *t != self.name).unwrap_or_default();
        self.tags = Vec::new();
        for tag in tags.split(',').map(cut).filter(|t| !t.is_empty()) {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
    }

    /// Notes that it was compared with a profile of that name.
    pub fn compared_with(&mut self, name: &str) {
        self.compared.retain(|other| other != name);
        self.compared.insert(0, name.to_string());
        self.compared.truncate(N_COMPARED);
    }
}

/// The list with `newest` in it, each content once: what the user noted on that content stays.
pub fn with(list: &[Entry], newest: Entry) -> Vec<Entry> {
    let mut newest = newest;
    if let Some(old) = list.iter().find(|e| e.hash == newest.hash) {
        newest = Entry {
            title: old.title.clone(),
            tags: old.tags.clone(),
            is_starred: old.is_starred,
            compared: old.compared.clone(),
            stored: old.stored,
            device: old.device.clone(),
            figure: old.figure.clone(),
            ..newest
        };
    }
    let others = list.iter().filter(|e| e.hash != newest.hash).cloned();
    ordered(std::iter::once(newest.clone()).chain(others).collect())
}

/// The profile that was opened last; of several in one minute, the first in the list.
pub fn newest(list: &[Entry]) -> Option<&Entry> {
    list.iter().rev().max_by(|a, b| a.date.cmp(&b.date))
}

/// Starred entries first, then as they are; no more than are kept.
pub fn ordered(list: Vec<Entry>) -> Vec<Entry> {
    let (mut starred, mut rest): (Vec<Entry>, Vec<Entry>) = list.into_iter().partition(|e| e.is_starred);
    // By the time of the last opening, which is written so that it sorts as text.
    let newest_first = |list: &mut Vec<Entry>| list.order_by(|a, b| b.date.cmp(&a.date));
    newest_first(&mut starred);
    newest_first(&mut rest);
    rest.truncate(MAX_ENTRIES);
    starred.append(&mut rest);
    starred
}

/// The list as text; what cannot be read is an empty list.
pub fn from_text(text: &str) -> Vec<Entry> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The list to text.
pub fn to_text(list: &[Entry]) -> String {
    let with_lines: Vec<Entry> = list.iter().map(|e| Entry { line: e.line(), ..e.clone() }).collect();
    serde_json::to_string(&with_lines).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, hash: &str) -> Entry {
        Entry { name: name.into(), kind: "k".into(), hash: hash.into(), date: "2026-11-20 23:05".into(), ..Entry::default() }
    }

    #[test]
    fn the_newest_comes_first_and_each_once() {
        let list = (0..12).fold(Vec::new(), |list, i| with(&list, entry(&format!("f{i}"), &format!("{}", i % 10))));
        assert_eq!(list.len(), 10);
        assert_eq!(list[0].name, "f11");
        assert_eq!(list.iter().filter(|r| r.hash == "1").count(), 1);
        let read: Vec<Entry> = from_text(&to_text(&list)).into_iter().map(|e| Entry { line: String::new(), ..e }).collect();
        assert_eq!(read, list);
        assert_eq!(from_text("nonsense"), []);
        let many = (0..300).fold(Vec::new(), |list, i| with(&list, entry("f", &format!("{i}"))));
        assert_eq!((many.len(), many[0].hash.as_str()), (MAX_ENTRIES, "299"));
        let starred = Entry { is_starred: true, date: "2026-11-19 08:00".into(), ..entry("f", "old") };
        assert_eq!(newest(&ordered([vec![starred], many].concat())).map(|e| e.hash.as_str()), Some("299"));
    }

    #[test]
    fn what_the_user_noted_stays_with_the_content() {
        let mut first = entry("a.json", "1");
        first.rename(" Baseline ", "slow, ,h100,slow");
        (first.is_starred, first.stored, first.figure) = (true, StoredAs::Copy, "GPU busy 5%".into());
        first.compared_with("b.json");
        let list = with(&with(&[first], entry("b.json", "2")), entry("a2.json", "1"));
        let again = &list[0];
        assert_eq!((again.label(), again.name.as_str(), again.tags.join("+").as_str()), ("Baseline", "a2.json", "slow+h100"));
        assert_eq!((again.is_starred, again.stored, again.compared.join("+").as_str()), (true, StoredAs::Copy, "b.json"));
        assert!(again.matches("H100 base copy") && !again.matches("h100 b.json.gz"));
        let mut own = again.clone();
        own.rename("a2.json", "");
        assert_eq!((own.title.as_str(), own.tags.len()), ("", 0));
    }

    #[test]
    fn a_line_shows_what_is_recorded_and_nothing_else() {
        assert_eq!(entry("a", "1").line(), "k · 2026-11-20 23:05 UTC");
        let full = Entry {
            title: "Baseline".into(),
            device: "2 × H100".into(),
            duration_ns: Some(1_500_000_000),
            n_steps: 3,
            n_bytes: 2_000_000,
            figure: "GPU busy 55.5%".into(),
            stored: StoredAs::File,
            ..entry("a.json", "1")
        };
        assert_eq!(
            full.line(),
            "a.json · k · 2 × H100 · 1.50 s · 3 steps · 1.91 MiB · GPU busy 55.5% · 2026-11-20 23:05 UTC · opens from disk"
        );
    }

    #[test]
    fn lists_of_older_and_of_newer_versions_are_read() {
        let read = from_text(
            r#"[{"name":"a","kind":"k","hash":"1","date":"d"},{"hash":"2","kept":"elsewhere","new":1},{"hash":"3","kept":"file"}]"#,
        );
        assert_eq!((read.len(), read[0].name.as_str(), read[1].stored, read[2].stored), (3, "a", StoredAs::Nothing, StoredAs::File));
    }
}
