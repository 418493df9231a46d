//! Ways from a view to the timeline, and to another scope.

use crate::base::{SliceId, SliceIds, StrId, TimeNs, TimeRange};
use crate::state::{App, AppStateStoreFields as _, actions, region_scope, slice_set};
use crate::views::overview::TimelineTarget;
use crate::worker::client::Ask;
use crate::worker::protocol::{OccurrencesQuery, ScopeQuery, Within};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The scope of every view: the selected range; `None` is the entire trace.
pub(in crate::app) fn scope(app: App) -> Signal<Option<TimeRange>> {
    app.range.into()
}

/// Shows a place in the timeline: the range with a little room on both sides, the slice selected.
pub(in crate::app) fn go(app: App, (range, slice): TimelineTarget) {
    let room = range.duration().0 / 10;
    let (start, end) = (range.start.0.saturating_sub(room), range.end.0.saturating_add(room));
    actions::show_view(app, "timeline");
    app.window.set(Some(TimeRange::new(TimeNs(start), TimeNs(end))));
    actions::commit_range(app, Some(range));
    if slice.is_some() {
        app.selection.set(slice.map(Into::into));
        app.state.is_details_open().set(true);
    }
}

/// Highlights the slices of a row in the timeline, and goes to the first.
pub(in crate::app) fn show_occurrences(app: App, ask: Ask, by: String, name: String) {
    show_occurrences_in(app, ask, by, name, Within::default());
}

/// As [`show_occurrences`], to the first of a part of the profile.
pub(in crate::app) fn show_occurrences_in(app: App, ask: Ask, by: String, name: String, within: Within) {
    let set_name = name.clone();
    spawn_local(async move {
        if let Ok(SliceIds(slices)) = ask.ask(OccurrencesQuery { by, value: name }).await {
            let inside = app.front_untracked().and_then(|p| p.columns.first_within(&slices, &within));
            let first = inside.or(slices.first().copied());
            slice_set::mark(app, set_name, slices);
            actions::show_view(app, "timeline");
            actions::select_and_reveal(app, first);
        }
    });
}

/// Makes the time in which slices with the name of `slice` run the scope of every view, under a label.
pub(in crate::app) fn scope_to_calls(app: App, ask: Ask, label: String, slice: SliceId) {
    let name = app.front_untracked().and_then(|p| Some(p.columns.info.strings.get(StrId(p.columns.name.get(slice.index())?)).to_string()));
    let Some(value) = name else { return };
    spawn_local(async move {
        if let Ok(SliceIds(slices)) = ask.ask(OccurrencesQuery { by: "name".into(), value }).await {
            region_scope::use_region(app, label, ScopeQuery { slices, ..ScopeQuery::default() }, Vec::new());
        }
    });
}
