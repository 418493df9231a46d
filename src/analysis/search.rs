//! Slices by name or attribute. Each distinct string is tried once, not each slice.

use super::filter::{Filter, SearchError, Term};
use super::matcher::matcher;
use super::operators::column;
use crate::base::{InstantId, SliceId, StrId, packed};
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// What a search looks for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchQuery {
    /// Text, or a pattern when `is_regex`. Case is ignored unless it holds an upper-case letter.
    pub text: String,
    /// Whether `text` is a regular expression.
    pub is_regex: bool,
    /// `name`, an attribute's id, or empty for name and all attributes.
    pub field: String,
    /// At most this many hits are returned; all are counted.
    pub limit: u32,
    /// Only slices of this category; empty is all.
    pub category: String,
    /// Further conditions: all must hold.
    pub terms: Vec<Term>,
}

impl SearchQuery {
    /// Whether it asks for nothing: without a text and without a condition nothing is a hit.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.terms.iter().all(|t| t.text.trim().is_empty())
    }
}

/// Hits of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchHits {
    /// Ordered by start, at most the limit.
    #[serde(with = "packed::slices")]
    pub slices: Vec<SliceId>,
    /// All that match.
    pub n_total: u64,
    /// Instants with a matching name by time, at most the limit. Conditions, categories and attributes apply to slices only.
    pub instants: Vec<InstantId>,
    /// All such times.
    pub n_instants: u64,
}

/// Hits by start, at most `query.limit`; all are counted. An empty text hits nothing.
pub fn search(profile: &Profile, query: &SearchQuery) -> Result<SearchHits, SearchError> {
    if query.is_empty() {
        return Ok(SearchHits::default());
    }
    let mut hits = all_hits(profile, query)?;
    let n_total = hits.len() as u64;
    let key = |s: &SliceId| (profile.slices.start[s.index()], *s);
    let limit = query.limit as usize;
    if limit < hits.len() {
        hits.select_nth_unstable_by_key(limit, key);
        hits.truncate(limit);
    }
    hits.sort_unstable_by_key(key);
    let mut instants = instants_hit(profile, query)?;
    let n_instants = instants.len() as u64;
    instants.truncate(limit);
    Ok(SearchHits { slices: hits, n_total, instants, n_instants })
}

/// Instants with a matching name, by time.
fn instants_hit(profile: &Profile, query: &SearchQuery) -> Result<Vec<InstantId>, SearchError> {
    let is_of_names = query.field.is_empty() || query.field == "name";
    let has_terms = query.terms.iter().any(|t| !t.text.trim().is_empty());
    if query.text.is_empty() || !is_of_names || has_terms || !query.category.is_empty() {
        return Ok(Vec::new());
    }
    let matcher = matcher(&query.text, query.is_regex)?;
    let mut known: Vec<Option<bool>> = vec![None; profile.strings.len()];
    let all = &profile.instants;
    let mut is_hit = |id: StrId| *known[id.index()].get_or_insert_with(|| matcher.is_hit(profile.strings.get(id)));
    let hits = (0..all.time.len()).filter(|&i| is_hit(all.name[i])).map(|i| InstantId(i as u32));
    let mut hits: Vec<InstantId> = hits.collect();
    hits.sort_unstable_by_key(|i| (all.time[i.index()], *i));
    Ok(hits)
}

/// Every hit, by id; without a text all that the conditions keep.
pub fn all_hits(profile: &Profile, query: &SearchQuery) -> Result<Vec<SliceId>, SearchError> {
    let filter = Filter::new(profile, &query.category, &query.terms)?;
    let n = profile.slices.len();
    if query.text.is_empty() {
        return Ok((0..n as u32).map(SliceId).filter(|s| filter.keeps(*s)).collect());
    }
    let matcher = matcher(&query.text, query.is_regex)?;
    let columns: Vec<&[StrId]> = if query.field.is_empty() {
        std::iter::once(profile.slices.name.as_slice()).chain(profile.attributes.iter().map(|a| a.values.as_slice())).collect()
    } else {
        let field = &query.field;
        vec![column(profile, field).ok_or_else(|| SearchError::NoColumn(field.clone()))?]
    };
    let mut known: Vec<Option<bool>> = vec![None; profile.strings.len()];
    let mut is_hit = |id: StrId| *known[id.index()].get_or_insert_with(|| matcher.is_hit(profile.strings.get(id)));
    let hits = (0..n).filter(|&i| columns.iter().any(|c| is_hit(c[i]))).map(|i| SliceId(i as u32));
    Ok(hits.filter(|s| filter.keeps(*s)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::TrackId;

    fn check(text: &str, is_regex: bool, field: &str, limit: u32, want: Result<(&[i64], u64), &str>) {
        let profile = drawn("t: aten::mm 5+1, aten::add 0+1, Aten::mm 9+1\n u: mm 3+1");
        let query = SearchQuery { text: text.into(), is_regex, field: field.into(), limit, ..SearchQuery::default() };
        let got = search(&profile, &query);
        match want {
            Ok((starts, total)) => {
                let got = got.expect("hits");
                assert_eq!(got.slices.iter().map(|s| profile.slices.start[s.index()]).collect::<Vec<_>>(), starts, "{text}");
                assert_eq!(got.n_total, total);
            }
            Err(part) => assert!(got.expect_err("refused").to_string().contains(part)),
        }
    }

    #[test]
    fn hits_stand_by_start_and_all_are_counted() {
        check("mm", false, "", 10, Ok((&[3, 5, 9], 3)));
        check("mm", false, "name", 2, Ok((&[3, 5], 3)));
        check("Aten", false, "", 10, Ok((&[9], 1)));
        check("", false, "", 10, Ok((&[], 0)));
    }

    #[test]
    fn moments_are_found_by_name() {
        let mut profile = drawn("t: mm 5+1");
        let names = ["S[2] = 3", "DMA2D OOB"].map(|name| profile.strings.push(name));
        profile.instants.track.push(TrackId(0), 3);
        profile.instants.time = vec![9, 4, 7];
        profile.instants.name = vec![names[0], names[0], names[1]];
        let of = |text: &str, category: &str, limit| {
            let query = SearchQuery { text: text.into(), category: category.into(), limit, ..SearchQuery::default() };
            let got = search(&profile, &query).expect("hits");
            (got.n_total, got.instants.iter().map(|i| i.0).collect::<Vec<_>>(), got.n_instants)
        };
        assert_eq!(of("S[2] = 3", "", 10), (0, vec![1, 0], 2));
        assert_eq!(of("s[2]", "", 1), (0, vec![1], 2));
        assert_eq!((of("oob", "", 10), of("oob", "host", 10)), ((0, vec![2], 1), (0, vec![], 0)));
        assert_eq!(of("mm", "", 10), (1, vec![], 0));
    }

    #[test]
    fn patterns_and_attributes() {
        check("^aten::m+$", true, "", 10, Ok((&[5, 9], 2)));
        check("compute", false, "category", 1, Ok((&[0], 4)));
        check("compute", false, "name", 1, Ok((&[], 0)));
        check("(", true, "", 1, Err("is not a valid regular expression"));
        check("x", false, "nowhere", 1, Err("no column"));
    }
}
