//! A region as the scope of every view: windows of time under one name. It counts while the selected range is its wall span.

use super::notices::notify;
use super::range::commit_range;
use super::{App, AppStateStoreFields as _};
use crate::base::{DurationNs, TimeNs, TimeRange, text};
use crate::worker::protocol::ScopeQuery;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use std::sync::Arc;

/// A link holds no more windows than these; with more it holds the wall span.
const MOST_IN_LINK: usize = 100;

/// The region that is the scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionScope {
    /// Its name: `attention.py`.
    pub name: String,
    /// From the first start to the last end: the selected range.
    pub wall: TimeRange,
    /// Length of all windows.
    pub length: DurationNs,
    /// The windows, by start: none overlaps another.
    pub windows: Vec<TimeRange>,
}

impl RegionScope {
    /// As views say it.
    pub fn sentence(&self) -> String {
        let windows = text::counted(self.windows.len() as u64, "window");
        format!("Region {}: {windows}, {} of {}", self.name, text::duration(self.length), text::duration(self.wall.duration()))
    }

    /// Name and windows for a link: starts from the end before, and lengths. Empty where they are too many.
    fn text(&self) -> String {
        if self.windows.len() > MOST_IN_LINK {
            return String::new();
        }
        let mut before = 0;
        let mut written = |window: &TimeRange| {
            let part = format!("{}+{}", window.start.0.saturating_sub(before), window.duration().0);
            before = window.end.0;
            part
        };
        let windows: Vec<String> = self.windows.iter().map(&mut written).collect();
        format!("{} {}", windows.join(","), self.name)
    }

    /// Name and windows of a link; `None` if invalid.
    fn read(written: &str) -> Option<(String, Vec<TimeRange>)> {
        let (windows, name) = written.split_once(' ')?;
        let mut at = 0i64;
        let mut window = |part: &str| {
            let (gap, length) = part.split_once('+')?;
            let start = at.checked_add(gap.parse().ok()?)?;
            at = start.checked_add(length.parse().ok()?)?;
            (start < at).then_some(TimeRange { start: TimeNs(start), end: TimeNs(at) })
        };
        let windows: Option<Vec<TimeRange>> = windows.split(',').take(MOST_IN_LINK).map(&mut window).collect();
        Some((name.into(), windows?))
    }
}

impl App {
    /// The region that is the scope; `None` while it is a range or the entire trace. Tracked.
    pub fn region(&self) -> Option<Arc<RegionScope>> {
        let range = self.range.get()?;
        self.region_scope.get().filter(|region| region.wall == range)
    }
}

/// Makes windows and slices the scope of every view, with a name and rows (empty: all). Inside a region, they are clipped to it.
pub fn use_region(app: App, name: String, query: ScopeQuery, rows: Vec<String>) {
    let within = untrack(|| app.region()).map(|region| region.windows.clone()).unwrap_or_default();
    spawn_local(async move {
        if let Some(region) = set(app, name, ScopeQuery { within, ..query }).await {
            if app.range.get_untracked() == Some(region.wall) {
                // The same range has other answers now: views ask again when it changes.
                commit_range(app, None);
                tick().await;
            }
            show(app, Some(region), rows);
        }
    });
}

/// The scope as the worker computes it; `None` if it is empty.
async fn set(app: App, name: String, query: ScopeQuery) -> Option<RegionScope> {
    let front = app.front_untracked()?;
    let scope = front.ask.ask(query).await.ok()?;
    let is_front = app.state.front().get_untracked() == Some(front.id);
    match scope.wall.filter(|_| is_front) {
        Some(wall) => Some(RegionScope { name, wall, length: scope.length, windows: scope.windows }),
        None => {
            notify(app, format!("{name} has no time in the scope."), false);
            None
        }
    }
}

fn show(app: App, region: Option<RegionScope>, rows: Vec<String>) {
    let wall = region.as_ref().map(|region| region.wall);
    let region = region.filter(|region| region.windows.len() > 1);
    let link = region.as_ref().map(RegionScope::text).unwrap_or_default();
    commit_range(app, wall);
    app.view_state("scope").set("region", (!link.is_empty()).then_some(link));
    app.region_scope.set(region.map(Arc::new));
    app.rows.set(Arc::new(rows));
}

/// Makes the region of a link the scope again, where the range is its wall span.
pub fn restore(app: App) {
    let written = untrack(|| app.view_state("scope").get("region")).unwrap_or_default();
    let Some((name, windows)) = RegionScope::read(&written) else { return };
    let wall = windows.first().zip(windows.last()).map(|(first, last)| TimeRange { start: first.start, end: last.end });
    if wall.is_none() || wall != app.range.get_untracked() || untrack(|| app.region()).is_some() {
        return;
    }
    let rows = app.rows.get_untracked().to_vec();
    spawn_local(async move {
        if let Some(region) = set(app, name, ScopeQuery { windows, ..ScopeQuery::default() }).await {
            commit_range(app, None);
            tick().await;
            show(app, Some(region), rows);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_a_sentence_and_a_short_text() {
        let window = |start, end| TimeRange { start: TimeNs(start), end: TimeNs(end) };
        let region = RegionScope {
            name: "attention.py, V 2".into(),
            wall: window(1_000, 5_000),
            length: DurationNs(2_000),
            windows: vec![window(1_000, 2_000), window(4_000, 5_000)],
        };
        assert_eq!(region.sentence(), "Region attention.py, V 2: 2 windows, 2.00 µs of 4.00 µs");
        assert_eq!(region.text(), "1000+1000,2000+1000 attention.py, V 2");
        assert_eq!(RegionScope::read(&region.text()), Some((region.name.clone(), region.windows.clone())));
        for text in ["", "5", "a+b c", "1+0 x", "9223372036854775807+9 x", ", x"] {
            assert_eq!(RegionScope::read(text), None, "{text}");
        }
        let many = RegionScope { windows: vec![window(0, 1); 101], ..region };
        assert_eq!(many.text(), "");
    }
}
