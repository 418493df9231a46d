//! What is searched for, how, and where the hits are.

use super::choices::Choice;
use super::{App, AppStateStoreFields as _, actions};
use crate::base::Order as _;
use crate::base::{EventId, InstantId, SliceId};
use crate::worker::protocol::Term;
use leptos::prelude::*;
use std::sync::Arc;

/// What is searched for, and where the hits are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Search {
    /// As typed.
    pub text: String,
    /// The text that the hits are of: another one while an answer is awaited.
    pub answered: String,
    /// Enter was pressed before the answer came: the way it shall go then, `true` for back.
    pub steps: Option<bool>,
    /// Hits by start.
    pub hits: Arc<Vec<SliceId>>,
    /// All there are.
    pub n_total: u64,
    /// Instants with a matching name, by time; listed after the slices.
    pub instants: Arc<Vec<InstantId>>,
    /// All there are.
    pub n_instants: u64,
    /// The one shown last.
    pub at: Option<usize>,
    /// Why there is no answer.
    pub refused: Option<String>,
    /// How far the search in the records of the file is; `None` when they are not searched.
    pub scan: Option<Scanned>,
}

impl Search {
    /// Slices and times together.
    pub fn n_found(&self) -> u64 {
        self.n_total + self.n_instants
    }

    /// The hit at a place of the list: slices, then times.
    fn item(&self, at: usize) -> Option<EventId> {
        let instant = || self.instants.get(at.checked_sub(self.hits.len())?).map(|i| EventId::from(*i));
        self.hits.get(at).map(|s| EventId::from(*s)).or_else(instant)
    }
}

/// Progress of a search in the records of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scanned {
    /// Hits in records so far, by id.
    pub hits: Arc<Vec<SliceId>>,
    /// Records looked at.
    pub n_seen: u64,
    /// Records there are.
    pub n_all: u64,
    /// Records that could not be read back.
    pub n_unreadable: u64,
    /// Whether it is over: at the end, or stopped.
    pub is_over: bool,
    /// Keys of the fields found so far, by name.
    pub keys: Arc<Vec<String>>,
}

impl Scanned {
    /// How much is done (0 to 1).
    pub fn share(&self) -> f64 {
        if self.n_all == 0 { 1.0 } else { (self.n_seen as f64 / self.n_all as f64).min(1.0) }
    }

    /// Whether every record was looked at.
    pub fn is_whole(&self) -> bool {
        self.n_seen >= self.n_all
    }
}

/// To the next hit of the search, or the one before; the timeline shows it.
pub fn step_hit(app: App, is_back: bool) {
    let (n, at, is_answered) = app.state.search().with_untracked(|s| (s.hits.len() + s.instants.len(), s.at, s.text == s.answered));
    if !is_answered {
        return app.state.search().update(|s| s.steps = Some(is_back));
    }
    let Some(next) = next(n, at, is_back) else {
        return;
    };
    let item = app.state.search().with_untracked(|s| s.item(next));
    app.state.search().update(|s| s.at = Some(next));
    actions::show_view(app, "timeline");
    actions::select_and_reveal(app, item);
}

/// How it is searched; part of the address.
#[derive(Clone, Copy)]
pub struct SearchOptions {
    /// Whether the text is a regular expression.
    pub is_regex: Choice<bool>,
    /// `name`, an attribute's id, or empty for name and all attributes.
    pub field: Choice<String>,
    /// Whether the records of the file are searched too.
    pub in_records: Choice<bool>,
    /// Only the field of this key of the records; empty is every field.
    pub key: Choice<String>,
    /// Whether all hits are highlighted.
    pub is_highlighted: Choice<bool>,
    /// Only slices of this category; empty is all.
    pub category: Choice<String>,
    /// Conditions that all must hold, as [`terms_text`] writes them.
    pub terms: Choice<String>,
    /// The field to read.
    pub values: Choice<String>,
}

impl SearchOptions {
    /// Those of the profile in front.
    pub fn of(app: App) -> Self {
        let state = app.view_state("search");
        SearchOptions {
            is_regex: state.choice("regex", false),
            field: state.choice("field", String::new()),
            in_records: state.choice("records", false),
            key: state.choice("key", String::new()),
            is_highlighted: state.choice("highlight", true),
            category: state.choice("category", String::new()),
            terms: state.choice("fields", String::new()),
            values: state.choice("values", "name".to_string()),
        }
    }
}

/// Conditions as one text for the address: `opcode=MATMUL&duration_ns=>100`.
pub fn terms_text(terms: &[Term]) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('&', "%26").replace('=', "%3D");
    terms.iter().map(|t| format!("{}={}", escape(&t.field), escape(&t.text))).collect::<Vec<_>>().join("&")
}

/// Conditions from a text; what has no `=` is omitted. At most twenty.
pub fn terms_from(text: &str) -> Vec<Term> {
    let plain = |text: &str| text.replace("%3D", "=").replace("%26", "&").replace("%25", "%");
    let parts = text.split('&').filter_map(|part| part.split_once('='));
    parts.take(20).map(|(field, text)| Term { field: plain(field), text: plain(text) }).collect()
}

/// Merges two lists of hits, both by id; `start` returns the start of a slice. The result is sorted by start.
pub fn merged(a: &[SliceId], b: &[SliceId], start: impl Fn(SliceId) -> i64) -> Vec<SliceId> {
    let mut out = [a, b].concat();
    out.sort_unstable();
    out.dedup();
    out.order_by_key(|&s| (start(s), s));
    out
}

/// The hit after the one shown last, or before it; round at the ends. `None` without hits.
pub fn next(n: usize, at: Option<usize>, is_back: bool) -> Option<usize> {
    match (n, at, is_back) {
        (0, ..) => None,
        (_, None, false) => Some(0),
        (n, None, true) => Some(n - 1),
        (n, Some(at), false) => Some((at + 1) % n),
        (n, Some(at), true) => Some((at + n - 1) % n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_names_and_records_are_one_list_by_start() {
        let ids = |list: &[u32]| list.iter().map(|&i| SliceId(i)).collect::<Vec<_>>();
        assert_eq!(merged(&ids(&[1, 3]), &ids(&[0, 3]), |s| -i64::from(s.0)), ids(&[3, 1, 0]));
    }

    #[test]
    fn conditions_come_back_from_the_address() {
        let term = |field: &str, text: &str| Term { field: field.into(), text: text.into() };
        let terms = vec![term("opcode", "/^A=B&C%3D$/"), term("", ""), term("duration_ns", ">=7")];
        assert_eq!(terms_from(&terms_text(&terms)), terms);
        assert!(terms_from("").is_empty() && terms_from("nothing").is_empty());
    }

    #[test]
    fn moments_come_after_the_slices() {
        let search = Search { hits: Arc::new(vec![SliceId(7)]), instants: Arc::new(vec![InstantId(3)]), ..Search::default() };
        let items = [0, 1, 2].map(|at| search.item(at));
        assert_eq!(items, [Some(SliceId(7).into()), Some(InstantId(3).into()), None]);
    }

    #[test]
    fn stepping_goes_round() {
        assert_eq!((next(0, None, false), next(3, None, false), next(3, None, true)), (None, Some(0), Some(2)));
        assert_eq!((next(3, Some(2), false), next(3, Some(0), true)), (Some(0), Some(2)));
        // Fewer hits than when it was shown.
        assert_eq!((next(3, Some(9), false), next(3, Some(9), true)), (Some(1), Some(2)));
    }

    #[test]
    fn the_share_done_is_never_strange() {
        let at = |n_seen, n_all| Scanned { n_seen, n_all, ..Scanned::default() }.share();
        assert_eq!((at(0, 0), at(1, 4), at(9, 4)), (1.0, 0.25, 1.0));
    }
}
