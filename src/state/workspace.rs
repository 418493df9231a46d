//! A workspace: what the user noted on several profiles and how they were looked at, as one small JSON file. Profiles are named by their content
//! hash; nothing of their content is in it.

use super::annotations::{AnnotationSet, Book};
use super::url::UrlState;
use crate::base::text;
use serde::{Deserialize, Serialize};

/// Ending of its files.
pub const ENDING: &str = ".axonspace";
/// Longer files are no workspace, bytes.
pub const LONGEST: f64 = 8e6;
const KIND: &str = "axonscope workspace";
const VERSION: u32 = 1;
/// More profiles than these are not read.
const MOST: usize = 1_000;

/// One profile of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedProfile {
    /// Content hash.
    pub hash: String,
    /// Name of its file.
    #[serde(default)]
    pub name: String,
    /// View, range, selection, filters, comparison and settings of views, as the fragment of a link.
    #[serde(default)]
    pub link: String,
    /// Markers and regions.
    #[serde(default)]
    pub annotations: Book,
}

impl SavedProfile {
    /// How the profile was looked at. Where the link is of another profile, nothing but the hash.
    pub fn state(&self) -> UrlState {
        let state = UrlState::from_fragment(&self.link);
        if state.hash == self.hash { state } else { UrlState { hash: self.hash.clone(), ..UrlState::default() } }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    kind: String,
    version: u32,
    /// Content hash of the profile in front.
    #[serde(default)]
    pub front: String,
    /// Place and size of the details.
    #[serde(default)]
    pub layout: String,
    /// In the order of the tabs.
    pub profiles: Vec<SavedProfile>,
    /// Named queries in SQL: name and text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<(String, String)>,
}

/// Why a file is no workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Other JSON; the parser's message.
    #[error("Expected a workspace saved by this page: {0}.")]
    Unreadable(String),
    /// Another file of this page, or one of a later version.
    #[error("Expected `{}` version {}, found `{}` version {version}.", KIND, VERSION, text::brief(kind))]
    OtherKind {
        /// The kind that the file states.
        kind: String,
        /// Its version.
        version: u32,
    },
}

impl Workspace {
    /// A workspace of these profiles.
    pub fn new(front: String, layout: String, profiles: Vec<SavedProfile>) -> Workspace {
        Workspace { kind: KIND.into(), version: VERSION, front, layout, profiles, queries: Vec::new() }
    }

    /// As the text of a file.
    pub fn to_text(&self) -> String {
        // Maps with keys that are no strings cannot be written; there are none.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a file.
    pub fn from_text(content: &str) -> Result<Workspace, WorkspaceError> {
        let mut read: Workspace =
            serde_json::from_str(content.trim_start_matches('\u{feff}')).map_err(|e| WorkspaceError::Unreadable(e.to_string()))?;
        if read.kind != KIND || read.version != VERSION {
            return Err(WorkspaceError::OtherKind { kind: read.kind, version: read.version });
        }
        read.profiles.truncate(MOST);
        for profile in &mut read.profiles {
            profile.annotations.current.tidy();
            profile.annotations.saved.iter_mut().for_each(AnnotationSet::tidy);
        }
        Ok(read)
    }

    /// The notice after loading: which of its profiles are open.
    pub fn sentence(&self, is_open: impl Fn(&str) -> bool) -> String {
        const MOST_NAMED: usize = 3;
        let named = |p: &SavedProfile| format!("`{}`", if p.name.is_empty() { &p.hash } else { &p.name });
        let closed: Vec<String> = self.profiles.iter().filter(|p| !is_open(&p.hash)).map(named).collect();
        let n_more = closed.len().saturating_sub(MOST_NAMED);
        let mut names = closed[..closed.len() - n_more].join(", ");
        if n_more > 0 {
            names = format!("{names} and {n_more} more");
        }
        let n_open = self.profiles.len() - closed.len();
        match (n_open, closed.len()) {
            (0, 0) => "The workspace contains no profile.".into(),
            (_, 0) => format!("The workspace is loaded: {}.", text::counted(n_open as u64, "profile")),
            (0, _) => format!("The workspace is of {names}, which is not open. Its views and annotations appear when that file is opened."),
            _ => format!("The workspace is loaded; {names} is not open. Its views and annotations appear when that file is opened."),
        }
    }
}

/// The name under which annotations are saved that a workspace takes the place of.
const BEFORE: &str = "Before the workspace";

/// The annotations of a workspace together with the user's own: none is lost.
pub fn joined(own: &Book, loaded: &Book) -> Book {
    let mut out = own.clone();
    if !own.current.items.is_empty() && own.current != loaded.current && !own.is_saved() {
        out.save_as(BEFORE);
    }
    for set in &loaded.saved {
        out.saved.retain(|s| s.name != set.name);
        out.saved.push(set.clone());
    }
    if !loaded.current.items.is_empty() {
        out.current = loaded.current.clone();
    } else {
        out.current = own.current.clone();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn marked(at: i64) -> Book {
        let mut book = Book::default();
        book.current.add_marker(TimeNs(at));
        book
    }

    fn saved(hash: &str, name: &str) -> SavedProfile {
        let state = UrlState { hash: hash.into(), view: "operators".into(), search: "gemm".into(), ..UrlState::default() };
        SavedProfile { hash: hash.into(), name: name.into(), link: state.to_fragment(), annotations: marked(5) }
    }

    #[test]
    fn a_workspace_comes_back() {
        let workspace = Workspace::new("1".into(), "right 380".into(), vec![saved("1", "a.json"), saved("2", "b.json")]);
        let read = Workspace::from_text(&format!("\u{feff}{}", workspace.to_text())).expect("a workspace");
        assert_eq!(read, workspace);
        assert!(!workspace.to_text().contains("queries"));
        let queried = Workspace { queries: vec![("busy".into(), "select 1".into())], ..workspace };
        assert_eq!(Workspace::from_text(&queried.to_text()), Ok(queried));
        assert_eq!((read.profiles[0].state().view.as_str(), read.profiles[0].state().search.as_str()), ("operators", "gemm"));
        let foreign = SavedProfile { hash: "3".into(), ..saved("1", "a.json") };
        assert_eq!(foreign.state(), UrlState { hash: "3".into(), ..UrlState::default() });
    }

    #[test]
    fn what_is_no_workspace_is_refused_with_what_was_expected() {
        let check = |text: &str, want: &str| {
            let sentence = Workspace::from_text(text).expect_err(text).to_string();
            assert!(sentence.contains(want), "{sentence}");
        };
        check("", "Expected a workspace");
        check("[1, 2]", "Expected a workspace");
        check(r#"{"kind": "axonscope workspace", "version": 1, "profiles": 3}"#, "Expected a workspace");
        check(r#"{"kind": "axonscope workspace", "version": 2, "profiles": []}"#, "found `axonscope workspace` version 2");
        check(r#"{"kind": "axonscope annotations", "version": 1, "profiles": []}"#, "found `axonscope annotations`");
        let cut = Workspace::new(String::new(), String::new(), vec![saved("1", "a")]).to_text();
        check(&cut[..cut.len() - 20], "Expected a workspace");
    }

    #[test]
    fn profiles_that_are_not_open_are_named() {
        let of = |names: &[&str]| Workspace::new(String::new(), String::new(), names.iter().map(|n| saved(n, n)).collect());
        assert_eq!(of(&["a", "b"]).sentence(|_| true), "The workspace is loaded: 2 profiles.");
        let sentence = of(&["a"]).sentence(|_| false);
        assert!(sentence.starts_with("The workspace is of `a`, which is not open."), "{sentence}");
        let sentence = of(&["a", "b"]).sentence(|hash| hash == "a");
        assert!(sentence.starts_with("The workspace is loaded; `b` is not open."), "{sentence}");
        assert!(of(&["a", "b", "c", "d", "e"]).sentence(|_| false).contains("`c` and 2 more"));
    }

    #[test]
    fn no_annotation_is_lost() {
        let both = joined(&marked(1), &marked(5));
        assert_eq!((both.current.items[0].start, both.saved.len()), (TimeNs(5), 1));
        assert_eq!((both.saved[0].name.as_str(), both.saved[0].items[0].start), (BEFORE, TimeNs(1)));
        assert_eq!(joined(&marked(5), &marked(5)).saved.len(), 0);
        assert_eq!(joined(&marked(1), &Book::default()).current, marked(1).current);
    }
}
