//! Slices with a name that the user marked: rows of a query, a layer, a source line. The timeline colours them, can show them alone, and they give the
//! views their scope.

use super::{App, actions, region_scope};
use crate::base::SliceId;
use crate::worker::protocol::{PageColumns, ScopeQuery};
use leptos::prelude::*;

/// Rows of more tracks are not listed: the scope is of all rows then.
const MOST_ROWS: usize = 1_000;

/// A set of slices: those of [`App::highlights`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceSet {
    /// Its name; the user may give another one.
    pub name: String,
    /// How many slices.
    pub n: usize,
    /// Whether the timeline draws no other slices.
    pub is_alone: bool,
}

/// Marks slices in the timeline as a set. Without slices there is none.
pub fn mark(app: App, name: String, slices: Vec<SliceId>) {
    actions::set_highlights(app, slices);
    let n = app.highlights.with_untracked(|h| h.len());
    app.slice_set.set((n > 0).then_some(SliceSet { name, n, is_alone: false }));
}

/// Gives the set another name; an empty one changes nothing.
pub fn rename(app: App, name: &str) {
    let name = name.trim().to_string();
    app.slice_set.update(|set| {
        if let Some(set) = set.as_mut().filter(|_| !name.is_empty()) {
            set.name = name;
        }
    });
}

/// Draws the other slices again, or no longer.
pub fn toggle_alone(app: App) {
    app.slice_set.update(|set| {
        if let Some(set) = set {
            set.is_alone = !set.is_alone;
        }
    });
}

/// Makes the set the scope of every view: the time in which its slices run, in their rows.
pub fn use_as_scope(app: App) {
    let Some(front) = app.front_untracked() else { return };
    let slices = app.highlights.get_untracked();
    let name = app.slice_set.with_untracked(|set| set.as_ref().map(|set| set.name.clone()).unwrap_or_default());
    if let Some((_, rows)) = front.columns.extent(&slices) {
        let rows =
            if rows.len() > MOST_ROWS { Vec::new() } else { rows.iter().map(|track| front.columns.info.track_path(*track)).collect() };
        region_scope::use_region(app, name, ScopeQuery { slices: slices.to_vec(), ..ScopeQuery::default() }, rows);
    }
}

/// The slices of rows that name a time: for each (start, duration, name) the first slice with these times and that name, else with these times.
pub fn at_times(columns: &PageColumns, wanted: &[(i64, i64, Option<String>)]) -> Vec<Option<SliceId>> {
    let mut of: rustc_hash::FxHashMap<(i64, i64), Vec<usize>> = rustc_hash::FxHashMap::default();
    for (at, (start, duration, _)) in wanted.iter().enumerate() {
        of.entry((*start, *duration)).or_default().push(at);
    }
    let mut out: Vec<Option<SliceId>> = vec![None; wanted.len()];
    let mut is_named = vec![false; wanted.len()];
    for (i, times) in columns.start.iter().zip(columns.duration.iter()).enumerate() {
        for &at in of.get(&times).into_iter().flatten() {
            let name = wanted[at].2.as_deref();
            let is_it = columns.name.get(i).is_some_and(|id| name == Some(columns.info.strings.get(crate::base::StrId(id))));
            if out[at].is_none() || is_it && !is_named[at] {
                out[at] = Some(SliceId(i as u32));
                is_named[at] = is_it;
            }
        }
    }
    out
}
