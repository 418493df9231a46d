//! What is looked at, as a link names it.

use crate::base::{EventId, StrId, TimeNs, TimeRange};
use crate::state::url::{Named, UrlState};
use crate::state::{App, AppStateStoreFields as _, OpenProfile};
use crate::worker::protocol::PageColumns;
use leptos::prelude::*;

/// A slice with a longer name is not named in the address, bytes.
const LONGEST_NAME: usize = 2_000;

/// How a profile behind was looked at when another came to front. The visible window is not kept.
pub(in crate::app) fn background(profile: &OpenProfile) -> UrlState {
    let background = &profile.background;
    UrlState {
        hash: profile.hash.clone(),
        name: profile.own_title.clone(),
        view: background.view.clone(),
        range: background.range,
        rows: background.rows.to_vec(),
        selection: background.selection.and_then(|item| named(&profile.columns, item)),
        choices: background.choices.clone(),
        ..UrlState::default()
    }
}

/// What is looked at now.
pub(in crate::app) fn current(app: App) -> UrlState {
    let Some(profile) = app.front() else {
        return app.state.wanted().get().unwrap_or_default();
    };
    let window: Option<TimeRange> = app.window.get().filter(|w| *w != profile.columns.range());
    let selection = app.selection.get().and_then(|item| named(&profile.columns, item));
    UrlState {
        hash: profile.hash.clone(),
        name: profile.own_title.clone(),
        view: app.state.view().get(),
        range: app.range.get(),
        rows: app.rows.with(|rows| rows.to_vec()),
        window,
        selection,
        search: app.state.search().with(|s| s.text.clone()),
        choices: app.choices.get(),
    }
}

/// How a link names what is selected.
fn named(columns: &PageColumns, item: EventId) -> Option<Named> {
    let (track, start, name) = match item {
        EventId::Slice(slice) => {
            (columns.info.track_of(slice)?, columns.start.get(slice.index())?, StrId(columns.name.get(slice.index())?))
        }
        EventId::Instant(instant) => {
            let (all, i) = (&columns.info.instants, instant.index());
            (all.track.get(i)?, all.time.get(i)?, all.name.get(i)?)
        }
    };
    // An address has room for names that someone wrote, not for texts of megabytes.
    let name = Some(columns.info.strings.get(name)).filter(|name| name.len() <= LONGEST_NAME)?;
    Some(Named { is_instant: item.instant().is_some(), track: columns.info.track_path(track), start: TimeNs(start), name: name.into() })
}
