//! The selected range, and the rows it is of.

use super::App;
use crate::base::TimeRange;
use leptos::prelude::*;
use std::sync::Arc;

/// Counts all rows of the committed range.
pub fn all_rows(app: App) {
    if app.rows.with_untracked(|rows| !rows.is_empty()) {
        app.rows.set(Arc::default());
    }
}

/// Commits a range of all rows, or none.
pub fn commit_range(app: App, range: Option<TimeRange>) {
    all_rows(app);
    if app.region_scope.with_untracked(|region| region.as_ref().is_some_and(|region| Some(region.wall) != range)) {
        app.region_scope.set(None);
        app.view_state("scope").set("region", None);
    }
    app.range.set(range);
}
